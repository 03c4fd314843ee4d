/* Owns one struct pg and what may happen to it. The watch for input stays armed for the life of the
 * connection, so that a transaction costs one send, one receive and no call to change a watch. */
#include "driver/session.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "common/sql.h"

#define POOLER_HINT      "behind a connection pooler in transaction mode, run with --protocol extended"
#define UNKNOWN_SQLSTATE "00000" /* the server gave none */

/* Edge-triggered, so that the kernel need not look at a socket again that has been read. Nothing is
 * missed: an answer that is not complete arms the watch anew, and a socket that was closed behind
 * its last answer says so in the same event. */
#define READABLE (EPOLLIN | EPOLLRDHUP | EPOLLET)

#define READ_SIZE 16384 /* most answers are a tenth of it */

static void on_readable(struct loop_watch *watch, uint32_t events);
static void on_timer(struct loop_timer *timer);
static void on_sent(struct loop_send *sending, ssize_t sent);

void
session_rules_init(struct session_rules *rules, struct arena *arena, const struct pg_target *target,
                   const struct driver_options *options)
{
    *rules =
        (struct session_rules){.target = target, .purpose = options->nothing ? "calibrate" : "run"};
    call_rules_init(&rules->calls, arena, options);
}

void
session_init(struct session *session, const struct session_rules *rules,
             const struct session_events *events, void *owner, struct loop *loop,
             struct rng back_off)
{
    *session = (struct session){.rules = rules,
                                .events = events,
                                .owner = owner,
                                .loop = loop,
                                .back_off = back_off,
                                .watch = {.ready = on_readable},
                                .timer = {.fire = on_timer},
                                .sending = {.sent = on_sent}};
    session->watch.owner = session->timer.owner = session->sending.owner = session;
}

void
session_close(struct session *session)
{
    loop_timer_clear(session->loop, &session->timer);
    loop_unwatch(session->loop, &session->watch);
    loop_unsend(session->loop, &session->sending);
    pg_close(session->pg);
    session->pg = NULL;
    session->is_direct = false;
    session->state = SESSION_CLOSED;
}

static bool
has_transaction(const struct session *session)
{
    return session->state == SESSION_RUNNING || session->state == SESSION_RETRYING;
}

/* The connection is gone. Whether what ran has committed is then unknown: it is lost. A try that
 * was rolled back before, or whose COMMIT was not sent yet, has only failed. */
void
session_abandon(struct session *session, const struct err *err)
{
    bool may_have_committed =
        session->state == SESSION_RUNNING && call_may_have_committed(&session->call);
    struct session_result result = {.outcome = may_have_committed ? OUTCOME_LOST : OUTCOME_FAILED,
                                    .sqlstate = err->sqlstate[0] ? err->sqlstate : UNKNOWN_SQLSTATE,
                                    .message = err->message,
                                    .first_sent_us = session->first_sent_us,
                                    .sent_us = session->sent_us,
                                    .done_us = loop_now_us(session->loop)};
    bool had_transaction = has_transaction(session);

    session_close(session);
    if (had_transaction)
        session->events->ended(session, &result);
}

static void
break_off(struct session *session, const struct err *err)
{
    struct reconnect *reconnect = &session->reconnect;
    int64_t now_us = loop_now_us(session->loop), due_us;
    bool first = !reconnect->active;

    session_abandon(session, err);
    if (session->was_ready && session->rules->reconnect_us > 0) {
        reconnect_begin(reconnect, now_us, session->rules->reconnect_us);
        if (reconnect_next(reconnect, &session->back_off, now_us, &due_us)) {
            session->state = SESSION_WAITING;
            loop_timer_set(session->loop, &session->timer, due_us);
            if (first)
                session->events->lost(session, err);
            return;
        }
    }
    session->events->broken(session, err);
}

