/* A whole worker under a simulated clock against scripted sessions: hours of paced terminals in
 * seconds, the same each time. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/stats.h"
#include "driver/worker.h"
#include "tests/scripted/session.h"
#include "tests/unit/simulated.h"

#define SECOND_US INT64_C(1000000)
#define MINUTE_US (60 * SECOND_US)

/* What the scripted server saw. */
struct seen {
    uint64_t calls, running, running_most;
    uint64_t digests[64]; /* of the inputs, in their order, by home warehouse */
    int64_t sent_us[4096];
    int64_t service_us;
};
static struct seen seen;

static uint64_t
mix_in(uint64_t digest, uint64_t value)
{
    return (digest ^ value) * UINT64_C(0x100000001B3) + (digest >> 29);
}

/* Every input begins with its warehouse. */
static int64_t
see(void *context, const struct session *session, int64_t now_us)
{
    const struct txn_input *input = session->input;
    int home = input->of.stock_level.warehouse;
    uint64_t *digest = &seen.digests[home % 64];

    (void)context;
    if (seen.calls < sizeof seen.sent_us / sizeof *seen.sent_us)
        seen.sent_us[seen.calls] = now_us;
    seen.calls++;
    *digest = mix_in(*digest, input->type);
    if (input->type == TXN_NEW_ORDER)
        for (int i = 0; i < input->of.new_order.lines_count; i++)
            *digest = mix_in(*digest, (uint64_t)input->of.new_order.lines[i].item);
    if (input->type == TXN_PAYMENT)
        *digest = mix_in(*digest, (uint64_t)input->of.payment.amount_cents);
    return seen.service_us;
}

struct crew_of {
    struct terminal_rules terminals;
    struct desk_rules desk;
    struct session_rules sessions;
    struct worker_rules rules;
    struct loop *wake;
};

static void
prepare(struct crew_of *crew, int warehouses, int terminals, int sessions, double pacing)
{
    struct err err;

    memset(crew, 0, sizeof *crew);
    memset(&seen, 0, sizeof seen);
    seen.service_us = 1000;
    session_script = (struct session_script){see, NULL};
    simulated_us = 0;
    crew->terminals =
        (struct terminal_rules){.warehouses = warehouses, .constants = {100, 500, 5000}};
    memcpy(crew->terminals.mix, mix_standard, sizeof crew->terminals.mix);
    crew->desk = (struct desk_rules){
        .terminals = &crew->terminals, .count = terminals, .seed = 42, .pacing = pacing};
    crew->wake = loop_new(&simulated_clock, &err);
    assert_non_null(crew->wake);
    crew->rules = (struct worker_rules){.desk = &crew->desk,
                                        .sessions = &crew->sessions,
                                        .sessions_count = sessions,
                                        .clock = &simulated_clock,
                                        .wake = crew->wake};
}

static struct worker *
new_worker(struct crew_of *crew, int number, int workers)
{
    struct err err;
    struct worker *worker = worker_new(&crew->rules, number, workers, &err);

    assert_non_null(worker);
    return worker;
}

/* Turns until that time, closes the half of the meter there and returns it. */
static struct meter_half *
run_until(struct worker *worker, int64_t at_us, bool last)
{
    worker_ask(worker, at_us, last);
    while (!meter_answered(worker_meter(worker)))
        worker_turn(worker);
    return meter_closed(worker_meter(worker));
}

static void
finish(struct crew_of *crew, struct worker *worker)
{
    worker_join(worker);
    worker_free(worker);
    if (crew)
        loop_free(crew->wake);
}

static uint64_t
ended(const struct meter_half *half, int type)
{
    return half->transactions[type].outcomes[OUTCOME_COMMITTED];
}

/* The number of new-orders in a time is all but Poisson's, and less spread: one terminal waits
 * between two of its own. Four standard deviations of it are generous. */
