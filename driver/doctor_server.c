/* Owns the questions to the server. Each is asked alone, in a transaction of its own: what one role
 * or engine refuses takes nothing else along. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/clock.h"
#include "common/pgcopy.h"
#include "driver/doctor_gather.h"
#include "driver/hostfiles.h"
#include "driver/pgstat.h"

#define REMOTE_CORES_MAX 64
#define ROUND_TRIPS      50
#define SPEED_ROUNDS     9
#define SPEED_STEPS      300000
#define ANSWER_BYTES_MIN (INT64_C(1) << 16)
#define ANSWER_BYTES_MAX (INT64_C(1) << 22)
#define ANSWER_LONG_US   100000

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
    setting(pg, "huge_pages_status", server->huge_pages_status);
    server->huge_pages_needed =
        ask_number(pg, "SELECT current_setting('shared_memory_size_in_huge_pages', true)", NULL);
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

#define OTHERS                                                                                     \
    " FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"     \
    " AND application_name NOT LIKE 'ordermill %'"

static void
read_others(struct server_facts *server, struct pg *pg)
{
    server->in_recovery = (int)ask_number(pg, "SELECT pg_is_in_recovery()::int", NULL);
    server->standbys = (int)ask_number(pg, "SELECT count(*) FROM pg_stat_replication", NULL);
    server->idle_slots =
        (int)ask_number(pg, "SELECT count(*) FROM pg_replication_slots WHERE NOT active", NULL);
    server->other_active =
        (int)ask_number(pg, "SELECT count(*)" OTHERS " AND state = 'active'", NULL);
    server->other_open = (int)ask_number(
        pg, "SELECT count(*)" OTHERS " AND state LIKE 'idle in transaction%'", NULL);
    server->prepared = (int)ask_number(pg, "SELECT count(*) FROM pg_prepared_xacts", NULL);
    server->hidden =
        (int)ask_number(pg,
                        "SELECT count(*) FROM pg_stat_activity WHERE backend_type IS NULL"
                        " AND usesysid IS NOT NULL AND datid IS NOT NULL",
                        NULL);
}

/* Tables are told by their options as the server reads them: off, false, no and 0 are one. */
#define UNVACUUMED                                                                                 \
    TABLES_OF_SCHEMA " AND EXISTS (SELECT FROM pg_options_to_table(c.reloptions)"                  \
                     " WHERE option_name = 'autovacuum_enabled' AND NOT option_value::boolean)"

