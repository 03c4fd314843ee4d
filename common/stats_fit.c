/* Owns the fits of straight lines. */
#include "common/stats_fit.h"

#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_fit.h>

#include "common/err.h"

#define SERIES_MIN 8

static void
widen(struct stats_line *line, double level, double degrees_of_freedom)
{
    double half = stats_two_sided_t(level, degrees_of_freedom) * line->slope_se;

    line->slope_interval = (struct stats_interval){
        .valid = true, .low = line->slope - half, .high = line->slope + half};
}

struct stats_line
stats_line_fit(const double *x, const double *y, size_t count, double level)
{
    struct stats_line line = {0};
    double cov00, cov01, cov11, squares;

    if (count < 3 || stats_sd(x, count) <= 0)
        return line;
    gsl_fit_linear(x, 1, y, 1, count, &line.intercept, &line.slope, &cov00, &cov01, &cov11,
                   &squares);
    line.slope_se = sqrt(cov11);
    widen(&line, level, (double)count - 2);
    return line;
}

struct stats_line
stats_line_fit_series(const double *x, const double *y, size_t count, double level)
{
    struct stats_line line = stats_line_fit(x, y, count, level);
    double n = (double)count;

    if (count < SERIES_MIN) {
        line.slope_interval.valid = false;
        return line;
    }
    double *residuals = must_calloc(count, sizeof *residuals);
    for (size_t i = 0; i < count; i++)
        residuals[i] = y[i] - line.intercept - line.slope * x[i];
    line.lag1 = stats_lag1(residuals, count);
    free(residuals);
    /* What is left of a true r about a fitted line is r - (2 + 4 r) / n on average. */
    double r = fmin(fmax((line.lag1 + 2 / n) / (1 - 4 / n), 0), 0.9);
    line.slope_se *= sqrt((1 + r) / (1 - r));
    widen(&line, level, n - 2);
    return line;
}
