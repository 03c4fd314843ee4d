/* Servers that are told by their columns alone: what is asked of each, what is missing, and what
 * rows become. The lists of columns are those of PostgreSQL's own documentation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/buf.h"
#include "common/fs.h"
#include "driver/hostfigures.h"
#include "driver/pgstat.h"

#define S INT64_C(1000000)

/* relation: column column ... */
static const char *const common_views[] = {
    "pg_stat_database: datid datname numbackends xact_commit xact_rollback blks_read blks_hit "
    "tup_returned tup_fetched tup_inserted tup_updated tup_deleted conflicts temp_files temp_bytes "
    "deadlocks blk_read_time blk_write_time stats_reset",
    "pg_stat_user_tables: relid schemaname relname n_tup_ins n_tup_upd n_tup_del n_tup_hot_upd "
    "n_live_tup n_dead_tup autovacuum_count",
    "pg_database: oid datname",
    NULL,
};
static const char *const wal_14[] = {
    "pg_stat_wal: wal_records wal_fpi wal_bytes wal_buffers_full wal_write wal_sync "
    "wal_write_time wal_sync_time stats_reset",
    NULL,
};
static const char *const wal_18[] = {
    "pg_stat_wal: wal_records wal_fpi wal_bytes wal_buffers_full stats_reset",
    NULL,
};
static const char *const bgwriter_14[] = {
    "pg_stat_bgwriter: checkpoints_timed checkpoints_req checkpoint_write_time "
    "checkpoint_sync_time buffers_checkpoint buffers_clean maxwritten_clean buffers_backend "
    "buffers_backend_fsync buffers_alloc stats_reset",
    NULL,
};
static const char *const checkpointer_17[] = {
    "pg_stat_bgwriter: buffers_clean maxwritten_clean buffers_alloc stats_reset",
    "pg_stat_checkpointer: num_timed num_requested restartpoints_timed restartpoints_req "
    "restartpoints_done write_time sync_time buffers_written stats_reset",
    NULL,
};
static const char *const io_16[] = {
    "pg_stat_io: backend_type object context reads read_time writes write_time writebacks "
    "writeback_time extends extend_time op_bytes hits evictions reuses fsyncs fsync_time "
    "stats_reset",
    NULL,
};
static const char *const statements[] = {
    "pg_stat_statements: userid dbid queryid query calls total_exec_time rows",
    NULL,
};

struct server {
    struct pgstat_column columns[200];
    int count;
    struct arena arena;
    struct series_set *set;
    struct pgstat_query queries[PGSTAT_VIEWS];
};

static void
add_views(struct server *server, const char *const *views)
{
    for (; *views; views++) {
        const char *colon = strchr(*views, ':');
        char *relation = arena_printf(&server->arena, "%.*s", (int)(colon - *views), *views);
        for (const char *word = colon + 1; *word;) {
            size_t length = strcspn(++word, " ");
            server->columns[server->count++] = (struct pgstat_column){
                relation, arena_printf(&server->arena, "%.*s", (int)length, word),
                strcmp(relation, "pg_stat_statements") == 0 ? "My \"ext\"" : "pg_catalog"};
            word += length;
        }
    }
}

static struct server *
server_with(const char *const *const *lists)
{
    struct server *server = calloc(1, sizeof *server);

    server->set = series_new(0);
    for (; *lists; lists++)
        add_views(server, *lists);
    pgstat_plan(server->queries, &server->arena, server->columns, server->count, "it's",
                server->set);
    return server;
}

static void
free_server(struct server *server)
{
    series_free(server->set);
    arena_free(&server->arena);
    free(server);
}

static struct server *
server_of(int version)
{
    const char *const *lists[] = {common_views, version < 18 ? wal_14 : wal_18,
                                  version < 17 ? bgwriter_14 : checkpointer_17,
                                  version < 16 ? NULL : io_16, NULL};

    return server_with(lists);
}

