/* What a progress line asks the server; see watch.h. A table is done when it was vacuumed, by
 * command, since the watch connected. An index that is being built is reported in
 * two parts, reading the table and writing the sorted entries; from measurement, six tenths and
 * four tenths of the time. */
#include "loader/watch.h"

#include <string.h>

#include "common/buf.h"
#include "common/sql.h"
#include "common/workload.h"

static const struct {
    const char *table;
    int rows; /* of a warehouse */
} weights[] = {
    {"order_line", DISTRICTS_PER_WAREHOUSE *ORDERS_PER_DISTRICT * 10},
    {"stock", ITEMS},
    {"customer", DISTRICTS_PER_WAREHOUSE *CUSTOMERS_PER_DISTRICT},
    {"orders", DISTRICTS_PER_WAREHOUSE *ORDERS_PER_DISTRICT},
    {"new_order", DISTRICTS_PER_WAREHOUSE *NEW_ORDERS_PER_DISTRICT},
};

/* The small tables, whatever their number of rows, weigh nothing beside these. */
static double
rows_of(const char *table, int warehouses)
{
    for (size_t i = 0; i < sizeof weights / sizeof *weights; i++) {
        if (strcmp(weights[i].table, table) == 0)
            return (double)weights[i].rows * warehouses;
    }
    return 1000;
}

const char *
watch_indexes(struct arena *arena, const char *schema, const struct layout_task *tasks, int count,
              int warehouses)
{
    struct buf sql = {0};

    buf_puts(&sql, "SELECT sum(weight * least(wanted, built + running)) / sum(weight * wanted)"
                   " FROM (VALUES ");
    for (int i = 0; i < count; i++)
        buf_printf(&sql, "%s('%s', %.1f::float8, %d)", i > 0 ? ", " : "", tasks[i].table,
                   rows_of(tasks[i].table, warehouses), tasks[i].count);
    buf_printf(&sql,
               ") AS task (name, weight, wanted)"
               " JOIN pg_class AS c ON c.relname = task.name AND c.relnamespace ="
               " (SELECT oid FROM pg_namespace WHERE nspname = %s),"
               " LATERAL (SELECT count(*) AS built FROM pg_index AS i"
               " WHERE i.indrelid = c.oid AND i.indisvalid) AS finished,"
               " LATERAL (SELECT coalesce(sum(0.6 * coalesce(blocks_done::float8"
               " / nullif(blocks_total, 0), 0) + 0.4 * coalesce(tuples_done::float8"
               " / nullif(tuples_total, 0), 0)), 0) AS running"
               " FROM pg_stat_progress_create_index AS p WHERE p.relid = c.oid) AS current",
               pg_quote_literal(arena, schema));
    const char *text = arena_strdup(arena, buf_text(&sql));
    buf_free(&sql);
    return text;
}

const char *
watch_vacuum(struct arena *arena, const char *schema)
{
    return arena_printf(
        arena,
        "SELECT sum(size * CASE WHEN last_vacuum > begun THEN 1 ELSE running END)"
        " / nullif(sum(size), 0) FROM (SELECT relid, last_vacuum,"
        " pg_relation_size(relid)::float8 AS size FROM pg_stat_user_tables"
        " WHERE schemaname = %s AND relname NOT LIKE 'ordermill\\_%%') AS tables,"
        " (SELECT backend_start - interval '1 second' AS begun FROM pg_stat_activity"
        " WHERE pid = pg_backend_pid()) AS watch,"
        " LATERAL (SELECT coalesce(max(heap_blks_scanned::float8 / nullif(heap_blks_total, 0)), 0)"
        " AS running FROM pg_stat_progress_vacuum AS p WHERE p.relid = tables.relid"
        " AND p.datname = current_database()) AS current",
        pg_quote_literal(arena, schema));
}
