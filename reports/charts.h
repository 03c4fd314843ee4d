/* The charts of a report: which there are, and the gnuplot script of each. Pure; plot.c draws.
 *
 * gnuplot gets numbers and fixed words only, never a text from outside. What the run does not hold
 * is an entry too, with the reason why there is no chart. */
#ifndef ORDERMILL_REPORTS_CHARTS_H
#define ORDERMILL_REPORTS_CHARTS_H

#include "reports/analysis.h"
#include "reports/plot.h"

#define CHART_POINTS_MAX 600 /* of one line over time; beyond, neighbours are averaged */

struct chart {
    struct plot plot;
    const char *section; /* of the page it belongs to: "profile" */
    const char *group;   /* "10 warehouses, NAME" where there are several, or NULL; foreign text */
    const char *caption; /* one line; foreign text */
    const char *absent;  /* why it is not available; its script is then empty */
    bool is_wide;        /* takes the width of the page; otherwise stands in a grid */
};

struct charts {
    struct chart *charts;
    int count, room;
    struct arena *arena;
};

/* All charts of a run, in the order of the page; scripts and texts lie in the arena until
 * charts_free. */
void charts_make(struct charts *charts, const struct run *run, const struct analysis *analysis,
                 struct arena *arena);
void charts_free(struct charts *charts); /* the scripts */
/* Draws those that there are. */
MUST_CHECK bool charts_draw(struct charts *charts, struct err *err);

#endif
