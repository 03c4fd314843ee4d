/* Connections and queries that come to an end whatever the server does: a process that is stopped
 * or a network that is gone answers nothing, and libpq's own blocking calls would wait for ever. */
#ifndef ORDERMILL_COMMON_PG_WAIT_H
#define ORDERMILL_COMMON_PG_WAIT_H

#include "common/pg.h"

struct pg_wait {
    int64_t patience_us; /* of each call */
    bool heeds_signals;  /* SIGINT and SIGTERM end the wait too (interrupt_install before) */
};

/* As pg_connect. ERR_CONNECTION with "no answer in 5s" when patience has ended, ERR_INTERRUPTED or
 * ERR_TERMINATED after a signal. */
MUST_CHECK struct pg *pg_wait_connect(const struct pg_target *target, const char *purpose,
                                      const struct pg_wait *wait, struct err *err);
/* One statement, text results; they are valid until the next request on pg. NULL on error, as above
 * or the server's own; where that is no ERR_SERVER the connection is good for pg_close alone. */
MUST_CHECK const struct pg_rows *pg_wait_query(struct pg *pg, const char *sql,
                                               const struct pg_wait *wait, struct err *err);

#endif
