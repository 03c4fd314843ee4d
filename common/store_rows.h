/* Between the two halves of the run store: store.c moves rows in and out of SQLite, store_run.c
 * knows which rows make a run. For no other file. */
#ifndef ORDERMILL_COMMON_STORE_ROWS_H
#define ORDERMILL_COMMON_STORE_ROWS_H

#include "common/store.h"
#include "common/store_columns.h"

/* The value of a key column: a number, or a text where text is not NULL. */
struct store_value {
    int64_t number;
    const char *text;
};

/* Makes the file in a folder that has none, with all tables, and leaves the transaction open. */
MUST_CHECK struct store *store_begin_file(const char *folder, struct err *err);
MUST_CHECK bool store_begin(struct store *store, struct err *err);
MUST_CHECK bool store_begin_reading(struct store *store, struct err *err);
/* Commits when ok, takes everything back when not; returns whether all is committed. */
MUST_CHECK bool store_finish(struct store *store, bool ok, struct err *err);

MUST_CHECK bool store_clear(struct store *store, enum store_table_id id, struct err *err);
/* `keys` are as many as the table has. */
MUST_CHECK bool store_put_row(struct store *store, enum store_table_id id,
                              const struct store_value *keys, const void *row, struct err *err);
/* Deletes the rows whose column has this value; the column is not foreign text. */
MUST_CHECK bool store_delete(struct store *store, enum store_table_id id, const char *column,
                             int64_t value, struct err *err);
/* Sets two columns of the only row of table run; number_column may be NULL. */
MUST_CHECK bool store_set_run(struct store *store, const char *text_column, const char *text,
                              const char *number_column, int64_t number, struct err *err);

/* Rows in the order of the primary key, those whose first keys have these values. */
struct store_query {
    enum store_table_id id;
    const struct store_value *keys;
    int keys_count;
};
MUST_CHECK bool store_count_rows(struct store *store, const struct store_query *query, int *count,
                                 struct err *err);
/* Reads at most `limit` rows of row_size bytes; texts and bytes are copied into the arena. */
MUST_CHECK bool store_read_rows(struct store *store, struct arena *arena,
                                const struct store_query *query, void *rows, size_t row_size,
                                int limit, int *count, struct err *err);

/* `"FILE" is damaged: table T: what`; returns false. */
bool store_damaged(struct store *store, enum store_table_id id, const char *what, struct err *err);

#endif
