/* What a connection is, what went wrong on it, and the rows it gave. Connecting is in pg_connect.c,
 * what waits for the server in pg_blocking.c, what does not wait in pg_async.c.
 *
 * It owns how libpq's failures become a struct err: one line, scrubbed, with the SQLSTATE and a
 * hint where a usual cause is known. It does not know the kit's schema or its workload. */
#include "common/pg.h"

#include <stdlib.h>
#include <string.h>

#include "common/pg_inside.h"
#include "common/pg_text.h"

/* --- errors ----------------------------------------------------------------------------------- */

bool
pg_connection_error(PGconn *conn, struct err *err)
{
    char text[sizeof err->message];
    pg_one_line(PQerrorMessage(conn), text, sizeof text);
    pg_drop_repetition(text);
    err_set(err, ERR_CONNECTION, "%s", *text ? text : "the connection to the server was lost");
    if (PQconnectionNeedsPassword(conn))
        err_hint(err, "set PGPASSWORD, or put the password into a password file or a service file");
    else if (strstr(text, "unsupported startup parameter"))
        err_hint(err, "a connection pooler is between; PgBouncer lets sessions through with "
                      "ignore_startup_parameters = extra_float_digits, options");
    else if (strstr(text, "Is the server running"))
        err_hint(err, "name the server with --host and --port, or PGHOST and PGPORT");
    return false;
}

/* PQstatus alone may still say that all is well. */
bool
pg_ends_session(PGconn *conn, const char *sqlstate)
{
    return PQstatus(conn) == CONNECTION_BAD || pg_code_ends_session(sqlstate);
}

const char *
pg_error_field(const PGresult *result, int field)
{
    const char *text = PQresultErrorField(result, field);
    return text ? text : "";
}

/* Fills err from a failed result (NULL: none came at all). */
bool
pg_result_error(PGconn *conn, const PGresult *result, struct err *err)
{
    const char *sqlstate = pg_error_field(result, PG_DIAG_SQLSTATE);
    const char *primary = pg_error_field(result, PG_DIAG_MESSAGE_PRIMARY);
    const char *hint = pg_error_field(result, PG_DIAG_MESSAGE_HINT);
    bool ended = pg_ends_session(conn, sqlstate);
    if (!*primary)
        return pg_connection_error(conn, err);
    err_set(err, ended ? ERR_CONNECTION : ERR_SERVER, "%s (SQLSTATE %s)", primary, sqlstate);
    memcpy(err->sqlstate, sqlstate, strnlen(sqlstate, 5) + 1);
    if (*hint)
        err_hint(err, "%s", hint);
    return false;
}

/* --- the connection --------------------------------------------------------------------------- */

void
pg_forget_answers(struct pg *pg)
{
    while (pg->answers_count > 0)
        PQclear(pg->answers[--pg->answers_count]);
}

void
pg_close(struct pg *pg)
{
    if (!pg)
        return;
    pg_forget_answers(pg);
    PQfinish(pg->conn);
    free(pg);
}

static const char *
or_empty(const char *text)
{
    return text ? text : "";
}

const char *
pg_host(const struct pg *pg)
{
    return or_empty(PQhost(pg->conn));
}

const char *
pg_port(const struct pg *pg)
{
    return or_empty(PQport(pg->conn));
}

const char *
pg_dbname(const struct pg *pg)
{
    return or_empty(PQdb(pg->conn));
}

const char *
pg_user(const struct pg *pg)
{
    return or_empty(PQuser(pg->conn));
}

int
pg_server_version(const struct pg *pg)
{
    return PQserverVersion(pg->conn);
}

bool
pg_uses_tls(const struct pg *pg)
{
    return PQsslInUse(pg->conn) != 0;
}

bool
pg_is_local(const struct pg *pg)
{
    const char *address = or_empty(PQhostaddr(pg->conn));
    return pg_host(pg)[0] == '/' || pg_host(pg)[0] == '@' || strncmp(address, "127.", 4) == 0 ||
           strcmp(address, "::1") == 0;
}

bool
pg_is_plain(const struct pg *pg)
{
    return PQsslInUse(pg->conn) == 0 && PQgssEncInUse(pg->conn) == 0;
}

int
pg_backend_pid(const struct pg *pg)
{
    return PQbackendPID(pg->conn);
}

/* --- rows ------------------------------------------------------------------------------------- */

bool
pg_rows_ok(const struct pg_rows *rows)
{
    ExecStatusType status = PQresultStatus(pg_result_of(rows));
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_EMPTY_QUERY;
}

void
pg_rows_free(struct pg_rows *rows)
{
    PQclear(pg_result_of(rows));
}

int
pg_rows_count(const struct pg_rows *rows)
{
    return PQntuples(pg_result_of(rows));
}

int
pg_columns_count(const struct pg_rows *rows)
{
    return PQnfields(pg_result_of(rows));
}

const char *
pg_column_name(const struct pg_rows *rows, int column)
{
    return PQfname(pg_result_of(rows), column);
}

bool
pg_is_null(const struct pg_rows *rows, int row, int column)
{
    return PQgetisnull(pg_result_of(rows), row, column) != 0;
}

const char *
pg_value(const struct pg_rows *rows, int row, int column)
{
    return PQgetvalue(pg_result_of(rows), row, column);
}

int
pg_value_size(const struct pg_rows *rows, int row, int column)
{
    return PQgetlength(pg_result_of(rows), row, column);
}
