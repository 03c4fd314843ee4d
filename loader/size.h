/* How large W warehouses are on the server, table by table and index by index, worked out from the
 * widths of their rows. Pure. A fresh load without what grows later, the write-ahead log and the
 * free space map; within 1 % of a server with pages of 8 kB at 10 warehouses. */
#ifndef ORDERMILL_LOADER_SIZE_H
#define ORDERMILL_LOADER_SIZE_H

#include <stdint.h>

#include "loader/options.h"

enum { SIZE_INDEXES_MAX = 2 };

struct size_index {
    const char *name; /* NULL: no such index */
    int64_t bytes;
};

struct size_table {
    const char *name;
    int64_t rows, heap_bytes;
    struct size_index indexes[SIZE_INDEXES_MAX];
};

struct size {
    struct size_table tables[OPTIONS_TABLES]; /* in the order of options_tables */
    int64_t rows, heap_bytes, index_bytes;
    int64_t copy_bytes; /* that the loader sends */
};

/* Of the options, fillfactors and partitions count. */
void size_of(struct size *size, int64_t warehouses, const struct options *options);
int64_t size_total(const struct size *size);

#endif
