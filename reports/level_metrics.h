/* What was seen beside the load, over the runs of a level: the metrics of its steps put together.
 * Pure. A figure that no run of the level has is NAN. */
#ifndef ORDERMILL_REPORTS_LEVEL_METRICS_H
#define ORDERMILL_REPORTS_LEVEL_METRICS_H

#include "reports/analysis.h"

/* The metrics of the server's own host: those of the driver's where both are one machine; else, and
 * where nothing is known of it, METRIC_SERVER_HOST. */
enum metric_source level_metrics_server_host(const struct run *run);

/* Mean over the runs that have it; over all its instances together where `instance` is NULL, of
 * disks without volumes that stand on others. */
double level_metrics_mean(const struct analysis_level *level, enum metric_source source,
                          const char *name, const char *instance);
/* Growth of a counter per new-order committed in the window. */
double level_metrics_per_new_order(const struct analysis_level *level, enum metric_source source,
                                   const char *name);
/* Processor time of a host, all that ran on it included, for each new-order committed. */
double level_metrics_cpu_us(const struct analysis_level *level, enum metric_source host);
/* Growth of a counter in all its runs together. */
double level_metrics_total(const struct analysis_level *level, enum metric_source source,
                           const char *name);
/* Why a metric is missing, from the first step that says so; or NULL. */
const char *level_metrics_missing(const struct analysis *analysis, enum metric_source source,
                                  const char *name);

/* The instances of a metric over all levels, without `except` (or NULL), the one with the largest
 * sum of means first; at most `limit`. Names belong to the run. Returns how many. */
int level_metrics_instances(const struct analysis *analysis, enum metric_source source,
                            const char *name, const char *except, const char **instances,
                            int limit);

#define WAITS_OTHER "other" /* what is shown together, being too rare to have a row */

/* The waits of sessions, as level_metrics_instances gives them. Where there are more than `limit`,
 * or the sampler itself could not tell all apart, the last one is WAITS_OTHER. */
int level_metrics_waits(const struct analysis *analysis, const char **names, int limit);
/* Mean sessions in each of `count` such waits over the runs in which they were sampled, in which
 * one that was never seen has none: they add up to what is returned, the sessions in any. NAN where
 * nothing was sampled. */
double level_metrics_in_waits(const struct analysis_level *level, const char *const *names,
                              int count, double *sessions);

#endif
