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
#include "loader/layout.h"

/* Runs `work` in a transaction. */
static bool
in_transaction(struct pg *pg, struct err *err,
               bool (*work)(struct pg *pg, const void *context, struct err *err),
               const void *context)
{
    struct err ignored;

    if (!pg_exec(pg, "BEGIN ISOLATION LEVEL READ COMMITTED", err))
        return false;
    if (work(pg, context, err) && pg_exec(pg, "COMMIT", err))
        return true;
    if (!pg_exec(pg, "ROLLBACK", &ignored))
        log_detail("rollback: %s", ignored.message);
    return false;
}

/* Runs an SQL script for the schema. */
static bool
run_script(struct pg *pg, const char *script, const char *schema, struct err *err)
{
    struct arena arena = {0};
    bool ok = pg_exec(pg, sql_for_schema(&arena, script, schema), err);

    arena_free(&arena);
    return ok;
}

/* --- create ----------------------------------------------------------------------------------- */

/* One row: what was asked for. */
static char *
insert_build_sql(struct arena *arena, const struct ddl_plan *plan)
{
    const struct build_info *info = plan->info;
    char loaded_at[CLOCK_TEXT_SIZE];

    return arena_printf(
        arena,
        "INSERT INTO ordermill.ordermill_build (kit_version, layout_version, warehouses, seed,"
        " c_load, loaded_at, options, schema_created)\n"
        "VALUES ('%s', %d, %d, %" PRId64 ", %d, '%s', %s, %s);\n",
        KIT_VERSION, BUILD_LAYOUT_VERSION, info->warehouses, info->seed, info->c_load,
        clock_iso(loaded_at, info->loaded_at_us), pg_quote_literal(arena, plan->record),
        info->schema_created ? "true" : "false");
}

char *
ddl_create_sql(struct arena *arena, const struct ddl_plan *plan)
{
    return arena_printf(arena, "%s\n%s\n%s",
                        layout_tables(arena, plan->schema, plan->options, plan->info->warehouses),
                        sql_text(arena, "schemas/bookkeeping.sql", plan->schema, NULL),
                        sql_for_schema(arena, insert_build_sql(arena, plan), plan->schema));
}

struct creation {
    const struct ddl_plan *plan;
    bool *created;
};

/* Waits for a loader that is making the tables now, and finds out whether one did. The lock is held
 * until the transaction ends. */
static bool
came_first(struct pg *pg, const struct ddl_plan *plan, bool *first, struct err *err)
{
    struct arena arena = {0};
    const char *names[] = {
        arena_printf(&arena, "ordermill load %s", plan->schema),
        sql_for_schema(&arena, "ordermill.ordermill_build", plan->schema),
    };
    struct pg_rows *rows =
        pg_query(pg, "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", 1, names, err);
    bool ok = rows != NULL;

    pg_rows_free(rows);
    rows = ok ? pg_query(pg, "SELECT to_regclass($1) IS NULL", 1, names + 1, err) : NULL;
    *first = rows && pg_value(rows, 0, 0)[0] == 't';
    pg_rows_free(rows);
    arena_free(&arena);
    return rows != NULL;
}

static bool
create(struct pg *pg, const void *context, struct err *err)
{
    const struct creation *creation = context;
    const struct ddl_plan *plan = creation->plan;
    int64_t started_us = clock_monotonic_us();
    struct arena arena = {0};
    bool ok = true;

    *creation->created = true;
    if (plan->shared)
        ok = came_first(pg, plan, creation->created, err);
    if (ok && *creation->created) {
        if (plan->info->state == BUILD_NO_SCHEMA)
            ok = pg_execf(pg, err, "CREATE SCHEMA %s", pg_quote_identifier(&arena, plan->schema));
        ok = ok && pg_exec(pg, ddl_create_sql(&arena, plan), err) &&
             ddl_record_phase(pg, plan->schema, BUILD_DDL,
                              (double)(clock_monotonic_us() - started_us) / 1e6, "", err);
    }
    arena_free(&arena);
    return ok;
}

