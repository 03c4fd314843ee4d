/* The deliveries that terminals have queued to be carried out later (TPC-C 2.7.2), of one worker:
 * those that wait, and the records of those that ended. Pure.
 *
 * The worker's thread puts, takes and ends them. One other thread, the collector's, takes the
 * records while that goes on; it reads what still waits when the worker has ended. Both rings are
 * bounded: a delivery that finds the queue full is refused, and none begins that could not leave a
 * record. */
#ifndef ORDERMILL_DRIVER_DEFERRED_H
#define ORDERMILL_DRIVER_DEFERRED_H

#include <stdatomic.h>

#include "driver/terminal.h"

#define DEFERRED_QUEUE_MAX   65536 /* waiting, of one worker */
#define DEFERRED_RECORDS_MAX 16384 /* running, or ended and not taken yet; a power of two */

struct deferred_delivery {
    int64_t queued_us;
    struct delivery_input input;
};

struct deferred_record {
    int64_t queued_us, done_us;
    int warehouse, carrier;
    enum outcome outcome;                /* never OUTCOME_ROLLED_BACK */
    int orders[DISTRICTS_PER_WAREHOUSE]; /* 0: that district had none; only when committed */
};

struct deferred {
    struct deferred_delivery *queue; /* a ring */
    int first, count, running;
    bool closed;
    struct deferred_record *records; /* a ring */
    atomic_uint written, taken;
};

void deferred_init(struct deferred *deferred);
void deferred_free(struct deferred *deferred);

/* False: the queue is full. */
bool deferred_put(struct deferred *deferred, const struct delivery_input *input, int64_t now_us);
/* The one that has waited for longest, which then runs; false: none may begin now. */
bool deferred_begin(struct deferred *deferred, struct deferred_delivery *delivery);
void deferred_end(struct deferred *deferred, const struct deferred_record *record);
/* None begins any more; those that wait stay where they are. */
void deferred_close(struct deferred *deferred);
/* Those that may still begin. */
int deferred_waiting(const struct deferred *deferred);

/* The collector: the next record, in the order in which they ended, when it ended before that
 * moment. */
bool deferred_take(struct deferred *deferred, int64_t before_us, struct deferred_record *record);
/* When the worker has ended: how many never began that were queued at `since_us` or later. */
uint64_t deferred_left(const struct deferred *deferred, int64_t since_us);

#endif
