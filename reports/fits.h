/* Straight lines through the runs of a curve: what one virtual user more costs in response time,
 * and one new-order more in processor time. Pure.
 *
 * Every run is a point, weighed by the inverse square of the mean of its level, since scatter grows
 * with the figure. A slope says what comes on top with each unit of load, where a mean per order
 * also holds what was busy anyhow. A line that explains little is shown with its R squared, not
 * left out: response times bend where the system is full. */
#ifndef ORDERMILL_REPORTS_FITS_H
#define ORDERMILL_REPORTS_FITS_H

#include "reports/analysis.h"

extern const char *const fit_names[FITS];  /* for programs: "driver_cpu_us_per_new_order" */
extern const char *const fit_titles[FITS]; /* for people: "driver CPU per new-order" */

/* Fills the fits of all curves. */
void fits_make(struct analysis *analysis, const struct run *run, struct arena *arena);
/* Appends a sentence about those of a curve that there are; nothing where there are none. */
void fits_text(const struct analysis_curve *curve, struct buf *out);

/* What is to be said of parameters of the law that lie at their bound, as a sentence with a blank
 * before it; "" where none does. Such a one has no standard error. */
const char *fits_bounds(const struct stats_usl *usl);

#endif
