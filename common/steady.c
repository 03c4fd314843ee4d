/* Owns the test for a trend. What follows from it is verdict.c's to say. */
#include "common/steady.h"

#include <math.h>

#include "common/stats.h"

/* The whole seconds of the window: its first and last may be shared with another phase. */
static int
window_seconds(const struct step *step, int *first)
{
    int count = 0;

    *first = 0;
    for (int i = 0; i < step->seconds_count; i++)
        if (step->seconds[i].phase == PHASE_MEASURE && count++ == 0)
            *first = i;
    *first += 1;
    return count > 2 ? count - 2 : 0;
}

/* Leading seconds that do not fill a batch are left out. */
static struct stats_line
batch_trend(const struct second *seconds, int count, double *mean)
{
    double at[STEADY_BATCHES], rate[STEADY_BATCHES];
    int size = count / STEADY_BATCHES;

    seconds += count % STEADY_BATCHES;
    for (int batch = 0; batch < STEADY_BATCHES; batch++) {
        at[batch] = batch;
        rate[batch] = 0;
        for (int i = batch * size; i < (batch + 1) * size; i++)
            rate[batch] += seconds[i].outcomes[TXN_NEW_ORDER][OUTCOME_COMMITTED];
        rate[batch] /= size;
    }
    *mean = stats_mean(rate, STEADY_BATCHES);
    return stats_line_fit(at, rate, STEADY_BATCHES, 0.95);
}

struct steady
steady_of_step(const struct step *step)
{
    int first;
    struct steady steady = {.seconds = window_seconds(step, &first)};
    double mean;

    if (steady.seconds < STEADY_SECONDS_MIN)
        return steady;
    struct stats_line trend = batch_trend(&step->seconds[first], steady.seconds, &mean);
    if (mean <= 0 || !trend.slope_interval.valid)
        return steady;
    double per_window = (double)steady.seconds / (steady.seconds / STEADY_BATCHES) / mean;
    steady.tested = true;
    steady.change = trend.slope * per_window;
    steady.change_low = trend.slope_interval.low * per_window;
    steady.change_high = trend.slope_interval.high * per_window;
    steady.drifts =
        fabs(steady.change) > STEADY_TREND_MAX && (steady.change_low > 0 || steady.change_high < 0);
    return steady;
}
