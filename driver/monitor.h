/* The sampler's own session: one question at a time, each with a deadline, so that a server that
 * hangs holds up nothing. It is called "ordermill metrics", connects again by itself, and never
 * takes the last free connection away from a virtual user twice. Used by one thread. */
#ifndef ORDERMILL_DRIVER_MONITOR_H
#define ORDERMILL_DRIVER_MONITOR_H

#include "common/pg.h"

#define MONITOR_PURPOSE   "metrics"
#define MONITOR_ANSWER_US 5000000 /* then the session is given up */

struct monitor {
    const struct pg_target *target;
    int stop;          /* a descriptor: readable when it is time to end */
    bool prepares;     /* statements stay with the session; else they are parsed anew each time */
    struct pg *pg;     /* NULL: not connected */
    bool once;         /* never connect again: the server has no connection to spare */
    uint64_t prepared; /* numbers of statements, as bits */
    int64_t again_us;  /* when to connect again at the earliest */
    bool stopped;      /* the descriptor became readable */
    char why[256];     /* there is no session, or the last question failed */
};

/* Connects where there is no session and it is time to. Returns whether there is one. */
bool monitor_ready(struct monitor *monitor, int64_t now_us);
/* The answer, valid until the next question; NULL when there is none, why says the reason. A
 * statement with a number below 64 is prepared under it. All values must be texts. */
const struct pg_rows *monitor_ask(struct monitor *monitor, int number, const char *sql);
#define MONITOR_ONCE (-1) /* no number */
void monitor_close(struct monitor *monitor);

/* For the functions that take rows from anywhere: NULL for null. */
const char *monitor_value(const void *rows, int row, int column);

#endif
