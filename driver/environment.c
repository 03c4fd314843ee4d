/* Owns the disclosure: what was measured where, as the server and this machine say it themselves.
 * What cannot be found out is said to be unknown, not left out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "common/buf.h"
#include "common/clock.h"
#include "common/fs.h"
#include "common/sql.h"
#include "common/units.h"
#include "common/version.h"
#include "driver/control.h"
#include "driver/doctor_command.h"
#include "driver/procfs.h"

#define ROUND_TRIPS   100
#define PROC_FILE_MAX ((size_t)4 << 20)

struct listing {
    struct environment *environment;
    struct arena *arena;
};

static void
add(struct listing *listing, const char *group, const char *name, const char *value)
{
    environment_add(listing->environment, listing->arena, group, name, value, "");
}

/* --- the server ------------------------------------------------------------------------------- */

/* Everything that is not as PostgreSQL ships it, what PGOPTIONS and connection strings ask for
 * included, but for the two names that every session of ours has; and what decides about durability
 * and plans, default or not. A value may hold a password (primary_conninfo). */
static const char settings_sql[] =
    "SELECT name, current_setting(name, true),"
    " CASE source WHEN 'client' THEN 'asked for at connection start' ELSE source END"
    " FROM pg_settings"
    " WHERE source NOT IN ('default', 'session')"
    "  AND name NOT IN ('application_name', 'client_encoding') AND name !~ '^transaction_'"
    " OR name IN ('fsync', 'synchronous_commit', 'full_page_writes', 'wal_sync_method',"
    "  'wal_level', 'data_checksums', 'shared_buffers', 'max_wal_size', 'checkpoint_timeout',"
    "  'default_transaction_isolation', 'plan_cache_mode')"
    " ORDER BY name";

static bool
add_settings(struct listing *listing, struct pg *pg, struct err *err)
{
    struct pg_rows *rows = pg_query(pg, settings_sql, 0, NULL, err);
    char value[1024];

    if (!rows)
        return false;
    for (int i = 0; i < pg_rows_count(rows); i++) {
        snprintf(value, sizeof value, "%s", pg_value(rows, i, 1));
        err_scrub(value, sizeof value);
        environment_add(listing->environment, listing->arena, "setting", pg_value(rows, i, 0),
                        value, pg_value(rows, i, 2));
    }
    pg_rows_free(rows);
    return true;
}

static int
compare_times(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;

    return (left > right) - (left < right);
}

/* The median: what one round trip costs before the server does anything. */
static bool
add_round_trip(struct listing *listing, struct pg *pg, struct err *err)
{
    int64_t times_us[ROUND_TRIPS];
    char text[UNITS_TEXT_SIZE];

    for (int i = 0; i < ROUND_TRIPS; i++) {
        int64_t start_us = clock_monotonic_us();
        if (!pg_exec(pg, "SELECT 1", err))
            return false;
        times_us[i] = clock_monotonic_us() - start_us;
    }
    qsort(times_us, ROUND_TRIPS, sizeof *times_us, compare_times);
    add(listing, "server", "round trip", units_duration(text, times_us[ROUND_TRIPS / 2]));
    return true;
}

/* Which client speaks where the protocol is `prepared` and functions or procedures are called. */
static void
add_way(struct listing *listing, const struct pg *pg)
{
    add(listing, "client", "prepared calls",
        pg_is_plain(pg) ? "sent and read without libpq"
                        : "through libpq, as the connection is encrypted");
}

static bool
add_server(struct listing *listing, struct pg *pg, struct err *err)
{
    struct pg_rows *rows =
        pg_query(pg, "SELECT version(), pg_postmaster_start_time()::text", 0, NULL, err);

    if (!rows)
        return false;
    add(listing, "server", "version", pg_value(rows, 0, 0));
    add(listing, "server", "started", pg_value(rows, 0, 1));
    pg_rows_free(rows);
    add(listing, "server", "host", pg_host(pg));
    add(listing, "server", "port", pg_port(pg));
    add(listing, "server", "tls", pg_uses_tls(pg) ? "in use" : "not in use");
    add(listing, "server", "local", pg_is_local(pg) ? "yes" : "no");
    return add_round_trip(listing, pg, err);
}

/* --- the database ----------------------------------------------------------------------------- */

static bool
add_size(struct listing *listing, struct pg *pg, const char *name, const char *sql,
         const char *parameter, struct err *err)
{
    struct pg_rows *rows = pg_query(pg, sql, parameter != NULL, &parameter, err);
    char text[UNITS_TEXT_SIZE];

    if (!rows)
        return false;
    add(listing, "database", name, units_size(text, pg_value_int(rows, 0, 0)));
    pg_rows_free(rows);
    return true;
}

/* How the load laid out tables and indexes: what it was told, as recorded, and of the fillfactors
 * what the tables have. */
static const char layout_sql[] =
    "SELECT o.key, o.value FROM ordermill.ordermill_build AS b, jsonb_each_text(b.options) AS o"
    " WHERE o.key <> 'fillfactor'"
    " UNION ALL SELECT 'fillfactor', coalesce(string_agg(DISTINCT"
    "  concat(coalesce(p.relname, c.relname), '=', substr(r.setting, 12)), ', '), '100')"
    " FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace"
    " LEFT JOIN pg_inherits AS i ON i.inhrelid = c.oid"
    " LEFT JOIN pg_class AS p ON p.oid = i.inhparent,"
    " unnest(c.reloptions) AS r (setting)"
    " WHERE n.nspname = $1 AND c.relkind = 'r' AND r.setting LIKE 'fillfactor=%'"
    " ORDER BY 1";

