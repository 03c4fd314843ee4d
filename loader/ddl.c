/* Creates and removes the kit's objects; see ddl.h. The SQL itself lies in schemas/ and
 * procedures/. */
#include "loader/ddl.h"

#include <inttypes.h>
#include <string.h>

#include "common/buf.h"
#include "common/clock.h"
#include "common/log.h"
#include "common/sql.h"
#include "common/version.h"

#define PROCEDURES      "procedures/default/"
#define PROCEDURES_DROP PROCEDURES "drop.sql"

const char *const ddl_tables[] = {"order_line", "stock", "customer",  "orders",   "history",
                                  "new_order",  "item",  "warehouse", "district", NULL};

/* Runs `work` in a transaction. */
static bool
in_transaction(struct pg *pg, struct err *err,
               bool (*work)(struct pg *pg, const char *schema, const struct build_info *info,
                            struct err *err),
               const char *schema, const struct build_info *info)
{
    struct err ignored;

    if (!pg_exec(pg, "BEGIN ISOLATION LEVEL READ COMMITTED", err))
        return false;
    if (work(pg, schema, info, err) && pg_exec(pg, "COMMIT", err))
        return true;
    if (!pg_exec(pg, "ROLLBACK", &ignored))
        log_detail("rollback: %s", ignored.message);
    return false;
}

/* Runs an SQL file for the schema. */
static bool
run_file(struct pg *pg, const char *path, const char *schema, struct err *err)
{
    struct arena arena = {0};
    bool ok = pg_exec(pg, sql_text(&arena, path, schema, NULL), err);

    arena_free(&arena);
    return ok;
}

/* --- create ----------------------------------------------------------------------------------- */

static bool
insert_build(struct pg *pg, const char *schema, const struct build_info *info, struct err *err)
{
    struct arena arena = {0};
    char loaded_at[CLOCK_TEXT_SIZE];
    const char *sql = sql_for_schema(
        &arena,
        "INSERT INTO ordermill.ordermill_build (kit_version, layout_version, warehouses, seed,"
        " c_load, loaded_at, schema_created) VALUES ($1, $2, $3, $4, $5, $6, $7)",
        schema);
    const char *values[] = {KIT_VERSION,
                            arena_printf(&arena, "%d", BUILD_LAYOUT_VERSION),
                            arena_printf(&arena, "%d", info->warehouses),
                            arena_printf(&arena, "%" PRId64, info->seed),
                            arena_printf(&arena, "%d", info->c_load),
                            clock_iso(loaded_at, info->loaded_at_us),
                            info->schema_created ? "true" : "false"};
    struct pg_rows *rows = pg_query(pg, sql, 7, values, err);

    pg_rows_free(rows);
    arena_free(&arena);
    return rows != NULL;
}

static bool
create(struct pg *pg, const char *schema, const struct build_info *info, struct err *err)
{
    int64_t started_us = clock_monotonic_us();

    if (info->state == BUILD_NO_SCHEMA) {
        struct arena arena = {0};
        bool ok = pg_execf(pg, err, "CREATE SCHEMA %s", pg_quote_identifier(&arena, schema));

        arena_free(&arena);
        if (!ok)
            return false;
    }
    return run_file(pg, "schemas/tables.sql", schema, err) &&
           run_file(pg, "schemas/bookkeeping.sql", schema, err) &&
           insert_build(pg, schema, info, err) &&
           ddl_record_phase(pg, schema, BUILD_DDL,
                            (double)(clock_monotonic_us() - started_us) / 1e6, "", err);
}

bool
ddl_create(struct pg *pg, const char *schema, const struct build_info *info, struct err *err)
{
    return in_transaction(pg, err, create, schema, info);
}

bool
ddl_record_phase(struct pg *pg, const char *schema, enum build_phase phase, double elapsed_s,
                 const char *detail, struct err *err)
{
    struct arena arena = {0};
    const char *sql = sql_for_schema(
        &arena,
        "INSERT INTO ordermill.ordermill_phase (phase, elapsed_s, detail) VALUES ($1, $2, $3)"
        " ON CONFLICT (phase) DO UPDATE SET elapsed_s = excluded.elapsed_s,"
        " detail = excluded.detail, completed_at = clock_timestamp()",
        schema);
    const char *values[] = {build_phase_names[phase], arena_printf(&arena, "%.6f", elapsed_s),
                            detail};
    struct pg_rows *rows = pg_query(pg, sql, 3, values, err);

    pg_rows_free(rows);
    arena_free(&arena);
    return rows != NULL;
}

/* --- procedures ------------------------------------------------------------------------------- */

/* drop.sql says "IF EXISTS", which the server would comment on each time. */
static bool
drop_procedures(struct pg *pg, const char *schema, struct err *err)
{
    return pg_exec(pg, "SET LOCAL client_min_messages = warning", err) &&
           run_file(pg, PROCEDURES_DROP, schema, err);
}

static bool
install_procedures(struct pg *pg, const char *schema, const struct build_info *info,
                   struct err *err)
{
    int64_t started_us = clock_monotonic_us();
    char stamp[BUILD_STAMP_SIZE];
    const char *path;

