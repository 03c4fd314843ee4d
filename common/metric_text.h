/* The metrics of a step in short: as sentences for the text reports, as an object in JSON. Pure. */
#ifndef ORDERMILL_COMMON_METRIC_TEXT_H
#define ORDERMILL_COMMON_METRIC_TEXT_H

#include "common/json.h"
#include "common/result.h"

enum metric_topic { METRIC_WAITS, METRIC_WORK, METRIC_HOSTS, METRIC_COST, METRIC_TOPICS };
extern const char *const metric_topic_names[METRIC_TOPICS]; /* "waits", "server", ... */

/* Appends what the metrics say about it, without a line end; nothing where they say nothing. */
void metric_text(struct buf *out, const struct step *step, enum metric_topic topic);

/* The wait events with the largest shares of the database time, the greatest first; returns how
 * many, and the active sessions on average. */
#define METRIC_WAITS_TOP 5
int metric_top_waits(const struct step *step, const struct metric *top[METRIC_WAITS_TOP],
                     double *sessions);
/* Checkpoints that began in the window; -1: not known. */
double metric_checkpoints(const struct step *step);
/* Autovacuum runs that ended in the window, over the kit's tables; -1: not known. */
double metric_autovacuums(const struct step *step);
/* Growth of a counter of the server for each new-order committed; negative: not known. */
double metric_per_new_order(const struct step *step, const char *name);

/* The object "metrics": the short figures, then all that have any. */
void metric_json(struct json *json, const struct step *step);

#endif
