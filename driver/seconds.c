/* Owns the growing array of rows. Does not know when a row ends. */
#include "driver/seconds.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 256

static struct second *
new_row(struct seconds *seconds)
{
    if (seconds->count == seconds->capacity) {
        seconds->capacity = seconds->capacity > 0 ? seconds->capacity * 2 : FIRST_CAPACITY;
        seconds->rows =
            must_realloc(seconds->rows, (size_t)seconds->capacity * sizeof *seconds->rows);
    }
    return &seconds->rows[seconds->count++];
}

struct second *
seconds_add(struct seconds *seconds, enum phase phase, int32_t at_s, const struct meter_half *half)
{
    struct second *row = new_row(seconds);

    *row = (struct second){.phase = phase,
                           .at_s = at_s,
                           .virtual_users = (uint32_t)half->virtual_users,
                           .in_flight = (uint32_t)half->in_flight,
                           .waiting = (uint32_t)half->waiting};
    for (int type = 0; type < TXN_TYPES; type++) {
        for (int i = 0; i < OUTCOMES; i++)
            row->outcomes[type][i] = (uint32_t)half->transactions[type].outcomes[i];
        row->retries += (uint32_t)half->transactions[type].retries;
    }
    row->new_order_p95_us = hist_percentile_us(&half->transactions[TXN_NEW_ORDER].response, 0.95);
    return row;
}

void
seconds_set_origin(struct seconds *seconds)
{
    for (int i = 0; i < seconds->count; i++)
        seconds->rows[i].at_s = i - seconds->count;
}

struct second *
seconds_keep(struct seconds *seconds, struct arena *arena, int *count)
{
    size_t size = (size_t)seconds->count * sizeof *seconds->rows;
    struct second *kept = arena_alloc(arena, size);

    if (size > 0)
        memcpy(kept, seconds->rows, size);
    *count = seconds->count;
    free(seconds->rows);
    *seconds = (struct seconds){0};
    return kept;
}
