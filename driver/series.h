/* From readings of counters and states to metrics: differences, means of the measured window,
 * points to draw. Pure: the caller says what time it is, and when the window begins and ends.
 *
 * A reading is fed under its key as often as it is taken, in whatever order; what is fed in the
 * same order each time is found at once. A counter that falls, or whose epoch changes, began anew:
 * it then counts from zero. */
#ifndef ORDERMILL_DRIVER_SERIES_H
#define ORDERMILL_DRIVER_SERIES_H

#include "common/arena.h"
#include "common/metric.h"

struct series_set;

struct series_key {
    enum metric_source source;
    const char *name, *instance, *unit; /* copied */
    enum metric_kind kind;
    double scale; /* levels and rates: of the reading, in `unit`; shares: of the quotient */
};

struct series_reading {
    double top;       /* the level, or the counter */
    double bottom;    /* of a share: the counter below */
    int64_t epoch;    /* another one: the counter was reset meanwhile */
    int64_t since_us; /* of a counter seen for the first time: it was zero then; 0: not known */
};

/* What passes in less than least_us counts in the sums, but says too little for a smallest or
 * greatest value or for a point of its own. */
struct series_set *series_new(int64_t least_us);
void series_free(struct series_set *set); /* NULL is fine */

void series_feed(struct series_set *set, const struct series_key *key, int64_t at_us,
                 const struct series_reading *reading);
/* Why this metric cannot be had; counts only while nothing is fed under its key. */
void series_missing(struct series_set *set, const struct series_key *key, const char *reason);

/* The window begins or ends with what was fed last. */
void series_window(struct series_set *set, bool open, int64_t at_us);

/* All metrics in the order of their first feeding, those without figures last. Points count from
 * origin_us. Texts and points live in the arena. */
struct metric *series_take(const struct series_set *set, struct arena *arena, int64_t origin_us,
                           int *count);

#endif
