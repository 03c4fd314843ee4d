/* Owns the list of charts. What each shows is charts_*.c's. */
#include "reports/charts.h"

#include "reports/charts_parts.h"

#define CHARTS_MAX      512
#define CHARTS_OF_LEVEL 8 /* also where each is a curve of its own */

void
charts_make(struct charts *charts, const struct run *run, const struct analysis *analysis,
            struct arena *arena)
{
    *charts = (struct charts){.arena = arena,
                              .room = CHARTS_OF_LEVEL * analysis->levels_count + CHARTS_MAX};
    charts->charts = arena_array(arena, (size_t)charts->room, sizeof *charts->charts);
    if (analysis->levels_count == 0)
        return;
    charts_summary(charts, analysis);
    charts_all_curves(charts, analysis);
    charts_curves(charts, analysis);
    charts_warehouses(charts, analysis);
    charts_latencies(charts, analysis);
    charts_distributions(charts, analysis);
    charts_times(charts, analysis);
    charts_thinks(charts, analysis);
    charts_waits(charts, analysis);
    charts_cores(charts, run, analysis);
    charts_io(charts, run, analysis);
}

bool
charts_draw(struct charts *charts, struct err *err)
{
    struct plot **plots = arena_array(charts->arena, (size_t)charts->count + 1, sizeof *plots);
    int count = 0;

    for (int i = 0; i < charts->count; i++)
        if (!charts->charts[i].absent)
            plots[count++] = &charts->charts[i].plot;
    return plot_draw(plots, count, charts->arena, err);
}

void
charts_free(struct charts *charts)
{
    for (int i = 0; i < charts->count; i++)
        buf_free(&charts->charts[i].plot.script);
}
