/* Reads, records and recalls the options of a build; see options.h. What they do to the statements
 * stands in layout.c. */
#include "loader/options.h"

#include <inttypes.h>
#include <string.h>

#include "common/json.h"
#include "common/sql.h"

const char *const options_tables[OPTIONS_TABLES] = {"order_line", "stock",     "customer",
                                                    "orders",     "history",   "new_order",
                                                    "item",       "warehouse", "district"};

static const enum setting_id recorded[] = {
    SET_TABLESPACE, SET_INDEX_TABLESPACE,   SET_FILLFACTOR,
    SET_PARTITIONS, SET_PARTITION_BY,       SET_FOREIGN_KEYS,
    SET_UNLOGGED,   SET_MAINTENANCE_MEMORY, SET_INDEX_WORKERS,
};
enum { RECORDED = sizeof recorded / sizeof *recorded };

/* --- from the settings ------------------------------------------------------------------------ */

static int
find_table(const char *name, size_t length)
{
    for (int i = 0; i < OPTIONS_TABLES; i++) {
        if (strlen(options_tables[i]) == length && strncmp(options_tables[i], name, length) == 0)
            return i;
    }
    return -1;
}

static bool
read_fillfactor(const char *part, size_t length, const char *dashes, struct options *options,
                struct err *err)
{
    char number[8];
    int64_t value;
    struct err ignored;
    size_t name_length = strcspn(part, "=");

    if (name_length >= length || length - name_length - 1 >= sizeof number)
        return err_set(err, ERR_USAGE, "%sfillfactor: \"%.*s\" is not of the form TABLE=N", dashes,
                       (int)length, part);
    int table = find_table(part, name_length);
    if (table < 0)
        return err_set(err, ERR_USAGE, "%sfillfactor: there is no table \"%.*s\"", dashes,
                       (int)name_length, part);
    if (options->fillfactors[table] != 0)
        return err_set(err, ERR_USAGE, "%sfillfactor: %s stands twice", dashes,
                       options_tables[table]);
    memcpy(number, part + name_length + 1, length - name_length - 1);
    number[length - name_length - 1] = '\0';
    if (!units_parse_int(number, &value, &ignored) || value < 10 || value > 100)
        return err_set(err, ERR_USAGE, "%sfillfactor: \"%s\" of table %s is not from 10 to 100",
                       dashes, number, options_tables[table]);
    options->fillfactors[table] = (int)value;
    return true;
}

/* As the user wrote its name. */
static const char *
dashes_of(const struct settings *settings, enum setting_id id)
{
    return settings->values[id].source == SETTING_PROFILE ? "" : "--";
}

static bool
read_fillfactors(const struct settings *settings, struct options *options, struct err *err)
{
    const char *text = settings_text(settings, SET_FILLFACTOR);

    while (text && *text) {
        size_t length = strcspn(text, ",");

        if (!read_fillfactor(text, length, dashes_of(settings, SET_FILLFACTOR), options, err))
            return false;
        text += length + (text[length] == ',');
    }
    return true;
}

bool
options_from(const struct settings *settings, int warehouses, struct options *options,
             struct err *err)
{
    *options = (struct options){
        .tablespace = settings_text(settings, SET_TABLESPACE),
        .index_tablespace = settings_text(settings, SET_INDEX_TABLESPACE),
        .partitions = (int)settings_int(settings, SET_PARTITIONS),
        .by_hash = strcmp(settings_choice(settings, SET_PARTITION_BY), "hash") == 0,
        .foreign_keys = settings_flag(settings, SET_FOREIGN_KEYS),
        .unlogged = settings_flag(settings, SET_UNLOGGED),
        .index_workers = -1,
    };
    if (!options->index_tablespace)
        options->index_tablespace = options->tablespace;
    if (settings_is_set(settings, SET_MAINTENANCE_MEMORY))
        options->maintenance_memory = settings_int(settings, SET_MAINTENANCE_MEMORY);
    if (settings_is_set(settings, SET_INDEX_WORKERS))
        options->index_workers = (int)settings_int(settings, SET_INDEX_WORKERS);
    if (!options->by_hash && options->partitions > warehouses) {
        err_set(err, ERR_USAGE, "%spartitions: \"%d\" ranges for %d warehouse%s",
                dashes_of(settings, SET_PARTITIONS), options->partitions, warehouses,
                warehouses == 1 ? "" : "s");
        err_hint(err, "a range holds at least one warehouse; --partition-by hash allows any "
                      "number");
        return false;
    }
    return read_fillfactors(settings, options, err);
}

char *
options_index_session(struct arena *arena, const struct options *options)
{
    const char *memory = "", *workers = "";

    if (options->maintenance_memory > 0)
        memory = arena_printf(arena, "SET maintenance_work_mem = '%" PRId64 "kB';\n",
                              options->maintenance_memory / 1024);
    if (options->index_workers >= 0)
        workers = arena_printf(arena, "SET max_parallel_maintenance_workers = %d;\n",
                               options->index_workers);
    return arena_printf(arena, "%s%s", memory, workers);
}