/* Why the metric is missing, NULL when it is asked for. */
static const char *
missing(struct server *server, const char *name)
{
    int count;
    struct metric *metrics = series_take(server->set, &server->arena, 0, &count);

    for (int i = 0; i < count; i++)
        if (strcmp(metrics[i].name, name) == 0)
            return metrics[i].missing;
    return NULL;
}

static void
assert_asks(struct server *server, enum pgstat_view_id view, const char *sql)
{
    if (sql)
        assert_string_equal(server->queries[view].sql, sql);
    else
        assert_null(server->queries[view].sql);
}

static void
fourteen_has_checkpoints_in_bgwriter(void **state)
{
    struct server *server = server_of(14);

    (void)state;
    assert_asks(server, PGSTAT_BGWRITER,
                "SELECT (extract(epoch FROM stats_reset) * 1000000)::bigint::text,"
                " (checkpoints_timed)::text, (checkpoints_req)::text, (buffers_checkpoint)::text,"
                " (checkpoint_write_time)::text, (checkpoint_sync_time)::text,"
                " (buffers_clean)::text, (maxwritten_clean)::text, (buffers_alloc)::text,"
                " (buffers_backend)::text, (buffers_backend_fsync)::text FROM pg_stat_bgwriter");
    assert_asks(server, PGSTAT_CHECKPOINTER, NULL);
    assert_asks(server, PGSTAT_IO, NULL);
    assert_asks(server, PGSTAT_IO_WAL, NULL);
    assert_string_equal(missing(server, "io_reads"), "the server has no pg_stat_io");
    assert_string_equal(missing(server, "statement_time"), "the server has no pg_stat_statements");
    assert_null(missing(server, "checkpoints_timed"));
    assert_null(missing(server, "wal_syncs"));
    free_server(server);
}

static void
seventeen_has_them_in_a_view_of_their_own(void **state)
{
    struct server *server = server_of(17);

    (void)state;
    assert_asks(server, PGSTAT_CHECKPOINTER,
                "SELECT (extract(epoch FROM stats_reset) * 1000000)::bigint::text,"
                " (num_timed)::text, (num_requested)::text, (buffers_written)::text,"
                " (write_time)::text, (sync_time)::text FROM pg_stat_checkpointer");
    assert_asks(server, PGSTAT_BGWRITER,
                "SELECT (extract(epoch FROM stats_reset) * 1000000)::bigint::text,"
                " (buffers_clean)::text, (maxwritten_clean)::text, (buffers_alloc)::text"
                " FROM pg_stat_bgwriter");
    assert_asks(server, PGSTAT_IO_WAL, NULL); /* pg_stat_wal has it all */
    assert_string_equal(missing(server, "backend_buffers"),
                        "pg_stat_bgwriter has no column buffers_backend");
    assert_null(missing(server, "checkpoints_timed"));
    assert_null(missing(server, "io_reads"));
    free_server(server);
}

static void
eighteen_moved_what_the_log_cost(void **state)
{
    struct server *server = server_of(18);

    (void)state;
    assert_asks(server, PGSTAT_WAL,
                "SELECT (extract(epoch FROM stats_reset) * 1000000)::bigint::text,"
                " (wal_records)::text, (wal_bytes)::text, (wal_fpi)::text, (wal_buffers_full)::text"
                " FROM pg_stat_wal");
    assert_asks(server, PGSTAT_IO_WAL,
                "SELECT (extract(epoch FROM max(stats_reset)) * 1000000)::bigint::text,"
                " (sum(writes))::text, (sum(fsyncs))::text, (sum(write_time))::text,"
                " (sum(fsync_time))::text FROM pg_stat_io WHERE object = 'wal'");
    assert_null(missing(server, "wal_syncs"));
    free_server(server);
}

