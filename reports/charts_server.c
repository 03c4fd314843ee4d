/* Charts of what was seen beside the load: what sessions waited for, the cores, disks and log. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "reports/charts_parts.h"
#include "reports/level_metrics.h"

#define CORES_MAX   4096
#define LABELS_MAX  24
#define CELLS_MAX   4096 /* of a heat map */
#define CORES_SHOWN 128  /* rows; of more cores neighbours share one */

/* Names of wait events come from the server, extensions included: what gnuplot gets holds neither
 * quotes nor anything else that it could take for more than letters. */
static char *
plain(struct arena *arena, const char *text)
{
    char *copy = arena_printf(arena, "%.40s", text);

    for (char *c = copy; *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
              strchr(" :._-", *c)))
            *c = '?';
    return copy;
}

/* Levels one beside the other, whatever their distance; not more labels than there is room for. */
static void
level_tics(struct buf *script, const struct analysis_level *levels, int count)
{
    int stride = (count + LABELS_MAX - 1) / LABELS_MAX;

    buf_puts(script, "set xtics (");
    for (int i = 0; i < count; i += stride)
        buf_printf(script, "%s'%d' %d", i ? ", " : "", levels[i].virtual_users, i);
    buf_puts(script, ")\n");
}

/* ---- waits ---- */

struct waits {
    const char *names[PLOT_SERIES_COUNT]; /* with all colours in use, the last is "other" */
    int count;
};

/* Mean sessions in each, and in any. */
static double
wait_levels(const struct waits *waits, const struct analysis_level *level,
            double sessions[PLOT_SERIES_COUNT])
{
    double all = level_metrics_mean(level, METRIC_SERVER, "wait", NULL), rest = all;

    for (int i = 0; i < waits->count - 1; i++) {
        double mean = level_metrics_mean(level, METRIC_SERVER, "wait", waits->names[i]);
        sessions[i] = isnan(mean) ? 0 : mean;
        rest -= sessions[i];
    }
    sessions[waits->count - 1] = fmax(rest, 0);
    return all;
}

/* Bars from the bottom up: each wait as a box from `low` to `high` percent. */
static void
wait_data(struct buf *script, const struct waits *waits, const struct analysis_level *levels,
          int count, struct arena *arena)
{
    for (int w = 0; w < waits->count; w++) {
        buf_printf(script, "$wait%d << EOD\n", w);
        for (int i = 0; i < count; i++) {
            double sessions[PLOT_SERIES_COUNT], low = 0;
            double all = wait_levels(waits, &levels[i], sessions);
            if (!(all > 0))
                continue;
            for (int below = 0; below < w; below++)
                low += 100 * sessions[below] / all;
            double share = 100 * sessions[w] / all;
            buf_printf(script, "%d %.3f %.3f %.3f \"%d %s: %s %.1f %%, %.2f sessions\"\n", i,
                       low + share / 2, low, low + share, levels[i].virtual_users,
                       charts_users(levels[i].virtual_users), plain(arena, waits->names[w]), share,
                       sessions[w]);
        }
        buf_puts(script, "EOD\n");
    }
}

static void
put_waits(struct charts *charts, const struct analysis *analysis, int first, int end,
          const struct waits *waits)
{
    struct chart *chart = chart_add(charts, "waits", "waits", first + 1, 860, 380);
    struct buf *script = &chart->plot.script;
    int count = end - first;

    chart->group = charts_group(analysis, first);
    chart->caption = "What active sessions did, as shares of the database time; CPU: running, or "
                     "able to run.";
    chart->plot.label = chart->caption;
    wait_data(script, waits, &analysis->levels[first], count, charts->arena);
    buf_printf(script,
               "set key outside right top vertical reverse Left noenhanced samplen 1 "
               "spacing 1.2 tc rgb '" PLOT_TEXT "'\n"
               "set style fill solid 0.95 noborder\nset xrange [-0.6:%.1f]\nset yrange [0:100]\n"
               "set ylabel 'share, %%' tc rgb '" PLOT_TEXT "'\n"
               "set xlabel 'virtual users' tc rgb '" PLOT_TEXT "'\n",
               count - 0.4);
    level_tics(script, &analysis->levels[first], count);
    buf_puts(script, "plot ");
    for (int w = waits->count - 1; w >= 0; w--)
        buf_printf(script,
                   "$wait%d using 1:2:(0.4):($4-$3)/2 with boxxyerror lc rgb '" PLOT_COLOUR
                   "' title '%s', ",
                   w, PLOT_SERIES(w), plain(charts->arena, waits->names[w]));
    for (int w = 0; w < waits->count; w++)
        buf_printf(script,
                   "%s$wait%d using 1:2:5 with labels hypertext point pt 5 ps 2 lc rgb '" PLOT_HOVER
                   "' notitle",
                   w ? ", " : "", w);
    buf_putc(script, '\n');
}

