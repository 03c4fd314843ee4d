/* Weights and progress of statements; see watch.h. All weights are from PostgreSQL 15 with the
 * tables in memory: 10 warehouses, the faster of two rounds; foreign keys 20 warehouses, two
 * sessions. */
#include "loader/watch.h"

#include <string.h>

#include "common/workload.h"

enum {
    CUSTOMERS = DISTRICTS_PER_WAREHOUSE * CUSTOMERS_PER_DISTRICT,
    ORDERS = DISTRICTS_PER_WAREHOUSE * ORDERS_PER_DISTRICT,
    LINES = ORDERS * (ORDER_LINES_MIN + ORDER_LINES_MAX) / 2,
    NEW_ORDERS = DISTRICTS_PER_WAREHOUSE * NEW_ORDERS_PER_DISTRICT,
};

/* Reading a table through, per byte, for its index; sorting and writing entries, per row. */
#define SCAN_NS_PER_BYTE   0.53
#define VACUUM_NS_PER_BYTE 0.30
#define VACUUM_NS_PER_ROW  60
/* Whatever a statement does not take by its rows. */
#define STATEMENT_NS 2e6

static const struct {
    const char *table;
    int rows;          /* of a warehouse; 0: the item table */
    double analyze_ns; /* at most: it reads a sample */
} tables[OPTIONS_TABLES] = {
    {"order_line", LINES, 200e6},
    {"stock", ITEMS, 320e6},
    {"customer", CUSTOMERS, 320e6},
    {"orders", ORDERS, 68e6},
    {"history", CUSTOMERS, 85e6},
    {"new_order", NEW_ORDERS, 22e6},
    {"item", 0, 95e6},
    {"warehouse", 1, 2e6},
    {"district", DISTRICTS_PER_WAREHOUSE, 4e6},
};
enum { ANALYZE_SAMPLE_ROWS = 30000 };

static const struct {
    const char *name;
    double row_ns;
    double partitioned_row_ns; /* where the statement is one for all partitions, of which were 5 */
} statements[] = {
    {"order_line_pkey", 760, 0},
    {"stock_pkey", 290, 0},
    {"customer_pkey", 700, 0},
    {"customer_by_name", 1180, 0},
    {"orders_pkey", 670, 0},
    {"orders_by_customer", 890, 0},
    {"new_order_pkey", 590, 0},
    {"item_pkey", 200, 0},
    /* Foreign keys, the reading included: what counts is the size of the table looked up, which is
     * read anew for each partition; but one of order lines looks up what is close together. */
    {"order_line_stock_fkey", 1980, 1300},
    {"order_line_orders_fkey", 240, 270},
    {"stock_item_fkey", 270, 210},
    {"stock_warehouse_fkey", 170, 160},
    {"customer_district_fkey", 260, 250},
    {"history_district_fkey", 110, 100},
    {"history_customer_fkey", 1230, 2600},
    {"orders_customer_fkey", 1490, 4320},
    {"new_order_orders_fkey", 590, 1220},
};

/* --- weights ---------------------------------------------------------------------------------- */

static int
find_relation(const struct watch *watch, const char *relation)
{
    for (int i = 0; i < watch->count; i++) {
        if (strcmp(watch->tasks[i].relation, relation) == 0)
            return i;
    }
    return -1;
}

bool
watch_begin(struct watch *watch, struct pg *pg, struct arena *arena, struct err *err)
{
    struct pg_rows *rows = pg_query(
        pg,
        "SELECT c.relname, coalesce(sum(pg_relation_size(coalesce(p.relid, c.oid))), 0)::bigint,"
        " (c.relkind = 'p')::int FROM pg_class AS c LEFT JOIN LATERAL pg_partition_tree(c.oid) AS p"
        " ON c.relkind = 'p' WHERE c.relkind IN ('r', 'p') AND c.relnamespace ="
        " (SELECT oid FROM pg_namespace WHERE nspname = $1) GROUP BY 1, 3",
        1, &watch->schema, err);
    size_t count = (size_t)watch->count;

    watch->heap_bytes = arena_array(arena, count, sizeof *watch->heap_bytes);
    watch->partitioned = arena_array(arena, count, sizeof *watch->partitioned);
    watch->weights = arena_array(arena, count, sizeof *watch->weights);
    watch->parts = arena_array(arena, count, sizeof *watch->parts);
    for (int row = 0; rows && row < pg_rows_count(rows); row++) {
        int task = find_relation(watch, pg_value(rows, row, 0));

        if (task < 0)
            continue;
        watch->heap_bytes[task] = pg_value_int(rows, row, 1);
        watch->partitioned[task] = pg_value_int(rows, row, 2) != 0;
    }
    pg_rows_free(rows);
    return rows != NULL;
}

