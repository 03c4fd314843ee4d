/* Each verdict: a sound step passes; one thing broken at a time is named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/inputs.h"
#include "common/verdict.h"
#include "tests/unit/sample.h"

static struct arena arena;
static struct step step;
static struct verdict verdicts[VERDICTS];

static int
fresh_step(void **state)
{
    (void)state;
    sample_step(&arena, &step, 8, 310);
    return 0;
}

static int
forget(void **state)
{
    (void)state;
    arena_free(&arena);
    return 0;
}

static void
expect(enum verdict_kind kind, enum verdict_outcome outcome, const char *figure)
{
    verdict_step(&step, verdicts);
    assert_string_equal(verdict_outcome_names[verdicts[kind].outcome],
                        verdict_outcome_names[outcome]);
    if (!strstr(verdicts[kind].figure, figure))
        fail_msg("\"%s\" does not hold \"%s\"", verdicts[kind].figure, figure);
}

static void
sound_step_passes(void **state)
{
    (void)state;
    verdict_step(&step, verdicts);
    for (int i = 0; i < VERDICTS; i++) {
        bool alone = i == VERDICT_REPEATABLE || i == VERDICT_COMPARABLE; /* needs more steps */
        if (verdicts[i].outcome != (alone ? VERDICT_NOT_TESTED : VERDICT_PASS))
            fail_msg("%s: %s", verdict_names[i], verdicts[i].figure);
        assert_non_null(verdicts[i].rule);
    }
    assert_false(verdict_any_failed(verdicts));
}

static void
consistency_is_exact(void **state)
{
    (void)state;
    step.counted[GROWTH_NEW_ORDERS] = 1234567;
    step.grown[GROWTH_NEW_ORDERS] = 1234567;
    expect(VERDICT_CONSISTENCY, VERDICT_PASS, "driver 1,234,567 new-orders, database 1,234,567");
    step.grown[GROWTH_NEW_ORDERS]++;
    expect(VERDICT_CONSISTENCY, VERDICT_FAIL, "database 1,234,568");
    assert_true(verdict_any_failed(verdicts));
    step.grown[GROWTH_NEW_ORDERS] = -1;
    expect(VERDICT_CONSISTENCY, VERDICT_NOT_TESTED, "not known");
    assert_false(verdict_any_failed(verdicts));
}

static void
consistency_names_what_differs(void **state)
{
    (void)state;
    step.counted[GROWTH_QUANTITY] = 5500;
    step.grown[GROWTH_QUANTITY] = 5501;
    expect(VERDICT_CONSISTENCY, VERDICT_FAIL, "; quantity ordered 5,500, 5,501");
    step.grown[GROWTH_QUANTITY] = -1; /* not looked at */
    expect(VERDICT_CONSISTENCY, VERDICT_PASS, "driver ");
    step.grown[GROWTH_PAYMENTS] = 1;
    step.counted[GROWTH_ORDER_LINES] = 1;
    expect(VERDICT_CONSISTENCY, VERDICT_FAIL, "; order lines 1, 0; payments 0, 1");
}

static void
lost_transactions_leave_a_range(void **state)
{
    (void)state;
    step.counted[GROWTH_PAYMENTS] = 100;
    step.uncertain[GROWTH_PAYMENTS] = 2;
    step.grown[GROWTH_PAYMENTS] = 102;
    expect(VERDICT_CONSISTENCY, VERDICT_PASS, "; up to 2 more by lost transactions");
    step.grown[GROWTH_PAYMENTS] = 103;
    expect(VERDICT_CONSISTENCY, VERDICT_FAIL, "; payments 100, 103");
    step.grown[GROWTH_PAYMENTS] = 99;
    expect(VERDICT_CONSISTENCY, VERDICT_FAIL, "; payments 100, 99");
}

static void
a_connection_made_anew_is_still_a_loss(void **state)
{
    (void)state;
    step.connections_lost = 1;
    expect(VERDICT_ERRORS, VERDICT_FAIL, "; 1 connection lost");
}

