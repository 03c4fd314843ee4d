/* Chunks of rows into the tables; see copy.h. The rows come from gen.c.
 *
 * Loading sessions run with synchronous_commit off: a chunk lost in a crash is lost with its
 * record and loaded again, and the record of the whole phase, committed by another session with
 * synchronous_commit as the server has it, makes all earlier commits durable. */
#include "loader/copy.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "common/clock.h"
#include "common/log.h"
#include "common/pgcopy.h"
#include "common/sql.h"
#include "common/units.h"
#include "loader/gen.h"
#include "loader/progress.h"
#include "loader/team.h"

/* Sent at once. Each connection holds one such piece and libpq's copy of it, both in buffers of 64
 * kB: libpq doubles its own when a piece and the 8 kB that it may keep back do not fit. */
enum { PIECE_SIZE = 48 * 1024, HALF_SECOND_US = 500000 };

struct copy {
    const char *schema;
    struct gen_plan plan;
    int *chunks; /* to do */
    int chunks_count;
    int warehouses_before, warehouses_total;
    int64_t bytes_expected;
    struct progress progress;
    atomic_int_fast64_t rows_sent, bytes_sent; /* so far, committed or not */
    atomic_int_fast64_t rows, bytes;           /* committed */
    atomic_int warehouses;                     /* committed now */
};

/* --- one chunk -------------------------------------------------------------------------------- */

struct chunk {
    struct copy *copy;
    struct team *team;
    struct pg *pg;
    struct buf piece;
    int64_t rows, bytes;
};

static bool
send_piece(struct chunk *chunk, int64_t rows, struct err *err)
{
    if (!pg_copy_send(chunk->pg, chunk->piece.data, chunk->piece.length, err))
        return false;
    chunk->rows += rows;
    chunk->bytes += (int64_t)chunk->piece.length;
    atomic_fetch_add(&chunk->copy->rows_sent, rows);
    atomic_fetch_add(&chunk->copy->bytes_sent, (int64_t)chunk->piece.length);
    buf_clear(&chunk->piece);
    return true;
}

static bool
send_rows(struct chunk *chunk, enum gen_table table, int warehouse, struct err *err)
{
    struct gen gen;
    int64_t rows;

    gen_start(&gen, &chunk->copy->plan, table, warehouse);
    pgcopy_begin(&chunk->piece);
    while ((rows = gen_rows(&gen, &chunk->piece, PIECE_SIZE)) > 0) {
        if (!send_piece(chunk, rows, err))
            return false;
        if (team_stopping(chunk->team)) {
            pg_copy_abort(chunk->pg, "the load was stopped");
            return err_set(err, ERR_LOCAL, "the load was stopped");
        }
    }
    pgcopy_end(&chunk->piece);
    return send_piece(chunk, 0, err) && pg_copy_end(chunk->pg, err);
}

static bool
copy_table(struct chunk *chunk, enum gen_table table, int warehouse, struct err *err)
{
    struct arena arena = {0};
    const char *sql =
        sql_for_schema(&arena,
                       arena_printf(&arena, "COPY ordermill.%s (%s) FROM STDIN (FORMAT binary)",
                                    gen_table_name(table), gen_table_columns(table)),
                       chunk->copy->schema);
    bool ok = pg_copy_begin(chunk->pg, sql, err) && send_rows(chunk, table, warehouse, err);

    arena_free(&arena);
    return ok;
}

static bool
copy_tables(struct chunk *chunk, int warehouse, struct err *err)
{
    if (warehouse == 0)
        return copy_table(chunk, GEN_ITEM, 0, err);
    for (int table = GEN_WAREHOUSE; table < GEN_TABLES; table++) {
        if (!copy_table(chunk, (enum gen_table)table, warehouse, err))
            return err_prefix(err, "warehouse %d, table %s", warehouse,
                              gen_table_name((enum gen_table)table));
    }
    return true;
}

/* The record comes first: whoever else is at the same chunk (what a killed loader left behind in
 * the server, a second loader) is waited for here, and when he committed, nothing is left to do. */
static bool
claim(struct chunk *chunk, int warehouse, bool *claimed, struct err *err)
{
    struct arena arena = {0};
    const char *sql = sql_for_schema(
        &arena,
        arena_printf(&arena,
                     "INSERT INTO ordermill.ordermill_chunk (warehouse, row_count, byte_count)"
                     " VALUES (%d, 0, 0) ON CONFLICT DO NOTHING RETURNING 1",
                     warehouse),
        chunk->copy->schema);
    struct pg_rows *rows = pg_query(chunk->pg, sql, 0, NULL, err);

    *claimed = rows && pg_rows_count(rows) == 1;
    pg_rows_free(rows);
    arena_free(&arena);
    return rows != NULL;
}

