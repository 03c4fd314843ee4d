/* The event loop: timers under a simulated clock, descriptors, tasks, and wakes from a thread. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/loop.h"

/* Time that passes only when the loop sleeps, and then `late_us` more than asked. */
struct simulated {
    int64_t now_us, late_us;
    int sleeps;
};

static int64_t
simulated_now_us(void *context)
{
    return ((struct simulated *)context)->now_us;
}

static int
simulated_wait(void *context, int epoll_fd, struct epoll_event *events, int max, int64_t timeout_us)
{
    struct simulated *simulated = context;
    int count = epoll_wait(epoll_fd, events, max, 0);

    if (count != 0)
        return count;
    assert_true(timeout_us >= 0); /* else the test would sleep for ever */
    if (timeout_us > 0) {
        simulated->now_us += timeout_us + simulated->late_us;
        simulated->sleeps++;
    }
    return 0;
}

static struct loop *
new_loop(struct simulated *simulated)
{
    struct loop_clock clock = {simulated_now_us, simulated_wait, simulated};
    struct err err;
    struct loop *loop = loop_new(simulated ? &clock : NULL, &err);

    assert_non_null(loop);
    return loop;
}

enum { LOG_MAX = 32 };
static struct {
    int ids[LOG_MAX];
    int64_t at_us[LOG_MAX];
    int count;
} journal;

struct probe {
    struct loop_timer timer;
    struct loop_task task;
    struct loop_watch watch;
    struct loop *loop;
    int id, repeats;
    struct probe *other;
};

static void
note(const struct probe *probe)
{
    assert_true(journal.count < LOG_MAX);
    journal.ids[journal.count] = probe->id;
    journal.at_us[journal.count++] = loop_now_us(probe->loop);
}

static void
on_fire(struct loop_timer *timer)
{
    struct probe *probe = timer->owner;

    note(probe);
    if (probe->other)
        loop_timer_clear(probe->loop, &probe->other->timer);
    if (probe->repeats-- > 0)
        loop_timer_set(probe->loop, timer, timer->node.key + 1000);
    else if (probe->id == 99)
        loop_stop(probe->loop);
}

static void
on_run(struct loop_task *task)
{
    struct probe *probe = task->owner;

    note(probe);
    if (probe->repeats-- > 0)
        loop_post(probe->loop, task);
}

static struct probe
new_probe(struct loop *loop, int id)
{
    return (struct probe){
        .timer = {.fire = on_fire}, .task = {.run = on_run}, .loop = loop, .id = id};
}

static void
own(struct probe *probe)
{
    probe->timer.owner = probe->task.owner = probe->watch.owner = probe;
}

static void
timers_fire_in_order_and_on_time(void **state)
{
    struct simulated simulated = {.now_us = 500};
    struct loop *loop = new_loop(&simulated);
    struct probe probes[4];
    const int64_t due_us[4] = {1300, 1007, 1300, 1301};

    (void)state;
    journal.count = 0;
    for (int i = 0; i < 4; i++) {
        probes[i] = new_probe(loop, i == 3 ? 99 : i);
        own(&probes[i]);
        loop_timer_set(loop, &probes[i].timer, due_us[i]);
    }
    loop_run(loop);
    const int ids[4] = {1, 0, 2, 99};
    const int64_t at_us[4] = {1007, 1300, 1300, 1301};
    assert_int_equal(journal.count, 4);
    assert_memory_equal(journal.ids, ids, sizeof ids);
    assert_memory_equal(journal.at_us, at_us, sizeof at_us);
    assert_int_equal(simulated.sleeps, 3);
    loop_free(loop);
}

static void
late_timers_fire_once_each_and_never_early(void **state)
{
    struct simulated simulated = {.late_us = 2500};
    struct loop *loop = new_loop(&simulated);
    struct probe ticker = new_probe(loop, 1), end = new_probe(loop, 99);

    (void)state;
    journal.count = 0;
    own(&ticker);
    own(&end);
    ticker.repeats = 2; /* due at 1000, 2000, 3000, whatever the lateness */
    loop_timer_set(loop, &ticker.timer, 1000);
    loop_timer_set(loop, &end.timer, 3400);
    loop_run(loop);
    const int ids[4] = {1, 1, 1, 99};
    assert_int_equal(journal.count, 4);
    /* At 3500 all are due; the end was set before the second tick and comes by its key. */
    assert_memory_equal(journal.ids, ids, sizeof ids);
    for (int i = 0; i < 4; i++)
        assert_int_equal(journal.at_us[i], 3500);
    loop_free(loop);
}

