/* Owns the questions to the server. Each is asked alone, in a transaction of its own: what one role
 * or engine refuses takes nothing else along. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/pgcopy.h"
#include "driver/doctor_gather.h"
#include "driver/hostfiles.h"
#include "driver/pgstat.h"

#define REMOTE_CORES_MAX 64
#define ROUND_TRIPS      50
#define SPEED_ROUNDS     9
#define SPEED_STEPS      300000

/* The first value of the answer, "" where there is none. */
static bool
ask(struct pg *pg, const char *sql, const char *parameter, char *text, size_t size)
{
    struct err ignored;
    struct pg_rows *rows = pg_query(pg, sql, parameter != NULL, &parameter, &ignored);
    bool ok =
        rows && pg_rows_count(rows) > 0 && pg_columns_count(rows) > 0 && !pg_is_null(rows, 0, 0);

    snprintf(text, size, "%s", ok ? pg_value(rows, 0, 0) : "");
    pg_rows_free(rows);
    return ok;
}

static int64_t
ask_number(struct pg *pg, const char *sql, const char *parameter)
{
    char text[64], *end;

    if (!ask(pg, sql, parameter, text, sizeof text) || !text[0])
        return DOCTOR_UNKNOWN;
    long long number = strtoll(text, &end, 10);
    return *end == '\0' ? number : DOCTOR_UNKNOWN;
}

/* --- settings --------------------------------------------------------------------------------- */

static void
setting(struct pg *pg, const char *name, char text[DOCTOR_TEXT])
{
    ask(pg, "SELECT current_setting($1, true)", name, text, DOCTOR_TEXT);
}

static int
is_on(struct pg *pg, const char *name)
{
    char text[DOCTOR_TEXT];

    setting(pg, name, text);
    return text[0] ? strcmp(text, "on") == 0 : DOCTOR_UNKNOWN;
}

static int64_t
bytes_of(struct pg *pg, const char *name)
{
    return ask_number(pg, "SELECT pg_size_bytes(current_setting($1, true))", name);
}

static void
read_settings(struct server_facts *server, struct pg *pg)
{
    server->shared_buffers_bytes = bytes_of(pg, "shared_buffers");
    server->max_wal_size_bytes = bytes_of(pg, "max_wal_size");
    server->fsync = is_on(pg, "fsync");
    server->full_page_writes = is_on(pg, "full_page_writes");
    server->autovacuum = is_on(pg, "autovacuum");
    server->track_counts = is_on(pg, "track_counts");
    server->jit = is_on(pg, "jit");
    server->checksums = is_on(pg, "data_checksums");
    server->assertions = is_on(pg, "debug_assertions");
    setting(pg, "synchronous_commit", server->synchronous_commit);
    setting(pg, "huge_pages", server->huge_pages);
    setting(pg, "synchronous_standby_names", server->synchronous_standbys);
    setting(pg, "log_statement", server->log_statement);
    server->log_duration_ms = ask_number(
        pg, "SELECT setting FROM pg_settings WHERE name = 'log_min_duration_statement'", NULL);
    /* The last one counts. Others than superusers may not see it. */
    ask(pg,
        "SELECT coalesce(substring(setting FROM '.*(-O\\S*)'), 'none') FROM pg_config"
        " WHERE name = 'CFLAGS'",
        NULL, server->optimisation, sizeof server->optimisation);
}

/* --- state ------------------------------------------------------------------------------------ */

#define TABLES_OF_SCHEMA                                                                           \
    " FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace"                         \
    " LEFT JOIN pg_stat_user_tables AS s ON s.relid = c.oid"                                       \
    " WHERE n.nspname = $1 AND c.relkind = 'r' AND c.relname NOT LIKE 'ordermill\\_%'"

static void
read_state(struct server_facts *server, struct pg *pg, const char *schema)
{
    server->in_recovery = (int)ask_number(pg, "SELECT pg_is_in_recovery()::int", NULL);
    server->standbys = (int)ask_number(pg, "SELECT count(*) FROM pg_stat_replication", NULL);
    server->other_active =
        (int)ask_number(pg,
                        "SELECT count(*) FROM pg_stat_activity WHERE state = 'active'"
                        " AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
                        " AND application_name NOT LIKE 'ordermill %'",
                        NULL);
    server->hidden =
        (int)ask_number(pg,
                        "SELECT count(*) FROM pg_stat_activity WHERE backend_type IS NULL"
                        " AND usesysid IS NOT NULL AND datid IS NOT NULL",
                        NULL);
    server->data_bytes = ask_number(
        pg, "SELECT sum(pg_total_relation_size(c.oid))::bigint" TABLES_OF_SCHEMA, schema);
    server->tables = (int)ask_number(pg, "SELECT count(*)" TABLES_OF_SCHEMA, schema);
    server->unlogged = (int)ask_number(
        pg, "SELECT count(*)" TABLES_OF_SCHEMA " AND c.relpersistence = 'u'", schema);
    server->unvacuumed = (int)ask_number(pg,
                                         "SELECT count(*)" TABLES_OF_SCHEMA
                                         " AND 'autovacuum_enabled=false' = ANY (c.reloptions)",
                                         schema);
    server->unanalyzed =
        (int)ask_number(pg,
                        "SELECT count(*)" TABLES_OF_SCHEMA " AND s.n_live_tup > 0"
                        " AND (greatest(s.last_analyze, s.last_autoanalyze) IS NULL"
                        "  OR s.n_mod_since_analyze > s.n_live_tup / 2)",
                        schema);
}

/* --- the engine ------------------------------------------------------------------------------- */

static enum engine_has
has_if(bool yes)
{
    return yes ? ENGINE_HAS : ENGINE_LACKS;
}

