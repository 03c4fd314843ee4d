/* How well a window of seconds knows its NOPM. Pure. */
#ifndef ORDERMILL_COMMON_PRECISION_H
#define ORDERMILL_COMMON_PRECISION_H

#include "common/result.h"

/* Half the 95 % interval of the mean new-orders per second of the measured window, as a share of
 * it: over the means of PRECISION_BATCHES batches, widened by what correlation these have left.
 * Negative where the window is too short (fewer seconds than batches) or nothing
 * committed. The first second of the window is left out: it may be shared with the ramp-up. */
#define PRECISION_BATCHES 20
double precision_of_seconds(const struct second *seconds, int count);

#endif