static void
cleared_timers_do_not_fire(void **state)
{
    struct simulated simulated = {0};
    struct loop *loop = new_loop(&simulated);
    struct probe first = new_probe(loop, 1), victim = new_probe(loop, 2), end = new_probe(loop, 99);

    (void)state;
    journal.count = 0;
    own(&first);
    own(&victim);
    own(&end);
    first.other = &victim;
    loop_timer_set(loop, &first.timer, 10);
    loop_timer_set(loop, &victim.timer, 10);
    loop_timer_set(loop, &end.timer, 20);
    assert_true(loop_timer_is_set(&victim.timer));
    loop_run(loop);
    assert_int_equal(journal.count, 2);
    assert_int_equal(journal.ids[0], 1);
    assert_int_equal(journal.ids[1], 99);
    assert_false(loop_timer_is_set(&victim.timer));
    loop_free(loop);
}

static void
tasks_run_before_the_loop_sleeps(void **state)
{
    struct simulated simulated = {0};
    struct loop *loop = new_loop(&simulated);
    struct probe a = new_probe(loop, 1), b = new_probe(loop, 2), end = new_probe(loop, 99);

    (void)state;
    journal.count = 0;
    own(&a);
    own(&b);
    own(&end);
    a.repeats = 1;
    loop_timer_set(loop, &end.timer, 50);
    loop_post(loop, &a.task);
    loop_post(loop, &b.task);
    loop_post(loop, &b.task); /* is queued already */
    loop_run(loop);
    const int ids[4] = {1, 2, 1, 99};
    assert_int_equal(journal.count, 4);
    assert_memory_equal(journal.ids, ids, sizeof ids);
    assert_int_equal(journal.at_us[2], 0);
    assert_int_equal(journal.at_us[3], 50);
    loop_free(loop);
}

static void
on_ready_unwatch_other(struct loop_watch *watch, uint32_t events)
{
    struct probe *probe = watch->owner;

    assert_true(events & EPOLLIN);
    note(probe);
    loop_unwatch(probe->loop, &probe->other->watch);
    loop_unwatch(probe->loop, watch);
}

/* Both descriptors are ready in one turn; whichever comes first silences the other. */
static void
an_unwatched_descriptor_is_silent_at_once(void **state)
{
    struct simulated simulated = {0};
    struct loop *loop = new_loop(&simulated);
    struct probe probes[2] = {new_probe(loop, 1), new_probe(loop, 2)};
    int fds[2][2];

    (void)state;
    journal.count = 0;
    for (int i = 0; i < 2; i++) {
        own(&probes[i]);
        probes[i].other = &probes[1 - i];
        probes[i].watch.ready = on_ready_unwatch_other;
        assert_int_equal(pipe(fds[i]), 0);
        assert_int_equal(write(fds[i][1], "x", 1), 1);
        loop_watch(loop, &probes[i].watch, fds[i][0], EPOLLIN);
    }
    loop_turn(loop);
    assert_int_equal(journal.count, 1);
    for (int i = 0; i < 2; i++) {
        assert_false(probes[i].watch.watched);
        close(fds[i][0]);
        close(fds[i][1]);
    }
    loop_free(loop);
}

static void
on_ready_note(struct loop_watch *watch, uint32_t events)
{
    (void)events;
    note(watch->owner);
}

/* libpq closes its socket and opens another while it tries a list of hosts. */
static void
a_descriptor_of_the_same_number_can_be_watched_again(void **state)
{
    struct simulated simulated = {0};
    struct loop *loop = new_loop(&simulated);
    struct probe probe = new_probe(loop, 1);
    int first[2], second[2];

    (void)state;
    journal.count = 0;
    own(&probe);
    probe.watch.ready = on_ready_note;
    assert_int_equal(pipe(first), 0);
    loop_watch(loop, &probe.watch, first[0], EPOLLIN);
    assert_int_equal(pipe(second), 0);
    assert_int_equal(dup2(second[0], first[0]), first[0]);
    assert_int_equal(write(second[1], "x", 1), 1);
    loop_watch(loop, &probe.watch, first[0], EPOLLIN);
    loop_turn(loop);
    assert_int_equal(journal.count, 1);
    loop_unwatch(loop, &probe.watch);
    close(first[0]);
    close(first[1]);
    close(second[0]);
    close(second[1]);
    loop_free(loop);
}

