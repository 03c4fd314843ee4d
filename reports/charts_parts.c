/* Owns what all scripts have in common: how a chart begins, its axes, its groups and words. */
#include "reports/charts_parts.h"

#include <math.h>

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

void
charts_loads_axis(struct buf *script, const struct analysis_level *levels, int count)
{
    int least = levels[0].virtual_users, most = levels[count - 1].virtual_users;
    bool wide = most > 20 * least;

    if (wide)
        buf_puts(script, "set logscale x 2\n");
    buf_printf(script, "set xlabel 'virtual users' tc rgb '" PLOT_TEXT "'\nset xrange [%g:%g]\n",
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