static int
table_index(const char *table)
{
    for (int i = 0; i < OPTIONS_TABLES; i++) {
        if (strcmp(tables[i].table, table) == 0)
            return i;
    }
    must(!"a task is about one of the nine tables");
    return 0;
}

/* Rows of the table, in proportion to the share of its bytes that the task's relation has. */
static double
rows_of(const struct watch *watch, int task)
{
    const char *table = watch->tasks[task].table;
    int per_warehouse = tables[table_index(table)].rows;
    double rows = per_warehouse > 0 ? (double)per_warehouse * watch->warehouses : ITEMS;
    int64_t bytes = 0;

    for (int i = 0; i < watch->count; i++)
        bytes += strcmp(watch->tasks[i].table, table) == 0 ? watch->heap_bytes[i] : 0;
    return bytes > 0 ? rows * (double)watch->heap_bytes[task] / (double)bytes : 0;
}

static double
row_ns(const struct table_task *task, int statement, bool partitioned)
{
    const char *name = task->wholes[statement] ? task->wholes[statement] : task->names[statement];

    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
        if (strcmp(statements[i].name, name) == 0)
            return partitioned ? statements[i].partitioned_row_ns : statements[i].row_ns;
    }
    return 0; /* of the small tables */
}

static void
weigh_statements(struct watch *watch, struct arena *arena, double byte_ns)
{
    for (int i = 0; i < watch->count; i++) {
        const struct table_task *task = &watch->tasks[i];
        double rows = rows_of(watch, i);

        watch->weights[i] = 0;
        watch->parts[i] = arena_array(arena, (size_t)task->count, sizeof *watch->parts[i]);
        for (int k = 0; k < task->count; k++) {
            watch->parts[i][k] = STATEMENT_NS + rows * row_ns(task, k, watch->partitioned[i]) +
                                 (double)watch->heap_bytes[i] * byte_ns;
            watch->weights[i] += watch->parts[i][k];
        }
    }
}

void
watch_weigh_indexes(struct watch *watch, struct arena *arena)
{
    weigh_statements(watch, arena, SCAN_NS_PER_BYTE);
}

void
watch_weigh_foreign_keys(struct watch *watch, struct arena *arena)
{
    weigh_statements(watch, arena, 0);
}

void
watch_weigh_vacuum(struct watch *watch, struct arena *arena)
{
    for (int i = 0; i < watch->count; i++) {
        const struct table_task *task = &watch->tasks[i];
        double rows = rows_of(watch, i), vacuum = 0, analyze = 0;

        if (strncmp(task->statements[0], "VACUUM", strlen("VACUUM")) == 0)
            vacuum = rows * VACUUM_NS_PER_ROW + (double)watch->heap_bytes[i] * VACUUM_NS_PER_BYTE;
        if (strstr(task->statements[0], "ANALYZE"))
            analyze = tables[table_index(task->table)].analyze_ns *
                      (rows < ANALYZE_SAMPLE_ROWS ? rows / ANALYZE_SAMPLE_ROWS : 1);
        watch->parts[i] = arena_array(arena, 2, sizeof *watch->parts[i]);
        watch->parts[i][0] = STATEMENT_NS + vacuum;
        watch->parts[i][1] = analyze;
        watch->weights[i] = watch->parts[i][0] + analyze;
    }
}

/* --- what the server is at -------------------------------------------------------------------- */

const char *
watch_indexes_sql(struct arena *arena, const char *schema)
{
    return arena_printf(
        arena,
        "SELECT c.relname, (SELECT count(*) FROM pg_index AS i WHERE i.indrelid = c.oid"
        " AND i.indisvalid), CASE WHEN p.phase LIKE '%%scanning table%%' THEN 0"
        " WHEN p.phase LIKE '%%sorting%%' THEN 1 WHEN p.phase LIKE '%%loading%%' THEN 2 END,"
        " coalesce(p.blocks_done::float8 / nullif(p.blocks_total, 0), 0),"
        " coalesce(p.tuples_done::float8 / nullif(p.tuples_total, 0), 0)"
        " FROM pg_stat_progress_create_index AS p JOIN pg_class AS c ON c.oid = p.relid"
        " WHERE p.datname = current_database() AND p.phase LIKE 'building index%%'"
        " AND c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = %s)",
        pg_quote_literal(arena, schema));
}

