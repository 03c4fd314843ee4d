/* Owns samples and shares. Nothing here knows what the numbers mean. */
#include "common/stats.h"

#include <math.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_statistics_double.h>

#include "common/err.h"

#define CHI_SQUARE_EXPECTED_MIN 5
#define BINOMIAL_VARIANCE_MAX   1e5

double
stats_mean(const double *values, size_t count)
{
    return count ? gsl_stats_mean(values, 1, count) : 0;
}

double
stats_sd(const double *values, size_t count)
{
    return count < 2 ? 0 : gsl_stats_sd(values, 1, count);
}

double
stats_two_sided_t(double level, double degrees_of_freedom)
{
    must(level > 0 && level < 1);
    return gsl_cdf_tdist_Pinv(0.5 + level / 2, degrees_of_freedom);
}

double
stats_lag1(const double *values, size_t count)
{
    /* GSL divides by the sum of squares. */
    return stats_sd(values, count) > 0 ? gsl_stats_lag1_autocorrelation(values, 1, count) : 0;
}

struct stats_interval
stats_mean_interval(const double *values, size_t count, double level)
{
    if (count < 2)
        return (struct stats_interval){0};
    double mean = stats_mean(values, count);
    double half =
        stats_two_sided_t(level, (double)count - 1) * stats_sd(values, count) / sqrt(count);
    return (struct stats_interval){.valid = true, .low = mean - half, .high = mean + half};
}

double
stats_chi_square_p(double statistic, double degrees_of_freedom)
{
    must(degrees_of_freedom > 0);
    return gsl_cdf_chisq_Q(statistic, degrees_of_freedom);
}

/* The x at which the distribution function of Beta(a, b) reaches a small `p`, by bisection: GSL's
 * own inverse gives up on large parameters, and its function does so in the middle, with a NaN. */
static double
beta_quantile(double p, double a, double b)
{
    double low = 0, high = 1;

    for (int i = 0; i < 100; i++) {
        double x = (low + high) / 2;
        double reached = gsl_cdf_beta_P(x, a, b);
        bool beyond = isnan(reached) || reached > p;
        if (beyond)
            high = x;
        else
            low = x;
    }
    return (low + high) / 2;
}

struct stats_interval
stats_share_interval(double hits, double trials, double level)
{
    if (trials < 1 || hits < 0 || hits > trials)
        return (struct stats_interval){0};
    must(level > 0 && level < 1);
    gsl_set_error_handler_off();
    double tail = (1 - level) / 2;
    double misses = trials - hits;
    return (struct stats_interval){
        .valid = true,
        .low = hits > 0 ? beta_quantile(tail, hits, misses + 1) : 0,
        .high = misses > 0 ? 1 - beta_quantile(tail, misses, hits + 1) : 1,
    };
}

struct stats_chi_square
stats_chi_square(const double *counts, const double *expected, size_t classes)
{
    struct stats_chi_square found = {.valid = true, .freedom = -1};

    for (size_t i = 0; i < classes; i++) {
        if (expected[i] <= 0 && counts[i] <= 0)
            continue;
        if (expected[i] < CHI_SQUARE_EXPECTED_MIN)
            return (struct stats_chi_square){0};
        double off = counts[i] - expected[i];
        found.statistic += off * off / expected[i];
        found.freedom++;
    }
    if (found.freedom < 1)
        return (struct stats_chi_square){0};
    found.p = stats_chi_square_p(found.statistic, found.freedom);
    return found;
}

/* The least k for which at most k of `count` values lie below the quantile with probability `p`.
 * GSL's distribution function turns into a NaN in the middle of very large ones; those are normal
 * to within a rank. */
static double
binomial_quantile(double count, double fraction, double p)
{
    double variance = count * fraction * (1 - fraction);
    double low = -1, high = count;

    if (variance > BINOMIAL_VARIANCE_MAX)
        return ceil(count * fraction + gsl_cdf_ugaussian_Pinv(p) * sqrt(variance) - 0.5);
    while (high - low > 1) {
        double middle = floor((low + high) / 2);
        if (gsl_cdf_binomial_P((unsigned)middle, fraction, (unsigned)count) >= p)
            high = middle;
        else
            low = middle;
    }
    return high;
}

struct stats_ranks
stats_quantile_ranks(uint64_t count, double fraction, double level)
{
    struct stats_ranks ranks = {0};
    double n = (double)count, tail = (1 - level) / 2;

    must(fraction > 0 && fraction < 1 && level > 0 && level < 1);
    bool exact = n * fraction * (1 - fraction) <= BINOMIAL_VARIANCE_MAX;
    if (count == 0 || (exact && count > UINT32_MAX))
        return ranks;
    /* At most low - 1 below has probability of at most `tail`; at most high - 1, of 1 - tail. */
    ranks.low = (uint64_t)binomial_quantile(n, fraction, tail);
    double high = binomial_quantile(n, fraction, 1 - tail) + 1;
    ranks.high = high > n ? 0 : (uint64_t)high;
    return ranks;
}
