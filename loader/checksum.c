/* Checksums of the tables; see checksum.h. The server hashes each row's text form and adds the
 * halves of the hashes up, which cannot overflow; here the halves are put together. */
#include "loader/checksum.h"

#include <inttypes.h>
#include <pthread.h>

#include "common/sql.h"
#include "loader/team.h"

static const char *const warehouse_columns[GEN_TABLES] = {
    [GEN_WAREHOUSE] = "w_id",     [GEN_DISTRICT] = "d_w_id", [GEN_CUSTOMER] = "c_w_id",
    [GEN_HISTORY] = "h_w_id",     [GEN_ORDERS] = "o_w_id",   [GEN_NEW_ORDER] = "no_w_id",
    [GEN_ORDER_LINE] = "ol_w_id", [GEN_STOCK] = "s_w_id",
};

struct work {
    const char *schema;
    int warehouses, ranges;
    pthread_mutex_t lock;
    struct checksum *sums; /* under the lock */
};

/* "a, b, (c IS NULL)": all columns of a table. NULL on error. */
static const char *
row_of(struct pg *pg, const char *schema, const char *table, struct arena *arena, struct err *err)
{
    const char *values[] = {schema, table};
    struct pg_rows *rows =
        pg_query(pg,
                 "SELECT string_agg(format(CASE a.atttypid WHEN 'timestamptz'::regtype"
                 " THEN '(%I IS NULL)' ELSE '%I' END, a.attname), ', ' ORDER BY a.attnum)"
                 " FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid"
                 " JOIN pg_namespace AS n ON n.oid = c.relnamespace"
                 " WHERE n.nspname = $1 AND c.relname = $2 AND a.attnum > 0 AND NOT a.attisdropped",
                 2, values, err);
    const char *text = NULL;

    if (rows && pg_is_null(rows, 0, 0))
        err_set(err, ERR_SERVER, "schema \"%s\" has no table %s", schema, table);
    else if (rows)
        text = arena_strdup(arena, pg_value(rows, 0, 0));
    pg_rows_free(rows);
    return text;
}

/* Rows of warehouses before the first and after the last belong to the outer ranges. */
static const char *
condition(const struct work *work, struct arena *arena, enum gen_table table, int range)
{
    int64_t warehouses = work->warehouses;
    int after = (int)(warehouses * range / work->ranges);
    int last = (int)(warehouses * (range + 1) / work->ranges);
    const char *column = warehouse_columns[table];

    if (!column)
        return range == 0 ? "true" : "false";
    return arena_printf(arena, "(%s > %d OR %s) AND (%s <= %d OR %s)", column, after,
                        range == 0 ? "true" : "false", column, last,
                        range == work->ranges - 1 ? "true" : "false");
}

static void
add(struct work *work, enum gen_table table, const struct pg_rows *rows)
{
    struct checksum *sum = &work->sums[table];

    pthread_mutex_lock(&work->lock);
    sum->rows += pg_value_int(rows, 0, 0);
    sum->sum += (uint64_t)pg_value_int(rows, 0, 1);
    sum->sum += (uint64_t)pg_value_int(rows, 0, 2) << 32;
    pthread_mutex_unlock(&work->lock);
}

static bool
sum_range(struct team *team, struct pg *pg, int task, void *context, struct err *err)
{
    struct work *work = context;
    enum gen_table table = (enum gen_table)(GEN_TABLES - 1 - task / work->ranges);
    struct arena arena = {0};
    struct pg_rows *rows = NULL;
    const char *row = row_of(pg, work->schema, gen_table_name(table), &arena, err);

    (void)team;
    if (row) {
        const char *sql = arena_printf(
            &arena,
            "SELECT count(*), coalesce(sum(hash & 4294967295), 0)::bigint,"
            " coalesce(sum((hash >> 32) & 4294967295), 0)::bigint"
            " FROM (SELECT hashtextextended(ROW(%s)::text, 0) AS hash"
            " FROM ordermill.%s WHERE %s) AS hashes",
            row, gen_table_name(table), condition(work, &arena, table, task % work->ranges));
        rows = pg_query(pg, sql_for_schema(&arena, sql, work->schema), 0, NULL, err);
    }
    if (rows)
        add(work, table, rows);
    pg_rows_free(rows);
    arena_free(&arena);
    return rows != NULL;
}

bool
checksum_run(const struct pg_target *target, const char *schema, int warehouses, int jobs,
             struct checksum sums[GEN_TABLES], struct err *err)
{
    struct work work = {.schema = schema, .warehouses = warehouses, .sums = sums};

    for (int table = 0; table < GEN_TABLES; table++)
        sums[table] = (struct checksum){0};
    work.ranges = jobs < warehouses ? jobs : warehouses;
    pthread_mutex_init(&work.lock, NULL);
    bool ok = team_run(&(struct team_plan){.target = target,
                                           .purpose = "checksum",
                                           .doing = "adding up",
                                           .jobs = jobs,
                                           .tasks = GEN_TABLES * work.ranges,
                                           .task = sum_range,
                                           .context = &work},
                       err);
    pthread_mutex_destroy(&work.lock);
    return ok;
}
