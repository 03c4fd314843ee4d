/* Brings the database into a known state before a step: no session of the kit left, autovacuum done
 * with the kit's tables, these vacuumed, a checkpoint. Says how long each took and how large the
 * tables are then. */
#ifndef ORDERMILL_PROFILES_RESET_H
#define ORDERMILL_PROFILES_RESET_H

#include "common/pg.h"
#include "common/result.h"

struct reset_options {
    const char *schema;
    bool vacuums;               /* else it only waits for sessions */
    int64_t sessions_limit_us;  /* for sessions to go: then it is an error */
    int64_t autovacuum_wait_us; /* for autovacuum: then it goes on, and says so */
};

enum { RESET_EVENTS_MAX = 4 };
struct reset {
    struct event events[RESET_EVENTS_MAX]; /* texts in the arena given */
    int count;
};

/* Asks for a checkpoint; see below. */
MUST_CHECK bool reset_checkpoint(struct pg *pg, struct arena *arena, struct reset *reset,
                                 struct err *err);

/* False (err) where sessions stay, where vacuum fails, or where the time is up; what was done by
 * then stands in `reset`. A checkpoint that the role may not ask for is a remark there. */
MUST_CHECK bool reset_database(struct pg *pg, const struct reset_options *options,
                               struct arena *arena, struct reset *reset, struct err *err);

#endif
