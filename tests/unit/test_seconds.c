/* The rows of a level: what they take from a half, how they are numbered, and that many fit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "driver/seconds.h"

static struct meter_half *
new_half(void)
{
    struct meter_half *half = must_calloc(1, sizeof *half);

    meter_half_clear(half);
    return half;
}

static void
a_row_holds_what_ended(void **state)
{
    struct meter_half *half = new_half();
    struct seconds seconds = {0};
    struct arena arena = {0};
    int count;

    (void)state;
    half->in_flight = 3;
    half->virtual_users = 8;
    half->transactions[TXN_PAYMENT].outcomes[OUTCOME_FAILED] = 7;
    half->transactions[TXN_PAYMENT].retries = 2;
    half->transactions[TXN_DELIVERY].retries = 1;
    for (int us = 1; us <= 100; us++)
        hist_record(&half->transactions[TXN_NEW_ORDER].response, us);
    seconds_add(&seconds, PHASE_MEASURE, 12, half);
    struct second *rows = seconds_keep(&seconds, &arena, &count);
    assert_int_equal(count, 1);
    assert_int_equal(rows[0].phase, PHASE_MEASURE);
    assert_int_equal(rows[0].at_s, 12);
    assert_int_equal(rows[0].virtual_users, 8);
    assert_int_equal(rows[0].in_flight, 3);
    assert_int_equal(rows[0].outcomes[TXN_PAYMENT][OUTCOME_FAILED], 7);
    assert_int_equal(rows[0].retries, 3);
    assert_int_equal(rows[0].new_order_p95_us, 95);
    arena_free(&arena);
    free(half);
}

static void
rows_before_the_origin_count_down_to_it(void **state)
{
    struct meter_half *half = new_half();
    struct seconds seconds = {0};
    struct arena arena = {0};
    int count;

    (void)state;
    for (int i = 0; i < 3; i++)
        seconds_add(&seconds, PHASE_CONNECT, 0, half);
    seconds_set_origin(&seconds);
    seconds_add(&seconds, PHASE_RAMP_UP, 0, half);
    struct second *rows = seconds_keep(&seconds, &arena, &count);
    assert_int_equal(count, 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(rows[i].at_s, i - 3);
    arena_free(&arena);
    free(half);
}

static void
an_hour_of_rows_is_kept(void **state)
{
    struct meter_half *half = new_half();
    struct seconds seconds = {0};
    struct arena arena = {0};
    int count;

    (void)state;
    for (int i = 0; i < 3600; i++)
        seconds_add(&seconds, PHASE_MEASURE, i, half);
    struct second *rows = seconds_keep(&seconds, &arena, &count);
    assert_int_equal(count, 3600);
    assert_int_equal(rows[0].at_s, 0);
    assert_int_equal(rows[3599].at_s, 3599);
    arena_free(&arena);
    free(half);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_holds_what_ended),
        cmocka_unit_test(rows_before_the_origin_count_down_to_it),
        cmocka_unit_test(an_hour_of_rows_is_kept),
    };

    return cmocka_run_group_tests_name("seconds", tests, NULL, NULL);
}
