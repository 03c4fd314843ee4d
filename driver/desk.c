/* Owns the terminals, their waits, the queue of those that are ready, and the clock of an open
 * load. */
#include "driver/desk.h"

#include <math.h>
#include <stdlib.h>

#include "driver/pace.h"

#define PAUSE_FIRST_US  1000 /* after a failed transaction; doubled with each in a row */
#define PAUSE_DOUBLINGS 10   /* up to about a second */

_Static_assert(sizeof(struct desk_terminal) + sizeof(struct heap_node *) <= DESK_TERMINAL_BYTES_MAX,
               "a terminal that waits is one record and one place in the timer heap");

/* --- queues ----------------------------------------------------------------------------------- */

static void
queue_put(struct desk_queue *queue, struct desk_terminal *terminal)
{
    terminal->next = NULL;
    *queue->last = terminal;
    queue->last = &terminal->next;
    queue->length++;
}

static struct desk_terminal *
queue_get(struct desk_queue *queue)
{
    struct desk_terminal *terminal = queue->first;

    if (!terminal)
        return NULL;
    queue->first = terminal->next;
    if (!queue->first)
        queue->last = &queue->first;
    queue->length--;
    return terminal;
}

/* --- terminals -------------------------------------------------------------------------------- */

static void
make_ready(struct desk *desk, struct desk_terminal *terminal, int64_t due_us)
{
    bool deferred = desk->rules->defers && terminal->type == TXN_DELIVERY;

    terminal->due_us = due_us;
    queue_put(deferred ? &desk->deliveries : &desk->queue, terminal);
}

/* Its wait is over, or it has none: it is ready, or in an open load free for the next arrival. */
static void
end_wait(struct desk *desk, struct desk_terminal *terminal, int64_t due_us)
{
    if (desk->rules->arrivals == ARRIVALS_CLOSED) {
        make_ready(desk, terminal, due_us);
    } else if (desk->backlog_count > 0) {
        make_ready(desk, terminal, desk->backlog[desk->backlog_first]);
        desk->backlog_first = (desk->backlog_first + 1) % BACKLOG_MAX;
        desk->backlog_count--;
    } else {
        queue_put(&desk->free, terminal);
    }
}

static void
on_wait_over(struct loop_timer *timer)
{
    struct desk *desk = timer->owner;
    struct desk_terminal *terminal =
        (struct desk_terminal *)((char *)timer - offsetof(struct desk_terminal, timer));

    end_wait(desk, terminal, timer->node.key);
    desk->ready(desk->owner, loop_now_us(desk->loop));
}

static void
wait_for(struct desk *desk, struct desk_terminal *terminal, int64_t now_us, int64_t wait_us)
{
    if (wait_us > 0)
        loop_timer_set(desk->loop, &terminal->timer, now_us + wait_us);
    else
        end_wait(desk, terminal, now_us);
}

void
desk_begin(struct desk *desk, int i, int64_t now_us)
{
    struct desk_terminal *terminal = &desk->terminals[i];
    struct pace_start start = {0};

    must(!terminal->begun && !desk->closed);
    terminal->begun = true;
    desk->alive++;
    if (desk->rules->pacing > 0) {
        start = pace_start(desk->rules->pacing, desk->rules->terminals->mix, &terminal->pace);
        terminal_take(&terminal->terminal, desk->rules->terminals, start.type);
    } else {
        start.type = terminal_deal(&terminal->terminal, desk->rules->terminals);
    }
    terminal->type = (uint8_t)start.type;
    wait_for(desk, terminal, now_us, start.wait_us);
}

struct desk_terminal *
desk_take(struct desk *desk)
{
    return queue_get(&desk->queue);
}

bool
desk_waits(const struct desk *desk)
{
    return desk->queue.first != NULL;
}

struct desk_terminal *
desk_take_delivery(struct desk *desk)
{
    return queue_get(&desk->deliveries);
}

/* A procedure that always fails must not be called in a tight loop. */
static int64_t
pause_us(const struct desk_terminal *terminal)
{
    int doublings = terminal->failures < PAUSE_DOUBLINGS ? terminal->failures : PAUSE_DOUBLINGS;

    return terminal->failures > 0 ? (int64_t)PAUSE_FIRST_US << (doublings - 1) : 0;
}

void
desk_done(struct desk *desk, struct desk_terminal *terminal, int64_t now_us, bool failed)
{
    double factor = desk->rules->pacing;
    enum txn_type done = (enum txn_type)terminal->type;
    int64_t wait_us = 0;

    if (desk->closed)
        return;
    terminal->type = (uint8_t)terminal_deal(&terminal->terminal, desk->rules->terminals);
    if (factor > 0) {
        int64_t think_us = pace_think_us(factor, done, &terminal->pace);
        int64_t keying_us = pace_keying_us(factor, (enum txn_type)terminal->type);
        meter_think(desk->meter, done, think_us);
        meter_keying(desk->meter, (enum txn_type)terminal->type, keying_us);
        wait_us = think_us + keying_us;
    }
    terminal->failures = failed ? (uint8_t)(terminal->failures + (terminal->failures < 255)) : 0;
    int64_t least_us = pause_us(terminal);
    wait_for(desk, terminal, now_us, wait_us > least_us ? wait_us : least_us);
}

