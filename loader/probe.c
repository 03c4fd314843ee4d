/* The probe; see probe.h. Copies what takes most of a load: order lines and stock. */
#include "loader/probe.h"

#include <string.h>

#include "common/clock.h"
#include "common/pgcopy.h"
#include "common/sql.h"
#include "loader/gen.h"
#include "loader/team.h"

enum { BYTES_PER_TABLE = 24 << 20, PIECE_BYTES = 48 << 10 };

/* A whole load against COPY into temporary tables, from loads of 1 and 10 warehouses with 2 jobs:
 * so many times the time per byte, and as long besides as so many bytes take, whatever the
 * warehouses: ANALYZE reads its samples, and every phase connects. */
#define WHOLE_LOAD  3.0
#define FIXED_BYTES 310e6

/* CREATE TEMPORARY TABLE with the columns that the table has in schemas/tables.sql. */
static char *
temporary_table(struct arena *arena, const char *table)
{
    char *head = arena_printf(arena, "CREATE TABLE ordermill.%s (", table);
    const char *start = strstr(sql_source("schemas/tables.sql"), head);
    const char *end = start ? strstr(start, "\n)") : NULL;

    must(end);
    start += strlen(head);
    return arena_printf(arena, "CREATE TEMPORARY TABLE ordermill_probe_%s (%.*s\n) ON COMMIT DROP",
                        table, (int)(end - start), start);
}

static bool
send_rows(struct pg *pg, enum gen_table table, int warehouse, struct err *err)
{
    struct gen gen;
    struct buf piece = {0};
    size_t sent = 0;
    bool ok = true;

    gen_start(&gen, &(struct gen_plan){.seed = 42}, table, warehouse);
    pgcopy_begin(&piece);
    while (ok && sent < BYTES_PER_TABLE && gen_rows(&gen, &piece, PIECE_BYTES) > 0) {
        ok = pg_copy_send(pg, piece.data, piece.length, err);
        sent += piece.length;
        buf_clear(&piece);
    }
    pgcopy_end(&piece);
    ok = ok && pg_copy_send(pg, piece.data, piece.length, err);
    buf_free(&piece);
    return ok;
}

static bool
copy_table(struct pg *pg, enum gen_table table, int warehouse, struct err *err)
{
    struct arena arena = {0};
    const char *name = gen_table_name(table);
    char *copy = arena_printf(&arena, "COPY ordermill_probe_%s (%s) FROM STDIN (FORMAT binary)",
                              name, gen_table_columns(table));
    bool ok = pg_exec(pg, temporary_table(&arena, name), err) && pg_copy_begin(pg, copy, err) &&
              send_rows(pg, table, warehouse, err) && pg_copy_end(pg, err);

    arena_free(&arena);
    return ok;
}

static bool
probe_task(struct team *team, struct pg *pg, int task, void *context, struct err *err)
{
    (void)team;
    (void)context;
    bool ok = pg_exec(pg, "BEGIN", err) && copy_table(pg, GEN_ORDER_LINE, task + 1, err) &&
              copy_table(pg, GEN_STOCK, task + 1, err);
    if (ok)
        return pg_exec(pg, "ROLLBACK", err);
    return false; /* the connection ends, and with it the transaction */
}

bool
probe_run(const struct pg_target *target, int jobs, struct probe *probe, struct err *err)
{
    int64_t started_us = clock_monotonic_us();
    bool ok = team_run(
        &(struct team_plan){
            .target = target, .purpose = "plan", .jobs = jobs, .tasks = jobs, .task = probe_task},
        err);

    probe->jobs = jobs;
    probe->bytes = (int64_t)jobs * 2 * BYTES_PER_TABLE;
    probe->elapsed_s = (double)(clock_monotonic_us() - started_us) / 1e6;
    return ok;
}

double
probe_load_s(const struct probe *probe, const struct size *size)
{
    double byte_s = probe->elapsed_s / (double)probe->bytes;

    return byte_s * (WHOLE_LOAD * (double)size->copy_bytes + FIXED_BYTES);
}