/* One column less takes one metric along, and no other. */
static void
one_missing_column_takes_no_other_along(void **state)
{
    static const char *const odd[] = {"pg_stat_database: datname xact_commit blks_hit", NULL};
    const char *const *lists[] = {odd, NULL};
    struct server *server = server_with(lists);

    (void)state;
    assert_asks(server, PGSTAT_DATABASE,
                "SELECT (xact_commit)::text, (blks_hit)::text FROM pg_stat_database"
                " WHERE datname = current_database()");
    assert_string_equal(missing(server, "hit_ratio"), "pg_stat_database has no column blks_read");
    assert_string_equal(missing(server, "deadlocks"), "pg_stat_database has no column deadlocks");
    assert_string_equal(missing(server, "checkpoints_timed"), "the server has no pg_stat_bgwriter");
    free_server(server);
}

static void
a_server_without_any_view(void **state)
{
    const char *const *lists[] = {NULL};
    struct server *server = server_with(lists);

    (void)state;
    for (int i = 0; i < PGSTAT_VIEWS; i++)
        assert_true((server->queries[i].sql != NULL) == (i == PGSTAT_WAL_FILES));
    free_server(server);
}

static void
names_are_quoted(void **state)
{
    const char *const *lists[] = {common_views, statements, NULL};
    struct server *server = server_with(lists);

    (void)state;
    assert_non_null(
        strstr(server->queries[PGSTAT_TABLES].sql, "s.schemaname = 'it''s' AND s.relname"));
    assert_non_null(strstr(server->queries[PGSTAT_STATEMENTS].sql,
                           "FROM \"My \"\"ext\"\"\".pg_stat_statements AS s"));
    free_server(server);
}

/* --- rows ------------------------------------------------------------------------------------- */

struct rows {
    int columns;
    const char *const *values;
};

static const char *
value_of(const void *context, int row, int column)
{
    const struct rows *rows = context;

    assert_in_range(column, 0, rows->columns - 1);
    return rows->values[row * rows->columns + column];
}

static const struct metric *
taken(struct server *server, const char *name, const char *instance)
{
    int count;
    struct metric *metrics = series_take(server->set, &server->arena, 0, &count);

    return metric_find(metrics, count, METRIC_SERVER, name, instance);
}

/* Nulls and texts that are no number count as nothing known, not as zero. */
static void
rows_become_readings(void **state)
{
    static const char *const before[] = {"customer", "10", "7", "1000", "100", "40", "2",
                                         "stock",    "10", "7", NULL,   "100", "40", "x"};
    static const char *const after[] = {"customer", "20", "9",  "2000", "300", "190", "3",
                                        "stock",    "20", "9",  NULL,   "200", "40",  "x",
                                        "orders",   "1",  "50", "3",    "60",  "60",  "0"};
    struct server *server = server_of(15);
    const struct pgstat_query *query = &server->queries[PGSTAT_TABLES];
    /* instance, live, dead, size, updates, of the share hot ones and all, autovacuums */
    struct rows rows = {8, NULL};
    const char *wide[24];

    (void)state;
    for (int pass = 0; pass < 2; pass++) {
        int count = pass ? 3 : 2;
        for (int row = 0; row < count; row++) {
            const char *const *from = (pass ? after : before) + 7 * row;
            const char *cells[] = {from[0], from[1], from[2], from[3],
                                   from[4], from[5], from[4], from[6]};
            memcpy(&wide[8 * row], cells, sizeof cells);
        }
        rows.values = wide;
        pgstat_feed(query, server->set, (10 + 10 * pass) * S, pass ? 10 * S : 0, &rows, count,
                    value_of);
        if (pass == 0)
            series_window(server->set, true, 10 * S);
    }
    assert_true(taken(server, "table_dead_rows", "customer")->last == 9);
    assert_true(taken(server, "table_updates", "customer")->mean == 20);
    assert_true(taken(server, "table_hot_share", "customer")->mean == 75);
    assert_true(taken(server, "table_hot_share", "stock")->mean == 0);
    assert_true(taken(server, "table_autovacuums", "customer")->total == 1);
    assert_null(taken(server, "table_autovacuums", "stock"));
    assert_null(taken(server, "table_size", "stock"));
    assert_true(taken(server, "table_updates", "orders")->total == 60); /* it is new */
    free_server(server);
}