void
desk_retire(struct desk *desk, struct desk_terminal *terminal)
{
    must(!loop_timer_is_set(&terminal->timer) && !terminal->retired);
    terminal->retired = true;
    desk->alive--;
}

/* --- open load -------------------------------------------------------------------------------- */

static double
interval_us(struct desk *desk)
{
    return desk->rules->arrivals == ARRIVALS_POISSON
               ? -log1p(-rng_real(&desk->arrivals)) * desk->interval_us
               : desk->interval_us;
}

static void
arrive(struct desk *desk, int64_t due_us)
{
    struct desk_terminal *terminal = queue_get(&desk->free);

    if (terminal) {
        make_ready(desk, terminal, due_us);
    } else if (desk->backlog_count < BACKLOG_MAX) {
        int last = (desk->backlog_first + desk->backlog_count++) % BACKLOG_MAX;
        desk->backlog[last] = due_us;
    } else {
        meter_skipped(desk->meter);
    }
}

/* All that are due; one after the other at the time it was due, however late we are. */
static void
on_arrival(struct loop_timer *timer)
{
    struct desk *desk = timer->owner;
    int64_t now_us = loop_now_us(desk->loop);

    for (; desk->next_arrival_us <= (double)now_us; desk->next_arrival_us += interval_us(desk))
        arrive(desk, (int64_t)desk->next_arrival_us);
    loop_timer_set(desk->loop, timer, (int64_t)ceil(desk->next_arrival_us));
    desk->ready(desk->owner, now_us);
}

void
desk_begin_arrivals(struct desk *desk, int64_t now_us)
{
    if (desk->rules->arrivals == ARRIVALS_CLOSED || desk->closed)
        return;
    desk->next_arrival_us = (double)now_us + interval_us(desk);
    /* Regular ones go round the desks: each has a place of its own on the common scale. */
    if (desk->rules->arrivals == ARRIVALS_REGULAR)
        desk->next_arrival_us +=
            desk->interval_us * desk->phase - fmod((double)now_us, desk->interval_us);
    loop_timer_set(desk->loop, &desk->arrival, (int64_t)ceil(desk->next_arrival_us));
}

/* --- the whole -------------------------------------------------------------------------------- */

void
desk_init(struct desk *desk, const struct desk_rules *rules, struct loop *loop, struct meter *meter,
          int first, int step)
{
    int count = (rules->count - first + step - 1) / step;

    *desk = (struct desk){.rules = rules, .loop = loop, .meter = meter, .count = count};
    desk->queue.last = &desk->queue.first;
    desk->deliveries.last = &desk->deliveries.first;
    desk->free.last = &desk->free.first;
    desk->terminals = must_calloc((size_t)count, sizeof *desk->terminals);
    for (int i = 0; i < count; i++) {
        struct desk_terminal *terminal = &desk->terminals[i];
        uint64_t index = (uint64_t)first + (uint64_t)i * (uint64_t)step;
        terminal->timer = (struct loop_timer){.fire = on_wait_over, .owner = desk};
        terminal_init(&terminal->terminal, rules->terminals, rules->seed, index);
        rng_seed(&terminal->pace, rules->seed, RNG_PACE, index);
    }
    if (rules->arrivals == ARRIVALS_CLOSED)
        return;
    must(rules->rate_per_minute > 0 && rules->pacing == 0);
    desk->arrival = (struct loop_timer){.fire = on_arrival, .owner = desk};
    desk->phase = (double)first / step;
    desk->interval_us = 60e6 / rules->rate_per_minute * rules->count / count;
    rng_seed(&desk->arrivals, rules->seed, RNG_ARRIVALS, (uint64_t)first);
    desk->backlog = must_calloc(BACKLOG_MAX, sizeof *desk->backlog);
}

void
desk_free(struct desk *desk)
{
    free(desk->terminals);
    free(desk->backlog);
    *desk = (struct desk){0};
}

uint64_t
desk_waiting(const struct desk *desk)
{
    return (uint64_t)desk->queue.length + (uint64_t)desk->backlog_count;
}

void
desk_close(struct desk *desk)
{
    if (desk->closed)
        return;
    desk->closed = true;
    loop_timer_clear(desk->loop, &desk->arrival);
    for (int i = 0; i < desk->count; i++)
        loop_timer_clear(desk->loop, &desk->terminals[i].timer);
    while (queue_get(&desk->queue) || queue_get(&desk->deliveries))
        ;
    desk->backlog_count = 0;
}
