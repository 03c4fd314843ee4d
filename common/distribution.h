/* How often a duration fell into each of equally wide intervals from zero on: what the standard
 * wants drawn of response times (5.6.1) and of think times (5.6.3). Pure. */
#ifndef ORDERMILL_COMMON_DISTRIBUTION_H
#define ORDERMILL_COMMON_DISTRIBUTION_H

#include "common/hist.h"

#define DISTRIBUTION_INTERVALS 40 /* the standard wants at least 20 */

struct distribution {
    int64_t interval_us;                     /* the width of each; 0: nothing was recorded */
    uint64_t counts[DISTRIBUTION_INTERVALS]; /* of values from i to below i + 1 intervals */
    uint64_t beyond;                         /* past the last */
};

/* Over four times the 90th percentile. A bucket of the histogram counts where its middle lies, so a
 * value next to an edge may be counted on its other side: the error of the histogram. */
struct distribution distribution_of_response(const struct hist *response);
/* Over four times the mean. */
struct distribution distribution_of_think(const struct hist *think);

#endif
