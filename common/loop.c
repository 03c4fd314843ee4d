/* Owns one epoll descriptor, the timers, the queue and the eventfd by which other threads get in.
 * Knows nothing of what it drives. epoll_pwait2 takes nanoseconds: with epoll_wait every timer
 * would be late by up to a millisecond, the length of a transaction. */
#include "common/loop.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/ring.h"

#define EVENTS_PER_TURN 128

struct loop {
    struct loop_clock clock;
    int epoll_fd, wake_fd;
    struct heap timers;
    struct loop_task *first_task, **last_task;
    struct loop_watch wake_watch;
    atomic_bool wake_pending; /* a wake is in the eventfd already */
    void (*woken)(void *owner);
    void *woken_owner;
    bool stopped;

    struct loop_send *first_send, **last_send;
    struct loop_send *sending[RING_SENDS_MAX]; /* those of the batch that are not told yet */
    struct ring *ring;                         /* NULL until there are two to send, or for good */
    bool ring_tried;

    /* The events of the turn; a watch taken out meanwhile is struck from those to come. */
    struct epoll_event events[EVENTS_PER_TURN];
    int next_event, events_count;
};

static int64_t
monotonic_now_us(void *context)
{
    (void)context;
    return clock_monotonic_us();
}

static struct timespec
timespec_of(int64_t us)
{
    return (struct timespec){.tv_sec = (time_t)(us / 1000000),
                             .tv_nsec = (long)(us % 1000000) * 1000};
}

static int
pwait2_wait(void *context, int epoll_fd, struct epoll_event *events, int max, int64_t timeout_us)
{
    struct timespec timeout = timespec_of(timeout_us);

    (void)context;
    return epoll_pwait2(epoll_fd, events, max, timeout_us < 0 ? NULL : &timeout, NULL);
}

/* An epoll descriptor can itself be polled, and ppoll knows nanoseconds everywhere. */
static int
ppoll_wait(void *context, int epoll_fd, struct epoll_event *events, int max, int64_t timeout_us)
{
    struct timespec timeout = timespec_of(timeout_us);
    struct pollfd ready = {.fd = epoll_fd, .events = POLLIN};

    (void)context;
    int rc = ppoll(&ready, 1, timeout_us < 0 ? NULL : &timeout, NULL);
    return rc > 0 ? epoll_wait(epoll_fd, events, max, 0) : rc;
}

const struct loop_clock loop_clock_ppoll = {monotonic_now_us, ppoll_wait, NULL};

/* epoll_pwait2 came with Linux 5.11, and some sandboxes refuse what they do not know. */
static struct loop_clock
system_clock_of(int epoll_fd)
{
    struct epoll_event event;

    if (pwait2_wait(NULL, epoll_fd, &event, 1, 0) < 0 && errno != EINTR)
        return loop_clock_ppoll;
    return (struct loop_clock){monotonic_now_us, pwait2_wait, NULL};
}

static void
wake_ready(struct loop_watch *watch, uint32_t events)
{
    struct loop *loop = watch->owner;
    uint64_t count;

    (void)events;
    /* Read, then lower the flag, then look. A waker that still finds the flag up has written what
     * it has to say before, so it is seen below; one that finds it down writes to the eventfd
     * again. The other way round, the read could swallow a wake whose flag then stays up for ever.
     */
    ssize_t got = read(loop->wake_fd, &count, sizeof count);
    must(got == (ssize_t)sizeof count || errno == EAGAIN);
    (void)atomic_exchange(&loop->wake_pending, false);
    if (loop->woken)
        loop->woken(loop->woken_owner);
}

struct loop *
loop_new(const struct loop_clock *clock, struct err *err)
{
    struct loop *loop = must_calloc(1, sizeof *loop);

    loop->last_task = &loop->first_task;
    loop->last_send = &loop->first_send;
    loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    loop->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (loop->epoll_fd < 0 || loop->wake_fd < 0) {
        (void)err_set(err, ERR_LOCAL, "event loop: %s", strerror(errno));
        loop_free(loop);
        return NULL;
    }
    loop->clock = clock ? *clock : system_clock_of(loop->epoll_fd);
    loop->ring_tried = clock != NULL; /* a system that has no ring, or one that is made up */
    loop->wake_watch = (struct loop_watch){.ready = wake_ready, .owner = loop};
    loop_watch(loop, &loop->wake_watch, loop->wake_fd, EPOLLIN);
    return loop;
}

void
loop_free(struct loop *loop)
{
    if (!loop)
        return;
    must(loop->timers.count == 0 && !loop->first_task && !loop->first_send);
    if (loop->epoll_fd >= 0)
        close(loop->epoll_fd);
    if (loop->wake_fd >= 0)
        close(loop->wake_fd);
    ring_free(loop->ring);
    heap_free(&loop->timers);
    free(loop);
}

int64_t
loop_now_us(const struct loop *loop)
{
    return loop->clock.now_us(loop->clock.context);
}

void
loop_watch(struct loop *loop, struct loop_watch *watch, int fd, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.ptr = watch};

    if (watch->watched && watch->fd != fd)
        loop_unwatch(loop, watch);
    int rc = epoll_ctl(loop->epoll_fd, watch->watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &event);
    /* Closing a descriptor takes it out of epoll behind our back. */
    if (rc != 0 && errno == ENOENT)
        rc = epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, fd, &event);
    must(rc == 0);
    watch->fd = fd;
    watch->events = events;
    watch->watched = true;
}

