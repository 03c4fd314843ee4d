/* The charts of a report as SVG for use inside an HTML page, drawn by gnuplot. They carry no
 * script and no reference to anything outside, take their colours from the page (the CSS variables
 * --chart-1 to --chart-9 and --plate), and show figures as tooltips.
 *
 * gnuplot gets numbers and fixed words only, never a text from outside. */
#ifndef ORDERMILL_REPORTS_CHARTS_H
#define ORDERMILL_REPORTS_CHARTS_H

#include "reports/analysis.h"

#define CHART_POINTS_MAX 600 /* of one line over time; beyond, neighbours are averaged */

/* Each appends one <svg>, or leaves out as it was and fails: gnuplot is missing (ERR_LOCAL, with a
 * hint) or did not do its work. */

/* NOPM against virtual users: means with intervals, every run as a dot, the USL where it was
 * fitted. */
MUST_CHECK bool charts_curve(const struct analysis *analysis, const struct analysis_curve *curve,
                             struct buf *out, struct err *err);
/* Percentiles of the response of new-order against virtual users. */
MUST_CHECK bool charts_latency(const struct analysis *analysis, const struct analysis_curve *curve,
                               struct buf *out, struct err *err);
/* New-orders over time, each run of one level as a line, ramp-up shaded. */
MUST_CHECK bool charts_time(const struct analysis *analysis, int level, struct buf *out,
                            struct err *err);

#endif
