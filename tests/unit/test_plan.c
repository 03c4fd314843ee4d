/* The order of the steps and their time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "profiles/plan.h"

static struct settings settings;
static struct plan plan;

static void
set(enum setting_id id, const char *text)
{
    struct err err;

    assert_true(settings_set(&settings, id, text, SETTING_OPTION, &err));
}

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
    return 0;
}

/* Makes the plan and compares it with "users/repeat users/repeat ...". */
static void
assert_plan(const char *wanted)
{
    struct buf found = {0};

    plan_make(&plan, &settings.arena, &settings, NULL);
    for (int i = 0; i < plan.count; i++) {
        assert_int_equal(plan.steps[i].number, i + 1);
        buf_printf(&found, "%s%d/%d", i ? " " : "", plan.steps[i].virtual_users,
                   plan.steps[i].repeat);
    }
    assert_string_equal(buf_text(&found), wanted);
    buf_free(&found);
}

static void
ascending(void **state)
{
    (void)state;
    set(SET_LADDER, "8 1 2");
    assert_plan("1/1 2/1 8/1");
    set(SET_REPEATS, "2");
    assert_plan("1/1 1/2 2/1 2/2 8/1 8/2");
}

static void
interleaved(void **state)
{
    (void)state;
    set(SET_LADDER, "8 1 2");
    set(SET_REPEATS, "2");
    set(SET_ORDER, "interleaved");
    assert_plan("1/1 2/1 8/1 1/2 2/2 8/2");
}

/* Makes the plan of a profile and compares it with "CURVE:users/repeat ...". */
static void
assert_matrix(const struct profile *profile, const char *wanted)
{
    struct buf found = {0};

    plan_make(&plan, &settings.arena, &settings, profile);
    for (int i = 0; i < plan.count; i++)
        buf_printf(&found, "%s%d:%d/%d", i ? " " : "", plan.steps[i].curve,
                   plan.steps[i].virtual_users, plan.steps[i].repeat);
    assert_string_equal(buf_text(&found), wanted);
    buf_free(&found);
}

static void
curves_one_after_the_other(void **state)
{
    int64_t steps, curves;

    (void)state;
    set(SET_LADDER, "4 1");
    set(SET_SWEEP_WAREHOUSES, "10 1");
    set(SET_REPEATS, "2");
    assert_matrix(NULL, "0:1/1 0:1/2 0:4/1 0:4/2 1:1/1 1:1/2 1:4/1 1:4/2");
    assert_string_equal(plan.curves[0].name, "10 warehouses");
    assert_string_equal(plan.curves[1].name, "1 warehouse");
    plan_size(&settings, NULL, &steps, &curves);
    assert_int_equal(steps, 8);
    assert_int_equal(curves, 2);
    set(SET_ORDER, "interleaved");
    assert_matrix(NULL, "0:1/1 0:4/1 1:1/1 1:4/1 0:1/2 0:4/2 1:1/2 1:4/2");
    assert_int_equal(plan.steps[2].seed, INT64_C(2000001042));
}

/* Two servers, two sizes, two configurations, two mixes, two calls: 32 curves. */
static void
all_dimensions(void **state)
{
    static const struct profile profile = {
        .servers = {{.name = "old", .values = {[SET_PORT - SET_HOST] = "5433"}}, {.name = "new"}},
        .servers_count = 2,
        .configurations = {{.name = "plain"}, {.name = "async", .session_settings = "jit=off"}},
        .configurations_count = 2};

    (void)state;
    set(SET_LADDER, "3");
    set(SET_SWEEP_WAREHOUSES, "1 2");
    set(SET_SWEEP_MIX, "standard read-only");
    set(SET_SWEEP_CALL, "functions procedures");
    plan_make(&plan, &settings.arena, &settings, &profile);
    assert_int_equal(plan.curves_count, 32);
    assert_int_equal(plan.count, 32);
    assert_string_equal(plan.curves[0].name, "old, 1 warehouse, plain, standard, functions");
    assert_string_equal(plan.curves[1].name, "old, 1 warehouse, plain, standard, procedures");
    assert_string_equal(plan.curves[2].name, "old, 1 warehouse, plain, read-only, functions");
    assert_string_equal(plan.curves[4].name, "old, 1 warehouse, async, standard, functions");
    assert_string_equal(plan.curves[8].name, "old, 2 warehouses, plain, standard, functions");
    assert_string_equal(plan.curves[31].name, "new, 2 warehouses, async, read-only, procedures");
    for (int i = 0; i < 32; i++)
        assert_int_equal(plan.curves[i].database, i / 8 * 8);
}