/* Goes on after a request was handed to libpq, or sent without it. */
static void
after_send(struct session *session, enum pg_state state, const struct err *err)
{
    uint32_t wanted = state == PG_WRITE ? READABLE | EPOLLOUT : READABLE;

    if (state == PG_FAILED)
        break_off(session, err);
    else if (session->watch.events != wanted)
        loop_watch(session->loop, &session->watch, pg_socket(session->pg), wanted);
}

/* --- connecting and preparing ----------------------------------------------------------------- */

static void
prepare_next(struct session *session)
{
    const struct txn_statement *statement = &session->rules->calls.statements[session->prepared];
    struct err err;
    enum pg_state state = pg_send_prepare(session->pg, statement->name, statement->sql,
                                          statement->count, statement->types, &err);

    after_send(session, state, &err);
}

/* Libpq has prepared the statements and has nothing more to do; where the stream is not encrypted,
 * the calls are sent and read without it. */
static void
pass_libpq_by(struct session *session)
{
    const struct call_rules *rules = &session->rules->calls;

    session->is_direct = !session->rules->libpq_alone && rules->protocol == CALL_PREPARED &&
                         rules->mode != CALL_STATEMENTS && pg_hand_over(session->pg) >= 0;
    if (session->is_direct)
        direct_begin(&session->direct);
}

static void
become_ready(struct session *session)
{
    pass_libpq_by(session);
    loop_timer_clear(session->loop, &session->timer);
    reconnect_done(&session->reconnect);
    session->was_ready = true;
    session->state = SESSION_IDLE;
    session->events->ready(session);
}

static void
on_connected(struct session *session)
{
    const struct call_rules *rules = &session->rules->calls;
    struct err err;

    if (session->rules->backends)
        backends_add(session->rules->backends, session->pg);
    session->state = SESSION_PREPARING;
    session->prepared = 0;
    if (rules->mode == CALL_STATEMENTS && !pg_use_trips(session->pg, &err))
        break_off(session, &err);
    else if (rules->protocol == CALL_PREPARED)
        prepare_next(session);
    else
        become_ready(session);
}

static void
on_connect_state(struct session *session, enum pg_state state, const struct err *err)
{
    switch (state) {
    case PG_READ:
    case PG_WRITE:
        /* The descriptor may be a new one: libpq tries address after address. */
        loop_watch(session->loop, &session->watch, pg_socket(session->pg),
                   state == PG_READ ? EPOLLIN : EPOLLOUT);
        break;
    case PG_DONE:
        loop_watch(session->loop, &session->watch, pg_socket(session->pg), READABLE);
        on_connected(session);
        break;
    case PG_FAILED: break_off(session, err); break;
    }
}

void
session_connect(struct session *session)
{
    int64_t bound_us = loop_now_us(session->loop) + SESSION_CONNECT_US;
    struct err err;

    must(session->state == SESSION_CLOSED || session->state == SESSION_WAITING);
    session->state = SESSION_CONNECTING;
    if (session->reconnect.active && session->reconnect.end_us < bound_us)
        bound_us = session->reconnect.end_us;
    session->pg = pg_connect_start(session->rules->target, session->rules->purpose, &err);
    if (!session->pg) {
        break_off(session, &err);
        return;
    }
    loop_timer_set(session->loop, &session->timer, bound_us);
    /* As libpq asks: at first as if it had said that it wants to write. */
    on_connect_state(session, PG_WRITE, NULL);
}

/* What comes of statements that another session prepared, or that this one's next does not have. */
static bool
is_pooled_away(const char *sqlstate)
{
    return strcmp(sqlstate, "26000") == 0 || strcmp(sqlstate, "42P05") == 0 ||
           strcmp(sqlstate, "08P01") == 0;
}

