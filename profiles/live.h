/* What a person sees while a profile runs: on a terminal one line that is redrawn, on anything else
 * one line per phase; one line of result per step on both. Knows nothing of how steps are run. */
#ifndef ORDERMILL_PROFILES_LIVE_H
#define ORDERMILL_PROFILES_LIVE_H

#include "driver/driver.h"
#include "profiles/plan.h"

struct live_level {
    int virtual_users;
    int steps;
    double nopm_sum;
};

struct live {
    const struct plan *plan;
    const struct plan_step *step;
    enum phase phase;                            /* last one spoken of */
    int64_t step_begun_us;                       /* monotonic */
    struct live_level levels[SETTINGS_LIST_MAX]; /* of this curve, since it began; ascending */
    int levels_count;
};

void live_init(struct live *live, const struct plan *plan);
void live_step_begin(struct live *live, const struct plan_step *step, int64_t now_us);
/* A driver_progress_fn; the context is the struct live. */
void live_show(void *context, const struct driver_progress *progress);
/* A step that an earlier process measured. */
void live_step_known(struct live *live, const struct step *step);
void live_step_end(struct live *live, const struct step *step);

/* The time left when the current step has run for so long: never negative. Pure. */
int64_t live_left_us(const struct live *live, int64_t in_step_us);
/* Appends "1: 10,200  2: 19,800": the mean NOPM of each level measured so far. Pure. */
void live_levels(const struct live *live, struct buf *out);

#endif
