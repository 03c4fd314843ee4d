/* Puts clauses into the statements of schemas/tables.sql; see layout.h. It relies on the form of
 * that file: a CREATE TABLE ends in "\n)" and what may follow it. */
#include "loader/layout.h"

#include <stdlib.h>
#include <string.h>

#include "common/buf.h"
#include "common/sql.h"

/* The big tables and the column they are partitioned by. */
static const struct {
    const char *table, *column;
} partitioned[] = {
    {"customer", "c_w_id"},    {"stock", "s_w_id"},      {"orders", "o_w_id"},
    {"order_line", "ol_w_id"}, {"new_order", "no_w_id"}, {"history", "h_w_id"},
};

static const char *
partition_column(const char *table)
{
    for (size_t i = 0; i < sizeof partitioned / sizeof *partitioned; i++) {
        if (strcmp(partitioned[i].table, table) == 0)
            return partitioned[i].column;
    }
    return NULL;
}

bool
layout_is_partitioned(const char *table, const struct options *options)
{
    return options->partitions > 1 && partition_column(table);
}

bool
layout_is_about(const char *statement, const char *table)
{
    const char *found = strstr(statement, "ordermill.");

    must(found != NULL);
    found += strlen("ordermill.");
    size_t length = strcspn(found, " (;");
    return length == strlen(table) && strncmp(found, table, length) == 0;
}

/* --- tables ----------------------------------------------------------------------------------- */

struct table {
    const char *name, *statement; /* as in the file */
    int fillfactor;               /* 0: none */
    const struct options *options;
};

static int
table_fillfactor(const char *name, const char *statement, const struct options *options)
{
    static const char clause[] = "fillfactor = ";
    const char *found = strstr(statement, clause);

    for (int i = 0; i < OPTIONS_TABLES; i++) {
        if (strcmp(options_tables[i], name) == 0 && options->fillfactors[i] > 0)
            return options->fillfactors[i];
    }
    return found ? (int)strtol(found + strlen(clause), NULL, 10) : 0;
}

/* What follows the columns of whatever holds rows: a whole table, or a partition. */
static void
put_storage(struct arena *arena, const struct table *table, struct buf *out)
{
    if (table->fillfactor > 0)
        buf_printf(out, " WITH (fillfactor = %d)", table->fillfactor);
    if (table->options->tablespace)
        buf_printf(out, " TABLESPACE %s", pg_quote_identifier(arena, table->options->tablespace));
    buf_puts(out, ";\n");
}

static void
put_bounds(const struct options *options, int partition, int warehouses, struct buf *out)
{
    int64_t first = (int64_t)(partition - 1) * warehouses / options->partitions + 1;
    int64_t next = (int64_t)partition * warehouses / options->partitions + 1;

    if (options->by_hash)
        buf_printf(out, "WITH (MODULUS %d, REMAINDER %d)", options->partitions, partition - 1);
    else if (partition == 1)
        buf_printf(out, "FROM (MINVALUE) TO (%lld)", (long long)next);
    else if (partition == options->partitions)
        buf_printf(out, "FROM (%lld) TO (MAXVALUE)", (long long)first);
    else
        buf_printf(out, "FROM (%lld) TO (%lld)", (long long)first, (long long)next);
}

static void
put_partitions(struct arena *arena, const struct table *table, int warehouses, struct buf *out)
{
    for (int i = 1; i <= table->options->partitions; i++) {
        buf_printf(out, "CREATE %sTABLE ordermill.%s_p%d PARTITION OF ordermill.%s FOR VALUES ",
                   table->options->unlogged ? "UNLOGGED " : "", table->name, i, table->name);
        put_bounds(table->options, i, warehouses, out);
        put_storage(arena, table, out);
    }
}

static void
put_table(struct arena *arena, const struct table *table, int warehouses, struct buf *out)
{
    static const char verb[] = "CREATE TABLE ";
    const char *end = strstr(table->statement, "\n)");
    const char *column = table->options->partitions > 1 ? partition_column(table->name) : NULL;

    must(strncmp(table->statement, verb, strlen(verb)) == 0 && end);
    const char *columns = table->statement + strlen(verb);
    buf_printf(out, "CREATE %sTABLE %.*s", table->options->unlogged && !column ? "UNLOGGED " : "",
               (int)(end + 2 - columns), columns);
    if (!column) {
        put_storage(arena, table, out);
        return;
    }
    buf_printf(out, " PARTITION BY %s (%s);\n", table->options->by_hash ? "HASH" : "RANGE", column);
    put_partitions(arena, table, warehouses, out);
}

char *
layout_tables(struct arena *arena, const char *schema, const struct options *options,
              int warehouses)
{
    char **statements;
    size_t count = sql_split(arena, sql_source("schemas/tables.sql"), &statements);
    struct buf out = {0};

    for (size_t i = 0; i < count; i++) {
        for (int k = 0; k < OPTIONS_TABLES; k++) {
            const char *name = options_tables[k];

            if (layout_is_about(statements[i], name))
                put_table(arena,
                          &(struct table){name, statements[i],
                                          table_fillfactor(name, statements[i], options), options},
                          warehouses, &out);
        }
    }
    char *text = sql_for_schema(arena, buf_text(&out), schema);
    buf_free(&out);
    return text;
}
