/* Weights and progress of statements; see watch.h. All weights are from PostgreSQL 15: indexes as
 * they are built right after the rows came; vacuum 10 warehouses in memory, the faster of two
 * rounds; foreign keys 20 warehouses, two sessions, nothing else running, whole tables and two and
 * four partitions, a line through the geometric means of five loads. */
#include "loader/watch.h"

#include <string.h>
#include <unistd.h>

#include "common/workload.h"

enum {
    CUSTOMERS = DISTRICTS_PER_WAREHOUSE * CUSTOMERS_PER_DISTRICT,
    ORDERS = DISTRICTS_PER_WAREHOUSE * ORDERS_PER_DISTRICT,
    LINES = ORDERS * (ORDER_LINES_MIN + ORDER_LINES_MAX) / 2,
    NEW_ORDERS = DISTRICTS_PER_WAREHOUSE * NEW_ORDERS_PER_DISTRICT,
};

/* Reading a table through for its index. */
#define SCAN_NS_PER_BYTE 0.50
#define SCAN_NS_PER_ROW  385
/* Rows that do not fit into memory are sorted and put aside while the table is read; what is left
 * of the sorting then is to join what was put aside. */
#define SORT_OUTSIDE_NS_PER_ROW 60
#define SORT_BYTES_PER_ROW      72
/* One process alone need not merge what several have sorted, when it writes. */
#define WRITE_ALONE        0.2
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

/* Of an index: reading, sorting, writing. Of VACUUM (ANALYZE): the first, the sample, the rest. */
enum { INDEX_PARTS = 3, VACUUM_PARTS = 3 };

static const struct {
    const char *name;
    double sort_ns, write_ns; /* of a row */
} indexes[] = {
    {"order_line_pkey", 485, 330},   {"stock_pkey", 385, 250},  {"customer_pkey", 255, 215},
    {"customer_by_name", 1285, 690}, {"orders_pkey", 385, 215}, {"orders_by_customer", 640, 270},
    {"new_order_pkey", 385, 215},    {"item_pkey", 230, 215},
};