const char *
watch_vacuum_sql(struct arena *arena, const char *schema)
{
    return arena_printf(
        arena,
        "SELECT c.relname, 0, coalesce(p.heap_blks_scanned::float8 / nullif(p.heap_blks_total, 0),"
        " 0) FROM pg_stat_progress_vacuum AS p JOIN pg_class AS c ON c.oid = p.relid"
        " WHERE p.datname = current_database() AND c.relnamespace ="
        " (SELECT oid FROM pg_namespace WHERE nspname = %s) UNION ALL"
        " SELECT c.relname, 1, coalesce(p.sample_blks_scanned::float8"
        " / nullif(p.sample_blks_total, 0), 0)"
        " FROM pg_stat_progress_analyze AS p JOIN pg_class AS c ON c.oid = p.relid"
        " WHERE p.datname = current_database() AND c.relnamespace ="
        " (SELECT oid FROM pg_namespace WHERE nspname = %s)",
        pg_quote_literal(arena, schema), pg_quote_literal(arena, schema));
}

/* The server shows nothing of a foreign key that it checks, but which ones there are. */
const char *
watch_foreign_keys_sql(struct arena *arena, const char *schema)
{
    return arena_printf(arena,
                        "SELECT c.relname, count(*) FROM pg_constraint AS k"
                        " JOIN pg_class AS c ON c.oid = k.conrelid"
                        " WHERE k.contype = 'f' AND k.conparentid = 0 AND k.connamespace ="
                        " (SELECT oid FROM pg_namespace WHERE nspname = %s) GROUP BY 1",
                        pg_quote_literal(arena, schema));
}

/* What the first so many statements of a task weigh. */
static double
weight_of_first(const struct watch *watch, int task, int64_t count)
{
    double weight = 0;

    for (int k = 0; k < count; k++)
        weight += watch->parts[task][k];
    return weight;
}

/* A part of a task, from share to share of it. */
static void
note_part(const struct watch *watch, int task, double before, double part, double low, double high,
          struct schedule *schedule, int64_t now_us)
{
    double all = watch->weights[task];

    schedule_note(schedule, task, now_us, (before + part * low) / all,
                  (before + part * high) / all);
}

/* Reading the table takes four tenths of the time, sorting, of which the server says nothing, three
 * and a half, and writing the entries the rest; more or less, with workers and with memory. */
void
watch_note_indexes(const struct watch *watch, const struct pg_rows *rows, struct schedule *schedule,
                   int64_t now_us)
{
    for (int row = 0; row < pg_rows_count(rows); row++) {
        static const double from[] = {0, 0.40, 0.75, 1};
        int task = find_relation(watch, pg_value(rows, row, 0));
        int64_t built = pg_value_int(rows, row, 1);
        double low;

        if (task < 0 || !schedule_is_running(schedule, task) || pg_is_null(rows, row, 2) ||
            built >= watch->tasks[task].count)
            continue;
        int phase = (int)pg_value_int(rows, row, 2);
        low = from[phase];
        if (phase != 1)
            low += (from[phase + 1] - low) * pg_value_real(rows, row, phase == 0 ? 3 : 4);
        note_part(watch, task, weight_of_first(watch, task, built), watch->parts[task][built], low,
                  phase == 1 ? from[phase + 1] : low, schedule, now_us);
    }
}

void
watch_note_foreign_keys(const struct watch *watch, const struct pg_rows *rows,
                        struct schedule *schedule, int64_t now_us)
{
    for (int row = 0; row < pg_rows_count(rows); row++) {
        int task = find_relation(watch, pg_value(rows, row, 0));
        int64_t made = pg_value_int(rows, row, 1);

        if (task >= 0 && made < watch->tasks[task].count && schedule_is_running(schedule, task))
            note_part(watch, task, weight_of_first(watch, task, made), watch->parts[task][made], 0,
                      1, schedule, now_us);
    }
}

/* Of ANALYZE, the sorting and counting that follow the reading are unseen. */
void
watch_note_vacuum(const struct watch *watch, const struct pg_rows *rows, struct schedule *schedule,
                  int64_t now_us)
{
    for (int row = 0; row < pg_rows_count(rows); row++) {
        int task = find_relation(watch, pg_value(rows, row, 0));
        int part = (int)pg_value_int(rows, row, 1);
        double done = pg_value_real(rows, row, 2);

        if (task < 0 || !schedule_is_running(schedule, task))
            continue;
        if (part == 0)
            note_part(watch, task, 0, watch->parts[task][0], done, done, schedule, now_us);
        else
            note_part(watch, task, watch->parts[task][0], watch->parts[task][1], 0.5 * done,
                      done < 1 ? 0.5 * done : 1, schedule, now_us);
    }
}
