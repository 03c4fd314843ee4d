/* Charts of several curves: all of a run, those that differ in warehouses alone, and these as a
 * surface. */
#include <string.h>

#include "common/units.h"
#include "reports/charts_parts.h"

/* ---- lines ---- */

/* As many colours, each in four kinds of dashes: what a reader can tell apart in one chart. */
#define LINES_MAX (4 * PLOT_SERIES_COUNT)

struct line {
    int first;        /* level */
    const char *name; /* "10 warehouses", "curve 1": our words, since those of curves are foreign */
};

struct lines {
    struct line *lines;
    int count;
};

/* $lN: load, mean, tooltip. */
static void
line_data(struct buf *script, const struct analysis *analysis, const struct line *line, int index,
          struct loads *loads)
{
    int end = charts_group_end(analysis, line->first);

    buf_printf(script, "$l%d << EOD\n", index);
    for (int i = line->first; i < end; i++) {
        const struct analysis_level *level = &analysis->levels[i];
        char mean[UNITS_TEXT_SIZE];
        buf_printf(script, "%d %.1f \"%s, %d %s: %s %s\"\n", level->virtual_users, level->nopm_mean,
                   line->name, level->virtual_users, charts_users(level->virtual_users),
                   units_rate(mean, level->nopm_mean), step_rate_name(level->steps[0]));
        charts_loads_add(loads, level->virtual_users);
    }
    buf_puts(script, "EOD\n");
}

/* Colours that come again are dashed. */
static void
put_lines(struct charts *charts, struct chart *chart, const struct analysis *analysis,
          const struct lines *lines)
{
    struct buf *script = &chart->plot.script;
    struct buf plots = {0};
    struct loads loads = charts_loads(charts->arena, analysis->levels_count);

    for (int i = 0; i < lines->count; i++) {
        int colour = PLOT_SERIES(i % PLOT_SERIES_COUNT), dashes = 1 + i / PLOT_SERIES_COUNT;
        line_data(script, analysis, &lines->lines[i], i, &loads);
        buf_printf(&plots,
                   "%s$l%d using 1:2 with lines lw 2 dt %d lc rgb '" PLOT_COLOUR "' title '%s', "
                   "$l%d using 1:2:3 with labels hypertext point pt 7 ps 0.7 lc rgb '" PLOT_COLOUR
                   "' notitle",
                   i ? ", " : "", i, dashes, colour, lines->lines[i].name, i, colour);
    }
    charts_loads_axis(chart, &loads);
    buf_printf(script,
               "set yrange [0:*]\nset offsets graph 0, 0, graph 0.08, 0\n"
               "set ylabel '%s' tc rgb '" PLOT_TEXT "'\nplot %s\n",
               step_rate_name(analysis->levels[lines->lines[0].first].steps[0]), buf_text(&plots));
    buf_free(&plots);
}

static struct lines
no_lines(const struct analysis *analysis, struct arena *arena)
{
    return (struct lines){
        .lines = arena_array(arena, (size_t)analysis->curves_count + 1, sizeof(struct line))};
}

/* ---- all curves of a run ---- */

static bool
differ_in_warehouses(const struct step *a, const struct step *b)
{
    return strcmp(a->configuration, b->configuration) == 0 && strcmp(a->call, b->call) == 0 &&
           strcmp(a->mix_name, b->mix_name) == 0 && strcmp(a->server, b->server) == 0;
}

static const struct step *
step_of(const struct analysis *analysis, int curve)
{
    return analysis->levels[analysis->curves[curve].first].steps[0];
}

