/* Charts of what was seen beside the load: what sessions waited for, disks and log. */
#include <math.h>
#include <string.h>

#include "common/units.h"
#include "reports/charts_parts.h"
#include "reports/level_metrics.h"

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

/* ---- waits ---- */

struct waits {
    const char *names[PLOT_SERIES_COUNT]; /* one for each colour */
    int count;
};

/* Bars from the bottom up: each wait as a box from `low` to `high` percent. */
static void
wait_data(struct buf *script, const struct waits *waits, const struct analysis_level *levels,
          int count, struct arena *arena)
{
    for (int w = 0; w < waits->count; w++) {
        buf_printf(script, "$wait%d << EOD\n", w);
        for (int i = 0; i < count; i++) {
            double sessions[PLOT_SERIES_COUNT], low = 0;
            double all = level_metrics_in_waits(&levels[i], waits->names, waits->count, sessions);
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
    charts_level_tics(script, &analysis->levels[first], count);
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

    waits.count = level_metrics_waits(analysis, waits.names, PLOT_SERIES_COUNT);
    if (waits.count == 0) {
        const char *why = level_metrics_missing(analysis, METRIC_SERVER, "wait");
        chart_absent(charts, "waits", "Wait events", why ? why : "they were not sampled");
        return;
    }
    for (int first = 0, end; first < analysis->levels_count; first = end) {
        end = charts_group_end(analysis, first);
        if (level_metrics_mean(&analysis->levels[first], METRIC_SERVER, "wait", NULL) > 0)
            put_waits(charts, analysis, first, end, &waits);
    }
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

#define IO_LEAST 1e-3 /* what is below it, in any unit, lies on the axis */

struct io_points {
    struct buf data; /* load, value, tooltip */
    int count, loads[2];
    double most, values[2]; /* the first and the last */
};

static void
io_points(struct io_points *points, const struct io *io, enum metric_source source,
          const struct analysis_level *levels, int count)
{
    for (int i = 0; i < count; i++) {
        double value = measure(&levels[i], source, io->name, io->how) / io->divisor;
        if (isnan(value))
            continue;
        int load = levels[i].virtual_users, last = points->count > 0;
        buf_printf(&points->data, "%d %.6g \"%d %s: %.3g %s\"\n", load, value, load,
                   charts_users(load), value, io->unit);
        points->loads[last] = load;
        points->values[last] = value;
        points->most = fmax(points->most, value);
        points->count++;
    }
}

/* What the chart shows, for those who do not see it. */
static const char *
io_words(struct arena *arena, const char *caption, const struct io *io,
         const struct io_points *points)
{
    const char *first = arena_printf(arena, "%s: %.3g %s at %d %s", caption, points->values[0],
                                     io->unit, points->loads[0], charts_users(points->loads[0]));

    return points->count < 2
               ? first
               : arena_printf(arena, "%s, %.3g at %d", first, points->values[1], points->loads[1]);
}

static void
draw_io(struct buf *script, const struct io *io, const struct io_points *points)
{
    bool is_share = strcmp(io->unit, "%") == 0;
    double most = is_share ? 100 : points->most > IO_LEAST ? points->most : 1;

    buf_printf(script,
               "$values << EOD\n%sEOD\nunset key\nset yrange [0:%.6g]\nset ytics %g\n"
               "set format y '%%g'\nset ylabel '%s' tc rgb '" PLOT_TEXT "'\n"
               "plot $values using 1:2 with lines lw 2 lc rgb '" PLOT_COLOUR "' notitle, "
               "$values using 1:2:3 with labels hypertext point pt 7 ps 0.7 lc rgb '" PLOT_COLOUR
               "' notitle\n",
               buf_text(&points->data), is_share ? 100 : 1.1 * most, charts_tic_step(most),
               io->unit, PLOT_SERIES(0), PLOT_SERIES(0));
}

static void
put_io(struct charts *charts, const struct analysis *analysis, const struct io *io,
       enum metric_source source, int first, int end)
{
    const struct analysis_level *levels = &analysis->levels[first];
    struct io_points points = {0};

    io_points(&points, io, source, levels, end - first);
    if (points.count == 0) {
        const char *why = io->how == MEASURE_PER_NEW_ORDER && !step_has_nopm(levels->steps[0])
                              ? "the mix has no new-order"
                              : level_metrics_missing(analysis, source, io->name);
        chart_absent(charts, "io", io->title, why ? why : "it was not sampled");
    } else {
        struct chart *chart = chart_add(charts, "io", io->id, first + 1, 340, 220);
        const char *group = charts_group(analysis, first);
        chart->caption =
            group ? arena_printf(charts->arena, "%s, %s", io->title, group) : io->title;
        chart->plot.label = io_words(charts->arena, chart->caption, io, &points);
        charts_levels_axis(charts, chart, levels, end - first);
        draw_io(&chart->plot.script, io, &points);
    }
    buf_free(&points.data);
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
