/* The only file that includes SQLite. Owns the file, its transactions and its layout version; what
 * stands in which column is store_columns.c's.
 *
 * The journal is the classic one, deleted at each commit, with synchronous=EXTRA: the run folder
 * holds one file that can be copied at any moment between steps, and a step that was reported as
 * stored survives a power cut. Speed does not matter at one transaction per step. */
#include "common/store.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/store_columns.h"

#define FILE_NAME      "run.sqlite"
#define APPLICATION_ID 0x4f4d4c31 /* "OML1": tells a store from other SQLite files */
#define LAYOUT_VERSION 1
#define BUSY_LIMIT_MS  10000 /* someone may be querying */

struct store {
    sqlite3 *db;
    struct arena arena;
    const char *path;
    sqlite3_stmt *inserts[STORE_TABLES];
};

/* The value of a key column: a number, or a text where text is not NULL. */
struct key {
    int64_t number;
    const char *text;
};

static bool
fail(struct store *store, const char *what, struct err *err)
{
    return err_set(err, ERR_LOCAL, "cannot %s \"%s\": %s", what, store->path,
                   sqlite3_errmsg(store->db));
}

static bool
exec(struct store *store, const char *sql, struct err *err)
{
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK || fail(store, "write", err);
}

static sqlite3_stmt *
prepare(struct store *store, const char *sql, struct err *err)
{
    sqlite3_stmt *statement = NULL;

    if (sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL) != SQLITE_OK)
        fail(store, "read", err);
    return statement;
}

/* A transaction around `ok`: commits what went well, takes back what did not. */
static bool
finish(struct store *store, bool ok, struct err *err)
{
    struct err ignored;

    ok = ok && exec(store, "COMMIT", err);
    if (!ok && !sqlite3_get_autocommit(store->db) && !exec(store, "ROLLBACK", &ignored))
        return false;
    return ok;
}

/* --- writing ---------------------------------------------------------------------------------- */

static sqlite3_stmt *
insert_statement(struct store *store, enum store_table_id id, struct err *err)
{
    const struct store_table *table = &store_tables[id];
    struct buf sql = {0}, marks = {0};

    if (store->inserts[id])
        return store->inserts[id];
    buf_printf(&sql, "INSERT INTO %s (", table->name);
    for (int k = 0; k < STORE_KEYS_MAX && table->keys[k].name; k++) {
        buf_printf(&sql, "%s, ", table->keys[k].name);
        buf_puts(&marks, "?, ");
    }
    for (int c = 0; c < table->count; c++) {
        buf_printf(&sql, "%s%s", c ? ", " : "", table->columns[c].name);
        buf_puts(&marks, c ? ", ?" : "?");
    }
    buf_printf(&sql, ") VALUES (%s)", buf_text(&marks));
    store->inserts[id] = prepare(store, buf_text(&sql), err);
    buf_free(&sql);
    buf_free(&marks);
    return store->inserts[id];
}

static int
bind_text(sqlite3_stmt *statement, int at, const char *text)
{
    return sqlite3_bind_text(statement, at, text ? text : "", -1, SQLITE_STATIC);
}

static int
bind_column(sqlite3_stmt *statement, int at, const struct store_column *column, const void *row)
{
    const void *field = (const char *)row + column->offset;

    switch (column->type) {
    case STORE_INT: return sqlite3_bind_int(statement, at, *(const int *)field);
    case STORE_INT64: return sqlite3_bind_int64(statement, at, *(const int64_t *)field);
    case STORE_BOOL: return sqlite3_bind_int(statement, at, *(const bool *)field);
    case STORE_REAL: return sqlite3_bind_double(statement, at, *(const double *)field);
    case STORE_TEXT: return bind_text(statement, at, *(const char *const *)field);
    case STORE_CHARS: return bind_text(statement, at, field);
    case STORE_CHOICE: {
        unsigned choice = *(const unsigned *)field;
        must(choice < column->size);
        return bind_text(statement, at, column->names[choice]);
    }
    case STORE_BLOB: {
        const struct store_bytes *bytes = field;
        return sqlite3_bind_blob64(statement, at, bytes->data ? bytes->data : "", bytes->size,
                                   SQLITE_STATIC);
    }
    }
    return SQLITE_MISUSE;
}

