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
        charts_levels_axis(charts, chart, levels, end - first);
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
