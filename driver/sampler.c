/* Owns the sampler's thread: when to look at what. Looking is the affair of looks.c.
 *
 *   every tenth of an interval   wait events
 *   every interval               views, hosts
 *   every tenth interval         what is costly: tables, sizes, frequencies
 *   at the ends of the window    all of it, and statements */
#include "driver/sampler.h"

#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/fs.h"
#include "driver/looks.h"
#include "driver/procfs.h"

#define LOOKS_PER_INTERVAL  10
#define INTERVALS_PER_ROUND 10

enum mark { MARK_NONE, MARK_OPEN, MARK_CLOSE };

struct sampler {
    struct sampler_rules rules;
    pthread_t thread;
    int wake, stop; /* event descriptors: there is a mark; it is time to end */
    pthread_mutex_t mutex;
    pthread_cond_t marked; /* the last mark was seen to */
    enum mark mark;
    _Atomic int64_t user_us, system_us, wait_us;

    struct looks looks; /* of the thread alone, as what follows */
    int64_t next_wait_us, next_look_us;
    int rounds; /* looks so far */
};

/* --- what looking costs ----------------------------------------------------------------------- */

static int64_t
microseconds(const struct timeval *time)
{
    return (int64_t)time->tv_sec * 1000000 + time->tv_usec;
}

static void
publish_cost(struct sampler *sampler)
{
    struct rusage usage;
    struct buf text = {0};
    struct err ignored;

    if (getrusage(RUSAGE_THREAD, &usage) == 0) {
        sampler->user_us = microseconds(&usage.ru_utime);
        sampler->system_us = microseconds(&usage.ru_stime);
    }
    if (fs_read("/proc/thread-self/schedstat", 256, &text, &ignored))
        sampler->wait_us = procfs_parse_wait_us(buf_text(&text));
    buf_free(&text);
}

/* --- when ------------------------------------------------------------------------------------- */

/* The next moment on the grid, those that were missed left out. */
static int64_t
next_moment(int64_t moment_us, int64_t step_us, int64_t now_us)
{
    moment_us += step_us;
    return moment_us > now_us ? moment_us : now_us + step_us - (now_us - moment_us) % step_us;
}

static void
look_if_due(struct sampler *sampler, enum mark mark)
{
    int64_t now_us = clock_monotonic_us(), interval_us = sampler->rules.interval_us;
    bool edge = mark != MARK_NONE;

    if (edge || now_us >= sampler->next_wait_us) {
        looks_waits(&sampler->looks);
        sampler->next_wait_us =
            next_moment(sampler->next_wait_us, interval_us / LOOKS_PER_INTERVAL, now_us);
    }
    if (edge || now_us >= sampler->next_look_us) {
        looks_all(&sampler->looks, edge || sampler->rounds++ % INTERVALS_PER_ROUND == 0, edge,
                  sampler->user_us + sampler->system_us);
        if (now_us >= sampler->next_look_us)
            sampler->next_look_us = next_moment(sampler->next_look_us, interval_us, now_us);
    }
    if (edge) {
        now_us = clock_monotonic_us();
        series_window(sampler->looks.set, mark == MARK_OPEN, now_us);
        sampler->next_wait_us = now_us + interval_us / LOOKS_PER_INTERVAL;
        sampler->next_look_us = now_us + interval_us; /* whole ones, from here on */
    }
    publish_cost(sampler);
}

/* --- the thread ------------------------------------------------------------------------------- */

static enum mark
current_mark(struct sampler *sampler)
{
    pthread_mutex_lock(&sampler->mutex);
    enum mark mark = sampler->mark;
    pthread_mutex_unlock(&sampler->mutex);
    return mark;
}

/* A window that was closed before its beginning was seen to has no figures. */
static void
see_to_mark(struct sampler *sampler, enum mark mark)
{
    pthread_mutex_lock(&sampler->mutex);
    if (sampler->mark == mark) {
        sampler->mark = MARK_NONE;
        pthread_cond_broadcast(&sampler->marked);
    }
    pthread_mutex_unlock(&sampler->mutex);
}

static void
drain(int descriptor)
{
    uint64_t count;

    if (read(descriptor, &count, sizeof count) < 0)
        return; /* nothing was there */
}

