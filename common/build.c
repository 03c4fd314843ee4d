/* Reads the bookkeeping and judges it; see build.h. Writes nothing to the server. */
#include "common/build.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/sql.h"

const char *const build_phase_names[BUILD_PHASES] = {
    "ddl", "data", "indexes", "foreign-keys", "procedures", "analyze", "check"};

/* --- procedures ------------------------------------------------------------------------------- */

/* "ordermill.f(integer)" of "DROP FUNCTION IF EXISTS ordermill.f(integer)". */
static const char *
dropped_signature(const char *statement)
{
    static const char condition[] = " IF EXISTS ";
    const char *at = strstr(statement, condition);

    must(at);
    return at + strlen(condition);
}

/* The script that drops them names the signature of each; the first that the server does not have
 * goes into info. */
static bool
find_missing_procedure(struct pg *pg, const char *schema, struct build_info *info, struct err *err)
{
    struct arena arena = {0};
    char **statements;
    size_t count = sql_split(&arena, procedures_drop_sql(), &statements);
    bool ok = true;

    for (size_t i = 0; ok && i < count && !info->procedure_missing[0]; i++) {
        const char *name = dropped_signature(statements[i]);
        const char *signature = sql_for_schema(&arena, name, schema);
        struct pg_rows *rows =
            pg_query(pg, "SELECT to_regprocedure($1) IS NOT NULL", 1, &signature, err);

        ok = rows != NULL;
        if (ok && strcmp(pg_value(rows, 0, 0), "t") != 0)
            snprintf(info->procedure_missing, sizeof info->procedure_missing, "%.*s",
                     (int)strcspn(strchr(name, '.') + 1, "("), strchr(name, '.') + 1);
        pg_rows_free(rows);
    }
    arena_free(&arena);
    return ok;
}

/* --- the marker ------------------------------------------------------------------------------- */

static bool
read_build_row(struct pg *pg, const char *schema, struct build_info *info, struct err *err)
{
    struct arena arena = {0};
    /* As JSON, so that a marker of another layout, with other columns, can be read as well. */
    const char *sql = sql_for_schema(
        &arena,
        "SELECT j->>'layout_version', j->>'kit_version', coalesce(j->>'schema_created', 'f'),"
        " j->>'warehouses', j->>'seed', j->>'c_load', (extract(epoch FROM"
        " (j->>'loaded_at')::timestamptz) * 1000000)::bigint"
        " FROM (SELECT to_jsonb(b) AS j FROM ordermill.ordermill_build AS b) AS build",
        schema);
    struct pg_rows *rows = pg_query(pg, sql, 0, NULL, err);
    bool ok = rows != NULL;

    if (ok && pg_rows_count(rows) != 1)
        ok = err_set(err, ERR_SERVER, "schema \"%s\": table ordermill_build has %d rows, not 1",
                     schema, pg_rows_count(rows));
    if (ok) {
        info->layout_version = (int)pg_value_int(rows, 0, 0);
        snprintf(info->kit_version, sizeof info->kit_version, "%s", pg_value(rows, 0, 1));
        info->schema_created = pg_value(rows, 0, 2)[0] == 't';
    }
    if (ok && info->layout_version == BUILD_LAYOUT_VERSION) {
        info->warehouses = (int)pg_value_int(rows, 0, 3);
        info->seed = pg_value_int(rows, 0, 4);
        info->c_load = (int)pg_value_int(rows, 0, 5);
        info->loaded_at_us = pg_value_int(rows, 0, 6);
    }
    pg_rows_free(rows);
    arena_free(&arena);
    return ok;
}

static void
recognize_procedures(struct build_info *info, const char *stamp)
{
    for (int set = 0; set < PROCEDURE_SETS; set++) {
        char ours[PROCEDURES_STAMP_SIZE];

        procedures_stamp((enum procedure_set)set, ours);
        if (strcmp(stamp, ours) == 0) {
            info->procedures_current = true;
            info->procedures = (enum procedure_set)set;
        }
    }
}

