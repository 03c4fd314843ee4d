/* Owns the tests for drift and the cut of the warm-up. How they are worded is verdict.c's. */
#include "common/steady.h"

#include <math.h>
#include <stdlib.h>

#include "common/err.h"

#define MSER_BATCH       5
#define MSER_SECONDS_MIN 20
#define LATE_SIGMAS      4 /* the cut is where chance is at its worst, so it must be far beyond */

const char *const steady_names[] = {"TOO SHORT", "STEADY", "DRIFTING"};

int
steady_mser5(const double *rates, int count)
{
    int batches = count / MSER_BATCH, best = -1, left = 0;
    double sum = 0, squares = 0, least = INFINITY, origin = 0;

    if (count < MSER_SECONDS_MIN)
        return -1;
    for (int i = 0; i < batches * MSER_BATCH; i++)
        origin += rates[i] / (batches * MSER_BATCH); /* keeps the sums of squares exact */
    for (int batch = batches - 1; batch >= 0; batch--) {
        double mean = stats_mean(&rates[batch * MSER_BATCH], MSER_BATCH) - origin;
        sum += mean;
        squares += mean * mean;
        left++;
        double spread = fmax(0, squares - sum * sum / left) / ((double)left * left);
        /* A tail of a few batches is flat by chance. Of equals the earliest. */
        if (left >= MSER_BATCH && spread <= least * (1 + 1e-12)) {
            least = spread;
            best = batch;
        }
    }
    return best >= 0 && best <= batches / 2 ? best * MSER_BATCH : -1;
}

/* Means of equal batches; leading seconds that do not fill one are left out. */
static int
make_batches(const double *rates, int count, double means[STEADY_BATCHES])
{
    int batches = count >= 2 * STEADY_SECONDS_MIN ? STEADY_BATCHES : STEADY_BATCHES / 2;
    int size = count / batches;

    rates += count % batches;
    for (int i = 0; i < batches; i++)
        means[i] = stats_mean(&rates[i * size], (size_t)size);
    return batches;
}

static struct stats_interval
scaled(struct stats_interval interval, double factor)
{
    return (struct stats_interval){
        .valid = interval.valid, .low = interval.low * factor, .high = interval.high * factor};
}

static void
test_changes(struct steady *steady, const double *window)
{
    double means[STEADY_BATCHES], at[STEADY_BATCHES], half[STEADY_BATCHES];
    int batches = make_batches(window, steady->seconds, means);
    int size = steady->seconds / batches;
    double mean = stats_mean(means, (size_t)batches);

    if (mean <= 0)
        return;
    for (int i = 0; i < batches; i++) {
        at[i] = (double)(i * size) / steady->seconds; /* so that a slope is a change per window */
        half[i] = i >= batches / 2;
    }
    struct stats_line trend = stats_line_fit_series(at, means, (size_t)batches, STEADY_LEVEL);
    struct stats_line halves = stats_line_fit_series(half, means, (size_t)batches, STEADY_LEVEL);
    steady->tested = true;
    steady->trend = trend.slope / mean;
    steady->trend_interval = scaled(trend.slope_interval, 1 / mean);
    steady->halves = halves.slope / mean;
    steady->halves_interval = scaled(halves.slope_interval, 1 / mean);
    steady->lag1 = trend.lag1;
    steady->batches = stats_batch_means(window, (size_t)steady->seconds, batches, 0.95);
}

/* What the part of the window before the cut did to its mean, where that is beyond chance. */
static void
test_warm_up(struct steady *steady, const double *window)
{
    int cut = steady->warm_up_s - steady->ramp_up_s;
    double means[STEADY_BATCHES];

    if (cut <= 0 || steady->seconds - cut < STEADY_SECONDS_MIN)
        return;
    int rest = steady->seconds - cut;
    int batches = make_batches(window + cut, rest, means);
    double early = stats_mean(window, (size_t)cut);
    double settled = stats_mean(means, (size_t)batches);
    double whole = stats_mean(window, (size_t)steady->seconds);
    double lag1 = fmin(fmax(stats_lag1(means, (size_t)batches), 0), 0.9);
    double batches_cut = (double)cut * batches / rest;
    double error = stats_sd(means, (size_t)batches) *
                   sqrt((1 / batches_cut + 1.0 / batches) * (1 + lag1) / (1 - lag1));
    double effect = settled > 0 ? whole / settled - 1 : 0;
    if (fabs(effect) > STEADY_LATE_EFFECT && fabs(early - settled) > LATE_SIGMAS * error) {
        steady->late = true;
        steady->late_effect = effect;
    }
}

