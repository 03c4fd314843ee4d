/* Everything the kit asks of libpq; only the files named in pg_inside.h know its header.
 *
 * A struct pg is one connection, used by one thread at a time. The blocking half serves commands
 * and loaders, the asynchronous half the driver's event loops. Errors carry the SQLSTATE, a
 * scrubbed one-line message, and ERR_CONNECTION when the connection is gone or never came, else
 * ERR_SERVER.
 *
 * Every session pins what results depend on: application_name, client_encoding UTF8, DateStyle ISO,
 * TimeZone UTC, extra_float_digits, and standard_conforming_strings. It relies on no search_path.
 */
#ifndef ORDERMILL_COMMON_PG_H
#define ORDERMILL_COMMON_PG_H

#include <stdint.h>

#include "common/arena.h"
#include "common/settings.h"

struct pg;
struct pg_rows;

/* --- connecting ------------------------------------------------------------------------------- */

/* Where and as whom, taken from the settings once (libpq's environment, service files, password
 * files and URIs all count); refuses a malformed connection string without repeating it. Copies
 * what it needs. Remembers passwords for scrubbing. */
struct pg_target;
MUST_CHECK struct pg_target *pg_target_new(const struct settings *settings, struct err *err);
void pg_target_free(struct pg_target *target);
/* The role and the database that the settings name, options or connection string; NULL where they
 * name none. Connects to nothing; the texts live in the arena. */
MUST_CHECK bool pg_named(const struct settings *settings, struct arena *arena, const char **user,
                         const char **dbname, struct err *err);
/* A server setting for every session from this target, sent at connection start
 * ("default_transaction_isolation", "serializable"). */
void pg_target_option(struct pg_target *target, const char *name, const char *value);

/* Connects; each host has 10 s, or the connect_timeout that the user set. `purpose` becomes part of
 * application_name: "ordermill load". NULL on error. */
MUST_CHECK struct pg *pg_connect(const struct pg_target *target, const char *purpose,
                                 struct err *err);
void pg_close(struct pg *pg); /* NULL is fine */

/* What the connection really is; strings live as long as the connection. */
const char *pg_host(const struct pg *pg);
const char *pg_port(const struct pg *pg);
const char *pg_dbname(const struct pg *pg);
const char *pg_user(const struct pg *pg);
int pg_server_version(const struct pg *pg); /* 150018 */
bool pg_uses_tls(const struct pg *pg);
bool pg_is_local(const struct pg *pg); /* unix socket or loopback */
bool pg_is_plain(const struct pg *pg); /* neither TLS nor GSSAPI encrypts it */
int pg_backend_pid(const struct pg *pg);

/* --- blocking --------------------------------------------------------------------------------- */

/* From now on a blocking request on this connection has so long, 0: as long as patience.h has it.
 * Past that it is cancelled, and fails with ERR_CONNECTION and "no answer in 20s"; a server that
 * does not answer the cancel request either costs the connection. */
void pg_answer_within(struct pg *pg, int64_t limit_us);

/* Runs one or several statements, results thrown away. */
MUST_CHECK bool pg_exec(struct pg *pg, const char *sql, struct err *err);
MUST_CHECK bool pg_execf(struct pg *pg, struct err *err, const char *format, ...) PRINTF_LIKE(3, 4);
/* One statement with text parameters ($1...) and text results. NULL on error. */
MUST_CHECK struct pg_rows *pg_query(struct pg *pg, const char *sql, int count,
                                    const char *const *parameters, struct err *err);
/* The single integer of a query's only row; false when there is not exactly one row. */
MUST_CHECK bool pg_query_int(struct pg *pg, const char *sql, int64_t *value, struct err *err);

void pg_rows_free(struct pg_rows *rows);
int pg_rows_count(const struct pg_rows *rows);
int pg_columns_count(const struct pg_rows *rows);
const char *pg_column_name(const struct pg_rows *rows, int column);
int pg_column_index(const struct pg_rows *rows, const char *name); /* -1: no such column */
bool pg_is_null(const struct pg_rows *rows, int row, int column);
const char *pg_value(const struct pg_rows *rows, int row, int column); /* "" for null */
int pg_value_size(const struct pg_rows *rows, int row, int column);
int64_t pg_value_int(const struct pg_rows *rows, int row, int column); /* text form; must parse */
double pg_value_real(const struct pg_rows *rows, int row, int column);

/* COPY ... FROM STDIN: begin, send any number of pieces, end. An error from the server can come at
 * any of them; after an error the connection is usable for a ROLLBACK if it still stands. */
MUST_CHECK bool pg_copy_begin(struct pg *pg, const char *sql, struct err *err);
MUST_CHECK bool pg_copy_send(struct pg *pg, const void *data, size_t size, struct err *err);
MUST_CHECK bool pg_copy_end(struct pg *pg, struct err *err);
void pg_copy_abort(struct pg *pg, const char *reason); /* instead of pg_copy_end */