static bool
put_row(struct store *store, enum store_table_id id, const struct key *keys, const void *row,
        struct err *err)
{
    const struct store_table *table = &store_tables[id];
    sqlite3_stmt *statement = insert_statement(store, id, err);
    int at = 1;

    if (!statement)
        return false;
    for (int k = 0; k < STORE_KEYS_MAX && table->keys[k].name; k++, at++) {
        must(table->keys[k].is_text == (keys[k].text != NULL));
        must((keys[k].text ? bind_text(statement, at, keys[k].text)
                           : sqlite3_bind_int64(statement, at, keys[k].number)) == SQLITE_OK);
    }
    for (int c = 0; c < table->count; c++, at++)
        must(bind_column(statement, at, &table->columns[c], row) == SQLITE_OK);
    bool ok = sqlite3_step(statement) == SQLITE_DONE || fail(store, "write", err);
    sqlite3_reset(statement);
    return ok;
}

static bool
put_histogram(struct store *store, int step, const char *type, const char *kind,
              const struct hist *hist, struct err *err)
{
    struct buf bytes = {0};

    hist_encode(hist, &bytes);
    struct store_histogram row = {
        .count = (int64_t)hist->count,
        .mean_us = hist_mean_us(hist),
        .min_us = hist->count > 0 ? hist->min_us : 0,
        .p50_us = hist_percentile_us(hist, 0.5),
        .p90_us = hist_percentile_us(hist, 0.9),
        .p95_us = hist_percentile_us(hist, 0.95),
        .p99_us = hist_percentile_us(hist, 0.99),
        .p999_us = hist_percentile_us(hist, 0.999),
        .max_us = hist->count > 0 ? hist->max_us : 0,
        .buckets = {bytes.data, bytes.length},
    };
    const struct key keys[] = {{step, NULL}, {0, type}, {0, kind}};
    bool ok = put_row(store, STORE_HISTOGRAM, keys, &row, err);
    buf_free(&bytes);
    return ok;
}

static bool
put_step_parts(struct store *store, const struct step *step, struct err *err)
{
    bool ok = put_histogram(store, step->number, "all", "lag", &step->lag, err);

    for (int type = 0; ok && type < TXN_TYPES; type++) {
        const struct txn_stats *stats = &step->transactions[type];
        const struct key keys[] = {{step->number, NULL}, {0, txn_names[type]}};
        ok = put_row(store, STORE_TRANSACTION, keys, stats, err) &&
             put_histogram(store, step->number, txn_names[type], "response", &stats->response,
                           err) &&
             put_histogram(store, step->number, txn_names[type], "service", &stats->service, err);
    }
    for (int lines = ORDER_LINES_MIN; ok && lines <= ORDER_LINES_MAX; lines++) {
        const struct key keys[] = {{step->number, NULL}, {lines, NULL}};
        struct store_order_lines row = {(int64_t)step->inputs.lines_per_order[lines]};
        ok = put_row(store, STORE_ORDER_LINES, keys, &row, err);
    }
    for (int i = 0; ok && i < step->errors_count; i++) {
        const struct key keys[] = {{step->number, NULL}, {i + 1, NULL}};
        ok = put_row(store, STORE_ERROR, keys, &step->errors[i], err);
    }
    for (int i = 0; ok && i < step->seconds_count; i++) {
        const struct key keys[] = {{step->number, NULL}, {i + 1, NULL}};
        ok = put_row(store, STORE_SECOND, keys, &step->seconds[i], err);
    }
    return ok;
}

bool
store_put_step(struct store *store, const struct step *step, struct err *err)
{
    if (!exec(store, "BEGIN IMMEDIATE", err))
        return false;
    bool ok = put_row(store, STORE_STEP, NULL, step, err) && put_step_parts(store, step, err);
    return finish(store, ok, err);
}

bool
store_put_environment(struct store *store, const struct environment *environment, struct err *err)
{
    if (!exec(store, "BEGIN IMMEDIATE", err))
        return false;
    bool ok = exec(store, "DELETE FROM environment", err);
    for (int i = 0; ok && i < environment->count; i++) {
        const struct key keys[] = {{i + 1, NULL}};
        ok = put_row(store, STORE_ENVIRONMENT, keys, &environment->facts[i], err);
    }
    return finish(store, ok, err);
}

