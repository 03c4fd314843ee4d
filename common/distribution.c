/* Owns how a histogram of many fine buckets becomes one of few wide ones. */
#include "common/distribution.h"

#include <math.h>

#define SPAN 4 /* times the percentile or the mean */

static struct distribution
distribute(const struct hist *hist, double unit_us)
{
    struct distribution all = {0};

    if (hist->count == 0)
        return all;
    all.interval_us = (int64_t)ceil(SPAN * unit_us / DISTRIBUTION_INTERVALS);
    all.interval_us += all.interval_us == 0; /* everything took less than 1 us */
    for (int i = 0; i < HIST_BUCKETS; i++) {
        if (hist->buckets[i] == 0)
            continue;
        int64_t middle_us = (hist_bucket_low_us(i) + hist_bucket_end_us(i) - 1) / 2;
        int64_t at = middle_us / all.interval_us;
        if (at < DISTRIBUTION_INTERVALS)
            all.counts[at] += hist->buckets[i];
        else
            all.beyond += hist->buckets[i];
    }
    return all;
}

struct distribution
distribution_of_response(const struct hist *response)
{
    return distribute(response, (double)hist_percentile_us(response, 0.9));
}

struct distribution
distribution_of_think(const struct hist *think)
{
    return distribute(think, hist_mean_us(think));
}
