/* What a person sees while a profile runs: on a terminal one screen that is redrawn in place, on
 * anything else one line per phase; one line of result per step on both. Knows nothing of how steps
 * are run. */
#ifndef ORDERMILL_PROFILES_LIVE_H
#define ORDERMILL_PROFILES_LIVE_H

#include "driver/driver.h"
#include "profiles/plan.h"
#include "profiles/screen.h"

#define LIVE_LEVELS_MAX SETTINGS_LIST_MAX

struct live_level {
    int curve; /* index */
    int virtual_users;
    int steps;
    double rate_sum; /* NOPM, or TPM where the mix has no new-order */
};

struct live {
    const struct plan *plan;
    const struct plan_step *step;
    enum phase phase;                          /* last one spoken of */
    int64_t step_begun_us;                     /* monotonic */
    struct live_level levels[LIVE_LEVELS_MAX]; /* by curve and virtual users, ascending */
    int levels_count;
    const char *name;                /* of the profile */
    int64_t begun_us;                /* when this process began with the steps; 0: not yet */
    char last[SCREEN_LAST_MAX][160]; /* what the last steps gave, the latest first */
    int last_count;
};

/* The name is not copied. */
void live_init(struct live *live, const struct plan *plan, const char *name);
void live_step_begin(struct live *live, const struct plan_step *step, int64_t now_us);
/* A driver_progress_fn; the context is the struct live. */
void live_show(void *context, const struct driver_progress *progress);
/* A step that an earlier process measured. The screen shows the levels of its own step's curve. */
void live_step_known(struct live *live, const struct step *step);
void live_step_end(struct live *live, const struct step *step);

/* The time left when the current step has run for so long: never negative. Pure. */
int64_t live_left_us(const struct live *live, int64_t in_step_us);
/* Appends what the screen shows. Pure. */
void live_render(const struct live *live, const struct driver_progress *progress, int64_t now_us,
                 int width, int height, struct buf *out);

#endif
