/* Charts with time on the x axis, and distributions of times: the graphs of clause 5.6. */
#include <math.h>
#include <string.h>

#include "common/distribution.h"
#include "common/units.h"
#include "reports/charts_parts.h"

#define CHECKPOINT_MARKS_MAX 64
#define TIME_COLOURS         4
/* Places of a line over time that the pointer finds: of all lines together, and of one. */
#define TIME_TIPS_ALL 2400
#define TIME_TIPS_MAX 24
#define TIME_TIPS_MIN 4

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

/* For the pointer: means over stretches of a run, since the seconds themselves are too many. */
static void
time_tips(struct buf *tips, const struct step *step, int index, int stretches)
{
    bool nopm = step_has_nopm(step);
    int stride = (step->seconds_count + stretches - 1) / stretches;

    for (int i = 0, end; i < step->seconds_count; i = end) {
        const struct second *from = &step->seconds[i];
        char rate[UNITS_TEXT_SIZE];
        double ended = 0;
        for (end = i; end < step->seconds_count && end < i + stride &&
                      step->seconds[end].phase == from->phase;
             end++)
            ended += ended_in(&step->seconds[end], nopm);
        if (from->phase == PHASE_CONNECT || from->phase == PHASE_DRAIN)
            continue;
        double mean = ended * 60 / (end - i);
        buf_printf(tips, "%.1f %.1f \"run %d, %d to %d s: %s %s\"\n", from->at_s + (end - i) / 2.0,
                   mean, index + 1, from->at_s, from->at_s + end - i, units_rate(rate, mean),
                   step_rate_name(step));
    }
}

/* Where a checkpoint of the server began: a mark on top, in the colour of its run. `top` is the
 * highest value of the axis. */
static void
checkpoint_marks(struct buf *script, struct buf *tips, const struct step *step, int index,
                 double top)
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
                       "set arrow from %.1f, graph 0.88 to %.1f, graph 1 nohead front lw 3 "
                       "lc rgb '" PLOT_COLOUR "'\n",
                       at_s, at_s, PLOT_SERIES(index % TIME_COLOURS));
            buf_printf(tips, "%.1f %.1f \"run %d: a checkpoint began by %.0f s\"\n", at_s,
                       0.94 * top, index + 1, at_s);
            marks++;
        }
    }
}

/* How long connections were missing: a line at the foot, in the colour of its run. */
static void
outage_marks(struct buf *script, struct buf *tips, const struct step *step, int index, double top)
{
    double end_s = (double)(step->ramp_up_us + step->elapsed_us) / 1e6;

    for (int i = 0; i < step->outages_count; i++) {
        const struct outage *outage = &step->outages[i];
        bool is_open = outage->end_us == OUTAGE_OPEN;
        double from_s = fmax(0, (double)outage->start_us / 1e6);
        double to_s = is_open ? end_s : fmax(from_s + 0.2, (double)outage->end_us / 1e6);
        buf_printf(script,
                   "set arrow from %.1f, graph 0.03 to %.1f, graph 0.03 nohead front lw 5 "
                   "lc rgb '" PLOT_COLOUR "'\n",
                   from_s, to_s, PLOT_SERIES(index % TIME_COLOURS));
        buf_printf(tips, "%.1f %.1f \"run %d: %d connection%s lost from %.1f s on, ",
                   (from_s + to_s) / 2, 0.03 * top, index + 1, outage->losses,
                   outage->losses == 1 ? "" : "s", from_s);
        if (is_open)
            buf_puts(tips, "not all made anew\"\n");
        else
            buf_printf(tips, "all made anew by %.1f s\"\n", to_s);
    }
}

/* The ramp-up as a shaded part, and the end of the longest run. */
static void
time_axis(struct buf *script, const struct analysis_level *level)
{
    double ramp_up_s = (double)level->steps[0]->ramp_up_us / 1e6, end_s = 0;

    for (int i = 0; i < level->runs; i++)
        end_s = fmax(end_s, ramp_up_s + (double)level->steps[i]->elapsed_us / 1e6);
    buf_printf(script,
               "set xrange [0:%.1f]\nset xtics %g\nset format x '%%.0f'\n"
               "set xlabel 'seconds' tc rgb '" PLOT_TEXT "'\n",
               end_s, fmax(1, charts_tic_step(end_s)));
    if (ramp_up_s > 0)
        buf_printf(script,
                   "set object 1 rect from graph 0, graph 0 to %.1f, graph 1 fc rgb '" PLOT_SHADE
                   "' fs solid noborder behind\n"
                   "set arrow 1 from %.1f, graph 0 to %.1f, graph 1 nohead lc rgb '" PLOT_AXIS
                   "' lw 1 dt (2,3)\n",
                   ramp_up_s, ramp_up_s, ramp_up_s);
}

static void
put_time(struct charts *charts, const struct analysis *analysis, int index, int stretches)
{
    const struct analysis_level *level = &analysis->levels[index];
    double most = 1;
    struct chart *chart = chart_add(charts, "time", "time", index + 1, 340, 200);
    struct buf *script = &chart->plot.script, tips = {0};

    chart->caption =
        arena_printf(charts->arena, "%d %s, %s", level->virtual_users,
                     charts_users(level->virtual_users), analysis->curves[level->curve].title);
    chart->plot.label = arena_printf(charts->arena, "%s over time, %s",
                                     charts_rate_words(level->steps[0]), chart->caption);
    for (int i = 0; i < level->runs; i++) {
        most = fmax(most, time_data(script, level->steps[i], i));
        time_tips(&tips, level->steps[i], i, stretches);
    }
    buf_printf(script, "unset key\nset yrange [0:%.0f]\nset ytics %g\n", 1.1 * most,
               charts_tic_step(most));
    time_axis(script, level);
    for (int i = 0; i < level->runs; i++) {
        checkpoint_marks(script, &tips, level->steps[i], i, 1.1 * most);
        outage_marks(script, &tips, level->steps[i], i, 1.1 * most);
    }
    buf_printf(script, "$tips << EOD\n%sEOD\nplot ", buf_text(&tips));
    for (int i = 0; i < level->runs; i++)
        buf_printf(script, "$run%d using 1:2 with lines lw 1.2 lc rgb '" PLOT_COLOUR "' notitle, ",
                   i, PLOT_SERIES(i % TIME_COLOURS));
    buf_puts(script, "$tips using 1:2:3 with labels hypertext point pt 7 ps 1.2 lc rgb '" PLOT_HOVER
                     "' notitle\n");
    buf_free(&tips);
}

