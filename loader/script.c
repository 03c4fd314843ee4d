/* Writes the statements of the phases as a psql script; see script.h. The statements are those that
 * the loader itself runs; only the conditions around them are psql's. */
#include "loader/script.h"

#include <string.h>

#include "common/sql.h"
#include "common/version.h"
#include "loader/gen.h"

struct script {
    struct load load;
    struct arena arena;
    struct buf *out;
};

static const char *
for_schema(struct script *script, const char *sql)
{
    return sql_for_schema(&script->arena, sql, script->load.schema);
}

/* What follows counts only where the condition, an SQL expression, is true. */
static void
begin_if(struct script *script, const char *condition)
{
    buf_printf(script->out, "SELECT %s AS due \\gset\n\\if :due\n", for_schema(script, condition));
}

/* A part between data and check: due when the data are there and its phase is not recorded. */
static void
begin_part(struct script *script, enum build_phase phase)
{
    begin_if(script,
             arena_printf(&script->arena,
                          "EXISTS (SELECT FROM ordermill.ordermill_phase WHERE phase = 'data')"
                          " AND NOT EXISTS (SELECT FROM ordermill.ordermill_phase"
                          " WHERE phase = '%s')",
                          build_phase_names[phase]));
    buf_printf(script->out, "BEGIN;\n");
}

static void
record(struct script *script, enum build_phase phase, const char *detail)
{
    buf_printf(script->out, "%s;\n",
               for_schema(script, arena_printf(
                                      &script->arena,
                                      "INSERT INTO ordermill.ordermill_phase"
                                      " (phase, elapsed_s, detail) VALUES ('%s', 0, '%s')"
                                      " ON CONFLICT (phase) DO UPDATE SET"
                                      " detail = excluded.detail, completed_at = clock_timestamp()",
                                      build_phase_names[phase], detail)));
}

static void
end_part(struct script *script, enum build_phase phase)
{
    record(script, phase, "");
    buf_puts(script->out, "COMMIT;\n\\endif\n");
}

/* --- the phases ------------------------------------------------------------------------------- */

static void
put_schema(struct script *script)
{
    const char *schema = script->load.schema;

    buf_printf(script->out,
               "SELECT 'CREATE SCHEMA ' || quote_ident(%s)\n"
               "  WHERE NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = %s) \\gexec\n",
               pg_quote_literal(&script->arena, schema), pg_quote_literal(&script->arena, schema));
}

static void
put_ddl(struct script *script)
{
    const struct load *load = &script->load;
    struct ddl_plan plan = {load->schema, &load->info, &load->options, load->record, false};
    const char *marker = for_schema(script, "ordermill.ordermill_build");

    put_schema(script);
    begin_if(script, arena_printf(&script->arena, "to_regclass(%s) IS NULL",
                                  pg_quote_literal(&script->arena, marker)));
    buf_printf(script->out, "BEGIN;\n%s", ddl_create_sql(&script->arena, &plan));
    end_part(script, BUILD_DDL);
}

static void
put_data(struct script *script)
{
    const char *schema = script->load.schema;
    bool usual = strcmp(schema, "ordermill") == 0;

    buf_printf(script->out,
               "-- Not done here. This streams the rows of %d warehouse%s:\n"
               "--   ordermill load --only data%s%s%s\n"
               "-- For each warehouse, in one transaction with its row in"
               " ordermill_chunk, it runs:\n",
               script->load.info.warehouses, script->load.info.warehouses == 1 ? "" : "s",
               usual ? "" : " --schema '", usual ? "" : schema, usual ? "" : "'");
    for (int table = 0; table < GEN_TABLES; table++)
        buf_printf(script->out, "--   COPY %s FROM STDIN (FORMAT binary)\n",
                   for_schema(script, arena_printf(&script->arena, "ordermill.%s",
                                                   gen_table_name((enum gen_table)table))));
    begin_if(script, "NOT EXISTS (SELECT FROM ordermill.ordermill_phase WHERE phase = 'data')");
    buf_puts(script->out,
             "\\echo the data are not there yet: load them, and run this script again\n"
             "\\endif\n");
}

static void
put_tasks(struct script *script, const struct table_task *tasks, int count)
{
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < tasks[i].count; k++)
            buf_printf(script->out, "%s;\n", tasks[i].statements[k]);
    }
}

