/* The only file that includes SQLite. Owns the file, its transactions, its layout version, and rows
 * in and out of it. What stands in which column is store_columns.c's, which rows make a run
 * store_run.c's.
 *
 * The journal is the classic one, deleted at each commit, with synchronous=EXTRA: the run folder
 * holds one file that can be copied at any moment between steps, and a step that was reported as
 * stored survives a power cut. Speed does not matter at one transaction per step. */
#include "common/store.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/fs.h"
#include "common/patience.h"
#include "common/store_rows.h"

#define APPLICATION_ID 0x4f4d4c31        /* "OML1": tells a store from other SQLite files */
#define BUSY_LIMIT_US  INT64_C(10000000) /* someone may be querying */
#define BUSY_PAUSE_US  20000

struct store {
    sqlite3 *db;
    struct arena arena;
    const char *path;
    sqlite3_stmt *inserts[STORE_TABLES];
    int64_t busy_since_us;
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

bool
store_begin(struct store *store, struct err *err)
{
    return exec(store, "BEGIN IMMEDIATE", err);
}

bool
store_begin_reading(struct store *store, struct err *err)
{
    return exec(store, "BEGIN", err);
}

bool
store_finish(struct store *store, bool ok, struct err *err)
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
bind_key(sqlite3_stmt *statement, int at, const struct store_value *key)
{
    return key->text ? bind_text(statement, at, key->text)
                     : sqlite3_bind_int64(statement, at, key->number);
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

bool
store_put_row(struct store *store, enum store_table_id id, const struct store_value *keys,
              const void *row, struct err *err)
{
    const struct store_table *table = &store_tables[id];
    sqlite3_stmt *statement = insert_statement(store, id, err);
    int at = 1;

    if (!statement)
        return false;
    for (int k = 0; k < STORE_KEYS_MAX && table->keys[k].name; k++, at++) {
        must(table->keys[k].is_text == (keys[k].text != NULL));
        must(bind_key(statement, at, &keys[k]) == SQLITE_OK);
    }
    for (int c = 0; c < table->count; c++, at++)
        must(bind_column(statement, at, &table->columns[c], row) == SQLITE_OK);
    bool ok = sqlite3_step(statement) == SQLITE_DONE || fail(store, "write", err);
    sqlite3_reset(statement);
    return ok;
}

/* --- reading ---------------------------------------------------------------------------------- */

/* SELECT `what` FROM the rows of the query. */
static sqlite3_stmt *
select_rows(struct store *store, const char *what, const struct store_query *query, struct err *err)
{
    const struct store_table *table = &store_tables[query->id];
    struct buf sql = {0};

    buf_printf(&sql, "SELECT %s FROM %s", what, table->name);
    for (int k = 0; k < query->keys_count; k++)
        buf_printf(&sql, "%s %s = ?", k ? " AND" : " WHERE", table->keys[k].name);
    buf_printf(&sql, " ORDER BY %s", table->primary_key);
    sqlite3_stmt *statement = prepare(store, buf_text(&sql), err);
    buf_free(&sql);
    for (int k = 0; statement && k < query->keys_count; k++)
        must(bind_key(statement, k + 1, &query->keys[k]) == SQLITE_OK);
    return statement;
}

bool
store_count_rows(struct store *store, const struct store_query *query, int *count, struct err *err)
{
    sqlite3_stmt *statement = select_rows(store, "count(*)", query, err);
    bool ok = statement && (sqlite3_step(statement) == SQLITE_ROW || fail(store, "read", err));

    if (ok)
        *count = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    return ok;
}

bool
store_damaged(struct store *store, enum store_table_id id, const char *what, struct err *err)
{
    return err_set(err, ERR_LOCAL, "\"%s\" is damaged: table %s: %s", store->path,
                   store_tables[id].name, what);
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
    case STORE_BLOB: {
        size_t size = (size_t)sqlite3_column_bytes(statement, at);
        const void *data = sqlite3_column_blob(statement, at);
        void *copy = arena_alloc(arena, size + 1);
        if (size > 0)
            memcpy(copy, data, size);
        *(struct store_bytes *)field = (struct store_bytes){copy, size};
        return true;
    }
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
            return store_damaged(store, id, table->columns[c].name, err);
    }
    return true;
}

bool
store_read_rows(struct store *store, struct arena *arena, const struct store_query *query,
                void *rows, size_t row_size, int limit, int *count, struct err *err)
{
    const struct store_table *table = &store_tables[query->id];
    struct buf columns = {0};

    for (int c = 0; c < table->count; c++)
        buf_printf(&columns, "%s%s", c ? ", " : "", table->columns[c].name);
    sqlite3_stmt *statement = select_rows(store, buf_text(&columns), query, err);
    bool more = statement != NULL, ok = more;
    *count = 0;
    while (ok && more && *count < limit) {
        void *row = (char *)rows + (size_t)*count * row_size;
        ok = next_row(store, arena, query->id, statement, row, &more, err);
        *count += ok && more;
    }
    sqlite3_finalize(statement);
    buf_free(&columns);
    return ok;
}

/* --- the run ---------------------------------------------------------------------------------- */

bool
store_clear(struct store *store, enum store_table_id id, struct err *err)
{
    char sql[64];

    snprintf(sql, sizeof sql, "DELETE FROM %s", store_tables[id].name);
    return exec(store, sql, err);
}

bool
store_delete(struct store *store, enum store_table_id id, const char *column, int64_t value,
             struct err *err)
{
    char sql[128];

