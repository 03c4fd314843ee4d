/* When the higher levels of a curve are left out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profiles/stop.h"

static struct settings settings;
static struct arena arena;

static int
set_up(void **state)
{
    (void)state;
    settings_init(&settings);
    return 0;
}

static int
tear_down(void **state)
{
    (void)state;
    settings_free(&settings);
    arena_free(&arena);
    return 0;
}

static void
set(enum setting_id id, const char *text)
{
    struct err err;

    assert_true(settings_set(&settings, id, text, SETTING_OPTION, &err));
}

static const char *
reason(const struct stop_result *results, int count, int curve, int virtual_users)
{
    struct plan_step step = {.curve = curve, .virtual_users = virtual_users};

    return stop_reason(&settings, results, count, &step, &arena);
}

/* 1: 100, 2: 200, 4: mean of 150 and 130 = 70 % of the best; curve 1 has its own. */
static const struct stop_result results[] = {
    {0, 1, true, false, 100}, {0, 2, true, false, 200}, {0, 4, true, false, 150},
    {0, 4, true, true, 130},  {1, 1, true, true, 500},  {0, 8, false, true, 1},
};
#define RESULTS (int)(sizeof results / sizeof *results)

static void
nothing_asked_nothing_left_out(void **state)
{
    (void)state;
    assert_null(reason(results, RESULTS, 0, 16));
    set(SET_STOP_BELOW_PEAK, "0%");
    assert_null(reason(results, RESULTS, 0, 16));
}

static void
below_the_peak(void **state)
{
    (void)state;
    set(SET_STOP_BELOW_PEAK, "70%");
    assert_null(reason(results, RESULTS, 0, 16));
    set(SET_STOP_BELOW_PEAK, "71%");
    assert_string_equal(reason(results, RESULTS, 0, 16),
                        "NOPM fell to 70 % of that of 2 virtual users at 4");
    assert_null(reason(results, RESULTS, 0, 4)); /* a repeat of the level itself, and those below */
    assert_null(reason(results, RESULTS, 0, 2));
    assert_null(reason(results, RESULTS, 1, 16));
    assert_null(reason(results, 2, 0, 16)); /* still rising */
    assert_null(reason(NULL, 0, 0, 16));
}

static void
over_the_limits(void **state)
{
    (void)state;
    set(SET_STOP_OVER_LIMITS, "true");
    assert_string_equal(reason(results, RESULTS, 1, 2),
                        "1 virtual user: over the response-time limits");
    assert_null(reason(results, RESULTS, 1, 1));
    assert_null(reason(results, RESULTS, 0, 16)); /* one run of two is not most of them */
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_asked_nothing_left_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(below_the_peak, set_up, tear_down),
        cmocka_unit_test_setup_teardown(over_the_limits, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("stop", tests, NULL, NULL);
}
