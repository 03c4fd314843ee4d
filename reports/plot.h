/* From a gnuplot script to a chart: as SVG for use inside a page, or as a file of its own for
 * slides. gnuplot is run without start-up files and in the C locale, so that neither user nor
 * locale changes a report. */
#ifndef ORDERMILL_REPORTS_PLOT_H
#define ORDERMILL_REPORTS_PLOT_H

#include "common/arena.h"
#include "common/buf.h"

/* Colours by role: "#0102NN" stands for the variable --chart-NN of report.css. */
#define PLOT_AXIS         "#010201"
#define PLOT_TEXT         "#010202"
#define PLOT_GRID         "#010203"
#define PLOT_SHADE        "#010204"
#define PLOT_COLOUR       "#0102%02x" /* with PLOT_SERIES(i) */
#define PLOT_SERIES(i)    ((i) + 6)   /* i from 0 to 9: lines and shares */
#define PLOT_HOVER        "#ff010205" /* not seen, but found by the pointer */
#define PLOT_INK          "#010205"
#define PLOT_PAGE         "#010210" /* the ground of the page */
#define PLOT_SERIES_COUNT 10
#define PLOT_HEAT(i)      ((i) + 20) /* i from 0 (nothing) to 9 (all) */
#define PLOT_HEATS        10
#define PLOT_HEAT_DARK    6 /* from here on a text on it is PLOT_PAGE, not PLOT_INK */

struct plot {
    const char *id;    /* of the <svg>, and of the file without its ending */
    const char *label; /* what it shows, for those who cannot see it; foreign text is escaped */
    int width, height;
    struct buf script; /* everything but the terminal; numbers and fixed words only */
    char *svg;         /* as drawn by plot_draw, or NULL */
};

/* Draws all of them with one gnuplot; each svg lies in the arena. ERR_LOCAL when gnuplot is
 * missing (with a hint) or did not do its work: then none is drawn. */
MUST_CHECK bool plot_draw(struct plot *const *plots, int count, struct arena *arena,
                          struct err *err);
/* Appends a file in the light colours, on white. The SVG is made from the one drawn, with its
 * tooltips. */
void plot_svg(const struct plot *plot, struct buf *out);
MUST_CHECK bool plot_png(const struct plot *plot, struct buf *out, struct err *err);

#endif