static void
stock_has_its_bounds(void **state)
{
    (void)state;
    step.stock_quantity_min = 10;
    step.stock_quantity_max = 100;
    expect(VERDICT_CONSISTENCY, VERDICT_PASS, "driver ");
    step.stock_quantity_min = 9;
    expect(VERDICT_CONSISTENCY, VERDICT_FAIL, "; stock 9 to 100");
    step.stock_quantity_min = 10;
    step.stock_quantity_max = 101;
    expect(VERDICT_CONSISTENCY, VERDICT_FAIL, "; stock 10 to 101");
}

static void
mix_needs_the_standard_one(void **state)
{
    (void)state;
    step.mix[TXN_NEW_ORDER] = 44;
    step.mix[TXN_PAYMENT] = 44;
    for (int type = 0; type < TXN_TYPES; type++) {
        step.transactions[type].outcomes[OUTCOME_COMMITTED] = 100 * (uint64_t)step.mix[type];
        step.transactions[type].outcomes[OUTCOME_ROLLED_BACK] = 0;
    }
    expect(VERDICT_MIX, VERDICT_NOT_TESTED, "44,44,4,4,4, not the standard one; chi-square");
    /* A third too many of one type is not chance. */
    step.transactions[TXN_DELIVERY].outcomes[OUTCOME_COMMITTED] += 144;
    expect(VERDICT_MIX, VERDICT_FAIL, "p 0.0000");
    memset(step.mix, 0, sizeof step.mix);
    step.mix[TXN_NEW_ORDER] = 100; /* one type alone is no sample */
    for (int type = 1; type < TXN_TYPES; type++)
        step.transactions[type].outcomes[OUTCOME_COMMITTED] = 0;
    expect(VERDICT_MIX, VERDICT_NOT_TESTED, "the mix was 100,0,0,0,0, not the standard one");
}

static void
mix_needs_transactions(void **state)
{
    (void)state;
    memset(step.transactions, 0, sizeof step.transactions);
    step.transactions[TXN_NEW_ORDER].outcomes[OUTCOME_COMMITTED] = 999;
    expect(VERDICT_MIX, VERDICT_NOT_TESTED, "only 999 transactions");
}

/* A third of the payments gone: the share is far below 43 % whatever chance does. */
static void
mix_fails_below_a_minimum_share(void **state)
{
    (void)state;
    step.transactions[TXN_PAYMENT].outcomes[OUTCOME_COMMITTED] =
        step.transactions[TXN_PAYMENT].outcomes[OUTCOME_COMMITTED] * 2 / 3;
    expect(VERDICT_MIX, VERDICT_FAIL, "share of Payment");
}

/* 42.5 % of 2,000 is below 43 % but within what chance does; of 2,000,000 it is not. */
static void
mix_allows_for_chance(void **state)
{
    static const uint64_t shares[TXN_TYPES] = {455, 425, 40, 40, 40};
    struct input_check checks[INPUTS];
    (void)state;

    for (int i = 0; i < TXN_TYPES; i++)
        step.transactions[i].outcomes[OUTCOME_COMMITTED] = 2 * shares[i];
    step.transactions[TXN_NEW_ORDER].outcomes[OUTCOME_ROLLED_BACK] = 0;
    inputs_check(&step, checks);
    assert_true(checks[INPUT_MIX_PAYMENT].within);
    assert_true(checks[INPUT_MIX_PAYMENT].measured < 43);
    for (int i = 0; i < TXN_TYPES; i++)
        step.transactions[i].outcomes[OUTCOME_COMMITTED] = 2000 * shares[i];
    inputs_check(&step, checks);
    assert_false(checks[INPUT_MIX_PAYMENT].within);
    assert_true(checks[INPUT_MIX_DELIVERY].within);
}

static void
inputs_out_of_range_are_named(void **state)
{
    (void)state;
    step.inputs.rollbacks_intended *= 2;
    expect(VERDICT_MIX, VERDICT_FAIL, "intended rollbacks");
    sample_step(&arena, &step, 8, 310);
    step.inputs.payments_remote = step.inputs.payments;
    expect(VERDICT_MIX, VERDICT_FAIL, "remote payments 100 % (allowed 14 to 16)");
    sample_step(&arena, &step, 8, 310);
    step.inputs.lines_per_order[5] += step.inputs.lines_per_order[15];
    step.inputs.lines_per_order[15] = 0;
    expect(VERDICT_MIX, VERDICT_FAIL, "evenly 5 to 15");
}