    (void)info;
    /* First away with the old ones: OR REPLACE cannot change the type of a result. */
    if (!drop_procedures(pg, schema, err))
        return false;
    for (size_t i = 0; (path = sql_path(PROCEDURES, i)); i++) {
        if (strcmp(path, PROCEDURES_DROP) != 0 && !run_file(pg, path, schema, err))
            return err_prefix(err, "%s", path);
    }
    build_procedures_stamp(stamp);
    return ddl_record_phase(pg, schema, BUILD_PROCEDURES,
                            (double)(clock_monotonic_us() - started_us) / 1e6, stamp, err);
}

bool
ddl_procedures(struct pg *pg, const char *schema, struct err *err)
{
    return in_transaction(pg, err, install_procedures, schema, NULL);
}

/* --- drop ------------------------------------------------------------------------------------- */

static bool
drop_objects(struct pg *pg, const char *schema, const struct build_info *info, struct err *err)
{
    struct arena arena = {0};
    struct buf sql = {0};

    (void)info;
    /* All in one statement, so that foreign keys between them are no obstacle. */
    buf_puts(&sql, "DROP TABLE IF EXISTS ordermill.ordermill_build, ordermill.ordermill_phase,"
                   " ordermill.ordermill_chunk");
    for (int i = 0; ddl_tables[i]; i++)
        buf_printf(&sql, ", ordermill.%s", ddl_tables[i]);
    bool ok = drop_procedures(pg, schema, err) &&
              pg_exec(pg, sql_for_schema(&arena, buf_text(&sql), schema), err);
    if (!ok && strcmp(err->sqlstate, "2BP01") == 0)
        err_hint(err, "something that is not the kit's depends on its tables; remove that first");
    buf_free(&sql);
    arena_free(&arena);
    return ok;
}

bool
ddl_drop(struct pg *pg, const char *schema, const struct build_info *info, bool *schema_dropped,
         struct err *err)
{
    struct arena arena = {0};
    struct err kept;

    *schema_dropped = false;
    if (!in_transaction(pg, err, drop_objects, schema, info))
        return false;
    if (info->schema_created) {
        *schema_dropped =
            pg_execf(pg, &kept, "DROP SCHEMA %s", pg_quote_identifier(&arena, schema));
        if (!*schema_dropped)
            log_detail("schema \"%s\" stays: %s", schema, kept.message);
    }
    arena_free(&arena);
    return true;
}

/* --- indexes ---------------------------------------------------------------------------------- */

/* The name after "ADD CONSTRAINT " or "CREATE INDEX ". */
static const char *
index_name(struct arena *arena, const char *statement)
{
    static const char *const verbs[] = {"ADD CONSTRAINT ", "CREATE INDEX "};

    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        const char *found = strstr(statement, verbs[i]);

        if (found) {
            found += strlen(verbs[i]);
            return arena_printf(arena, "%.*s", (int)strcspn(found, " "), found);
        }
    }
    must(!"an index has a name");
    return NULL;
}

/* Whether the statement is about this table: its name follows the qualifier and ends there. */
static bool
names_table(const char *statement, const char *table)
{
    const char *found = strstr(statement, "ordermill.");

    must(found != NULL);
    found += strlen("ordermill.");
    size_t length = strcspn(found, " (;");
    return length == strlen(table) && strncmp(found, table, length) == 0;
}

int
ddl_index_tasks(struct arena *arena, const char *schema, struct ddl_index_task **tasks)
{
    char **statements;
    size_t count = sql_split(arena, sql_source("schemas/indexes.sql"), &statements);
    int tasks_count = 0;

    *tasks = arena_array(arena, count, sizeof **tasks);
    for (int i = 0; ddl_tables[i]; i++) {
        struct ddl_index_task *task = &(*tasks)[tasks_count];

        task->table = ddl_tables[i];
        task->names = arena_array(arena, count, sizeof *task->names);
        task->statements = arena_array(arena, count, sizeof *task->statements);
        for (size_t k = 0; k < count; k++) {
            if (!names_table(statements[k], task->table))
                continue;
            task->names[task->count] = index_name(arena, statements[k]);
            task->statements[task->count++] = sql_for_schema(arena, statements[k], schema);
        }
        tasks_count += task->count > 0;
    }
    return tasks_count;
}

static bool
index_exists(struct pg *pg, const char *schema, const char *name, bool *exists, struct err *err)
{
    const char *values[] = {schema, name};
    struct pg_rows *rows =
        pg_query(pg,
                 "SELECT EXISTS (SELECT FROM pg_class AS c JOIN pg_namespace AS n"
                 " ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = $2"
                 " AND c.relkind IN ('i', 'I'))",
                 2, values, err);

    *exists = rows && pg_value(rows, 0, 0)[0] == 't';
    pg_rows_free(rows);
    return rows != NULL;
}

/* A backend that a killed loader left behind may still be at the same index: our statement waits
 * for it and then finds the index there, which is what was wanted. */
static bool
build_index(struct pg *pg, const char *schema, const char *name, const char *statement,
            struct err *err)
{
    struct err look;
    bool exists;

    if (!index_exists(pg, schema, name, &exists, err))
        return false;
    if (exists || pg_exec(pg, statement, err))
        return true;
    return index_exists(pg, schema, name, &exists, &look) && exists;
}

bool
ddl_build_indexes(struct pg *pg, const char *schema, const struct ddl_index_task *task,
                  struct err *err)
{
    for (int i = 0; i < task->count; i++) {
        if (!build_index(pg, schema, task->names[i], task->statements[i], err))
            return err_prefix(err, "index %s", task->names[i]);
    }
    return true;
}
