/* Which field of which struct stands in which column of the run store. One table drives the DDL,
 * the writing and the reading, so that they cannot disagree. Knows nothing of SQLite. */
#ifndef ORDERMILL_COMMON_STORE_COLUMNS_H
#define ORDERMILL_COMMON_STORE_COLUMNS_H

#include "common/result.h"

enum store_type {
    STORE_INT,    /* int, int32_t, uint32_t */
    STORE_INT64,  /* int64_t, uint64_t */
    STORE_BOOL,   /* as 0 and 1 */
    STORE_REAL,   /* double */
    STORE_TEXT,   /* const char *, never NULL */
    STORE_CHARS,  /* char array of `size` */
    STORE_CHOICE, /* an enum, as its name in `names` (`size` of them) */
    STORE_BLOB,   /* struct store_bytes */
};

struct store_bytes {
    const void *data;
    size_t size;
};

struct store_column {
    const char *name;
    enum store_type type;
    size_t offset; /* in the struct of a row */
    size_t size;
    const char *const *names;
};

/* A column that tells the rows of a table apart and is in no struct: "step", "ordinal". */
#define STORE_KEYS_MAX 3
struct store_key {
    const char *name;
    bool is_text;
};

enum store_table_id {
    STORE_RUN,
    STORE_ENVIRONMENT,
    STORE_FINDING,
    STORE_STEP,
    STORE_TRANSACTION,
    STORE_ORDER_LINES,
    STORE_HISTOGRAM,
    STORE_SECOND,
    STORE_ERROR,
    STORE_OUTAGE,
    STORE_METRIC,
    STORE_SAMPLE,
    STORE_CONDITION,
    STORE_EXAMPLE,
    STORE_SETTING,
    STORE_JOURNAL,
    STORE_TABLES
};

struct store_table {
    const char *name;
    const char *primary_key;
    struct store_key keys[STORE_KEYS_MAX]; /* the first columns; ends with a NULL name */
    const struct store_column *columns;
    int count;
    bool slim; /* many small rows: the primary key is the table, WITHOUT ROWID */
};
extern const struct store_table store_tables[STORE_TABLES];

/* A row of step_histogram: figures for those who query, and the whole of it in `buckets`. */
struct store_histogram {
    int64_t count;
    double mean_us;
    int64_t min_us, p50_us, p90_us, p95_us, p99_us, p999_us, max_us;
    struct store_bytes buckets;
};
/* A row of step_order_lines. */
struct store_order_lines {
    int64_t new_orders;
};

/* Appends the statements that make all tables and the view step_summary. */
void store_columns_ddl(struct buf *out);

#endif
