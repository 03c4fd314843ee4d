/* When a session whose connection went tries to connect again: pauses that double up to a cap, with
 * jitter so that those who were lost together do not come back together, and a deadline. Pure. */
#ifndef ORDERMILL_DRIVER_RECONNECT_H
#define ORDERMILL_DRIVER_RECONNECT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/rng.h"

#define RECONNECT_PAUSE_US  20000 /* before the first try, +-50 % */
#define RECONNECT_DOUBLINGS 6     /* up to 1.28 s */

struct reconnect {
    bool active;    /* from the loss until the session is ready again */
    int tries;      /* begun */
    int64_t end_us; /* the deadline */
};

/* The connection went. Where a loss is already being made good, its deadline stays. */
void reconnect_begin(struct reconnect *reconnect, int64_t now_us, int64_t patience_us);
/* When the next try is due; false when the deadline comes first. */
bool reconnect_next(struct reconnect *reconnect, struct rng *jitter, int64_t now_us,
                    int64_t *due_us);
void reconnect_done(struct reconnect *reconnect);

#endif
