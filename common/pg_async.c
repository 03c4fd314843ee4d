/* The asynchronous half of what the kit asks of libpq: what the driver's event loops call. Nothing
 * here waits. */
#include "common/pg_inside.h"

#include <string.h>

#include "common/pg_text.h"

enum pg_state
pg_connect_step(struct pg *pg, struct err *err)
{
    switch (PQconnectPoll(pg->conn)) {
    case PGRES_POLLING_READING: return PG_READ;
    case PGRES_POLLING_WRITING: return PG_WRITE;
    case PGRES_POLLING_OK: break;
    default: pg_connection_error(pg->conn, err); return PG_FAILED;
    }
    if (PQsetnonblocking(pg->conn, 1) == 0)
        return PG_DONE;
    pg_connection_error(pg->conn, err);
    return PG_FAILED;
}

int
pg_socket(const struct pg *pg)
{
    return PQsocket(pg->conn);
}

enum pg_state
pg_flush(struct pg *pg, struct err *err)
{
    switch (PQflush(pg->conn)) {
    case 0: return PG_READ;
    case 1: return PG_WRITE;
    default: pg_connection_error(pg->conn, err); return PG_FAILED;
    }
}

static enum pg_state
after_send(struct pg *pg, int sent, struct err *err)
{
    if (sent)
        return pg_flush(pg, err);
    pg_connection_error(pg->conn, err);
    return PG_FAILED;
}

enum pg_state
pg_send_prepare(struct pg *pg, const char *name, const char *sql, int count, const uint32_t *types,
                struct err *err)
{
    pg_forget_answers(pg);
    int sent = PQsendPrepare(pg->conn, name, sql, count, types);
    return sent && pg->uses_trips ? pg_send_trip(pg, err) : after_send(pg, sent, err);
}

static int
put_call(struct pg *pg, const struct pg_call *call)
{
    static const int binary[PG_CALL_VALUES_MAX] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    must(call->count <= PG_CALL_VALUES_MAX);
    return call->statement ? PQsendQueryPrepared(pg->conn, call->statement, call->count,
                                                 call->values, call->sizes, binary, 1)
                           : PQsendQueryParams(pg->conn, call->sql, call->count, call->types,
                                               call->values, call->sizes, binary, 1);
}

enum pg_state
pg_send_call(struct pg *pg, const struct pg_call *call, struct err *err)
{
    must(!pg->uses_trips);
    pg_forget_answers(pg);
    return after_send(pg, put_call(pg, call), err);
}

enum pg_state
pg_send_sql(struct pg *pg, const char *sql, struct err *err)
{
    pg_forget_answers(pg);
    return after_send(pg, PQsendQuery(pg->conn, sql), err);
}

bool
pg_use_trips(struct pg *pg, struct err *err)
{
    pg->uses_trips = PQenterPipelineMode(pg->conn) != 0;
    return pg->uses_trips || pg_connection_error(pg->conn, err);
}

void
pg_begin_trip(struct pg *pg)
{
    must(pg->uses_trips && !pg->on_trip);
    pg_forget_answers(pg);
}

bool
pg_put_call(struct pg *pg, const struct pg_call *call, struct err *err)
{
    return put_call(pg, call) || pg_connection_error(pg->conn, err);
}

enum pg_state
pg_send_trip(struct pg *pg, struct err *err)
{
    pg->on_trip = true;
    return after_send(pg, PQpipelineSync(pg->conn), err);
}

static void
keep_answer(struct pg *pg, PGresult *result)
{
    if (!pg->uses_trips)
        pg_forget_answers(pg);
    must(pg->answers_count < PG_TRIP_MAX);
    pg->answers[pg->answers_count++] = result;
}

/* Whether the session goes on after this result. */
static bool
take_result(struct pg *pg, PGresult *result)
{
    ExecStatusType status = PQresultStatus(result);
    if (status == PGRES_PIPELINE_SYNC) {
        pg->on_trip = false;
        PQclear(result);
        return true;
    }
    keep_answer(pg, result);
    return pg_rows_ok(pg_rows_of(result)) || status == PGRES_PIPELINE_ABORTED ||
           !pg_ends_session(pg->conn, pg_error_field(result, PG_DIAG_SQLSTATE));
}

