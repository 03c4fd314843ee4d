/* The rows of the population (TPC-C 4.3.3.1), in binary COPY form, from a seed. Pure: a table of a
 * warehouse depends on nothing but the plan, the table and the warehouse, so it can be made alone,
 * in any order, by any number of loaders, and is the same byte for byte. No clock is read. */
#ifndef ORDERMILL_LOADER_GEN_H
#define ORDERMILL_LOADER_GEN_H

#include "common/buf.h"
#include "common/workload.h"
#include "loader/gen_text.h"

enum gen_table {
    GEN_ITEM, /* of the whole database: warehouse 0 */
    GEN_WAREHOUSE,
    GEN_DISTRICT,
    GEN_CUSTOMER,
    GEN_HISTORY,
    GEN_ORDERS,
    GEN_NEW_ORDER,
    GEN_ORDER_LINE,
    GEN_STOCK,
    GEN_TABLES
};

/* COPY bytes of all tables of a warehouse, and of the item table, within 1 %. What remains of them
 * tells the time of arrival: bytes take more nearly the same time than rows do. */
enum { GEN_WAREHOUSE_BYTES = 92466000, GEN_ITEM_BYTES = 9900000 };

/* What decides all rows. */
struct gen_plan {
    uint64_t seed;
    int c_load;           /* C of NURand for the last names */
    int64_t loaded_at_us; /* since 1970 UTC: every date of the population */
};

const char *gen_table_name(enum gen_table table);
/* "a, b, c": the columns, in the order of schemas/tables.sql. */
const char *gen_table_columns(enum gen_table table);

/* Where the making of one table stands. All in place: nothing to free. */
struct gen {
    struct gen_plan plan;
    enum gen_table table;
    int warehouse;
    int group; /* the district, or 1 where the table is not made by district */
    int step;  /* steps done in this group: rows, or orders */
    struct rng rng;
    struct rng lines;         /* of order_line; rng then repeats what orders draws */
    struct gen_choice chosen; /* the tenth of the rows that is ORIGINAL or BC */
    /* The part of a row that does not change within a group, and where what does is patched in. */
    char head[400];
    size_t head_length;
    size_t patch[4];
    int customers[CUSTOMERS_PER_DISTRICT]; /* orders: the permutation O_C_ID is taken from */
};

void gen_start(struct gen *gen, const struct gen_plan *plan, enum gen_table table, int warehouse);
/* Appends whole rows, no header and no trailer, until out holds at least `enough` bytes or the
 * table is complete. Returns the number of rows appended: 0 only when it was complete before. */
int64_t gen_rows(struct gen *gen, struct buf *out, size_t enough);

#endif
