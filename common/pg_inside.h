/* Between the files that know libpq, and for no other: pg.c, pg_connect.c, pg_blocking.c and
 * pg_async.c. */
#ifndef ORDERMILL_COMMON_PG_INSIDE_H
#define ORDERMILL_COMMON_PG_INSIDE_H

#include <libpq-fe.h>

#include "common/pg.h"

struct pg {
    PGconn *conn;
    PGresult *answers[PG_TRIP_MAX]; /* of the last asynchronous request: one, or those of a trip */
    int answers_count;
    int64_t answer_us; /* that a blocking request may take; 0: as long as patience goes */
    bool uses_trips;
    bool on_trip; /* and its end has not come back yet */
};

/* A struct pg_rows is libpq's result under another name, so that handing one out costs nothing. */
static inline struct pg_rows *
pg_rows_of(PGresult *result)
{
    return (struct pg_rows *)(void *)result;
}

static inline PGresult *
pg_result_of(const struct pg_rows *rows)
{
    return (PGresult *)(void *)(uintptr_t)rows;
}

/* Why the connection is gone, or never came. */
bool pg_connection_error(PGconn *conn, struct err *err);
/* Why a result (NULL: none came at all) failed. */
bool pg_result_error(PGconn *conn, const PGresult *result, struct err *err);
const char *pg_error_field(const PGresult *result, int field); /* "" when absent */
bool pg_ends_session(PGconn *conn, const char *sqlstate);
void pg_forget_answers(struct pg *pg);

#endif
