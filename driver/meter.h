/* What one worker counts: outcomes, histograms, inputs and errors, second by second.
 *
 * A meter has two halves. The worker writes one; the collector reads and clears the other. The
 * collector asks for a flip at a moment a little ahead; the worker flips when its own time reaches
 * that moment, so that every transaction falls into the half of the time at which it ended, to the
 * microsecond, and no lock or atomic operation lies on the way of a transaction. At every flip
 * started = committed + rolled back + failed + lost + in flight must hold. */
#ifndef ORDERMILL_DRIVER_METER_H
#define ORDERMILL_DRIVER_METER_H

#include <stdatomic.h>

#include "driver/terminal.h"

/* What ended between two flips. */
struct meter_half {
    struct txn_stats transactions[TXN_TYPES];
    struct input_stats inputs;
    struct hist lag, queue;
    struct pace_stats pace;
    uint64_t skipped; /* arrivals of an open load */
    struct error_count errors[ERROR_KINDS_MAX];
    int errors_count;
    uint64_t in_flight;     /* at its end */
    uint64_t virtual_users; /* alive at its end */
    uint64_t waiting;       /* ready, and without a session, at its end */
    int64_t end_us;
};

struct meter {
    struct meter_half halves[2];
    struct meter_half *active;

    /* Since the beginning; the worker's until it has ended. */
    uint64_t started, in_flight;
    uint64_t ended[OUTCOMES];
    /* What the server reported as committed, whatever else was wrong with the answer; and what lost
     * transactions may have committed. */
    int64_t counted[GROWTHS], uncertain[GROWTHS];

    int64_t flip_at_us; /* INT64_MAX: no flip is asked for */
    bool last;          /* of the flip asked for: nothing is to be started after it */

    /* The collector's request and the worker's answer. */
    atomic_int_least64_t asked_at_us;
    atomic_bool asked_last;
    atomic_uint asked, done;
};

struct meter_event {
    const struct txn_input *input;
    enum outcome outcome;
    int64_t due_us, first_sent_us, sent_us, done_us;
    int64_t free_us; /* when its session became free for it */
    int districts_skipped;
    bool committed; /* as the server reported it */
    bool queued;    /* a delivery that was only queued: it counts as one when it is carried out */
};

/* --- the worker ------------------------------------------------------------------------------- */

struct meter *meter_new(void);
void meter_free(struct meter *meter);

void meter_start(struct meter *meter);
void meter_end(struct meter *meter, const struct meter_event *event);
void meter_retry(struct meter *meter, enum txn_type type);
/* Counts an error by its SQLSTATE; message is copied when it is the first of its kind. */
void meter_error(struct meter *meter, const char *sqlstate, const char *message);

/* Waits of a paced terminal, when they are drawn. */
void meter_think(struct meter *meter, enum txn_type after, int64_t think_us);
void meter_keying(struct meter *meter, enum txn_type before, int64_t keying_us);
void meter_skipped(struct meter *meter);

/* A delivery that was queued before has been carried out. */
void meter_delivered(struct meter *meter, int districts_skipped);

/* Looks for a request; true when there is a new one (flip_at_us, last). */
bool meter_take_request(struct meter *meter);
static inline bool
meter_is_due(const struct meter *meter, int64_t now_us)
{
    return now_us >= meter->flip_at_us;
}
/* All are counted independently of the meter. */
void meter_flip(struct meter *meter, uint64_t in_flight, uint64_t virtual_users, uint64_t waiting);

/* --- the collector ---------------------------------------------------------------------------- */

/* One at a time: the last one must be answered. */
void meter_ask(struct meter *meter, int64_t at_us, bool last);
bool meter_answered(const struct meter *meter);
/* The half that the last flip closed, the collector's until it asks again; cleared by it. */
struct meter_half *meter_closed(struct meter *meter);

void meter_half_merge(struct meter_half *into, const struct meter_half *from);
void meter_half_clear(struct meter_half *half);

#endif