static bool
put_condition(struct store *store, int number, const struct check_condition *condition,
              struct err *err)
{
    const struct key keys[] = {{number, NULL}};
    bool ok = put_row(store, STORE_CONDITION, keys, condition, err);

    for (int i = 0; ok && i < condition->examples_count; i++) {
        const struct key example_keys[] = {{number, NULL}, {i + 1, NULL}};
        ok = put_row(store, STORE_EXAMPLE, example_keys, &condition->examples[i], err);
    }
    return ok;
}

/* Runs one statement with a text and a number as its parameters. */
static bool
update_run(struct store *store, const char *sql, const char *text, int64_t number, struct err *err)
{
    sqlite3_stmt *statement = prepare(store, sql, err);

    if (!statement)
        return false;
    must(bind_text(statement, 1, text) == SQLITE_OK);
    must(sqlite3_bind_int64(statement, 2, number) == SQLITE_OK);
    bool ok = sqlite3_step(statement) == SQLITE_DONE || fail(store, "write", err);
    sqlite3_finalize(statement);
    return ok;
}

bool
store_put_check(struct store *store, const struct check_result *check, struct err *err)
{
    if (!exec(store, "BEGIN IMMEDIATE", err))
        return false;
    bool ok = exec(store, "DELETE FROM check_example; DELETE FROM check_condition", err) &&
              update_run(store, "UPDATE run SET check_moment = ?1, check_done = ?2", check->moment,
                         check->done, err);
    for (int i = 0; ok && i < CHECK_CONDITIONS; i++)
        ok = put_condition(store, i + 1, &check->conditions[i], err);
    return finish(store, ok, err);
}

bool
store_end(struct store *store, enum step_status status, int64_t ended_wall_us, struct err *err)
{
    return update_run(store, "UPDATE run SET status = ?1, ended_wall_us = ?2",
                      step_status_names[status], ended_wall_us, err);
}

/* --- reading ---------------------------------------------------------------------------------- */

/* The rows of a table whose leading keys have these values, in order. */
static sqlite3_stmt *
rows_of(struct store *store, enum store_table_id id, const struct key *keys, int key_count,
        struct err *err)
{
    const struct store_table *table = &store_tables[id];
    struct buf sql = {0};

    buf_puts(&sql, "SELECT ");
    for (int c = 0; c < table->count; c++)
        buf_printf(&sql, "%s%s", c ? ", " : "", table->columns[c].name);
    buf_printf(&sql, " FROM %s", table->name);
    for (int k = 0; k < key_count; k++)
        buf_printf(&sql, "%s %s = ?", k ? " AND" : " WHERE", table->keys[k].name);
    buf_printf(&sql, " ORDER BY %s", table->primary_key);
    sqlite3_stmt *statement = prepare(store, buf_text(&sql), err);
    buf_free(&sql);
    for (int k = 0; statement && k < key_count; k++)
        must((keys[k].text ? bind_text(statement, k + 1, keys[k].text)
                           : sqlite3_bind_int64(statement, k + 1, keys[k].number)) == SQLITE_OK);
    return statement;
}

static bool
damaged(struct store *store, const char *table, const char *what, struct err *err)
{
    return err_set(err, ERR_LOCAL, "\"%s\" is damaged: table %s: %s", store->path, table, what);
}

static bool
read_choice(const struct store_column *column, const char *name, void *field)
{
    for (unsigned i = 0; i < column->size; i++) {
        if (strcmp(column->names[i], name) == 0) {
            *(unsigned *)field = i;
            return true;
        }
    }
    return false;
}

static const char *
text_at(sqlite3_stmt *statement, int at)
{
    const unsigned char *text = sqlite3_column_text(statement, at);
    return text ? (const char *)text : "";
}