static void
one_warehouse_has_nothing_remote(void **state)
{
    struct input_check checks[INPUTS];
    (void)state;

    step.warehouses = 1;
    step.inputs.remote_lines = step.inputs.payments_remote = 0;
    inputs_check(&step, checks);
    assert_false(checks[INPUT_REMOTE_LINES].judged);
    assert_false(checks[INPUT_REMOTE_PAYMENTS].judged);
    expect(VERDICT_MIX, VERDICT_PASS, "10 of 12 limits");
}

/* At most 1 % of the deliveries, or one; it does not matter how many districts each of them
 * skipped. */
static void
skipped_deliveries(void **state)
{
    struct input_check checks[INPUTS];
    (void)state;

    step.inputs.deliveries = 199;
    step.inputs.deliveries_skipping = 1;
    step.inputs.districts_skipped = 10;
    inputs_check(&step, checks);
    assert_true(checks[INPUT_DELIVERIES_SKIPPING].within);
    step.inputs.deliveries_skipping = 2;
    inputs_check(&step, checks);
    assert_false(checks[INPUT_DELIVERIES_SKIPPING].within);
    step.inputs.deliveries = 200;
    inputs_check(&step, checks);
    assert_true(checks[INPUT_DELIVERIES_SKIPPING].within);
}

/* 10,000 in the mean: 1,000 off are allowed, which is more than four times the root. 100: 40. */
static void
homes_are_even_within_a_tenth_and_within_chance(void **state)
{
    (void)state;
    step.warehouses = 10;
    step.counted[GROWTH_NEW_ORDERS] = 100000;
    step.home_new_orders_least = 9000;
    step.home_new_orders_most = 11000;
    assert_true(step_homes_even(&step));
    step.home_new_orders_most = 11001;
    assert_false(step_homes_even(&step));
    step.home_new_orders_most = 11000;
    step.home_new_orders_least = 8999;
    assert_false(step_homes_even(&step));
    step.counted[GROWTH_NEW_ORDERS] = 1000;
    step.home_new_orders_least = 60;
    step.home_new_orders_most = 140;
    assert_true(step_homes_even(&step));
    step.home_new_orders_most = 141;
    assert_false(step_homes_even(&step));
}

/* Nine in ten of all that were queued; what failed or never began was not in time. */
static void
deferred_deliveries_have_80_seconds(void **state)
{
    (void)state;
    step.delivery_sessions = 1;
    step.deferred = (struct deferred_stats){.queued = 100, .done = 95, .left = 5, .in_time = 90};
    expect(VERDICT_LATENCY, VERDICT_PASS, " p90 ");
    step.deferred.in_time = 89;
    expect(VERDICT_LATENCY, VERDICT_FAIL,
           "89.0 % of 100 deferred deliveries done within 80 s of being queued (limit 90 %)");
}

static void
deferred_deliveries_that_fail_are_failures(void **state)
{
    enum txn_type type = TXN_NEW_ORDER;
    (void)state;

    step.delivery_sessions = 2;
    step.deferred = (struct deferred_stats){.queued = 100, .done = 99, .failed = 1, .in_time = 99};
    expect(VERDICT_ERRORS, VERDICT_PASS, "1 failed, 0 lost");
    expect(VERDICT_ERRORS, VERDICT_PASS, "; 0 of 10 sessions lost");
    step.deferred.done = 98;
    step.deferred.failed = 2;
    expect(VERDICT_ERRORS, VERDICT_FAIL, "INVALID: 2 failed, 0 lost");
    assert_float_equal(step_failed_share(&step, &type), 0.02, 1e-9);
    assert_int_equal(type, TXN_DELIVERY);
    step.deferred.failed = 0;
    step.deferred.lost = 1;
    step.deferred.done = 999;
    expect(VERDICT_ERRORS, VERDICT_FAIL, "0 failed, 1 lost");
}

static void
any_lost_user_or_transaction_fails(void **state)
{
    (void)state;
    step.virtual_users_lost = 1;
    expect(VERDICT_ERRORS, VERDICT_FAIL, "1 of 8 virtual users lost");
    step.virtual_users_lost = 0;
    step.transactions[TXN_PAYMENT].outcomes[OUTCOME_LOST] = 1;
    expect(VERDICT_ERRORS, VERDICT_FAIL, "1 lost");
}