static void
a_reset_is_told_by_its_time(void **state)
{
    static const char *const before[] = {"1000", "10", "500", "1", "1", "0", "0", "0", "0"};
    static const char *const after[] = {"2000", "10", "700", "1", "1", "0", "0", "0", "0"};
    struct server *server = server_of(15);
    struct rows rows = {9, before};

    (void)state;
    pgstat_feed(&server->queries[PGSTAT_WAL], server->set, 10 * S, 0, &rows, 1, value_of);
    series_window(server->set, true, 10 * S);
    rows.values = after;
    pgstat_feed(&server->queries[PGSTAT_WAL], server->set, 11 * S, 10 * S, &rows, 1, value_of);
    assert_true(taken(server, "wal_bytes", "")->total == 700); /* and not 200 */
    assert_int_equal(taken(server, "wal_bytes", "")->resets, 1);
    free_server(server);
}

/* Thirty statements of 1 to 30 ms, one that did not run, and kinds of I/O with and without events.
 */
static void
what_says_nothing_is_taken_out(void **state)
{
    struct metric metrics[70];
    char names[31][16];
    int count = 0;

    (void)state;
    for (int i = 0; i <= 30; i++) {
        snprintf(names[i], sizeof names[i], "SELECT %d", i);
        for (int k = 0; k < 2; k++)
            metrics[count++] = (struct metric){.source = METRIC_SERVER,
                                               .name = k ? "statement_calls" : "statement_time",
                                               .instance = names[i],
                                               .kind = METRIC_RATE,
                                               .samples = 1,
                                               .total = k ? 1000 : i};
    }
    metrics[count++] = (struct metric){.source = METRIC_SERVER,
                                       .name = "io_reads",
                                       .instance = "client",
                                       .samples = 1,
                                       .total = 7};
    metrics[count++] = (struct metric){
        .source = METRIC_SERVER, .name = "io_reads", .instance = "walsender", .samples = 1};
    /* Nothing of this kind: one zero is left. */
    for (int i = 0; i < 3; i++)
        metrics[count++] = (struct metric){
            .source = METRIC_SERVER, .name = "io_syncs", .instance = names[i], .samples = 1};
    metrics[count++] = (struct metric){
        .source = METRIC_SERVER, .name = "io_writes", .instance = "", .missing = "no pg_stat_io"};
    metrics[count++] =
        (struct metric){.source = METRIC_SERVER, .name = "deadlocks", .instance = "", .samples = 1};
    count = pgstat_prune(metrics, count);
    assert_int_equal(count, 2 * PGSTAT_STATEMENTS_MAX + 4);
    assert_string_equal(metrics[0].instance, "SELECT 11");
    assert_string_equal(metrics[39].instance, "SELECT 30");
    assert_string_equal(metrics[39].name, "statement_calls");
    assert_string_equal(metrics[40].instance, "client");
    assert_string_equal(metrics[41].name, "io_syncs");
    assert_string_equal(metrics[41].instance, "SELECT 0");
    assert_true(metrics[41].total == 0);
    assert_string_equal(metrics[42].missing, "no pg_stat_io");
    assert_string_equal(metrics[43].name, "deadlocks");
}

static void
a_view_that_fails_says_why(void **state)
{
    struct server *server = server_of(15);

    (void)state;
    pgstat_failed(&server->queries[PGSTAT_WAL_FILES], server->set,
                  "permission denied for function pg_ls_waldir");
    assert_string_equal(missing(server, "wal_directory_size"),
                        "permission denied for function pg_ls_waldir");
    free_server(server);
}

/* --- wait events ------------------------------------------------------------------------------ */

