/* A percentile of a histogram with its confidence limits. Pure.
 *
 * The limits are two of the recorded values (order statistics), so they hold whatever the
 * distribution is, and are widened to the ends of their buckets. They take the values as
 * independent; those of one run resemble their neighbours in time, so the limits say what the count
 * alone allows, and runs may differ by more. Percentiles of several runs come from the sum of their
 * histograms, never from a mean of percentiles. */
#ifndef ORDERMILL_COMMON_PERCENTILE_H
#define ORDERMILL_COMMON_PERCENTILE_H

#include "common/hist.h"

#define PERCENTILE_LEVEL   0.95
#define PERCENTILE_UNKNOWN (-1) /* too few values to bound it on that side */

struct percentile {
    int64_t value_us, low_us, high_us;
};
struct percentile percentile_of(const struct hist *hist, double fraction);

#endif