/* The limit holds for each type: one that always fails is 4 % of all only. */
static void
failed_share_is_per_type(void **state)
{
    (void)state;
    struct txn_stats *stats = &step.transactions[TXN_STOCK_LEVEL];
    stats->outcomes[OUTCOME_COMMITTED] = 990;
    stats->outcomes[OUTCOME_FAILED] = 10;
    expect(VERDICT_ERRORS, VERDICT_PASS, "10 failed");
    stats->outcomes[OUTCOME_FAILED] = 11;
    expect(VERDICT_ERRORS, VERDICT_FAIL, "INVALID: 11 failed");
}

static void
the_share_of_failures_allowed_is_the_steps_own(void **state)
{
    (void)state;
    struct txn_stats *stats = &step.transactions[TXN_STOCK_LEVEL];
    stats->outcomes[OUTCOME_COMMITTED] = 970;
    stats->outcomes[OUTCOME_FAILED] = 30;
    step.failed_share_max = 0.03;
    expect(VERDICT_ERRORS, VERDICT_PASS, "30 failed");
    step.failed_share_max = 0.0299;
    expect(VERDICT_ERRORS, VERDICT_FAIL, "INVALID: 30 failed");
    step.failed_share_max = 0;
    expect(VERDICT_ERRORS, VERDICT_FAIL, "INVALID: 30 failed");
    stats->outcomes[OUTCOME_FAILED] = 0;
    expect(VERDICT_ERRORS, VERDICT_PASS, "0 failed");
}

/* Two hundred terminals that share twenty sessions: what can be lost are sessions. */
static void
what_is_lost_is_called_what_it_is(void **state)
{
    (void)state;
    step.virtual_users = 200;
    step.sessions = 20;
    step.pacing = 1;
    expect(VERDICT_ERRORS, VERDICT_PASS, "; 0 of 20 sessions lost");
    step.sessions = 200;
    expect(VERDICT_ERRORS, VERDICT_PASS, "; 0 of 200 terminals lost");
    step.pacing = 0;
    expect(VERDICT_ERRORS, VERDICT_PASS, "; 0 of 200 virtual users lost");
    step.sessions = 8;
    expect(VERDICT_ERRORS, VERDICT_PASS, "; 0 of 8 sessions lost");
}

static void
lost_ones_count_for_the_share_and_the_worst_type_is_told(void **state)
{
    enum txn_type type = TXN_NEW_ORDER;
    (void)state;

    memset(step.transactions, 0, sizeof step.transactions);
    step.transactions[TXN_PAYMENT].outcomes[OUTCOME_COMMITTED] = 96;
    step.transactions[TXN_PAYMENT].outcomes[OUTCOME_ROLLED_BACK] = 1;
    step.transactions[TXN_PAYMENT].outcomes[OUTCOME_FAILED] = 1;
    step.transactions[TXN_PAYMENT].outcomes[OUTCOME_LOST] = 2;
    step.transactions[TXN_DELIVERY].outcomes[OUTCOME_COMMITTED] = 98;
    step.transactions[TXN_DELIVERY].outcomes[OUTCOME_LOST] = 2;
    assert_float_equal(txn_failed_share(step.transactions, &type), 0.03, 1e-6);
    assert_int_equal(type, TXN_PAYMENT);
}

static void
failed_or_empty_step_fails(void **state)
{
    (void)state;
    step.status = STEP_FAILED;
    step.reason = "server closed the connection";
    expect(VERDICT_ERRORS, VERDICT_FAIL, "the step failed: server closed the connection");
    step.status = STEP_COMPLETE;
    memset(step.transactions, 0, sizeof step.transactions);
    expect(VERDICT_ERRORS, VERDICT_FAIL, "no transaction ended");
}

static void
client_limited_by_cpu(void **state)
{
    (void)state;
    step.elapsed_us = 100000000;
    step.client_user_us = 150000000;
    step.client_system_us = 9000000;
    expect(VERDICT_CLIENT, VERDICT_PASS, "driver used 80 % of 2 cores");
    step.client_system_us = 12000000;
    expect(VERDICT_CLIENT, VERDICT_FAIL, "CLIENT LIMITED: driver used 81 % of 2 cores");
}

