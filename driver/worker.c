/* Owns a thread and its sessions: who connects when, which terminal gets which session, when a
 * transaction ended, when the connection broke, and when the run is over. When a terminal is ready
 * is the desk's. */
#include "driver/worker.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define CONNECTING_MAX 8 /* at once, per worker */

/* A session, and the terminal whose transaction it runs, or the deferred delivery. */
struct seat {
    struct worker *worker;
    struct session session;
    struct txn_input input;
    bool delivers;                  /* and serves no terminal */
    bool delivering;                /* at this moment */
    int64_t queued_us;              /* when that was queued */
    struct desk_terminal *terminal; /* NULL: none */
    struct seat *next_idle;
    bool listed;     /* among the idle ones */
    int64_t free_us; /* since when it had nothing to do */
    bool ready, ended;
    bool out;                   /* its connection went, and is being made anew */
    struct desk_terminal *held; /* the virtual user that is out with it */
};

struct worker {
    const struct worker_rules *rules;
    pthread_t thread;
    bool started;
    struct loop *loop;
    struct meter *meter;
    struct desk desk;
    struct loop_timer flip;
    struct loop_task connect, dismiss;
    /* The seats that serve terminals, then those that deliver. Of the idle ones the one that became
     * so last comes first. */
    struct seat *seats, *idle, *idle_deliverers;
    int seats_count, tellers_count, next_to_connect, connecting;
    struct deferred deferred;
    bool closing;              /* the last flip was: nothing starts any more */
    uint64_t *home_new_orders; /* by warehouse, from 0 */

    atomic_int running, out, losses, lost, ended, ended_deliverers, deliveries;
    atomic_bool cancel_asked, abandon_asked, quit_asked;

    pthread_mutex_t error_mutex; /* of the two below */
    bool has_error;
    struct err first_error;
};

/* --- flips ------------------------------------------------------------------------------------ */

