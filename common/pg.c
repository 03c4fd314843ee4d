/* The one file that knows libpq: connections, queries, COPY, asynchronous calls, quoting.
 *
 * It owns how libpq's failures become a struct err: one line, scrubbed, with the SQLSTATE and a
 * hint where a usual cause is known. It does not know the kit's schema or its workload. */
#include "common/pg.h"

#include <libpq-fe.h>
#include <stdlib.h>
#include <string.h>

#include "common/buf.h"
#include "common/log.h"
#include "common/pg_text.h"
#include "common/session_settings.h"

#define CONNECT_TIMEOUT_S    "10"
#define CONNECT_KEYWORDS_MAX 12

struct pg {
    PGconn *conn;
    PGresult *answers[PG_TRIP_MAX]; /* of the last asynchronous request: one, or those of a trip */
    int answers_count;
    bool uses_trips;
    bool on_trip; /* and its end has not come back yet */
};

struct pg_target {
    struct arena arena;
    const char *host, *port, *user, *dbname;
    const char *service; /* that a connection string names, else NULL */
    struct buf options;  /* "-c name=value ..."; empty: leave PGOPTIONS alone */
    bool timeout_is_set;
};

/* A struct pg_rows is libpq's result under another name, so that handing one out costs nothing. */
static struct pg_rows *
rows_of(PGresult *result)
{
    return (struct pg_rows *)(void *)result;
}

static PGresult *
result_of(const struct pg_rows *rows)
{
    return (PGresult *)(void *)(uintptr_t)rows;
}

/* --- errors ----------------------------------------------------------------------------------- */

static bool
connection_error(PGconn *conn, struct err *err)
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

/* Whether an error with this SQLSTATE means that the session has ended. After a backend was killed
 * there may be none at all, while PQstatus still says that all is well. */
static bool
ends_session(PGconn *conn, const char *sqlstate)
{
    return PQstatus(conn) == CONNECTION_BAD || !*sqlstate || strncmp(sqlstate, "57P0", 4) == 0 ||
           strncmp(sqlstate, "08", 2) == 0;
}

static const char *
error_field(const PGresult *result, int field)
{
    const char *text = PQresultErrorField(result, field);
    return text ? text : "";
}

/* Fills err from a failed result (NULL: none came at all). */
static bool
result_error(PGconn *conn, const PGresult *result, struct err *err)
{
    const char *sqlstate = error_field(result, PG_DIAG_SQLSTATE);
    const char *primary = error_field(result, PG_DIAG_MESSAGE_PRIMARY);
    const char *hint = error_field(result, PG_DIAG_MESSAGE_HINT);
    bool ended = ends_session(conn, sqlstate);
    if (!*primary)
        return connection_error(conn, err);
    err_set(err, ended ? ERR_CONNECTION : ERR_SERVER, "%s (SQLSTATE %s)", primary, sqlstate);
    memcpy(err->sqlstate, sqlstate, strnlen(sqlstate, 5) + 1);
    if (*hint)
        err_hint(err, "%s", hint);
    return false;
}

/* --- connecting ------------------------------------------------------------------------------- */

static bool
is_connection_string(const char *dbname)
{
    return strchr(dbname, '=') || strncmp(dbname, "postgresql://", 13) == 0 ||
           strncmp(dbname, "postgres://", 11) == 0;
}

/* Takes from a connection string what the target has to know of it: secrets to scrub, options to
 * add to, whether it sets a timeout. */
static bool
read_connection_string(struct pg_target *target, const char *dbname, struct err *err)
{
    char *message = NULL;
    PQconninfoOption *options = PQconninfoParse(dbname, &message);
    if (!options) {
        char text[sizeof err->message];
        pg_one_line(message ? message : "malformed", text, sizeof text);
        struct buf safe = {0};
        pg_put_unquoted(&safe, text);
        PQfreemem(message);
        err_set(err, ERR_USAGE, "--dbname: the connection string is malformed: %s",
                buf_text(&safe));
        buf_free(&safe);
        return false;
    }
    for (const PQconninfoOption *option = options; option->keyword; option++) {
        if (!option->val)
            continue;
        if (strchr(option->dispchar, '*'))
            err_secret(option->val);
        else if (strcmp(option->keyword, "options") == 0)
            buf_puts(&target->options, option->val);
        else if (strcmp(option->keyword, "service") == 0)
            target->service = arena_strdup(&target->arena, option->val);
        else if (strcmp(option->keyword, "connect_timeout") == 0)
            target->timeout_is_set = true;
    }
    PQconninfoFree(options);
    return true;
}