/* A table of the session, filled in binary format, and taken back. Without the right to make one
 * nothing is known. */
static enum engine_has
try_copy(struct pg *pg)
{
    struct buf rows = {0};
    struct err ignored;
    enum engine_has has = ENGINE_NOT_TRIED;

    if (pg_exec(pg, "BEGIN", &ignored) &&
        pg_exec(pg, "CREATE TEMPORARY TABLE ordermill_doctor (a int)", &ignored)) {
        pgcopy_begin(&rows);
        pgcopy_tuple(&rows, 1);
        pgcopy_int4(&rows, 1);
        pgcopy_end(&rows);
        has = has_if(
            pg_copy_begin(pg, "COPY ordermill_doctor FROM STDIN (FORMAT binary)", &ignored) &&
            pg_copy_send(pg, rows.data, rows.length, &ignored) && pg_copy_end(pg, &ignored));
    }
    if (!pg_exec(pg, "ROLLBACK", &ignored))
        has = ENGINE_NOT_TRIED;
    buf_free(&rows);
    return has;
}

static void
read_engine(struct engine *engine, struct pg *pg)
{
    char version[256], server_version[128];
    struct err ignored;
    int64_t ignored_number;

    ask(pg, "SELECT version()", NULL, version, sizeof version);
    ask(pg, "SELECT current_setting('server_version')", NULL, server_version,
        sizeof server_version);
    engine_read_version(engine, version, server_version);
    engine->has[ENGINE_PLPGSQL] =
        has_if(pg_exec(pg,
                       "DO LANGUAGE plpgsql $$ BEGIN BEGIN RAISE EXCEPTION USING ERRCODE = 'OM001';"
                       " EXCEPTION WHEN SQLSTATE 'OM001' THEN NULL; END; END $$",
                       &ignored));
    engine->has[ENGINE_PROCEDURES] = has_if(pg_query_int(
        pg, "SELECT count(*) FROM pg_proc WHERE prokind = 'p'", &ignored_number, &ignored));
    engine->has[ENGINE_STATISTICS] =
        has_if(pg_query_int(pg,
                            "SELECT count(*) FROM (SELECT blks_hit FROM pg_stat_database LIMIT 1)"
                            " AS d, (SELECT wait_event FROM pg_stat_activity LIMIT 1) AS a,"
                            " (SELECT count(n_dead_tup) FROM pg_stat_user_tables) AS t",
                            &ignored_number, &ignored));
    engine->has[ENGINE_ADVISORY] =
        has_if(pg_exec(pg, "SELECT pg_try_advisory_xact_lock(0, 0)", &ignored));
    engine->has[ENGINE_COPY] = try_copy(pg);
}

/* --- time ------------------------------------------------------------------------------------- */

static int
compare_us(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static int64_t
round_trip_us(struct pg *pg)
{
    int64_t trips_us[ROUND_TRIPS];
    struct err ignored;

    for (int i = 0; i < ROUND_TRIPS; i++) {
        int64_t begun_us = clock_monotonic_us();
        if (!pg_exec(pg, ";", &ignored))
            return DOCTOR_UNKNOWN;
        trips_us[i] = clock_monotonic_us() - begun_us;
    }
    qsort(trips_us, ROUND_TRIPS, sizeof *trips_us, compare_us);
    return trips_us[ROUND_TRIPS / 2];
}

/* By the clock, less a round trip: of a loop in the server there is no other account. */
static void
measure_speed(struct host_facts *host, struct pg *pg, int64_t rtt_us)
{
    double speeds[SPEED_ROUNDS];
    struct err ignored;
    char sql[160];

    snprintf(sql, sizeof sql,
             "DO LANGUAGE plpgsql $$ DECLARE x int := 0; BEGIN FOR i IN 1..%d LOOP"
             " x := (x + i) %% 7; END LOOP; END $$",
             SPEED_STEPS);
    for (int i = -1; i < SPEED_ROUNDS; i++) { /* one more, which loads the language */
        int64_t begun_us = clock_monotonic_us();
        if (!pg_exec(pg, sql, &ignored))
            return;
        int64_t us = clock_monotonic_us() - begun_us - (rtt_us > 0 ? rtt_us : 0);
        if (i >= 0)
            speeds[i] = us > 0 ? (double)SPEED_STEPS / (double)us : 0;
    }
    doctor_judge_speed(host, speeds, SPEED_ROUNDS);
    host->speed_by_clock = true;
}

/* --- the host --------------------------------------------------------------------------------- */

static bool
read_remote(void *context, const char *path, struct buf *text)
{
    struct err ignored;
    struct pg_rows *rows = pg_query(context, "SELECT pg_read_file($1)", 1, &path, &ignored);

    if (rows && pg_rows_count(rows) == 1)
        buf_puts(text, pg_value(rows, 0, 0));
    bool ok = rows != NULL;
    pg_rows_free(rows);
    return ok;
}

void
doctor_look_there(struct doctor_facts *facts, struct pg *pg, const char *schema)
{
    struct server_facts *server = &facts->server;
    struct host_facts *host = &facts->server_host;

    server->known = true;
    server->local = pg_is_local(pg);
    server->same_host =
        hostfiles_is_here(pg, (int)ask_number(pg, "SELECT inet_client_port()", NULL));
    server->rtt_us = round_trip_us(pg);
    read_engine(&server->engine, pg);
    read_settings(server, pg);
    read_state(server, pg, schema);
    if (!server->same_host)
        doctor_read_host(host, read_remote, pg, REMOTE_CORES_MAX);
    measure_speed(host, pg, server->rtt_us);
    host->known = host->known || host->speed > 0;
}