enum { PARCELS = 4 };
struct parcel {
    struct loop_send send;
    struct loop *loop;
    int id, theirs;
    struct parcel *takes_back; /* when it is told */
};

static void
on_parcel_sent(struct loop_send *send, ssize_t result)
{
    struct parcel *parcel = send->owner;

    assert_false(send->queued);
    assert_true(journal.count < LOG_MAX);
    journal.ids[journal.count] = parcel->id;
    journal.at_us[journal.count++] = result;
    if (parcel->takes_back)
        loop_unsend(parcel->loop, &parcel->takes_back->send);
}

static void
queue_parcels(struct loop *loop, struct parcel parcels[PARCELS])
{
    static const char texts[PARCELS][4] = {"a", "bb", "ccc", "d"};
    int both[2];

    journal.count = 0;
    for (int i = 0; i < PARCELS; i++) {
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, both), 0);
        parcels[i] = (struct parcel){.loop = loop, .id = i, .theirs = both[1]};
        parcels[i].send = (struct loop_send){.sent = on_parcel_sent,
                                             .owner = &parcels[i],
                                             .fd = both[0],
                                             .bytes = texts[i],
                                             .size = strlen(texts[i])};
        loop_send(loop, &parcels[i].send);
    }
}

static ssize_t
arrived(struct parcel *parcel)
{
    char bytes[8];
    ssize_t size = recv(parcel->theirs, bytes, sizeof bytes, 0);

    close(parcel->theirs);
    close(parcel->send.fd);
    return size;
}

static void
parcels_go_at_the_end_of_the_turn(const struct loop_clock *clock)
{
    struct parcel parcels[PARCELS];
    struct err err;
    struct loop *loop = loop_new(clock, &err);
    struct probe idle = new_probe(loop, 77);
    const int ids[3] = {0, 2, 3};
    const int64_t sizes[3] = {1, 3, 1};
    const int all[PARCELS] = {1, 2, 3, 1};

    assert_non_null(loop);
    queue_parcels(loop, parcels);
    own(&idle);
    loop_post(loop, &idle.task); /* so that the turn does not wait */
    loop_unsend(loop, &parcels[1].send);
    loop_unsend(loop, &parcels[1].send);
    loop_turn(loop);
    assert_memory_equal(journal.ids, ids, sizeof ids);
    assert_memory_equal(journal.at_us, sizes, sizeof sizes);
    assert_int_equal(arrived(&parcels[0]), 1);
    assert_int_equal(arrived(&parcels[1]), -1);
    assert_int_equal(arrived(&parcels[2]), 3);
    assert_int_equal(arrived(&parcels[3]), 1);
    queue_parcels(loop, parcels);
    parcels[0].takes_back = &parcels[3];
    loop_unsend(loop, &parcels[3].send); /* the last one: the queue has another end */
    loop_send(loop, &parcels[3].send);
    loop_post(loop, &idle.task);
    loop_turn(loop);
    /* What the first takes back has been sent with it, but is not told; the last is the task. */
    assert_int_equal(journal.count, 4);
    assert_int_equal(journal.ids[2], 2);
    assert_int_equal(journal.ids[3], idle.id);
    for (int i = 0; i < PARCELS; i++)
        assert_int_equal(arrived(&parcels[i]), all[i]);
    loop_free(loop);
}

static void
sends_go_at_the_end_of_the_turn(void **state)
{
    (void)state;
    parcels_go_at_the_end_of_the_turn(NULL);
    parcels_go_at_the_end_of_the_turn(&loop_clock_ppoll);
}

struct crowd {
    struct loop *loop;
    int value; /* written by the other thread before it wakes the loop */
    int seen;
};

static void
on_wake(void *owner)
{
    struct crowd *crowd = owner;

    crowd->seen = crowd->value;
    loop_stop(crowd->loop);
}

static void *
wake_from_outside(void *argument)
{
    struct crowd *crowd = argument;

    crowd->value = 42;
    loop_wake(crowd->loop);
    return NULL;
}

