/* Distributions over equal intervals, worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/distribution.h"

static struct hist hist;

static int
set_up(void **state)
{
    (void)state;
    hist_clear(&hist);
    return 0;
}

static uint64_t
sum_of(const struct distribution *all)
{
    uint64_t sum = all->beyond;

    for (int i = 0; i < DISTRIBUTION_INTERVALS; i++)
        sum += all->counts[i];
    return sum;
}

/* 100 values 1 to 100 us: the 90th percentile is 90, four times that 360, a fortieth of it 9. */
static void
responses_are_spread_over_four_times_their_90th_percentile(void **state)
{
    (void)state;
    for (int us = 1; us <= 100; us++)
        hist_record(&hist, us);
    struct distribution all = distribution_of_response(&hist);
    assert_int_equal(all.interval_us, 9);
    assert_int_equal(all.counts[0], 8); /* 1 to 8 */
    for (int i = 1; i <= 10; i++)
        assert_int_equal(all.counts[i], 9); /* 9 to 17, ..., 90 to 98 */
    assert_int_equal(all.counts[11], 2);
    assert_int_equal(sum_of(&all), 100);
}

/* Mean 5 s: intervals of half a second. 20 s and more lie past the last. */
static void
think_times_are_spread_over_four_times_their_mean(void **state)
{
    (void)state;
    hist_record(&hist, 200000);
    hist_record(&hist, 1750000);
    hist_record(&hist, 2000000 - 200000 + 1000);
    hist_record(&hist, 21249000);
    hist_record(&hist, 0);
    struct distribution all = distribution_of_think(&hist);
    assert_int_equal(all.interval_us, 500000);
    assert_int_equal(all.counts[0], 2);
    assert_int_equal(all.counts[3], 2);
    assert_int_equal(all.beyond, 1);
    assert_int_equal(sum_of(&all), 5);
}

static void
nothing_and_next_to_nothing(void **state)
{
    (void)state;
    struct distribution none = distribution_of_response(&hist);
    assert_int_equal(none.interval_us, 0);
    assert_int_equal(sum_of(&none), 0);
    hist_record(&hist, 0);
    struct distribution zero = distribution_of_think(&hist);
    assert_int_equal(zero.interval_us, 1);
    assert_int_equal(zero.counts[0], 1);
}

/* Hours as well as microseconds, and no value counted twice or left out. */
static void
every_value_is_counted_once(void **state)
{
    (void)state;
    for (int64_t us = 1; us < INT64_C(1) << 38; us += us / 3 + 1)
        hist_record(&hist, us);
    struct distribution all = distribution_of_response(&hist);
    assert_int_equal(sum_of(&all), hist.count);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(responses_are_spread_over_four_times_their_90th_percentile, set_up),
        cmocka_unit_test_setup(think_times_are_spread_over_four_times_their_mean, set_up),
        cmocka_unit_test_setup(nothing_and_next_to_nothing, set_up),
        cmocka_unit_test_setup(every_value_is_counted_once, set_up),
    };

    return cmocka_run_group_tests_name("distribution", tests, NULL, NULL);
}
