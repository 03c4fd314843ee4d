/* Charts of one curve with the load on the x axis: throughput and response times. */
#include <math.h>

#include "common/units.h"
#include "reports/charts_parts.h"

static void
curve_data(struct buf *script, const struct analysis_level *levels, int count)
{
    buf_puts(script, "$means << EOD\n");
    for (int i = 0; i < count; i++) {
        const struct analysis_level *level = &levels[i];
        bool valid = level->nopm_interval.valid;
        buf_printf(script, "%d %.1f %.1f %.1f\n", level->virtual_users, level->nopm_mean,
                   valid ? level->nopm_interval.low : level->nopm_mean,
                   valid ? level->nopm_interval.high : level->nopm_mean);
    }
    buf_puts(script, "EOD\n$runs << EOD\n");
    for (int i = 0; i < count; i++)
        for (int j = 0; j < levels[i].runs; j++)
            buf_printf(script, "%d %.1f\n", levels[i].virtual_users, levels[i].nopm[j]);
    buf_puts(script, "EOD\n$tips << EOD\n");
    for (int i = 0; i < count; i++) {
        char mean[UNITS_TEXT_SIZE];
        buf_printf(script, "%d %.1f \"%d %s: %s %s, mean of %d\"\n", levels[i].virtual_users,
                   levels[i].nopm_mean, levels[i].virtual_users,
                   charts_users(levels[i].virtual_users), units_rate(mean, levels[i].nopm_mean),
                   step_rate_name(levels[i].steps[0]), levels[i].runs);
    }
    buf_puts(script, "EOD\n");
}

/* Those that break a latency limit; returns how many. */
static int
beyond_data(struct buf *script, const struct analysis_level *levels, int count)
{
    int beyond = 0;

    buf_puts(script, "$beyond << EOD\n");
    for (int i = 0; i < count; i++)
        if (!levels[i].latency_holds) {
            buf_printf(script, "%d %.1f\n", levels[i].virtual_users, levels[i].nopm_mean);
            beyond++;
        }
    buf_puts(script, "EOD\n");
    return beyond;
}

/* Those that do not stand; returns how many. */
static int
void_data(struct buf *script, const struct analysis_level *levels, int count)
{
    int fallen = 0;

    buf_puts(script, "$void << EOD\n");
    for (int i = 0; i < count; i++)
        if (!levels[i].stands) {
            buf_printf(script, "%d %.1f\n", levels[i].virtual_users, levels[i].nopm_mean);
            fallen++;
        }
    buf_puts(script, "EOD\n");
    return fallen;
}

static void
plot_void(struct buf *script)
{
    buf_printf(script,
               ", $void using 1:2 with points pt 2 ps 1.6 lw 3 lc rgb '" PLOT_COLOUR
               "' title 'void'",
               PLOT_SERIES(4));
}

static void
usl_data(struct buf *script, const struct stats_usl *usl, double from, double to)
{
    buf_puts(script, "$usl << EOD\n");
    for (int i = 0; i <= 60; i++) {
        double load = from * pow(to / from, i / 60.0);
        buf_printf(script, "%.4f %.1f\n", load, stats_usl_value(usl, load));
    }
    buf_puts(script, "EOD\n");
}

static bool
any_interval(const struct analysis_level *levels, int count)
{
    for (int i = 0; i < count; i++)
        if (levels[i].nopm_interval.valid)
            return true;
    return false;
}

/* Returns whether an interval is cut off. */
static bool
rate_axis(struct buf *script, const struct analysis_level *levels, int count)
{
    double most = 0, high = 0;

    for (int i = 0; i < count; i++)
        charts_rate_range(&levels[i], &most, &high);
    return charts_rate_axis(script, step_rate_name(levels[0].steps[0]), most, high);
}

