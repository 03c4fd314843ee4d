/* Load hosts' runs made into one: what adds up, what is pooled, what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "reports/merge.h"
#include "tests/unit/sample.h"

static struct arena arena;
static struct run runs[2], merged;
static const char *const folders[] = {"one", "two"};
static struct err err;

static int
make_samples(void **state)
{
    static const int ladder[] = {1, 8};
    (void)state;

    for (int i = 0; i < 2; i++) {
        sample_run(&arena, &runs[i], &(struct sample){.ladder = ladder, .levels = 2, .repeats = 1});
        for (int k = 0; k < runs[i].environment.count; k++)
            if (strcmp(runs[i].environment.facts[k].name, "host") == 0)
                runs[i].environment.facts[k].value = i ? "load-b" : "load-a";
    }
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
expect_refusal(const char *message)
{
    assert_false(merge_runs(runs, folders, 2, &merged, &arena, &err));
    assert_int_equal(err.code, ERR_USAGE);
    assert_string_equal(err.message, message);
}

static void
sessions_left_add_up(void **state)
{
    (void)state;

    for (int i = 0; i < 2; i++)
        runs[i].steps[0].sessions_left = runs[i].steps[1].sessions_left = -1;
    runs[1].steps[1].sessions_left = 3;
    runs[1].steps[1].sessions_left_named = "4711 (active for 12 s)";
    assert_true(merge_runs(runs, folders, 2, &merged, &arena, &err));
    assert_int_equal(merged.steps[0].sessions_left, -1);
    assert_int_equal(merged.steps[1].sessions_left, 3);
    assert_string_equal(merged.steps[1].sessions_left_named, "4711 (active for 12 s)");
    runs[0].steps[1].sessions_left = 1;
    runs[0].steps[1].sessions_left_named = "17 (idle for 6 s)";
    assert_true(merge_runs(runs, folders, 2, &merged, &arena, &err));
    assert_int_equal(merged.steps[1].sessions_left, 4);
    assert_string_equal(merged.steps[1].sessions_left_named, "17 (idle for 6 s)");
}

static void
nopm_adds_up(void **state)
{
    (void)state;

    runs[1].steps[1].elapsed_us += 5000;
    double sum = step_nopm(&runs[0].steps[1]) + step_nopm(&runs[1].steps[1]);
    assert_true(merge_runs(runs, folders, 2, &merged, &arena, &err));
    const struct step *step = &merged.steps[1];
    assert_true(step_nopm(step) / sum > 0.999999 && step_nopm(step) / sum < 1.000001);
    assert_int_equal(step->virtual_users, 16);
    assert_int_equal(step->threads, 4);
    assert_int_equal(step->transactions[TXN_PAYMENT].response.count,
                     runs[0].steps[1].transactions[TXN_PAYMENT].response.count +
                         runs[1].steps[1].transactions[TXN_PAYMENT].response.count);
    assert_int_equal(step->grown[GROWTH_NEW_ORDERS], -1);
    assert_int_equal(step->errors_count, 1);
    assert_int_equal(step->errors[0].count, 14);
    assert_string_equal(environment_find(&merged.environment, "client", "load hosts"), "2");
    assert_string_equal(environment_find(&merged.environment, "client", "host, load host 2"),
                        "load-b");
    assert_string_equal(environment_find(&merged.environment, "database", "name"), "bench");
    /* The parts are as they were. */
    assert_int_equal(runs[0].steps[1].virtual_users, 8);
}

/* One host opened its window two seconds later: seconds are laid over each other by the clock. */
static void
seconds_meet_by_the_clock(void **state)
{
    (void)state;

    for (int i = 0; i < 2; i++)
        runs[1].steps[i].started_wall_us += 2000000;
    const struct second *first = &runs[0].steps[1].seconds[10];
    assert_true(merge_runs(runs, folders, 2, &merged, &arena, &err));
    assert_int_equal(merged.steps[1].seconds[10].at_s, first->at_s);
    assert_int_equal(merged.steps[1].seconds[10].outcomes[TXN_NEW_ORDER][OUTCOME_COMMITTED],
                     first->outcomes[TXN_NEW_ORDER][OUTCOME_COMMITTED] +
                         runs[1].steps[1].seconds[8].outcomes[TXN_NEW_ORDER][OUTCOME_COMMITTED]);
}

/* A host with one call of a minute, and one with 30,000 of a millisecond: the 99th percentile of
 * all calls is a millisecond, and the mean of the hosts' own percentiles would be half a minute. */
static void
percentiles_are_pooled(void **state)
{
    (void)state;

    for (int i = 0; i < 2; i++) {
        struct hist *response = &runs[i].steps[0].transactions[TXN_NEW_ORDER].response;
        hist_clear(response);
        for (int k = 0; k < (i ? 30000 : 1); k++)
            hist_record(response, i ? 1000 : 60000000);
    }
    assert_true(merge_runs(runs, folders, 2, &merged, &arena, &err));
    const struct hist *all = &merged.steps[0].transactions[TXN_NEW_ORDER].response;
    assert_int_equal(all->count, 30001);
    assert_in_range((uintmax_t)hist_percentile_us(all, 0.99), 1000, 1008);
    assert_int_equal(all->max_us, 60000000);
}

static void
what_does_not_belong(void **state)
{
    (void)state;

    runs[1].steps[1].measure_us += 1;
    expect_refusal("\"one\" and \"two\" are not of one run: ramp-up or window differ");
    runs[1].steps[1].measure_us -= 1;
    runs[1].steps[0].started_wall_us += 2000001;
    expect_refusal("\"one\" and \"two\" are not of one run: the times of their windows differ");
    runs[1].steps[0].started_wall_us -= 2000001;
    runs[1].profile = "<profile name='x'/>";
    expect_refusal("\"one\" and \"two\" are not of one run: their profiles differ");
    runs[1].profile = runs[0].profile;
    runs[1].steps_count = 1;
    expect_refusal("\"one\" and \"two\" are not of one run: numbers of steps differ");
    runs[1].steps_count = 2;
    runs[1].steps[1].isolation = "serializable";
    expect_refusal(
        "\"one\" and \"two\" are not of one run: procedures, call, protocol or isolation "
        "differ");
}

static void
nothing_counts_twice(void **state)
{
    (void)state;

    for (int k = 0; k < runs[1].environment.count; k++)
        if (strcmp(runs[1].environment.facts[k].name, "host") == 0)
            runs[1].environment.facts[k].value = "load-a";
    expect_refusal("\"one\" and \"two\" are the same run of one host");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nopm_adds_up, make_samples, forget),
        cmocka_unit_test_setup_teardown(sessions_left_add_up, make_samples, forget),
        cmocka_unit_test_setup_teardown(seconds_meet_by_the_clock, make_samples, forget),
        cmocka_unit_test_setup_teardown(percentiles_are_pooled, make_samples, forget),
        cmocka_unit_test_setup_teardown(what_does_not_belong, make_samples, forget),
        cmocka_unit_test_setup_teardown(nothing_counts_twice, make_samples, forget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
