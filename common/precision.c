/* Which seconds count. The interval is that of stats_batch_means. */
#include "common/precision.h"

#include "common/stats_sample.h"

double
precision_of_seconds(const struct second *seconds, int count)
{
    struct arena arena = {0};
    double *rates = arena_array(&arena, (size_t)count + 1, sizeof *rates);
    size_t used = 0;
    bool first = true;

    for (int i = 0; i < count; i++) {
        if (seconds[i].phase != PHASE_MEASURE)
            continue;
        if (!first)
            rates[used++] = seconds[i].outcomes[TXN_NEW_ORDER][OUTCOME_COMMITTED];
        first = false;
    }
    struct stats_batches batches = {0};
    if (used >= PRECISION_BATCHES)
        batches = stats_batch_means(rates, used, PRECISION_BATCHES, 0.95);
    arena_free(&arena);
    if (!batches.valid || batches.mean <= 0)
        return -1;
    return (batches.interval.high - batches.interval.low) / 2 / batches.mean;
}
