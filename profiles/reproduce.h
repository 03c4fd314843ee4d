/* Whether a run that was made again gave what the first one gave: level by level, the ratio of the
 * mean NOPM with its interval. Pure.
 *
 * "Reproduced" is said only where at every level the interval holds 1 and is narrow enough to mean
 * something. All else is "not shown": few runs do not show that two systems are the same. */
#ifndef ORDERMILL_PROFILES_REPRODUCE_H
#define ORDERMILL_PROFILES_REPRODUCE_H

#include "common/result.h"
#include "common/stats.h"

#define REPRODUCE_LEVEL 0.95
#define REPRODUCE_WIDTH 0.10 /* an interval has to lie within 1 - this and 1 / (1 - this) */

enum reproduced {
    REPRODUCED,
    REPRODUCE_DIFFERS, /* the interval lies beside 1 */
    REPRODUCE_WIDE,    /* it holds 1, and much else */
    REPRODUCE_FEW,     /* fewer than three runs on a side, so no interval */
    REPRODUCE_MISSING, /* the level is in one of the two only */
};

struct reproduce_level {
    const char *curve; /* its name; "" where there is one only */
    int curve_number, virtual_users;
    const char *unit; /* what `then` and `now` are: "NOPM", or "TPM" without new-orders */
    double then, now; /* means; 0: none */
    int then_runs, now_runs;
    double ratio; /* now over then; 0: none */
    struct stats_interval interval;
    enum reproduced verdict;
};

struct reproduction {
    struct reproduce_level *levels; /* by curve and virtual users */
    int count;
    bool reproduced; /* all of them, and there is one */
};

/* Steps that are not complete do not count. All in memory of the arena. */
void reproduce_compare(struct reproduction *reproduction, const struct run *then,
                       const struct run *now, struct arena *arena);
/* Appends a table and the verdict; `folder` is that of the run made again. */
void reproduce_text(const struct reproduction *reproduction, const char *folder, struct buf *out);

#endif
