/* Owns one thread that looks at the clock. */
#include "profiles/watchdog.h"

#include <pthread.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/interrupt.h"
#include "common/log.h"

#define LOOK_S 1

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t thread;
    bool stop;
    const char *what;
    int64_t until_us;
} dog = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

/* Nothing is tidied up: what does not answer would be asked again. */
static void
bite(void)
{
    int64_t now_us = clock_monotonic_us(), signal_us = interrupt_at_us();
    struct err err = {0};

    if (signal_us > 0 && now_us > signal_us + WATCHDOG_SIGNAL_US && interrupt_check(&err)) {
        err_prefix(&err, "ended in the middle of %s", dog.what);
        _exit(log_error(&err));
    }
    if (now_us > dog.until_us + WATCHDOG_GRACE_US) {
        err_set(&err, ERR_LOCAL, "%s took too long, and does not end", dog.what);
        err_hint(&err, "what was stored stands: \"ordermill autopilot --resume\" goes on");
        _exit(log_error(&err));
    }
}

static void *
watch(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&dog.lock);
    while (!dog.stop) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += LOOK_S;
        pthread_cond_timedwait(&dog.changed, &dog.lock, &until);
        if (!dog.stop)
            bite();
    }
    pthread_mutex_unlock(&dog.lock);
    return NULL;
}

void
watchdog_start(void)
{
    dog.stop = false;
    dog.what = "the start";
    dog.until_us = INT64_MAX - WATCHDOG_GRACE_US;
    must(pthread_create(&dog.thread, NULL, watch, NULL) == 0);
}

void
watchdog_watch(const char *what, int64_t until_us)
{
    pthread_mutex_lock(&dog.lock);
    dog.what = what;
    dog.until_us = until_us;
    pthread_mutex_unlock(&dog.lock);
}

void
watchdog_stop(void)
{
    pthread_mutex_lock(&dog.lock);
    dog.stop = true;
    pthread_cond_signal(&dog.changed);
    pthread_mutex_unlock(&dog.lock);
    must(pthread_join(dog.thread, NULL) == 0);
}