void
charts_waits(struct charts *charts, const struct analysis *analysis)
{
    struct waits waits = {{0}, 0};

    waits.count = level_metrics_instances(analysis, METRIC_SERVER, "wait", NULL, waits.names,
                                          PLOT_SERIES_COUNT);
    if (waits.count == 0) {
        const char *why = level_metrics_missing(analysis, METRIC_SERVER, "wait");
        chart_absent(charts, "waits", "Wait events", why ? why : "they were not sampled");
        return;
    }
    if (waits.count == PLOT_SERIES_COUNT)
        waits.names[waits.count - 1] = "other";
    for (int first = 0, end; first < analysis->levels_count; first = end) {
        double sessions[PLOT_SERIES_COUNT];
        end = charts_group_end(analysis, first);
        if (wait_levels(&waits, &analysis->levels[first], sessions) > 0)
            put_waits(charts, analysis, first, end, &waits);
    }
}

/* ---- cores ---- */

static int
count_cores(const struct analysis *analysis, enum metric_source host)
{
    const char *names[1024];
    int found = level_metrics_instances(analysis, host, "cpu_busy", "all", names, 1024);
    int64_t most = 0;

    for (int i = 0; i < found; i++) {
        int64_t number;
        struct err ignored;
        if (strncmp(names[i], "cpu", 3) == 0 && units_parse_int(names[i] + 3, &number, &ignored) &&
            number >= most)
            most = number + 1;
    }
    return (int)(most < CORES_MAX ? most : CORES_MAX);
}

/* The mean of neighbouring cores; NAN where nothing is known of them. */
static double
core_busy(const struct analysis_level *level, enum metric_source host, int from, int to)
{
    double sum = 0;
    int known = 0;

    for (int core = from; core < to; core++) {
        char name[16];
        snprintf(name, sizeof name, "cpu%d", core);
        double busy = level_metrics_mean(level, host, "cpu_busy", name);
        sum += isnan(busy) ? 0 : busy;
        known += !isnan(busy);
    }
    return known > 0 ? sum / known : NAN;
}

static void
core_data(struct buf *script, const struct analysis_level *levels, int count,
          enum metric_source host, int cores, int stride)
{
    buf_puts(script, "$cores << EOD\n");
    for (int i = 0; i < count; i++)
        for (int from = 0; from < cores; from += stride) {
            double busy = core_busy(&levels[i], host, from, from + stride);
            if (isnan(busy))
                continue;
            int heat = (int)fmin(PLOT_HEATS - 1, fmax(0, busy / 100 * PLOT_HEATS));
            buf_printf(script, "%d %d \"" PLOT_COLOUR "\" \"%d %s, cpu%d: %.0f %%\"\n", i,
                       from / stride, PLOT_HEAT(heat), levels[i].virtual_users,
                       charts_users(levels[i].virtual_users), from, busy);
        }
    buf_puts(script, "EOD\n");
}

static void
put_cores(struct charts *charts, const struct analysis *analysis, enum metric_source host,
          const char *id, const char *whose)
{
    const struct analysis_level *levels = analysis->levels;
    int count = analysis->levels_count, cores = count_cores(analysis, host);
    int most = CELLS_MAX / count < CORES_SHOWN ? CELLS_MAX / count + 1 : CORES_SHOWN;
    int stride = (cores + most - 1) / most;

    if (cores == 0) {
        const char *why = level_metrics_missing(analysis, host, "cpu_busy");
        chart_absent(charts, "cores", whose, why ? why : "they were not sampled");
        return;
    }
    int rows = (cores + stride - 1) / stride;
    struct chart *chart = chart_add(charts, "cores", id, 0, 860, 130 + (rows < 16 ? 20 : 6) * rows);
    struct buf *script = &chart->plot.script;
    chart->caption = arena_printf(charts->arena,
                                  "%s: how busy each core was at each level, in ten shades from "
                                  "idle to all of its time%s.",
                                  whose, stride > 1 ? "; several cores share a row" : "");
    chart->plot.label = chart->caption;
    core_data(script, levels, count, host, cores, stride);
    buf_printf(script,
               "unset grid\nset style fill solid noborder\nset xrange [-0.6:%.1f]\n"
               "set yrange [-0.6:%.1f]\nset ylabel 'core' tc rgb '" PLOT_TEXT "'\n"
               "set ytics %d\nset xlabel 'virtual users' tc rgb '" PLOT_TEXT "'\n",
               count - 0.4, rows - 0.4, rows > 8 ? rows / 8 : 1);
    level_tics(script, levels, count);
    buf_puts(script,
             "set key tmargin right horizontal maxrows 1 samplen 1 tc rgb '" PLOT_TEXT "'\nplot ");
    for (int heat = 0; heat < PLOT_HEATS; heat++)
        buf_printf(script, "keyentry with boxes lc rgb '" PLOT_COLOUR "' title '%d%s', ",
                   PLOT_HEAT(heat), heat * 100 / PLOT_HEATS,
                   heat + 1 < PLOT_HEATS ? "" : " % busy");
    buf_puts(script, "$cores using 1:2:(0.48):(0.46):(int('0x'.strcol(3)[2:7])) with "
                     "boxxyerror lc rgb variable notitle, "
                     "$cores using 1:2:4 with labels hypertext point pt 5 ps 1 lc rgb '" PLOT_HOVER
                     "' notitle\n");
}