    snprintf(sql, sizeof sql, "DELETE FROM %s WHERE %s = %lld", store_tables[id].name, column,
             (long long)value);
    return exec(store, sql, err);
}

bool
store_set_run(struct store *store, const char *text_column, const char *text,
              const char *number_column, int64_t number, struct err *err)
{
    struct buf sql = {0};

    buf_printf(&sql, "UPDATE run SET %s = ?", text_column);
    if (number_column)
        buf_printf(&sql, ", %s = ?", number_column);
    sqlite3_stmt *statement = prepare(store, buf_text(&sql), err);
    buf_free(&sql);
    if (!statement)
        return false;
    must(bind_text(statement, 1, text) == SQLITE_OK);
    must(!number_column || sqlite3_bind_int64(statement, 2, number) == SQLITE_OK);
    bool ok = sqlite3_step(statement) == SQLITE_DONE || fail(store, "write", err);
    sqlite3_finalize(statement);
    return ok;
}

/* --- the file --------------------------------------------------------------------------------- */

/* Someone else has the file: whether to wait on. After a signal, or past a limit of time, not for
 * long. */
static int
on_busy(void *context, int tries)
{
    struct store *store = context;
    int64_t now_us = clock_monotonic_us();

    if (tries == 0)
        store->busy_since_us = now_us;
    if (now_us - store->busy_since_us >= BUSY_LIMIT_US ||
        now_us >= patience_until_us(store->busy_since_us))
        return 0;
    clock_sleep_us(BUSY_PAUSE_US);
    return 1;
}

static struct store *
open_file(const char *folder, int flags, struct err *err)
{
    struct store *store = must_calloc(1, sizeof *store);

    store->path = fs_join(&store->arena, folder, STORE_FILE);
    if (sqlite3_open_v2(store->path, &store->db, flags, NULL) != SQLITE_OK) {
        fail(store, "open", err);
        store_close(store);
        return NULL;
    }
    sqlite3_busy_handler(store->db, on_busy, store);
    return store;
}

/* Whoever creates the file first has the folder. */
static bool
claim_file(const char *folder, struct err *err)
{
    struct arena arena = {0};
    const char *path = fs_join(&arena, folder, STORE_FILE);
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
store_begin_file(const char *folder, struct err *err)
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
               APPLICATION_ID, STORE_LAYOUT_VERSION);
    store_columns_ddl(&sql);
    bool ok = exec(store, buf_text(&sql), err);
    buf_free(&sql);
    if (ok)
        return store;
    store_close(store); /* which takes back what was begun */
    return NULL;
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

/* What is left of a process that was killed between making the file and filling it. */
static bool
refuse_empty(struct store *store, struct err *err)
{
    err_set(err, ERR_LOCAL, "\"%s\" is empty: that run ended before it began", store->path);
    err_hint(err, "remove its folder, and begin anew");
    return false;
}

static bool
check_layout(struct store *store, struct err *err)
{
    int application = 0, version = 0, pages = 0;

    if (!read_pragma(store, "PRAGMA application_id", &application, err) ||
        !read_pragma(store, "PRAGMA user_version", &version, err) ||
        !read_pragma(store, "PRAGMA page_count", &pages, err))
        return false;
    if (pages == 0)
        return refuse_empty(store, err);
    if (application != APPLICATION_ID)
        return err_set(err, ERR_LOCAL, "\"%s\" was not written by ordermill", store->path);
    if (version == STORE_LAYOUT_VERSION)
        return true;
    err_set(err, ERR_LOCAL, "\"%s\" has layout %d; this ordermill reads layout %d", store->path,
            version, STORE_LAYOUT_VERSION);
    err_hint(err, "use the ordermill that wrote it");
    return false;
}

struct store *
store_open(const char *folder, struct err *err)
{
    struct arena arena = {0};
    bool exists = fs_exists(fs_join(&arena, folder, STORE_FILE));

    arena_free(&arena);
    if (!exists) {
        err_set(err, ERR_LOCAL, "\"%s\" is not the folder of a run: it has no " STORE_FILE, folder);
        return NULL;
    }
    struct store *store = open_file(folder, SQLITE_OPEN_READWRITE, err);
    if (store && !(check_layout(store, err) &&
                   exec(store, "PRAGMA synchronous = EXTRA; PRAGMA trusted_schema = OFF", err))) {
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