/* The curves that are measured by the same rate: NOPM and TPM have no axis in common. */
static void
put_all(struct charts *charts, const struct analysis *analysis, bool nopm)
{
    struct lines lines = no_lines(analysis, charts->arena);
    struct buf caption = {0};
    bool warehouses_alone = true; /* the chart of those says it all */

    for (int i = 0; i < analysis->curves_count; i++) {
        const struct step *step = step_of(analysis, i);
        if (step_has_nopm(step) != nopm)
            continue;
        buf_printf(&caption, "%scurve %d: %s", lines.count ? "; " : "", lines.count + 1,
                   analysis->curves[i].title);
        lines.lines[lines.count] =
            (struct line){.first = analysis->curves[i].first,
                          .name = arena_printf(charts->arena, "curve %d", lines.count + 1)};
        warehouses_alone =
            warehouses_alone &&
            differ_in_warehouses(step, analysis->levels[lines.lines[0].first].steps[0]);
        lines.count++;
    }
    if (lines.count > LINES_MAX)
        chart_absent(charts, "profile", "All curves in one chart",
                     "there are more than a reader can tell apart");
    else if (lines.count > 1 && !warehouses_alone) {
        struct chart *chart =
            chart_add(charts, "profile", nopm ? "curves" : "curves-tpm", 0, 860, 400);
        chart->caption = arena_printf(
            charts->arena, "%s against virtual users, all curves: %s.",
            charts_rate_words(analysis->levels[lines.lines[0].first].steps[0]), buf_text(&caption));
        chart->plot.label = chart->caption;
        put_lines(charts, chart, analysis, &lines);
    }
    buf_free(&caption);
}

void
charts_all_curves(struct charts *charts, const struct analysis *analysis)
{
    put_all(charts, analysis, true);
    put_all(charts, analysis, false);
}

/* ---- several numbers of warehouses ---- */

/* The curves that differ from this one in warehouses alone, itself included; none where it is not
 * the first of them. The plan has other dimensions between. */
static struct lines
family_of(const struct analysis *analysis, int curve, struct arena *arena)
{
    struct lines lines = no_lines(analysis, arena);

    for (int i = 0; i < analysis->curves_count; i++) {
        const struct analysis_level *level = &analysis->levels[analysis->curves[i].first];
        if (!differ_in_warehouses(level->steps[0], step_of(analysis, curve)))
            continue;
        if (i < curve)
            return (struct lines){.count = 0};
        lines.lines[lines.count++] =
            (struct line){.first = analysis->curves[i].first,
                          .name = arena_printf(arena, "%d warehouse%s", level->warehouses,
                                               level->warehouses == 1 ? "" : "s")};
    }
    return lines;
}

/* What a family has that the others have not: "old, lookup"; NULL where there is one only. */
static const char *
family_name(const struct analysis *analysis, int curve, struct arena *arena)
{
    const struct step *step = step_of(analysis, curve);
    const char *parts[] = {step->server, step->configuration, step->mix_name, step->call};
    bool differs[] = {false, false, false, false};
    struct buf name = {0};

    for (int i = 0; i < analysis->curves_count; i++) {
        const struct step *other = step_of(analysis, i);
        const char *others[] = {other->server, other->configuration, other->mix_name, other->call};
        for (int k = 0; k < 4; k++)
            differs[k] = differs[k] || strcmp(parts[k], others[k]) != 0;
    }
    for (int k = 0; k < 4; k++)
        if (differs[k] && parts[k][0])
            buf_printf(&name, "%s%s", name.length ? ", " : "", parts[k]);
    const char *text = name.length ? arena_strdup(arena, buf_text(&name)) : NULL;
    buf_free(&name);
    return text;
}

static const struct analysis_level *
find_level(const struct analysis *analysis, int first, int virtual_users)
{
    for (int i = first; i < charts_group_end(analysis, first); i++)
        if (analysis->levels[i].virtual_users == virtual_users)
            return &analysis->levels[i];
    return NULL;
}

static void
surface_point(struct buf *block, const struct analysis_level *level)
{
    char mean[UNITS_TEXT_SIZE];

    buf_printf(block, "%d %d %.1f \"%d warehouse%s, %d %s: %s %s\"\n", level->virtual_users,
               level->warehouses, level->nopm_mean, level->warehouses,
               level->warehouses == 1 ? "" : "s", level->virtual_users,
               charts_users(level->virtual_users), units_rate(mean, level->nopm_mean),
               step_rate_name(level->steps[0]));
}