/* Nothing has been analyzed yet, nor do the tables have visibility maps. The planner then takes to
 * merging, which sorts the order lines, and to reading tables in the order of their indexes; to
 * hash what is looked up and to read both tables through costs less, and grows with the rows. */
char *
options_foreign_key_session(struct arena *arena, const struct options *options)
{
    return arena_printf(arena,
                        "%sSET enable_mergejoin = off; SET enable_nestloop = off;"
                        " SET enable_indexscan = off; SET enable_indexonlyscan = off;"
                        " SET enable_bitmapscan = off; SET jit = off;\n",
                        options_index_session(arena, options));
}

/* --- the record ------------------------------------------------------------------------------- */

char *
options_record(struct arena *arena, const struct settings *settings)
{
    struct buf text = {0};
    struct json json;

    json_begin(&json, &text);
    json_object(&json, NULL);
    for (int i = 0; i < RECORDED; i++) {
        const struct setting_spec *spec = &setting_specs[recorded[i]];

        if (settings_is_set(settings, recorded[i]))
            json_string(&json, spec->name, settings_text(settings, recorded[i]));
        else if (spec->type == SETTING_FLAG)
            json_string(&json, spec->name, "false");
    }
    json_object_end(&json);
    json_end(&json);
    char *record =
        arena_printf(arena, "%.*s", (int)strcspn(buf_text(&text), "\n"), buf_text(&text));
    buf_free(&text);
    return record;
}

static bool
is_given(const struct settings *settings, enum setting_id id)
{
    return settings->values[id].source == SETTING_OPTION;
}

static bool
is_of_indexes(enum setting_id id)
{
    return id == SET_MAINTENANCE_MEMORY || id == SET_INDEX_WORKERS;
}

static bool
read_record(struct pg *pg, const char *schema, struct settings *recalled, struct err *err)
{
    struct arena arena = {0};
    struct pg_rows *rows =
        pg_query(pg,
                 sql_for_schema(&arena,
                                "SELECT o.key, o.value FROM ordermill.ordermill_build AS b,"
                                " jsonb_each_text(b.options) AS o",
                                schema),
                 0, NULL, err);
    bool ok = rows != NULL;

    for (int row = 0; ok && row < pg_rows_count(rows); row++) {
        int id = settings_find(pg_value(rows, row, 0));

        if (id >= 0)
            ok = settings_set(recalled, (enum setting_id)id, pg_value(rows, row, 1),
                              SETTING_PROFILE, err);
    }
    pg_rows_free(rows);
    arena_free(&arena);
    return ok;
}

/* As numbers where they are such, so that 1GB is 1024MB. */
static bool
same(const struct settings *a, const struct settings *b, enum setting_id id)
{
    if (setting_specs[id].type != SETTING_TEXT)
        return a->values[id].number == b->values[id].number;
    const char *left = settings_text(a, id), *right = settings_text(b, id);
    return left && right && strcmp(left, right) == 0;
}

static bool
follow(struct pg *pg, const char *schema, const struct settings *recalled, struct err *err)
{
    struct arena arena = {0};
    const char *record = options_record(&arena, recalled);
    struct pg_rows *rows = pg_query(
        pg,
        sql_for_schema(
            &arena, "UPDATE ordermill.ordermill_build SET options = options || $1::jsonb", schema),
        1, &record, err);

    pg_rows_free(rows);
    arena_free(&arena);
    return rows != NULL;
}

bool
options_recall(struct pg *pg, const char *schema, const struct settings *asked,
               struct settings *recalled, struct err *err)
{
    bool changed = false;

    if (!read_record(pg, schema, recalled, err))
        return false;
    for (int i = 0; i < RECORDED; i++) {
        enum setting_id id = recorded[i];

        if (!is_given(asked, id) || same(asked, recalled, id))
            continue;
        if (!is_of_indexes(id)) {
            err_set(err, ERR_USAGE, "--%s: schema \"%s\" was begun with %s", setting_specs[id].name,
                    schema, settings_is_set(recalled, id) ? settings_text(recalled, id) : "none");
            return false;
        }
        if (!settings_set(recalled, id, settings_text(asked, id), SETTING_OPTION, err))
            return false;
        changed = true;
    }
    return !changed || follow(pg, schema, recalled, err);
}

/* Several hosts may end at the same moment: each waits for the row and adds to what it then holds,
 * whatever isolation the role has by default. */
bool
options_note_load(struct pg *pg, const char *schema, int first, int last, int jobs, struct err *err)
{
    struct arena arena = {0};
    const char *note = arena_printf(&arena, "warehouses %d to %d by %d job%s", first, last, jobs,
                                    jobs == 1 ? "" : "s");
    const char *sql =
        arena_printf(&arena,
                     "BEGIN ISOLATION LEVEL READ COMMITTED; UPDATE ordermill.ordermill_build"
                     " SET options = options || jsonb_build_object('rows loaded',"
                     " concat_ws('; ', options ->> 'rows loaded', '%s')); COMMIT",
                     note);
    bool ok = pg_exec(pg, sql_for_schema(&arena, sql, schema), err);

    arena_free(&arena);
    return ok;
}
