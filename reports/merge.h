/* Several load hosts' folders of one run made into one run. Pure.
 *
 * Every host ran the same steps in the same windows against the same database. Counts are added,
 * histograms pooled, and the NOPM of a step is the sum of the hosts' NOPM. What cannot be added is
 * left out: growth of the database's own sums, which each host saw from another moment on, counts
 * by home warehouse, and the metrics of the load hosts. The 95th percentile of a single second is
 * the largest of the hosts'. */
#ifndef ORDERMILL_REPORTS_MERGE_H
#define ORDERMILL_REPORTS_MERGE_H

#include "common/result.h"

#define MERGE_RUNS_MAX      64
#define MERGE_APART_US      INT64_C(2000000) /* windows may open so far apart... */
#define MERGE_APART_PERCENT 5                /* ...or by this share of their length, if more */

/* False (ERR_USAGE) where two of them do not belong together: says which, and what differs. The
 * merged run lives in the arena and holds parts of the others. */
MUST_CHECK bool merge_runs(const struct run *runs, const char *const *folders, int count,
                           struct run *merged, struct arena *arena, struct err *err);

#endif
