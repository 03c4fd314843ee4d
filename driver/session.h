/* One connection of the driver as a state machine on an event loop: connects, prepares its
 * statements, then runs one transaction at a time, with retries.
 *
 * A connection that goes after the session was ready is made anew, again and again until the rules'
 * patience ends; the transaction that ran is lost, and never sent a second time.
 *
 * What a session does not know: virtual users, think times, counters. It tells its owner through
 * five callbacks, all in the loop's thread. */
#ifndef ORDERMILL_DRIVER_SESSION_H
#define ORDERMILL_DRIVER_SESSION_H

#include "common/loop.h"
#include "driver/backends.h"
#include "driver/call.h"
#include "driver/cancels.h"
#include "driver/direct.h"
#include "driver/reconnect.h"

enum session_state {
    SESSION_CLOSED,     /* not begun, broken, or closed by its owner */
    SESSION_CONNECTING, /* libpq's handshake; bounded by SESSION_CONNECT_US */
    SESSION_PREPARING,  /* one statement after the other, under the same bound */
    SESSION_IDLE,       /* ready for session_run */
    SESSION_RUNNING,    /* a transaction is on its way or being answered */
    SESSION_RETRYING,   /* the last try was rolled back; waits for the next one */
    SESSION_WAITING,    /* the connection went; waits to connect again */
};

#define SESSION_CONNECT_US  INT64_C(30000000)
#define SESSION_TRIES_MAX   10
#define SESSION_BACK_OFF_US 1000 /* before the first retry, doubled up to the sixth, +-50 % */

/* How a transaction ended. */
struct session_result {
    enum outcome outcome;
    bool committed;       /* the server said so, whatever is wrong with the answer */
    const char *sqlstate; /* of a failure or loss; "" else */
    const char *message;  /* of a failure or loss; what is shown of an intended rollback */
    int64_t first_sent_us, sent_us, done_us; /* of the first try; of the last */
    int districts_skipped;                   /* of a delivery, as the next one */
    const int *orders; /* of each district, 0: none; NULL: not a delivery that committed */
};

struct session;
struct session_events {
    /* Idle, and session_run may be called from here: after connecting, and after each `lost`. */
    void (*ready)(struct session *session);
    /* A try was rolled back (40001, 40P01), and another will follow. */
    void (*retry)(struct session *session, const char *sqlstate, const char *message);
    /* The session is idle again, and session_run may be called from here; or it is closed, and
     * `lost` or `broken` follows. */
    void (*ended)(struct session *session, const struct session_result *result);
    /* The connection went; the session tries to connect again: `ready` or `broken` follows, unless
     * it is closed from here or later. */
    void (*lost)(struct session *session, const struct err *err);
    /* Could not connect, or the connection went for good. The session is closed. */
    void (*broken)(struct session *session, const struct err *err);
};

/* What all sessions of a run share. */
struct session_rules {
    const struct pg_target *target;
    const char *purpose;  /* part of application_name */
    int64_t reconnect_us; /* patience after a loss; 0: a session that was lost stays so */
    bool libpq_alone;     /* calls go through libpq even where they need not */
    struct call_rules calls;
    struct backends *backends; /* takes each that was opened; NULL: nobody asks */
};

struct session {
    const struct session_rules *rules;
    const struct session_events *events;
    void *owner;
    struct loop *loop;
    struct rng back_off; /* not the terminal's stream: retries must not change what it enters */
    struct reconnect reconnect;
    bool was_ready;
    enum session_state state;
    struct pg *pg;
    struct loop_watch watch;
    struct loop_timer timer; /* connecting: the bound; retrying, waiting: the back-off */
    int prepared;
    int tries;
    int64_t first_sent_us, sent_us;
    const struct txn_input *input; /* the owner's, while it runs */
    struct call call;
    bool is_direct; /* calls of this connection pass libpq by */
    struct loop_send sending;
    struct direct direct;
};

/* Texts live in the arena. */
void session_rules_init(struct session_rules *rules, struct arena *arena,
                        const struct pg_target *target, const struct driver_options *options);

/* Fills a closed session. */
void session_init(struct session *session, const struct session_rules *rules,
                  const struct session_events *events, void *owner, struct loop *loop,
                  struct rng back_off);
void session_connect(struct session *session);
/* Runs one transaction; must be idle. The input must stay until it has ended. */
void session_run(struct session *session, const struct txn_input *input);
/* Adds what is needed to cancel on the server what runs. A retry that waits ends at once. */
void session_cancel(struct session *session, struct cancels *cancels);
/* Closes what does not end by itself: as if the connection had broken, but without `broken`. */
void session_abandon(struct session *session, const struct err *why);
/* Closes without a callback; fine in any state. */
void session_close(struct session *session);

#endif
