/* Owns the copy of the database. Databases are made and dropped from a session in another one. */
#include "profiles/template.h"

#include <string.h>

#include "common/build.h"
#include "common/clock.h"
#include "common/interrupt.h"
#include "loader/loader.h"

#define MAINTENANCE    "postgres"
#define NAME_MAX_BYTES 63 /* NAMEDATALEN - 1: the server cuts off what is longer */
#define SUFFIX         "_ordermill_copy"
#define MARK           "made by ordermill: a copy, dropped by it at will"
#define PAUSE_US       200000

static struct pg *
connect_to(const struct settings *settings, const char *database, struct err *err)
{
    struct settings copy;

    settings_copy(&copy, settings);
    bool ok = !database || settings_set(&copy, SET_DBNAME, database, SETTING_OPTION, err);
    struct pg_target *target = ok ? pg_target_new(&copy, err) : NULL;
    struct pg *pg = target ? pg_connect(target, "autopilot", err) : NULL;
    pg_target_free(target);
    settings_free(&copy);
    /* Copying takes its time; the limits of the autopilot are the ones that count. */
    if (pg && !pg_exec(pg, "SET statement_timeout = 0", err)) {
        pg_close(pg);
        pg = NULL;
    }
    return pg;
}

/* The server would cut off a longer name, and copies of two databases could be one. */
static bool
name_copy(struct template *template, struct arena *arena, const char *original, struct err *err)
{
    template->original = arena_strdup(arena, original);
    template->copy = arena_printf(arena, "%s%s", original, SUFFIX);
    if (strlen(template->copy) <= NAME_MAX_BYTES)
        return true;
    (void)err_set(err, ERR_SERVER, "reset=template: the name of database \"%s\" is too long",
                  original);
    err_hint(err,
             "the copy is named after it, with \"%s\" at the end, and must stay within %d bytes",
             SUFFIX, NAME_MAX_BYTES);
    return false;
}

bool
template_open(struct template *template, struct arena *arena, const struct settings *settings,
              struct err *err)
{
    const char *dbname = settings_text(settings, SET_DBNAME);

    *template = (struct template){0};
    if (dbname && (strchr(dbname, '=') || strstr(dbname, "://"))) {
        err_set(err, ERR_USAGE,
                "reset=template needs the database by its name, not in a "
                "connection string");
        err_hint(err, "use --host, --port, --username and --dbname, or the environment");
        return false;
    }
    struct pg *pg = connect_to(settings, NULL, err);
    struct pg_rows *rows =
        pg ? pg_query(pg,
                      "SELECT r.rolsuper OR r.rolcreatedb, r.rolsuper OR pg_has_role(d.datdba,"
                      " 'USAGE') FROM pg_roles AS r, pg_database AS d"
                      " WHERE r.rolname = current_user AND d.datname = current_database()",
                      0, NULL, err)
           : NULL;
    bool ok = rows != NULL;
    if (ok && (pg_value(rows, 0, 0)[0] != 't' || pg_value(rows, 0, 1)[0] != 't')) {
        ok = err_set(err, ERR_SERVER,
                     pg_value(rows, 0, 0)[0] != 't'
                         ? "reset=template: role \"%s\" may not create databases"
                         : "reset=template: role \"%s\" does not own the database",
                     pg_user(pg));
        err_hint(err, "ALTER ROLE ... CREATEDB and own the database, or use reset=vacuum");
    }
    ok = ok && name_copy(template, arena, pg_dbname(pg), err);
    pg_rows_free(rows);
    pg_close(pg);
    return ok;
}

/* *state: 0 there is no such database, 1 it is ours, 2 it is somebody else's. */
static bool
look(struct pg *pg, const char *database, int64_t *state, struct err *err)
{
    const char *parameters[] = {database, MARK};
    struct pg_rows *rows =
        pg_query(pg,
                 "SELECT CASE WHEN shobj_description(oid, 'pg_database') = $2 THEN 1 ELSE 2 END"
                 " FROM pg_database WHERE datname = $1",
                 2, parameters, err);

    if (!rows)
        return false;
    *state = pg_rows_count(rows) > 0 ? pg_value_int(rows, 0, 0) : 0;
    pg_rows_free(rows);
    return true;
}

static bool
drop(struct pg *pg, const struct template *template, struct err *err)
{
    struct arena arena = {0};
    int64_t state;
    bool ok = look(pg, template->copy, &state, err);

    if (ok && state == 2)
        ok = err_set(err, ERR_SERVER,
                     "database \"%s\" is in the way: it bears no mark of this kit, and is left "
                     "alone",
                     template->copy);
    else if (ok && state == 1)
        ok = pg_execf(pg, err, "DROP DATABASE %s%s", pg_quote_identifier(&arena, template->copy),
                      pg_server_version(pg) >= 130000 ? " WITH (FORCE)" : "");
    arena_free(&arena);
    return ok;
}

