/* A worker: one thread with its own event loop, its share of the terminals and of the sessions that
 * they use, and its own meter. A virtual user is a terminal with a session to itself. Workers share
 * nothing but what is read-only; the crew speaks to them through a few atomic values and a wake. */
#ifndef ORDERMILL_DRIVER_WORKER_H
#define ORDERMILL_DRIVER_WORKER_H

#include "driver/deferred.h"
#include "driver/desk.h"
#include "driver/session.h"

/* Stands where an SQLSTATE would, of a delivery that could not be queued. */
#define WORKER_QUEUE_FULL "OM901"

struct worker;

/* Read-only for the life of the workers. */
struct worker_rules {
    const struct desk_rules *desk; /* of the terminals of all workers */
    const struct session_rules *sessions;
    int sessions_count;             /* of all workers; no fewer than workers */
    int deliverers_count;           /* besides; as many at least, or none: nothing is deferred */
    const struct loop_clock *clock; /* NULL: the monotonic one */
    struct loop *wake; /* of the crew: woken at every flip and whenever a session's state changes */
};

/* Counts of sessions, for the crew to read at any time. */
struct worker_state {
    int running;          /* connected and prepared; keeps on counting those that were lost later */
    int out;              /* whose connection went and is being made anew */
    int losses;           /* connections that went, of all, also those that came back */
    int lost;             /* whose connection went for good or never came */
    int ended;            /* lost ones included */
    int ended_deliverers; /* of these, those that carry out deferred deliveries */
    int deliveries;       /* deferred, waiting and running */
};

/* Makes worker `number` of `workers`, from 0: terminals and sessions are dealt out in turn. NULL
 * when the system has no more descriptors. */
MUST_CHECK struct worker *worker_new(const struct worker_rules *rules, int number, int workers,
                                     struct err *err);
/* Starts its thread: sessions begin to connect at once, a few at a time. False when the system has
 * no more threads. */
MUST_CHECK bool worker_start(struct worker *worker, struct err *err);
/* Instead of a thread of its own, for tests: one turn of its loop in the caller's. */
void worker_turn(struct worker *worker);

struct worker_state worker_look(const struct worker *worker);
struct meter *worker_meter(struct worker *worker);
/* A request to the meter: see meter_ask. */
void worker_ask(struct worker *worker, int64_t at_us, bool last);
/* The error that cost the first connection; false: none was lost. */
bool worker_first_error(struct worker *worker, struct err *err);

/* After the last flip sessions end as their transactions do. These hurry those that do not:
 * cancels on the server what runs; closes connections. */
void worker_cancel(struct worker *worker);
void worker_abandon(struct worker *worker);

/* Its deferred deliveries; only deferred_take before the worker has been joined. NULL: none. */
struct deferred *worker_deferred(struct worker *worker);

/* Ends the thread (all sessions are abandoned) and waits for it; then its meter may be read at
 * leisure. worker_free releases all. */
void worker_join(struct worker *worker);
/* After that: committed new-orders of warehouse i + 1 since the beginning. */
const uint64_t *worker_home_new_orders(const struct worker *worker);
void worker_free(struct worker *worker);

#endif
