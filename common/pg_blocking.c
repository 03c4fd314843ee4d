/* Owns the waiting for queries and COPY, as long as patience goes, and what is done to a server
 * that answers too late. */
#include "common/pg_inside.h"

#include <pthread.h>
#include <sys/socket.h>

#include "common/clock.h"
#include "common/log.h"
#include "common/patience.h"
#include "common/units.h"

#define CANCEL_US 1000000 /* so long may the answer to a cancel request take */

/* What runs is cancelled in a thread: a server that hangs may not answer that request either. */
static void *
send_cancel(void *request)
{
    pg_cancel_send(request);
    return NULL;
}

static void
cancel_aside(PGconn *conn)
{
    PGcancel *request = PQgetCancel(conn);
    pthread_t thread;

    if (request && pthread_create(&thread, NULL, send_cancel, request) == 0)
        pthread_detach(thread);
    else
        PQfreeCancel(request);
}

void
pg_answer_within(struct pg *pg, int64_t limit_us)
{
    pg->answer_us = limit_us;
}

static int64_t
answer_until_us(const struct pg *pg, int64_t begun_us)
{
    return pg->answer_us > 0 ? begun_us + pg->answer_us : INT64_MAX;
}

/* Waits until the next result can be had without waiting, as long as patience and the connection's
 * own limit go; then what runs is cancelled, and where the server does not answer that either, the
 * connection is closed. */
static void
await_result(const struct pg *pg, int64_t begun_us)
{
    PGconn *conn = pg->conn;
    int64_t cancelled_us = 0;

    while (PQisBusy(conn)) {
        int64_t now_us = clock_monotonic_us();
        if (cancelled_us == 0 &&
            (now_us >= patience_until_us(begun_us) || now_us >= answer_until_us(pg, begun_us))) {
            cancel_aside(conn);
            cancelled_us = now_us;
        } else if (cancelled_us > 0 && now_us >= cancelled_us + CANCEL_US) {
            shutdown(PQsocket(conn), SHUT_RDWR);
            return;
        }
        if (patience_readable(PQsocket(conn), cancelled_us > 0 ? now_us : begun_us) &&
            !PQconsumeInput(conn))
            return;
    }
}

/* The last result of what was sent, as PQexec has it; a COPY is left open. */
static PGresult *
last_result(const struct pg *pg, int sent, int64_t begun_us)
{
    PGresult *last = NULL, *result;

    if (!sent)
        return NULL;
    while (await_result(pg, begun_us), (result = PQgetResult(pg->conn))) {
        PQclear(last);
        last = result;
        if (PQresultStatus(result) == PGRES_COPY_IN || PQstatus(pg->conn) == CONNECTION_BAD)
            break;
    }
    return last;
}

/* A failed result, freed: where patience was lost, that is the reason. */
static bool
query_error(const struct pg *pg, PGresult *result, int64_t begun_us, struct err *err)
{
    char limit[UNITS_TEXT_SIZE];

    if (patience_lost(begun_us, err))
        (void)err; /* it says so */
    else if (clock_monotonic_us() >= answer_until_us(pg, begun_us))
        err_set(err, ERR_CONNECTION, "no answer in %s", units_exact_duration(limit, pg->answer_us));
    else
        pg_result_error(pg->conn, result, err);
    PQclear(result);
    return false;
}

bool
pg_exec(struct pg *pg, const char *sql, struct err *err)
{
    int64_t begun_us = clock_monotonic_us();
    PGresult *result = last_result(pg, PQsendQuery(pg->conn, sql), begun_us);

    if (!pg_rows_ok(pg_rows_of(result)))
        return query_error(pg, result, begun_us, err);
    PQclear(result);
    return true;
}

struct pg_rows *
pg_query(struct pg *pg, const char *sql, int count, const char *const *parameters, struct err *err)
{
    int64_t begun_us = clock_monotonic_us();
    PGresult *result = last_result(
        pg, PQsendQueryParams(pg->conn, sql, count, NULL, parameters, NULL, NULL, 0), begun_us);

    if (pg_rows_ok(pg_rows_of(result)))
        return pg_rows_of(result);
    query_error(pg, result, begun_us, err);
    return NULL;
}

/* --- COPY ------------------------------------------------------------------------------------- */

/* Reads what is left of a COPY or of a failed statement, so that the session can go on; keeps the
 * first failure. */
static bool
drain(struct pg *pg, struct err *err)
{
    int64_t begun_us = clock_monotonic_us();
    bool ok = true;

    for (PGresult *result; await_result(pg, begun_us), (result = PQgetResult(pg->conn));) {
        if (ok && !pg_rows_ok(pg_rows_of(result)))
            ok = pg_result_error(pg->conn, result, err);
        PQclear(result);
        if (PQstatus(pg->conn) == CONNECTION_BAD)
            break;
    }
    return ok;
}

/* A COPY that will take no more data: the server's reason is in its result. */
static bool
copy_failed(struct pg *pg, struct err *err)
{
    if (drain(pg, err))
        return pg_connection_error(pg->conn, err);
    return false;
}

bool
pg_copy_begin(struct pg *pg, const char *sql, struct err *err)
{
    int64_t begun_us = clock_monotonic_us();
    PGresult *result = last_result(pg, PQsendQuery(pg->conn, sql), begun_us);

    if (PQresultStatus(result) != PGRES_COPY_IN)
        return query_error(pg, result, begun_us, err);
    PQclear(result);
    return true;
}

bool
pg_copy_send(struct pg *pg, const void *data, size_t size, struct err *err)
{
    /* Looking for the server's answer before each piece ends a doomed COPY early. */
    if (!PQconsumeInput(pg->conn) || PQputCopyData(pg->conn, data, (int)size) != 1)
        return copy_failed(pg, err);
    return true;
}

bool
pg_copy_end(struct pg *pg, struct err *err)
{
    if (PQputCopyEnd(pg->conn, NULL) != 1)
        return copy_failed(pg, err);
    return drain(pg, err);
}

void
pg_copy_abort(struct pg *pg, const char *reason)
{
    struct err ignored;
    if (PQputCopyEnd(pg->conn, reason) == 1 && !drain(pg, &ignored))
        log_detail("copy ended: %s", ignored.message);
}

/* A request is libpq's own object under a name of ours. */
struct pg_cancel_request *
pg_cancel_prepare(const struct pg *pg)
{
    return (struct pg_cancel_request *)PQgetCancel(pg->conn);
}

void
pg_cancel_send(struct pg_cancel_request *request)
{
    PGcancel *cancel = (PGcancel *)request;
    char text[256];

    if (cancel && !PQcancel(cancel, text, sizeof text))
        log_detail("cancel request: %s", text);
    PQfreeCancel(cancel);
}

void
pg_cancel(struct pg *pg)
{
    pg_cancel_send(pg_cancel_prepare(pg));
}
