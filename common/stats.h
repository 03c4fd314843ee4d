/* Statistics, all of them from GSL. Pure. */
#ifndef ORDERMILL_COMMON_STATS_H
#define ORDERMILL_COMMON_STATS_H

#include <stdbool.h>
#include <stddef.h>

struct stats_interval {
    bool valid; /* false: too few values; low and high are then meaningless */
    double low, high;
};

double stats_mean(const double *values, size_t count);
double stats_sd(const double *values, size_t count); /* sample standard deviation; 0 below two */
/* Student-t interval of the mean at `level` (0.95); needs two values. */
struct stats_interval stats_mean_interval(const double *values, size_t count, double level);
/* Upper tail of chi-square: the p-value of a statistic. */
double stats_chi_square_p(double statistic, double degrees_of_freedom);
/* Two-sided interval of a share of `hits` in `trials` (Clopper-Pearson, exact). */
struct stats_interval stats_share_interval(double hits, double trials, double level);

/* The straight line of least squares through `count` points; an invalid interval when there are
 * fewer than three, or all at one x. */
struct stats_line {
    double intercept, slope;
    struct stats_interval slope_interval;
};
struct stats_line stats_line_fit(const double *x, const double *y, size_t count, double level);

/* What a claimed peak needs. */
#define STATS_USL_LOADS_MIN    5
#define STATS_USL_RESIDUAL_MAX 0.05 /* root mean square of the relative residuals */
#define STATS_USL_REACH_MAX    2.0  /* n_star against the largest measured load */

/* The Universal Scalability Law X(N) = lambda N / (1 + sigma (N-1) + kappa N (N-1)), three
 * parameters, weighted least squares, sigma and kappa not negative (Gunther). */
struct stats_usl {
    bool fitted;  /* there were points enough to fit */
    bool claimed; /* a peak may be claimed */
    double lambda, sigma, kappa;
    double lambda_se, sigma_se, kappa_se;
    double n_star;      /* sqrt((1-sigma)/kappa), 0 where there is none; a peak only when claimed */
    const char *reason; /* why no peak is claimed, or "" */
};
/* loads, throughputs: `count` points; weights may be NULL (all 1). */
struct stats_usl stats_usl_fit(const double *loads, const double *throughputs,
                               const double *weights, size_t count);
double stats_usl_value(const struct stats_usl *fit, double load);

#endif