static bool
read_phases(struct pg *pg, const char *schema, struct build_info *info, struct err *err)
{
    struct arena arena = {0};
    const char *sql = sql_for_schema(
        &arena, "SELECT phase, elapsed_s, detail FROM ordermill.ordermill_phase", schema);
    struct pg_rows *rows = pg_query(pg, sql, 0, NULL, err);

    for (int row = 0; rows && row < pg_rows_count(rows); row++) {
        for (int phase = 0; phase < BUILD_PHASES; phase++) {
            if (strcmp(pg_value(rows, row, 0), build_phase_names[phase]) != 0)
                continue;
            info->phases[phase] = true;
            info->elapsed_s[phase] = pg_value_real(rows, row, 1);
            if (phase == BUILD_PROCEDURES)
                recognize_procedures(info, pg_value(rows, row, 2));
        }
    }
    pg_rows_free(rows);
    arena_free(&arena);
    return rows != NULL;
}

/* Whether the tables are without log, and emptied: after a crash the server does that. The
 * bookkeeping has a log and knows nothing of it; but what it says is loaded has no bytes then. */
static bool
find_unlogged(struct pg *pg, const char *schema, struct build_info *info, struct err *err)
{
    struct arena arena = {0};
    const char *tables[] = {sql_for_schema(&arena, "ordermill.item", schema),
                            sql_for_schema(&arena, "ordermill.warehouse", schema)};
    const char *sql = sql_for_schema(
        &arena,
        "SELECT EXISTS (SELECT FROM ordermill.ordermill_chunk AS k JOIN pg_class AS c"
        " ON c.oid = CASE WHEN k.warehouse = 0 THEN to_regclass($1) ELSE to_regclass($2) END"
        " WHERE c.relpersistence = 'u' AND k.row_count > 0 AND pg_relation_size(c.oid) = 0),"
        " EXISTS (SELECT FROM pg_class WHERE oid = to_regclass($1) AND relpersistence = 'u')",
        schema);
    struct pg_rows *rows = pg_query(pg, sql, 2, tables, err);

    info->emptied = rows && pg_value(rows, 0, 0)[0] == 't';
    info->unlogged = rows && pg_value(rows, 0, 1)[0] == 't';
    pg_rows_free(rows);
    arena_free(&arena);
    return rows != NULL;
}

static bool
read_progress(struct pg *pg, const char *schema, struct build_info *info, struct err *err)
{
    struct arena arena = {0};
    const char *sql = sql_for_schema(
        &arena, "SELECT count(*) FROM ordermill.ordermill_chunk WHERE warehouse > 0", schema);
    int64_t loaded = 0;
    bool ok = read_phases(pg, schema, info, err) && pg_query_int(pg, sql, &loaded, err) &&
              (!info->phases[BUILD_PROCEDURES] || find_missing_procedure(pg, schema, info, err)) &&
              find_unlogged(pg, schema, info, err);

    info->warehouses_loaded = (int)loaded;
    if (info->procedure_missing[0])
        info->procedures_current = false;
    info->state = info->phases[BUILD_DATA] && info->phases[BUILD_INDEXES] && !info->emptied
                      ? BUILD_COMPLETE
                      : BUILD_UNFINISHED;
    arena_free(&arena);
    return ok;
}

/* --- the schema ------------------------------------------------------------------------------- */

/* What a schema without a marker holds: relations, functions and types, but nothing that came with
 * an extension. */
