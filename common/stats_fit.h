/* Straight lines through points, with the interval of the slope. Pure. */
#ifndef ORDERMILL_COMMON_STATS_FIT_H
#define ORDERMILL_COMMON_STATS_FIT_H

#include "common/stats.h"

/* The straight line of least squares through `count` points; an invalid interval when there are
 * fewer than three, or all at one x. */
struct stats_line {
    double intercept, slope;
    double intercept_se, slope_se;
    double covariance; /* of the two */
    struct stats_interval slope_interval;
    double freedom;     /* count - 2 */
    double residual_sd; /* of a point of weight 1 */
    double explained;   /* R squared: share of the weighted squares about the mean, 0 to 1 */
    double lag1;        /* correlation of neighbouring residuals; by stats_line_fit_series alone */
};
struct stats_line stats_line_fit(const double *x, const double *y, size_t count, double level);

/* The same through points that follow each other in time, whose errors may resemble their
 * neighbours: the error of the slope is widened by sqrt((1 + r) / (1 - r)), with r the lag-1
 * correlation of the residuals, freed of its bias (Marriott and Pope 1954) and kept within 0 to
 * 0.9. Needs eight points. */
struct stats_line stats_line_fit_series(const double *x, const double *y, size_t count,
                                        double level);

/* The same with a weight for each point, the inverse of its variance up to a common factor. Points
 * of weight 0 do not count. */
struct stats_line stats_line_fit_weighted(const double *x, const double *y, const double *weights,
                                          size_t count, double level);

/* One slope through groups of points that each have a level of their own: the points are taken
 * against the means of their group (fixed effects), which costs a degree of freedom for each.
 * `groups` numbers them in any way; the intercept is 0. Needs two degrees of freedom. */
struct stats_line stats_line_fit_within(const double *x, const double *y, const int *groups,
                                        size_t count, double level);

/* The interval of where the line lies at x; invalid where that of the slope is. */
struct stats_interval stats_line_interval(const struct stats_line *line, double x, double level);

#endif