static void
ten_terminals_on_one_warehouse_enter_12_86_new_orders_a_minute(void **state)
{
    const double minutes = 10000, expected = 12.86 * minutes;
    struct crew_of crew;

    (void)state;
    prepare(&crew, 1, 10, 3, 1);
    struct worker *worker = new_worker(&crew, 0, 1);
    struct meter_half *half = run_until(worker, (int64_t)(minutes * MINUTE_US), true);
    assert_true(fabs((double)ended(half, TXN_NEW_ORDER) - expected) < 4 * sqrt(expected));
    for (int type = 0; type < TXN_STANDARD; type++) {
        double keying_us = (double)half->pace.keying_us[type] / (double)half->pace.keyings[type];
        double think_us = (double)half->pace.think_us[type] / (double)half->pace.thinks[type];
        assert_true(keying_us == (double)keying_time_us[type]);
        assert_true(fabs(think_us / (double)think_time_us[type] - 1) < 0.05);
    }
    assert_int_equal(half->skipped, 0);
    finish(&crew, worker);
}

static void
ten_minutes_are_the_same_each_time(void **state)
{
    struct seen first;
    struct crew_of crew;

    (void)state;
    for (int i = 0; i < 2; i++) {
        prepare(&crew, 50, 500, 7, 1);
        struct worker *worker = new_worker(&crew, 0, 1);
        struct meter_half *half = run_until(worker, 10 * MINUTE_US, true);
        assert_in_range(ended(half, TXN_NEW_ORDER), 6100, 6760); /* 6430, +-4 deviations */
        finish(&crew, worker);
        if (i == 0)
            first = seen;
    }
    assert_memory_equal(&first, &seen, sizeof seen);
}

/* One terminal for each warehouse, so that a digest is that of a terminal's stream. */
static void
each_terminal_enters_the_same_whatever_the_number_of_workers(void **state)
{
    uint64_t alone[64];
    struct crew_of crew;

    (void)state;
    prepare(&crew, 30, 30, 30, 1);
    struct worker *one = new_worker(&crew, 0, 1);
    (void)run_until(one, 30 * MINUTE_US, true);
    memcpy(alone, seen.digests, sizeof alone);
    finish(&crew, one);

    prepare(&crew, 30, 30, 30, 1);
    for (int i = 0; i < 3; i++) {
        simulated_us = 0;
        struct worker *worker = new_worker(&crew, i, 3);
        (void)run_until(worker, 30 * MINUTE_US, true);
        finish(i == 2 ? &crew : NULL, worker);
    }
    assert_memory_equal(alone, seen.digests, sizeof alone);
}

/* Terminals that begin together come as evenly as those that have been there for ever: no second
 * of the first mean cycle has more than its share. */
static void
the_load_does_not_arrive_in_waves(void **state)
{
    enum { BINS = 21, TERMINALS = 20000 };
    const double expected = TERMINALS / 20.99;
    double statistic = 0;
    struct crew_of crew;

    (void)state;
    prepare(&crew, 2000, TERMINALS, 50, 1);
    struct worker *worker = new_worker(&crew, 0, 1);
    for (int i = 1; i <= BINS; i++) {
        struct meter_half *half = run_until(worker, i * SECOND_US, i == BINS);
        double count = 0;
        for (int type = 0; type < TXN_TYPES; type++)
            count += (double)ended(half, type);
        meter_half_clear(half);
        statistic += (count - expected) * (count - expected) / expected;
    }
    assert_true(stats_chi_square_p(statistic, BINS) > 0.001);
    finish(&crew, worker);
}