static void
waits_are_weighted_with_time(void **state)
{
    static const char *const first[] = {"active", "CPU", "2", "idle", "", "1", "hidden", "", "3"};
    static const char *const second[] = {
        "active", "LWLock:WALWrite", "4", "other active", "CPU", "9", "active", "CPU", "1"};
    struct server *server = server_of(15);
    struct pgstat_waits *waits = calloc(1, sizeof *waits);
    struct rows rows = {3, first};

    (void)state;
    pgstat_waits_look(waits, 10 * S, &rows, 3, value_of);
    pgstat_waits_feed(waits, server->set, 10 * S);
    series_window(server->set, true, 10 * S);
    pgstat_waits_look(waits, 10 * S + S / 2, &rows, 3, value_of); /* 2 * 0.5 s on a processor */
    rows.values = second;
    pgstat_waits_look(waits, 12 * S, &rows, 3, value_of); /* 4 * 1.5 s waiting, 1 * 1.5 s not */
    pgstat_waits_feed(waits, server->set, 12 * S);
    assert_true(taken(server, "wait", "CPU")->mean == 1.25);
    assert_true(taken(server, "wait", "LWLock:WALWrite")->mean == 3);
    assert_true(taken(server, "sessions", "active")->mean == 3.5); /* 2, then 5 */
    assert_true(taken(server, "sessions", "hidden")->mean == 1.5);
    assert_true(taken(server, "sessions", "other active")->mean == 4.5);
    assert_true(taken(server, "sessions", "autovacuum")->mean == 0);
    free(waits);
    free_server(server);
}

static void
events_are_bounded(void **state)
{
    struct server *server = server_of(15);
    struct pgstat_waits *waits = calloc(1, sizeof *waits);
    char name[32];

    (void)state;
    for (int i = 0; i < 100; i++) {
        const char *cells[] = {"active", name, "1"};
        struct rows rows = {3, cells};
        snprintf(name, sizeof name, "Lock:%d", i);
        pgstat_waits_look(waits, (10 + i) * S, &rows, 1, value_of);
        if (i == 0) {
            pgstat_waits_feed(waits, server->set, 10 * S);
            series_window(server->set, true, 10 * S);
        }
    }
    pgstat_waits_feed(waits, server->set, 109 * S);
    assert_true(taken(server, "wait", "Lock:62")->total == 1);
    assert_null(taken(server, "wait", "Lock:63"));
    assert_true(taken(server, "wait", "other")->total == 37);
    free(waits);
    free_server(server);
}

static void
every_name_is_documented(void **state)
{
    struct buf text = {0};
    struct err err = {0};
    char word[80];

    (void)state;
    assert_true(fs_read("docs/run-store.md", 1 << 20, &text, &err));
    for (int i = 0; pgstat_metric(i); i++) {
        snprintf(word, sizeof word, "`%s`", pgstat_metric(i));
        if (!strstr(buf_text(&text), word))
            fail_msg("docs/run-store.md lacks %s", word);
    }
    for (int i = 0; i < HOST_FILES; i++) {
        snprintf(word, sizeof word, "`%s`", host_files[i].metric);
        if (!strstr(buf_text(&text), word))
            fail_msg("docs/run-store.md lacks %s", word);
    }
    buf_free(&text);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fourteen_has_checkpoints_in_bgwriter),
        cmocka_unit_test(seventeen_has_them_in_a_view_of_their_own),
        cmocka_unit_test(eighteen_moved_what_the_log_cost),
        cmocka_unit_test(one_missing_column_takes_no_other_along),
        cmocka_unit_test(a_server_without_any_view),
        cmocka_unit_test(names_are_quoted),
        cmocka_unit_test(rows_become_readings),
        cmocka_unit_test(a_reset_is_told_by_its_time),
        cmocka_unit_test(what_says_nothing_is_taken_out),
        cmocka_unit_test(a_view_that_fails_says_why),
        cmocka_unit_test(waits_are_weighted_with_time),
        cmocka_unit_test(events_are_bounded),
        cmocka_unit_test(every_name_is_documented),
    };
    return cmocka_run_group_tests_name("pgstat", tests, NULL, NULL);
}
