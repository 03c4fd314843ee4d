/* Owns the way from ranks to microseconds. */
#include "common/percentile.h"

#include "common/stats.h"

struct percentile
percentile_of(const struct hist *hist, double fraction)
{
    struct percentile found = {.value_us = hist_percentile_us(hist, fraction),
                               .low_us = PERCENTILE_UNKNOWN,
                               .high_us = PERCENTILE_UNKNOWN};
    struct stats_ranks ranks = stats_quantile_ranks(hist->count, fraction, PERCENTILE_LEVEL);
    int64_t other;

    if (ranks.low > 0)
        hist_rank_us(hist, ranks.low, &found.low_us, &other);
    if (ranks.high > 0)
        hist_rank_us(hist, ranks.high, &other, &found.high_us);
    return found;
}