struct pg_target *
pg_target_new(const struct settings *settings, struct err *err)
{
    struct pg_target *target = must_calloc(1, sizeof *target);
    target->host = arena_strdup(&target->arena, settings_text(settings, SET_HOST));
    target->port = arena_strdup(&target->arena, settings_text(settings, SET_PORT));
    target->user = arena_strdup(&target->arena, settings_text(settings, SET_USERNAME));
    target->dbname = arena_strdup(&target->arena, settings_text(settings, SET_DBNAME));
    target->timeout_is_set = getenv("PGCONNECT_TIMEOUT") != NULL;
    if (getenv("PGPASSWORD"))
        err_secret(getenv("PGPASSWORD"));
    if (target->dbname && is_connection_string(target->dbname) &&
        !read_connection_string(target, target->dbname, err)) {
        pg_target_free(target);
        return NULL;
    }
    return target;
}

void
pg_target_free(struct pg_target *target)
{
    if (!target)
        return;
    buf_free(&target->options);
    arena_free(&target->arena);
    free(target);
}

bool
pg_named(const struct settings *settings, struct arena *arena, const char **user,
         const char **dbname, struct err *err)
{
    struct pg_target *target = pg_target_new(settings, err);

    if (!target)
        return false;
    *user = arena_strdup(arena, target->user);
    *dbname = arena_strdup(arena, target->dbname);
    PQconninfoOption *options = target->dbname && is_connection_string(target->dbname)
                                    ? PQconninfoParse(target->dbname, NULL)
                                    : NULL;
    if (options)
        *dbname = NULL;
    for (const PQconninfoOption *option = options; option && option->keyword; option++) {
        if (option->val && strcmp(option->keyword, "user") == 0)
            *user = arena_strdup(arena, option->val);
        else if (option->val && strcmp(option->keyword, "dbname") == 0)
            *dbname = arena_strdup(arena, option->val);
    }
    PQconninfoFree(options);
    pg_target_free(target);
    return true;
}

/* The keyword would replace what PGOPTIONS or a service file say, so that is carried over first. */
static void
carry_over_options(struct pg_target *target)
{
    const char *kept = arena_strdup(&target->arena, getenv("PGSERVICE"));

    if (target->service)
        setenv("PGSERVICE", target->service, 1);
    PQconninfoOption *defaults = PQconndefaults();
    (void)(kept ? setenv("PGSERVICE", kept, 1) : unsetenv("PGSERVICE")); /* others name another */
    for (const PQconninfoOption *option = defaults; option && option->keyword; option++)
        if (strcmp(option->keyword, "options") == 0 && option->val)
            buf_puts(&target->options, option->val);
    PQconninfoFree(defaults);
}

void
pg_target_option(struct pg_target *target, const char *name, const char *value)
{
    if (!target->options.length)
        carry_over_options(target);
    buf_printf(&target->options, " -c %s=", name);
    for (; *value; value++) {
        if (*value == ' ' || *value == '\\')
            buf_putc(&target->options, '\\');
        buf_putc(&target->options, *value);
    }
}

struct connect_words {
    const char *keywords[CONNECT_KEYWORDS_MAX + 1];
    const char *values[CONNECT_KEYWORDS_MAX + 1];
    int count;
    char application_name[64];
};

static void
add_word(struct connect_words *words, const char *keyword, const char *value)
{
    if (!value)
        return;
    must(words->count < CONNECT_KEYWORDS_MAX);
    words->keywords[words->count] = keyword;
    words->values[words->count++] = value;
}

/* libpq lets a later word win over an earlier one, and expands a connection string where dbname
 * stands: so a connection string wins over -h, -p and -U, as in psql, and our own names over it. */
static void
make_words(const struct pg_target *target, const char *purpose, struct connect_words *words)
{
    *words = (struct connect_words){0};
    snprintf(words->application_name, sizeof words->application_name, "ordermill %s", purpose);
    add_word(words, "host", target->host);
    add_word(words, "port", target->port);
    add_word(words, "user", target->user);
    add_word(words, "dbname", target->dbname);
    add_word(words, "application_name", words->application_name);
    add_word(words, "client_encoding", "UTF8");
    if (!target->timeout_is_set)
        add_word(words, "connect_timeout", CONNECT_TIMEOUT_S);
    if (target->options.length)
        add_word(words, "options", buf_text(&target->options));
}

