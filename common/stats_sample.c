/* Owns the statistics of samples of runs, and of batches of one run. */
#include "common/stats_sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort_double.h>
#include <gsl/gsl_statistics_double.h>

#include "common/err.h"

#define RESAMPLES         4000
#define OUTLIER_LEVEL     0.01
#define CLUSTER_LEVEL     0.01
#define CLUSTER_TRIALS    2000
#define BATCHES_MIN       8
#define DETECTABLE_POINTS 2000

double
stats_cv(const double *values, size_t count)
{
    double mean = stats_mean(values, count);
    return mean > 0 ? stats_sd(values, count) / mean : 0;
}

/* Satterthwaite's degrees of freedom, from the squared standard errors of two means; but no more
 * than two samples of the smaller count have: how far a few values spread is a guess, and where it
 * comes out too small the greater count of the others would speak for both. */
static double
welch_freedom(double a_error2, double a_count, double b_error2, double b_count)
{
    double error2 = a_error2 + b_error2;
    double freedom = error2 * error2 /
                     (a_error2 * a_error2 / (a_count - 1) + b_error2 * b_error2 / (b_count - 1));

    return fmin(freedom, 2 * (fmin(a_count, b_count) - 1));
}

/* What an interval leaves to err: that the truth lies below, and above it. */
struct tails {
    double below, above;
};

static struct stats_interval
about(double centre, double error, double freedom, struct tails tails)
{
    return (struct stats_interval){.valid = true,
                                   .low = centre - gsl_cdf_tdist_Qinv(tails.below, freedom) * error,
                                   .high =
                                       centre + gsl_cdf_tdist_Qinv(tails.above, freedom) * error};
}

/* The interval about `centre`, from the squared standard errors of two independent means. */
static struct stats_interval
welch(double centre, double a_error2, size_t a_count, double b_error2, size_t b_count,
      struct tails tails)
{
    double error2 = a_error2 + b_error2;

    if (error2 <= 0)
        return (struct stats_interval){.valid = true, .low = centre, .high = centre};
    double freedom = welch_freedom(a_error2, (double)a_count, b_error2, (double)b_count);
    return about(centre, sqrt(error2), freedom, tails);
}

/* Of the mean, against it. */
static double
squared_error(const double *values, size_t count)
{
    double cv = stats_cv(values, count);
    return cv * cv / (double)count;
}

static struct stats_interval
ratio_interval(const double *a, size_t a_count, const double *b, size_t b_count, struct tails tails)
{
    double a_mean = stats_mean(a, a_count), b_mean = stats_mean(b, b_count);

    if (a_count < STATS_RATIO_MIN || b_count < STATS_RATIO_MIN || a_mean <= 0 || b_mean <= 0)
        return (struct stats_interval){0};
    struct stats_interval log_ratio = welch(log(a_mean / b_mean), squared_error(a, a_count),
                                            a_count, squared_error(b, b_count), b_count, tails);
    return (struct stats_interval){
        .valid = true, .low = exp(log_ratio.low), .high = exp(log_ratio.high)};
}

struct stats_interval
stats_ratio_interval(const double *a, size_t a_count, const double *b, size_t b_count, double level)
{
    double tail = (1 - level) / 2;

    return ratio_interval(a, a_count, b, b_count, (struct tails){tail, tail});
}

/* --- the highest of several ------------------------------------------------------------------- */

/* The squared standard error of a level's mean; that of one run from how the highest scatters. */
static double
level_error2(const struct stats_runs *level, const struct stats_runs *highest)
{
    double sd = stats_sd(level->count < 2 ? highest->values : level->values,
                         level->count < 2 ? highest->count : level->count);

    return sd * sd / (double)level->count;
}

static bool
is_parted(const struct stats_runs *level, const struct stats_runs *highest, double confidence)
{
    double difference =
        stats_mean(highest->values, highest->count) - stats_mean(level->values, level->count);
    double own = level_error2(highest, highest), other = level_error2(level, highest);
    double freedom = (double)highest->count - 1;

    if (highest->count < STATS_RATIO_MIN)
        return false;
    if (own + other <= 0)
        return difference > 0;
    if (level->count >= 2)
        freedom = welch_freedom(own, (double)highest->count, other, (double)level->count);
    return difference > stats_two_sided_t(confidence, freedom) * sqrt(own + other);
}

size_t
stats_rivals(const struct stats_runs *levels, size_t count, size_t highest, double level)
{
    size_t rivals = 1;

    must(highest < count);
    for (size_t i = 0; i < count; i++)
        if (i != highest && levels[i].count > 0 && !is_parted(&levels[i], &levels[highest], level))
            rivals++;
    return rivals;
}

