/* Owns what all scripts have in common: how a chart begins, its axes, its groups and words. */
#include "reports/charts_parts.h"

#include <math.h>
#include <string.h>

/* Of a chart as gnuplot lays it out, in its units: what lies left and right of the axis, and the
 * width of a digit. */
#define AXIS_MARGINS     80
#define LABEL_DIGIT      8.0
#define LEVEL_LABELS_MAX 24
#define RATE_AXIS_MAX    2.0 /* at most so many times as high as the highest run */

struct chart *
chart_add(struct charts *charts, const char *section, const char *id, int number, int width,
          int height)
{
    must(charts->count < charts->room);
    struct chart *chart = &charts->charts[charts->count++];

    *chart = (struct chart){.section = section, .caption = "", .is_wide = width > 500};
    chart->plot = (struct plot){.label = "", .width = width, .height = height};
    chart->plot.id = number > 0 ? arena_printf(charts->arena, "%s-%d", id, number)
                                : arena_strdup(charts->arena, id);
    buf_puts(&chart->plot.script,
             "set encoding utf8\n"
             "set border 3 back lc rgb '" PLOT_AXIS "'\n"
             "set tics nomirror out scale 0.5 tc rgb '" PLOT_TEXT "'\n"
             "set grid ytics lc rgb '" PLOT_GRID "' lt 1 lw 1\n"
             "set key tmargin left horizontal reverse Left samplen 2 tc rgb '" PLOT_TEXT "'\n"
             "set format y '%.0f'\n"
             "set samples 2\n");
    return chart;
}

void
chart_absent(struct charts *charts, const char *section, const char *caption, const char *reason)
{
    must(charts->count < charts->room);
    charts->charts[charts->count++] =
        (struct chart){.section = section, .caption = caption, .absent = reason};
}

int
charts_group_end(const struct analysis *analysis, int first)
{
    const struct analysis_curve *curve = &analysis->curves[analysis->levels[first].curve];

    return curve->first + curve->count;
}

const char *
charts_group(const struct analysis *analysis, int first)
{
    return analysis->curves_count < 2 ? NULL
                                      : analysis->curves[analysis->levels[first].curve].title;
}

struct loads
charts_loads(struct arena *arena, int room)
{
    return (struct loads){.values = arena_array(arena, (size_t)room + 1, sizeof(int))};
}

void
charts_loads_add(struct loads *loads, int virtual_users)
{
    int at = loads->count;

    while (at > 0 && loads->values[at - 1] > virtual_users)
        at--;
    if (at > 0 && loads->values[at - 1] == virtual_users)
        return;
    memmove(&loads->values[at + 1], &loads->values[at],
            (size_t)(loads->count - at) * sizeof loads->values[0]);
    loads->values[at] = virtual_users;
    loads->count++;
}

static int
digits(int number)
{
    int count = 1;

    for (; number >= 10; number /= 10)
        count++;
    return count;
}

/* Whether the labels of two loads, `apart` of the axis from each other, leave a gap between them.
 */
static bool
is_room(const struct chart *chart, double apart, int one, int other)
{
    double axis = chart->plot.width - AXIS_MARGINS;

    return fabs(apart) * axis > LABEL_DIGIT * (digits(one) + digits(other) + 2) / 2;
}

/* Where on the axis, from 0 to 1. */
static double
place(const struct loads *loads, bool by_powers, int load)
{
    double least = loads->values[0], most = loads->values[loads->count - 1];

    if (least == most)
        return 0.5;
    return by_powers ? log(load / least) / log(most / least) : (load - least) / (most - least);
}

void
charts_loads_axis(struct chart *chart, const struct loads *loads)
{
    struct buf *script = &chart->plot.script;
    int least = loads->values[0], most = loads->values[loads->count - 1], last = 0;
    bool wide = most > 20 * least;

    if (wide)
        buf_puts(script, "set logscale x 2\n");
    buf_printf(script, "set xlabel 'virtual users' tc rgb '" PLOT_TEXT "'\nset xrange [%g:%g]\n",
               wide ? least / 1.15 : least - 0.04 * (most - least) - 0.2,
               wide ? most * 1.15 : most + 0.04 * (most - least) + 0.2);
    buf_puts(script, "set xtics (");
    /* From the left, and room is kept for the last one. */
    for (int i = 0; i < loads->count; i++) {
        int load = loads->values[i];
        double here = place(loads, wide, load);
        if (i > 0 && !is_room(chart, here - place(loads, wide, last), load, last))
            continue;
        if (i > 0 && load != most && !is_room(chart, 1 - here, load, most))
            continue;
        buf_printf(script, "%s%d", i ? "," : "", load);
        last = load;
    }
    buf_puts(script, ")\n");
}

void
charts_levels_axis(struct charts *charts, struct chart *chart, const struct analysis_level *levels,
                   int count)
{
    struct loads loads = charts_loads(charts->arena, count);

    for (int i = 0; i < count; i++)
        charts_loads_add(&loads, levels[i].virtual_users);
    charts_loads_axis(chart, &loads);
}

void
charts_rate_range(const struct analysis_level *level, double *most, double *high)
{
    for (int i = 0; i < level->runs; i++)
        *most = fmax(*most, level->nopm[i]);
    if (level->nopm_interval.valid)
        *high = fmax(*high, level->nopm_interval.high);
}

bool
charts_rate_axis(struct buf *script, const char *rate, double most, double high)
{
    bool is_cut = high > RATE_AXIS_MAX * most;

    buf_printf(script, "set yrange [0:%.6g]\nset ylabel '%s' tc rgb '" PLOT_TEXT "'\n",
               1.08 * fmax(1, is_cut ? RATE_AXIS_MAX * most : fmax(high, most)), rate);
    return is_cut;
}

void
charts_level_tics(struct buf *script, const struct analysis_level *levels, int count)
{
    int stride = (count + LEVEL_LABELS_MAX - 1) / LEVEL_LABELS_MAX;

    buf_puts(script, "set xtics (");
    for (int i = 0; i < count; i += stride)
        buf_printf(script, "%s'%d' %d", i ? ", " : "", levels[i].virtual_users, i);
    buf_puts(script, ")\n");
}

double
charts_tic_step(double most)
{
    double step = pow(10, floor(log10(fmax(most, 1e-6) / 5)));

    while (most / step > 5)
        step *= most / step > 12.5 ? 5 : 2;
    return step;
}

const char *
charts_users(int virtual_users)
{
    return virtual_users == 1 ? "virtual user" : "virtual users";
}

const char *
charts_rate_words(const struct step *step)
{
    return step_has_nopm(step) ? "New-orders per minute" : "Transactions per minute";
}