static bool
read_foreign(struct pg *pg, const char *schema, struct build_info *info, struct err *err)
{
    static const char sql[] =
        "WITH found AS ("
        " SELECT relname::text AS name, 'pg_class'::regclass AS class, c.oid FROM pg_class c"
        "  WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1)"
        "  AND relkind IN ('r', 'p', 'v', 'm', 'S', 'f')"
        " UNION ALL SELECT proname || '()', 'pg_proc'::regclass, p.oid FROM pg_proc p"
        "  WHERE pronamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1)"
        " UNION ALL SELECT typname, 'pg_type'::regclass, t.oid FROM pg_type t"
        "  WHERE typnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1)"
        "  AND typtype IN ('d', 'e', 'r')),"
        " own AS (SELECT name FROM found WHERE NOT EXISTS (SELECT FROM pg_depend AS d"
        "  WHERE d.classid = class AND d.objid = oid AND d.deptype = 'e'))"
        "SELECT (SELECT count(*) FROM own), (SELECT string_agg(name, ', ' ORDER BY name)"
        " FROM (SELECT name FROM own ORDER BY name LIMIT 4) AS first)";
    struct pg_rows *rows = pg_query(pg, sql, 1, &schema, err);

    if (!rows)
        return false;
    int64_t count = pg_value_int(rows, 0, 0);
    info->state = count > 0 ? BUILD_FOREIGN : BUILD_EMPTY;
    if (count > 4)
        snprintf(info->found, sizeof info->found, "%.100s and %" PRId64 " more",
                 pg_value(rows, 0, 1), count - 4);
    else
        snprintf(info->found, sizeof info->found, "%s", pg_value(rows, 0, 1));
    pg_rows_free(rows);
    return true;
}

static bool
read_marker(struct pg *pg, const char *schema, struct build_info *info, struct err *err)
{
    if (!read_build_row(pg, schema, info, err))
        return false;
    if (info->layout_version != BUILD_LAYOUT_VERSION) {
        info->state = BUILD_OTHER_LAYOUT;
        return true;
    }
    return read_progress(pg, schema, info, err);
}

bool
build_read(struct pg *pg, const char *schema, struct build_info *info, struct err *err)
{
    static const char sql[] =
        "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1),"
        " EXISTS (SELECT FROM pg_class WHERE relname = 'ordermill_build' AND relnamespace ="
        "  (SELECT oid FROM pg_namespace WHERE nspname = $1)),"
        " current_setting('transaction_read_only') = 'on', pg_is_in_recovery()";
    struct pg_rows *rows = pg_query(pg, sql, 1, &schema, err);

    *info = (struct build_info){.state = BUILD_NO_SCHEMA};
    if (!rows)
        return false;
    bool has_schema = pg_value(rows, 0, 0)[0] == 't';
    bool has_marker = pg_value(rows, 0, 1)[0] == 't';
    info->read_only = pg_value(rows, 0, 2)[0] == 't';
    info->in_recovery = pg_value(rows, 0, 3)[0] == 't';
    pg_rows_free(rows);
    if (has_marker)
        return read_marker(pg, schema, info, err);
    return !has_schema || read_foreign(pg, schema, info, err);
}

/* --- what it means ---------------------------------------------------------------------------- */

void
build_describe(const struct build_info *info, const char *schema, char *text, size_t size)
{
    switch (info->state) {
    case BUILD_NO_SCHEMA: snprintf(text, size, "schema \"%s\" does not exist", schema); break;
    case BUILD_EMPTY: snprintf(text, size, "schema \"%s\" is empty", schema); break;
    case BUILD_FOREIGN:
        snprintf(text, size, "schema \"%s\" holds what this kit did not build: %s", schema,
                 info->found);
        break;
    case BUILD_OTHER_LAYOUT:
        snprintf(text, size,
                 "schema \"%s\" was built by ordermill %s with layout %d; this kit has layout %d",
                 schema, info->kit_version, info->layout_version, BUILD_LAYOUT_VERSION);
        break;
    case BUILD_UNFINISHED:
        if (info->emptied) {
            snprintf(text, size,
                     "schema \"%s\" has lost its rows: its tables are unlogged, and the server has "
                     "recovered from a crash",
                     schema);
            break;
        }
        snprintf(text, size, "schema \"%s\" is unfinished: %d of %d warehouses, %s", schema,
                 info->warehouses_loaded, info->warehouses,
                 info->phases[BUILD_INDEXES] ? "indexed" : "no indexes yet");
        break;
    case BUILD_COMPLETE:
        snprintf(text, size, "schema \"%s\" holds %d warehouse%s", schema, info->warehouses,
                 info->warehouses == 1 ? "" : "s");
        break;
    }
}