/* Asks the server to cancel what the connection runs; from any thread, blocks for a round trip. */
void pg_cancel(struct pg *pg);

/* The same in two halves: what it takes, which may be sent from another thread and after the
 * connection is gone. Sending blocks for as long as the network does, and frees it. NULL where the
 * connection is gone. */
struct pg_cancel_request;
struct pg_cancel_request *pg_cancel_prepare(const struct pg *pg);
void pg_cancel_send(struct pg_cancel_request *request); /* NULL is fine */

/* --- asynchronous ----------------------------------------------------------------------------- */

enum pg_state {
    PG_READ,   /* wait until the socket is readable, then go on */
    PG_WRITE,  /* wait until it is writable, then go on */
    PG_DONE,   /* what was asked for is complete */
    PG_FAILED, /* err says why; the connection is gone */
};

/* Begins to connect; then call pg_connect_step when the socket is ready, as the state says, until
 * PG_DONE or PG_FAILED. The socket may change from step to step. NULL only when nothing could be
 * started. The caller keeps the deadline. */
MUST_CHECK struct pg *pg_connect_start(const struct pg_target *target, const char *purpose,
                                       struct err *err);
MUST_CHECK enum pg_state pg_connect_step(struct pg *pg, struct err *err);
int pg_socket(const struct pg *pg); /* -1 when closed */

/* A call of a prepared statement, binary parameters and binary results; the arrays stay the
 * caller's. */
#define PG_CALL_VALUES_MAX 12
struct pg_call {
    const char *statement; /* its prepared name; NULL: parse `sql` with these `types` anew */
    const char *sql;
    const uint32_t *types;
    int count;
    const char *const *values; /* NULL entry: null */
    const int *sizes;
};
/* Each puts one request on its way; PG_WRITE means that pg_flush must be called when writable.
 * `types` are type oids, NULL lets the server infer. */
MUST_CHECK enum pg_state pg_send_prepare(struct pg *pg, const char *name, const char *sql,
                                         int count, const uint32_t *types, struct err *err);
MUST_CHECK enum pg_state pg_send_call(struct pg *pg, const struct pg_call *call, struct err *err);
/* One statement of the simple protocol, with whatever values quoted inside; text results. */
MUST_CHECK enum pg_state pg_send_sql(struct pg *pg, const char *sql, struct err *err);
MUST_CHECK enum pg_state pg_flush(struct pg *pg, struct err *err); /* PG_WRITE or PG_READ */
/* Reads what has come. PG_DONE: the request is answered to its end, pg_answer tells how. */
MUST_CHECK enum pg_state pg_receive(struct pg *pg, struct err *err);

/* Several calls in one round trip, on a connection that is for this alone: pg_send_sql is not
 * possible any more, pg_send_prepare is a trip of its own. Once, when it is connected. */
MUST_CHECK bool pg_use_trips(struct pg *pg, struct err *err);
#define PG_TRIP_MAX 20
void pg_begin_trip(struct pg *pg);
MUST_CHECK bool pg_put_call(struct pg *pg, const struct pg_call *call, struct err *err);
/* Puts them on their way. The server passes over all calls behind one that failed. PG_DONE of
 * pg_receive: all are answered. */
MUST_CHECK enum pg_state pg_send_trip(struct pg *pg, struct err *err);
int pg_answers_count(const struct pg *pg);
/* In the order of the calls; those that were passed over are not ok and have no SQLSTATE. */
const struct pg_rows *pg_answer_at(const struct pg *pg, int i);
bool pg_in_transaction(const struct pg *pg); /* BEGIN was, COMMIT or ROLLBACK is still to come */

/* The socket of a connection that is prepared and idle, for whoever speaks the protocol on it from
 * here on: pg may then only be closed, asked for a cancel request or why it was lost. -1 where that
 * is not possible: it is encrypted, or uses trips. */
MUST_CHECK int pg_hand_over(struct pg *pg);
/* Why such a connection ended; `error` is what recv said, 0: the end. */
void pg_lost(struct pg *pg, int error, struct err *err);

/* The answer to the last request, the last one of a trip: NULL when none. Valid until the next
 * request on pg. */
const struct pg_rows *pg_answer(const struct pg *pg);
bool pg_rows_ok(const struct pg_rows *rows);
const char *pg_rows_tag(const struct pg_rows *rows); /* "COMMIT", "INSERT 0 1", ... */
/* Of a failed answer, "" when absent: SQLSTATE; the column it is about; primary message (scrubbed
 * copy into text). */
const char *pg_rows_sqlstate(const struct pg_rows *rows);
const char *pg_rows_column(const struct pg_rows *rows);
void pg_rows_message(const struct pg_rows *rows, char *text, size_t size);
void pg_rows_detail(const struct pg_rows *rows, char *text, size_t size);

/* --- quoting ---------------------------------------------------------------------------------- */

char *pg_quote_identifier(struct arena *arena, const char *name);
char *pg_quote_literal(struct arena *arena, const char *text); /* standard_conforming_strings on */

#endif