/* Two threads on one core have one core. */
static void
client_cores_come_from_the_environment(void **state)
{
    struct run run = {.steps = &step, .steps_count = 1};
    (void)state;

    step.client_user_us = step.elapsed_us;
    environment_add(&run.environment, &arena, "client", "cores", "1", "");
    verdict_step_of_run(&run, &step, verdicts);
    assert_int_equal(verdicts[VERDICT_CLIENT].outcome, VERDICT_FAIL);
    verdict_step(&step, verdicts);
    assert_int_equal(verdicts[VERDICT_CLIENT].outcome, VERDICT_PASS);
}

static void
client_limited_by_want_of_a_core(void **state)
{
    (void)state;
    step.threads = 4;
    step.client_cores = 2; /* 600 s of them in 300 s */
    step.elapsed_us = 300000000;
    step.client_user_us = 60000000;
    step.client_system_us = 0;
    step.client_wait_us = 420000000;
    expect(VERDICT_CLIENT, VERDICT_PASS, "driver used 10 % of 2 cores and waited for one 70 %;");
    step.client_wait_us = 426000000;
    expect(VERDICT_CLIENT, VERDICT_FAIL,
           "CLIENT LIMITED: driver used 10 % of 2 cores and waited "
           "for one 71 %;");
    step.client_wait_us = -1;
    expect(VERDICT_CLIENT, VERDICT_PASS, "driver used 10 % of 2 cores;");
}

static void
client_limited_by_lag(void **state)
{
    (void)state;
    for (int i = 0; i < TXN_TYPES; i++)
        hist_clear(&step.transactions[i].response);
    hist_clear(&step.lag);
    for (int i = 0; i < 100; i++) {
        hist_record(&step.transactions[0].response, 5000);
        hist_record(&step.lag, 990);
    }
    expect(VERDICT_CLIENT, VERDICT_PASS, "limit 1.000 ms");
    for (int i = 0; i < 10; i++)
        hist_record(&step.lag, 1200);
    expect(VERDICT_CLIENT, VERDICT_FAIL, "CLIENT LIMITED");
    for (int i = 0; i < 1000; i++)
        hist_record(&step.transactions[0].response, 20000);
    expect(VERDICT_CLIENT, VERDICT_PASS, "");
    hist_clear(&step.lag);
    expect(VERDICT_CLIENT, VERDICT_NOT_TESTED, "");
}

static void
set_new_orders(double (*rate)(int second, int seconds))
{
    int at = 0, seconds = 0;

    for (int i = 0; i < step.seconds_count; i++)
        seconds += step.seconds[i].phase == PHASE_MEASURE;
    for (int i = 0; i < step.seconds_count; i++)
        if (step.seconds[i].phase == PHASE_MEASURE)
            step.seconds[i].outcomes[TXN_NEW_ORDER][OUTCOME_COMMITTED] =
                (uint32_t)rate(at++, seconds);
}

static double
decay(int second, int seconds)
{
    return 1000 - 200.0 * second / seconds + second % 3;
}

static double
jump(int second, int seconds)
{
    return second < seconds / 2 ? 1000 : 700 + second % 2;
}

static double
saw_tooth(int second, int seconds)
{
    (void)seconds;
    return 1000 + 10 * (second % 31);
}

static double
late_start(int second, int seconds)
{
    return second < seconds / 4 ? 100 + 900.0 * second / (seconds / 4.0) : 1000 + second % 2;
}

static double
nothing(int second, int seconds)
{
    (void)second;
    (void)seconds;
    return 0;
}

static void
steady_sees_drift(void **state)
{
    (void)state;
    set_new_orders(decay);
    expect(VERDICT_STEADY, VERDICT_FAIL, "trend -2");
    set_new_orders(jump);
    expect(VERDICT_STEADY, VERDICT_FAIL, "trend -");
    set_new_orders(late_start);
    expect(VERDICT_STEADY, VERDICT_FAIL, "trend +");
    set_new_orders(saw_tooth);
    expect(VERDICT_STEADY, VERDICT_PASS, "trend");
    set_new_orders(nothing);
    expect(VERDICT_STEADY, VERDICT_NOT_TESTED, "no new-order");
}

