/* Connections, queries and COPY, all of it waiting; what does not wait is in pg_async.c.
 *
 * It owns how libpq's failures become a struct err: one line, scrubbed, with the SQLSTATE and a
 * hint where a usual cause is known. It does not know the kit's schema or its workload. */
#include "common/pg.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "common/buf.h"
#include "common/clock.h"
#include "common/log.h"
#include "common/patience.h"
#include "common/pg_inside.h"
#include "common/pg_text.h"
#include "common/session_settings.h"

#define CONNECT_TIMEOUT_S    "10"
#define CONNECT_KEYWORDS_MAX 12
#define CANCEL_US            1000000 /* so long may the answer to a cancel request take */

struct pg_target {
    struct arena arena;
    const char *host, *port, *user, *dbname;
    const char *service; /* that a connection string names, else NULL */
    struct buf options;  /* "-c name=value ..."; empty: leave PGOPTIONS alone */
    bool timeout_is_set;
};

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

/* Whether an error with this SQLSTATE means that the session has ended. After a backend was killed
 * there may be none at all, while PQstatus still says that all is well. */
bool
pg_ends_session(PGconn *conn, const char *sqlstate)
{
    return PQstatus(conn) == CONNECTION_BAD || !*sqlstate || strncmp(sqlstate, "57P0", 4) == 0 ||
           strncmp(sqlstate, "08", 2) == 0;
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
    log_detail("server: %s: %s", pg_error_field(result, PG_DIAG_SEVERITY),
               pg_error_field(result, PG_DIAG_MESSAGE_PRIMARY));
}

static struct pg *
adopt(PGconn *conn)
{
    struct pg *pg = must_calloc(1, sizeof *pg);
    pg->conn = conn;
    PQsetNoticeReceiver(conn, on_notice, NULL);
    return pg;
}

/* A connection in the making: libpq's own loop over hosts and addresses, name service included,
 * cannot be waited for in pieces. */
struct connecting {
    struct pg_target target; /* a copy of what counts here: the caller's may be gone */
    char *purpose;
    PGconn *conn;
};

static struct connecting *
connecting_new(const struct pg_target *target, const char *purpose)
{
    struct connecting *connecting = must_calloc(1, sizeof *connecting);
    struct pg_target *copy = &connecting->target;

    copy->host = arena_strdup(&copy->arena, target->host);
    copy->port = arena_strdup(&copy->arena, target->port);
    copy->user = arena_strdup(&copy->arena, target->user);
    copy->dbname = arena_strdup(&copy->arena, target->dbname);
    copy->timeout_is_set = target->timeout_is_set;
    if (target->options.length)
        buf_puts(&copy->options, buf_text(&target->options));
    connecting->purpose = arena_strdup(&copy->arena, purpose);
    return connecting;
}

static void
connecting_free(void *context)
{
    struct connecting *connecting = context;

    PQfinish(connecting->conn);
    buf_free(&connecting->target.options);
    arena_free(&connecting->target.arena);
    free(connecting);
}

static void
connecting_run(void *context)
{
    struct connecting *connecting = context;
    struct connect_words words;

    make_words(&connecting->target, connecting->purpose, &words);
    connecting->conn = PQconnectdbParams(words.keywords, words.values, 1);
}

struct pg *
pg_connect(const struct pg_target *target, const char *purpose, struct err *err)
{
    struct connecting *connecting = connecting_new(target, purpose);
    int64_t begun_us = clock_monotonic_us();

    if (!patience_run(connecting_run, connecting_free, connecting)) {
        if (!patience_lost(begun_us, err))
            err_set(err, ERR_CONNECTION, "the server did not answer in time");
        return NULL;
    }
    PGconn *conn = connecting->conn;
    must(conn);
    connecting->conn = NULL;
    connecting_free(connecting);
    if (PQstatus(conn) != CONNECTION_OK) {
        pg_connection_error(conn, err);
        PQfinish(conn);
        return NULL;
    }
    return adopt(conn);
}

struct pg *
pg_connect_start(const struct pg_target *target, const char *purpose, struct err *err)
{
    struct connect_words words;
    make_words(target, purpose, &words);
    PGconn *conn = PQconnectStartParams(words.keywords, words.values, 1);
    must(conn);
    if (PQstatus(conn) == CONNECTION_BAD) {
        pg_connection_error(conn, err);
        PQfinish(conn);
        return NULL;
    }
    return adopt(conn);
}

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

int
pg_backend_pid(const struct pg *pg)
{
    return PQbackendPID(pg->conn);
}

/* --- blocking --------------------------------------------------------------------------------- */

bool
pg_rows_ok(const struct pg_rows *rows)
{
    ExecStatusType status = PQresultStatus(pg_result_of(rows));
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_EMPTY_QUERY;
}

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

/* Waits until the next result can be had without waiting, as long as patience goes; then what runs
 * is cancelled, and where the server does not answer that either, the connection is closed. */
static void
await_result(PGconn *conn, int64_t begun_us)
{
    int64_t cancelled_us = 0;

    while (PQisBusy(conn)) {
        int64_t now_us = clock_monotonic_us();
        if (cancelled_us == 0 && now_us >= patience_until_us(begun_us)) {
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
last_result(PGconn *conn, int sent, int64_t begun_us)
{
    PGresult *last = NULL, *result;

    if (!sent)
        return NULL;
    while (await_result(conn, begun_us), (result = PQgetResult(conn))) {
        PQclear(last);
        last = result;
        if (PQresultStatus(result) == PGRES_COPY_IN || PQstatus(conn) == CONNECTION_BAD)
            break;
    }
    return last;
}

/* A failed result, freed: where patience was lost, that is the reason. */
static bool
query_error(PGconn *conn, PGresult *result, int64_t begun_us, struct err *err)
{
    if (!patience_lost(begun_us, err))
        pg_result_error(conn, result, err);
    PQclear(result);
    return false;
}

bool
pg_exec(struct pg *pg, const char *sql, struct err *err)
{
    int64_t begun_us = clock_monotonic_us();
    PGresult *result = last_result(pg->conn, PQsendQuery(pg->conn, sql), begun_us);

    if (!pg_rows_ok(pg_rows_of(result)))
        return query_error(pg->conn, result, begun_us, err);
    PQclear(result);
    return true;
}

struct pg_rows *
pg_query(struct pg *pg, const char *sql, int count, const char *const *parameters, struct err *err)
{
    int64_t begun_us = clock_monotonic_us();
    PGresult *result = last_result(
        pg->conn, PQsendQueryParams(pg->conn, sql, count, NULL, parameters, NULL, NULL, 0),
        begun_us);

    if (pg_rows_ok(pg_rows_of(result)))
        return pg_rows_of(result);
    query_error(pg->conn, result, begun_us, err);
    return NULL;
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

/* Reads what is left of a COPY or of a failed statement, so that the session can go on; keeps the
 * first failure. */
static bool
drain(struct pg *pg, struct err *err)
{
    int64_t begun_us = clock_monotonic_us();
    bool ok = true;

    for (PGresult *result; await_result(pg->conn, begun_us), (result = PQgetResult(pg->conn));) {
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
    PGresult *result = last_result(pg->conn, PQsendQuery(pg->conn, sql), begun_us);

    if (PQresultStatus(result) != PGRES_COPY_IN)
        return query_error(pg->conn, result, begun_us, err);
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
