/* Owns the two rings. Does not know sessions, nor what is made of the records. */
#include "driver/deferred.h"

#include <stdlib.h>

_Static_assert((DEFERRED_RECORDS_MAX & (DEFERRED_RECORDS_MAX - 1)) == 0,
               "counters that wrap around must go on with the next place");

void
deferred_init(struct deferred *deferred)
{
    *deferred = (struct deferred){0};
    deferred->queue = must_calloc(DEFERRED_QUEUE_MAX, sizeof *deferred->queue);
    deferred->records = must_calloc(DEFERRED_RECORDS_MAX, sizeof *deferred->records);
}

void
deferred_free(struct deferred *deferred)
{
    free(deferred->queue);
    free(deferred->records);
}

bool
deferred_put(struct deferred *deferred, const struct delivery_input *input, int64_t now_us)
{
    if (deferred->count == DEFERRED_QUEUE_MAX)
        return false;
    int last = (deferred->first + deferred->count++) % DEFERRED_QUEUE_MAX;
    deferred->queue[last] = (struct deferred_delivery){.queued_us = now_us, .input = *input};
    return true;
}

/* Places that running deliveries will need count as taken. */
static bool
has_room(struct deferred *deferred)
{
    unsigned written = atomic_load_explicit(&deferred->written, memory_order_relaxed);
    unsigned taken = atomic_load_explicit(&deferred->taken, memory_order_acquire);

    return written - taken + (unsigned)deferred->running < DEFERRED_RECORDS_MAX;
}

bool
deferred_begin(struct deferred *deferred, struct deferred_delivery *delivery)
{
    if (deferred_waiting(deferred) == 0 || !has_room(deferred))
        return false;
    *delivery = deferred->queue[deferred->first];
    deferred->first = (deferred->first + 1) % DEFERRED_QUEUE_MAX;
    deferred->count--;
    deferred->running++;
    return true;
}

void
deferred_end(struct deferred *deferred, const struct deferred_record *record)
{
    unsigned written = atomic_load_explicit(&deferred->written, memory_order_relaxed);

    must(deferred->running > 0);
    deferred->running--;
    deferred->records[written % DEFERRED_RECORDS_MAX] = *record;
    atomic_store_explicit(&deferred->written, written + 1, memory_order_release);
}

void
deferred_close(struct deferred *deferred)
{
    deferred->closed = true;
}

int
deferred_waiting(const struct deferred *deferred)
{
    return deferred->closed ? 0 : deferred->count;
}

bool
deferred_take(struct deferred *deferred, int64_t before_us, struct deferred_record *record)
{
    unsigned taken = atomic_load_explicit(&deferred->taken, memory_order_relaxed);
    const struct deferred_record *next = &deferred->records[taken % DEFERRED_RECORDS_MAX];

    if (taken == atomic_load_explicit(&deferred->written, memory_order_acquire) ||
        next->done_us >= before_us)
        return false;
    *record = *next;
    atomic_store_explicit(&deferred->taken, taken + 1, memory_order_release);
    return true;
}

uint64_t
deferred_left(const struct deferred *deferred, int64_t since_us)
{
    uint64_t left = 0;

    for (int i = 0; i < deferred->count; i++)
        left += deferred->queue[(deferred->first + i) % DEFERRED_QUEUE_MAX].queued_us >= since_us;
    return left;
}