static void
read_tables(struct server_facts *server, struct pg *pg, const char *schema)
{
    server->data_bytes = ask_number(
        pg, "SELECT sum(pg_total_relation_size(c.oid))::bigint" TABLES_OF_SCHEMA, schema);
    server->tables = (int)ask_number(pg, "SELECT count(*)" TABLES_OF_SCHEMA, schema);
    server->unlogged = (int)ask_number(
        pg, "SELECT count(*)" TABLES_OF_SCHEMA " AND c.relpersistence = 'u'", schema);
    server->unvacuumed = (int)ask_number(pg, "SELECT count(*)" UNVACUUMED, schema);
    ask(pg,
        "SELECT string_agg(format('ALTER TABLE %I.%I RESET (autovacuum_enabled)', n.nspname,"
        " c.relname), '; ' ORDER BY c.relname)" UNVACUUMED,
        schema, server->unvacuumed_resets, sizeof server->unvacuumed_resets);
    if (strlen(server->unvacuumed_resets) == sizeof server->unvacuumed_resets - 1)
        server->unvacuumed_resets[0] = '\0'; /* half a command mends nothing */
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

/* Larger and larger answers, until one takes long enough to tell, less a round trip. */
static int64_t
bytes_per_s(struct pg *pg, int64_t rtt_us)
{
    struct err ignored;
    char size[32];
    int64_t us = 0, bytes;

    for (bytes = ANSWER_BYTES_MIN;; bytes *= 8) {
        const char *parameter = size;
        snprintf(size, sizeof size, "%" PRId64, bytes);
        int64_t begun_us = clock_monotonic_us();
        struct pg_rows *rows = pg_query(pg, "SELECT repeat('x', $1::int)", 1, &parameter, &ignored);
        us = clock_monotonic_us() - begun_us - (rtt_us > 0 ? rtt_us : 0);
        if (!rows)
            return DOCTOR_UNKNOWN;
        pg_rows_free(rows);
        if (us >= ANSWER_LONG_US || bytes >= ANSWER_BYTES_MAX)
            break;
    }
    return us > 0 ? bytes * 1000000 / us : DOCTOR_UNKNOWN;
}

/* Of a session on this host the processor time, which holds nothing of others; of one elsewhere
 * there is no other account than the clock, less a round trip. */
static bool
find_clock(const struct server_facts *server, const struct pg *pg, clockid_t *clock)
{
    struct timespec now;

    *clock = CLOCK_MONOTONIC;
    return server->same_host && clock_getcpuclockid(pg_backend_pid(pg), clock) == 0 &&
           clock_gettime(*clock, &now) == 0;
}

static double
read_us(clockid_t clock)
{
    struct timespec now = {0};

    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static void
measure_speed(struct host_facts *host, struct pg *pg, const struct server_facts *server)
{
    double speeds[SPEED_ROUNDS];
    struct err ignored;
    char sql[160];
    clockid_t clock;
    bool own = find_clock(server, pg, &clock);
    double trip_us = own || server->rtt_us < 0 ? 0 : (double)server->rtt_us;

    clock = own ? clock : CLOCK_MONOTONIC;
    snprintf(sql, sizeof sql,
             "DO LANGUAGE plpgsql $$ DECLARE x int := 0; BEGIN FOR i IN 1..%d LOOP"
             " x := (x + i) %% 7; END LOOP; END $$",
             SPEED_STEPS);
    for (int i = -1; i < SPEED_ROUNDS; i++) { /* one more, which loads the language */
        double begun_us = read_us(clock);
        if (!pg_exec(pg, sql, &ignored))
            return;
        double us = read_us(clock) - begun_us - trip_us;
        if (i >= 0)
            speeds[i] = us > 0 ? SPEED_STEPS / us : 0;
    }
    doctor_judge_speed(host, speeds, SPEED_ROUNDS);
    host->speed_by_clock = !own;
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

static void
read_filesystem(struct server_facts *server, struct pg *pg, doctor_read_fn *read, void *context)
{
    char folder[512];
    struct buf mounts = {0};

    if (ask(pg, "SELECT current_setting('data_directory')", NULL, folder, sizeof folder) &&
        read(context, "/proc/self/mounts", &mounts))
        doctor_filesystem_of(buf_text(&mounts), folder, server->filesystem);
    buf_free(&mounts);
}

static void
read_role(struct server_facts *server, struct pg *pg)
{
    struct arena arena = {0};

    snprintf(server->role, sizeof server->role, "%s", pg_quote_identifier(&arena, pg_user(pg)));
    arena_free(&arena);
}

void
doctor_look_there(struct doctor_facts *facts, struct pg *pg, const char *schema)
{
    struct server_facts *server = &facts->server;
    struct host_facts *host = &facts->server_host;
    char root[] = "";

    server->known = true;
    server->local = pg_is_local(pg);
    server->same_host =
        hostfiles_is_here(pg, (int)ask_number(pg, "SELECT inet_client_port()", NULL));
    server->rtt_us = round_trip_us(pg);
    read_engine(&server->engine, pg);
    read_settings(server, pg);
    read_others(server, pg);
    read_tables(server, pg, schema);
    read_role(server, pg);
    if (server->same_host) {
        host->where = "the server, on the driver's host";
        read_filesystem(server, pg, doctor_read_local, root);
    } else {
        doctor_read_host(host, read_remote, pg, REMOTE_CORES_MAX);
        read_filesystem(server, pg, read_remote, pg);
        server->bytes_per_s = bytes_per_s(pg, server->rtt_us);
    }
    measure_speed(host, pg, server);
    host->known = host->known || host->speed > 0;
}
