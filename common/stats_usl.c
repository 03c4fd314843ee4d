/* Owns the fit of the scalability law and when a peak may be claimed from it. */
#include "common/stats_usl.h"

#include <math.h>

#include <gsl/gsl_blas.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_fit.h>
#include <gsl/gsl_multifit_nlinear.h>

#include "common/err.h"
#include "common/stats.h"

#define LEVEL 0.95 /* of every interval */

enum { LAMBDA, SIGMA, KAPPA, PARAMETERS };

/* One fit: which of the parameters are free; the others stay 0. Throughputs are scaled to at most
 * 1 so that tolerances mean the same for any system. */
struct usl_problem {
    const double *loads, *throughputs;
    size_t count;
    double scale;
    int free[PARAMETERS];
    size_t free_count;
};

struct usl_solution {
    bool found;
    double squares; /* weighted sum of squared residuals */
    double value[PARAMETERS];
    double covariance[PARAMETERS][PARAMETERS]; /* 0 for what is not free */
};

static double
usl(const double parameters[PARAMETERS], double n)
{
    return parameters[LAMBDA] * n /
           (1 + parameters[SIGMA] * (n - 1) + parameters[KAPPA] * n * (n - 1));
}

static void
unpack(const struct usl_problem *problem, const gsl_vector *from, double parameters[PARAMETERS])
{
    for (int i = 0; i < PARAMETERS; i++)
        parameters[i] = 0;
    for (size_t i = 0; i < problem->free_count; i++)
        parameters[problem->free[i]] = gsl_vector_get(from, i);
}

static int
usl_residuals(const gsl_vector *at, void *data, gsl_vector *residuals)
{
    const struct usl_problem *problem = data;
    double parameters[PARAMETERS];

    unpack(problem, at, parameters);
    for (size_t i = 0; i < problem->count; i++)
        gsl_vector_set(residuals, i,
                       usl(parameters, problem->loads[i]) -
                           problem->throughputs[i] / problem->scale);
    return GSL_SUCCESS;
}

static int
usl_jacobian(const gsl_vector *at, void *data, gsl_matrix *jacobian)
{
    const struct usl_problem *problem = data;
    double parameters[PARAMETERS];

    unpack(problem, at, parameters);
    for (size_t i = 0; i < problem->count; i++) {
        double n = problem->loads[i];
        double below = 1 + parameters[SIGMA] * (n - 1) + parameters[KAPPA] * n * (n - 1);
        double numerator = parameters[LAMBDA] * n;
        double partial[PARAMETERS] = {
            [LAMBDA] = n / below,
            [SIGMA] = -numerator * (n - 1) / (below * below),
            [KAPPA] = -numerator * n * (n - 1) / (below * below),
        };
        for (size_t j = 0; j < problem->free_count; j++)
            gsl_matrix_set(jacobian, i, j, partial[problem->free[j]]);
    }
    return GSL_SUCCESS;
}

/* A start that is near for any curve: the best throughput per user for lambda, and hardly any
 * contention. */
static void
usl_start(const struct usl_problem *problem, gsl_vector *start)
{
    double best = 0, most = 1;

    for (size_t i = 0; i < problem->count; i++) {
        best = fmax(best, problem->throughputs[i] / problem->scale / problem->loads[i]);
        most = fmax(most, problem->loads[i]);
    }
    const double guess[PARAMETERS] = {
        [LAMBDA] = best, [SIGMA] = 0.1 / most, [KAPPA] = 0.1 / (most * most)};
    for (size_t i = 0; i < problem->free_count; i++)
        gsl_vector_set(start, i, guess[problem->free[i]]);
}

static void
usl_collect(const struct usl_problem *problem, gsl_multifit_nlinear_workspace *solver,
            struct usl_solution *solution)
{
    gsl_matrix *covariance = gsl_matrix_alloc(problem->free_count, problem->free_count);
    double squares;

    must(covariance);
    gsl_blas_ddot(gsl_multifit_nlinear_residual(solver), gsl_multifit_nlinear_residual(solver),
                  &squares);
    gsl_multifit_nlinear_covar(gsl_multifit_nlinear_jac(solver), 0, covariance);
    double spread = squares / (double)(problem->count - problem->free_count);
    unpack(problem, gsl_multifit_nlinear_position(solver), solution->value);
    for (size_t i = 0; i < problem->free_count; i++)
        for (size_t j = 0; j < problem->free_count; j++)
            solution->covariance[problem->free[i]][problem->free[j]] =
                spread * gsl_matrix_get(covariance, i, j) *
                (problem->free[i] == LAMBDA ? problem->scale : 1) *
                (problem->free[j] == LAMBDA ? problem->scale : 1);
    solution->value[LAMBDA] *= problem->scale;
    solution->squares = squares;
    gsl_matrix_free(covariance);
}