static bool
read_column(struct arena *arena, sqlite3_stmt *statement, int at, const struct store_column *column,
            void *row)
{
    void *field = (char *)row + column->offset;

    switch (column->type) {
    case STORE_INT: *(int *)field = sqlite3_column_int(statement, at); return true;
    case STORE_INT64: *(int64_t *)field = sqlite3_column_int64(statement, at); return true;
    case STORE_BOOL: *(bool *)field = sqlite3_column_int(statement, at) != 0; return true;
    case STORE_REAL: *(double *)field = sqlite3_column_double(statement, at); return true;
    case STORE_TEXT:
        *(const char **)field = arena_strdup(arena, text_at(statement, at));
        return true;
    case STORE_CHARS: {
        const char *text = text_at(statement, at);
        size_t length = strnlen(text, column->size - 1);
        memcpy(field, text, length);
        ((char *)field)[length] = '\0';
        return true;
    }
    case STORE_CHOICE: return read_choice(column, text_at(statement, at), field);
    case STORE_BLOB:
        /* Points into the statement: good until its next row. */
        *(struct store_bytes *)field = (struct store_bytes){
            sqlite3_column_blob(statement, at), (size_t)sqlite3_column_bytes(statement, at)};
        return true;
    }
    return false;
}

/* The next row into `row`; *more is false after the last. */
static bool
next_row(struct store *store, struct arena *arena, enum store_table_id id, sqlite3_stmt *statement,
         void *row, bool *more, struct err *err)
{
    const struct store_table *table = &store_tables[id];
    int result = sqlite3_step(statement);

    *more = result == SQLITE_ROW;
    if (result == SQLITE_DONE)
        return true;
    if (result != SQLITE_ROW)
        return fail(store, "read", err);
    for (int c = 0; c < table->count; c++) {
        if (!read_column(arena, statement, c, &table->columns[c], row))
            return damaged(store, table->name, table->columns[c].name, err);
    }
    return true;
}

/* All rows of that key into an array of `limit` rows of `row_size` bytes. */
static bool
read_rows(struct store *store, struct arena *arena, enum store_table_id id, const struct key *keys,
          int key_count, void *rows, size_t row_size, int limit, int *count, struct err *err)
{
    sqlite3_stmt *statement = rows_of(store, id, keys, key_count, err);
    bool more = statement != NULL, ok = more;

    *count = 0;
    while (ok && more && *count < limit) {
        ok = next_row(store, arena, id, statement, (char *)rows + (size_t)*count * row_size, &more,
                      err);
        *count += ok && more;
    }
    sqlite3_finalize(statement);
    return ok;
}

/* How many rows of that key there are; a run of a week has 600,000 seconds. */
static bool
count_rows(struct store *store, enum store_table_id id, int step, int *count, struct err *err)
{
    struct buf sql = {0};

    buf_printf(&sql, "SELECT count(*) FROM %s", store_tables[id].name);
    if (step > 0)
        buf_printf(&sql, " WHERE step = %d", step);
    sqlite3_stmt *statement = prepare(store, buf_text(&sql), err);
    bool ok = statement != NULL;
    if (ok && sqlite3_step(statement) == SQLITE_ROW)
        *count = sqlite3_column_int(statement, 0);
    else if (ok)
        ok = fail(store, "read", err);
    sqlite3_finalize(statement);
    buf_free(&sql);
    return ok;
}

static bool
read_histogram(struct store *store, int step, const char *type, const char *kind, struct hist *hist,
               struct err *err)
{
    const struct key keys[] = {{step, NULL}, {0, type}, {0, kind}};
    struct store_histogram row = {0};
    struct arena unused = {0};
    bool more = false;
    sqlite3_stmt *statement = rows_of(store, STORE_HISTOGRAM, keys, 3, err);
    bool ok = statement && next_row(store, &unused, STORE_HISTOGRAM, statement, &row, &more, err);

    if (ok && !more)
        ok = damaged(store, "step_histogram", "a histogram is missing", err);
    ok = ok && (hist_decode(hist, row.buckets.data, row.buckets.size, err) ||
                err_prefix(err, "\"%s\" is damaged", store->path));
    sqlite3_finalize(statement);
    return ok;
}