bool
ddl_create(struct pg *pg, const struct ddl_plan *plan, bool *created, struct err *err)
{
    return in_transaction(pg, err, create, &(struct creation){plan, created});
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

/* --- data that are gone -------------------------------------------------------------------------
 */

struct loss {
    const char *schema;
    struct build_info *info;
};

/* Who holds the row first, takes the records back; who waited for it finds that they are. */
static bool
forget_data(struct pg *pg, const void *context, struct err *err)
{
    const struct loss *loss = context;

    return run_script(pg, "SELECT 1 FROM ordermill.ordermill_build FOR UPDATE", loss->schema,
                      err) &&
           build_read(pg, loss->schema, loss->info, err) &&
           (!loss->info->emptied || (run_script(pg,
                                                "DELETE FROM ordermill.ordermill_chunk;"
                                                "DELETE FROM ordermill.ordermill_phase"
                                                " WHERE phase IN ('data', 'analyze', 'check')",
                                                loss->schema, err) &&
                                     build_read(pg, loss->schema, loss->info, err)));
}

bool
ddl_forget_data(struct pg *pg, const char *schema, struct build_info *info, struct err *err)
{
    return in_transaction(pg, err, forget_data, &(struct loss){schema, info});
}

/* --- procedures ------------------------------------------------------------------------------- */

/* drop.sql says "IF EXISTS", which the server would comment on each time. */
static bool
drop_procedures(struct pg *pg, const char *schema, struct err *err)
{
    return pg_exec(pg, "SET LOCAL client_min_messages = warning", err) &&
           run_script(pg, procedures_drop_sql(), schema, err);
}

char *
ddl_procedures_sql(struct arena *arena, const char *schema, enum procedure_set set)
{
    const char *script =
        arena_printf(arena, "%s%s", procedures_drop_sql(), procedures_create_sql(arena, set));

    return sql_for_schema(arena, script, schema);
}

struct installation {
    const char *schema;
    enum procedure_set set;
};

/* First away with the old ones: OR REPLACE cannot change the type of a result. */
static bool
install_procedures(struct pg *pg, const void *context, struct err *err)
{
    const struct installation *wanted = context;
    int64_t started_us = clock_monotonic_us();
    char stamp[PROCEDURES_STAMP_SIZE];
    struct arena arena = {0};
    bool ok = pg_exec(pg, "SET LOCAL client_min_messages = warning", err) &&
              pg_exec(pg, ddl_procedures_sql(&arena, wanted->schema, wanted->set), err);

    arena_free(&arena);
    procedures_stamp(wanted->set, stamp);
    return ok && ddl_record_phase(pg, wanted->schema, BUILD_PROCEDURES,
                                  (double)(clock_monotonic_us() - started_us) / 1e6, stamp, err);
}

bool
ddl_procedures(struct pg *pg, const char *schema, enum procedure_set set, struct err *err)
{
    return in_transaction(pg, err, install_procedures, &(struct installation){schema, set});
}

/* --- drop ------------------------------------------------------------------------------------- */

static bool
drop_objects(struct pg *pg, const void *context, struct err *err)
{
    const char *schema = context;
    struct arena arena = {0};
    struct buf sql = {0};

    /* All in one statement, so that foreign keys between them are no obstacle. */
    buf_puts(&sql, "DROP TABLE IF EXISTS ordermill.ordermill_build, ordermill.ordermill_phase,"
                   " ordermill.ordermill_chunk");
    for (int i = 0; i < OPTIONS_TABLES; i++)
        buf_printf(&sql, ", ordermill.%s", options_tables[i]);
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
    if (!in_transaction(pg, err, drop_objects, schema))
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

/* --- indexes and foreign keys ----------------------------------------------------------------- */

/* Under its own name, or as part of that of the whole table (NULL: no such). */
static bool
object_exists(struct pg *pg, const char *schema, const char *name, const char *whole, bool *exists,
              struct err *err)
{
    const char *values[] = {schema, name, whole};
    struct pg_rows *rows =
        pg_query(pg,
                 "SELECT EXISTS (SELECT FROM pg_class AS c JOIN pg_namespace AS n"
                 " ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname IN ($2, $3)"
                 " AND c.relkind IN ('i', 'I'))"
                 " OR EXISTS (SELECT FROM pg_constraint AS c JOIN pg_namespace AS n"
                 " ON n.oid = c.connamespace WHERE n.nspname = $1 AND c.conname IN ($2, $3))",
                 3, values, err);

    *exists = rows && pg_value(rows, 0, 0)[0] == 't';
    pg_rows_free(rows);
    return rows != NULL;
}

/* A backend that a killed loader left behind may still be at the same index: our statement waits
 * for it and then finds the index there, which is what was wanted. */
static bool
make_object(struct pg *pg, const char *schema, const struct table_task *task, int number,
            struct err *err)
{
    const char *name = task->names[number], *whole = task->wholes[number];
    struct err look;
    bool exists;

    if (!object_exists(pg, schema, name, whole, &exists, err))
        return false;
    if (exists || pg_exec(pg, task->statements[number], err))
        return true;
    return (object_exists(pg, schema, name, whole, &exists, &look) && exists) ||
           err_prefix(err, "%s", name);
}

bool
ddl_run_task(struct pg *pg, const char *schema, const struct table_task *task, struct err *err)
{
    for (int i = 0; i < task->count; i++) {
        if (task->names ? !make_object(pg, schema, task, i, err)
                        : !pg_exec(pg, task->statements[i], err))
            return false;
    }
    return true;
}

/* --- rights ----------------------------------------------------------------------------------- */

/* The server itself only warns, and vacuums nothing. Newer ones know a privilege of its own. */
bool
ddl_may_vacuum(struct pg *pg, const char *schema, const char *table, bool *permitted,
               struct err *err)
{
    const char *values[] = {schema, table};
    struct pg_rows *rows =
        pg_query(pg,
                 "SELECT pg_has_role(c.relowner, 'USAGE') OR pg_has_role(d.datdba, 'USAGE')"
                 " OR CASE WHEN EXISTS (SELECT FROM pg_roles WHERE rolname = 'pg_maintain')"
                 "         THEN has_table_privilege(c.oid, 'MAINTAIN') ELSE false END"
                 " FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace,"
                 " pg_database AS d WHERE d.datname = current_database()"
                 " AND n.nspname = $1 AND c.relname = $2",
                 2, values, err);

    *permitted = rows && pg_rows_count(rows) == 1 && pg_value(rows, 0, 0)[0] == 't';
    pg_rows_free(rows);
    return rows != NULL;
}