static const struct {
    const char *name;
    double row_ns; /* of a row that refers: reading it and looking up */
    /* What is looked up is hashed anew for each partition that refers; by its rows. */
    double hash_ns;
} foreign_keys[] = {
    {"order_line_stock_fkey", 640, 210}, {"order_line_orders_fkey", 280, 63},
    {"stock_item_fkey", 415, 15},        {"stock_warehouse_fkey", 315, 30},
    {"customer_district_fkey", 330, 30}, {"history_district_fkey", 300, 20},
    {"history_customer_fkey", 440, 785}, {"orders_customer_fkey", 500, 1200},
    {"new_order_orders_fkey", 0, 1800},
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

/* What the load does not say of building indexes, the server does. */
static bool
read_limits(struct watch *watch, struct pg *pg, struct err *err)
{
    struct pg_rows *rows = pg_query(pg,
                                    "SELECT pg_size_bytes(current_setting('maintenance_work_mem')),"
                                    " current_setting('max_parallel_maintenance_workers')",
                                    0, NULL, err);

    if (!rows)
        return false;
    watch->memory = watch->options->maintenance_memory > 0 ? watch->options->maintenance_memory
                                                           : pg_value_int(rows, 0, 0);
    watch->workers = watch->options->index_workers >= 0 ? watch->options->index_workers
                                                        : (int)pg_value_int(rows, 0, 1);
    pg_rows_free(rows);
    return true;
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
    watch->work = arena_array(arena, count, sizeof *watch->work);
    watch->cores = pg_is_local(pg) ? (int)sysconf(_SC_NPROCESSORS_ONLN) : 0;
    for (int row = 0; rows && row < pg_rows_count(rows); row++) {
        int task = find_relation(watch, pg_value(rows, row, 0));

        if (task < 0)
            continue;
        watch->heap_bytes[task] = pg_value_int(rows, row, 1);
        watch->partitioned[task] = pg_value_int(rows, row, 2) != 0;
    }
    pg_rows_free(rows);
    return rows != NULL && read_limits(watch, pg, err);
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

static struct schedule_part *
new_parts(struct watch *watch, struct arena *arena, int task, int count)
{
    struct schedule_part *parts = arena_array(arena, (size_t)count, sizeof *parts);

    watch->work[task] = (struct schedule_task){parts, count};
    return parts;
}

/* As the server decides it: a worker for 8 MB of the table and one more for each time three of
 * that, as long as each process has 32 MB of memory; and the leader. */
static int
processes(const struct watch *watch, int task)
{
    int64_t more_from = INT64_C(8) << 20;
    int workers = 0;

    for (; workers < watch->workers && watch->heap_bytes[task] >= more_from; workers++)
        more_from *= 3;
    while (workers > 0 && watch->memory / (workers + 1) < INT64_C(32) << 20)
        workers--;
    return workers + 1;
}

static void
weigh_index(const struct watch *watch, int task, const char *name, struct schedule_part *parts)
{
    double rows = rows_of(watch, task), sort_ns = 0, write_ns = 0;
    int width = processes(watch, task);

    for (size_t i = 0; i < sizeof indexes / sizeof *indexes; i++) {
        if (strcmp(indexes[i].name, name) == 0) {
            sort_ns = indexes[i].sort_ns;
            write_ns = indexes[i].write_ns;
        }
    }
    double scan_ns = SCAN_NS_PER_ROW;
    if (rows * SORT_BYTES_PER_ROW > (double)watch->memory) {
        scan_ns += sort_ns;
        sort_ns = SORT_OUTSIDE_NS_PER_ROW;
    } else if (width == 1)
        write_ns *= WRITE_ALONE;
    double heap = (double)watch->heap_bytes[task] * SCAN_NS_PER_BYTE;
    parts[0] = (struct schedule_part){STATEMENT_NS + rows * scan_ns + heap, width};
    parts[1] = (struct schedule_part){STATEMENT_NS + rows * sort_ns, width};
    parts[2] = (struct schedule_part){STATEMENT_NS + rows * write_ns, 1};
}

/* The name that the statement has, or that of the whole table which it stands for. */
static const char *
name_of(const struct table_task *task, int statement)
{
    return task->wholes[statement] ? task->wholes[statement] : task->names[statement];
}

void
watch_weigh_indexes(struct watch *watch, struct arena *arena)
{
    for (int i = 0; i < watch->count; i++) {
        const struct table_task *task = &watch->tasks[i];
        struct schedule_part *parts = new_parts(watch, arena, i, task->count * INDEX_PARTS);

        for (int k = 0; k < task->count; k++)
            weigh_index(watch, i, name_of(task, k), parts + k * INDEX_PARTS);
    }
}

static double
foreign_key_ns(const char *name, int partitions)
{
    for (size_t i = 0; i < sizeof foreign_keys / sizeof *foreign_keys; i++) {
        if (strcmp(foreign_keys[i].name, name) == 0)
            return foreign_keys[i].row_ns + partitions * foreign_keys[i].hash_ns;
    }
    return 0; /* of the small tables */
}

void
watch_weigh_foreign_keys(struct watch *watch, struct arena *arena)
{
    for (int i = 0; i < watch->count; i++) {
        const struct table_task *task = &watch->tasks[i];
        struct schedule_part *parts = new_parts(watch, arena, i, task->count);

        for (int k = 0; k < task->count; k++) {
            int partitions = watch->partitioned[i] ? watch->options->partitions : 1;
            double row_ns = foreign_key_ns(name_of(task, k), partitions);
            parts[k] = (struct schedule_part){STATEMENT_NS + rows_of(watch, i) * row_ns, 1};
        }
    }
}

/* Of ANALYZE, the sorting and counting that follow the reading take as long as that. */
void
watch_weigh_vacuum(struct watch *watch, struct arena *arena)
{
    for (int i = 0; i < watch->count; i++) {
        const struct table_task *task = &watch->tasks[i];
        struct schedule_part *parts = new_parts(watch, arena, i, VACUUM_PARTS);
        double rows = rows_of(watch, i), vacuum = 0, analyze = 0;

        if (strncmp(task->statements[0], "VACUUM", strlen("VACUUM")) == 0)
            vacuum = rows * VACUUM_NS_PER_ROW + (double)watch->heap_bytes[i] * VACUUM_NS_PER_BYTE;
        if (strstr(task->statements[0], "ANALYZE"))
            analyze = tables[table_index(task->table)].analyze_ns *
                      (rows < ANALYZE_SAMPLE_ROWS ? rows / ANALYZE_SAMPLE_ROWS : 1);
        parts[0] = (struct schedule_part){STATEMENT_NS + vacuum, 1};
        parts[1] = parts[2] = (struct schedule_part){1 + analyze / 2, 1};
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

void
watch_note_indexes(const struct watch *watch, const struct pg_rows *rows, struct schedule *schedule,
                   int64_t now_us)
{
    for (int row = 0; row < pg_rows_count(rows); row++) {
        int task = find_relation(watch, pg_value(rows, row, 0));
        int64_t built = pg_value_int(rows, row, 1);

        if (task < 0 || !schedule_is_running(schedule, task) || pg_is_null(rows, row, 2) ||
            built >= watch->tasks[task].count)
            continue;
        int part = (int)pg_value_int(rows, row, 2);
        double done = part == 1 ? 0 : pg_value_real(rows, row, part == 0 ? 3 : 4);
        schedule_note(schedule, task, now_us, (int)built * INDEX_PARTS + part, done);
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
            schedule_note(schedule, task, now_us, (int)made, 0);
    }
}

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
        if (part == 1 && done >= 1)
            schedule_note(schedule, task, now_us, 2, 0);
        else
            schedule_note(schedule, task, now_us, part, done);
    }
}
