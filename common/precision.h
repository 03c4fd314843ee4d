/* How well a window of seconds knows its NOPM. Pure. */
#ifndef ORDERMILL_COMMON_PRECISION_H
#define ORDERMILL_COMMON_PRECISION_H

#include "common/result.h"

/* Half of what Student's t at 95 % makes of the mean new-orders per second of the measured window,
 * as a share of it; a rule to end a window by, and no interval of the window that it has ended. It
 * is over the means of PRECISION_BATCHES batches, widened by what correlation these have left.
 * Negative where the window is too short (fewer seconds than batches) or nothing
 * committed. The first second of the window is left out: it may be shared with the ramp-up. */
#define PRECISION_BATCHES 20
double precision_of_seconds(const struct second *seconds, int count);

#endif