static bool
is_beyond(double change, struct stats_interval interval, double limit)
{
    return fabs(change) > limit && (interval.low > 0 || interval.high < 0);
}

static enum steady_state
conclude(const struct steady *steady)
{
    const struct stats_interval *trend = &steady->trend_interval;

    if (!steady->tested)
        return STEADY_TOO_SHORT;
    if (steady->late || is_beyond(steady->trend, *trend, STEADY_TREND_MAX) ||
        is_beyond(steady->halves, steady->halves_interval, STEADY_HALVES_MAX))
        return STEADY_DRIFTING;
    if (!steady->cycle_covered)
        return STEADY_TOO_SHORT;
    return trend->low > -STEADY_CHANGE_SEEN && trend->high < STEADY_CHANGE_SEEN ? STEADY_STEADY
                                                                                : STEADY_TOO_SHORT;
}

struct steady
steady_of_series(const double *rates, int count, int window_first, const struct steady_facts *facts)
{
    struct steady steady = {.seconds = count - window_first,
                            .ramp_up_s = window_first,
                            .warm_up_s = steady_mser5(rates, count),
                            .facts = *facts};

    must(window_first >= 0 && window_first <= count);
    /* Two seconds of the window may have been shared with the phases beside it. */
    steady.cycle_covered = facts->checkpoints >= 0
                               ? facts->checkpoints > 0
                               : steady.seconds + 2 >= facts->checkpoint_cycle_s;
    if (steady.seconds >= STEADY_SECONDS_MIN) {
        test_changes(&steady, rates + window_first);
        if (steady.tested)
            test_warm_up(&steady, rates + window_first);
    }
    steady.state = conclude(&steady);
    bool known = steady.tested && steady.seconds >= STEADY_INTERVALS_SECONDS_MIN;
    steady.trend_interval.valid = known;
    steady.halves_interval.valid = known;
    steady.batches.interval.valid = known;
    return steady;
}

/* New-orders; where the mix has none, all that committed. */
static double
committed(const struct step *step, const struct second *second)
{
    double sum = 0;

    if (step_has_nopm(step))
        return second->outcomes[TXN_NEW_ORDER][OUTCOME_COMMITTED];
    for (int type = 0; type < TXN_TYPES; type++)
        sum += second->outcomes[type][OUTCOME_COMMITTED];
    return sum;
}

struct steady
steady_of_step(const struct step *step, const struct steady_facts *facts)
{
    double *rates = must_calloc((size_t)step->seconds_count + 1, sizeof *rates);
    int count = 0, window_first = -1, measured = 0, ramp_up_s = 0;

    for (int i = 0; i < step->seconds_count; i++) {
        const struct second *second = &step->seconds[i];
        bool in_window = second->phase == PHASE_MEASURE;
        if (second->at_s < 0 || (second->phase != PHASE_RAMP_UP && !in_window))
            continue;
        /* The first second of the window may be shared with the ramp-up. */
        if (in_window && measured++ == 1)
            window_first = count;
        ramp_up_s += !in_window;
        rates[count++] = committed(step, second);
    }
    /* And its last one with what follows. */
    count -= measured > 0;
    if (window_first < 0 || window_first > count)
        window_first = count;
    struct steady steady = steady_of_series(rates, count, window_first, facts);
    steady.ramp_up_s = ramp_up_s; /* without the second that it shares with the window */
    if (step->precision > 0)
        steady.batches.interval.valid = false;
    free(rates);
    return steady;
}
