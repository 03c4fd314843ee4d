/* What the files of the charts share. Private to charts*.c. */
#ifndef ORDERMILL_REPORTS_CHARTS_PARTS_H
#define ORDERMILL_REPORTS_CHARTS_PARTS_H

#include "reports/charts.h"

/* A new chart: "ID" or "ID-NUMBER" (number above 0). Its script is begun. */
struct chart *chart_add(struct charts *charts, const char *section, const char *id, int number,
                        int width, int height);
/* In place of a chart. */
void chart_absent(struct charts *charts, const char *section, const char *caption,
                  const char *reason);

/* The first level after those of the curve of level `first`. */
int charts_group_end(const struct analysis *analysis, int first);
/* What tells that curve from the others; NULL where there is only one. */
const char *charts_group(const struct analysis *analysis, int first);

/* Measured loads, in virtual users: ascending, each once. */
struct loads {
    int *values;
    int count;
};

/* None yet, with room for as many. */
struct loads charts_loads(struct arena *arena, int room);
void charts_loads_add(struct loads *loads, int virtual_users);
/* Virtual users on the x axis, by powers of two over a wide range; a tic at each of the loads, and
 * at nothing between them, as far as their labels do not run into each other. */
void charts_loads_axis(struct chart *chart, const struct loads *loads);
/* The same of some levels. */
void charts_levels_axis(struct charts *charts, struct chart *chart,
                        const struct analysis_level *levels, int count);
/* Widens the range of a rate: to the highest run, and to the upper end of the highest interval. */
void charts_rate_range(const struct analysis_level *level, double *most, double *high);
/* From 0 up to all intervals, unless that would press the curve itself flat: what an interval has
 * beyond that is cut off. Returns whether that is so; the caption is then to say it. */
bool charts_rate_axis(struct buf *script, const char *rate, double most, double high);
#define CHARTS_CUT_OFF "An interval that reaches the upper edge goes on beyond it."
/* Levels one beside the other at 0, 1, ..., whatever their distance; not more labels than there is
 * room for. */
void charts_level_tics(struct buf *script, const struct analysis_level *levels, int count);
/* A tic distance of 1, 2 or 5 times a power of ten that gives at most five tics. */
double charts_tic_step(double most);
/* "virtual user" or "virtual users" */
const char *charts_users(int virtual_users);
/* What a level is measured by, to begin a sentence: "New-orders per minute" */
const char *charts_rate_words(const struct step *step);

/* charts_profile.c */
void charts_summary(struct charts *charts, const struct analysis *analysis);
void charts_curves(struct charts *charts, const struct analysis *analysis);
void charts_latencies(struct charts *charts, const struct analysis *analysis);
/* charts_curves.c */
void charts_all_curves(struct charts *charts, const struct analysis *analysis);
void charts_warehouses(struct charts *charts, const struct analysis *analysis);
/* charts_time.c */
void charts_times(struct charts *charts, const struct analysis *analysis);
void charts_distributions(struct charts *charts, const struct analysis *analysis);
void charts_thinks(struct charts *charts, const struct analysis *analysis);
/* charts_server.c */
void charts_waits(struct charts *charts, const struct analysis *analysis);
void charts_io(struct charts *charts, const struct run *run, const struct analysis *analysis);
/* charts_cores.c */
void charts_cores(struct charts *charts, const struct run *run, const struct analysis *analysis);

#endif
