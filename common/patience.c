/* Owns the limit, and the threads of what cannot be waited for in pieces. */
#include "common/patience.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "common/clock.h"
#include "common/interrupt.h"

#define LOOK_US 100000 /* a signal is seen so soon, whichever thread it came to */

static atomic_int_least64_t limit_us;

void
patience_limit(int64_t until_us)
{
    atomic_store(&limit_us, until_us);
}

int64_t
patience_until_us(int64_t begun_us)
{
    int64_t until_us = atomic_load(&limit_us), signal_us = interrupt_at_us();

    if (until_us == 0)
        until_us = INT64_MAX;
    if (signal_us > 0) {
        int64_t from_us = signal_us > begun_us ? signal_us : begun_us;
        int64_t most_us = from_us + PATIENCE_AFTER_SIGNAL_US;
        if (most_us > signal_us + PATIENCE_TOGETHER_US)
            most_us = signal_us + PATIENCE_TOGETHER_US;
        if (most_us < from_us + PATIENCE_MOMENT_US)
            most_us = from_us + PATIENCE_MOMENT_US;
        if (most_us < until_us)
            until_us = most_us;
    }
    return until_us;
}

bool
patience_lost(int64_t begun_us, struct err *err)
{
    if (clock_monotonic_us() < patience_until_us(begun_us))
        return false;
    if (!interrupt_check(err))
        err_set(err, ERR_SERVER, "no answer within the limit of time");
    return true;
}

bool
patience_readable(int descriptor, int64_t begun_us)
{
    struct pollfd watched = {descriptor, POLLIN, 0};
    int64_t left_us = patience_until_us(begun_us) - clock_monotonic_us();

    if (left_us > LOOK_US)
        left_us = LOOK_US;
    return poll(&watched, 1, left_us > 0 ? (int)(left_us / 1000) + 1 : 0) > 0;
}

/* --- in a thread ------------------------------------------------------------------------------ */

struct errand {
    void (*work)(void *context), (*forget)(void *context);
    void *context;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool done, forgotten;
};

static void
errand_free(struct errand *errand)
{
    pthread_mutex_destroy(&errand->lock);
    pthread_cond_destroy(&errand->changed);
    free(errand);
}

static void *
errand_main(void *argument)
{
    struct errand *errand = argument;

    errand->work(errand->context);
    pthread_mutex_lock(&errand->lock);
    errand->done = true;
    bool forgotten = errand->forgotten;
    pthread_cond_signal(&errand->changed);
    pthread_mutex_unlock(&errand->lock);
    if (forgotten) {
        errand->forget(errand->context);
        errand_free(errand);
    }
    return NULL;
}

static void
wait_a_moment(struct errand *errand)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += LOOK_US * 1000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    pthread_cond_timedwait(&errand->changed, &errand->lock, &until);
}

bool
patience_run(void (*work)(void *context), void (*forget)(void *context), void *context)
{
    struct errand *errand = must_calloc(1, sizeof *errand);
    int64_t begun_us = clock_monotonic_us();
    pthread_t thread;

    errand->work = work;
    errand->forget = forget;
    errand->context = context;
    pthread_mutex_init(&errand->lock, NULL);
    pthread_cond_init(&errand->changed, NULL);
    must(pthread_create(&thread, NULL, errand_main, errand) == 0);
    pthread_mutex_lock(&errand->lock);
    while (!errand->done && clock_monotonic_us() < patience_until_us(begun_us))
        wait_a_moment(errand);
    bool done = errand->done;
    errand->forgotten = !done;
    pthread_mutex_unlock(&errand->lock);
    if (!done) {
        pthread_detach(thread);
        return false;
    }
    pthread_join(thread, NULL);
    errand_free(errand);
    return true;
}