/* Until the next look, a mark, or the end; false: the end. */
static bool
sleep_until_due(struct sampler *sampler)
{
    struct pollfd both[] = {{.fd = sampler->stop, .events = POLLIN},
                            {.fd = sampler->wake, .events = POLLIN}};
    int64_t due_us = sampler->next_wait_us < sampler->next_look_us ? sampler->next_wait_us
                                                                   : sampler->next_look_us;
    int64_t left_us = due_us - clock_monotonic_us();

    if (left_us < 0)
        left_us = 0;
    struct timespec left = {left_us / 1000000, left_us % 1000000 * 1000};
    if (ppoll(both, 2, &left, NULL) > 0 && both[1].revents)
        drain(sampler->wake);
    return !both[0].revents;
}

static void *
run_thread(void *context)
{
    struct sampler *sampler = context;

    sampler->next_wait_us = sampler->next_look_us = clock_monotonic_us();
    do {
        enum mark mark = current_mark(sampler);
        look_if_due(sampler, mark);
        if (mark != MARK_NONE)
            see_to_mark(sampler, mark);
    } while (sleep_until_due(sampler));
    monitor_close(&sampler->looks.monitor);
    return NULL;
}

/* --- for others ------------------------------------------------------------------------------- */

static void
free_sampler(struct sampler *sampler)
{
    looks_free(&sampler->looks);
    pthread_mutex_destroy(&sampler->mutex);
    pthread_cond_destroy(&sampler->marked);
    if (sampler->wake >= 0)
        close(sampler->wake);
    if (sampler->stop >= 0)
        close(sampler->stop);
    free(sampler);
}

static void
init_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;

    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

/* Signals are for the thread that runs the step. */
static int
create_thread(struct sampler *sampler)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failure = pthread_create(&sampler->thread, NULL, run_thread, sampler);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failure;
}

struct sampler *
sampler_start(const struct sampler_rules *rules, struct err *err)
{
    struct sampler *sampler = must_calloc(1, sizeof *sampler);

    sampler->rules = *rules;
    sampler->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    sampler->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    looks_init(&sampler->looks, rules, sampler->stop);
    pthread_mutex_init(&sampler->mutex, NULL);
    init_condition(&sampler->marked);
    if (sampler->wake >= 0 && sampler->stop >= 0 && create_thread(sampler) == 0)
        return sampler;
    err_set(err, ERR_LOCAL, "no thread for the metrics");
    free_sampler(sampler);
    return NULL;
}

static void
signal_descriptor(int descriptor)
{
    uint64_t one = 1;

    must(write(descriptor, &one, sizeof one) == sizeof one);
}

void
sampler_window(struct sampler *sampler, bool open)
{
    pthread_mutex_lock(&sampler->mutex);
    sampler->mark = open ? MARK_OPEN : MARK_CLOSE;
    pthread_mutex_unlock(&sampler->mutex);
    signal_descriptor(sampler->wake);
}

struct sampler_cost
sampler_cost(const struct sampler *sampler)
{
    return (struct sampler_cost){sampler->user_us, sampler->system_us, sampler->wait_us};
}

static void
wait_for_mark(struct sampler *sampler, int64_t patience_us)
{
    int64_t end_us = clock_monotonic_us() + patience_us;
    struct timespec end = {end_us / 1000000, end_us % 1000000 * 1000};
    int failure = 0;

    pthread_mutex_lock(&sampler->mutex);
    while (sampler->mark != MARK_NONE && failure == 0)
        failure = pthread_cond_timedwait(&sampler->marked, &sampler->mutex, &end);
    pthread_mutex_unlock(&sampler->mutex);
}

void
sampler_stop(struct sampler *sampler, int64_t patience_us, struct arena *arena, int64_t origin_us,
             struct step *step)
{
    if (!sampler)
        return;
    wait_for_mark(sampler, patience_us);
    signal_descriptor(sampler->stop);
    must(pthread_join(sampler->thread, NULL) == 0);
    step->metrics = series_take(sampler->looks.set, arena, origin_us, &step->metrics_count);
    step->metrics_count = pgstat_prune(step->metrics, step->metrics_count);
    free_sampler(sampler);
}