static struct usl_solution
usl_solve(struct usl_problem *problem, const gsl_vector *weights)
{
    struct usl_solution solution = {0};
    gsl_multifit_nlinear_parameters options = gsl_multifit_nlinear_default_parameters();
    gsl_multifit_nlinear_workspace *solver = gsl_multifit_nlinear_alloc(
        gsl_multifit_nlinear_trust, &options, problem->count, problem->free_count);
    gsl_vector *start = gsl_vector_alloc(problem->free_count);
    gsl_multifit_nlinear_fdf functions = {.f = usl_residuals,
                                          .df = usl_jacobian,
                                          .n = problem->count,
                                          .p = problem->free_count,
                                          .params = problem};
    int info = 0;

    must(solver && start);
    usl_start(problem, start);
    gsl_multifit_nlinear_winit(start, weights, &functions, solver);
    int status = gsl_multifit_nlinear_driver(500, 1e-12, 1e-12, 0, NULL, NULL, &info, solver);
    /* No progress is what exact data end with: the step is then below what a double can hold. */
    if (status == GSL_SUCCESS || status == GSL_ENOPROG) {
        usl_collect(problem, solver, &solution);
        solution.found = isfinite(solution.squares) && solution.value[LAMBDA] > 0 &&
                         solution.value[SIGMA] >= 0 && solution.value[KAPPA] >= 0;
    }
    gsl_vector_free(start);
    gsl_multifit_nlinear_free(solver);
    return solution;
}

/* No contention at all: a line through zero, which needs no search. */
static struct usl_solution
usl_solve_line(const struct usl_problem *problem, const gsl_vector *weights)
{
    struct usl_solution solution = {.found = true};
    double variance;

    gsl_fit_wmul(problem->loads, 1, weights->data, weights->stride, problem->throughputs, 1,
                 problem->count, &solution.value[LAMBDA], &variance, &solution.squares);
    /* The variance is for weights that are true; ours are known up to a factor only. */
    variance *= solution.squares / (double)(problem->count - 1);
    solution.covariance[LAMBDA][LAMBDA] = variance;
    solution.squares /= problem->scale * problem->scale;
    return solution;
}

/* Sigma and kappa not negative: the best of the fits in which each is free or 0. */
static struct usl_solution
usl_best(const double *loads, const double *throughputs, const double *weights, size_t count)
{
    static const int shapes[][PARAMETERS] = {
        {LAMBDA, SIGMA, KAPPA}, {LAMBDA, SIGMA, -1}, {LAMBDA, KAPPA, -1}};
    struct usl_problem problem = {
        .loads = loads, .throughputs = throughputs, .count = count, .scale = 0};
    gsl_vector *weight = gsl_vector_alloc(count);

    must(weight);
    for (size_t i = 0; i < count; i++) {
        problem.scale = fmax(problem.scale, throughputs[i]);
        gsl_vector_set(weight, i, weights ? weights[i] : 1);
    }
    struct usl_solution best = usl_solve_line(&problem, weight);
    for (size_t shape = 0; shape < sizeof shapes / sizeof shapes[0]; shape++) {
        problem.free_count = 0;
        for (int i = 0; i < PARAMETERS && shapes[shape][i] >= 0; i++)
            problem.free[problem.free_count++] = shapes[shape][i];
        struct usl_solution solution = usl_solve(&problem, weight);
        if (solution.found && solution.squares < best.squares)
            best = solution;
    }
    gsl_vector_free(weight);
    return best;
}

static size_t
distinct(const double *values, size_t count)
{
    size_t found = 0;

    for (size_t i = 0; i < count; i++) {
        size_t j = 0;
        while (j < i && (values[j] < values[i] || values[j] > values[i]))
            j++;
        found += j == i;
    }
    return found;
}

/* The residuals, each against its own throughput. */
static void
measure_residuals(struct stats_usl *fit, const double *loads, const double *throughputs,
                  size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++) {
        double relative = (stats_usl_value(fit, loads[i]) - throughputs[i]) / throughputs[i];
        sum += relative * relative;
        fit->residual_max = fmax(fit->residual_max, fabs(relative));
    }
    fit->residual_rms = sqrt(sum / (double)count);
}

/* The variance of a function of the parameters with that gradient. */
static double
variance_along(const struct usl_solution *solution, const double gradient[PARAMETERS])
{
    double variance = 0;

    for (int i = 0; i < PARAMETERS; i++)
        for (int j = 0; j < PARAMETERS; j++)
            variance += gradient[i] * solution->covariance[i][j] * gradient[j];
    return fmax(0, variance);
}

