/* Statistics of samples and of shares. Everything statistical comes from GSL, whose headers stand
 * in stats.c and its siblings stats_*.c alone. Pure. */
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

#endif
