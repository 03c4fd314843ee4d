/* The text of a level: what must be in it, and that it fits a terminal of 80 columns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "driver/summary.h"
#include "tests/unit/sample.h"

static struct arena arena;

static struct step *
new_step(void)
{
    struct step *step = arena_alloc(&arena, sizeof *step);

    sample_step(&arena, step, 8, 300);
    return step;
}

static void
assert_fits(const char *text)
{
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
        if (strcspn(line, "\n") > 80)
            fail_msg("wider than 80 columns: %.*s", (int)strcspn(line, "\n"), line);
}

static void
it_has_figures_verdicts_and_the_disclaimer(void **state)
{
    struct buf out = {0};

    (void)state;
    summary_write(&out, new_step());
    assert_fits(buf_text(&out));
    assert_null(strstr(buf_text(&out), "PARTIAL"));
    static const char *const needed[] = {"NOPM", "Stock-Level", "rolled back",
                                         "p95",  "consistency", "5.5.1.5",
                                         "PASS", "retries",     "derived from the TPC-C Benchmark"};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        assert_non_null(strstr(buf_text(&out), needed[i]));
    buf_free(&out);
}

static void
large_numbers_and_long_messages_fit(void **state)
{
    struct step *step = new_step();
    struct buf out = {0};

    (void)state;
    for (int type = 0; type < TXN_TYPES; type++) {
        for (int i = 0; i < OUTCOMES; i++)
            step->transactions[type].outcomes[i] = i == 0 ? 4000000000 : 9999999;
        step->transactions[type].retries = 99999999;
        hist_record(&step->transactions[type].response, INT64_C(7200000000));
    }
    step->errors_count = 1;
    step->errors[0] = (struct error_count){"40001", "", 123456789};
    for (size_t i = 0; i + 1 < sizeof step->errors[0].message; i++)
        step->errors[0].message[i] = i % 9 == 8 ? ' ' : 'x';
    memset(&step->inputs, 0, sizeof step->inputs); /* nothing to judge: each says why */
    step->status = STEP_FAILED;
    step->reason = "all virtual users lost their connection (terminating connection due to "
                   "administrator command) in the measured window";
    summary_write(&out, step);
    assert_fits(buf_text(&out));
    assert_non_null(strstr(buf_text(&out), "FAILED: all virtual users"));
    buf_free(&out);
}

static void
outages_are_listed(void **state)
{
    struct step *step = new_step();
    struct buf out = {0};

    (void)state;
    step->outages_count = 2;
    step->outages[0] = (struct outage){4500000, 7250000, 8, 3, 5500000};
    step->outages[1] = (struct outage){86399000000, OUTAGE_OPEN, 123456, 86400, OUTAGE_NOT_SEEN};
    summary_write(&out, step);
    assert_fits(buf_text(&out));
    assert_non_null(strstr(buf_text(&out), "     4.5 s     7.2 s           8       3 s"));
    assert_non_null(strstr(buf_text(&out), "after  5.5 s"));
    assert_non_null(strstr(buf_text(&out), "not over"));
    assert_non_null(strstr(buf_text(&out), "not seen"));
    buf_free(&out);
}

static void
nothing_measured_is_said_plainly(void **state)
{
    struct step *step = new_step();
    struct buf out = {0};

    (void)state;
    step->status = STEP_INTERRUPTED;
    step->reason = "interrupted by SIGINT in the ramp-up";
    step->elapsed_us = 0;
    summary_write(&out, step);
    assert_fits(buf_text(&out));
    assert_non_null(strstr(buf_text(&out), "PARTIAL RESULT: interrupted by SIGINT in the ramp-up"));
    assert_null(strstr(buf_text(&out), "NOPM"));
    buf_free(&out);
}

static void
deferred_deliveries_have_a_table(void **state)
{
    struct step *step = new_step();
    struct buf out = {0};

    (void)state;
    step->delivery_sessions = 2;
    step->deferred = (struct deferred_stats){
        .queued = 4000000000, .done = 3999999989, .failed = 1, .lost = 2, .left = 8};
    step->deferred.in_time = 3000000000;
    step->deferred.waiting_most = 65536;
    hist_record(&step->deferred.latency, 81000000);
    summary_write(&out, step);
    assert_fits(buf_text(&out));
    static const char *const needed[] = {
        "\nDelivery       4000000000 3999999989        1       2        8", "           75.00 %\n",
        "p90 1m21s, max 1m21s; at most 65536 at a time\n"};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        assert_non_null(strstr(buf_text(&out), needed[i]));
    buf_free(&out);
}

static void
a_window_that_was_cut_says_so(void **state)
{
    struct step *step = new_step();
    struct buf out = {0};

    (void)state;
    step->transactions_max = 5000;
    summary_write(&out, step);
    assert_null(strstr(buf_text(&out), "CUT"));
    step->cut = true;
    buf_clear(&out);
    summary_write(&out, step);
    assert_fits(buf_text(&out));
    assert_non_null(strstr(
        buf_text(&out), "\nCUT SHORT: the limit of 5000 transactions ended the window of 5m00s\n"));
    buf_free(&out);
}

static int
teardown(void **state)
{
    (void)state;
    arena_free(&arena);
    return 0;
}

/* 80 terminals on 8 warehouses are held to 12.86 * 8 = 102.88 NOPM; 100 in a minute are 97.2 %. */
static void
paced_terminals_have_an_efficiency_and_a_queue(void **state)
{
    struct step *step = new_step();
    struct buf out = {0};

    (void)state;
    step->virtual_users = 80;
    step->warehouses = 8;
    step->pacing = 1;
    step->sessions = 5;
    step->waiting_most = 17;
    step->elapsed_us = 60000000;
    step->transactions[TXN_NEW_ORDER].outcomes[OUTCOME_COMMITTED] = 100;
    step->counted[GROWTH_NEW_ORDERS] = 800;
    step->home_new_orders_least = 80;
    step->home_new_orders_median = 98;
    step->home_new_orders_most = 150;
    hist_record(&step->pace.think[TXN_PAYMENT], 11000000);
    hist_record(&step->pace.think[TXN_PAYMENT], 14000000);
    summary_write(&out, step);
    assert_fits(buf_text(&out));
    static const char *const needed[] = {
        "97.2 %",
        "80 terminals on 8 warehouses, ",
        "80 terminals at the standard's pace share 5 sessions",
        "at most 17 waiting",
        "the least active had 80 % of the mean work, the median 98 %",
        ": UNEVEN\n",
        "\nPayment                  2      12.5s      12.0s      14.0s      3.00s\n",
        "\nDelivery                 0          -      5.00s          -      2.00s\n"};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        assert_non_null(strstr(buf_text(&out), needed[i]));
    step->virtual_users = 79; /* no longer the standard's */
    buf_clear(&out);
    summary_write(&out, step);
    assert_null(strstr(buf_text(&out), "EFF"));
    buf_free(&out);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_has_figures_verdicts_and_the_disclaimer),
        cmocka_unit_test(large_numbers_and_long_messages_fit),
        cmocka_unit_test(outages_are_listed),
        cmocka_unit_test(a_window_that_was_cut_says_so),
        cmocka_unit_test(deferred_deliveries_have_a_table),
        cmocka_unit_test(nothing_measured_is_said_plainly),
        cmocka_unit_test(paced_terminals_have_an_efficiency_and_a_queue),
    };

    return cmocka_run_group_tests_name("summary", tests, NULL, teardown);
}
