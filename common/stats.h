/* Statistics of samples and of shares. Everything statistical comes from GSL, whose headers stand
 * in stats.c and its siblings stats_*.c alone. Pure. */
#ifndef ORDERMILL_COMMON_STATS_H
#define ORDERMILL_COMMON_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stats_interval {
    bool valid; /* false: too few values; low and high are then meaningless */
    double low, high;
};

double stats_mean(const double *values, size_t count);
double stats_sd(const double *values, size_t count); /* sample standard deviation; 0 below two */
/* Correlation of each value with the next; 0 where all are equal. */
double stats_lag1(const double *values, size_t count);
/* Student's t that leaves (1 - level) / 2 on either side. */
double stats_two_sided_t(double level, double degrees_of_freedom);
/* Student-t interval of the mean at `level` (0.95); needs two values. */
struct stats_interval stats_mean_interval(const double *values, size_t count, double level);
/* Upper tail of chi-square: the p-value of a statistic. */
double stats_chi_square_p(double statistic, double degrees_of_freedom);
/* Two-sided interval of a share of `hits` in `trials` (Clopper-Pearson, exact). */
struct stats_interval stats_share_interval(double hits, double trials, double level);

/* Pearson's statistic of counts against expected ones, and its p-value at classes - 1 degrees of
 * freedom. Classes that are expected to be empty must be, and are left out; where any other is
 * expected to hold under five, or fewer than two are left, the test does not hold: valid is false.
 */
struct stats_chi_square {
    bool valid;
    double statistic, freedom, p;
};
struct stats_chi_square stats_chi_square(const double *counts, const double *expected,
                                         size_t classes);

/* The ranks, from 1, of two of `count` independent values that enclose the quantile `fraction` of
 * what they were drawn from with a probability of at least `level`, whatever its distribution
 * (David and Nagaraja, Order Statistics). 0: no value bounds it on that side. */
struct stats_ranks {
    uint64_t low, high;
};
struct stats_ranks stats_quantile_ranks(uint64_t count, double fraction, double level);

#endif
