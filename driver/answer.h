/* What came back of one call of a function or procedure, whoever read it: libpq (call.c makes one
 * of its result), or the kit itself (direct.c). */
#ifndef ORDERMILL_DRIVER_ANSWER_H
#define ORDERMILL_DRIVER_ANSWER_H

#include "driver/reply.h"

enum answer_state {
    ANSWER_NONE,   /* the server said that it is ready, and nothing else */
    ANSWER_OK,     /* `reply` holds it */
    ANSWER_FAILED, /* the texts say how */
};

struct answer {
    enum answer_state state;
    struct reply reply;
    bool too_long;    /* the row was, and was passed over: reply has none of its values */
    char sqlstate[6]; /* "" where the server gave none */
    char message[400], detail[400]; /* one line each, scrubbed */
};

#endif