void
charts_times(struct charts *charts, const struct analysis *analysis)
{
    int runs = 0;

    for (int i = 0; i < analysis->levels_count; i++)
        runs += analysis->levels[i].runs;
    int stretches = TIME_TIPS_ALL / (runs + 1);
    stretches = stretches > TIME_TIPS_MAX   ? TIME_TIPS_MAX
                : stretches < TIME_TIPS_MIN ? TIME_TIPS_MIN
                                            : stretches;
    for (int i = 0; i < analysis->levels_count; i++)
        put_time(charts, analysis, i, stretches);
}

/* $boxes: middle, share, tooltip. Milliseconds. */
static void
distribution_data(struct buf *script, const struct distribution *distribution, uint64_t count)
{
    double width_ms = (double)distribution->interval_us / 1000, most = 0;

    buf_puts(script, "$boxes << EOD\n");
    for (int i = 0; i < DISTRIBUTION_INTERVALS; i++) {
        double share = 100 * (double)distribution->counts[i] / (double)count;
        most = fmax(most, share);
        buf_printf(script, "%.6g %.5f \"%.4g to %.4g ms: %.2f %%\"\n", (i + 0.5) * width_ms, share,
                   i * width_ms, (i + 1) * width_ms, share);
    }
    buf_printf(script,
               "EOD\nunset key\nset boxwidth %.6g\nset style fill solid 0.9 noborder\n"
               "set xrange [0:%.6g]\nset yrange [0:*]\nset xtics %g\nset format x '%%g'\n"
               "set format y '%%g'\nset ytics %g\nset ylabel 'share, %%' tc rgb '" PLOT_TEXT "'\n"
               "set xlabel 'milliseconds' tc rgb '" PLOT_TEXT "'\n",
               0.9 * width_ms, DISTRIBUTION_INTERVALS * width_ms,
               charts_tic_step(DISTRIBUTION_INTERVALS * width_ms), charts_tic_step(most));
}

/* Up to `top`, in heights of the axis: above the boxes, and no line through the name of another. */
static void
put_mark(struct buf *script, int number, double at_ms, const char *name, double top)
{
    buf_printf(script,
               "set arrow %d from %.6g, graph 0 to %.6g, graph %.2f nohead front lc rgb '" PLOT_INK
               "' lw 1 dt (3,3)\n"
               "set label %d '%s' at %.6g, graph %.2f left offset 0.4,0 front tc rgb '" PLOT_INK
               "'\n",
               number, at_ms, at_ms, top, number, name, at_ms, top - 0.05);
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
put_distribution(struct charts *charts, const struct analysis_level *level, enum txn_type type,
                 const char *where)
{
    const struct hist *response = &level->transactions[type].response;
    const struct distribution distribution = distribution_of_response(response);
    int64_t p90 = hist_percentile_us(response, 0.9);
    char mean[UNITS_TEXT_SIZE], ninetieth[UNITS_TEXT_SIZE], most[UNITS_TEXT_SIZE];
    struct chart *chart =
        chart_add(charts, "distribution", "distribution", (int)type + 1, 340, 240);

    chart->caption =
        arena_printf(charts->arena, "%s at %s: mean %s, p90 %s, maximum %s", txn_titles[type],
                     where, units_duration(mean, llround(hist_mean_us(response))),
                     units_duration(ninetieth, p90), units_duration(most, response->max_us));
    chart->plot.label =
        arena_printf(charts->arena, "Distribution of response times of %s", chart->caption);
    distribution_data(&chart->plot.script, &distribution, response->count);
    buf_puts(&chart->plot.script, "set tmargin 2.6\n");
    /* The left one is the higher: names stand to the right. */
    bool mean_first = hist_mean_us(response) < (double)p90;
    put_mark(&chart->plot.script, 1, hist_mean_us(response) / 1000, "mean",
             mean_first ? 1.25 : 1.12);
    put_mark(&chart->plot.script, 2, (double)p90 / 1000, "p90", mean_first ? 1.12 : 1.25);
    plot_boxes(&chart->plot.script, "");
}

/* Response times of each type at the peak (5.6.1). */
void
charts_distributions(struct charts *charts, const struct analysis *analysis)
{
    const struct analysis_level *level =
        &analysis->levels[analysis->peak >= 0 ? analysis->peak : analysis->levels_count - 1];

    const char *where = arena_printf(charts->arena, "%d %s", level->virtual_users,
                                     charts_users(level->virtual_users));
    if (analysis->curves_count > 1)
        where = arena_printf(charts->arena, "%s, %s", where, analysis->curves[level->curve].title);
    for (int type = 0; type < TXN_TYPES; type++)
        if (distribution_of_response(&level->transactions[type].response).interval_us > 0)
            put_distribution(charts, level, type, where);
        else if (step_shows(level->steps[0], type))
            chart_absent(charts, "distribution",
                         arena_printf(charts->arena, "%s at %s", txn_titles[type], where),
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
