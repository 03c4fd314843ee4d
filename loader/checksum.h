/* What the nine tables hold, as a number of rows and a checksum for each: equal for equal rows,
 * whatever their physical order, the indexes, partitions and fillfactors, or the way they came in.
 * Dates are left out but for whether they are null, since those of the population are the load's.
 */
#ifndef ORDERMILL_LOADER_CHECKSUM_H
#define ORDERMILL_LOADER_CHECKSUM_H

#include "common/pg.h"
#include "loader/gen.h"

struct checksum {
    int64_t rows;
    uint64_t sum; /* of the rows' 64-bit hashes, modulo 2^64: a row that is there twice counts */
};

/* Reads every row, over `jobs` connections by ranges of warehouses. */
MUST_CHECK bool checksum_run(const struct pg_target *target, const char *schema, int warehouses,
                             int jobs, struct checksum sums[GEN_TABLES], struct err *err);

#endif
