/* Writes gnuplot scripts and runs gnuplot; chart_svg.c turns its SVG into ours. */
#include "reports/charts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/fs.h"
#include "common/units.h"
#include "reports/chart_svg.h"

#define GNUPLOT_OUTPUT_MAX ((size_t)8 << 20)
#define GNUPLOT_TIMEOUT_US INT64_C(30000000)

/* Colours by role: rgb(1, 2, N) stands for the variable --chart-N. */
#define AXIS      "#010201"
#define TEXT      "#010202"
#define GRID      "#010203"
#define SHADE     "#010204"
#define COLOUR(n) ((n) + 5)

static bool
draw(const struct buf *script, const char *id, struct buf *out, struct err *err)
{
    struct buf svg = {0};
    struct arena arena = {0};
    bool ok;

    /* -d: no start-up file of the user changes the report; LC_ALL: nor does the locale. */
    if (!fs_find_program(&arena, "gnuplot")) {
        ok = err_set(err, ERR_LOCAL, "gnuplot is not installed: the report has no charts");
        err_hint(err, "install it (Debian: gnuplot-nox) and run: ordermill report RUN");
    } else {
        const char *const argv[] = {"env", "LC_ALL=C", "gnuplot", "-d", "-", NULL};
        ok = fs_run_program(argv, script, GNUPLOT_OUTPUT_MAX, GNUPLOT_TIMEOUT_US, &svg, err) &&
             chart_svg_adopt(buf_text(&svg), id, out, err);
    }
    buf_free(&svg);
    arena_free(&arena);
    return ok;
}

static void
begin(struct buf *script, int width, int height)
{
    buf_printf(script,
               "set terminal svg size %d,%d dynamic font 'sans-serif,13'\n"
               "set encoding utf8\n"
               "set border 3 lc rgb '" AXIS "'\n"
               "set tics nomirror out scale 0.5 tc rgb '" TEXT "'\n"
               "set grid ytics lc rgb '" GRID "' lt 1 lw 1\n"
               "set key tmargin left horizontal reverse Left samplen 2 tc rgb '" TEXT "'\n"
               "set format y '%%.0f'\n"
               "set samples 2\n",
               width, height);
}

/* Virtual users on the x axis, a tic at each measured load. A ladder that spans a wide range is
 * shown by powers of two. */
static void
loads_axis(struct buf *script, const struct analysis_level *levels, int count)
{
    int least = levels[0].virtual_users, most = levels[count - 1].virtual_users;
    bool wide = most > 20 * least;

    if (wide)
        buf_puts(script, "set logscale x 2\n");
    buf_printf(script, "set xlabel 'virtual users' tc rgb '" TEXT "'\nset xrange [%g:%g]\n",
               wide ? least / 1.15 : least - 0.04 * (most - least) - 0.2,
               wide ? most * 1.15 : most + 0.04 * (most - least) + 0.2);
    buf_puts(script, "set xtics (");
    /* Linear: no tic nearer to the last one than a thirtieth of the axis. */
    double last = -INFINITY;
    for (int i = 0, shown = 0; i < count; i++) {
        int users = levels[i].virtual_users;
        if (!wide && i > 0 && users - last < (most - least) / 30.0)
            continue;
        buf_printf(script, "%s%d", shown++ ? "," : "", users);
        last = users;
    }
    buf_puts(script, ")\n");
}

/* A tic distance of 1, 2 or 5 times a power of ten that gives at most five tics. */
static double
tic_step(double most)
{
    double step = pow(10, floor(log10(fmax(most, 1) / 5)));

    while (most / step > 5)
        step *= most / step > 12.5 ? 5 : 2;
    return step;
}

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
        buf_printf(script, "%d %.1f \"%d virtual user%s: %s NOPM, mean of %d\"\n",
                   levels[i].virtual_users, levels[i].nopm_mean, levels[i].virtual_users,
                   levels[i].virtual_users == 1 ? "" : "s", units_rate(mean, levels[i].nopm_mean),
                   levels[i].runs);
    }
    buf_puts(script, "EOD\n");
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

bool
charts_curve(const struct analysis *analysis, const struct analysis_curve *curve, struct buf *out,
             struct err *err)
{
    const struct analysis_level *levels = &analysis->levels[curve->first];
    int count = curve->count;
    char id[32];
    bool usl = curve->usl.fitted;
    struct buf script = {0};

    must(count > 0);
    begin(&script, 860, 380);
    loads_axis(&script, levels, count);
    curve_data(&script, levels, count);
    if (usl)
        usl_data(&script, &curve->usl, levels[0].virtual_users, levels[count - 1].virtual_users);
    buf_puts(&script, "set yrange [0:*]\nset offsets graph 0, 0, graph 0.08, 0\n"
                      "set ylabel 'NOPM' tc rgb '" TEXT "'\nplot ");
    if (usl)
        buf_printf(&script,
                   "$usl using 1:2 with lines lc rgb '#0102%02d' lw 1.5 dt (6,5) title "
                   "'scalability law%s', ",
                   COLOUR(4), curve->usl.claimed ? "" : " (no peak claimed)");
    buf_printf(&script,
               "$means using 1:2 with lines lc rgb '#0102%02d' lw 2.5 title 'mean', "
               "$means using 1:2:3:4 with yerrorbars pt 7 ps 0.01 lw 1.5 lc rgb '#0102%02d' "
               "title '95 %% interval', "
               "$tips using 1:2:3 with labels hypertext point pt 7 ps 0.9 lc rgb '#0102%02d' "
               "notitle, "
               "$runs using 1:2 with points pt 7 ps 0.4 lc rgb '#0102%02d' title 'single run'\n",
               COLOUR(1), COLOUR(1), COLOUR(1), COLOUR(2));
    snprintf(id, sizeof id, "curve-%d", curve->first + 1);
    bool ok = draw(&script, id, out, err);
    buf_free(&script);
    return ok;
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
            buf_printf(script, "%d %.3f \"%d virtual user%s: %s %s\"\n", levels[i].virtual_users,
                       (double)us / 1000, levels[i].virtual_users,
                       levels[i].virtual_users == 1 ? "" : "s", percentiles[p].name,
                       units_duration(text, us));
        }
        buf_puts(script, "EOD\n");
    }
}