static void
short_windows_are_not_steady(void **state)
{
    (void)state;
    sample_step(&arena, &step, 8, 20);
    expect(VERDICT_STEADY, VERDICT_NOT_TESTED, "TOO SHORT: 18 whole seconds");
    sample_step(&arena, &step, 8, 60);
    expect(VERDICT_STEADY, VERDICT_NOT_TESTED, "; below a checkpoint cycle (300 s)");
    set_new_orders(decay);
    expect(VERDICT_STEADY, VERDICT_FAIL, "trend -2");
}

static void
checkpoint_cycle_comes_from_the_server(void **state)
{
    static const struct {
        const char *value;
        enum verdict_outcome outcome;
    } cases[] = {
        {"30s", VERDICT_PASS},        {"60 s", VERDICT_PASS},       {"60", VERDICT_PASS},
        {"1min", VERDICT_PASS},       {"2min", VERDICT_NOT_TESTED}, {"1h", VERDICT_NOT_TESTED},
        {"soon", VERDICT_NOT_TESTED},
    };
    (void)state;

    sample_step(&arena, &step, 8, 60);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct run run = {.steps = &step, .steps_count = 1};
        environment_add(&run.environment, &arena, "setting", "checkpoint_timeout", cases[i].value,
                        "");
        verdict_step_of_run(&run, &step, verdicts);
        assert_int_equal(verdicts[VERDICT_STEADY].outcome, cases[i].outcome);
    }
}

/* Of each table the server counts its own, as the sampler keeps them. */
static void
autovacuums_of_all_tables_count(void **state)
{
    struct metric all[40];
    int count = step.metrics_count;
    (void)state;

    expect(VERDICT_STEADY, VERDICT_PASS, "over 308 s");
    assert_null(strstr(verdicts[VERDICT_STEADY].figure, "autovacuum"));
    assert_int_equal(verdict_steady(NULL, &step).facts.autovacuums, -1);
    assert_in_range(count, 1, 36);
    memcpy(all, step.metrics, (size_t)count * sizeof *all);
    step.metrics = all;
    for (int i = 0; i < 3; i++) {
        static const char *const tables[] = {"customer", "item", "stock"};
        step.metrics[count + i] = (struct metric){.source = METRIC_SERVER,
                                                  .name = "table_autovacuums",
                                                  .instance = tables[i],
                                                  .samples = 4,
                                                  .total = i};
    }
    step.metrics_count = count + 1; /* of one that had none */
    assert_int_equal(verdict_steady(NULL, &step).facts.autovacuums, 0);
    step.metrics_count = count + 3;
    expect(VERDICT_STEADY, VERDICT_PASS, "; 3 autovacuums");
    step.metrics[count + 1].samples = 0; /* never seen */
    expect(VERDICT_STEADY, VERDICT_PASS, "; 2 autovacuums");
}

static void
latency_limits(void **state)
{
    (void)state;
    struct hist *response = &step.transactions[TXN_STOCK_LEVEL].response;
    hist_clear(response);
    for (int i = 0; i < 100; i++)
        hist_record(response, 19000000);
    expect(VERDICT_LATENCY, VERDICT_PASS, "Stock-Level p90 19");
    for (int i = 0; i < 20; i++)
        hist_record(response, 25000000);
    expect(VERDICT_LATENCY, VERDICT_FAIL, "limit 20 s");
    hist_clear(response);
    response = &step.transactions[TXN_PAYMENT].response;
    hist_clear(response);
    for (int i = 0; i < 100; i++)
        hist_record(response, 6000000);
    expect(VERDICT_LATENCY, VERDICT_FAIL, "Payment p90 6.0");
}

/* 91 fast ones and 9 of 60 s: the 90th percentile is 1 ms, the mean 5.4 s. */
static void
latency_percentile_below_mean(void **state)
{
    (void)state;
    struct hist *response = &step.transactions[TXN_NEW_ORDER].response;
    hist_clear(response);
    for (int i = 0; i < 100; i++)
        hist_record(response, i < 91 ? 1000 : 60000000);
    expect(VERDICT_LATENCY, VERDICT_FAIL, "mean 5.4");
    hist_clear(response);
    for (int i = 0; i < 100; i++)
        hist_record(response, i < 91 ? 1000 : 1000000);
    expect(VERDICT_LATENCY, VERDICT_PASS, "");
}

