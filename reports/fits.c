/* Owns which lines are fitted, through what, and how they read. */
#include "reports/fits.h"

#include <math.h>

#include "reports/level_metrics.h"

const char *const fit_names[FITS] = {"response_p95_us_per_virtual_user",
                                     "driver_cpu_us_per_new_order", "server_cpu_us_per_new_order"};
const char *const fit_titles[FITS] = {"New-Order p95 per virtual user", "driver CPU per new-order",
                                      "server host CPU per new-order"};

struct points {
    double *x, *y, *weights;
    size_t count;
};

static double
new_orders_per_s(const struct step *step)
{
    return step_nopm(step) / 60;
}

/* What the load of the step was, and what it cost: per second, but for the response time. NAN where
 * the step does not say. */
static double
cost_of(const struct step *step, const struct run *run, enum fit_kind kind)
{
    const struct analysis_level alone = {.steps = &step, .runs = 1};
    const struct hist *response = &step->transactions[TXN_NEW_ORDER].response;
    double elapsed_s = (double)step->elapsed_us / 1e6;

    switch (kind) {
    case FIT_RESPONSE:
        return response->count > 0 ? (double)hist_percentile_us(response, 0.95) : NAN;
    case FIT_DRIVER_CPU:
        return elapsed_s > 0 ? (double)(step->client_user_us + step->client_system_us) / elapsed_s
                             : NAN;
    case FIT_SERVER_CPU:
        return level_metrics_cpu_us(&alone, level_metrics_server_host(run)) *
               new_orders_per_s(step);
    case FITS: break;
    }
    return NAN;
}

static void
add_level(struct points *points, const struct analysis_level *level, const struct run *run,
          enum fit_kind kind)
{
    size_t first = points->count;
    double sum = 0;

    for (int i = 0; i < level->runs; i++) {
        const struct step *step = level->steps[i];
        double y = cost_of(step, run, kind);
        if (!(y > 0))
            continue;
        points->x[points->count] =
            kind == FIT_RESPONSE ? step->virtual_users : new_orders_per_s(step);
        points->y[points->count++] = y;
        sum += y;
    }
    double mean = sum / (double)(points->count - first);
    for (size_t i = first; i < points->count; i++)
        points->weights[i] = 1 / (mean * mean);
}

static void
fit_curve(struct analysis *analysis, struct analysis_curve *curve, const struct run *run,
          enum fit_kind kind, struct points *points)
{
    points->count = 0;
    for (int i = 0; i < curve->count; i++) {
        const struct analysis_level *level = &analysis->levels[curve->first + i];
        if (level->stands)
            add_level(points, level, run, kind);
    }
    curve->fits[kind] = stats_line_fit_weighted(points->x, points->y, points->weights,
                                                points->count, ANALYSIS_LEVEL);
}

void
fits_make(struct analysis *analysis, const struct run *run, struct arena *arena)
{
    size_t most = (size_t)run->steps_count + 1;
    struct points points = {.x = arena_array(arena, most, sizeof *points.x),
                            .y = arena_array(arena, most, sizeof *points.y),
                            .weights = arena_array(arena, most, sizeof *points.weights)};

    for (int i = 0; i < analysis->curves_count; i++)
        for (int kind = 0; kind < FITS; kind++)
            fit_curve(analysis, &analysis->curves[i], run, kind, &points);
}

void
fits_text(const struct analysis_curve *curve, struct buf *out)
{
    bool any = false;

    for (int kind = 0; kind < FITS; kind++) {
        const struct stats_line *line = &curve->fits[kind];
        if (!line->slope_interval.valid)
            continue;
        buf_printf(out, "%s%s: ", any ? "; " : "Straight lines through the runs. ",
                   fit_titles[kind]);
        bool is_nil = fabs(line->slope) < 0.05; /* as it is printed */
        if (is_nil || (line->slope_interval.low <= 0 && line->slope_interval.high >= 0))
            buf_puts(out, "no slope shown");
        else
            buf_printf(out, "%.1f us (%.1f to %.1f), R2 %.2f", line->slope,
                       line->slope_interval.low, line->slope_interval.high, line->explained);
        any = true;
    }
    if (any)
        buf_puts(out, ".");
}

const char *
fits_bounds(const struct stats_usl *usl)
{
    bool sigma = !(usl->sigma > 0), kappa = !(usl->kappa > 0);

    if (sigma && kappa)
        return " Sigma and kappa lie at their bound of 0 and have no standard error.";
    if (sigma)
        return " Sigma lies at its bound of 0 and has no standard error.";
    return kappa ? " Kappa lies at its bound of 0 and has no standard error." : "";
}
