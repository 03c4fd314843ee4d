/* The data phase: warehouses stream into the tables over several connections. A chunk is one
 * warehouse (chunk 0: the item table); its rows and its record in ordermill_chunk commit together,
 * so a load that was killed goes on with the chunks that are missing. */
#ifndef ORDERMILL_LOADER_COPY_H
#define ORDERMILL_LOADER_COPY_H

#include "common/build.h"

struct copy_result {
    int64_t rows, bytes; /* committed by this call */
    int jobs;            /* connections used */
};

/* What to load: the items, and of info->warehouses those from first to last. */
struct copy_plan {
    const struct pg_target *target;
    const char *schema;
    const struct build_info *info; /* its seed, c_load and loaded_at_us decide the rows */
    int first, last;
    int jobs;
};
/* Loads every such chunk that is not recorded yet. Draws a progress line. */
MUST_CHECK bool copy_chunks(const struct copy_plan *plan, struct copy_result *result,
                            struct err *err);

#endif
