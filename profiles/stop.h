/* Which levels of a curve need not be measured any more. Pure and without memory: the same results
 * give the same answer, so a run that was broken off goes on as it would have. */
#ifndef ORDERMILL_PROFILES_STOP_H
#define ORDERMILL_PROFILES_STOP_H

#include "profiles/plan.h"

struct stop_result {
    int curve; /* index */
    int virtual_users;
    bool valid;       /* complete */
    bool over_limits; /* of response times */
    double nopm;
};

/* Why this step is to be left out, in the arena; NULL: it is to be measured. Only lower levels of
 * its own curve count, and of repeats their mean:
 *
 * stop@over-limits  most runs of one of them were over the limits
 * stop@below-peak   the highest of them had less than that share of the best of them */
const char *stop_reason(const struct settings *settings, const struct stop_result *results,
                        int count, const struct plan_step *step, struct arena *arena);

#endif
