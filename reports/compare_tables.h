/* The tables of a comparison. Pure; all in memory of the arena. */
#ifndef ORDERMILL_REPORTS_COMPARE_TABLES_H
#define ORDERMILL_REPORTS_COMPARE_TABLES_H

#include "reports/compare.h"
#include "reports/table.h"

/* The runs, A first, with their headlines. */
struct table *compare_table_runs(const struct compare *compare, struct arena *arena);
/* Of run `index` against A: headlines and levels; what a new-order costs. */
struct table *compare_table_ratios(const struct compare *compare, int index, struct arena *arena);
struct table *compare_table_costs(const struct compare *compare, int index, struct arena *arena);
/* The user's figures for a thousand new-orders; no rows where none were stated. */
struct table *compare_table_stated(const struct compare *compare, struct arena *arena);
struct table *compare_table_differences(const struct compare *compare, struct arena *arena);

#endif
