/* Owns the fits of straight lines. */
#include "common/stats_fit.h"

#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_fit.h>

#include "common/err.h"

#define SERIES_MIN 8

static void
widen(struct stats_line *line, double level)
{
    double half = stats_two_sided_t(level, line->freedom) * line->slope_se;

    line->slope_interval = (struct stats_interval){
        .valid = true, .low = line->slope - half, .high = line->slope + half};
}

struct stats_line
stats_line_fit_weighted(const double *x, const double *y, const double *weights, size_t count,
                        double level)
{
    struct stats_line line = {0};
    double cov00, cov01, cov11, squares, points = 0, mean = 0, sum = 0, about_mean = 0;
    double first = NAN;
    bool one_x = true;

    for (size_t i = 0; i < count; i++) {
        if (weights[i] <= 0)
            continue;
        if (points++ == 0)
            first = x[i];
        one_x = one_x && !(x[i] < first || x[i] > first);
        mean += weights[i] * y[i];
        sum += weights[i];
    }
    if (points < 3 || one_x)
        return line;
    mean /= sum;
    for (size_t i = 0; i < count; i++)
        about_mean += weights[i] > 0 ? weights[i] * (y[i] - mean) * (y[i] - mean) : 0;
    gsl_fit_wlinear(x, 1, weights, 1, y, 1, count, &line.intercept, &line.slope, &cov00, &cov01,
                    &cov11, &squares);
    /* The covariances are for weights that are true; these are known up to a factor only. */
    line.freedom = points - 2;
    double spread = squares / line.freedom;
    line.intercept_se = sqrt(cov00 * spread);
    line.slope_se = sqrt(cov11 * spread);
    line.covariance = cov01 * spread;
    line.residual_sd = sqrt(spread);
    line.explained = about_mean > 0 ? fmax(0, 1 - squares / about_mean) : 0;
    widen(&line, level);
    return line;
}

struct stats_line
stats_line_fit(const double *x, const double *y, size_t count, double level)
{
    double *ones = must_calloc(count + 1, sizeof *ones);

    for (size_t i = 0; i < count; i++)
        ones[i] = 1;
    struct stats_line line = stats_line_fit_weighted(x, y, ones, count, level);
    free(ones);
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
    widen(&line, level);
    return line;
}

/* Takes from each value the mean of its group; returns the number of groups. */
static size_t
take_group_means(const double *values, const int *groups, size_t count, double *off)
{
    size_t found = 0;

    for (size_t i = 0; i < count; i++) {
        double sum = 0;
        size_t members = 0, first = count;
        for (size_t j = 0; j < count; j++) {
            if (groups[j] != groups[i])
                continue;
            first = first == count ? j : first;
            sum += values[j];
            members++;
        }
        found += first == i;
        off[i] = values[i] - sum / (double)members;
    }
    return found;
}

struct stats_line
stats_line_fit_within(const double *x, const double *y, const int *groups, size_t count,
                      double level)
{
    double *at = must_calloc(2 * count + 1, sizeof *at), *off = at + count;
    struct stats_line line = {0};
    double variance, squares;

    take_group_means(x, groups, count, at);
    line.freedom = (double)count - (double)take_group_means(y, groups, count, off) - 1;
    if (line.freedom >= 2 && stats_sd(at, count) > 0) {
        gsl_fit_mul(at, 1, off, 1, count, &line.slope, &variance, &squares);
        /* GSL knows nothing of the groups. */
        line.slope_se = sqrt(variance * ((double)count - 1) / line.freedom);
        line.residual_sd = sqrt(squares / line.freedom);
        widen(&line, level);
    }
    free(at);
    return line;
}

struct stats_interval
stats_line_interval(const struct stats_line *line, double x, double level)
{
    double value = line->intercept + line->slope * x;
    double variance = line->intercept_se * line->intercept_se + 2 * x * line->covariance +
                      x * x * line->slope_se * line->slope_se;

    if (!line->slope_interval.valid)
        return (struct stats_interval){0};
    double half = stats_two_sided_t(level, line->freedom) * sqrt(fmax(0, variance));
    return (struct stats_interval){.valid = true, .low = value - half, .high = value + half};
}
