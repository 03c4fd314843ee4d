/* Owns samples and shares. Nothing here knows what the numbers mean. */
#include "common/stats.h"

#include <math.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_statistics_double.h>

#include "common/err.h"

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
