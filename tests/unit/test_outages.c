/* Outages: when they begin and end, and what the seconds say that they cost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "driver/outages.h"

#define S INT64_C(1000000)

static void
one_lasts_until_all_are_back(void **state)
{
    struct outages outages = {0};

    (void)state;
    outages_look(&outages, 1 * S, 0, 0);
    assert_int_equal(outages.count, 0);
    outages_look(&outages, 2 * S, 1, 1);
    outages_look(&outages, 3 * S, 3, 4);
    outages_look(&outages, 4 * S, 1, 4);
    assert_int_equal(outages.list[0].end_us, OUTAGE_OPEN);
    outages_look(&outages, 5 * S, 0, 4);
    outages_look(&outages, 6 * S, 0, 4);
    assert_int_equal(outages.count, 1);
    assert_int_equal(outages.list[0].start_us, 2 * S);
    assert_int_equal(outages.list[0].end_us, 5 * S);
    assert_int_equal(outages.list[0].losses, 4);
}

static void
a_loss_between_two_looks_is_one_too(void **state)
{
    struct outages outages = {0};

    (void)state;
    outages_look(&outages, 2 * S, 0, 2);
    assert_int_equal(outages.count, 1);
    assert_int_equal(outages.list[0].start_us, outages.list[0].end_us);
    assert_int_equal(outages.list[0].losses, 2);
}

static void
the_last_possible_one_spans_all_that_follow(void **state)
{
    struct outages outages = {0};

    (void)state;
    for (int i = 1; i <= OUTAGES_MAX + 5; i++)
        outages_look(&outages, i * S, 0, i);
    assert_int_equal(outages.count, OUTAGES_MAX);
    assert_int_equal(outages.list[OUTAGES_MAX - 1].start_us, OUTAGES_MAX * S);
    assert_int_equal(outages.list[OUTAGES_MAX - 1].end_us, (OUTAGES_MAX + 5) * S);
    assert_int_equal(outages.list[OUTAGES_MAX - 1].losses, 6);
}

/* 100 new-orders a second, from second 5 on 40, then three at zero, then 50, then 96 for ever. */
static void
fill(struct second rows[20])
{
    for (int i = 0; i < 20; i++) {
        uint32_t orders = i < 5 ? 100 : i == 5 ? 40 : i < 9 ? 0 : i == 9 ? 50 : 96;
        rows[i] = (struct second){.at_s = i, .phase = i < 2 ? PHASE_RAMP_UP : PHASE_MEASURE};
        rows[i].outcomes[TXN_NEW_ORDER][OUTCOME_COMMITTED] = orders;
    }
}

static void
its_cost_is_read_from_the_seconds(void **state)
{
    struct outages outages = {0};
    struct second rows[20];

    (void)state;
    fill(rows);
    outages_look(&outages, 105 * S + 400000, 8, 8);
    outages_look(&outages, 108 * S + 200000, 0, 8);
    outages_measure(&outages, 100 * S, rows, 20);
    assert_int_equal(outages.list[0].start_us, 5 * S + 400000);
    assert_int_equal(outages.list[0].end_us, 8 * S + 200000);
    assert_int_equal(outages.list[0].zero_s, 3);
    /* Seconds 10, 11 and 12 are the first three with 288 of the 285 that are needed. */
    assert_int_equal(outages.list[0].recovery_us, 4 * S + 600000);
}

static void
what_was_not_seen_is_not_claimed(void **state)
{
    struct outages early = {0}, open = {0};
    struct second rows[20];

    (void)state;
    fill(rows);
    outages_look(&early, 2 * S + 999999, 1, 1); /* two whole seconds before it are too few */
    outages_look(&early, 3 * S, 0, 1);
    outages_measure(&early, 0, rows, 20);
    assert_int_equal(early.list[0].zero_s, 0);
    assert_int_equal(early.list[0].recovery_us, OUTAGE_NOT_SEEN);
    outages_look(&open, 5 * S + 400000, 8, 8);
    outages_measure(&open, 0, rows, 9); /* the level ended while it lasted */
    assert_int_equal(open.list[0].end_us, OUTAGE_OPEN);
    assert_int_equal(open.list[0].zero_s, 3);
    assert_int_equal(open.list[0].recovery_us, OUTAGE_NOT_SEEN);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_lasts_until_all_are_back),
        cmocka_unit_test(a_loss_between_two_looks_is_one_too),
        cmocka_unit_test(the_last_possible_one_spans_all_that_follow),
        cmocka_unit_test(its_cost_is_read_from_the_seconds),
        cmocka_unit_test(what_was_not_seen_is_not_claimed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
