/* Whether throughput held still over a window. Pure.
 *
 * Neighbouring seconds resemble each other, so they are no independent values; the means of batches
 * hardly do. A straight line through the batch means tells drift, a late warm-up and a step alike.
 */
#ifndef ORDERMILL_COMMON_STEADY_H
#define ORDERMILL_COMMON_STEADY_H

#include "common/result.h"

#define STEADY_BATCHES     10
#define STEADY_SECONDS_MIN 30
#define STEADY_TREND_MAX   0.10 /* change over the window against its mean */

struct steady {
    int seconds; /* whole ones inside the window */
    bool tested; /* enough of them, and some throughput */
    /* Of new-orders per second: change over the window against its mean, with its 95 % interval. */
    double change, change_low, change_high;
    bool drifts; /* the change is over STEADY_TREND_MAX, and the interval excludes zero */
};

struct steady steady_of_step(const struct step *step);

#endif
