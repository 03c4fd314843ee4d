/* Takes the statements of schemas/ apart by table and partition; see tasks.h. It relies on their
 * form: each names its table after the qualifier and what it makes after ADD CONSTRAINT or CREATE
 * INDEX, both followed by a blank, and a clause for the tablespace may follow at its end. */
#include "loader/tasks.h"

#include <stdio.h>
#include <string.h>

#include "common/sql.h"
#include "loader/layout.h"

enum { NAME_SIZE = 64 };

/* --- statements ------------------------------------------------------------------------------- */

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

/* "customer_p3_pkey" of "customer_pkey": every name begins with that of its table. */
static const char *
partition_name(struct arena *arena, const char *table, const char *name, int partition)
{
    must(strncmp(name, table, strlen(table)) == 0);
    return arena_printf(arena, "%s_p%d%s", table, partition, name + strlen(table));
}

static const char *
replace_word(struct arena *arena, const char *text, const char *word, const char *by)
{
    size_t length = strlen(word);

    for (const char *found = text; (found = strstr(found, word)); found += length) {
        if (found[length] == ' ')
            return arena_printf(arena, "%.*s%s%s", (int)(found - text), text, by, found + length);
    }
    must(!"a statement names its table and what it makes");
    return NULL;
}

/* The statement for a partition instead of the whole table. */
static const char *
for_partition(struct arena *arena, const char *statement, const char *table, const char *name,
              int partition)
{
    const char *whole = arena_printf(arena, "ordermill.%s", table);
    const char *part = arena_printf(arena, "%s_p%d", whole, partition);

    return replace_word(arena, replace_word(arena, statement, whole, part), name,
                        partition_name(arena, table, name, partition));
}

static const char *
index_tablespace_clause(struct arena *arena, const char *statement, const struct options *options)
{
    if (!options->index_tablespace || strstr(statement, "FOREIGN KEY"))
        return "";
    return arena_printf(arena, " %sTABLESPACE %s",
                        strstr(statement, "PRIMARY KEY") ? "USING INDEX " : "",
                        pg_quote_identifier(arena, options->index_tablespace));
}

/* Whether a reference of a partitioned table can only be declared partition by partition. */
static bool
refers_to_unlogged(const char *statement, const struct options *options)
{
    static const char clause[] = "REFERENCES ordermill.";
    const char *found = strstr(statement, clause);
    char table[NAME_SIZE];

    must(found);
    found += strlen(clause);
    snprintf(table, sizeof table, "%.*s", (int)strcspn(found, " "), found);
    return options->unlogged && !layout_is_partitioned(table, options);
}

/* --- tasks ------------------------------------------------------------------------------------ */

struct making {
    struct arena *arena;
    const char *schema;
    const struct options *options;
    char **statements; /* of a file */
    size_t statements_count;
    struct table_task *tasks;
    int count;
};

static void
begin_tasks(struct making *making, const char *path)
{
    int most = OPTIONS_TABLES * (making->options->partitions + 1);

    making->tasks = arena_array(making->arena, (size_t)most, sizeof *making->tasks);
    if (path)
        making->statements_count = sql_split(making->arena, sql_source(path), &making->statements);
}

/* An empty task at the end; partition 0: the table. */
static struct table_task *
new_task(struct making *making, const char *table, int partition)
{
    struct table_task *task = &making->tasks[making->count];
    size_t most = making->statements_count + 1;

    *task = (struct table_task){
        .table = table,
        .relation = partition > 0 ? arena_printf(making->arena, "%s_p%d", table, partition) : table,
        .names = arena_array(making->arena, most, sizeof *task->names),
        .wholes = arena_array(making->arena, most, sizeof *task->wholes),
        .statements = arena_array(making->arena, most, sizeof *task->statements),
    };
    return task;
}

static void
add_statement(struct making *making, struct table_task *task, const char *statement, int partition)
{
    const char *name = statement_name(making->arena, statement);

    task->names[task->count] = name;
    task->wholes[task->count] = NULL;
    if (partition > 0) {
        task->names[task->count] = partition_name(making->arena, task->table, name, partition);
        task->wholes[task->count] = name;
        statement = for_partition(making->arena, statement, task->table, name, partition);
    }
    task->statements[task->count++] = arena_printf(
        making->arena, "%s%s", sql_for_schema(making->arena, statement, making->schema),
        index_tablespace_clause(making->arena, statement, making->options));
}

