/* Requests to cancel, collected by a worker and sent by a thread of their own: a server that does
 * not answer may keep each of them for minutes, and the worker must go on meanwhile. */
#ifndef ORDERMILL_DRIVER_CANCELS_H
#define ORDERMILL_DRIVER_CANCELS_H

#include "common/pg.h"

struct cancels {
    struct pg_cancel_request **requests;
    int count, capacity;
};

void cancels_add(struct cancels *cancels, const struct pg *pg);
/* Takes the requests over and returns at once. Nobody waits for the thread: it ends when all are
 * sent, or with the process. */
void cancels_send(struct cancels *cancels);

#endif