/* Five virtual users, one session, 10 ms for each call: each waits for the four before it. */
static void
waiting_terminals_are_served_in_their_order(void **state)
{
    struct crew_of crew;

    (void)state;
    prepare(&crew, 5, 5, 1, 0);
    seen.service_us = 10000;
    struct worker *worker = new_worker(&crew, 0, 1);
    struct meter_half *half = run_until(worker, 10 * SECOND_US, true);
    const uint64_t *homes = worker_home_new_orders(worker);
    assert_int_equal(half->waiting, 4);
    assert_int_equal(half->virtual_users, 5);
    assert_int_equal(half->lag.max_us, 0);
    assert_int_equal(half->queue.max_us, 40000);
    /* But for the first round, in which the last waits for 40 ms as all do later. */
    assert_true(hist_percentile_us(&half->queue, 0.01) >= 39500);
    for (int i = 0; i < 5; i++)
        assert_in_range(homes[i], 60, 120); /* 45 % of 200 turns each */
    finish(&crew, worker);
}

static void
regular_arrivals_come_by_the_clock(void **state)
{
    struct crew_of crew;

    (void)state;
    prepare(&crew, 4, 4, 4, 0);
    crew.desk.arrivals = ARRIVALS_REGULAR;
    crew.desk.rate_per_minute = 6000;
    struct worker *worker = new_worker(&crew, 0, 1);
    (void)run_until(worker, 10 * SECOND_US + 5000, true);
    assert_in_range(seen.calls, 999, 1001);
    for (int i = 1; i < 900; i++)
        assert_int_equal(seen.sent_us[i] - seen.sent_us[i - 1], 10000);
    finish(&crew, worker);
}

static void
poisson_arrivals_have_the_rate(void **state)
{
    struct crew_of crew;

    (void)state;
    prepare(&crew, 4, 40, 40, 0);
    crew.desk.arrivals = ARRIVALS_POISSON;
    crew.desk.rate_per_minute = 60000;
    struct worker *worker = new_worker(&crew, 0, 1);
    (void)run_until(worker, 100 * SECOND_US, true);
    assert_true(fabs((double)seen.calls - 100000) < 4 * sqrt(100000));
    finish(&crew, worker);
}

static int64_t
stop_once(void *context, const struct session *session, int64_t now_us)
{
    (void)context;
    (void)session;
    return now_us >= 10 * SECOND_US && now_us < 15 * SECOND_US ? 15 * SECOND_US - now_us : 1000;
}

/* 100 arrivals a second meet a server that stands still for five of sixty seconds: one in twelve
 * waits, on average half of that time. Only two calls run meanwhile: service times do not show. */
static void
a_stop_shows_in_response_times_and_not_in_service_times(void **state)
{
    struct crew_of crew;

    (void)state;
    prepare(&crew, 2, 2, 2, 0);
    session_script.service_us = stop_once;
    crew.desk.arrivals = ARRIVALS_REGULAR;
    crew.desk.rate_per_minute = 6000;
    struct worker *worker = new_worker(&crew, 0, 1);
    struct meter_half *half = run_until(worker, 60 * SECOND_US, true);
    const struct txn_stats *stats = &half->transactions[TXN_NEW_ORDER];
    assert_true(hist_percentile_us(&stats->response, 0.99) > 4 * SECOND_US);
    assert_true(hist_percentile_us(&stats->response, 0.90) < SECOND_US);
    assert_true(hist_percentile_us(&stats->service, 0.99) < 1010);
    assert_int_equal(half->skipped, 0);
    finish(&crew, worker);
}

/* Of the calls of one virtual user the first waits for a lock for 90 s, the tenth for two hours. */
static int64_t
wait_long(void *context, const struct session *session, int64_t now_us)
{
    (void)context;
    (void)session;
    (void)now_us;
    return seen.calls++ == 0 ? 90 * SECOND_US : seen.calls == 10 ? 7200 * SECOND_US : 1000;
}

