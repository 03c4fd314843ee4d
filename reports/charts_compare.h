/* The chart of a comparison, one for each number of warehouses. Pure. */
#ifndef ORDERMILL_REPORTS_CHARTS_COMPARE_H
#define ORDERMILL_REPORTS_CHARTS_COMPARE_H

#include "reports/charts.h"
#include "reports/compare.h"

/* In the section "profiles"; otherwise as charts_make. */
void charts_compare(struct charts *charts, const struct compare *compare, struct arena *arena);

#endif
