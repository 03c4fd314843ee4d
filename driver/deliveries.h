/* What becomes of deferred deliveries that have ended: the figures of the level, and the result
 * file that the standard asks for (TPC-C 2.7.2). Used by the thread that runs the level. */
#ifndef ORDERMILL_DRIVER_DELIVERIES_H
#define ORDERMILL_DRIVER_DELIVERIES_H

#include <stdio.h>

#include "common/result.h"
#include "driver/deferred.h"

struct deliveries {
    struct deferred_stats *stats;
    int64_t since_us;       /* those queued then or later count */
    int64_t wall_offset_us; /* from the loop's clock to that of the wall */
    FILE *file;             /* NULL: no result file */
    const char *path;
    bool begun;
    int failure; /* the first errno of a write */
};

/* path NULL: no file. Tries whether it can be written, with ERR_LOCAL when not; a file that is
 * there stays as it is until... */
MUST_CHECK bool deliveries_open(struct deliveries *deliveries, const char *path, struct err *err);
/* ...the level begins, which replaces it. */
void deliveries_begin(struct deliveries *deliveries);
/* Counts one, and writes its row when it was committed. */
void deliveries_put(struct deliveries *deliveries, const struct deferred_record *record);
/* Whether all rows are on disk. A level that never began leaves no empty file. */
MUST_CHECK bool deliveries_close(struct deliveries *deliveries, struct err *err);

#endif
