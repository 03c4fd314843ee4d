/* Charts with time on the x axis, and distributions of times: the graphs of clause 5.6. */
#include <math.h>
#include <string.h>

#include "common/distribution.h"
#include "common/units.h"
#include "reports/charts_parts.h"

#define CHECKPOINT_MARKS_MAX 64

/* What a level is measured by: of a mix without new-orders, whatever ended. */
static double
ended_in(const struct second *second, bool nopm)
{
    double ended = 0;

    if (nopm)
        return second->outcomes[TXN_NEW_ORDER][OUTCOME_COMMITTED];
    for (int type = 0; type < TXN_TYPES; type++)
        ended +=
            second->outcomes[type][OUTCOME_COMMITTED] + second->outcomes[type][OUTCOME_ROLLED_BACK];
    return ended;
}

/* Returns the highest point. */
static double
time_data(struct buf *script, const struct step *step, int index)
{
    double most = 0;
    int stride = step->seconds_count / CHART_POINTS_MAX + 1;

    buf_printf(script, "$run%d << EOD\n", index);
    for (int i = 0; i < step->seconds_count; i += stride) {
        double ended = 0;
        int taken = 0;
        for (; taken < stride && i + taken < step->seconds_count; taken++)
            ended += ended_in(&step->seconds[i + taken], step_has_nopm(step));
        const struct second *second = &step->seconds[i];
        if (second->phase == PHASE_CONNECT || second->phase == PHASE_DRAIN)
            continue;
        buf_printf(script, "%.1f %.1f\n", second->at_s + taken / 2.0, ended * 60 / taken);
        most = fmax(most, ended * 60 / taken);
    }
    buf_puts(script, "EOD\n");
    return most;
}

/* Where the server completed a checkpoint: a mark on top, in the colour of its run. */
static void
checkpoint_marks(struct buf *script, const struct step *step, int index)
{
    static const char *const names[] = {"checkpoints_timed", "checkpoints_requested"};

    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        const struct metric *metric =
            metric_find(step->metrics, step->metrics_count, METRIC_SERVER, names[n], "");
        int marks = 0;
        for (int i = 0; metric && i < metric->points_count && marks < CHECKPOINT_MARKS_MAX; i++) {
            const struct metric_point *point = &metric->points[i];
            double at_s = (double)point->at_us / 1e6;
            double seconds = i > 0 ? (double)(point->at_us - point[-1].at_us) / 1e6 : 0;
            if (point->value * seconds < 0.5 || at_s < 0)
                continue;
            buf_printf(script,
                       "set arrow from %.1f, graph 0.88 to %.1f, graph 1 nohead front lw 2 "
                       "lc rgb '" PLOT_COLOUR "'\n",
                       at_s, at_s, PLOT_SERIES(index % 4));
            marks++;
        }
    }
}

static void
put_time(struct charts *charts, const struct analysis *analysis, int index)
{
    const struct analysis_level *level = &analysis->levels[index];
    double ramp_up_s = (double)level->steps[0]->ramp_up_us / 1e6;
    double end_s = ramp_up_s + (double)level->steps[0]->elapsed_us / 1e6;
    double most = 0;
    struct chart *chart = chart_add(charts, "time", "time", index + 1, 340, 200);
    struct buf *script = &chart->plot.script;

    chart->caption =
        arena_printf(charts->arena, "%d %s, %s", level->virtual_users,
                     charts_users(level->virtual_users), analysis->curves[level->curve].title);
    chart->plot.label = arena_printf(charts->arena, "%s over time, %s",
                                     charts_rate_words(level->steps[0]), chart->caption);
    for (int i = 0; i < level->runs; i++)
        most = fmax(most, time_data(script, level->steps[i], i));
    buf_printf(script,
               "unset key\nset yrange [0:%.0f]\nset ytics %g\n"
               "set xrange [0:%.1f]\nset xtics autofreq\n"
               "set xlabel 'seconds' tc rgb '" PLOT_TEXT "'\n",
               1.1 * fmax(most, 1), charts_tic_step(most), end_s);
    if (ramp_up_s > 0)
        buf_printf(script,
                   "set object 1 rect from graph 0, graph 0 to %.1f, graph 1 fc rgb '" PLOT_SHADE
                   "' fs solid noborder behind\n"
                   "set arrow 1 from %.1f, graph 0 to %.1f, graph 1 nohead lc rgb '" PLOT_AXIS
                   "' lw 1 dt (2,3)\n",
                   ramp_up_s, ramp_up_s, ramp_up_s);
    for (int i = 0; i < level->runs; i++)
        checkpoint_marks(script, level->steps[i], i);
    buf_puts(script, "plot ");
    for (int i = 0; i < level->runs; i++)
        buf_printf(script, "%s$run%d using 1:2 with lines lw 1.2 lc rgb '" PLOT_COLOUR "' notitle",
                   i ? ", " : "", i, PLOT_SERIES(i % 4));
    buf_puts(script, "\n");
}

void
charts_times(struct charts *charts, const struct analysis *analysis)
{
    for (int i = 0; i < analysis->levels_count; i++)
        put_time(charts, analysis, i);
}