/* Sessions in the original, an autovacuum worker or somebody's psql, hold it up for a while. */
static bool
create(struct pg *pg, const struct template *template, int64_t patience_us, struct err *err)
{
    struct arena arena = {0};
    const char *copy = pg_quote_identifier(&arena, template->copy);
    int64_t end_us = clock_monotonic_us() + patience_us;
    bool ok;

    while (!(ok = pg_execf(pg, err, "CREATE DATABASE %s TEMPLATE %s", copy,
                           pg_quote_identifier(&arena, template->original)))) {
        if (strcmp(err->sqlstate, "55006") != 0 || clock_monotonic_us() > end_us ||
            interrupt_check(err))
            break;
        clock_sleep_us(PAUSE_US);
    }
    ok = ok &&
         pg_execf(pg, err, "COMMENT ON DATABASE %s IS %s", copy, pg_quote_literal(&arena, MARK));
    arena_free(&arena);
    return ok;
}

static bool
sum(const struct settings *settings, const char *database, struct checksum sums[GEN_TABLES],
    struct err *err)
{
    const char *schema = settings_text(settings, SET_SCHEMA);
    struct settings copy;
    struct build_info info = {0};

    settings_copy(&copy, settings);
    bool ok = settings_set(&copy, SET_DBNAME, database, SETTING_OPTION, err);
    struct pg *pg = ok ? connect_to(&copy, NULL, err) : NULL;
    ok = pg && build_read(pg, schema, &info, err);
    pg_close(pg);
    struct pg_target *target = ok ? pg_target_new(&copy, err) : NULL;
    ok = target && checksum_run(target, schema, info.warehouses, loader_jobs(&copy), sums, err);
    pg_target_free(target);
    settings_free(&copy);
    return ok;
}

static void
add_event(struct reset *reset, const char *what, int64_t begun_us, const char *detail)
{
    must(reset->count < RESET_EVENTS_MAX);
    reset->events[reset->count++] = (struct event){
        .what = what, .elapsed_us = clock_monotonic_us() - begun_us, .bytes = -1, .detail = detail};
}

static bool
verify(struct template *template, const struct settings *settings, struct reset *reset,
       struct err *err)
{
    int64_t begun_us = clock_monotonic_us();
    struct checksum sums[GEN_TABLES];

    if (!template->summed && !sum(settings, template->original, template->sums, err))
        return false;
    template->summed = true;
    if (!sum(settings, template->copy, sums, err))
        return false;
    for (int i = 0; i < GEN_TABLES; i++)
        if (sums[i].rows != template->sums[i].rows || sums[i].sum != template->sums[i].sum)
            return err_set(err, ERR_INCONSISTENT, "the copy differs from its original: table %s",
                           gen_table_name((enum gen_table)i));
    add_event(reset, "checksum", begun_us, "equal to that of the original");
    return true;
}

bool
template_renew(struct template *template, struct arena *arena, const struct settings *settings,
               int64_t patience_us, struct reset *reset, struct err *err)
{
    int64_t begun_us = clock_monotonic_us();
    struct pg *pg = connect_to(settings, MAINTENANCE, err);
    bool ok = pg && drop(pg, template, err) && create(pg, template, patience_us, err);

    if (ok)
        add_event(reset, "copy", begun_us,
                  arena_printf(arena, "database %s from %s", template->copy, template->original));
    ok = ok && verify(template, settings, reset, err) && reset_checkpoint(pg, arena, reset, err);
    pg_close(pg);
    return ok || err_prefix(err, "template");
}

bool
template_exists(const struct template *template, const struct settings *settings, bool *exists,
                struct err *err)
{
    struct pg *pg = connect_to(settings, MAINTENANCE, err);
    int64_t state = 0;
    bool ok = pg && look(pg, template->copy, &state, err);

    *exists = state == 1;
    pg_close(pg);
    return ok;
}

bool
template_drop(const struct template *template, const struct settings *settings, struct err *err)
{
    struct pg *pg = connect_to(settings, MAINTENANCE, err);
    bool ok = pg && drop(pg, template, err);

    pg_close(pg);
    return ok;
}

bool
template_lead(const struct template *template, struct settings *settings, struct err *err)
{
    return !template->copy ||
           settings_set(settings, SET_DBNAME, template->copy, SETTING_OPTION, err);
}