static void
settings_of_a_step(void **state)
{
    static const struct profile profile = {
        .servers = {{.name = "old", .values = {[SET_PORT - SET_HOST] = "5433"}}, {.name = "new"}},
        .servers_count = 2,
        .configurations = {{.name = "async", .session_settings = "jit=off"}},
        .configurations_count = 1};
    struct settings made;
    struct err err;
    int mix[TXN_TYPES];

    (void)state;
    set(SET_LADDER, "20000");
    set(SET_SCHEMA, "mill");
    set(SET_SESSION_SETTINGS, "work_mem=1GB");
    set(SET_SWEEP_WAREHOUSES, "1 2");
    set(SET_SWEEP_MIX, "standard read-only");
    plan_make(&plan, &settings.arena, &settings, &profile);
    assert_true(plan_step_settings(&plan, &plan.steps[1], &settings, &made, &err));
    settings_mix(&made, mix);
    assert_int_equal(mix[TXN_STOCK_LEVEL], 50);
    assert_int_equal(settings_int(&made, SET_PORT), 5433);
    assert_string_equal(settings_text(&made, SET_SCHEMA), "mill_w1");
    assert_int_equal(settings_int(&made, SET_WAREHOUSES), 1);
    assert_int_equal(settings_int(&made, SET_TERMINALS), 20000);
    assert_int_equal(settings_int(&made, SET_SEED), INT64_C(2000000000) + 20000000 + 42);
    assert_string_equal(settings_text(&made, SET_SESSION_SETTINGS), "work_mem=1GB;jit=off");
    settings_free(&made);
    assert_true(plan_database_settings(&plan, 7, &settings, &made, &err));
    assert_false(settings_is_set(&made, SET_PORT));
    assert_string_equal(settings_text(&made, SET_SCHEMA), "mill_w2");
    assert_string_equal(settings_text(&made, SET_SESSION_SETTINGS), "work_mem=1GB");
    assert_string_equal(settings_text(&made, SET_MIX), "standard");
    assert_int_equal(settings_int(&made, SET_SEED), 42);
    settings_free(&made);
    assert_string_equal(settings_text(&settings, SET_SCHEMA), "mill");
}

/* Every level as often as asked for, repeats in the order of time, the same again for the seed. */
static void
random_order(void **state)
{
    struct buf first = {0}, second = {0};
    int seen[20][4] = {{0}};

    (void)state;
    set(SET_LADDER, "1 2 3 4 5 6 7 8 9 10 11 12");
    set(SET_REPEATS, "3");
    set(SET_ORDER, "random");
    plan_make(&plan, &settings.arena, &settings, NULL);
    assert_int_equal(plan.count, 36);
    for (int i = 0; i < plan.count; i++) {
        const struct plan_step *step = &plan.steps[i];
        assert_in_range(step->virtual_users, 1, 12);
        assert_in_range(step->repeat, 1, 3);
        assert_int_equal(seen[step->virtual_users][step->repeat]++, 0);
        if (step->repeat > 1)
            assert_int_equal(seen[step->virtual_users][step->repeat - 1], 1);
    }
    plan_text(&plan, "p", &first);
    plan_make(&plan, &settings.arena, &settings, NULL);
    plan_text(&plan, "p", &second);
    assert_string_equal(buf_text(&first), buf_text(&second));
    set(SET_SEED, "43");
    buf_clear(&second);
    plan_make(&plan, &settings.arena, &settings, NULL);
    plan_text(&plan, "p", &second);
    assert_string_not_equal(buf_text(&first), buf_text(&second));
    buf_free(&first);
    buf_free(&second);
}

static void
time_of_the_largest_plan(void **state)
{
    struct buf ladder = {0};

    (void)state;
    for (int i = 1; i <= SETTINGS_LIST_MAX; i++)
        buf_printf(&ladder, "%d ", i);
    set(SET_LADDER, buf_text(&ladder));
    set(SET_REPEATS, "100");
    set(SET_RAMP_UP, "24h");
    set(SET_MEASURE, "168h");
    plan_make(&plan, &settings.arena, &settings, NULL);
    assert_int_equal(plan.count, 6400);
    /* 6400 * (8 days + 2 s), in microseconds. */
    assert_true(plan.total_us == INT64_C(6400) * (INT64_C(691200) + 2) * 1000000);
    buf_free(&ladder);
}

static void
printed(void **state)
{
    struct buf out = {0};

    (void)state;
    set(SET_LADDER, "1 16");
    set(SET_RAMP_UP, "8s");
    set(SET_MEASURE, "20s");
    plan_make(&plan, &settings.arena, &settings, NULL);
    plan_text(&plan, "demo", &out);
    assert_string_equal(buf_text(&out),
                        "profile demo: 2 steps of 8s ramp-up and 20s measurement\n\n"
                        " step  virtual users  repeat\n"
                        "    1              1       1\n"
                        "    2             16       1\n"
                        "\nabout 1m00s for the steps; building the warehouses, checking and "
                        "reporting come on top\n");
    buf_clear(&out);
    plan_json(&plan, "demo", &out);
    assert_non_null(strstr(buf_text(&out), "\"step\": 2, \"virtual_users\": 16, \"repeat\": 1"));
    assert_non_null(strstr(buf_text(&out), "\"total_s\": 60"));
    buf_free(&out);
}

static void
no_two_steps_share_inputs(void **state)
{
    (void)state;
    assert_int_equal(plan_seed(0, 1, 1, 42), 1042);
    assert_int_equal(plan_seed(0, 8, 3, 42), 8044);
    for (int users = 1; users < 50; users++)
        for (int repeat = 1; repeat <= 100; repeat++)
            assert_true(plan_seed(0, users, repeat, 42) < plan_seed(0, users + 1, 1, 42));
    assert_true(plan_seed(0, 1000000, 100, 42) < plan_seed(1, 1, 1, 42));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(ascending, set_up, tear_down),
        cmocka_unit_test_setup_teardown(interleaved, set_up, tear_down),
        cmocka_unit_test_setup_teardown(curves_one_after_the_other, set_up, tear_down),
        cmocka_unit_test_setup_teardown(all_dimensions, set_up, tear_down),
        cmocka_unit_test_setup_teardown(settings_of_a_step, set_up, tear_down),
        cmocka_unit_test_setup_teardown(random_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(time_of_the_largest_plan, set_up, tear_down),
        cmocka_unit_test_setup_teardown(printed, set_up, tear_down),
        cmocka_unit_test(no_two_steps_share_inputs),
    };
    return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
