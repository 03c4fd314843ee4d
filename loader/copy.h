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

/* Loads every chunk of 0..info->warehouses that is not recorded yet, as info's seed, c_load and
 * loaded_at_us say. Draws a progress line. */
MUST_CHECK bool copy_chunks(const struct pg_target *target, struct pg *pg, const char *schema,
                            const struct build_info *info, int jobs, struct copy_result *result,
                            struct err *err);

#endif
