/* Percentiles with limits, where the histogram is exact. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/percentile.h"

static struct hist hist;

static void
expect(double fraction, int64_t value, int64_t low, int64_t high)
{
    struct percentile found = percentile_of(&hist, fraction);
    assert_int_equal(found.value_us, value);
    assert_int_equal(found.low_us, low);
    assert_int_equal(found.high_us, high);
}

/* 1 to 100 us are exact: the median lies between the 40th and the 61st of a hundred values. */
static void
limits_are_recorded_values(void **state)
{
    (void)state;
    hist_clear(&hist);
    for (int i = 1; i <= 100; i++)
        hist_record(&hist, i);
    expect(0.5, 50, 40, 61);
    expect(0.99, 99, 97, PERCENTILE_UNKNOWN);
}

/* Above 128 us the limits are the outer ends of their buckets. */
static void
limits_are_widened_to_their_buckets(void **state)
{
    (void)state;
    hist_clear(&hist);
    for (int i = 1; i <= 100; i++)
        hist_record(&hist, i * 10001);
    struct percentile found = percentile_of(&hist, 0.5);
    assert_in_range(found.low_us, 40 * 10001 * 99 / 100, 40 * 10001);
    assert_in_range(found.high_us, 61 * 10001, 61 * 10001 * 101 / 100);
}

static void
few_values_bound_nothing(void **state)
{
    (void)state;
    hist_clear(&hist);
    expect(0.5, 0, PERCENTILE_UNKNOWN, PERCENTILE_UNKNOWN);
    for (int i = 1; i <= 5; i++)
        hist_record(&hist, i);
    expect(0.5, 3, PERCENTILE_UNKNOWN, PERCENTILE_UNKNOWN);
    hist_record(&hist, 6);
    expect(0.5, 3, 1, 6);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_are_recorded_values),
        cmocka_unit_test(limits_are_widened_to_their_buckets),
        cmocka_unit_test(few_values_bound_nothing),
    };
    return cmocka_run_group_tests_name("percentile", tests, NULL, NULL);
}