/* The key speaks of intervals only where there is one. */
static void
plot_means(struct buf *script, bool intervals)
{
    buf_printf(script, "$means using 1:2 with lines lc rgb '" PLOT_COLOUR "' lw 2.5 title 'mean', ",
               PLOT_SERIES(0));
    if (intervals)
        buf_printf(script,
                   "$means using 1:2:3:4 with yerrorbars pt 7 ps 0.9 lw 1.5 lc rgb '" PLOT_COLOUR
                   "' title '95 %% interval'",
                   PLOT_SERIES(0));
    else
        buf_printf(script,
                   "$means using 1:2 with points pt 7 ps 0.9 lc rgb '" PLOT_COLOUR "' notitle",
                   PLOT_SERIES(0));
}

/* Last, or what lies above would take the pointer. */
static void
plot_tips(struct buf *script)
{
    buf_puts(script,
             ", $tips using 1:2:3 with labels hypertext point pt 7 ps 1.2 lc rgb '" PLOT_HOVER
             "' notitle\n");
}

/* What the first screen shows: the means of the group of the peak. */
void
charts_summary(struct charts *charts, const struct analysis *analysis)
{
    int first = 0, end = charts_group_end(analysis, 0);

    while (analysis->peak >= end) {
        first = end;
        end = charts_group_end(analysis, first);
    }
    struct chart *chart = chart_add(charts, "headline", "summary", 0, 560, 290);
    struct buf *script = &chart->plot.script;
    bool intervals = any_interval(&analysis->levels[first], end - first);
    chart->caption = arena_printf(
        charts->arena,
        intervals ? "%s against virtual users, with 95 %% intervals over repeats."
                  : "%s against virtual users; each level was measured once, so without intervals.",
        charts_rate_words(analysis->levels[first].steps[0]));
    charts_levels_axis(charts, chart, &analysis->levels[first], end - first);
    curve_data(script, &analysis->levels[first], end - first);
    if (rate_axis(script, &analysis->levels[first], end - first))
        chart->caption = arena_printf(charts->arena, "%s " CHARTS_CUT_OFF, chart->caption);
    int fallen = void_data(script, &analysis->levels[first], end - first);
    if (fallen > 0)
        chart->caption = arena_printf(charts->arena, "%s Crossed out: void.", chart->caption);
    chart->plot.label = chart->caption;
    buf_puts(script, "unset key\nplot ");
    plot_means(script, intervals);
    if (fallen > 0)
        plot_void(script);
    plot_tips(script);
}

static void
put_curve(struct charts *charts, const struct analysis *analysis, int first, int end)
{
    const struct analysis_level *levels = &analysis->levels[first];
    int count = end - first;
    const struct stats_usl *usl = &analysis->curves[levels->curve].usl;
    struct chart *chart = chart_add(charts, "profile", "curve", first + 1, 860, 380);
    struct buf *script = &chart->plot.script;

    chart->group = charts_group(analysis, first);
    const char *rate = charts_rate_words(levels->steps[0]);
    chart->caption = arena_printf(charts->arena, "%s against virtual users.", rate);
    chart->plot.label = arena_printf(
        charts->arena,
        "%s against virtual users: means with intervals, single runs, and the scalability law "
        "where it was fitted. The table below has the figures.",
        rate);
    charts_levels_axis(charts, chart, levels, count);
    curve_data(script, levels, count);
    int beyond = beyond_data(script, levels, count), fallen = void_data(script, levels, count);
    if (usl->fitted)
        usl_data(script, usl, levels[0].virtual_users, levels[count - 1].virtual_users);
    if (rate_axis(script, levels, count))
        chart->caption = arena_printf(charts->arena, "%s " CHARTS_CUT_OFF, chart->caption);
    buf_puts(script, "plot ");
    if (usl->fitted)
        buf_printf(script,
                   "$usl using 1:2 with lines lc rgb '" PLOT_COLOUR "' lw 1.5 dt (6,5) title "
                   "'scalability law%s', ",
                   PLOT_SERIES(3), usl->claimed ? "" : " (no peak claimed)");
    plot_means(script, any_interval(levels, count));
    buf_printf(script,
               ", $runs using 1:2 with points pt 7 ps 0.4 lc rgb '" PLOT_COLOUR
               "' title 'single run'",
               PLOT_SERIES(1));
    if (beyond > 0)
        buf_puts(script, ", $beyond using 1:2 with points pt 6 ps 1.8 lw 1.5 lc rgb '" PLOT_INK
                         "' title 'breaks a latency limit'");
    if (fallen > 0)
        plot_void(script);
    plot_tips(script);
}