struct stats_interval
stats_highest_interval(const double *values, size_t count, size_t rivals, double level)
{
    struct tails tails = {(1 - level) / (double)rivals, (1 - level) / 2};

    must(rivals > 0);
    if (rivals == 1)
        return stats_mean_interval(values, count, level);
    if (count < 2 || (count == 2 && rivals > STATS_RIVALS_OF_TWO))
        return (struct stats_interval){0};
    return about(stats_mean(values, count), stats_sd(values, count) / sqrt((double)count),
                 (double)count - 1, tails);
}

struct stats_interval
stats_highest_ratio_interval(const double *a, size_t a_count, size_t a_rivals, const double *b,
                             size_t b_count, size_t b_rivals, double level)
{
    double share = (double)a_rivals / (double)b_rivals, tail = (1 - level) / 2;
    struct tails tails = {tail * fmin(1, 2 / share), tail * fmin(1, 2 * share)};

    must(a_rivals > 0 && b_rivals > 0);
    return ratio_interval(a, a_count, b, b_count, tails);
}

static double
resampled_mean(struct rng *rng, const double *values, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += values[rng_range(rng, 0, (int64_t)count - 1)];
    return sum / (double)count;
}

struct stats_interval
stats_ratio_bootstrap(const double *a, size_t a_count, const double *b, size_t b_count,
                      double level, uint64_t seed)
{
    struct rng rng;

    if (a_count < STATS_BOOTSTRAP_MIN || b_count < STATS_BOOTSTRAP_MIN)
        return (struct stats_interval){0};
    double *ratios = must_calloc(RESAMPLES, sizeof *ratios);
    double a_error2 = squared_error(a, a_count), b_error2 = squared_error(b, b_count);
    rng_seed(&rng, seed, RNG_BOOTSTRAP, 0);
    /* Resampling takes the spread of a sample for that of the population, which is too small by
     * (n - 1) / n, and normal tails for Student's: so further percentiles are read. */
    double n = (double)(a_count < b_count ? a_count : b_count);
    double freedom = a_error2 + b_error2 > 0
                         ? welch_freedom(a_error2, (double)a_count, b_error2, (double)b_count)
                         : 2 * (n - 1);
    double tail = gsl_cdf_ugaussian_Q(stats_two_sided_t(level, freedom) * sqrt(n / (n - 1)));
    for (int i = 0; i < RESAMPLES; i++)
        ratios[i] = resampled_mean(&rng, a, a_count) / resampled_mean(&rng, b, b_count);
    gsl_sort(ratios, 1, RESAMPLES);
    struct stats_interval interval = {
        .valid = true,
        .low = gsl_stats_quantile_from_sorted_data(ratios, 1, RESAMPLES, tail),
        .high = gsl_stats_quantile_from_sorted_data(ratios, 1, RESAMPLES, 1 - tail),
    };
    free(ratios);
    return interval;
}

/* The digits of the index in that base, behind the point in reverse: of points 1, 2, ... in
 * several dimensions, each with a prime of its own, every part of space gets its share (Halton). */
static double
halton(unsigned index, unsigned base)
{
    double sum = 0, digit = 1;

    for (; index > 0; index /= base) {
        digit /= base;
        sum += index % base * digit;
    }
    return sum;
}

/* The variance of a sample whose place among all such samples is `place`, in units of the true
 * one. */
static double
variance_at(double place, double freedom)
{
    return isinf(freedom) ? 1 : gsl_cdf_chisq_Pinv(place, freedom) / freedom;
}

double
stats_detectable(double sd, double freedom, size_t a_count, size_t b_count, double level,
                 double power)
{
    double *needed = must_calloc(DETECTABLE_POINTS, sizeof *needed);
    double a = (double)a_count, b = (double)b_count, found = 0;

    /* How large the true difference must be for the interval of a pair of samples to lie beyond 0,
     * in units of an estimate of sd that was made before. */
    bool known = a_count >= STATS_RATIO_MIN && b_count >= STATS_RATIO_MIN;
    for (unsigned i = 0; known && i < DETECTABLE_POINTS; i++) {
        double a_error2 = variance_at(halton(i + 1, 2), a - 1) / a;
        double b_error2 = variance_at(halton(i + 1, 3), b - 1) / b;
        double t = stats_two_sided_t(level, welch_freedom(a_error2, a, b_error2, b));
        double chance = gsl_cdf_ugaussian_Pinv(halton(i + 1, 5)) * sqrt(1 / a + 1 / b);
        needed[i] =
            (t * sqrt(a_error2 + b_error2) + chance) / sqrt(variance_at(halton(i + 1, 7), freedom));
    }
    gsl_sort(needed, 1, DETECTABLE_POINTS);
    found = gsl_stats_quantile_from_sorted_data(needed, 1, DETECTABLE_POINTS, power);
    free(needed);
    return sd * found;
}

