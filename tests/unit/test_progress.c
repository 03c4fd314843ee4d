/* The time of arrival, on made-up ways of getting along. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "loader/progress.h"

#define SECOND INT64_C(1000000)

/* What is done at a moment, of a phase that takes `lasts_us` in all. */
typedef double way(int64_t at_us, int64_t lasts_us);

static double
steady(int64_t at_us, int64_t lasts_us)
{
    return (double)at_us / (double)lasts_us;
}

/* Nothing at all during the first tenth: connections, the first checkpoint. */
static double
late_start(int64_t at_us, int64_t lasts_us)
{
    return at_us < lasts_us / 10 ? 0 : (double)(at_us - lasts_us / 10) / (double)lasts_us / 0.9;
}

/* In steps, as parts complete: a hundred of them. */
static double
in_steps(int64_t at_us, int64_t lasts_us)
{
    return (double)(at_us * 100 / lasts_us) / 100;
}

/* The pace goes up and down by 30 % around its mean, ten times. */
static double
uneven(int64_t at_us, int64_t lasts_us)
{
    int64_t period_us = lasts_us / 10;
    double within = (double)(at_us % period_us) / (double)period_us;
    double done = within < 0.5 ? within * 1.3 : 0.65 + (within - 0.5) * 0.7;

    return ((double)(at_us / period_us) + done) / 10;
}

/* From a quarter on, the whole time that is foretold (passed and left) is within 20 % of the true
 * one, whenever it is looked at. */
static void
foretells(way *done, int64_t lasts_us)
{
    struct progress progress;
    const double total = 5e9;
    int told = 0;

    progress_start(&progress, total, 77 * SECOND);
    for (int64_t at_us = 0; at_us < lasts_us; at_us += SECOND / 10) {
        double now = total * done(at_us, lasts_us);
        int64_t left_us;

        progress_note(&progress, now, 77 * SECOND + at_us);
        if (now < total / 4)
            continue;
        assert_true(progress_left_us(&progress, now, 77 * SECOND + at_us, &left_us));
        assert_in_range(at_us + left_us, lasts_us / 10 * 8, lasts_us / 10 * 12);
        told++;
    }
    assert_true(told >= lasts_us / (SECOND / 10) / 2);
}

static void
the_arrival_is_foretold_within_a_fifth(void **state)
{
    static way *const ways[] = {steady, late_start, in_steps, uneven};
    static const int64_t lasts_s[] = {10, 300, 86400};

    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        for (size_t k = 0; k < sizeof lasts_s / sizeof *lasts_s; k++)
            foretells(ways[i], lasts_s[k] * SECOND);
    }
}

/* A quarter as fast from second 100 on. At second 300 that has been the pace of the latest half,
 * and 50 of 200 units are left. */
static void
a_change_of_pace_is_noticed(void **state)
{
    struct progress progress;
    int64_t left_us;
    double done = 0;

    (void)state;
    progress_start(&progress, 200, 0);
    for (int second = 1; second <= 300; second++) {
        done += second <= 100 ? 1 : 0.25;
        progress_note(&progress, done, second * SECOND);
    }
    assert_true(progress_left_us(&progress, done, 300 * SECOND, &left_us));
    assert_in_range(left_us, 199 * SECOND, 201 * SECOND);
}

static void
nothing_is_foretold_from_nothing(void **state)
{
    struct progress progress;
    int64_t left_us = -7;

    (void)state;
    progress_start(&progress, 100, 0);
    assert_false(progress_left_us(&progress, 0, 0, &left_us));
    assert_false(progress_left_us(&progress, 10, SECOND / 10, &left_us));
    assert_false(progress_left_us(&progress, 0, 10 * SECOND, &left_us));
    assert_int_equal(left_us, -7);
}

static void
nothing_is_left_at_the_end_and_beyond(void **state)
{
    struct progress progress;
    int64_t left_us;

    (void)state;
    progress_start(&progress, 100, 0);
    assert_true(progress_left_us(&progress, 100, 10 * SECOND, &left_us));
    assert_int_equal(left_us, 0);
    assert_true(progress_left_us(&progress, 101, 10 * SECOND, &left_us));
    assert_int_equal(left_us, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_arrival_is_foretold_within_a_fifth),
        cmocka_unit_test(a_change_of_pace_is_noticed),
        cmocka_unit_test(nothing_is_foretold_from_nothing),
        cmocka_unit_test(nothing_is_left_at_the_end_and_beyond),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