static void
latency_needs_transactions(void **state)
{
    (void)state;
    memset(step.transactions, 0, sizeof step.transactions);
    expect(VERDICT_LATENCY, VERDICT_NOT_TESTED, "fewer than 10");
}

/* ---- whole runs ---- */

static const int ladder[] = {1, 4};
static struct run run;

static int
fresh_run(void **state)
{
    (void)state;
    sample_run(&arena, &run,
               &(struct sample){.ladder = ladder,
                                .levels = 2,
                                .repeats = 2,
                                .measure_s = 300,
                                .ramp_up_s = 5,
                                .warehouses = 4});
    return 0;
}

static void
expect_run(enum verdict_kind kind, enum verdict_outcome outcome, const char *figure)
{
    verdict_run(&run, verdicts);
    assert_string_equal(verdict_outcome_names[verdicts[kind].outcome],
                        verdict_outcome_names[outcome]);
    if (!strstr(verdicts[kind].figure, figure))
        fail_msg("\"%s\" does not hold \"%s\"", verdicts[kind].figure, figure);
}

static void
sound_run_passes(void **state)
{
    (void)state;
    verdict_run(&run, verdicts);
    for (int i = 0; i < VERDICTS; i++)
        if (i != VERDICT_COMPARABLE && verdicts[i].outcome != VERDICT_PASS)
            fail_msg("%s: %s", verdict_names[i], verdicts[i].figure);
}

static void
worst_step_speaks_for_the_run(void **state)
{
    (void)state;
    run.steps[1].grown[GROWTH_NEW_ORDERS] = -1;
    expect_run(VERDICT_CONSISTENCY, VERDICT_NOT_TESTED, "1 of 4 steps; step 2 (1 VU)");
    run.steps[2].grown[GROWTH_NEW_ORDERS] -= 1;
    run.steps[3].grown[GROWTH_NEW_ORDERS] -= 1;
    expect_run(VERDICT_CONSISTENCY, VERDICT_FAIL, "2 of 4 steps; step 3 (4 VU)");
}

/* Four steps of 600 transactions: none can be judged, all together can. */
static void
short_steps_are_judged_together(void **state)
{
    (void)state;
    for (int i = 0; i < run.steps_count; i++) {
        memset(&run.steps[i].inputs, 0, sizeof run.steps[i].inputs);
        for (int type = 0; type < TXN_TYPES; type++) {
            run.steps[i].transactions[type].outcomes[OUTCOME_COMMITTED] =
                (uint64_t)(6 * mix_standard[type]);
            run.steps[i].transactions[type].outcomes[OUTCOME_ROLLED_BACK] = 0;
        }
    }
    expect_run(VERDICT_MIX, VERDICT_PASS, "4 steps together: 4 of 12 limits judged");
    run.steps_count = 1;
    expect_run(VERDICT_MIX, VERDICT_NOT_TESTED, "only 600 transactions");
    run.steps_count = 4;
    run.steps[3].mix[0] = 46;
    expect_run(VERDICT_MIX, VERDICT_NOT_TESTED, "of 4 steps");
}

/* 42.4 % of 80,000 is within what chance does to 43 %; of 320,000 it is not. */
static void
many_steps_judge_sharper(void **state)
{
    static const uint64_t shares[TXN_TYPES] = {456, 424, 40, 40, 40};
    (void)state;

    for (int i = 0; i < run.steps_count; i++)
        for (int type = 0; type < TXN_TYPES; type++) {
            run.steps[i].transactions[type].outcomes[OUTCOME_COMMITTED] = 80 * shares[type];
            run.steps[i].transactions[type].outcomes[OUTCOME_ROLLED_BACK] = 0;
        }
    struct verdict alone[VERDICTS];
    verdict_step(&run.steps[0], alone);
    assert_int_equal(alone[VERDICT_MIX].outcome, VERDICT_PASS);
    expect_run(VERDICT_MIX, VERDICT_FAIL,
               "4 steps together: 1 of 12 limits broken; share of Payment");
}