static bool
commit(struct chunk *chunk, int warehouse, struct err *err)
{
    struct arena arena = {0};
    const char *sql =
        sql_for_schema(&arena,
                       arena_printf(&arena,
                                    "UPDATE ordermill.ordermill_chunk SET row_count = %" PRId64
                                    ", byte_count = %" PRId64 ", completed_at = clock_timestamp()"
                                    " WHERE warehouse = %d; COMMIT",
                                    chunk->rows, chunk->bytes, warehouse),
                       chunk->copy->schema);
    bool ok = pg_exec(chunk->pg, sql, err);

    arena_free(&arena);
    if (!ok)
        return false;
    atomic_fetch_add(&chunk->copy->rows, chunk->rows);
    atomic_fetch_add(&chunk->copy->bytes, chunk->bytes);
    atomic_fetch_add(&chunk->copy->warehouses, warehouse > 0);
    return true;
}

static bool
load_chunk(struct team *team, struct pg *pg, int task, void *context, struct err *err)
{
    struct copy *copy = context;
    struct chunk chunk = {.copy = copy, .team = team, .pg = pg};
    int warehouse = copy->chunks[task];
    bool claimed = false;
    bool ok =
        pg_exec(pg, "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL synchronous_commit = off",
                err) &&
        claim(&chunk, warehouse, &claimed, err);

    if (ok && claimed)
        ok = copy_tables(&chunk, warehouse, err) && commit(&chunk, warehouse, err);
    else if (ok)
        ok = pg_exec(pg, "ROLLBACK", err);
    buf_free(&chunk.piece);
    return ok;
}

/* --- all chunks ------------------------------------------------------------------------------- */

static void
show_progress(void *context)
{
    struct copy *copy = context;
    struct progress *progress = &copy->progress;
    int64_t now_us = clock_monotonic_us(), left_us;
    double bytes = (double)atomic_load(&copy->bytes_sent);
    double elapsed_s = (double)(now_us - progress->started_us) / 1e6;
    char rate[UNITS_TEXT_SIZE], left[UNITS_TEXT_SIZE];

    progress_note(progress, bytes, now_us);
    if (!progress_left_us(progress, bytes, now_us, &left_us))
        return;
    log_progress("loading: %d of %d warehouses, %s rows/s, %.0f MB/s, done in %s",
                 copy->warehouses_before + atomic_load(&copy->warehouses), copy->warehouses_total,
                 units_count(rate, (int64_t)((double)atomic_load(&copy->rows_sent) / elapsed_s)),
                 progress_rate(progress, bytes, now_us) / 1e6,
                 units_clock(left, left_us + HALF_SECOND_US));
}

/* Chunks that are not recorded yet. */
static bool
find_chunks(struct pg *pg, struct copy *copy, const struct copy_plan *plan, struct err *err)
{
    struct arena arena = {0};
    int warehouses = plan->info->warehouses;
    const char *sql =
        sql_for_schema(&arena, "SELECT warehouse FROM ordermill.ordermill_chunk", copy->schema);
    struct pg_rows *rows = pg_query(pg, sql, 0, NULL, err);
    bool *done = arena_array(&arena, (size_t)warehouses + 1, sizeof *done);

    for (int row = 0; rows && row < pg_rows_count(rows); row++) {
        int64_t warehouse = pg_value_int(rows, row, 0);

        if (warehouse >= 0 && warehouse <= warehouses)
            done[warehouse] = true;
    }
    copy->warehouses_total = plan->last - plan->first + 1;
    copy->chunks = must_calloc((size_t)copy->warehouses_total + 1, sizeof *copy->chunks);
    for (int i = 0; i <= copy->warehouses_total; i++) {
        int warehouse = i == 0 ? 0 : plan->first + i - 1;

        if (done[warehouse]) {
            copy->warehouses_before += warehouse > 0;
            continue;
        }
        copy->chunks[copy->chunks_count++] = warehouse;
        copy->bytes_expected += warehouse > 0 ? GEN_WAREHOUSE_BYTES : GEN_ITEM_BYTES;
    }
    pg_rows_free(rows);
    arena_free(&arena);
    return rows != NULL;
}

/* On a connection of its own: none idles while the data streams. */
static bool
look_for_chunks(struct copy *copy, const struct copy_plan *plan, struct err *err)
{
    struct pg *pg = pg_connect(plan->target, "load", err);
    bool ok = pg && find_chunks(pg, copy, plan, err);

    pg_close(pg);
    return ok;
}

bool
copy_chunks(const struct copy_plan *plan, struct copy_result *result, struct err *err)
{
    struct copy copy = {
        .schema = plan->schema,
        .plan = {.seed = (uint64_t)plan->info->seed,
                 .c_load = plan->info->c_load,
                 .loaded_at_us = plan->info->loaded_at_us},
    };
    bool ok = look_for_chunks(&copy, plan, err);

    result->jobs = plan->jobs < copy.chunks_count ? plan->jobs : copy.chunks_count;
    if (ok) {
        progress_start(&copy.progress, (double)copy.bytes_expected, clock_monotonic_us());
        ok = team_run(&(struct team_plan){.target = plan->target,
                                          .purpose = "load",
                                          .jobs = result->jobs,
                                          .tasks = copy.chunks_count,
                                          .task = load_chunk,
                                          .context = &copy,
                                          .progress = show_progress},
                      err);
    }
    log_progress_end();
    result->rows = atomic_load(&copy.rows);
    result->bytes = atomic_load(&copy.bytes);
    free(copy.chunks);
    return ok;
}