bool
build_is_ours(const struct build_info *info)
{
    return info->state == BUILD_OTHER_LAYOUT || info->state == BUILD_UNFINISHED ||
           info->state == BUILD_COMPLETE;
}

void
build_identity(const struct build_info *info, char *text, size_t size)
{
    char iso[CLOCK_TEXT_SIZE];

    clock_iso(iso, info->loaded_at_us);
    snprintf(text, size, "%d warehouse%s, seed %" PRId64 ", loaded %.19s.%06dZ", info->warehouses,
             info->warehouses == 1 ? "" : "s", info->seed, iso,
             (int)(info->loaded_at_us % 1000000));
}

static bool
refuse_read_only(const struct build_info *info, struct err *err)
{
    if (info->in_recovery)
        err_set(err, ERR_SERVER, "the server is read-only: it is in recovery");
    else
        err_set(err, ERR_SERVER, "the server is read-only: default_transaction_read_only is on");
    err_hint(err, "%s",
             info->in_recovery ? "connect to the primary; target_session_attrs=read-write finds it"
                               : "see the settings of the role, the database and the server");
    return false;
}

static void
hint_load(const char *schema, const char *options, struct err *err)
{
    if (strcmp(schema, "ordermill") == 0)
        err_hint(err, "ordermill load %s", options);
    else
        err_hint(err, "ordermill load --schema '%s' %s", schema, options);
}

bool
build_refuse(struct pg *pg, const char *schema, const struct build_info *info, struct err *err)
{
    char text[512];

    build_describe(info, schema, text, sizeof text);
    if (info->state == BUILD_NO_SCHEMA)
        err_set(err, ERR_SERVER, "%s in database \"%s\"", text, pg_dbname(pg));
    else
        err_set(err, ERR_SERVER, "%s", text);
    switch (info->state) {
    case BUILD_NO_SCHEMA:
    case BUILD_EMPTY: hint_load(schema, "-w N builds N warehouses", err); break;
    case BUILD_FOREIGN: err_hint(err, "name the kit's own schema with --schema"); break;
    case BUILD_OTHER_LAYOUT: hint_load(schema, "-w N --replace builds it anew", err); break;
    case BUILD_UNFINISHED:
        hint_load(schema, info->emptied ? "--resume loads them again" : "--resume completes it",
                  err);
        break;
    case BUILD_COMPLETE: break;
    }
    return false;
}

static bool
refuse_procedures(const char *schema, const struct build_info *info, struct err *err)
{
    if (!info->phases[BUILD_PROCEDURES])
        err_set(err, ERR_SERVER, "schema \"%s\" has no procedures", schema);
    else if (info->procedure_missing[0])
        err_set(err, ERR_SERVER, "schema \"%s\" lacks the procedure %s", schema,
                info->procedure_missing);
    else
        err_set(err, ERR_SERVER, "schema \"%s\" has the procedures of another version of the kit",
                schema);
    hint_load(schema, "--only procedures installs them", err);
    return false;
}

bool
build_require(struct pg *pg, const char *schema, enum build_purpose purpose,
              struct build_info *info, struct err *err)
{
    if (!build_read(pg, schema, info, err))
        return false;
    if (purpose != BUILD_FOR_CHECK && info->read_only)
        return refuse_read_only(info, err);
    if (purpose == BUILD_FOR_LOAD)
        return true;
    if (purpose == BUILD_FOR_DROP ? !build_is_ours(info) : info->state != BUILD_COMPLETE)
        return build_refuse(pg, schema, info, err);
    if (purpose == BUILD_FOR_RUN && !info->procedures_current)
        return refuse_procedures(schema, info, err);
    return true;
}
