/* Calls of prepared statements without libpq, on a connection that libpq made and prepared: what
 * goes there, and what its bytes mean when they come back. libpq would build a result with memory
 * of its own for each answer and look at every byte more than once, which is most of what a client
 * spends on a call (architecture.md has the figures).
 *
 * Has no descriptor: the owner sends and receives. Never allocates, and keeps of a stream of bytes
 * at most one message that is not whole, one row, and the texts of one error. */
#ifndef ORDERMILL_DRIVER_DIRECT_H
#define ORDERMILL_DRIVER_DIRECT_H

#include "driver/answer.h"
#include "driver/message.h"

/* Of a message that comes in pieces. A longer row is counted but not looked at; of a longer error
 * or notice the beginning counts. */
#define DIRECT_KEPT_MAX 8192

enum direct_state {
    DIRECT_WAITS,    /* for more bytes, or for the next call where none is out */
    DIRECT_ANSWERED, /* direct->answer is the answer to the call */
    DIRECT_BROKEN,   /* err says why: the session cannot go on */
};

struct direct {
    bool asked; /* a call is out */
    char request[MESSAGE_CALL_MAX];
    size_t request_size, sent;
    struct answer answer; /* its values lead into the bytes that were given last, or into `row` */
    char hint[256];       /* of its error */
    const char *row_at;   /* the only row so far, or NULL */
    size_t row_size;
    size_t kept, skipped; /* of the message that is not whole; what is still to be passed over */
    char keep[DIRECT_KEPT_MAX];
    char row[DIRECT_KEPT_MAX];
};

/* For a connection that is ready and has nothing more to say. */
void direct_begin(struct direct *direct);

/* Makes the request. No other may be out. */
void direct_ask(struct direct *direct, const struct pg_call *call);
/* What of it is to be sent still, at `*from`; 0: all is. Then how much has been. */
size_t direct_unsent(const struct direct *direct, const char **from);
void direct_was_sent(struct direct *direct, size_t size);

/* Takes what has come, all of it; the bytes must stay until the answer has been looked at. Notices
 * are logged, whatever else the server may say of itself at any time is passed over. */
MUST_CHECK enum direct_state direct_take(struct direct *direct, const char *bytes, size_t size,
                                         struct err *err);

/* The connection has ended. Puts the server's last word, where there is one, into err in place of
 * what is known of the connection. */
void direct_last_word(const struct direct *direct, struct err *err);

#endif
