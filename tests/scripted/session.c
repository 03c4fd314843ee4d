/* Owns what the scripted sessions do. Knows nothing of SQL. */
#include "tests/scripted/session.h"

struct session_script session_script;

/* Of every delivery. */
static const int orders[DISTRICTS_PER_WAREHOUSE] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};

static void
on_timer(struct loop_timer *timer)
{
    struct session *session = timer->owner;

    if (session->state == SESSION_CONNECTING) {
        session->state = SESSION_IDLE;
        session->events->ready(session);
        return;
    }
    struct session_result result = {.outcome = OUTCOME_COMMITTED,
                                    .committed = true,
                                    .sqlstate = "",
                                    .first_sent_us = session->first_sent_us,
                                    .sent_us = session->sent_us,
                                    .done_us = loop_now_us(session->loop)};
    if (session->input->type == TXN_DELIVERY)
        result.orders = orders;
    session->state = SESSION_IDLE;
    session->events->ended(session, &result);
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
                                .timer = {.fire = on_timer}};
    session->timer.owner = session;
}

void
session_connect(struct session *session)
{
    session->state = SESSION_CONNECTING;
    loop_timer_set(session->loop, &session->timer, loop_now_us(session->loop));
}

void
session_run(struct session *session, const struct txn_input *input)
{
    int64_t now_us = loop_now_us(session->loop);
    int64_t service_us = 1000;

    must(session->state == SESSION_IDLE);
    session->state = SESSION_RUNNING;
    session->input = input;
    session->first_sent_us = session->sent_us = now_us;
    if (session_script.service_us)
        service_us = session_script.service_us(session_script.context, session, now_us);
    loop_timer_set(session->loop, &session->timer, now_us + service_us);
}

void
session_cancel(struct session *session, struct cancels *cancels)
{
    (void)session;
    (void)cancels;
}

void
session_close(struct session *session)
{
    loop_timer_clear(session->loop, &session->timer);
    session->state = SESSION_CLOSED;
}

void
session_abandon(struct session *session, const struct err *err)
{
    struct session_result result = {.outcome = OUTCOME_LOST,
                                    .sqlstate = "00000",
                                    .message = err->message,
                                    .first_sent_us = session->first_sent_us,
                                    .sent_us = session->sent_us,
                                    .done_us = loop_now_us(session->loop)};
    bool running = session->state == SESSION_RUNNING;

    session_close(session);
    if (running)
        session->events->ended(session, &result);
}
