/* Owns a thread and its virtual users: who connects when, what each does when its session is ready,
 * when a transaction ended, when the connection broke, and when the run is over. */
#include "driver/worker.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define CONNECTING_MAX  8    /* at once, per worker */
#define PAUSE_FIRST_US  1000 /* after a failed transaction; doubled with each in a row */
#define PAUSE_DOUBLINGS 10   /* up to about a second */

struct user {
    struct worker *worker;
    struct terminal terminal;
    struct session session;
    struct txn_input input;
    struct loop_timer pause;
    int64_t due_us;
    int failures; /* in a row */
    bool busy;    /* a transaction has started and not ended */
    bool ready, ended;
    bool out; /* its connection went, and is being made anew */
};

struct worker {
    const struct worker_rules *rules;
    pthread_t thread;
    struct loop *loop;
    struct meter *meter;
    struct loop_timer flip;
    struct loop_task connect, dismiss;
    struct user *users;
    int users_count, next_to_connect, connecting;
    bool closing; /* the last flip was: nothing starts any more */

    atomic_int running, out, losses, lost, ended;
    atomic_bool cancel_asked, abandon_asked, quit_asked;

    pthread_mutex_t error_mutex; /* of the two below */
    bool has_error;
    struct err first_error;
};

/* --- flips ------------------------------------------------------------------------------------ */

static void
flip(struct worker *worker)
{
    uint64_t busy = 0, alive = 0;

    for (int i = 0; i < worker->users_count; i++) {
        busy += worker->users[i].busy;
        alive += worker->users[i].ready && !worker->users[i].out && !worker->users[i].ended;
    }
    if (worker->meter->last) {
        worker->closing = true;
        loop_post(worker->loop, &worker->dismiss);
    }
    loop_timer_clear(worker->loop, &worker->flip);
    meter_flip(worker->meter, busy, alive);
    loop_wake(worker->rules->wake);
}

static void
on_flip_timer(struct loop_timer *timer)
{
    flip(timer->owner);
}

/* Time has come to `now_us`: what happens from here on may belong to the other half. */
static void
advance(struct worker *worker, int64_t now_us)
{
    if (meter_is_due(worker->meter, now_us))
        flip(worker);
}

/* --- virtual users ---------------------------------------------------------------------------- */

/* Whoever is out when the level ends stays out: its session did not come back. */
static void
set_out(struct user *user, bool out)
{
    if (user->out == out)
        return;
    user->out = out;
    atomic_fetch_add(&user->worker->out, out ? 1 : -1);
    loop_wake(user->worker->rules->wake);
}

static void
end_user(struct user *user)
{
    struct worker *worker = user->worker;

    if (user->ended)
        return;
    must(!user->busy);
    user->ended = true;
    loop_timer_clear(worker->loop, &user->pause);
    session_close(&user->session);
    atomic_fetch_add(&worker->ended, 1);
    loop_wake(worker->rules->wake);
}

static void
start_transaction(struct user *user, int64_t due_us)
{
    struct worker *worker = user->worker;

    if (worker->closing) {
        end_user(user);
        return;
    }
    terminal_enter(&user->terminal, worker->rules->terminals, &user->input);
    user->due_us = due_us;
    user->busy = true;
    meter_start(worker->meter);
    session_run(&user->session, &user->input);
}

static void
on_pause_over(struct loop_timer *timer)
{
    struct user *user = timer->owner;
    int64_t now_us = loop_now_us(user->worker->loop);

    advance(user->worker, now_us);
    start_transaction(user, now_us);
}

/* A procedure that always fails must not be called in a tight loop. */
static void
pause_user(struct user *user, int64_t now_us)
{
    int doublings = user->failures < PAUSE_DOUBLINGS ? user->failures - 1 : PAUSE_DOUBLINGS - 1;

    loop_timer_set(user->worker->loop, &user->pause,
                   now_us + ((int64_t)PAUSE_FIRST_US << doublings));
}

static void
on_ready(struct session *session)
{
    struct user *user = session->owner;
    struct worker *worker = user->worker;
    int64_t now_us = loop_now_us(worker->loop);

    set_out(user, false);
    if (!user->ready) {
        user->ready = true;
        worker->connecting--;
        loop_post(worker->loop, &worker->connect);
        atomic_fetch_add(&worker->running, 1);
        loop_wake(worker->rules->wake);
    }
    advance(worker, now_us);
    start_transaction(user, now_us);
}

