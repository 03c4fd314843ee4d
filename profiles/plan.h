/* From settings to the list of steps and the time they take. Pure. */
#ifndef ORDERMILL_PROFILES_PLAN_H
#define ORDERMILL_PROFILES_PLAN_H

#include "common/buf.h"
#include "common/settings.h"

struct plan_step {
    int number; /* from 1, in the order in which they run */
    int virtual_users;
    int repeat; /* from 1 */
};

struct plan {
    struct plan_step *steps; /* in the arena given to plan_make */
    int count;
    int64_t ramp_up_us, measure_us; /* of each step */
    int64_t step_us;  /* of each step, with an allowance for connecting, draining, verifying */
    int64_t total_us; /* of all steps; building, checking and reporting come on top */
};

/* ascending: level after level, each with its repeats; interleaved: the whole ladder once per
 * repeat; random: shuffled, the same for the same seed. */
void plan_make(struct plan *plan, struct arena *arena, const struct settings *settings);

/* The seed of the inputs of one step: seed + 1000 virtual users + repeat - 1, so that neither the
 * order of the steps nor the other levels decide it, and no two steps of a ladder draw the same
 * inputs. (If they did, their mix could not be judged together: a sample would count twice.) */
uint64_t plan_seed(int virtual_users, int repeat, uint64_t seed);

/* Appends the plan for people, or as {"profile","steps":[{...}],"ramp_up_s","measure_s","total_s"}.
 */
void plan_text(const struct plan *plan, const char *name, struct buf *out);
void plan_json(const struct plan *plan, const char *name, struct buf *out);

#endif
