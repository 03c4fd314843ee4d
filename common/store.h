/* The run store: one SQLite file per run folder, "run.sqlite". A step is written in one
 * transaction, so it is there whole or not at all. Histograms are blobs of hist_encode; everything
 * else is in plain columns that users can query. */
#ifndef ORDERMILL_COMMON_STORE_H
#define ORDERMILL_COMMON_STORE_H

#include "common/result.h"

/* Raised with every change of a table, once per release; a file of another layout is refused.
 * docs/run-store.md describes this one. */
#define STORE_LAYOUT_VERSION 11

struct store;

#define STORE_FILE "run.sqlite"

/* Creates the store in an existing folder that has none (ERR_LOCAL otherwise), with the run's name,
 * profile, kit version, settings, start and number of planned steps. */
MUST_CHECK struct store *store_create(const char *folder, const struct run *run, struct err *err);
MUST_CHECK struct store *store_open(const char *folder, struct err *err);
void store_close(struct store *store); /* NULL is fine */

MUST_CHECK bool store_put_environment(struct store *store, const struct environment *environment,
                                      struct err *err);
MUST_CHECK bool store_put_step(struct store *store, const struct step *step, struct err *err);
MUST_CHECK bool store_put_check(struct store *store, const struct check_result *check,
                                struct err *err);
/* Appends to the journal. */
MUST_CHECK bool store_put_event(struct store *store, const struct event *event, struct err *err);
/* Which load is measured (see build_identity). */
MUST_CHECK bool store_put_build(struct store *store, const char *identity, struct err *err);
/* How many steps the run has, where that was not known at its start. */
MUST_CHECK bool store_put_planned(struct store *store, int steps, struct err *err);
/* Takes a step back, with all that belongs to it. */
MUST_CHECK bool store_remove_step(struct store *store, int number, struct err *err);
MUST_CHECK bool store_end(struct store *store, enum step_status status, int64_t ended_wall_us,
                          struct err *err);

/* Reads everything into memory of the arena. */
MUST_CHECK bool store_read(struct store *store, struct arena *arena, struct run *run,
                           struct err *err);

#endif