/* Neither is cut to some longest time, nor lost because it spans thousands of seconds. */
static void
long_waits_keep_their_length(void **state)
{
    struct crew_of crew;
    struct hist all = {0};

    (void)state;
    prepare(&crew, 1, 1, 1, 0);
    session_script.service_us = wait_long;
    memcpy(crew.terminals.mix, (int[TXN_TYPES]){0, 100, 0, 0, 0}, sizeof crew.terminals.mix);
    struct worker *worker = new_worker(&crew, 0, 1);
    for (int second = 1; second <= 91; second++) {
        struct meter_half *half = run_until(worker, second * SECOND_US, false);
        if (second == 90)
            assert_int_equal(half->transactions[TXN_PAYMENT].response.count, 0);
        hist_merge(&all, &half->transactions[TXN_PAYMENT].response);
        meter_half_clear(half);
    }
    assert_int_equal(all.max_us, 90 * SECOND_US);
    assert_int_equal(hist_percentile_us(&all, 1.0), 90 * SECOND_US);
    struct meter_half *half = run_until(worker, 7300 * SECOND_US, true);
    assert_int_equal(half->transactions[TXN_PAYMENT].response.max_us, 7200 * SECOND_US);
    assert_int_equal(half->transactions[TXN_PAYMENT].service.max_us, 7200 * SECOND_US);
    finish(&crew, worker);
}

/* A server that never answers: two calls run, the backlog fills, the rest is skipped. */
static int64_t
never(void *context, const struct session *session, int64_t now_us)
{
    (void)context;
    (void)session;
    (void)now_us;
    return 3600 * SECOND_US;
}

static void
a_backlog_is_bounded_and_what_is_past_it_is_counted(void **state)
{
    struct crew_of crew;

    (void)state;
    prepare(&crew, 2, 2, 2, 0);
    session_script.service_us = never;
    crew.desk.arrivals = ARRIVALS_REGULAR;
    crew.desk.rate_per_minute = 60 * 10000;
    struct worker *worker = new_worker(&crew, 0, 1);
    struct meter_half *half = run_until(worker, 10 * SECOND_US, true);
    assert_int_equal(half->waiting, BACKLOG_MAX);
    assert_int_equal(half->in_flight, 2);
    assert_in_range(half->skipped, 100000 - BACKLOG_MAX - 4, 100000 - BACKLOG_MAX - 1);
    finish(&crew, worker);
}

/* --- deferred deliveries ---------------------------------------------------------------------- */

/* A delivery takes ten seconds, anything else a millisecond. */
static int64_t
slow_deliveries(void *context, const struct session *session, int64_t now_us)
{
    (void)context;
    (void)now_us;
    return session->input->type == TXN_DELIVERY ? 10 * SECOND_US : 1000;
}

static void
prepare_deferred(struct crew_of *crew, int warehouses, int terminals, int sessions, double pacing)
{
    prepare(crew, warehouses, terminals, sessions, pacing);
    crew->desk.defers = true;
    crew->rules.deliverers_count = 1;
}

/* 100 terminals at the standard's pace enter 100 / 20.99 s * 4 % = 0.19 deliveries a second, twice
 * what a session can carry out that needs ten seconds for each. Terminals do not wait for it. */
static void
a_deferred_delivery_is_answered_when_it_is_queued(void **state)
{
    struct crew_of crew;
    struct deferred_record record;
    uint64_t done = 0;

    (void)state;
    prepare_deferred(&crew, 10, 100, 20, 1);
    session_script.service_us = slow_deliveries;
    struct worker *worker = new_worker(&crew, 0, 1);
    struct meter_half *half = run_until(worker, 10 * MINUTE_US, true);
    uint64_t queued = ended(half, TXN_DELIVERY);
    assert_in_range(queued, 72, 158); /* 115, +-4 deviations */
    assert_int_equal(half->transactions[TXN_DELIVERY].response.max_us, 0);
    assert_int_equal(half->transactions[TXN_NEW_ORDER].response.max_us, 1000);
    assert_int_equal(half->in_flight + half->waiting, 0);
    while (deferred_take(worker_deferred(worker), 10 * MINUTE_US, &record)) {
        done++;
        assert_true(record.done_us - record.queued_us >= 10 * SECOND_US);
        assert_int_equal(record.orders[9], 10);
    }
    /* One after the other, ten seconds each, from the first one on. */
    assert_in_range(done, 55, 60);
    assert_int_equal(half->inputs.deliveries, done);
    /* After the window those that wait are carried out; then all sessions have ended. */
    while (worker_look(worker).ended < 21)
        worker_turn(worker);
    while (deferred_take(worker_deferred(worker), INT64_MAX, &record))
        done++;
    assert_int_equal(done, queued);
    assert_true(simulated_us >= (int64_t)(queued - 1) * 10 * SECOND_US);
    finish(&crew, worker);
}