static bool
add_layout(struct listing *listing, struct pg *pg, const char *schema, struct err *err)
{
    struct pg_rows *rows =
        pg_query(pg, sql_for_schema(listing->arena, layout_sql, schema), 1, &schema, err);

    for (int i = 0; rows && i < pg_rows_count(rows); i++)
        add(listing, "database", pg_value(rows, i, 0), pg_value(rows, i, 1));
    pg_rows_free(rows);
    return rows != NULL;
}

/* Names of customers are looked up and sorted by the database's collation. Who provides it, and
 * ICU's name for it, stand in columns that not every version has. */
static bool
add_encoding(struct listing *listing, struct pg *pg, struct err *err)
{
    struct pg_rows *rows =
        pg_query(pg,
                 "SELECT pg_encoding_to_char(d.encoding), d.datcollate || coalesce(CASE"
                 " WHEN j->>'datlocprovider' IN ('i', 'b') THEN ', provider '"
                 " || CASE j->>'datlocprovider' WHEN 'i' THEN 'icu' ELSE 'builtin' END || ' '"
                 " || coalesce(j->>'datlocale', j->>'daticulocale', '') END, '')"
                 " FROM pg_database AS d, to_jsonb(d) AS j WHERE d.datname = current_database()",
                 0, NULL, err);

    if (!rows)
        return false;
    add(listing, "database", "encoding", pg_value(rows, 0, 0));
    add(listing, "database", "collation", pg_value(rows, 0, 1));
    pg_rows_free(rows);
    return true;
}

static bool
add_database(struct listing *listing, const struct control *control, const char *schema,
             struct err *err)
{
    const struct build_info *build = &control->build;
    char text[64];

    add(listing, "database", "name", pg_dbname(control->pg));
    add(listing, "database", "role", pg_user(control->pg));
    add(listing, "database", "schema", schema);
    snprintf(text, sizeof text, "%d", build->warehouses);
    add(listing, "database", "warehouses", text);
    snprintf(text, sizeof text, "%lld", (long long)build->seed);
    add(listing, "database", "load seed", text);
    snprintf(text, sizeof text, "%d", build->c_load);
    add(listing, "database", "C-Load", text);
    add(listing, "database", "loaded by", build->kit_version);
    add(listing, "database", "isolation level", control->isolation);
    return add_encoding(listing, control->pg, err) &&
           add_layout(listing, control->pg, schema, err) &&
           add_size(listing, control->pg, "size", "SELECT pg_database_size(current_database())",
                    NULL, err) &&
           add_size(listing, control->pg, "size of schema",
                    "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint"
                    " FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace"
                    " WHERE n.nspname = $1 AND c.relkind IN ('r', 'm')",
                    schema, err);
}

/* --- this machine ----------------------------------------------------------------------------- */

/* The value of the first line "KEY : VALUE" of a file of /proc, or "unknown". */
static const char *
proc_value(struct arena *arena, const char *path, const char *key)
{
    struct buf text = {0};
    struct err ignored;
    const char *value = "unknown";

    if (fs_read(path, PROC_FILE_MAX, &text, &ignored)) {
        const char *line = strstr(buf_text(&text), key);
        const char *colon = line ? strchr(line, ':') : NULL;
        if (colon) {
            colon += 1 + strspn(colon + 1, " \t");
            value = arena_printf(arena, "%.*s", (int)strcspn(colon, "\n"), colon);
        }
    }
    buf_free(&text);
    return value;
}

static void
add_client(struct listing *listing)
{
    struct utsname system;
    char text[UNITS_TEXT_SIZE];
    long pages = sysconf(_SC_PHYS_PAGES), page_size = sysconf(_SC_PAGESIZE);

    if (uname(&system) != 0)
        system = (struct utsname){.nodename = "unknown", .sysname = "unknown"};
    add(listing, "client", "host", system.nodename);
    add(listing, "client", "system",
        arena_printf(listing->arena, "%s %s %s", system.sysname, system.release, system.machine));
    add(listing, "client", "cpu", proc_value(listing->arena, "/proc/cpuinfo", "model name"));
    snprintf(text, sizeof text, "%d", procfs_cores());
    add(listing, "client", "cores", text);
    add(listing, "client", "memory", units_size(text, (int64_t)pages * page_size));
}

bool
driver_environment(const struct driver_options *options, struct arena *arena,
                   struct environment *environment, struct err *err)
{
    struct listing listing = {environment, arena};
    struct control control;

    if (!control_open(&control, options, err))
        return false;
    add(&listing, "kit", "version", KIT_VERSION);
    add_client(&listing);
    add_way(&listing, control.pg);
    bool ok = add_server(&listing, control.pg, err) &&
              add_database(&listing, &control, options->schema, err) &&
              add_settings(&listing, control.pg, err);
    control_close(&control);
    return ok && doctor_take(options->settings, arena, environment, err);
}
