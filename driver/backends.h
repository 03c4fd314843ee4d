/* The sessions that a level opened on the server, by their process numbers there, so that in the
 * end it can be seen whether one of them is left: a client that closes a connection does not end
 * what the server still does for it. Safe from any thread. */
#ifndef ORDERMILL_DRIVER_BACKENDS_H
#define ORDERMILL_DRIVER_BACKENDS_H

#include <pthread.h>

#include "common/buf.h"
#include "common/pg_wait.h"

struct backends {
    pthread_mutex_t lock;
    int *pids;
    int count, capacity;
};

void backends_init(struct backends *backends);
void backends_free(struct backends *backends);
/* A session was opened. */
void backends_add(struct backends *backends, const struct pg *pg);

/* Looks, on a connection of its own role, which of them are still in pg_stat_activity under the
 * kit's application_name, until none is or `patience_us` has passed. *left: how many; what they are
 * goes to `out`: "4711 (active for 12 s)", parted by commas, of many the first ten. False: it could
 * not be seen, as behind a connection pooler; the connection may be of no use then. */
MUST_CHECK bool backends_left(const struct backends *backends, struct pg *pg,
                              const struct pg_wait *wait, int64_t patience_us, int *left,
                              struct buf *out, struct err *err);

#endif
