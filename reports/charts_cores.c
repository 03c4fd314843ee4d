/* How busy each core was at each level: a heat map for each curve and host. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/units.h"
#include "reports/charts_parts.h"
#include "reports/level_metrics.h"

#define CORES_MAX   4096
#define CELLS_MAX   4096 /* of all maps of a host */
#define CORES_SHOWN 128  /* rows; of more cores neighbours share one */
/* Up to here a cell has room for its figure. */
#define FIGURES_LEVELS_MAX 20
#define FIGURES_ROWS_MAX   15
#define ROW_HEIGHT         22
#define ROW_HEIGHT_BARE    6

/* Whose cores, and how many of them share a row. */
struct cores {
    enum metric_source host;
    const char *id, *whose;
    int count, stride;
};

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

static int
rows_of(const struct cores *cores)
{
    return (cores->count + cores->stride - 1) / cores->stride;
}

/* The mean of the cores in a row; NAN where nothing is known of them. */
static double
row_busy(const struct analysis_level *level, const struct cores *cores, int row)
{
    double sum = 0;
    int known = 0;

    for (int core = row * cores->stride; core < (row + 1) * cores->stride; core++) {
        char name[16];
        snprintf(name, sizeof name, "cpu%d", core);
        double busy = level_metrics_mean(level, cores->host, "cpu_busy", name);
        sum += isnan(busy) ? 0 : busy;
        known += !isnan(busy);
    }
    return known > 0 ? sum / known : NAN;
}

static int
heat_of(double busy)
{
    return (int)fmin(PLOT_HEATS - 1, fmax(0, busy / 100 * PLOT_HEATS));
}

static void
put_cell(struct buf *cells, const struct cores *cores, int at, int row, int virtual_users,
         double busy)
{
    int from = row * cores->stride, to = from + cores->stride - 1;

    to = to < cores->count ? to : cores->count - 1;
    buf_printf(cells, "%d %d \"" PLOT_COLOUR "\" \"%d %s, core %d", at, row,
               PLOT_HEAT(heat_of(busy)), virtual_users, charts_users(virtual_users), from);
    if (to > from)
        buf_printf(cells, " to %d", to);
    buf_printf(cells, ": %.0f %%\"\n", busy);
}

/* $cores: level, row, colour, tooltip; $ink and $page: level, row, figure, by the colour that can
 * be read on the cell's own. Returns how many cells there are. */
static int
core_data(struct buf *script, const struct analysis_level *levels, int count,
          const struct cores *cores, int figures[2])
{
    struct buf cells = {0}, texts[2] = {{0}, {0}};
    int known = 0;

    for (int i = 0; i < count; i++)
        for (int row = 0; row < rows_of(cores); row++) {
            double busy = row_busy(&levels[i], cores, row);
            if (isnan(busy))
                continue;
            int on_dark = heat_of(busy) >= PLOT_HEAT_DARK;
            put_cell(&cells, cores, i, row, levels[i].virtual_users, busy);
            buf_printf(&texts[on_dark], "%d %d \"%.0f\"\n", i, row, busy);
            figures[on_dark]++;
            known++;
        }
    buf_printf(script, "$cores << EOD\n%sEOD\n", buf_text(&cells));
    buf_printf(script, "$ink << EOD\n%sEOD\n", buf_text(&texts[0]));
    buf_printf(script, "$page << EOD\n%sEOD\n", buf_text(&texts[1]));
    buf_free(&cells);
    buf_free(&texts[0]);
    buf_free(&texts[1]);
    return known;
}

/* A row is labelled by its first core. */
static void
row_tics(struct buf *script, const struct cores *cores)
{
    int rows = rows_of(cores), step = rows > 8 ? rows / 8 : 1;

    buf_puts(script, "set ytics (");
    for (int row = 0; row < rows; row += step)
        buf_printf(script, "%s'%d' %d", row ? ", " : "", row * cores->stride, row);
    buf_puts(script, ")\n");
}

