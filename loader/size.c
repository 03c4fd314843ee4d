/* The layout of PostgreSQL's pages (src/include/storage/bufpage.h, access/nbtree.h) as arithmetic.
 * The widths are means over a population, with header, alignment and line pointer. */
#include "loader/size.h"

#include <math.h>
#include <string.h>

#include "common/err.h"
#include "common/workload.h"

#define PAGE_BYTES       8192
#define HEAP_PAGE_BYTES  (PAGE_BYTES - 24)      /* without the page header */
#define INDEX_PAGE_BYTES (PAGE_BYTES - 24 - 16) /* nor the links of a B-tree page */
/* Free space that building a B-tree leaves: fillfactor 90 in leaves, 70 above them. */
#define LEAF_FREE_BYTES  (PAGE_BYTES * 10 / 100)
#define INNER_FREE_BYTES (PAGE_BYTES * 30 / 100)
/* What the loader sends, measured: the tuples of COPY's binary format. */
#define COPY_BYTES_PER_WAREHOUSE INT64_C(92430000)
#define COPY_BYTES_OF_ITEM       INT64_C(9900232)

struct layout {
    const char *table;
    int64_t rows_per_warehouse; /* 0: the item table */
    double row_bytes;
    bool varies; /* so much from row to row that pages do not all hold the same number */
    int fillfactor;
    bool partitioned;
    struct {
        const char *name;
        double entry_bytes;
    } indexes[SIZE_INDEXES_MAX];
};

enum {
    DISTRICTS = DISTRICTS_PER_WAREHOUSE,
    CUSTOMERS = DISTRICTS * CUSTOMERS_PER_DISTRICT,
    ORDERS = DISTRICTS * ORDERS_PER_DISTRICT,
    LINES = ORDERS * (ORDER_LINES_MIN + ORDER_LINES_MAX) / 2,
    NEW_ORDERS = DISTRICTS * NEW_ORDERS_PER_DISTRICT,
};

/* In the order of options_tables. */
static const struct layout layouts[OPTIONS_TABLES] = {
    {"order_line", LINES, 92, false, 100, true, {{"order_line_pkey", 28}}},
    {"stock", ITEMS, 346.4, false, 90, true, {{"stock_pkey", 20}}},
    {"customer",
     CUSTOMERS,
     592.8,
     true,
     90,
     true,
     {{"customer_pkey", 28}, {"customer_by_name", 51.3}}},
    {"orders", ORDERS, 60, false, 100, true, {{"orders_pkey", 28}, {"orders_by_customer", 28}}},
    {"history", CUSTOMERS, 79.7, true, 100, true, {{NULL, 0}}},
    {"new_order", NEW_ORDERS, 44, false, 100, true, {{"new_order_pkey", 28}}},
    {"item", 0, 105.5, true, 100, false, {{"item_pkey", 20}}},
    {"warehouse", 1, 111.2, false, 20, false, {{"warehouse_pkey", 20}}},
    {"district", DISTRICTS, 122.5, false, 20, false, {{"district_pkey", 20}}},
};

static int64_t
divide_up(int64_t value, int64_t by)
{
    return (value + by - 1) / by;
}

static int64_t
heap_bytes(const struct layout *layout, int64_t rows, int fillfactor)
{
    double usable = HEAP_PAGE_BYTES - PAGE_BYTES * (100 - fillfactor) / 100;
    double fit = usable / layout->row_bytes;
    /* Rows of one width leave the same rest on every page. Of rows that vary, the last one that
     * does not fit leaves half of itself on average (renewal theory). */
    double per_page = layout->varies ? fit - 0.5 : floor(fit);

    if (rows == 0)
        return 0;
    return (int64_t)ceil((double)rows / (per_page < 1 ? 1 : per_page)) * PAGE_BYTES;
}

/* A B-tree as built over existing rows: full leaves, each with a high key, levels of inner pages up
 * to a single root, and a page about them all. */
static int64_t
index_bytes(double entry_bytes, int64_t rows)
{
    int64_t per_leaf = (int64_t)((INDEX_PAGE_BYTES - LEAF_FREE_BYTES) / entry_bytes);
    int64_t per_inner = (int64_t)((INDEX_PAGE_BYTES - INNER_FREE_BYTES) / entry_bytes);
    int64_t level = divide_up(rows, per_leaf);
    int64_t pages = 1 + level;

    while (level > 1) {
        level = divide_up(level, per_inner);
        pages += level;
    }
    return pages * PAGE_BYTES;
}

static void
size_table(struct size_table *table, const struct layout *layout, int64_t warehouses,
           int fillfactor, int64_t partitions)
{
    *table = (struct size_table){
        .name = layout->table,
        .rows = layout->rows_per_warehouse > 0 ? layout->rows_per_warehouse * warehouses : ITEMS};
    if (!layout->partitioned || partitions < 1)
        partitions = 1;
    int64_t rows = divide_up(table->rows, partitions);
    table->heap_bytes = partitions * heap_bytes(layout, rows, fillfactor);
    for (int i = 0; i < SIZE_INDEXES_MAX && layout->indexes[i].name; i++)
        table->indexes[i] =
            (struct size_index){layout->indexes[i].name,
                                partitions * index_bytes(layout->indexes[i].entry_bytes, rows)};
}

static int64_t
indexes_bytes(const struct size_table *table)
{
    int64_t sum = 0;

    for (int i = 0; i < SIZE_INDEXES_MAX; i++)
        sum += table->indexes[i].bytes;
    return sum;
}

void
size_of(struct size *size, int64_t warehouses, const struct options *options)
{
    *size = (struct size){.copy_bytes = COPY_BYTES_OF_ITEM + COPY_BYTES_PER_WAREHOUSE * warehouses};
    for (int i = 0; i < OPTIONS_TABLES; i++) {
        struct size_table *table = &size->tables[i];
        int fillfactor =
            options->fillfactors[i] > 0 ? options->fillfactors[i] : layouts[i].fillfactor;

        must(strcmp(layouts[i].table, options_tables[i]) == 0);
        size_table(table, &layouts[i], warehouses, fillfactor, options->partitions);
        size->rows += table->rows;
        size->heap_bytes += table->heap_bytes;
        size->index_bytes += indexes_bytes(table);
    }
}

int64_t
size_total(const struct size *size)
{
    return size->heap_bytes + size->index_bytes;
}