static void
put_indexes(struct script *script)
{
    const struct load *load = &script->load;
    struct table_task *tasks;

    begin_part(script, BUILD_INDEXES);
    buf_puts(script->out, options_index_session(&script->arena, &load->options));
    int count = tasks_indexes(&script->arena, load->schema, &load->options, &tasks);
    put_tasks(script, tasks, count);
    count = tasks_whole_indexes(&script->arena, load->schema, &load->options, &tasks);
    put_tasks(script, tasks, count);
    end_part(script, BUILD_INDEXES);
}

static void
put_foreign_keys(struct script *script)
{
    struct table_task *tasks;
    int count =
        tasks_foreign_keys(&script->arena, script->load.schema, &script->load.options, &tasks);

    if (!script->load.options.foreign_keys && script->load.only != BUILD_FOREIGN_KEYS) {
        buf_puts(script->out, "-- None: --foreign-keys asks for them.\n");
        return;
    }
    begin_part(script, BUILD_FOREIGN_KEYS);
    buf_puts(script->out, options_foreign_key_session(&script->arena, &script->load.options));
    put_tasks(script, tasks, count);
    buf_puts(script->out, OPTIONS_FOREIGN_KEYS_RESET);
    buf_printf(script->out, "%s;\n", for_schema(script, TASKS_FOREIGN_KEYS_NOTE));
    end_part(script, BUILD_FOREIGN_KEYS);
}

static void
put_procedures(struct script *script)
{
    enum procedure_set set = load_procedure_set(&script->load);
    char stamp[PROCEDURES_STAMP_SIZE];

    procedures_stamp(set, stamp);
    buf_printf(script->out, "BEGIN;\nSET LOCAL client_min_messages = warning;\n%s",
               ddl_procedures_sql(&script->arena, script->load.schema, set));
    record(script, BUILD_PROCEDURES, stamp);
    buf_puts(script->out, "COMMIT;\n");
}

/* Not within a transaction, as VACUUM is. */
static void
put_analyze(struct script *script)
{
    const struct load *load = &script->load;
    struct table_task *tasks;

    int count = tasks_vacuum(&script->arena, load->schema, &load->options, &tasks);
    put_tasks(script, tasks, count);
    count = tasks_analyze(&script->arena, load->schema, &load->options, &tasks);
    put_tasks(script, tasks, count);
    record(script, BUILD_ANALYZE, "");
}

static void
put_check(struct script *script)
{
    buf_puts(script->out, "-- Not done here: ordermill check.\n");
}

static const struct {
    void (*put)(struct script *script);
    const char *title;
} parts[BUILD_PHASES] = {
    [BUILD_DDL] = {put_ddl, "ddl: the tables, empty and without keys, and the kit's bookkeeping"},
    [BUILD_DATA] = {put_data, "data"},
    [BUILD_INDEXES] = {put_indexes, "indexes: primary keys and two more, after the data"},
    [BUILD_FOREIGN_KEYS] = {put_foreign_keys, "foreign-keys"},
    [BUILD_PROCEDURES] = {put_procedures, "procedures: the functions that are the workload"},
    [BUILD_ANALYZE] = {put_analyze, "analyze: visibility and statistics, which plans depend on"},
    [BUILD_CHECK] = {put_check, "check"},
};

/* --- the script ------------------------------------------------------------------------------- */

static void
put_all(struct script *script)
{
    buf_puts(script->out, "-- A load by ordermill " KIT_VERSION ", for psql. Connect as the role"
                          " that shall own the tables.\n"
                          "-- It may be run again: each part looks whether it is due.\n"
                          "\\set ON_ERROR_STOP on\n"
                          "SET standard_conforming_strings = on;\n"
                          "SET TimeZone = 'UTC';\n");
    for (int phase = 0; phase < BUILD_PHASES; phase++) {
        if (script->load.only != BUILD_PHASES && (int)script->load.only != phase)
            continue;
        buf_printf(script->out, "\n-- --- %s\n\n", parts[phase].title);
        parts[phase].put(script);
    }
}

bool
script_of_load(const struct settings *settings, struct buf *out, struct err *err)
{
    struct loader_report report = {0};
    struct script script = {.out = out};

    script.load = (struct load){.settings = settings,
                                .schema = settings_text(settings, SET_SCHEMA),
                                .arena = &script.arena,
                                .report = &report};
    bool ok = sql_check_schema(script.load.schema, err) && begin_on_paper(&script.load, err);
    if (ok)
        put_all(&script);
    arena_free(&script.arena);
    return ok;
}