static void
on_retry(struct session *session, const char *sqlstate, const char *message)
{
    struct user *user = session->owner;
    struct worker *worker = user->worker;

    advance(worker, loop_now_us(worker->loop));
    meter_retry(worker->meter, user->input.type);
    meter_error(worker->meter, sqlstate, message);
}

static void
on_ended(struct session *session, const struct session_result *result)
{
    struct user *user = session->owner;
    struct worker *worker = user->worker;
    const struct meter_event event = {.input = &user->input,
                                      .outcome = result->outcome,
                                      .due_us = user->due_us,
                                      .first_sent_us = result->first_sent_us,
                                      .sent_us = result->sent_us,
                                      .done_us = result->done_us,
                                      .districts_skipped = result->districts_skipped,
                                      .committed = result->committed};

    advance(worker, result->done_us);
    user->busy = false;
    meter_end(worker->meter, &event);
    bool failed = result->outcome == OUTCOME_FAILED || result->outcome == OUTCOME_LOST;
    user->failures = failed ? user->failures + 1 : 0;
    if (failed)
        meter_error(worker->meter, result->sqlstate, result->message);
    if (session->state != SESSION_IDLE)
        return; /* on_lost or on_broken follows */
    if (failed && !worker->closing)
        pause_user(user, result->done_us);
    else
        start_transaction(user, result->done_us);
}

static void
keep_first_error(struct worker *worker, const struct err *err)
{
    pthread_mutex_lock(&worker->error_mutex);
    if (!worker->has_error)
        worker->first_error = *err;
    worker->has_error = true;
    pthread_mutex_unlock(&worker->error_mutex);
}

/* The virtual user lives on and waits for its session; on_ready or on_broken ends that. */
static void
on_lost(struct session *session, const struct err *err)
{
    struct user *user = session->owner;

    keep_first_error(user->worker, err);
    atomic_fetch_add(&user->worker->losses, 1);
    if (user->worker->closing)
        end_user(user);
    else
        set_out(user, true);
}

static void
on_broken(struct session *session, const struct err *err)
{
    struct user *user = session->owner;
    struct worker *worker = user->worker;

    keep_first_error(worker, err);
    if (user->ready && !user->out)
        atomic_fetch_add(&worker->losses, 1);
    atomic_fetch_add(&worker->lost, 1);
    set_out(user, false);
    if (!user->ready) {
        worker->connecting--;
        loop_post(worker->loop, &worker->connect);
    }
    end_user(user);
}

static const struct session_events session_events = {
    .ready = on_ready, .retry = on_retry, .ended = on_ended, .lost = on_lost, .broken = on_broken};

static void
on_connect_task(struct loop_task *task)
{
    struct worker *worker = task->owner;

    while (!worker->closing && worker->connecting < CONNECTING_MAX &&
           worker->next_to_connect < worker->users_count) {
        worker->connecting++;
        session_connect(&worker->users[worker->next_to_connect++].session);
    }
}

/* The window is closed: whoever has nothing running goes. */
static void
on_dismiss_task(struct loop_task *task)
{
    struct worker *worker = task->owner;

    for (int i = 0; i < worker->users_count; i++)
        if (!worker->users[i].busy)
            end_user(&worker->users[i]);
}

/* --- wishes of the crew ----------------------------------------------------------------------- */

static void
cancel_all(struct worker *worker)
{
    struct cancels cancels = {0};

    for (int i = 0; i < worker->users_count; i++)
        if (worker->users[i].busy)
            session_cancel(&worker->users[i].session, &cancels);
    cancels_send(&cancels);
}

static void
abandon_all(struct worker *worker)
{
    struct err err;

    worker->closing = true;
    (void)err_set(&err, ERR_CONNECTION, "closed by the driver: no answer in time");
    for (int i = 0; i < worker->users_count; i++) {
        if (worker->users[i].busy)
            session_abandon(&worker->users[i].session, &err);
        end_user(&worker->users[i]);
    }
}