static void
plot_cells(struct buf *script, const int figures[2])
{
    static const char *const blocks[] = {"$ink", "$page"};
    static const char *const inks[] = {PLOT_INK, PLOT_PAGE};

    buf_puts(script,
             "set key tmargin right horizontal maxrows 1 samplen 1 tc rgb '" PLOT_TEXT "'\nplot ");
    for (int heat = 0; heat < PLOT_HEATS; heat++)
        buf_printf(script, "keyentry with boxes lc rgb '" PLOT_COLOUR "' title '%d%s', ",
                   PLOT_HEAT(heat), heat * 100 / PLOT_HEATS,
                   heat + 1 < PLOT_HEATS ? "" : " % busy");
    buf_puts(script, "$cores using 1:2:(0.48):(0.46):(int('0x'.strcol(3)[2:7])) with "
                     "boxxyerror lc rgb variable notitle, ");
    for (int i = 0; i < 2; i++)
        if (figures[i] > 0)
            buf_printf(script, "%s using 1:2:3 with labels center tc rgb '%s' notitle, ", blocks[i],
                       inks[i]);
    buf_puts(script,
             "$cores using 1:2:4 with labels hypertext point pt 5 ps 1.6 lc rgb '" PLOT_HOVER
             "' notitle\n");
}

/* Whether there is any figure of that curve. */
static bool
put_cores(struct charts *charts, const struct analysis *analysis, int curve,
          const struct cores *cores, bool is_headed)
{
    int first = analysis->curves[curve].first, count = analysis->curves[curve].count;
    const struct analysis_level *levels = &analysis->levels[first];
    int rows = rows_of(cores), figures[2] = {0, 0};
    bool has_room = count <= FIGURES_LEVELS_MAX && rows <= FIGURES_ROWS_MAX;
    struct chart *chart = chart_add(charts, "cores", cores->id, first + 1, 860,
                                    130 + (has_room ? ROW_HEIGHT : ROW_HEIGHT_BARE) * rows);
    struct buf *script = &chart->plot.script;

    chart->group = is_headed ? NULL : charts_group(analysis, first);
    chart->caption = arena_printf(
        charts->arena, "%s: how busy each core was at each level, in percent%s.", cores->whose,
        cores->stride > 1 ? "; the mean of several cores in each row" : "");
    chart->plot.label = chart->caption;
    if (core_data(script, levels, count, cores, figures) == 0) {
        buf_free(&chart->plot.script);
        charts->count--;
        return false;
    }
    buf_printf(script,
               "unset grid\nset style fill solid noborder\nset xrange [-0.6:%.1f]\n"
               "set yrange [-0.6:%.1f]\nset ylabel 'core' tc rgb '" PLOT_TEXT "'\n"
               "set xlabel 'virtual users' tc rgb '" PLOT_TEXT "'\n",
               count - 0.4, rows - 0.4);
    row_tics(script, cores);
    charts_level_tics(script, levels, count);
    if (!has_room)
        figures[0] = figures[1] = 0;
    plot_cells(script, figures);
    return true;
}

/* With the rows of all curves' maps in mind. False, and why, where nothing is known. */
static bool
find_cores(struct charts *charts, const struct analysis *analysis, struct cores *cores)
{
    int count = analysis->levels_count;
    int most = CELLS_MAX / count < CORES_SHOWN ? CELLS_MAX / count + 1 : CORES_SHOWN;

    cores->count = count_cores(analysis, cores->host);
    cores->stride = (cores->count + most - 1) / most;
    if (cores->count == 0) {
        const char *why = level_metrics_missing(analysis, cores->host, "cpu_busy");
        chart_absent(charts, "cores", cores->whose, why ? why : "they were not sampled");
    }
    return cores->count > 0;
}

void
charts_cores(struct charts *charts, const struct run *run, const struct analysis *analysis)
{
    struct cores one[] = {{METRIC_DRIVER_HOST, "cores", "Driver and server, one machine", 0, 0}};
    struct cores two[] = {{METRIC_SERVER_HOST, "cores-server", "The server's machine", 0, 0},
                          {METRIC_DRIVER_HOST, "cores-driver", "The driver's machine", 0, 0}};
    bool is_one = level_metrics_server_host(run) == METRIC_DRIVER_HOST, known[2];
    struct cores *hosts = is_one ? one : two;
    int hosts_count = is_one ? 1 : 2;

    for (int i = 0; i < hosts_count; i++)
        known[i] = find_cores(charts, analysis, &hosts[i]);
    for (int curve = 0; curve < analysis->curves_count; curve++) {
        bool is_headed = false;
        for (int i = 0; i < hosts_count; i++)
            if (known[i])
                is_headed = put_cores(charts, analysis, curve, &hosts[i], is_headed) || is_headed;
    }
}