static void
flip(struct worker *worker)
{
    uint64_t busy = 0, up = 0, held = 0;

    for (int i = 0; i < worker->tellers_count; i++) {
        const struct seat *seat = &worker->seats[i];
        busy += seat->terminal != NULL;
        up += seat->ready && !seat->out && !seat->ended;
        held += seat->held != NULL;
    }
    /* Alive are terminals with a session to hope for; after the window, those whose transaction
     * runs. */
    uint64_t alive = worker->closing ? busy : up > 0 ? (uint64_t)worker->desk.alive - held : 0;
    uint64_t waiting = desk_waiting(&worker->desk);
    if (worker->meter->last) {
        worker->closing = true;
        loop_post(worker->loop, &worker->dismiss);
    }
    loop_timer_clear(worker->loop, &worker->flip);
    meter_flip(worker->meter, busy, alive, waiting);
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

/* --- sessions and terminals ------------------------------------------------------------------- */

/* Whoever is out when the level ends stays out: its session did not come back. */
static void
set_out(struct seat *seat, bool out)
{
    if (seat->out == out)
        return;
    seat->out = out;
    atomic_fetch_add(&seat->worker->out, out ? 1 : -1);
    loop_wake(seat->worker->rules->wake);
}

static void
end_seat(struct seat *seat)
{
    struct worker *worker = seat->worker;

    if (seat->ended)
        return;
    must(!seat->terminal && !seat->delivering);
    seat->ended = true;
    if (seat->held)
        desk_retire(&worker->desk, seat->held);
    seat->held = NULL;
    session_close(&seat->session);
    atomic_fetch_add(&worker->ended_deliverers, seat->delivers);
    atomic_fetch_add(&worker->ended, 1);
    loop_wake(worker->rules->wake);
}

/* Takes the first session out of its list; NULL: none in it is idle. */
static struct seat *
next_seat(struct seat **idle)
{
    while (*idle) {
        struct seat *seat = *idle;
        *idle = seat->next_idle;
        seat->listed = false;
        if (seat->session.state == SESSION_IDLE) /* else it broke while it was idle */
            return seat;
    }
    return NULL;
}

/* One that broke while it was idle may still be in the list when it comes back. */
static void
set_idle(struct seat *seat, int64_t now_us)
{
    struct seat **idle = seat->delivers ? &seat->worker->idle_deliverers : &seat->worker->idle;

    seat->free_us = now_us;
    if (seat->listed)
        return;
    seat->listed = true;
    seat->next_idle = *idle;
    *idle = seat;
}

static void
start_transaction(struct seat *seat, struct desk_terminal *terminal)
{
    struct worker *worker = seat->worker;

    seat->terminal = terminal;
    seat->input.type = (enum txn_type)terminal->type;
    terminal_enter(&terminal->terminal, worker->rules->desk->terminals, &seat->input);
    meter_start(worker->meter);
    session_run(&seat->session, &seat->input);
}

/* --- deferred deliveries ---------------------------------------------------------------------- */

/* The terminal's part: it is told that its delivery has been queued. */
static void
queue_delivery(struct worker *worker, struct desk_terminal *terminal)
{
    int64_t now_us = loop_now_us(worker->loop);
    struct txn_input input = {.type = TXN_DELIVERY};
    struct meter_event event = {.input = &input,
                                .due_us = terminal->due_us,
                                .free_us = terminal->due_us,
                                .first_sent_us = now_us,
                                .sent_us = now_us,
                                .done_us = now_us,
                                .queued = true};

    terminal_enter(&terminal->terminal, worker->rules->desk->terminals, &input);
    meter_start(worker->meter);
    event.committed = deferred_put(&worker->deferred, &input.of.delivery, now_us);
    event.outcome = event.committed ? OUTCOME_COMMITTED : OUTCOME_FAILED;
    meter_end(worker->meter, &event);
    if (event.committed)
        atomic_fetch_add(&worker->deliveries, 1);
    else
        meter_error(worker->meter, WORKER_QUEUE_FULL, "delivery: the queue of deliveries is full");
    desk_done(&worker->desk, terminal, now_us, !event.committed);
}

/* Those that wait meet the sessions that carry them out, after the window too. */
static void
deliver(struct worker *worker)
{
    struct deferred_delivery delivery;

    while (deferred_waiting(&worker->deferred) > 0) {
        struct seat *seat = next_seat(&worker->idle_deliverers);
        if (!seat)
            return;
        if (!deferred_begin(&worker->deferred, &delivery)) {
            set_idle(seat, seat->free_us); /* until the collector has made room for its record */
            return;
        }
        seat->delivering = true;
        seat->queued_us = delivery.queued_us;
        seat->input = (struct txn_input){.type = TXN_DELIVERY, .of.delivery = delivery.input};
        session_run(&seat->session, &seat->input);
    }
}

/* When nothing starts any more and nothing waits, those that have nothing to do go,
 * but for one. */
static void
end_deliverers(struct worker *worker, const struct seat *but)
{
    if (!worker->closing || deferred_waiting(&worker->deferred) > 0)
        return;
    for (int i = worker->tellers_count; i < worker->seats_count; i++)
        if (!worker->seats[i].delivering && &worker->seats[i] != but)
            end_seat(&worker->seats[i]);
}

static void
on_delivered(struct seat *seat, const struct session_result *result)
{
    struct worker *worker = seat->worker;
    struct deferred_record record = {.queued_us = seat->queued_us,
                                     .done_us = result->done_us,
                                     .warehouse = seat->input.of.delivery.warehouse,
                                     .carrier = seat->input.of.delivery.carrier,
                                     .outcome = result->outcome};

    advance(worker, result->done_us);
    if (result->outcome == OUTCOME_COMMITTED)
        meter_delivered(worker->meter, result->districts_skipped);
    else
        meter_error(worker->meter, result->sqlstate, result->message);
    if (result->orders)
        memcpy(record.orders, result->orders, sizeof record.orders);
    seat->delivering = false;
    deferred_end(&worker->deferred, &record);
    atomic_fetch_sub(&worker->deliveries, 1);
    bool broken = seat->session.state != SESSION_IDLE; /* on_lost or on_broken follows */
    if (!broken)
        set_idle(seat, result->done_us);
    deliver(worker);
    end_deliverers(worker, broken ? seat : NULL);
}

/* --- terminals meet sessions ------------------------------------------------------------------ */

/* Whoever has been ready for longest gets the next session. */
static void
serve(struct worker *worker)
{
    struct desk_terminal *terminal;

    while (!worker->closing && (terminal = desk_take_delivery(&worker->desk)))
        queue_delivery(worker, terminal);
    deliver(worker);
    while (!worker->closing && desk_waits(&worker->desk)) {
        struct seat *seat = next_seat(&worker->idle);
        if (!seat)
            return;
        start_transaction(seat, desk_take(&worker->desk));
    }
}

static void
on_terminal_ready(void *owner, int64_t now_us)
{
    struct worker *worker = owner;

    advance(worker, now_us);
    serve(worker);
}

/* The terminals that share this session begin with it. */
static void
begin_terminals(struct seat *seat, int64_t now_us)
{
    struct worker *worker = seat->worker;

    for (int i = (int)(seat - worker->seats); i < worker->desk.count; i += worker->tellers_count)
        desk_begin(&worker->desk, i, now_us);
}

static void
on_ready(struct session *session)
{
    struct seat *seat = session->owner;
    struct worker *worker = seat->worker;
    int64_t now_us = loop_now_us(worker->loop);

    set_out(seat, false);
    if (!seat->ready) {
        worker->connecting--;
        loop_post(worker->loop, &worker->connect);
        atomic_fetch_add(&worker->running, 1);
        loop_wake(worker->rules->wake);
    }
    advance(worker, now_us);
    if (worker->closing && !(seat->delivers && deferred_waiting(&worker->deferred) > 0)) {
        end_seat(seat);
        return;
    }
    if (!seat->ready && !seat->delivers)
        begin_terminals(seat, now_us);
    if (seat->held)
        desk_done(&worker->desk, seat->held, now_us, true);
    seat->held = NULL;
    if (!seat->ready && worker->connecting == 0 && worker->next_to_connect == worker->seats_count)
        desk_begin_arrivals(&worker->desk, now_us);
    seat->ready = true;
    set_idle(seat, now_us);
    serve(worker);
}

static void
on_retry(struct session *session, const char *sqlstate, const char *message)
{
    struct seat *seat = session->owner;
    struct worker *worker = seat->worker;

    advance(worker, loop_now_us(worker->loop));
    meter_retry(worker->meter, seat->input.type);
    meter_error(worker->meter, sqlstate, message);
}

static void
count_end(struct seat *seat, const struct session_result *result, bool failed)
{
    struct worker *worker = seat->worker;
    const struct meter_event event = {.input = &seat->input,
                                      .outcome = result->outcome,
                                      .due_us = seat->terminal->due_us,
                                      .first_sent_us = result->first_sent_us,
                                      .sent_us = result->sent_us,
                                      .done_us = result->done_us,
                                      .free_us = seat->free_us,
                                      .districts_skipped = result->districts_skipped,
                                      .committed = result->committed};

    meter_end(worker->meter, &event);
    if (failed)
        meter_error(worker->meter, result->sqlstate, result->message);
    if (result->committed && seat->input.type == TXN_NEW_ORDER)
        worker->home_new_orders[seat->input.of.new_order.warehouse - 1]++;
}

static void
on_ended(struct session *session, const struct session_result *result)
{
    struct seat *seat = session->owner;
    struct worker *worker = seat->worker;
    bool failed = result->outcome == OUTCOME_FAILED || result->outcome == OUTCOME_LOST;
    bool broken = session->state != SESSION_IDLE; /* on_lost or on_broken follows */
    struct desk_terminal *terminal = seat->terminal;

    if (seat->delivers) {
        on_delivered(seat, result);
        return;
    }
    advance(worker, result->done_us);
    count_end(seat, result, failed);
    seat->terminal = NULL;
    if (worker->closing) {
        if (!broken)
            end_seat(seat);
        return;
    }
    if (!broken)
        set_idle(seat, result->done_us);
    /* A virtual user is out with its session; terminals that share sessions go on. */
    if (broken && worker->desk.count == worker->tellers_count)
        seat->held = terminal;
    else
        desk_done(&worker->desk, terminal, result->done_us, failed);
    serve(worker);
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

/* The session comes back, on_ready, or does not, on_broken. */
static void
on_lost(struct session *session, const struct err *err)
{
    struct seat *seat = session->owner;

    keep_first_error(seat->worker, err);
    atomic_fetch_add(&seat->worker->losses, 1);
    if (seat->worker->closing && !(seat->delivers && deferred_waiting(&seat->worker->deferred) > 0))
        end_seat(seat);
    else
        set_out(seat, true);
}

static void
on_broken(struct session *session, const struct err *err)
{
    struct seat *seat = session->owner;
    struct worker *worker = seat->worker;

    keep_first_error(worker, err);
    if (seat->ready && !seat->out)
        atomic_fetch_add(&worker->losses, 1);
    atomic_fetch_add(&worker->lost, 1);
    set_out(seat, false);
    if (!seat->ready) {
        worker->connecting--;
        loop_post(worker->loop, &worker->connect);
    }
    end_seat(seat);
}

static const struct session_events session_events = {
    .ready = on_ready, .retry = on_retry, .ended = on_ended, .lost = on_lost, .broken = on_broken};

static void
on_connect_task(struct loop_task *task)
{
    struct worker *worker = task->owner;

    while (!worker->closing && worker->connecting < CONNECTING_MAX &&
           worker->next_to_connect < worker->seats_count) {
        worker->connecting++;
        session_connect(&worker->seats[worker->next_to_connect++].session);
    }
}

/* The window is closed: whoever has nothing running goes. Deliveries that wait are carried out. */
static void
on_dismiss_task(struct loop_task *task)
{
    struct worker *worker = task->owner;

    desk_close(&worker->desk);
    worker->idle = NULL;
    for (int i = 0; i < worker->tellers_count; i++)
        if (!worker->seats[i].terminal)
            end_seat(&worker->seats[i]);
    end_deliverers(worker, NULL);
}

/* --- wishes of the crew ----------------------------------------------------------------------- */

static void
cancel_all(struct worker *worker)
{
    struct cancels cancels = {0};

    deferred_close(&worker->deferred);
    for (int i = 0; i < worker->seats_count; i++)
        if (worker->seats[i].terminal || worker->seats[i].delivering)
            session_cancel(&worker->seats[i].session, &cancels);
    cancels_send(&cancels);
    end_deliverers(worker, NULL);
}

static void
abandon_all(struct worker *worker)
{
    struct err err;

    worker->closing = true;
    (void)err_set(&err, ERR_CONNECTION, "closed by the driver: no answer in time");
    desk_close(&worker->desk);
    deferred_close(&worker->deferred);
    worker->idle = worker->idle_deliverers = NULL;
    for (int i = 0; i < worker->seats_count; i++) {
        if (worker->seats[i].terminal || worker->seats[i].delivering)
            session_abandon(&worker->seats[i].session, &err);
        end_seat(&worker->seats[i]);
    }
}

static void
on_woken(void *owner)
{
    struct worker *worker = owner;

    if (meter_take_request(worker->meter))
        loop_timer_set(worker->loop, &worker->flip, worker->meter->flip_at_us);
    deliver(worker); /* the collector may have made room */
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

    loop_run(worker->loop);
    return NULL;
}

/* What worker `number` gets of so many. */
static int
share_of(int count, int number, int workers)
{
    return (count - number + workers - 1) / workers;
}

static void
init_seats(struct worker *worker, int number, int workers)
{
    worker->tellers_count = share_of(worker->rules->sessions_count, number, workers);
    worker->seats_count =
        worker->tellers_count + share_of(worker->rules->deliverers_count, number, workers);
    worker->seats = must_calloc((size_t)worker->seats_count, sizeof *worker->seats);
    for (int i = 0; i < worker->seats_count; i++) {
        struct seat *seat = &worker->seats[i];
        uint64_t index = (uint64_t)number + (uint64_t)i * (uint64_t)workers;
        struct rng back_off;
        rng_seed(&back_off, worker->rules->desk->seed, RNG_SCHEDULE, index);
        seat->worker = worker;
        seat->delivers = i >= worker->tellers_count;
        session_init(&seat->session, worker->rules->sessions, &session_events, seat, worker->loop,
                     back_off);
    }
}

struct worker *
worker_new(const struct worker_rules *rules, int number, int workers, struct err *err)
{
    struct worker *worker = must_calloc(1, sizeof *worker);
    size_t warehouses = (size_t)rules->desk->terminals->warehouses;

    worker->rules = rules;
    worker->flip = (struct loop_timer){.fire = on_flip_timer, .owner = worker};
    worker->connect = (struct loop_task){.run = on_connect_task, .owner = worker};
    worker->dismiss = (struct loop_task){.run = on_dismiss_task, .owner = worker};
    pthread_mutex_init(&worker->error_mutex, NULL);
    worker->meter = meter_new();
    worker->home_new_orders = must_calloc(warehouses, sizeof *worker->home_new_orders);
    worker->loop = loop_new(rules->clock, err);
    if (!worker->loop) {
        worker_free(worker);
        return NULL;
    }
    desk_init(&worker->desk, rules->desk, worker->loop, worker->meter, number, workers);
    worker->desk.ready = on_terminal_ready;
    worker->desk.owner = worker;
    init_seats(worker, number, workers);
    if (rules->deliverers_count > 0)
        deferred_init(&worker->deferred);
    loop_reserve_timers(worker->loop, (size_t)worker->desk.count + (size_t)worker->seats_count + 2);
    loop_on_wake(worker->loop, on_woken, worker);
    loop_post(worker->loop, &worker->connect);
    return worker;
}

bool
worker_start(struct worker *worker, struct err *err)
{
    int failure = pthread_create(&worker->thread, NULL, run_thread, worker);

    worker->started = failure == 0;
    return worker->started || err_set(err, ERR_LOCAL, "worker thread: %s", strerror(failure));
}

void
worker_turn(struct worker *worker)
{
    must(!worker->started);
    loop_turn(worker->loop);
}

struct worker_state
worker_look(const struct worker *worker)
{
    return (struct worker_state){.running = atomic_load(&worker->running),
                                 .out = atomic_load(&worker->out),
                                 .losses = atomic_load(&worker->losses),
                                 .lost = atomic_load(&worker->lost),
                                 .ended = atomic_load(&worker->ended),
                                 .ended_deliverers = atomic_load(&worker->ended_deliverers),
                                 .deliveries = atomic_load(&worker->deliveries)};
}

struct meter *
worker_meter(struct worker *worker)
{
    return worker->meter;
}

struct deferred *
worker_deferred(struct worker *worker)
{
    return worker->rules->deliverers_count > 0 ? &worker->deferred : NULL;
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
    if (worker->started)
        must(pthread_join(worker->thread, NULL) == 0);
    else
        loop_run(worker->loop);
}

const uint64_t *
worker_home_new_orders(const struct worker *worker)
{
    return worker->home_new_orders;
}

void
worker_free(struct worker *worker)
{
    if (!worker)
        return;
    loop_free(worker->loop);
    desk_free(&worker->desk);
    deferred_free(&worker->deferred);
    meter_free(worker->meter);
    pthread_mutex_destroy(&worker->error_mutex);
    free(worker->home_new_orders);
    free(worker->seats);
    free(worker);
}
