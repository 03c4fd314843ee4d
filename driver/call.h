/* One transaction on one connection, by each way to call: what is sent, and what its answers mean.
 * A function or procedure takes one round trip, plain statements one or two, and another for the
 * ROLLBACK where one of them failed. Retries, times and the connection itself are the session's. */
#ifndef ORDERMILL_DRIVER_CALL_H
#define ORDERMILL_DRIVER_CALL_H

#include "driver/answer.h"
#include "driver/driver.h"
#include "driver/reply_statements.h"
#include "driver/statements.h"
#include "driver/txn.h"

enum call_mode { CALL_FUNCTIONS, CALL_PROCEDURES, CALL_STATEMENTS };
enum call_protocol {
    CALL_PREPARED, /* by the name of a statement prepared at the beginning */
    CALL_EXTENDED, /* statement and parameters, parsed anew */
    CALL_SIMPLE,   /* one text with literals in it; the answer is text too */
};

/* What all calls of a run share. */
struct call_rules {
    enum call_mode mode;
    enum call_protocol protocol;
    int statements_count; /* made for the schema; prepared by the session where the protocol says so
                           */
    struct txn_statement statements[STATEMENTS];
};
/* Texts live in the arena. */
void call_rules_init(struct call_rules *rules, struct arena *arena,
                     const struct driver_options *options);

/* How it ended. */
struct call_end {
    enum outcome outcome;
    bool committed;       /* the server said so, whatever is wrong with the answer */
    const char *sqlstate; /* of a failure, "" else; lives in the call */
    const char *message;  /* of a failure; of an intended rollback what the terminal still shows */
    int districts_skipped;
    bool delivered; /* a delivery was committed: the order of each district, 0: none */
    int orders[DISTRICTS_PER_WAREHOUSE];
};

struct call {
    const struct call_rules *rules;
    const struct txn_input *input;
    struct request request;
    struct statements_cursor cursor;
    bool rolls_back; /* what is sent is a ROLLBACK, since the transaction has ended as `end` says */
    struct call_end end;
    char sqlstate[6];
    char message[400];
};

/* The input must stay. Also for another try of the same one. */
void call_begin(struct call *call, const struct call_rules *rules, const struct txn_input *input);
/* Puts the next round trip on its way. */
MUST_CHECK enum pg_state call_send(struct call *call, struct pg *pg, struct err *err);
/* The same in two halves, where something other than libpq sends it: of functions and procedures,
 * by prepared statements. Valid until the next one. */
const struct pg_call *call_encode(struct call *call);
void call_take_answer(struct call *call, const struct answer *answer);
/* Takes the answers of that trip, all of which have come. False: another follows, call_send again.
 * True: call->end tells how it ended. */
bool call_take(struct call *call, struct pg *pg);
/* Whether what was sent, and is not answered, may have committed. */
bool call_may_have_committed(const struct call *call);

#endif
