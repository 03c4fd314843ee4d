/* The profiles of several runs in one chart: a line for each run, by its letter. */
#include "reports/charts_compare.h"

#include "common/units.h"
#include "reports/charts_parts.h"

/* Of both axes. */
struct range {
    struct loads loads;
    double most, high;
};

/* $rN: load, mean, low, high, tooltip. Returns how many points. */
static int
run_data(struct buf *script, const struct compare_run *run, int index,
         const struct analysis_level *like, bool by_name, struct range *range)
{
    int points = 0;

    buf_printf(script, "$r%d << EOD\n", index);
    for (int i = 0; i < run->analysis->levels_count; i++) {
        const struct analysis_level *level = &run->analysis->levels[i];
        char mean[UNITS_TEXT_SIZE];
        if (!compare_matches(level, like, by_name) || !level->stands)
            continue;
        const struct stats_interval interval = level->nopm_interval;
        buf_printf(
            script, "%d %.1f %.1f %.1f \"%c, %d %s: %s %s, mean of %d\"\n", level->virtual_users,
            level->nopm_mean, interval.valid ? interval.low : level->nopm_mean,
            interval.valid ? interval.high : level->nopm_mean, 'A' + index, level->virtual_users,
            charts_users(level->virtual_users), units_rate(mean, level->nopm_mean),
            step_rate_name(level->steps[0]), level->runs);
        charts_loads_add(&range->loads, level->virtual_users);
        charts_rate_range(level, &range->most, &range->high);
        points++;
    }
    buf_puts(script, "EOD\n");
    return points;
}

/* Of all runs. */
static int
count_levels(const struct compare *compare)
{
    int count = 0;

    for (int i = 0; i < compare->count; i++)
        count += compare->runs[i].analysis->levels_count;
    return count;
}

static void
put_profiles(struct charts *charts, const struct compare *compare, int first, bool by_name)
{
    const struct analysis *base = compare->runs[0].analysis;
    struct chart *chart = chart_add(charts, "profiles", "profiles", first + 1, 860, 400);
    struct buf *script = &chart->plot.script, plots = {0}, tips = {0};
    struct range range = {.loads = charts_loads(charts->arena, count_levels(compare))};

    chart->group = charts_group(base, first);
    const struct step *like = base->levels[first].steps[0];
    chart->caption =
        arena_printf(charts->arena, "%s against virtual users, with 95 %% intervals over repeats.",
                     charts_rate_words(like));
    chart->plot.label = "The performance profiles of all runs that are comparable, one line each.";
    for (int i = 0; i < compare->count; i++) {
        int colour = PLOT_SERIES(i);
        if (i > 0 && !compare_is_comparable(&compare->pairs[i]))
            continue;
        if (run_data(script, &compare->runs[i], i, &base->levels[first], by_name, &range) == 0)
            continue;
        buf_printf(&plots,
                   "%s$r%d using 1:2 with lines lw 2 lc rgb '" PLOT_COLOUR "' title '%c', "
                   "$r%d using 1:2:3:4 with yerrorbars pt 7 ps 0.8 lw 1.5 lc rgb '" PLOT_COLOUR
                   "' notitle",
                   plots.length ? ", " : "", i, colour, 'A' + i, i, colour);
        buf_printf(&tips,
                   ", $r%d using 1:2:5 with labels hypertext point pt 7 ps 1.2 lc rgb '" PLOT_HOVER
                   "' notitle",
                   i);
    }
    charts_loads_axis(chart, &range.loads);
    if (charts_rate_axis(script, step_rate_name(like), range.most, range.high))
        chart->caption = arena_printf(charts->arena, "%s " CHARTS_CUT_OFF, chart->caption);
    buf_printf(script, "plot %s", buf_text(&plots));
    buf_puts(script, buf_text(&tips));
    buf_putc(script, '\n');
    buf_free(&plots);
    buf_free(&tips);
}

void
charts_compare(struct charts *charts, const struct compare *compare, struct arena *arena)
{
    const struct analysis *base = compare->runs[0].analysis;
    bool by_name = false;

    *charts = (struct charts){.arena = arena, .room = base->levels_count + 1};
    charts->charts = arena_array(arena, (size_t)charts->room, sizeof *charts->charts);
    for (int i = 0; i < compare->count; i++)
        by_name = by_name || compare->runs[i].analysis->curves_count > 1;
    for (int first = 0; first < base->levels_count; first = charts_group_end(base, first)) {
        bool any = false;
        for (int i = first; i < charts_group_end(base, first); i++)
            any = any || base->levels[i].stands;
        if (any)
            put_profiles(charts, compare, first, by_name);
    }
}