static void
check_joins_consistency(void **state)
{
    (void)state;
    run.check.conditions[4].violations = 17;
    expect_run(VERDICT_CONSISTENCY, VERDICT_FAIL, "1 of 12 conditions broken; condition 5");
    run.check.conditions[4].violations = 0;
    run.check.conditions[CHECK_COUNTS - 1].violations = 2;
    expect_run(VERDICT_CONSISTENCY, VERDICT_FAIL, "2 tables of warehouses lack rows");
    run.check.conditions[CHECK_COUNTS - 1].violations = 0;
    run.check.conditions[4].tested = false;
    expect_run(VERDICT_CONSISTENCY, VERDICT_NOT_TESTED, "only 11 of 12 conditions");
    run.check.done = false;
    expect_run(VERDICT_CONSISTENCY, VERDICT_NOT_TESTED, "only 0 of 12 conditions");
}

static void
failed_step_fails_the_run_and_interrupted_does_not(void **state)
{
    (void)state;
    run.steps[3].status = STEP_INTERRUPTED;
    run.steps[3].reason = "interrupted";
    run.steps[3].grown[GROWTH_NEW_ORDERS] = -1;
    sound_run_passes(state);
    run.steps[3].status = STEP_FAILED;
    run.steps[3].reason = "connection refused";
    expect_run(VERDICT_ERRORS, VERDICT_FAIL, "connection refused");
    expect_run(VERDICT_LATENCY, VERDICT_PASS, "all 3 steps");
}

static void
empty_run_is_not_tested(void **state)
{
    (void)state;
    run = (struct run){0};
    verdict_run(&run, verdicts);
    for (int i = 0; i < VERDICTS; i++)
        assert_int_equal(verdicts[i].outcome, VERDICT_NOT_TESTED);
}

#define STEP_TEST(f) cmocka_unit_test_setup_teardown(f, fresh_step, forget)
#define RUN_TEST(f)  cmocka_unit_test_setup_teardown(f, fresh_run, forget)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        STEP_TEST(sound_step_passes),
        STEP_TEST(consistency_is_exact),
        STEP_TEST(consistency_names_what_differs),
        STEP_TEST(lost_transactions_leave_a_range),
        STEP_TEST(stock_has_its_bounds),
        STEP_TEST(a_connection_made_anew_is_still_a_loss),
        STEP_TEST(mix_needs_the_standard_one),
        STEP_TEST(mix_needs_transactions),
        STEP_TEST(mix_fails_below_a_minimum_share),
        STEP_TEST(mix_allows_for_chance),
        STEP_TEST(inputs_out_of_range_are_named),
        STEP_TEST(one_warehouse_has_nothing_remote),
        STEP_TEST(skipped_deliveries),
        STEP_TEST(homes_are_even_within_a_tenth_and_within_chance),
        STEP_TEST(deferred_deliveries_have_80_seconds),
        STEP_TEST(deferred_deliveries_that_fail_are_failures),
        STEP_TEST(any_lost_user_or_transaction_fails),
        STEP_TEST(failed_share_is_per_type),
        STEP_TEST(the_share_of_failures_allowed_is_the_steps_own),
        STEP_TEST(what_is_lost_is_called_what_it_is),
        STEP_TEST(lost_ones_count_for_the_share_and_the_worst_type_is_told),
        STEP_TEST(failed_or_empty_step_fails),
        STEP_TEST(client_limited_by_cpu),
        STEP_TEST(client_limited_by_want_of_a_core),
        STEP_TEST(client_cores_come_from_the_environment),
        STEP_TEST(client_limited_by_lag),
        STEP_TEST(steady_sees_drift),
        STEP_TEST(short_windows_are_not_steady),
        STEP_TEST(checkpoint_cycle_comes_from_the_server),
        STEP_TEST(autovacuums_of_all_tables_count),
        STEP_TEST(latency_limits),
        STEP_TEST(latency_percentile_below_mean),
        STEP_TEST(latency_needs_transactions),
        RUN_TEST(sound_run_passes),
        RUN_TEST(worst_step_speaks_for_the_run),
        RUN_TEST(short_steps_are_judged_together),
        RUN_TEST(many_steps_judge_sharper),
        RUN_TEST(check_joins_consistency),
        RUN_TEST(failed_step_fails_the_run_and_interrupted_does_not),
        RUN_TEST(empty_run_is_not_tested),
    };
    return cmocka_run_group_tests_name("verdict", tests, NULL, NULL);
}