static void
on_prepared(struct session *session)
{
    const struct pg_rows *answer = pg_answer(session->pg);
    struct err err;

    if (!answer || !pg_rows_ok(answer)) {
        char message[256] = "no answer";
        if (answer)
            pg_rows_message(answer, message, sizeof message);
        (void)err_set(&err, ERR_SERVER, "preparing %s: %s",
                      session->rules->calls.statements[session->prepared].name, message);
        if (answer && is_pooled_away(pg_rows_sqlstate(answer)))
            err_hint(&err, POOLER_HINT);
        break_off(session, &err);
        return;
    }
    if (++session->prepared < session->rules->calls.statements_count) {
        prepare_next(session);
        return;
    }
    become_ready(session);
}

/* --- running ---------------------------------------------------------------------------------- */

static void
send_direct(struct session *session)
{
    const char *from;
    size_t left = direct_unsent(&session->direct, &from);

    session->sending.fd = session->watch.fd;
    session->sending.bytes = from;
    session->sending.size = left;
    loop_send(session->loop, &session->sending);
}

/* What cannot be sent is held for sent, as libpq does it: the server may have said why it went, and
 * that is read next. */
static void
on_sent(struct loop_send *sending, ssize_t sent)
{
    struct session *session = sending->owner;
    const char *from;

    if (sent < 0 && sent != -EAGAIN && sent != -EINTR) {
        loop_watch(session->loop, &session->watch, session->watch.fd, READABLE);
        sent = (ssize_t)sending->size;
    }
    direct_was_sent(&session->direct, sent > 0 ? (size_t)sent : 0);
    after_send(session, direct_unsent(&session->direct, &from) > 0 ? PG_WRITE : PG_READ, NULL);
}

static void
send_trip(struct session *session)
{
    struct err err;

    if (session->is_direct) {
        direct_ask(&session->direct, call_encode(&session->call));
        send_direct(session);
    } else {
        after_send(session, call_send(&session->call, session->pg, &err), &err);
    }
}

static void
start_try(struct session *session)
{
    session->state = SESSION_RUNNING;
    session->tries++;
    session->sent_us = loop_now_us(session->loop);
    if (session->tries == 1)
        session->first_sent_us = session->sent_us;
    call_begin(&session->call, &session->rules->calls, session->input);
    send_trip(session);
}

void
session_run(struct session *session, const struct txn_input *input)
{
    must(session->state == SESSION_IDLE);
    session->input = input;
    session->tries = 0;
    start_try(session);
}

static void
finish(struct session *session, struct session_result *result)
{
    result->first_sent_us = session->first_sent_us;
    result->sent_us = session->sent_us;
    session->state = SESSION_IDLE;
    session->events->ended(session, result);
}

/* Serialization failure and deadlock: the same input has its chance again. The pause is random, so
 * that those who met do not meet again. */
static bool
try_again(struct session *session, const char *sqlstate, const char *message)
{
    if ((strcmp(sqlstate, "40001") != 0 && strcmp(sqlstate, "40P01") != 0) ||
        session->tries >= SESSION_TRIES_MAX)
        return false;
    session->events->retry(session, sqlstate, message);
    int64_t pause_us = SESSION_BACK_OFF_US << (session->tries < 6 ? session->tries - 1 : 5);
    session->state = SESSION_RETRYING;
    loop_timer_set(session->loop, &session->timer,
                   loop_now_us(session->loop) +
                       rng_range(&session->back_off, pause_us / 2, pause_us + pause_us / 2));
    return true;
}

/* False: another round trip follows. */
static bool
take_answer(struct session *session)
{
    if (!session->is_direct)
        return call_take(&session->call, session->pg);
    call_take_answer(&session->call, &session->direct.answer);
    return true;
}