/* Nothing is to come any more: without trips libpq says so by giving no result; on a trip that only
 * parts the answers of two calls. */
static bool
is_complete(const struct pg *pg, const PGresult *result)
{
    return pg->uses_trips ? !pg->on_trip : !result;
}

enum pg_state
pg_receive(struct pg *pg, struct err *err)
{
    bool alive = PQconsumeInput(pg->conn) != 0, complete = pg->uses_trips && !pg->on_trip;
    while (!PQisBusy(pg->conn) && !complete) {
        PGresult *result = PQgetResult(pg->conn);
        if (result && !take_result(pg, result))
            alive = false;
        if (!alive)
            break;
        complete = is_complete(pg, result);
    }
    if (!alive) {
        /* A last word of the server (57P01 and the like) says more than "connection lost". */
        const struct pg_rows *last = pg_answer(pg);
        pg_result_error(pg->conn, pg_rows_ok(last) ? NULL : pg_result_of(last), err);
        err->code = ERR_CONNECTION;
        return PG_FAILED;
    }
    return (pg->uses_trips ? pg->on_trip : PQisBusy(pg->conn) != 0) ? PG_READ : PG_DONE;
}

int
pg_hand_over(struct pg *pg)
{
    enum { PROTOCOL = 3 };
    PGconn *conn = pg->conn;

    pg_forget_answers(pg);
    if (pg->uses_trips || !pg_is_plain(pg) || PQprotocolVersion(conn) != PROTOCOL)
        return -1;
    if (PQstatus(conn) != CONNECTION_OK || PQtransactionStatus(conn) != PQTRANS_IDLE ||
        PQisBusy(conn) || PQflush(conn) != 0)
        return -1;
    return PQsocket(conn);
}

/* libpq, which believes that it is idle, finds the end by itself and has the words for it. */
void
pg_lost(struct pg *pg, int error, struct err *err)
{
    if (PQconsumeInput(pg->conn) == 0)
        pg_connection_error(pg->conn, err);
    else
        err_set(err, ERR_CONNECTION, "could not receive data from server: %s", strerror(error));
}

const struct pg_rows *
pg_answer(const struct pg *pg)
{
    return pg->answers_count > 0 ? pg_rows_of(pg->answers[pg->answers_count - 1]) : NULL;
}

int
pg_answers_count(const struct pg *pg)
{
    return pg->answers_count;
}

const struct pg_rows *
pg_answer_at(const struct pg *pg, int i)
{
    must(i >= 0 && i < pg->answers_count);
    return pg_rows_of(pg->answers[i]);
}

bool
pg_in_transaction(const struct pg *pg)
{
    PGTransactionStatusType status = PQtransactionStatus(pg->conn);
    return status == PQTRANS_INTRANS || status == PQTRANS_INERROR;
}

const char *
pg_rows_tag(const struct pg_rows *rows)
{
    return PQcmdStatus(pg_result_of(rows));
}

const char *
pg_rows_column(const struct pg_rows *rows)
{
    return pg_error_field(pg_result_of(rows), PG_DIAG_COLUMN_NAME);
}

const char *
pg_rows_sqlstate(const struct pg_rows *rows)
{
    return pg_error_field(pg_result_of(rows), PG_DIAG_SQLSTATE);
}

static void
copy_field(const struct pg_rows *rows, int field, char *text, size_t size)
{
    pg_one_line(pg_error_field(pg_result_of(rows), field), text, size);
    err_scrub(text, size);
}

void
pg_rows_message(const struct pg_rows *rows, char *text, size_t size)
{
    copy_field(rows, PG_DIAG_MESSAGE_PRIMARY, text, size);
}

void
pg_rows_detail(const struct pg_rows *rows, char *text, size_t size)
{
    copy_field(rows, PG_DIAG_MESSAGE_DETAIL, text, size);
}
