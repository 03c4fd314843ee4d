/* Turns the SVG that gnuplot writes into one that lives inside a page. Pure. */
#ifndef ORDERMILL_REPORTS_CHART_SVG_H
#define ORDERMILL_REPORTS_CHART_SVG_H

#include "common/buf.h"

/* Appends the <svg> element: without prologue, name spaces, script handlers and empty groups; ids
 * begin with `id`; `label` (escaped here) names it for those who cannot see it; colours rgb(1,2,N)
 * become var(--chart-N); hover texts become <title>. ERR_LOCAL when the text is not what gnuplot
 * writes. */
MUST_CHECK bool chart_svg_adopt(const char *svg, const char *id, const char *label, struct buf *out,
                                struct err *err);

#endif