/* What the file says of a table that `wanted` lets through, as one task. */
static void
add_task(struct making *making, const char *table, int partition,
         bool (*wanted)(const char *statement, const struct options *options))
{
    struct table_task *task = new_task(making, table, partition);

    for (size_t i = 0; i < making->statements_count; i++) {
        if (layout_is_about(making->statements[i], table) &&
            (!wanted || wanted(making->statements[i], making->options)))
            add_statement(making, task, making->statements[i], partition);
    }
    making->count += task->count > 0;
}

int
tasks_indexes(struct arena *arena, const char *schema, const struct options *options,
              struct table_task **tasks)
{
    struct making making = {.arena = arena, .schema = schema, .options = options};

    begin_tasks(&making, "schemas/indexes.sql");
    for (int i = 0; i < OPTIONS_TABLES; i++) {
        bool parts = layout_is_partitioned(options_tables[i], options);

        for (int partition = parts; partition <= (parts ? options->partitions : 0); partition++)
            add_task(&making, options_tables[i], partition, NULL);
    }
    *tasks = making.tasks;
    return making.count;
}

int
tasks_whole_indexes(struct arena *arena, const char *schema, const struct options *options,
                    struct table_task **tasks)
{
    struct making making = {.arena = arena, .schema = schema, .options = options};

    begin_tasks(&making, "schemas/indexes.sql");
    for (int i = 0; i < OPTIONS_TABLES; i++) {
        if (layout_is_partitioned(options_tables[i], options))
            add_task(&making, options_tables[i], 0, NULL);
    }
    *tasks = making.tasks;
    return making.count;
}

static bool
is_of_the_whole(const char *statement, const struct options *options)
{
    return !refers_to_unlogged(statement, options);
}

int
tasks_foreign_keys(struct arena *arena, const char *schema, const struct options *options,
                   struct table_task **tasks)
{
    struct making making = {.arena = arena, .schema = schema, .options = options};

    begin_tasks(&making, "schemas/foreign_keys.sql");
    for (int i = 0; i < OPTIONS_TABLES; i++) {
        const char *table = options_tables[i];
        bool parts = layout_is_partitioned(table, options);

        add_task(&making, table, 0, parts ? is_of_the_whole : NULL);
        for (int partition = 1; parts && partition <= options->partitions; partition++)
            add_task(&making, table, partition, refers_to_unlogged);
    }
    *tasks = making.tasks;
    return making.count;
}

/* --- vacuum ----------------------------------------------------------------------------------- */

static void
add_command(struct making *making, const char *command, const char *table, int partition)
{
    struct table_task *task = new_task(making, table, partition);
    char *sql = arena_printf(making->arena, "%s ordermill.%s", command, task->relation);

    task->names = task->wholes = NULL;
    task->statements[task->count++] = sql_for_schema(making->arena, sql, making->schema);
    making->count++;
}

int
tasks_vacuum(struct arena *arena, const char *schema, const struct options *options,
             struct table_task **tasks)
{
    struct making making = {.arena = arena, .schema = schema, .options = options};

    begin_tasks(&making, NULL);
    for (int i = 0; i < OPTIONS_TABLES; i++) {
        const char *table = options_tables[i];

        if (!layout_is_partitioned(table, options))
            add_command(&making, "VACUUM (ANALYZE)", table, 0);
        for (int k = 1; layout_is_partitioned(table, options) && k <= options->partitions; k++)
            add_command(&making, "VACUUM", table, k);
    }
    *tasks = making.tasks;
    return making.count;
}

int
tasks_analyze(struct arena *arena, const char *schema, const struct options *options,
              struct table_task **tasks)
{
    struct making making = {.arena = arena, .schema = schema, .options = options};

    begin_tasks(&making, NULL);
    for (int i = 0; i < OPTIONS_TABLES; i++) {
        if (layout_is_partitioned(options_tables[i], options))
            add_command(&making, "ANALYZE", options_tables[i], 0);
    }
    *tasks = making.tasks;
    return making.count;
}