static void
on_woken(void *owner)
{
    struct worker *worker = owner;

    if (meter_take_request(worker->meter))
        loop_timer_set(worker->loop, &worker->flip, worker->meter->flip_at_us);
    if (atomic_exchange(&worker->cancel_asked, false))
        cancel_all(worker);
    if (atomic_exchange(&worker->abandon_asked, false))
        abandon_all(worker);
    if (atomic_load(&worker->quit_asked)) {
        abandon_all(worker);
        loop_timer_clear(worker->loop, &worker->flip);
        loop_stop(worker->loop);
    }
}

/* --- life ------------------------------------------------------------------------------------- */

static void *
run_thread(void *argument)
{
    struct worker *worker = argument;

    loop_post(worker->loop, &worker->connect);
    loop_run(worker->loop);
    return NULL;
}

static void
init_users(struct worker *worker, int first, int step)
{
    worker->users = must_calloc((size_t)worker->users_count, sizeof *worker->users);
    for (int i = 0; i < worker->users_count; i++) {
        struct user *user = &worker->users[i];
        *user = (struct user){.worker = worker, .pause = {.fire = on_pause_over, .owner = user}};
        uint64_t index = (uint64_t)first + (uint64_t)i * (uint64_t)step;
        struct rng back_off;
        rng_seed(&back_off, worker->rules->seed, RNG_SCHEDULE, index);
        terminal_init(&user->terminal, worker->rules->terminals, worker->rules->seed, index);
        session_init(&user->session, worker->rules->sessions, &session_events, user, worker->loop,
                     back_off);
    }
    loop_reserve_timers(worker->loop, 2 * (size_t)worker->users_count + 1);
}

struct worker *
worker_start(const struct worker_rules *rules, int first, int step, int count, struct err *err)
{
    struct worker *worker = must_calloc(1, sizeof *worker);

    worker->rules = rules;
    worker->users_count = (count - first + step - 1) / step;
    worker->flip = (struct loop_timer){.fire = on_flip_timer, .owner = worker};
    worker->connect = (struct loop_task){.run = on_connect_task, .owner = worker};
    worker->dismiss = (struct loop_task){.run = on_dismiss_task, .owner = worker};
    pthread_mutex_init(&worker->error_mutex, NULL);
    worker->meter = meter_new();
    worker->loop = loop_new(NULL, err);
    if (worker->loop) {
        init_users(worker, first, step);
        loop_on_wake(worker->loop, on_woken, worker);
        int failure = pthread_create(&worker->thread, NULL, run_thread, worker);
        if (failure == 0)
            return worker;
        (void)err_set(err, ERR_LOCAL, "worker thread: %s", strerror(failure));
    }
    worker_free(worker);
    return NULL;
}

struct worker_state
worker_look(const struct worker *worker)
{
    return (struct worker_state){.running = atomic_load(&worker->running),
                                 .out = atomic_load(&worker->out),
                                 .losses = atomic_load(&worker->losses),
                                 .lost = atomic_load(&worker->lost),
                                 .ended = atomic_load(&worker->ended)};
}

struct meter *
worker_meter(struct worker *worker)
{
    return worker->meter;
}

void
worker_ask(struct worker *worker, int64_t at_us, bool last)
{
    meter_ask(worker->meter, at_us, last);
    loop_wake(worker->loop);
}

bool
worker_first_error(struct worker *worker, struct err *err)
{
    pthread_mutex_lock(&worker->error_mutex);
    bool has_error = worker->has_error;
    if (has_error)
        *err = worker->first_error;
    pthread_mutex_unlock(&worker->error_mutex);
    return has_error;
}

static void
wish(struct worker *worker, atomic_bool *flag)
{
    atomic_store(flag, true);
    loop_wake(worker->loop);
}

void
worker_cancel(struct worker *worker)
{
    wish(worker, &worker->cancel_asked);
}

void
worker_abandon(struct worker *worker)
{
    wish(worker, &worker->abandon_asked);
}

void
worker_join(struct worker *worker)
{
    wish(worker, &worker->quit_asked);
    must(pthread_join(worker->thread, NULL) == 0);
}

void
worker_free(struct worker *worker)
{
    if (!worker)
        return;
    loop_free(worker->loop);
    meter_free(worker->meter);
    pthread_mutex_destroy(&worker->error_mutex);
    free(worker->users);
    free(worker);
}
