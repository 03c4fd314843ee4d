/* Charts with the load on the x axis: throughput, response times, one curve for each number of
 * warehouses, and those as a surface. */
#include <math.h>
#include <string.h>

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

static void
plot_means(struct buf *script)
{
    buf_printf(script,
               "$means using 1:2 with lines lc rgb '" PLOT_COLOUR "' lw 2.5 title 'mean', "
               "$means using 1:2:3:4 with yerrorbars pt 7 ps 0.9 lw 1.5 lc rgb '" PLOT_COLOUR
               "' title '95 %% interval'",
               PLOT_SERIES(0), PLOT_SERIES(0));
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
    chart->caption =
        "New-orders per minute against virtual users, with 95 % intervals over repeats.";
    chart->plot.label = chart->caption;
    charts_loads_axis(script, &analysis->levels[first], end - first);
    curve_data(script, &analysis->levels[first], end - first);
    buf_printf(script,
               "set yrange [0:*]\nset offsets graph 0, 0, graph 0.08, 0\nunset key\n"
               "set ylabel '%s' tc rgb '" PLOT_TEXT "'\nplot ",
               step_rate_name(analysis->levels[first].steps[0]));
    plot_means(script);
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
    chart->caption = "New-orders per minute against virtual users.";
    chart->plot.label = "New-orders per minute against virtual users: means with intervals, single "
                        "runs, and the scalability law where it was fitted. The table below has "
                        "the figures.";
    charts_loads_axis(script, levels, count);
    curve_data(script, levels, count);
    int beyond = beyond_data(script, levels, count);
    if (usl->fitted)
        usl_data(script, usl, levels[0].virtual_users, levels[count - 1].virtual_users);
    buf_printf(script,
               "set yrange [0:*]\nset offsets graph 0, 0, graph 0.08, 0\n"
               "set ylabel '%s' tc rgb '" PLOT_TEXT "'\nplot ",
               step_rate_name(levels[0].steps[0]));
    if (usl->fitted)
        buf_printf(script,
                   "$usl using 1:2 with lines lc rgb '" PLOT_COLOUR "' lw 1.5 dt (6,5) title "
                   "'scalability law%s', ",
                   PLOT_SERIES(3), usl->claimed ? "" : " (no peak claimed)");
    plot_means(script);
    buf_printf(script,
               ", $runs using 1:2 with points pt 7 ps 0.4 lc rgb '" PLOT_COLOUR
               "' title 'single run'",
               PLOT_SERIES(1));
    if (beyond > 0)
        buf_puts(script, ", $beyond using 1:2 with points pt 6 ps 1.8 lw 1.5 lc rgb '" PLOT_INK
                         "' title 'breaks a latency limit'");
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
latency_data(struct buf *script, const struct analysis_level *levels, int count)
{
    for (size_t p = 0; p < PERCENTILES; p++) {
        buf_printf(script, "$%s << EOD\n", percentiles[p].name);
        for (int i = 0; i < count; i++) {
            char text[UNITS_TEXT_SIZE];
            int64_t us = hist_percentile_us(&levels[i].transactions[TXN_NEW_ORDER].response,
                                            percentiles[p].fraction);
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
    int64_t least = INT64_MAX, most = 0;
    struct chart *chart = chart_add(charts, "latency", "latency", first + 1, 860, 320);
    struct buf *script = &chart->plot.script;

    chart->group = charts_group(analysis, first);
    chart->caption = "Percentiles of the New-Order response against virtual users.";
    chart->plot.label = chart->caption;
    for (int i = 0; i < end - first; i++) {
        const struct hist *response = &levels[i].transactions[TXN_NEW_ORDER].response;
        int64_t p50 = hist_percentile_us(response, 0.5), p99 = hist_percentile_us(response, 0.99);
        least = p50 < least ? p50 : least;
        most = p99 > most ? p99 : most;
    }
    charts_loads_axis(script, levels, end - first);
    latency_data(script, levels, end - first);
    buf_puts(script,
             "set format y '%g'\nset ylabel 'New-Order response, ms' tc rgb '" PLOT_TEXT "'\n");
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

/* ---- several numbers of warehouses ---- */

static bool
differ_in_warehouses(const struct step *a, const struct step *b)
{
    return strcmp(a->configuration, b->configuration) == 0 && strcmp(a->call, b->call) == 0 &&
           strcmp(a->mix_name, b->mix_name) == 0 && strcmp(a->server, b->server) == 0;
}

/* The first level after those that share all but warehouses and virtual users. */
static int
configuration_end(const struct analysis *analysis, int first)
{
    int end = first + 1;

    while (end < analysis->levels_count &&
           differ_in_warehouses(analysis->levels[end].steps[0], analysis->levels[first].steps[0]))
        end++;
    return end;
}

static void
put_lines(struct charts *charts, const struct analysis *analysis, int first, int end)
{
    struct chart *chart = chart_add(charts, "warehouses", "warehouses", first + 1, 860, 360);
    struct buf *script = &chart->plot.script;
    struct buf plots = {0};
    int least = INT32_MAX, most = 0, line = 0;

    chart->caption = "New-orders per minute against virtual users, one line for each number of "
                     "warehouses.";
    chart->plot.label = chart->caption;
    for (int from = first, to; from < end; from = to, line++) {
        to = charts_group_end(analysis, from);
        int colour = PLOT_SERIES(line % PLOT_SERIES_COUNT);
        int warehouses = analysis->levels[from].warehouses;
        buf_printf(script, "$w%d << EOD\n", line);
        for (int i = from; i < to; i++) {
            const struct analysis_level *level = &analysis->levels[i];
            char mean[UNITS_TEXT_SIZE];
            buf_printf(script, "%d %.1f \"%d warehouses, %d %s: %s NOPM\"\n", level->virtual_users,
                       level->nopm_mean, warehouses, level->virtual_users,
                       charts_users(level->virtual_users), units_rate(mean, level->nopm_mean));
            least = level->virtual_users < least ? level->virtual_users : least;
            most = level->virtual_users > most ? level->virtual_users : most;
        }
        buf_puts(script, "EOD\n");
        buf_printf(&plots,
                   "%s$w%d using 1:2 with lines lw 2 lc rgb '" PLOT_COLOUR "' title '%d', "
                   "$w%d using 1:2:3 with labels hypertext point pt 7 ps 0.7 lc rgb '" PLOT_COLOUR
                   "' notitle",
                   line ? ", " : "", line, colour, warehouses, line, colour);
    }
    const struct analysis_level ends[] = {{.virtual_users = least}, {.virtual_users = most}};
    charts_loads_axis(script, ends, 2);
    buf_puts(script, "set xtics autofreq\nset yrange [0:*]\nset offsets graph 0, 0, graph 0.08, 0\n"
                     "set ylabel 'NOPM' tc rgb '" PLOT_TEXT "'\n"
                     "set key title 'warehouses' tc rgb '" PLOT_TEXT "'\nplot ");
    buf_puts(script, buf_text(&plots));
    buf_putc(script, '\n');
    buf_free(&plots);
}

static const struct analysis_level *
find_level(const struct analysis *analysis, int first, int end, int virtual_users)
{
    for (int i = first; i < end; i++)
        if (analysis->levels[i].virtual_users == virtual_users)
            return &analysis->levels[i];
    return NULL;
}

/* A surface needs loads that were measured with every number of warehouses: nothing between
 * measurements is made up. Returns how many there are, with their points in the script. */
static int
surface_data(struct buf *script, const struct analysis *analysis, int first, int end)
{
    int loads = 0;

    buf_puts(script, "$surface << EOD\n");
    for (int i = first; i < charts_group_end(analysis, first); i++) {
        int users = analysis->levels[i].virtual_users;
        struct buf block = {0};
        bool everywhere = true;
        for (int from = first, to; from < end; from = to) {
            to = charts_group_end(analysis, from);
            const struct analysis_level *level = find_level(analysis, from, to, users);
            everywhere = everywhere && level;
            if (level)
                buf_printf(&block, "%d %d %.1f\n", users, level->warehouses, level->nopm_mean);
        }
        if (everywhere)
            buf_printf(script, "%s%s", loads++ ? "\n" : "", buf_text(&block));
        buf_free(&block);
    }
    buf_puts(script, "EOD\n");
    return loads;
}

static void
put_surface(struct charts *charts, const struct analysis *analysis, int first, int end)
{
    struct chart *chart = chart_add(charts, "warehouses", "surface", first + 1, 860, 480);
    struct buf *script = &chart->plot.script, tics = {0};

    chart->caption = "The same as a surface: virtual users, warehouses, NOPM; only loads that were "
                     "measured with every number of warehouses.";
    chart->plot.label = chart->caption;
    if (surface_data(script, analysis, first, end) < 2) {
        buf_free(&chart->plot.script);
        charts->count--;
        chart_absent(charts, "warehouses", "Surface over virtual users and warehouses",
                     "fewer than two loads were measured with every number of warehouses");
        return;
    }
    for (int from = first; from < end; from = charts_group_end(analysis, from))
        buf_printf(&tics, "%s%d", tics.length ? "," : "", analysis->levels[from].warehouses);
    buf_printf(script,
               "set border 127 lc rgb '" PLOT_AXIS "'\nset hidden3d\nset view 62,320\n"
               "set xyplane 0\nset zrange [0:*]\nset format x '%%.0f'\nset ticslevel 0\n"
               "set xlabel 'virtual users' tc rgb '" PLOT_TEXT "'\n"
               "set ylabel 'warehouses' tc rgb '" PLOT_TEXT "'\n"
               "set zlabel 'NOPM' rotate tc rgb '" PLOT_TEXT "'\nset format z '%%.0f'\n"
               "unset key\nset xtics offset 0,-0.4\nset ytics (%s)\n"
               "splot $surface using 1:2:3 with linespoints pt 7 ps 0.5 lw 1.5 "
               "lc rgb '" PLOT_COLOUR "'\n",
               buf_text(&tics), PLOT_SERIES(0));
    buf_free(&tics);
}

void
charts_warehouses(struct charts *charts, const struct analysis *analysis)
{
    bool any = false;

    for (int first = 0, end; first < analysis->levels_count; first = end) {
        end = configuration_end(analysis, first);
        if (charts_group_end(analysis, first) == end)
            continue;
        any = true;
        put_lines(charts, analysis, first, end);
        const char *configuration = analysis->levels[first].steps[0]->configuration;
        if (configuration[0])
            charts->charts[charts->count - 1].group = configuration;
        put_surface(charts, analysis, first, end);
    }
    if (!any)
        chart_absent(charts, "warehouses", "Curves by warehouses",
                     "the run has one number of warehouses only");
}