/* A surface needs loads that were measured with every number of warehouses: nothing between
 * measurements is made up. Returns how many there are, with their points in the script. */
static int
surface_data(struct buf *script, const struct analysis *analysis, const struct lines *lines)
{
    int loads = 0, first = lines->lines[0].first;

    buf_puts(script, "$surface << EOD\n");
    for (int i = first; i < charts_group_end(analysis, first); i++) {
        int users = analysis->levels[i].virtual_users;
        struct buf block = {0};
        bool everywhere = true;
        for (int k = 0; k < lines->count; k++) {
            const struct analysis_level *level = find_level(analysis, lines->lines[k].first, users);
            everywhere = everywhere && level;
            if (level)
                surface_point(&block, level);
        }
        if (everywhere)
            buf_printf(script, "%s%s", loads++ ? "\n" : "", buf_text(&block));
        buf_free(&block);
    }
    buf_puts(script, "EOD\n");
    return loads;
}

static void
put_surface(struct charts *charts, const struct analysis *analysis, const struct lines *lines)
{
    int first = lines->lines[0].first;
    const char *rate = step_rate_name(analysis->levels[first].steps[0]);
    struct chart *chart = chart_add(charts, "warehouses", "surface", first + 1, 860, 480);
    struct buf *script = &chart->plot.script, tics = {0};

    chart->caption = arena_printf(charts->arena,
                                  "The same as a surface: virtual users, warehouses, %s; only "
                                  "loads that were measured with every number of warehouses.",
                                  rate);
    chart->plot.label = chart->caption;
    if (surface_data(script, analysis, lines) < 2) {
        buf_free(&chart->plot.script);
        charts->count--;
        chart_absent(charts, "warehouses", "Surface over virtual users and warehouses",
                     "fewer than two loads were measured with every number of warehouses");
        return;
    }
    for (int i = 0; i < lines->count; i++)
        buf_printf(&tics, "%s%d", i ? "," : "", analysis->levels[lines->lines[i].first].warehouses);
    buf_printf(script,
               "set border 127 lc rgb '" PLOT_AXIS "'\nset hidden3d\nset view 62,320\n"
               "set xyplane 0\nset zrange [0:*]\nset format x '%%.0f'\nset ticslevel 0\n"
               "set xlabel 'virtual users' offset 2,-1.2 tc rgb '" PLOT_TEXT "'\n"
               "set ylabel 'warehouses' offset -2,-1.2 tc rgb '" PLOT_TEXT "'\n"
               "set zlabel '%s' offset -4,0 rotate tc rgb '" PLOT_TEXT "'\n"
               "set format z '%%.0f'\nunset key\nset xtics offset 0,-0.6\n"
               "set ytics (%s) offset 0,-0.6\n"
               "splot $surface using 1:2:3 with linespoints pt 7 ps 0.5 lw 1.5 "
               "lc rgb '" PLOT_COLOUR "', "
               "$surface using 1:2:3:4 with labels hypertext point pt 7 ps 1.2 lc rgb '" PLOT_HOVER
               "' nohidden3d\n",
               rate, buf_text(&tics), PLOT_SERIES(0));
    buf_free(&tics);
}

void
charts_warehouses(struct charts *charts, const struct analysis *analysis)
{
    bool any = false;

    for (int i = 0; i < analysis->curves_count; i++) {
        const struct lines lines = family_of(analysis, i, charts->arena);
        int first = analysis->curves[i].first;
        if (lines.count < 2)
            continue;
        any = true;
        struct chart *chart = chart_add(charts, "warehouses", "warehouses", first + 1, 860, 360);
        chart->group = family_name(analysis, i, charts->arena);
        chart->caption = arena_printf(
            charts->arena, "%s against virtual users, one line for each number of warehouses.",
            charts_rate_words(step_of(analysis, i)));
        chart->plot.label = chart->caption;
        put_lines(charts, chart, analysis, &lines);
        put_surface(charts, analysis, &lines);
    }
    if (!any)
        chart_absent(charts, "warehouses", "Curves by warehouses",
                     "the run has one number of warehouses only");
}