static struct stats_interval
log_interval(double value, double log_variance, double t)
{
    double factor = exp(t * sqrt(log_variance));
    return (struct stats_interval){.valid = true, .low = value / factor, .high = value * factor};
}

/* Where the law has its greatest value. Its place is sqrt((1 - sigma) / kappa), so the logarithm of
 * that has the derivatives -1/2 / (1 - sigma) and -1/2 / kappa. Those of the logarithm of the law
 * are taken at the place held fast, for at the greatest value moving it changes nothing. */
static void
locate_peak(struct stats_usl *fit, const struct usl_solution *solution, double t)
{
    if (!(fit->kappa > 0) || !(fit->sigma < 1))
        return;
    double n = fit->n_star = sqrt((1 - fit->sigma) / fit->kappa);
    double below = 1 + fit->sigma * (n - 1) + fit->kappa * n * (n - 1);
    const double place[PARAMETERS] = {
        [SIGMA] = -0.5 / (1 - fit->sigma), [KAPPA] = -0.5 / fit->kappa};
    const double height[PARAMETERS] = {
        [LAMBDA] = 1 / fit->lambda, [SIGMA] = -(n - 1) / below, [KAPPA] = -n * (n - 1) / below};
    fit->x_star = usl(solution->value, n);
    fit->n_star_interval = log_interval(n, variance_along(solution, place), t);
    fit->x_star_interval = log_interval(fit->x_star, variance_along(solution, height), t);
}

/* Why the fit does not bear a peak, or "". */
static const char *
usl_refusal(const struct stats_usl *fit, size_t loads_count)
{
    if (loads_count < STATS_USL_LOADS_MIN)
        return "fewer than five different loads were measured";
    if (fit->residual_rms > STATS_USL_RESIDUAL_MAX)
        return "the measured points lie too far from the model (over 5 % root mean square)";
    if (fit->sigma >= 1)
        return "contention is so strong that the model has no peak beyond one user";
    if (!(fit->kappa_interval.low > 0))
        return "the 95 % interval of kappa includes zero: no retrograde part was measured";
    if (fit->n_star > STATS_USL_REACH_MAX * fit->most)
        return "the peak would lie beyond twice the largest measured load";
    return "";
}

static struct stats_interval
interval_of(double value, double se, double t)
{
    return (struct stats_interval){.valid = true, .low = value - t * se, .high = value + t * se};
}

static struct stats_usl
fill_fit(struct usl_solution best, const double *loads, const double *throughputs, size_t count)
{
    double t = stats_two_sided_t(LEVEL, (double)(count - PARAMETERS));
    struct stats_usl fit = {
        .fitted = true,
        .lambda = best.value[LAMBDA],
        .sigma = best.value[SIGMA],
        .kappa = best.value[KAPPA],
        .lambda_se = sqrt(best.covariance[LAMBDA][LAMBDA]),
        .sigma_se = sqrt(best.covariance[SIGMA][SIGMA]),
        .kappa_se = sqrt(best.covariance[KAPPA][KAPPA]),
        .reason = "",
    };

    for (size_t i = 0; i < count; i++)
        fit.most = fmax(fit.most, loads[i]);
    fit.lambda_interval = interval_of(fit.lambda, fit.lambda_se, t);
    fit.sigma_interval = interval_of(fit.sigma, fit.sigma_se, t);
    fit.kappa_interval = interval_of(fit.kappa, fit.kappa_se, t);
    measure_residuals(&fit, loads, throughputs, count);
    locate_peak(&fit, &best, t);
    return fit;
}

struct stats_usl
stats_usl_fit(const double *loads, const double *throughputs, const double *weights, size_t count)
{
    struct stats_usl fit = {.reason = ""};

    gsl_set_error_handler_off();
    for (size_t i = 0; i < count; i++)
        if (!(loads[i] >= 1) || !(throughputs[i] > 0)) {
            fit.reason = "a load below one or a throughput of zero cannot be fitted";
            return fit;
        }
    if (distinct(loads, count) <= PARAMETERS) {
        fit.reason = "fewer than four different loads were measured: three parameters cannot be "
                     "fitted";
        return fit;
    }
    fit = fill_fit(usl_best(loads, throughputs, weights, count), loads, throughputs, count);
    fit.reason = usl_refusal(&fit, distinct(loads, count));
    fit.claimed = fit.reason[0] == '\0';
    return fit;
}

double
stats_usl_value(const struct stats_usl *fit, double load)
{
    const double parameters[PARAMETERS] = {fit->lambda, fit->sigma, fit->kappa};
    return load <= STATS_USL_REACH_MAX * fit->most ? usl(parameters, load) : NAN;
}
