/* What is seen beside the load: a thread of its own, with a session of its own, looks at the two
 * hosts and at the server while a level runs. It waits for nobody and nobody waits for it; its own
 * cost is one of its metrics. What cannot be had is said to be missing, and never ends a level. */
#ifndef ORDERMILL_DRIVER_SAMPLER_H
#define ORDERMILL_DRIVER_SAMPLER_H

#include "common/pg.h"
#include "common/result.h"

struct sampler;

struct sampler_rules {
    const struct pg_target *target; /* must outlive the sampler, as the schema */
    const char *schema;
    int64_t interval_us; /* of its looks; wait events ten times as often, tables a tenth as often */
    bool prepares;       /* statements may stay with the session */
};

/* Starts looking. NULL where a thread cannot be had. */
struct sampler *sampler_start(const struct sampler_rules *rules, struct err *err);
/* The measured window begins, or ends: from any thread, without waiting. */
void sampler_window(struct sampler *sampler, bool open);

/* What the sampler itself has used up, to be taken off the driver's account. */
struct sampler_cost {
    int64_t user_us, system_us;
    int64_t wait_us; /* able to run, but without a processor; -1: not known */
};
struct sampler_cost sampler_cost(const struct sampler *sampler);

/* Ends the thread, with a last look at the end of the window for which there is so much patience,
 * and gives what it saw. Points count from origin_us. NULL sampler: nothing. */
void sampler_stop(struct sampler *sampler, int64_t patience_us, struct arena *arena,
                  int64_t origin_us, struct step *step);

#endif