void
charts_cores(struct charts *charts, const struct run *run, const struct analysis *analysis)
{
    enum metric_source server = level_metrics_server_host(run);

    if (server == METRIC_DRIVER_HOST) {
        put_cores(charts, analysis, server, "cores", "Driver and server, one machine");
        return;
    }
    put_cores(charts, analysis, METRIC_SERVER_HOST, "cores-server", "The server's machine");
    put_cores(charts, analysis, METRIC_DRIVER_HOST, "cores-driver", "The driver's machine");
}

/* ---- disks and log ---- */

enum measure { MEASURE_RATE, MEASURE_PER_NEW_ORDER };

static double
measure(const struct analysis_level *level, enum metric_source source, const char *name,
        enum measure how)
{
    return how == MEASURE_RATE ? level_metrics_mean(level, source, name, NULL)
                               : level_metrics_per_new_order(level, source, name);
}

struct io {
    const char *id, *title, *name, *unit;
    bool is_host;
    enum measure how;
    double divisor;
};

static void
put_io(struct charts *charts, const struct analysis *analysis, const struct io *io,
       enum metric_source source, int first, int end)
{
    const struct analysis_level *levels = &analysis->levels[first];
    struct buf data = {0};
    bool is_share = strcmp(io->unit, "%") == 0;
    int known = 0;

    for (int i = 0; i < end - first; i++) {
        double value = measure(&levels[i], source, io->name, io->how) / io->divisor;
        if (isnan(value))
            continue;
        buf_printf(&data, "%d %.6g \"%d %s: %.3g %s\"\n", levels[i].virtual_users, value,
                   levels[i].virtual_users, charts_users(levels[i].virtual_users), value, io->unit);
        known++;
    }
    if (known == 0) {
        const char *why = io->how == MEASURE_PER_NEW_ORDER && !step_has_nopm(levels->steps[0])
                              ? "the mix has no new-order"
                              : level_metrics_missing(analysis, source, io->name);
        chart_absent(charts, "io", io->title, why ? why : "it was not sampled");
    } else {
        struct chart *chart = chart_add(charts, "io", io->id, first + 1, 340, 220);
        chart->caption = io->title;
        const char *group = charts_group(analysis, first);
        if (group)
            chart->caption = arena_printf(charts->arena, "%s, %s", io->title, group);
        chart->plot.label = chart->caption;
        charts_loads_axis(&chart->plot.script, levels, end - first);
        buf_printf(
            &chart->plot.script,
            "$values << EOD\n%sEOD\nunset key\nset yrange [0:%s]\n"
            "set offsets graph 0, 0, graph %s, 0\nset format y '%%g'\n"
            "set ylabel '%s' tc rgb '" PLOT_TEXT "'\n"
            "plot $values using 1:2 with lines lw 2 lc rgb '" PLOT_COLOUR "' notitle, "
            "$values using 1:2:3 with labels hypertext point pt 7 ps 0.7 lc rgb '" PLOT_COLOUR
            "' notitle\n",
            buf_text(&data), is_share ? "100" : "*", is_share ? "0" : "0.1", io->unit,
            PLOT_SERIES(0), PLOT_SERIES(0));
    }
    buf_free(&data);
}

/* Of the group with the highest throughput. */
void
charts_io(struct charts *charts, const struct run *run, const struct analysis *analysis)
{
    static const struct io ios[] = {
        {"wal-order", "Write-ahead log for each new-order", "wal_bytes", "kB", false,
         MEASURE_PER_NEW_ORDER, 1000},
        {"wal", "Write-ahead log", "wal_bytes", "MB/s", false, MEASURE_RATE, 1e6},
        {"images", "Full-page images for each new-order", "wal_full_page_images", "pages", false,
         MEASURE_PER_NEW_ORDER, 1},
        {"hits", "Blocks found in shared buffers", "hit_ratio", "%", false, MEASURE_RATE, 1},
        {"written", "Written to the server's disks", "disk_written", "MB/s", true, MEASURE_RATE,
         1e6},
        {"read", "Read from the server's disks", "disk_read", "MB/s", true, MEASURE_RATE, 1e6},
    };
    int first = 0, end = charts_group_end(analysis, 0);

    while (analysis->peak >= end) {
        first = end;
        end = charts_group_end(analysis, first);
    }
    for (size_t i = 0; i < sizeof ios / sizeof ios[0]; i++)
        put_io(charts, analysis, &ios[i],
               ios[i].is_host ? level_metrics_server_host(run) : METRIC_SERVER, first, end);
}
