/* How fast this client and this server take rows in: a few seconds of the loader's own COPY, over
 * its own number of connections, into temporary tables that are rolled back. */
#ifndef ORDERMILL_LOADER_PROBE_H
#define ORDERMILL_LOADER_PROBE_H

#include "loader/size.h"

struct probe {
    int jobs;
    int64_t bytes;
    double elapsed_s;
};

MUST_CHECK bool probe_run(const struct pg_target *target, int jobs, struct probe *probe,
                          struct err *err);
/* A guess from it at the time of a whole load: within a factor of two. */
double probe_load_s(const struct probe *probe, const struct size *size);

#endif