/* $boxes: middle, share, tooltip. Milliseconds. */
static void
distribution_data(struct buf *script, const struct distribution *distribution, uint64_t count)
{
    double width_ms = (double)distribution->interval_us / 1000;

    buf_puts(script, "$boxes << EOD\n");
    for (int i = 0; i < DISTRIBUTION_INTERVALS; i++) {
        double share = 100 * (double)distribution->counts[i] / (double)count;
        buf_printf(script, "%.6g %.5f \"%.4g to %.4g ms: %.2f %%\"\n", (i + 0.5) * width_ms, share,
                   i * width_ms, (i + 1) * width_ms, share);
    }
    buf_printf(script,
               "EOD\nunset key\nset boxwidth %.6g\nset style fill solid 0.9 noborder\n"
               "set xrange [0:%.6g]\nset yrange [0:*]\nset xtics %g\nset format x '%%g'\n"
               "set format y '%%g'\nset ylabel 'share, %%' tc rgb '" PLOT_TEXT "'\n"
               "set xlabel 'milliseconds' tc rgb '" PLOT_TEXT "'\n",
               0.9 * width_ms, DISTRIBUTION_INTERVALS * width_ms,
               charts_tic_step(DISTRIBUTION_INTERVALS * width_ms));
}

static void
put_mark(struct buf *script, int number, double at_ms, const char *name)
{
    buf_printf(script,
               "set arrow %d from %.6g, graph 0 to %.6g, graph 1 nohead front lc rgb '" PLOT_INK
               "' lw 1 dt (3,3)\n"
               "set label %d '%s' at %.6g, graph %g left offset 0.4,0 front tc rgb '" PLOT_INK
               "'\n",
               number, at_ms, at_ms, number, name, at_ms, 1.0 - 0.1 * number);
}

/* `between`: what is drawn over the boxes, but under what the pointer finds. */
static void
plot_boxes(struct buf *script, const char *between)
{
    buf_printf(script,
               "plot $boxes using 1:2 with boxes lc rgb '" PLOT_COLOUR "' notitle, %s"
               "$boxes using 1:2:3 with labels hypertext point pt 5 ps 1.2 lc rgb '" PLOT_HOVER
               "' notitle\n",
               PLOT_SERIES(0), between);
}

static void
put_distribution(struct charts *charts, const struct analysis_level *level, enum txn_type type)
{
    const struct hist *response = &level->transactions[type].response;
    const struct distribution distribution = distribution_of_response(response);
    int64_t p90 = hist_percentile_us(response, 0.9);
    char mean[UNITS_TEXT_SIZE], ninetieth[UNITS_TEXT_SIZE], most[UNITS_TEXT_SIZE];
    struct chart *chart =
        chart_add(charts, "distribution", "distribution", (int)type + 1, 340, 220);

    chart->caption =
        arena_printf(charts->arena, "%s at %d %s: mean %s, p90 %s, maximum %s", txn_titles[type],
                     level->virtual_users, charts_users(level->virtual_users),
                     units_duration(mean, llround(hist_mean_us(response))),
                     units_duration(ninetieth, p90), units_duration(most, response->max_us));
    chart->plot.label =
        arena_printf(charts->arena, "Distribution of response times of %s", chart->caption);
    distribution_data(&chart->plot.script, &distribution, response->count);
    put_mark(&chart->plot.script, 1, hist_mean_us(response) / 1000, "mean");
    put_mark(&chart->plot.script, 2, (double)p90 / 1000, "p90");
    plot_boxes(&chart->plot.script, "");
}

/* Response times of each type at the peak (5.6.1). */
void
charts_distributions(struct charts *charts, const struct analysis *analysis)
{
    const struct analysis_level *level =
        &analysis->levels[analysis->peak >= 0 ? analysis->peak : analysis->levels_count - 1];

    for (int type = 0; type < TXN_TYPES; type++)
        if (distribution_of_response(&level->transactions[type].response).interval_us > 0)
            put_distribution(charts, level, type);
        else if (step_shows(level->steps[0], type))
            chart_absent(charts, "distribution",
                         arena_printf(charts->arena, "%s at %d %s", txn_titles[type],
                                      level->virtual_users, charts_users(level->virtual_users)),
                         "no such transaction ended in the window");
}

/* What the negative exponential of that mean puts into each interval. */
static void
think_law(struct buf *script, double width_us, double mean_us)
{
    buf_puts(script, "$law << EOD\n");
    for (int i = 0; i < DISTRIBUTION_INTERVALS; i++)
        buf_printf(script, "%.6g %.5f\n", (i + 0.5) * width_us / 1000,
                   100 * (exp(-i * width_us / mean_us) - exp(-(i + 1) * width_us / mean_us)));
    buf_puts(script, "EOD\n");
}

/* Think times after New-Order (5.6.3), over all complete steps. */
void
charts_thinks(struct charts *charts, const struct analysis *analysis)
{
    struct hist *thinks = arena_alloc(charts->arena, sizeof *thinks);
    char mean[UNITS_TEXT_SIZE];

    hist_clear(thinks);
    for (int i = 0; i < analysis->levels_count; i++)
        for (int j = 0; j < analysis->levels[i].runs; j++)
            hist_merge(thinks, &analysis->levels[i].steps[j]->pace.think[TXN_NEW_ORDER]);
    const struct distribution distribution = distribution_of_think(thinks);
    if (distribution.interval_us == 0) {
        chart_absent(charts, "think", "Think times",
                     "virtual users did not think: the next transaction began when the last one "
                     "was answered");
        return;
    }
    struct chart *chart = chart_add(charts, "think", "think", 0, 860, 300);
    struct buf *script = &chart->plot.script;
    double mean_us = hist_mean_us(thinks);
    chart->caption = arena_printf(
        charts->arena,
        "Think times after New-Order: %llu of them, mean %s; the line is the negative exponential "
        "of that mean.",
        (unsigned long long)thinks->count, units_duration(mean, llround(mean_us)));
    chart->plot.label = chart->caption;
    distribution_data(script, &distribution, thinks->count);
    think_law(script, (double)distribution.interval_us, mean_us);
    plot_boxes(script,
               arena_printf(charts->arena,
                            "$law using 1:2 with lines lw 2 lc rgb '" PLOT_COLOUR "' notitle, ",
                            PLOT_SERIES(1)));
}