/* A virtual user that does nothing but deliver, and a session that never answers: the queue fills,
 * then deliveries fail, and pause. */
static void
a_full_queue_refuses_deliveries(void **state)
{
    struct crew_of crew;

    (void)state;
    prepare_deferred(&crew, 1, 1, 1, 0);
    session_script.service_us = never;
    memset(crew.terminals.mix, 0, sizeof crew.terminals.mix);
    crew.terminals.mix[TXN_DELIVERY] = 100;
    struct worker *worker = new_worker(&crew, 0, 1);
    struct meter_half *half = run_until(worker, 10 * SECOND_US, true);
    const struct txn_stats *stats = &half->transactions[TXN_DELIVERY];
    assert_int_equal(stats->outcomes[OUTCOME_COMMITTED], DEFERRED_QUEUE_MAX + 1);
    assert_in_range(stats->outcomes[OUTCOME_FAILED], 10, 30); /* 2^10 ms between them in the end */
    assert_string_equal(half->errors[0].sqlstate, WORKER_QUEUE_FULL);
    assert_int_equal(worker_look(worker).deliveries, DEFERRED_QUEUE_MAX + 1);
    finish(&crew, worker);
}

/* The worker is told to end at once: what runs is lost, what waits is left. */
static void
deliveries_that_are_left_are_counted(void **state)
{
    struct crew_of crew;
    struct deferred_record record;
    uint64_t lost = 0;

    (void)state;
    prepare_deferred(&crew, 10, 100, 20, 1);
    session_script.service_us = never;
    struct worker *worker = new_worker(&crew, 0, 1);
    struct meter_half *half = run_until(worker, 10 * MINUTE_US, true);
    uint64_t queued = ended(half, TXN_DELIVERY);
    worker_join(worker);
    while (deferred_take(worker_deferred(worker), INT64_MAX, &record))
        lost += record.outcome == OUTCOME_LOST;
    assert_int_equal(lost, 1);
    assert_int_equal(deferred_left(worker_deferred(worker), 0), queued - 1);
    worker_free(worker);
    loop_free(crew.wake);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_terminals_on_one_warehouse_enter_12_86_new_orders_a_minute),
        cmocka_unit_test(ten_minutes_are_the_same_each_time),
        cmocka_unit_test(each_terminal_enters_the_same_whatever_the_number_of_workers),
        cmocka_unit_test(the_load_does_not_arrive_in_waves),
        cmocka_unit_test(waiting_terminals_are_served_in_their_order),
        cmocka_unit_test(regular_arrivals_come_by_the_clock),
        cmocka_unit_test(poisson_arrivals_have_the_rate),
        cmocka_unit_test(a_stop_shows_in_response_times_and_not_in_service_times),
        cmocka_unit_test(long_waits_keep_their_length),
        cmocka_unit_test(a_backlog_is_bounded_and_what_is_past_it_is_counted),
        cmocka_unit_test(a_deferred_delivery_is_answered_when_it_is_queued),
        cmocka_unit_test(a_full_queue_refuses_deliveries),
        cmocka_unit_test(deliveries_that_are_left_are_counted),
    };

    return cmocka_run_group_tests_name("worker", tests, NULL, NULL);
}
