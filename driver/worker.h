/* A worker: one thread with its own event loop, its share of the virtual users, their terminals and
 * sessions, and its own meter. Workers share nothing but what is read-only; the crew speaks to them
 * through a few atomic values and a wake. */
#ifndef ORDERMILL_DRIVER_WORKER_H
#define ORDERMILL_DRIVER_WORKER_H

#include "driver/meter.h"
#include "driver/session.h"

struct worker;

/* Read-only for the life of the workers. */
struct worker_rules {
    const struct terminal_rules *terminals;
    const struct session_rules *sessions;
    uint64_t seed;
    struct loop *wake; /* of the crew: woken at every flip and whenever a virtual user's state
                          changes */
};

/* Counts of virtual users, for the crew to read at any time. */
struct worker_state {
    int running; /* connected and prepared; keeps on counting those that were lost later */
    int out;     /* whose connection went and is being made anew */
    int losses;  /* connections that went, of all, also those that came back */
    int lost;    /* whose connection went for good or never came */
    int ended;   /* lost ones included */
};

/* Makes a worker for the virtual users first, first + step, first + 2 step ... below count, and
 * starts its thread: they begin to connect at once, a few at a time. NULL when the system has no
 * more threads or descriptors. */
MUST_CHECK struct worker *worker_start(const struct worker_rules *rules, int first, int step,
                                       int count, struct err *err);

struct worker_state worker_look(const struct worker *worker);
struct meter *worker_meter(struct worker *worker);
/* A request to the meter: see meter_ask. */
void worker_ask(struct worker *worker, int64_t at_us, bool last);
/* The error that cost the first connection; false: none was lost. */
bool worker_first_error(struct worker *worker, struct err *err);

/* After the last flip virtual users end as their transactions do. These hurry those that do not:
 * cancels on the server what runs; closes connections. */
void worker_cancel(struct worker *worker);
void worker_abandon(struct worker *worker);

/* Ends the thread (all virtual users are abandoned) and waits for it; then its meter may be read at
 * leisure. worker_free releases all. */
void worker_join(struct worker *worker);
void worker_free(struct worker *worker);

#endif
