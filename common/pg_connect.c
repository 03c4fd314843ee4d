/* Owns where and as whom to connect, the words libpq is told, and the making of a connection. */
#include "common/pg_inside.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/buf.h"
#include "common/clock.h"
#include "common/log.h"
#include "common/patience.h"
#include "common/pg_text.h"

#define CONNECT_TIMEOUT_S    "10"
#define CONNECT_KEYWORDS_MAX 12
#define NO_PASSWORD_FILE     "/dev/null/none" /* where nothing can be: libpq is silent then */

struct pg_target {
    struct arena arena;
    const char *host, *port, *user, *dbname;
    const char *service;  /* that a connection string names, else NULL */
    const char *passfile; /* in place of one that libpq would warn of, else NULL */
    struct buf options;   /* "-c name=value ..."; empty: leave PGOPTIONS alone */
    bool timeout_is_set;
};

/* --- the target ------------------------------------------------------------------------------- */

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

static const char *
option_value(const PQconninfoOption *options, const char *keyword)
{
    for (; options && options->keyword; options++)
        if (strcmp(options->keyword, keyword) == 0)
            return options->val;
    return NULL;
}

/* A password file that others may read is not used by libpq, which says so on stderr each time that
 * it connects, for every virtual user. It is said here once, and libpq is led to no file at all. */
static void
heed_password_file(struct pg_target *target, const char *path)
{
    static atomic_bool said;
    struct stat info;

    if (stat(path, &info) != 0 || (S_ISREG(info.st_mode) && !(info.st_mode & (S_IRWXG | S_IRWXO))))
        return;
    if (!atomic_exchange(&said, true))
        log_warning("the password file \"%s\" is not used: %s", path,
                    S_ISREG(info.st_mode) ? "others may read it; chmod 0600 mends that"
                                          : "it is not a plain file");
    target->passfile = NO_PASSWORD_FILE;
}

/* The one that libpq would read, where it is given no password. */
static void
find_password_file(struct pg_target *target)
{
    bool is_string = target->dbname && is_connection_string(target->dbname);
    if (target->service)
        return; /* which may name another one, and a password too */
    PQconninfoOption *given = is_string ? PQconninfoParse(target->dbname, NULL) : NULL;
    PQconninfoOption *others = PQconndefaults();
    const char *path = option_value(given, "passfile");

    if (!path)
        path = option_value(others, "passfile");
    if (!path && getenv("HOME"))
        path = arena_printf(&target->arena, "%s/.pgpass", getenv("HOME"));
    if (path && !option_value(given, "password") && !option_value(others, "password"))
        heed_password_file(target, path);
    PQconninfoFree(given);
    PQconninfoFree(others);
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
    find_password_file(target);
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
    add_word(words, "passfile", target->passfile);
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
    copy->passfile = target->passfile; /* a constant */
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