static void
another_thread_can_wake_the_loop(void **state)
{
    struct crowd crowd = {.loop = new_loop(NULL)};
    pthread_t thread;

    (void)state;
    loop_on_wake(crowd.loop, on_wake, &crowd);
    assert_int_equal(pthread_create(&thread, NULL, wake_from_outside, &crowd), 0);
    loop_run(crowd.loop);
    pthread_join(thread, NULL);
    assert_int_equal(crowd.seen, 42);
    loop_free(crowd.loop);
}

enum { WAKERS = 3, WAKES = 150000 };

/* Each waker says a number and goes on only when the loop has seen it. */
struct waker {
    struct loop *loop;
    atomic_int said, seen;
    pthread_t thread;
};

static void *
wake_and_wait(void *argument)
{
    struct waker *waker = argument;

    for (int i = 1; i <= WAKES; i++) {
        atomic_store(&waker->said, i);
        loop_wake(waker->loop);
        while (atomic_load(&waker->seen) < i)
            sched_yield();
    }
    return NULL;
}

static void
on_wake_see_all(void *owner)
{
    struct waker *wakers = owner;
    int done = 0;

    for (int i = 0; i < WAKERS; i++) {
        atomic_store(&wakers[i].seen, atomic_load(&wakers[i].said));
        done += atomic_load(&wakers[i].seen) == WAKES;
    }
    if (done == WAKERS)
        loop_stop(wakers->loop);
}

/* A wake that came while another was being taken was once lost, and all later ones with it. */
static void
no_wake_is_lost_among_many(void **state)
{
    struct waker wakers[WAKERS] = {0};
    struct loop *loop = new_loop(NULL);

    (void)state;
    alarm(60); /* a lost wake waits for ever */
    loop_on_wake(loop, on_wake_see_all, wakers);
    for (int i = 0; i < WAKERS; i++) {
        wakers[i].loop = loop;
        assert_int_equal(pthread_create(&wakers[i].thread, NULL, wake_and_wait, &wakers[i]), 0);
    }
    loop_run(loop);
    for (int i = 0; i < WAKERS; i++)
        pthread_join(wakers[i].thread, NULL);
    alarm(0);
    loop_free(loop);
}

static void
stop_on_wake(void *owner)
{
    loop_stop(owner);
}

static void
fire_after(const struct loop_clock *clock, int64_t delay_us)
{
    struct err err;
    struct loop *loop = loop_new(clock, &err);
    struct probe end = new_probe(loop, 99);

    assert_non_null(loop);
    journal.count = 0;
    own(&end);
    int64_t due_us = loop_now_us(loop) + delay_us;
    loop_timer_set(loop, &end.timer, due_us);
    loop_run(loop);
    assert_int_equal(journal.count, 1);
    assert_true(journal.at_us[0] >= due_us);
    loop_free(loop);
}

static void
real_timers_are_never_early(void **state)
{
    (void)state;
    fire_after(NULL, 1500);
    fire_after(&loop_clock_ppoll, 1500);
}

static void
the_older_means_sees_descriptors_too(void **state)
{
    struct err err;
    struct loop *loop = loop_new(&loop_clock_ppoll, &err);

    (void)state;
    assert_non_null(loop);
    alarm(60);
    loop_on_wake(loop, stop_on_wake, loop);
    loop_wake(loop);
    loop_run(loop); /* without a timer: only the descriptor can end it */
    alarm(0);
    loop_free(loop);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(timers_fire_in_order_and_on_time),
        cmocka_unit_test(late_timers_fire_once_each_and_never_early),
        cmocka_unit_test(cleared_timers_do_not_fire),
        cmocka_unit_test(tasks_run_before_the_loop_sleeps),
        cmocka_unit_test(an_unwatched_descriptor_is_silent_at_once),
        cmocka_unit_test(a_descriptor_of_the_same_number_can_be_watched_again),
        cmocka_unit_test(sends_go_at_the_end_of_the_turn),
        cmocka_unit_test(another_thread_can_wake_the_loop),
        cmocka_unit_test(no_wake_is_lost_among_many),
        cmocka_unit_test(real_timers_are_never_early),
        cmocka_unit_test(the_older_means_sees_descriptors_too),
    };

    return cmocka_run_group_tests_name("loop", tests, NULL, NULL);
}
