/* Straight lines through runs that were made from straight lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <math.h>

#include <cmocka.h>

#include "reports/analyse.h"
#include "reports/fits.h"

static struct arena arena;
static struct step steps[8];
static struct run run;
static struct analysis analysis;

static void
near(double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance))
        fail_msg("%.9g is not within %g of %.9g", found, tolerance, expected);
}

/* One minute at so many users: 600 new-orders each, answered within 20 + 3 us for each user, and
 * 5 s + 200 us for each new-order of driver CPU. (Below 128 us the histogram is exact.) */
static void
make_step(int index, int virtual_users)
{
    struct step *step = &steps[index];
    uint64_t new_orders = 600 * (uint64_t)virtual_users;

    *step = (struct step){.number = index + 1,
                          .virtual_users = virtual_users,
                          .sessions = virtual_users,
                          .warehouses = 100,
                          .threads = 1,
                          .repeat = 1,
                          .configuration = "",
                          .curve_name = "",
                          .procedures = "",
                          .call = "",
                          .protocol = "",
                          .isolation = "",
                          .reason = "",
                          .mix = {100, 0, 0, 0, 0},
                          .elapsed_us = 60000000,
                          .client_user_us = 3000000 + (int64_t)new_orders * 150,
                          .client_system_us = 2000000 + (int64_t)new_orders * 50};
    step->transactions[TXN_NEW_ORDER].outcomes[OUTCOME_COMMITTED] = new_orders;
    for (int i = 0; i < 100; i++)
        hist_record(&step->transactions[TXN_NEW_ORDER].response, 20 + 3 * virtual_users);
}

static void
make_run(const int *users, int count)
{
    run = (struct run){.name = "", .kit_version = "", .profile = "", .steps = steps};
    run.steps_count = run.steps_planned = count;
    for (int i = 0; i < count; i++)
        make_step(i, users[i]);
    analysis_make(&analysis, &run, &arena);
}

static int
forget(void **state)
{
    (void)state;
    arena_free(&arena);
    return 0;
}

static void
slopes_are_those_of_the_truth(void **state)
{
    static const int users[] = {1, 2, 4, 8, 16, 4, 8, 16};
    struct buf text = {0};
    (void)state;

    make_run(users, 8);
    assert_int_equal(analysis.curves_count, 1);
    const struct stats_line *fits = analysis.curves[0].fits;
    near(fits[FIT_RESPONSE].slope, 3, 1e-9);
    near(fits[FIT_RESPONSE].intercept, 20, 1e-9);
    near(fits[FIT_RESPONSE].explained, 1, 1e-9);
    near(fits[FIT_RESPONSE].freedom, 6, 0);
    near(fits[FIT_DRIVER_CPU].slope, 200, 1e-6);
    near(fits[FIT_DRIVER_CPU].intercept, 5e6 / 60, 1e-3); /* busy without any order */
    assert_false(fits[FIT_SERVER_CPU].slope_interval.valid);
    fits_text(&analysis.curves[0], &text);
    assert_string_equal(
        buf_text(&text),
        "Straight lines through the runs. New-Order p95 per virtual user: 3.0 us "
        "(3.0 to 3.0), R2 1.00; driver CPU per new-order: 200.0 us (200.0 to 200.0), "
        "R2 1.00.");
    buf_free(&text);
}

static void
void_levels_do_not_count(void **state)
{
    static const int users[] = {1, 2, 4, 8, 16};
    (void)state;

    make_run(users, 5);
    steps[4].virtual_users_lost = 1;
    steps[4].client_user_us *= 3;
    arena_free(&arena);
    analysis_make(&analysis, &run, &arena);
    near(analysis.curves[0].fits[FIT_DRIVER_CPU].slope, 200, 1e-6);
    near(analysis.curves[0].fits[FIT_DRIVER_CPU].freedom, 2, 0);
}

static void
two_runs_are_no_line(void **state)
{
    static const int users[] = {1, 2};
    struct buf text = {0};
    (void)state;

    make_run(users, 2);
    fits_text(&analysis.curves[0], &text);
    assert_int_equal(text.length, 0);
    buf_free(&text);
}

#define TEST(f) cmocka_unit_test_teardown(f, forget)

/* Exactly twice the work by twice the users: both parameters lie at their bound, and "+- 0" would
 * be read as certainty. */
static void
bounds_are_named(void **state)
{
    const double loads[] = {1, 2, 4, 8, 16}, twice[] = {100, 200, 400, 800, 1600};
    double bent[5];
    (void)state;

    struct stats_usl fit = stats_usl_fit(loads, twice, NULL, 5);
    assert_true(fit.fitted);
    assert_string_equal(fits_bounds(&fit),
                        " Sigma and kappa lie at their bound of 0 and have no standard error.");
    for (int i = 0; i < 5; i++)
        bent[i] = 100 * loads[i] / (1 + 0.1 * (loads[i] - 1) + 0.01 * loads[i] * (loads[i] - 1));
    fit = stats_usl_fit(loads, bent, NULL, 5);
    assert_string_equal(fits_bounds(&fit), "");
    fit.kappa = 0;
    assert_string_equal(fits_bounds(&fit),
                        " Kappa lies at its bound of 0 and has no standard error.");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(slopes_are_those_of_the_truth),
        TEST(void_levels_do_not_count),
        TEST(two_runs_are_no_line),
        cmocka_unit_test(bounds_are_named),
    };
    return cmocka_run_group_tests_name("fits", tests, NULL, NULL);
}