bool
charts_latency(const struct analysis *analysis, const struct analysis_curve *curve, struct buf *out,
               struct err *err)
{
    const struct analysis_level *levels = &analysis->levels[curve->first];
    int count = curve->count;
    int64_t least = INT64_MAX, most = 0;
    char id[32];
    struct buf script = {0};

    must(count > 0);
    for (int i = 0; i < count; i++) {
        const struct hist *response = &levels[i].transactions[TXN_NEW_ORDER].response;
        least =
            hist_percentile_us(response, 0.5) < least ? hist_percentile_us(response, 0.5) : least;
        most =
            hist_percentile_us(response, 0.99) > most ? hist_percentile_us(response, 0.99) : most;
    }
    begin(&script, 860, 320);
    loads_axis(&script, levels, count);
    latency_data(&script, levels, count);
    buf_puts(&script, "set format y '%g'\nset ylabel 'New-Order response, ms' tc rgb '" TEXT "'\n");
    if (least > 0 && most > 50 * least)
        buf_puts(&script, "set logscale y\n");
    else
        buf_puts(&script, "set yrange [0:*]\nset offsets graph 0, 0, graph 0.08, 0\n");
    buf_puts(&script, "plot ");
    for (size_t p = 0; p < PERCENTILES; p++)
        buf_printf(&script,
                   "$%s using 1:2 with lines lc rgb '#0102%02d' lw 2 title '%s', "
                   "$%s using 1:2:3 with labels hypertext point pt 7 ps 0.6 lc rgb '#0102%02d' "
                   "notitle%s",
                   percentiles[p].name, (int)p + 6, percentiles[p].name, percentiles[p].name,
                   (int)p + 6, p + 1 < PERCENTILES ? ", " : "\n");
    snprintf(id, sizeof id, "latency-%d", curve->first + 1);
    bool ok = draw(&script, id, out, err);
    buf_free(&script);
    return ok;
}

/* Returns the highest point. */
static double
time_data(struct buf *script, const struct step *step, int index)
{
    double most = 0;
    int stride = step->seconds_count / CHART_POINTS_MAX + 1;

    buf_printf(script, "$run%d << EOD\n", index);
    for (int i = 0; i < step->seconds_count; i += stride) {
        double new_orders = 0;
        int taken = 0;
        for (; taken < stride && i + taken < step->seconds_count; taken++)
            new_orders += step->seconds[i + taken].outcomes[TXN_NEW_ORDER][OUTCOME_COMMITTED];
        const struct second *second = &step->seconds[i];
        if (second->phase == PHASE_CONNECT || second->phase == PHASE_DRAIN)
            continue;
        buf_printf(script, "%.1f %.1f\n", second->at_s + taken / 2.0, new_orders * 60 / taken);
        most = fmax(most, new_orders * 60 / taken);
    }
    buf_puts(script, "EOD\n");
    return most;
}

bool
charts_time(const struct analysis *analysis, int index, struct buf *out, struct err *err)
{
    const struct analysis_level *level = &analysis->levels[index];
    double ramp_up_s = (double)level->steps[0]->ramp_up_us / 1e6;
    double end_s = ramp_up_s + (double)level->steps[0]->elapsed_us / 1e6;
    double most = 0;
    struct buf script = {0};
    char id[32];

    begin(&script, 340, 200);
    for (int i = 0; i < level->runs; i++)
        most = fmax(most, time_data(&script, level->steps[i], i));
    buf_printf(&script,
               "unset key\nset yrange [0:%.0f]\nset ytics %g\n"
               "set xrange [0:%.1f]\nset xtics autofreq\nset xlabel 'seconds' tc rgb '" TEXT "'\n",
               1.1 * fmax(most, 1), tic_step(most), end_s);
    if (ramp_up_s > 0)
        buf_printf(&script,
                   "set object 1 rect from graph 0, graph 0 to %.1f, graph 1 fc rgb '" SHADE
                   "' fs solid noborder behind\n",
                   ramp_up_s);
    buf_puts(&script, "plot ");
    for (int i = 0; i < level->runs; i++)
        buf_printf(&script, "%s$run%d using 1:2 with lines lw 1.2 lc rgb '#0102%02d' notitle",
                   i ? ", " : "", i, i % 4 + 6);
    buf_puts(&script, "\n");
    snprintf(id, sizeof id, "time-%d", index + 1);
    bool ok = draw(&script, id, out, err);
    buf_free(&script);
    return ok;
}