int
stats_outlier(const double *values, size_t count)
{
    double mean = stats_mean(values, count), sd = stats_sd(values, count), n = (double)count;
    size_t furthest = 0;

    if (count < 3 || sd <= 0)
        return -1;
    for (size_t i = 1; i < count; i++)
        if (fabs(values[i] - mean) > fabs(values[furthest] - mean))
            furthest = i;
    double t = gsl_cdf_tdist_Qinv(OUTLIER_LEVEL / (2 * n), n - 2);
    double limit = (n - 1) / sqrt(n) * sqrt(t * t / (n - 2 + t * t));
    return fabs(values[furthest] - mean) / sd > limit ? (int)furthest : -1;
}

/* The share of the sum of squares that lies between the two parts of the best split, and the size
 * of its lower part. `values` are sorted. */
static double
best_split(const double *values, size_t count, size_t *lower)
{
    double all = 0, part = 0, best = 0, squares = 0;

    double mean = stats_mean(values, count);
    for (size_t i = 0; i < count; i++)
        squares += (values[i] - mean) * (values[i] - mean);
    for (size_t i = 0; i < count; i++)
        all += values[i] - mean;
    for (size_t size = 1; size + 2 <= count; size++) {
        part += values[size - 1] - mean;
        if (size < 2)
            continue;
        double rest = (double)(count - size), low = part / (double)size, high = (all - part) / rest;
        double between = (double)size * rest / (double)count * (high - low) * (high - low);
        if (between > best) {
            best = between;
            *lower = size;
        }
    }
    return squares > 0 ? best / squares : 0;
}

/* How many of the best splits of normal samples of that size are at least as good. */
static int
splits_as_good(double share, size_t count)
{
    double sample[STATS_CLUSTERS_MAX];
    struct rng rng;
    int as_good = 0;
    size_t lower;

    rng_seed(&rng, count, RNG_BOOTSTRAP, 1);
    for (int i = 0; i < CLUSTER_TRIALS; i++) {
        for (size_t j = 0; j < count; j++)
            sample[j] = gsl_cdf_ugaussian_Pinv(rng_real(&rng) + 0x1p-54);
        gsl_sort(sample, 1, count);
        as_good += best_split(sample, count, &lower) >= share;
    }
    return as_good;
}

size_t
stats_two_clusters(const double *values, size_t count)
{
    double sorted[STATS_CLUSTERS_MAX];
    size_t lower = 0;

    if (count < 4 || count > STATS_CLUSTERS_MAX)
        return 0;
    memcpy(sorted, values, count * sizeof *sorted);
    gsl_sort(sorted, 1, count);
    double share = best_split(sorted, count, &lower);
    /* Nearly all normal samples have a split with over half of their squares between. */
    if (share < 0.5 || splits_as_good(share, count) > CLUSTER_LEVEL * CLUSTER_TRIALS)
        return 0;
    return lower;
}

struct stats_batches
stats_batch_means(const double *values, size_t count, int batches, double level)
{
    double means[STATS_BATCHES_MAX], n = batches;

    must(batches <= STATS_BATCHES_MAX);
    if (batches < BATCHES_MIN || count < (size_t)batches)
        return (struct stats_batches){0};
    struct stats_batches found = {
        .valid = true, .batches = batches, .size = count / (size_t)batches};
    values += count % (size_t)batches;
    for (int i = 0; i < batches; i++)
        means[i] = stats_mean(&values[(size_t)i * found.size], found.size);
    found.mean = stats_mean(means, (size_t)batches);
    found.lag1 = stats_lag1(means, (size_t)batches);
    /* What is left of a true r about the mean is r - (1 + 4 r) / n on average (Marriott, Pope). */
    double r = fmin(fmax((found.lag1 + 1 / n) / (1 - 4 / n), 0), 0.9);
    double half = stats_two_sided_t(level, n - 1) * stats_sd(means, (size_t)batches) / sqrt(n) *
                  sqrt((1 + r) / (1 - r));
    found.interval =
        (struct stats_interval){.valid = true, .low = found.mean - half, .high = found.mean + half};
    return found;
}
