/* The terminals of one worker: who waits until when, who is ready, and in which order. Terminals
 * are records, not threads or sessions: one that waits costs DESK_TERMINAL_BYTES_MAX at most.
 *
 * Closed load: a terminal is ready again when its waits are over, at once where it is not paced.
 * Open load: arrivals come by a clock of their own, and each makes a terminal ready that has
 * nothing to do. Where none is free the arrival waits in a backlog of BACKLOG_MAX, and is skipped
 * when that is full.
 *
 * A desk does not know sessions. It says that somebody became ready, and its owner takes the
 * terminals, first come, first served. */
#ifndef ORDERMILL_DRIVER_DESK_H
#define ORDERMILL_DRIVER_DESK_H

#include "common/loop.h"
#include "driver/meter.h"

#define DESK_TERMINAL_BYTES_MAX 256
#define BACKLOG_MAX             65536

/* Of all desks of a run. */
struct desk_rules {
    const struct terminal_rules *terminals;
    int count; /* of all terminals of the run */
    uint64_t seed;
    double pacing; /* factor of the waits; 0: none */
    enum arrivals arrivals;
    double rate_per_minute; /* of an open load */
    bool defers;            /* deliveries need no session: see desk_take_delivery */
};

struct desk_terminal {
    struct loop_timer timer; /* its wait */
    struct terminal terminal;
    struct rng pace; /* not the terminal's own stream: waits must not change what it enters */
    struct desk_terminal *next; /* in the queue it stands in */
    int64_t due_us;             /* when it became ready, as planned */
    uint8_t type;               /* enum txn_type: what it enters next */
    uint8_t failures;           /* in a row */
    bool begun, retired;
};

struct desk_queue {
    struct desk_terminal *first, **last;
    int length;
};

struct desk {
    const struct desk_rules *rules;
    struct loop *loop;
    struct meter *meter; /* for the waits and the skipped arrivals */
    void (*ready)(void *owner, int64_t now_us);
    void *owner;
    struct desk_terminal *terminals;
    int count, alive; /* alive: begun and not retired */
    bool closed;
    struct desk_queue queue;      /* ready */
    struct desk_queue deliveries; /* ready too, when they are deferred */
    struct desk_queue free;       /* open load: nothing to do */

    struct loop_timer arrival;
    struct rng arrivals;
    double next_arrival_us, interval_us, phase; /* phase: 0 to 1, of its regular arrivals */
    int64_t *backlog;                           /* a ring of the times at which they were due */
    int backlog_first, backlog_count;
};

/* Makes the terminals first, first + step, ... of the run. `ready` is called from the loop. */
void desk_init(struct desk *desk, const struct desk_rules *rules, struct loop *loop,
               struct meter *meter, int first, int step);
void desk_free(struct desk *desk);

/* Terminal i of this desk begins: waits for the rest of a cycle, or is ready at once. */
void desk_begin(struct desk *desk, int i, int64_t now_us);
/* The clock of an open load begins; nothing in a closed one. */
void desk_begin_arrivals(struct desk *desk, int64_t now_us);
/* The terminal that has been ready for longest; NULL: none is. It is the caller's until done. */
struct desk_terminal *desk_take(struct desk *desk);
/* Whether there is one. */
bool desk_waits(const struct desk *desk);
/* The same of those that enter a delivery, which is to be queued. */
struct desk_terminal *desk_take_delivery(struct desk *desk);
/* Its transaction has ended: the next wait begins. After a failure it is at least a pause. */
void desk_done(struct desk *desk, struct desk_terminal *terminal, int64_t now_us, bool failed);
/* It never comes back. */
void desk_retire(struct desk *desk, struct desk_terminal *terminal);
/* Terminals and arrivals that are ready and have no session. */
uint64_t desk_waiting(const struct desk *desk);
/* Nobody becomes ready any more. */
void desk_close(struct desk *desk);

#endif