static bool
read_transactions(struct store *store, struct arena *arena, struct step *step, struct err *err)
{
    bool ok = read_histogram(store, step->number, "all", "lag", &step->lag, err);

    for (int type = 0; ok && type < TXN_TYPES; type++) {
        struct txn_stats *stats = &step->transactions[type];
        const struct key keys[] = {{step->number, NULL}, {0, txn_names[type]}};
        int count = 0;
        ok = read_rows(store, arena, STORE_TRANSACTION, keys, 2, stats, sizeof *stats, 1, &count,
                       err) &&
             (count == 1 || damaged(store, "step_transaction", "a type is missing", err)) &&
             read_histogram(store, step->number, txn_names[type], "response", &stats->response,
                            err) &&
             read_histogram(store, step->number, txn_names[type], "service", &stats->service, err);
    }
    return ok;
}

static bool
read_step_parts(struct store *store, struct arena *arena, struct step *step, struct err *err)
{
    const struct key keys[] = {{step->number, NULL}};
    struct store_order_lines lines[ORDER_LINES_MAX - ORDER_LINES_MIN + 1] = {0};
    int lines_count = 0, seconds = 0;

    if (!read_transactions(store, arena, step, err) ||
        !read_rows(store, arena, STORE_ORDER_LINES, keys, 1, lines, sizeof *lines,
                   ORDER_LINES_MAX - ORDER_LINES_MIN + 1, &lines_count, err))
        return false;
    for (int i = 0; i < lines_count; i++)
        step->inputs.lines_per_order[ORDER_LINES_MIN + i] = (uint64_t)lines[i].new_orders;
    if (!read_rows(store, arena, STORE_ERROR, keys, 1, step->errors, sizeof *step->errors,
                   ERROR_KINDS_MAX, &step->errors_count, err) ||
        !count_rows(store, STORE_SECOND, step->number, &seconds, err))
        return false;
    step->seconds = arena_array(arena, (size_t)seconds, sizeof *step->seconds);
    return read_rows(store, arena, STORE_SECOND, keys, 1, step->seconds, sizeof *step->seconds,
                     seconds, &step->seconds_count, err);
}

static bool
read_steps(struct store *store, struct arena *arena, struct run *run, struct err *err)
{
    int count = 0;

    if (!count_rows(store, STORE_STEP, 0, &count, err))
        return false;
    run->steps = arena_array(arena, (size_t)count, sizeof *run->steps);
    bool ok = read_rows(store, arena, STORE_STEP, NULL, 0, run->steps, sizeof *run->steps, count,
                        &run->steps_count, err);
    for (int i = 0; ok && i < run->steps_count; i++)
        ok = read_step_parts(store, arena, &run->steps[i], err);
    return ok;
}

static bool
read_environment(struct store *store, struct arena *arena, struct environment *environment,
                 struct err *err)
{
    int count = 0;

    if (!count_rows(store, STORE_ENVIRONMENT, 0, &count, err))
        return false;
    environment->facts = arena_array(arena, (size_t)count, sizeof *environment->facts);
    environment->capacity = count;
    return read_rows(store, arena, STORE_ENVIRONMENT, NULL, 0, environment->facts,
                     sizeof *environment->facts, count, &environment->count, err);
}

static bool
read_check(struct store *store, struct arena *arena, struct check_result *check, struct err *err)
{
    int count = 0;
    bool ok = read_rows(store, arena, STORE_CONDITION, NULL, 0, check->conditions,
                        sizeof *check->conditions, CHECK_CONDITIONS, &count, err);

    if (ok && check->done && count != CHECK_CONDITIONS)
        return damaged(store, "check_condition", "a condition is missing", err);
    for (int i = 0; ok && i < count; i++) {
        struct check_condition *condition = &check->conditions[i];
        const struct key keys[] = {{i + 1, NULL}};
        ok =
            read_rows(store, arena, STORE_EXAMPLE, keys, 1, condition->examples,
                      sizeof *condition->examples, CHECK_EXAMPLES, &condition->examples_count, err);
    }
    return ok;
}

bool
store_read(struct store *store, struct arena *arena, struct run *run, struct err *err)
{
    int count = 0;

    *run = (struct run){0};
    /* One snapshot, though a step may be stored meanwhile. */
    if (!exec(store, "BEGIN", err))
        return false;
    bool ok = read_rows(store, arena, STORE_RUN, NULL, 0, run, sizeof *run, 1, &count, err) &&
              (count == 1 || damaged(store, "run", "its row is missing", err)) &&
              read_environment(store, arena, &run->environment, err) &&
              read_steps(store, arena, run, err) && read_check(store, arena, &run->check, err);
    return finish(store, ok, err);
}