void
loop_unwatch(struct loop *loop, struct loop_watch *watch)
{
    if (!watch->watched)
        return;
    watch->watched = false;
    int rc = epoll_ctl(loop->epoll_fd, EPOLL_CTL_DEL, watch->fd, NULL);
    must(rc == 0 || errno == EBADF || errno == ENOENT);
    for (int i = loop->next_event; i < loop->events_count; i++)
        if (loop->events[i].data.ptr == watch)
            loop->events[i].data.ptr = NULL;
}

void
loop_timer_set(struct loop *loop, struct loop_timer *timer, int64_t due_us)
{
    loop_timer_clear(loop, timer);
    heap_add(&loop->timers, &timer->node, due_us);
}

void
loop_timer_clear(struct loop *loop, struct loop_timer *timer)
{
    if (heap_contains(&timer->node))
        heap_remove(&loop->timers, &timer->node);
}

bool
loop_timer_is_set(const struct loop_timer *timer)
{
    return heap_contains(&timer->node);
}

void
loop_reserve_timers(struct loop *loop, size_t count)
{
    heap_reserve(&loop->timers, count);
}

void
loop_post(struct loop *loop, struct loop_task *task)
{
    if (task->queued)
        return;
    task->queued = true;
    task->next = NULL;
    *loop->last_task = task;
    loop->last_task = &task->next;
}

void
loop_send(struct loop *loop, struct loop_send *send)
{
    must(!send->queued);
    send->queued = true;
    send->next = NULL;
    *loop->last_send = send;
    loop->last_send = &send->next;
}

static void
take_out(struct loop *loop, const struct loop_send *send)
{
    struct loop_send **at = &loop->first_send;

    while (*at && *at != send)
        at = &(*at)->next;
    if (!*at)
        return;
    *at = send->next;
    if (loop->last_send == &send->next)
        loop->last_send = at;
}

void
loop_unsend(struct loop *loop, struct loop_send *send)
{
    if (!send->queued)
        return;
    send->queued = false;
    take_out(loop, send);
    for (int i = 0; i < RING_SENDS_MAX; i++)
        if (loop->sending[i] == send)
            loop->sending[i] = NULL;
}

void
loop_on_wake(struct loop *loop, void (*woken)(void *owner), void *owner)
{
    loop->woken = woken;
    loop->woken_owner = owner;
}

void
loop_wake(struct loop *loop)
{
    uint64_t one = 1;

    if (atomic_exchange(&loop->wake_pending, true))
        return;
    ssize_t put = write(loop->wake_fd, &one, sizeof one);
    must(put == (ssize_t)sizeof one);
}

/* The wait for the next thing to happen: 0 when there is work, -1 when nothing is planned. */
static int64_t
timeout_us(const struct loop *loop)
{
    struct heap_node *first = heap_first(&loop->timers);

    if (loop->first_task)
        return 0;
    if (!first)
        return -1;
    int64_t left = first->key - loop_now_us(loop);
    return left > 0 ? left : 0;
}

/* The next ones, as many as go at once. */
static int
take_sends(struct loop *loop, struct ring_send batch[RING_SENDS_MAX])
{
    int count = 0;

    for (; loop->first_send && count < RING_SENDS_MAX; count++) {
        struct loop_send *send = loop->first_send;
        loop->first_send = send->next;
        loop->sending[count] = send;
        batch[count] = (struct ring_send){.fd = send->fd, .bytes = send->bytes, .size = send->size};
    }
    if (!loop->first_send)
        loop->last_send = &loop->first_send;
    return count;
}

static void
send_all(struct loop *loop)
{
    struct ring_send batch[RING_SENDS_MAX];

    while (loop->first_send) {
        int count = take_sends(loop, batch);
        if (count > 1 && !loop->ring_tried) {
            loop->ring = ring_new();
            loop->ring_tried = true;
        }
        ring_send_all(loop->ring, batch, count);
        for (int i = 0; i < count; i++) {
            struct loop_send *send = loop->sending[i];
            loop->sending[i] = NULL;
            if (!send)
                continue;
            send->queued = false;
            send->sent(send, batch[i].result);
        }
    }
}

static void
run_events(struct loop *loop)
{
    while (loop->next_event < loop->events_count) {
        struct epoll_event *event = &loop->events[loop->next_event++];
        struct loop_watch *watch = event->data.ptr;
        if (watch)
            watch->ready(watch, event->events);
    }
}

/* Only those due when the turn began, so that a timer that sets itself cannot hold up the rest. */
static void
run_timers(struct loop *loop)
{
    struct heap_node *first = heap_first(&loop->timers);

    if (!first)
        return;
    int64_t now_us = loop_now_us(loop);
    uint64_t end = loop->timers.sequence;
    while (first && first->key <= now_us && first->sequence < end) {
        struct loop_timer *timer =
            (struct loop_timer *)((char *)first - offsetof(struct loop_timer, node));
        heap_remove(&loop->timers, first);
        timer->fire(timer);
        first = heap_first(&loop->timers);
    }
}

static void
run_tasks(struct loop *loop)
{
    struct loop_task *task = loop->first_task;

    loop->first_task = NULL;
    loop->last_task = &loop->first_task;
    while (task) {
        struct loop_task *next = task->next;
        task->queued = false;
        task->run(task);
        task = next;
    }
}

void
loop_turn(struct loop *loop)
{
    send_all(loop);
    int count = loop->clock.wait(loop->clock.context, loop->epoll_fd, loop->events, EVENTS_PER_TURN,
                                 timeout_us(loop));
    must(count >= 0 || errno == EINTR);
    loop->next_event = 0;
    loop->events_count = count > 0 ? count : 0;
    run_events(loop);
    run_timers(loop);
    run_tasks(loop);
}

void
loop_run(struct loop *loop)
{
    loop->stopped = false;
    while (!loop->stopped)
        loop_turn(loop);
}

void
loop_stop(struct loop *loop)
{
    loop->stopped = true;
}
