/* An event loop for one thread: descriptors, timers in microseconds, and a queue of work to do
 * next. Everything but loop_wake and loop_now_us belongs to the thread that runs the loop (or to
 * the one that prepares it before).
 *
 * Watches, timers and tasks live in their owners; the loop keeps pointers, so each must be taken
 * out before its memory goes. Callbacks may add and remove any of them, their own included.
 * Nothing is allocated while the loop runs, but for the growth of the timer heap. */
#ifndef ORDERMILL_COMMON_LOOP_H
#define ORDERMILL_COMMON_LOOP_H

#include <sys/epoll.h>
#include <sys/types.h>

#include "common/heap.h"

struct loop;

struct loop_watch {
    void (*ready)(struct loop_watch *watch, uint32_t events); /* EPOLLIN, EPOLLOUT, EPOLLERR... */
    void *owner;
    int fd; /* set by loop_watch; meaningful while watched */
    uint32_t events;
    bool watched;
};

struct loop_timer {
    struct heap_node node;
    void (*fire)(struct loop_timer *timer);
    void *owner;
};

struct loop_task {
    void (*run)(struct loop_task *task);
    void *owner;
    struct loop_task *next;
    bool queued;
};

/* Bytes to be sent on a socket at the end of the turn, together with those of others: one system
 * call does it where the kernel knows how (ring.h), and none of those whom they wake gets between.
 * They must stay until then. `result` is what send returned, or -errno; it does not wait. */
struct loop_send {
    void (*sent)(struct loop_send *send, ssize_t result);
    void *owner;
    int fd;
    const void *bytes;
    size_t size;
    struct loop_send *next;
    bool queued;
};

/* Time as the loop sees it. `wait` sleeps until a descriptor is ready or until timeout_us have
 * passed (negative: for ever) and returns the number of events, as epoll_pwait2 does. */
struct loop_clock {
    int64_t (*now_us)(void *context);
    int (*wait)(void *context, int epoll_fd, struct epoll_event *events, int max,
                int64_t timeout_us);
    void *context;
};

/* The monotonic clock of systems without epoll_pwait2, as exact at the price of one more system
 * call a turn. */
extern const struct loop_clock loop_clock_ppoll;

/* clock NULL: the monotonic clock, by the best means that the system has. The struct is copied.
 * NULL when the system is out of descriptors. */
MUST_CHECK struct loop *loop_new(const struct loop_clock *clock, struct err *err);
void loop_free(struct loop *loop); /* nothing may be watched or queued any more; NULL is fine */

int64_t loop_now_us(const struct loop *loop); /* a fresh reading */

/* Watches fd for the events (level-triggered), or changes what a watch waits for. Safe to repeat
 * when a library may have closed the descriptor and opened another of the same number. */
void loop_watch(struct loop *loop, struct loop_watch *watch, int fd, uint32_t events);
void loop_unwatch(struct loop *loop, struct loop_watch *watch); /* fine when not watched */

/* Fires once, at due_us or as soon after as the loop gets to it, never before. Timers due at the
 * same time fire in the order in which they were set. Setting a timer that runs moves it. */
void loop_timer_set(struct loop *loop, struct loop_timer *timer, int64_t due_us);
void loop_timer_clear(struct loop *loop, struct loop_timer *timer); /* fine when not set */
bool loop_timer_is_set(const struct loop_timer *timer);
void loop_reserve_timers(struct loop *loop, size_t count);

/* First come, first sent. One that is queued or was sent in this turn may be taken back until it is
 * told; whether it was sent is then not known. */
void loop_send(struct loop *loop, struct loop_send *send);
void loop_unsend(struct loop *loop, struct loop_send *send); /* fine when not queued */

/* Runs the task in the next turn, first come first served; queued again, it keeps its place. */
void loop_post(struct loop *loop, struct loop_task *task);

/* From any thread: `woken` is called in the loop's thread soon after; several wakes may become
 * one call. What was written before loop_wake is visible there. */
void loop_on_wake(struct loop *loop, void (*woken)(void *owner), void *owner);
void loop_wake(struct loop *loop);

/* Turns until loop_stop; loop_turn waits at most until the next event, once. */
void loop_run(struct loop *loop);
void loop_turn(struct loop *loop);
void loop_stop(struct loop *loop);

#endif
