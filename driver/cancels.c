/* Owns the thread that sends. It has its list and nothing else: whoever asked may be gone before it
 * ends. */
#include "driver/cancels.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/log.h"

#define FIRST_CAPACITY 64

void
cancels_add(struct cancels *cancels, const struct pg *pg)
{
    struct pg_cancel_request *request = pg_cancel_prepare(pg);

    if (!request)
        return;
    if (cancels->count == cancels->capacity) {
        cancels->capacity = cancels->capacity > 0 ? 2 * cancels->capacity : FIRST_CAPACITY;
        cancels->requests = must_realloc(cancels->requests, (size_t)cancels->capacity *
                                                                sizeof(struct pg_cancel_request *));
    }
    cancels->requests[cancels->count++] = request;
}

static void *
send_all(void *argument)
{
    struct cancels *cancels = argument;

    for (int i = 0; i < cancels->count; i++)
        pg_cancel_send(cancels->requests[i]);
    free(cancels->requests);
    free(cancels);
    return NULL;
}

void
cancels_send(struct cancels *cancels)
{
    struct cancels *own = must_calloc(1, sizeof *own);
    pthread_t thread;

    *own = *cancels;
    *cancels = (struct cancels){0};
    int failure = pthread_create(&thread, NULL, send_all, own);
    if (failure == 0) {
        pthread_detach(thread);
        return;
    }
    /* Abandoning the connections is what follows anyway. */
    log_detail("cancel requests: %s", strerror(failure));
    free(own->requests);
    free(own);
}