void
charts_curves(struct charts *charts, const struct analysis *analysis)
{
    for (int first = 0, end; first < analysis->levels_count; first = end) {
        end = charts_group_end(analysis, first);
        put_curve(charts, analysis, first, end);
    }
}

static const struct {
    const char *name;
    double fraction;
} percentiles[] = {{"p99", 0.99}, {"p95", 0.95}, {"p90", 0.90}, {"p50", 0.50}};
#define PERCENTILES (sizeof percentiles / sizeof percentiles[0])

static void
latency_data(struct buf *script, const struct analysis_level *levels, int count, enum txn_type type)
{
    for (size_t p = 0; p < PERCENTILES; p++) {
        buf_printf(script, "$%s << EOD\n", percentiles[p].name);
        for (int i = 0; i < count; i++) {
            char text[UNITS_TEXT_SIZE];
            int64_t us =
                hist_percentile_us(&levels[i].transactions[type].response, percentiles[p].fraction);
            buf_printf(script, "%d %.3f \"%d %s: %s %s\"\n", levels[i].virtual_users,
                       (double)us / 1000, levels[i].virtual_users,
                       charts_users(levels[i].virtual_users), percentiles[p].name,
                       units_duration(text, us));
        }
        buf_puts(script, "EOD\n");
    }
}

static void
put_latency(struct charts *charts, const struct analysis *analysis, int first, int end)
{
    const struct analysis_level *levels = &analysis->levels[first];
    enum txn_type type = step_main_type(levels->steps[0]);
    int64_t least = INT64_MAX, most = 0;
    struct chart *chart = chart_add(charts, "latency", "latency", first + 1, 860, 320);
    struct buf *script = &chart->plot.script;

    chart->group = charts_group(analysis, first);
    chart->caption = arena_printf(
        charts->arena, "Percentiles of the %s response against virtual users.", txn_titles[type]);
    chart->plot.label = chart->caption;
    for (int i = 0; i < end - first; i++) {
        const struct hist *response = &levels[i].transactions[type].response;
        int64_t p50 = hist_percentile_us(response, 0.5), p99 = hist_percentile_us(response, 0.99);
        least = p50 < least ? p50 : least;
        most = p99 > most ? p99 : most;
    }
    charts_levels_axis(charts, chart, levels, end - first);
    latency_data(script, levels, end - first, type);
    buf_printf(script, "set format y '%%g'\nset ylabel '%s response, ms' tc rgb '" PLOT_TEXT "'\n",
               txn_titles[type]);
    if (least > 0 && most > 50 * least)
        buf_puts(script, "set logscale y\n");
    else
        buf_puts(script, "set yrange [0:*]\nset offsets graph 0, 0, graph 0.08, 0\n");
    buf_puts(script, "plot ");
    for (size_t p = 0; p < PERCENTILES; p++)
        buf_printf(script,
                   "$%s using 1:2 with lines lc rgb '" PLOT_COLOUR "' lw 2 title '%s', "
                   "$%s using 1:2:3 with labels hypertext point pt 7 ps 0.6 lc rgb '" PLOT_COLOUR
                   "' notitle%s",
                   percentiles[p].name, PLOT_SERIES((int)p), percentiles[p].name,
                   percentiles[p].name, PLOT_SERIES((int)p), p + 1 < PERCENTILES ? ", " : "\n");
}

void
charts_latencies(struct charts *charts, const struct analysis *analysis)
{
    for (int first = 0, end; first < analysis->levels_count; first = end) {
        end = charts_group_end(analysis, first);
        put_latency(charts, analysis, first, end);
    }
}