/* --- the file --------------------------------------------------------------------------------- */

static struct store *
open_file(const char *folder, int flags, struct err *err)
{
    struct store *store = must_calloc(1, sizeof *store);

    store->path = fs_join(&store->arena, folder, FILE_NAME);
    if (sqlite3_open_v2(store->path, &store->db, flags, NULL) != SQLITE_OK) {
        fail(store, "open", err);
        store_close(store);
        return NULL;
    }
    sqlite3_busy_timeout(store->db, BUSY_LIMIT_MS);
    return store;
}

/* Whoever creates the file first has the folder. */
static bool
claim_file(const char *folder, struct err *err)
{
    struct arena arena = {0};
    const char *path = fs_join(&arena, folder, FILE_NAME);
    int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
    bool ok = descriptor >= 0;

    if (ok)
        close(descriptor);
    else if (errno == EEXIST)
        err_set(err, ERR_LOCAL, "\"%s\" holds the results of another run", folder);
    else
        err_set(err, ERR_LOCAL, "cannot create \"%s\": %s", path, strerror(errno));
    arena_free(&arena);
    return ok;
}

struct store *
store_create(const char *folder, const struct run *run, struct err *err)
{
    struct buf sql = {0};

    if (!claim_file(folder, err))
        return NULL;
    struct store *store = open_file(folder, SQLITE_OPEN_READWRITE, err);
    if (!store)
        return NULL;
    buf_printf(&sql,
               "PRAGMA journal_mode = DELETE; PRAGMA synchronous = EXTRA; BEGIN IMMEDIATE;"
               "PRAGMA application_id = %d; PRAGMA user_version = %d;",
               APPLICATION_ID, LAYOUT_VERSION);
    store_columns_ddl(&sql);
    bool ok = exec(store, buf_text(&sql), err) && put_row(store, STORE_RUN, NULL, run, err);
    if (!finish(store, ok, err)) {
        store_close(store);
        store = NULL;
    }
    buf_free(&sql);
    return store;
}

static bool
read_pragma(struct store *store, const char *sql, int *value, struct err *err)
{
    sqlite3_stmt *statement = prepare(store, sql, err);
    bool ok = statement && (sqlite3_step(statement) == SQLITE_ROW || fail(store, "read", err));

    if (ok)
        *value = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    return ok;
}

static bool
check_layout(struct store *store, struct err *err)
{
    int application = 0, version = 0;

    if (!read_pragma(store, "PRAGMA application_id", &application, err) ||
        !read_pragma(store, "PRAGMA user_version", &version, err))
        return false;
    if (application != APPLICATION_ID)
        return err_set(err, ERR_LOCAL, "\"%s\" was not written by ordermill", store->path);
    if (version == LAYOUT_VERSION)
        return true;
    err_set(err, ERR_LOCAL, "\"%s\" has layout %d; this ordermill reads layout %d", store->path,
            version, LAYOUT_VERSION);
    err_hint(err, "use the ordermill that wrote it");
    return false;
}

struct store *
store_open(const char *folder, struct err *err)
{
    struct arena arena = {0};
    bool exists = fs_exists(fs_join(&arena, folder, FILE_NAME));

    arena_free(&arena);
    if (!exists) {
        err_set(err, ERR_LOCAL, "\"%s\" is not the folder of a run: it has no " FILE_NAME, folder);
        return NULL;
    }
    struct store *store = open_file(folder, SQLITE_OPEN_READWRITE, err);
    if (store && !(exec(store, "PRAGMA synchronous = EXTRA; PRAGMA trusted_schema = OFF", err) &&
                   check_layout(store, err))) {
        store_close(store);
        store = NULL;
    }
    return store;
}

void
store_close(struct store *store)
{
    if (!store)
        return;
    for (int i = 0; i < STORE_TABLES; i++)
        sqlite3_finalize(store->inserts[i]);
    sqlite3_close(store->db);
    arena_free(&store->arena);
    free(store);
}