static void
on_answer(struct session *session)
{
    int64_t now_us = loop_now_us(session->loop);
    struct call_end *end = &session->call.end;
    size_t length;

    if (!take_answer(session)) {
        send_trip(session);
        return;
    }
    struct session_result result = {.outcome = end->outcome,
                                    .committed = end->committed,
                                    .sqlstate = end->sqlstate,
                                    .message = end->message,
                                    .done_us = now_us,
                                    .districts_skipped = end->districts_skipped,
                                    .orders = end->delivered ? end->orders : NULL};
    bool failed = end->outcome == OUTCOME_FAILED || end->outcome == OUTCOME_LOST;
    if (failed && try_again(session, end->sqlstate, end->message))
        return;
    if (failed && is_pooled_away(end->sqlstate)) {
        length = strlen(session->call.message);
        snprintf(session->call.message + length, sizeof session->call.message - length, "; %s",
                 POOLER_HINT);
    }
    if (failed && !*end->sqlstate)
        result.sqlstate = UNKNOWN_SQLSTATE;
    finish(session, &result);
}

/* --- events ----------------------------------------------------------------------------------- */

static void
receive_direct(struct session *session)
{
    char bytes[READ_SIZE];
    ssize_t got = recv(session->watch.fd, bytes, sizeof bytes, MSG_DONTWAIT);
    int error = got < 0 ? errno : 0;
    bool nothing = error == EAGAIN || error == EINTR;
    enum direct_state state = DIRECT_BROKEN;
    struct err err;

    if (nothing || got == (ssize_t)sizeof bytes) /* there may be more */
        loop_watch(session->loop, &session->watch, session->watch.fd, session->watch.events);
    if (nothing)
        return;
    if (got > 0) {
        state = direct_take(&session->direct, bytes, (size_t)got, &err);
    } else {
        pg_lost(session->pg, error, &err);
        direct_last_word(&session->direct, &err);
    }
    if (state == DIRECT_BROKEN)
        break_off(session, &err);
    else if (state == DIRECT_ANSWERED)
        on_answer(session);
}

static void
receive(struct session *session)
{
    struct err err;

    if (session->is_direct) {
        receive_direct(session);
        return;
    }
    enum pg_state state = pg_receive(session->pg, &err);

    if (state == PG_FAILED)
        break_off(session, &err);
    else if (state != PG_DONE)
        loop_watch(session->loop, &session->watch, session->watch.fd, session->watch.events);
    else if (session->state == SESSION_PREPARING)
        on_prepared(session);
    else if (session->state == SESSION_RUNNING)
        on_answer(session);
    /* Else it was a notice. */
}

static void
flush(struct session *session)
{
    struct err err;

    if (!session->is_direct)
        after_send(session, pg_flush(session->pg, &err), &err);
    else if (!session->sending.queued)
        send_direct(session);
}

static void
on_readable(struct loop_watch *watch, uint32_t events)
{
    struct session *session = watch->owner;
    struct err err;

    if (session->state == SESSION_CONNECTING) {
        enum pg_state state = pg_connect_step(session->pg, &err);
        on_connect_state(session, state, &err);
        return;
    }
    if (events & EPOLLOUT) {
        flush(session);
        if (!session->pg)
            return;
    }
    if (events & ~(uint32_t)EPOLLOUT)
        receive(session);
    if (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR) && session->pg)
        receive(session);
}

static void
on_timer(struct loop_timer *timer)
{
    struct session *session = timer->owner;
    struct err err;

    if (session->state == SESSION_RETRYING) {
        start_try(session);
        return;
    }
    if (session->state == SESSION_WAITING) {
        session_connect(session);
        return;
    }
    (void)err_set(&err, ERR_CONNECTION, "the server gave no session in time");
    break_off(session, &err);
}

void
session_cancel(struct session *session, struct cancels *cancels)
{
    struct session_result result = {.outcome = OUTCOME_FAILED,
                                    .sqlstate = "57014",
                                    .message = "gave up retrying at the end of the run",
                                    .done_us = loop_now_us(session->loop)};

    if (session->state == SESSION_RUNNING) {
        cancels_add(cancels, session->pg);
    } else if (session->state == SESSION_RETRYING) {
        loop_timer_clear(session->loop, &session->timer);
        finish(session, &result);
    }
}