static void
on_notice(void *context, const PGresult *result)
{
    (void)context;
    log_detail("server: %s: %s", error_field(result, PG_DIAG_SEVERITY),
               error_field(result, PG_DIAG_MESSAGE_PRIMARY));
}

static struct pg *
adopt(PGconn *conn)
{
    struct pg *pg = must_calloc(1, sizeof *pg);
    pg->conn = conn;
    PQsetNoticeReceiver(conn, on_notice, NULL);
    return pg;
}

struct pg *
pg_connect(const struct pg_target *target, const char *purpose, struct err *err)
{
    struct connect_words words;
    make_words(target, purpose, &words);
    PGconn *conn = PQconnectdbParams(words.keywords, words.values, 1);
    must(conn);
    if (PQstatus(conn) != CONNECTION_OK) {
        connection_error(conn, err);
        PQfinish(conn);
        return NULL;
    }
    return adopt(conn);
}

static void
forget_answers(struct pg *pg)
{
    while (pg->answers_count > 0)
        PQclear(pg->answers[--pg->answers_count]);
}

void
pg_close(struct pg *pg)
{
    if (!pg)
        return;
    forget_answers(pg);
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

int
pg_backend_pid(const struct pg *pg)
{
    return PQbackendPID(pg->conn);
}

/* --- blocking --------------------------------------------------------------------------------- */

bool
pg_rows_ok(const struct pg_rows *rows)
{
    ExecStatusType status = PQresultStatus(result_of(rows));
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_EMPTY_QUERY;
}

bool
pg_exec(struct pg *pg, const char *sql, struct err *err)
{
    PGresult *result = PQexec(pg->conn, sql);
    bool ok = pg_rows_ok(rows_of(result)) || result_error(pg->conn, result, err);
    PQclear(result);
    return ok;
}

bool
pg_execf(struct pg *pg, struct err *err, const char *format, ...)
{
    struct buf sql = {0};
    va_list ap;
    va_start(ap, format);
    buf_printfv(&sql, format, ap);
    va_end(ap);
    bool ok = pg_exec(pg, buf_text(&sql), err);
    buf_free(&sql);
    return ok;
}

struct pg_rows *
pg_query(struct pg *pg, const char *sql, int count, const char *const *parameters, struct err *err)
{
    PGresult *result = PQexecParams(pg->conn, sql, count, NULL, parameters, NULL, NULL, 0);
    if (pg_rows_ok(rows_of(result)))
        return rows_of(result);
    result_error(pg->conn, result, err);
    PQclear(result);
    return NULL;
}

bool
pg_query_int(struct pg *pg, const char *sql, int64_t *value, struct err *err)
{
    struct pg_rows *rows = pg_query(pg, sql, 0, NULL, err);
    if (!rows)
        return false;
    bool one = pg_rows_count(rows) == 1 && !pg_is_null(rows, 0, 0);
    if (one)
        *value = pg_value_int(rows, 0, 0);
    else
        err_set(err, ERR_SERVER, "a query for one number gave %d rows: %s", pg_rows_count(rows),
                sql);
    pg_rows_free(rows);
    return one;
}

void
pg_rows_free(struct pg_rows *rows)
{
    PQclear(result_of(rows));
}

int
pg_rows_count(const struct pg_rows *rows)
{
    return PQntuples(result_of(rows));
}

int
pg_columns_count(const struct pg_rows *rows)
{
    return PQnfields(result_of(rows));
}

const char *
pg_column_name(const struct pg_rows *rows, int column)
{
    return PQfname(result_of(rows), column);
}

int
pg_column_index(const struct pg_rows *rows, const char *name)
{
    for (int i = 0; i < pg_columns_count(rows); i++)
        if (strcmp(pg_column_name(rows, i), name) == 0)
            return i;
    return -1;
}

bool
pg_is_null(const struct pg_rows *rows, int row, int column)
{
    return PQgetisnull(result_of(rows), row, column) != 0;
}

const char *
pg_value(const struct pg_rows *rows, int row, int column)
{
    return PQgetvalue(result_of(rows), row, column);
}

int
pg_value_size(const struct pg_rows *rows, int row, int column)
{
    return PQgetlength(result_of(rows), row, column);
}

/* Reads what is left of a COPY or of a failed statement, so that the session can go on; keeps the
 * first failure. */
static bool
drain(struct pg *pg, struct err *err)
{
    bool ok = true;
    for (PGresult *result; (result = PQgetResult(pg->conn));) {
        if (ok && !pg_rows_ok(rows_of(result)))
            ok = result_error(pg->conn, result, err);
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
        return connection_error(pg->conn, err);
    return false;
}

bool
pg_copy_begin(struct pg *pg, const char *sql, struct err *err)
{
    PGresult *result = PQexec(pg->conn, sql);
    bool ok = PQresultStatus(result) == PGRES_COPY_IN || result_error(pg->conn, result, err);
    PQclear(result);
    return ok;
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

/* --- asynchronous ----------------------------------------------------------------------------- */

struct pg *
pg_connect_start(const struct pg_target *target, const char *purpose, struct err *err)
{
    struct connect_words words;
    make_words(target, purpose, &words);
    PGconn *conn = PQconnectStartParams(words.keywords, words.values, 1);
    must(conn);
    if (PQstatus(conn) == CONNECTION_BAD) {
        connection_error(conn, err);
        PQfinish(conn);
        return NULL;
    }
    return adopt(conn);
}

enum pg_state
pg_connect_step(struct pg *pg, struct err *err)
{
    switch (PQconnectPoll(pg->conn)) {
    case PGRES_POLLING_READING: return PG_READ;
    case PGRES_POLLING_WRITING: return PG_WRITE;
    case PGRES_POLLING_OK: break;
    default: connection_error(pg->conn, err); return PG_FAILED;
    }
    if (PQsetnonblocking(pg->conn, 1) == 0)
        return PG_DONE;
    connection_error(pg->conn, err);
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
    default: connection_error(pg->conn, err); return PG_FAILED;
    }
}

static enum pg_state
after_send(struct pg *pg, int sent, struct err *err)
{
    if (sent)
        return pg_flush(pg, err);
    connection_error(pg->conn, err);
    return PG_FAILED;
}

enum pg_state
pg_send_prepare(struct pg *pg, const char *name, const char *sql, int count, const uint32_t *types,
                struct err *err)
{
    forget_answers(pg);
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
    forget_answers(pg);
    return after_send(pg, put_call(pg, call), err);
}

enum pg_state
pg_send_sql(struct pg *pg, const char *sql, struct err *err)
{
    forget_answers(pg);
    return after_send(pg, PQsendQuery(pg->conn, sql), err);
}

bool
pg_use_trips(struct pg *pg, struct err *err)
{
    pg->uses_trips = PQenterPipelineMode(pg->conn) != 0;
    return pg->uses_trips || connection_error(pg->conn, err);
}

void
pg_begin_trip(struct pg *pg)
{
    must(pg->uses_trips && !pg->on_trip);
    forget_answers(pg);
}

bool
pg_put_call(struct pg *pg, const struct pg_call *call, struct err *err)
{
    return put_call(pg, call) || connection_error(pg->conn, err);
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
        forget_answers(pg);
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
    return pg_rows_ok(rows_of(result)) || status == PGRES_PIPELINE_ABORTED ||
           !ends_session(pg->conn, error_field(result, PG_DIAG_SQLSTATE));
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
        result_error(pg->conn, pg_rows_ok(last) ? NULL : result_of(last), err);
        err->code = ERR_CONNECTION;
        return PG_FAILED;
    }
    return (pg->uses_trips ? pg->on_trip : PQisBusy(pg->conn) != 0) ? PG_READ : PG_DONE;
}

const struct pg_rows *
pg_answer(const struct pg *pg)
{
    return pg->answers_count > 0 ? rows_of(pg->answers[pg->answers_count - 1]) : NULL;
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
    return rows_of(pg->answers[i]);
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
    return PQcmdStatus(result_of(rows));
}

const char *
pg_rows_column(const struct pg_rows *rows)
{
    return error_field(result_of(rows), PG_DIAG_COLUMN_NAME);
}

const char *
pg_rows_sqlstate(const struct pg_rows *rows)
{
    return error_field(result_of(rows), PG_DIAG_SQLSTATE);
}

static void
copy_field(const struct pg_rows *rows, int field, char *text, size_t size)
{
    pg_one_line(error_field(result_of(rows), field), text, size);
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
