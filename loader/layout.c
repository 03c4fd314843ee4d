/* Puts clauses into the statements of schemas/; see layout.h. It relies on the form of those files:
 * a CREATE TABLE ends in "\n)" and what may follow it, an index statement in its column list. */
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

/* Whether the statement is about this table: its name follows the first qualifier and ends there.
 */
static bool
names_table(const char *statement, const char *table)
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

            if (names_table(statements[i], name))
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

/* --- indexes and foreign keys ----------------------------------------------------------------- */

/* The name after "ADD CONSTRAINT " or "CREATE INDEX ". */
static const char *
statement_name(struct arena *arena, const char *statement)
{
    static const char *const verbs[] = {"ADD CONSTRAINT ", "CREATE INDEX "};

    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        const char *found = strstr(statement, verbs[i]);

        if (found) {
            found += strlen(verbs[i]);
            return arena_printf(arena, "%.*s", (int)strcspn(found, " "), found);
        }
    }
    must(!"an index or a constraint has a name");
    return NULL;
}

static const char *
index_tablespace_clause(struct arena *arena, const char *statement, const struct options *options)
{
    if (!options || !options->index_tablespace)
        return "";
    return arena_printf(arena, " %sTABLESPACE %s",
                        strstr(statement, "PRIMARY KEY") ? "USING INDEX " : "",
                        pg_quote_identifier(arena, options->index_tablespace));
}

/* Options are NULL for statements that make no index. */
static int
make_tasks(struct arena *arena, const char *path, const char *schema, const struct options *options,
           struct layout_task **tasks)
{
    char **statements;
    size_t count = sql_split(arena, sql_source(path), &statements);
    int tasks_count = 0;

    *tasks = arena_array(arena, OPTIONS_TABLES, sizeof **tasks);
    for (int i = 0; i < OPTIONS_TABLES; i++) {
        struct layout_task *task = &(*tasks)[tasks_count];

        task->table = options_tables[i];
        task->names = arena_array(arena, count, sizeof *task->names);
        task->statements = arena_array(arena, count, sizeof *task->statements);
        for (size_t k = 0; k < count; k++) {
            if (!names_table(statements[k], task->table))
                continue;
            task->names[task->count] = statement_name(arena, statements[k]);
            task->statements[task->count++] =
                arena_printf(arena, "%s%s", sql_for_schema(arena, statements[k], schema),
                             index_tablespace_clause(arena, statements[k], options));
        }
        tasks_count += task->count > 0;
    }
    return tasks_count;
}

int
layout_indexes(struct arena *arena, const char *schema, const struct options *options,
               struct layout_task **tasks)
{
    return make_tasks(arena, "schemas/indexes.sql", schema, options, tasks);
}

int
layout_foreign_keys(struct arena *arena, const char *schema, struct layout_task **tasks)
{
    return make_tasks(arena, "schemas/foreign_keys.sql", schema, NULL, tasks);
}
