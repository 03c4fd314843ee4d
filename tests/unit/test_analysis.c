/* What the steps say together, on steps whose figures are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <string.h>

#include <cmocka.h>

#include "reports/analyse.h"
#include "tests/unit/sample.h"

static struct arena arena;
static struct run run;
static struct analysis analysis;

static void
near(double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance))
        fail_msg("%.9g is not within %g of %.9g", found, tolerance, expected);
}

static int
forget(void **state)
{
    (void)state;
    arena_free(&arena);
    return 0;
}

static void
make_sample(const int *ladder, int levels, int repeats)
{
    sample_run(
        &arena, &run,
        &(struct sample){.ladder = ladder, .levels = levels, .repeats = repeats, .warehouses = 10});
}

/* A step of one minute with so many new-orders, and nothing else. */
static void
plain_step(struct step *step, int number, int virtual_users, uint64_t new_orders)
{
    *step = (struct step){.number = number,
                          .virtual_users = virtual_users,
                          .warehouses = 100,
                          .threads = 1,
                          .repeat = 1,
                          .configuration = "",
                          .procedures = "",
                          .call = "",
                          .protocol = "",
                          .isolation = "",
                          .reason = "",
                          .mix = {100, 0, 0, 0, 0},
                          .elapsed_us = 60000000};
    step->transactions[TXN_NEW_ORDER].outcomes[OUTCOME_COMMITTED] = new_orders;
    for (int i = 0; i < 100; i++)
        hist_record(&step->transactions[TXN_NEW_ORDER].response, 1000);
}

static void
plain_run(const int *users, const uint64_t *new_orders, int count)
{
    run = (struct run){.name = "", .kit_version = "", .profile = "", .steps_count = count};
    run.steps_planned = count;
    run.steps = arena_array(&arena, (size_t)count, sizeof *run.steps);
    for (int i = 0; i < count; i++)
        plain_step(&run.steps[i], i + 1, users[i], new_orders[i]);
}

static bool
warns(const char *part)
{
    for (int i = 0; i < analysis.warnings_count; i++)
        if (strstr(analysis.warnings[i], part))
            return true;
    return false;
}

/* The two runs of one build at 192 and at 250 users, from a public thread, run interleaved. */
static void
levels_are_over_runs(void **state)
{
    const int users[] = {250, 192, 250, 192};
    const uint64_t nopm[] = {828171, 1172413, 494046, 1578301};
    (void)state;

    plain_run(users, nopm, 4);
    analysis_make(&analysis, &run, &arena);
    assert_int_equal(analysis.levels_count, 2);
    const struct analysis_level *level = &analysis.levels[0];
    assert_int_equal(level->virtual_users, 192);
    assert_int_equal(level->runs, 2);
    near(level->nopm_mean, 1375357, 0.01);
    near(level->nopm_sd, 405888 / sqrt(2), 0.01);
    near(level->nopm_cv, 405888 / sqrt(2) / 1375357, 1e-9);
    near(level->nopm_interval.high - level->nopm_mean, 12.7062 * 202944, 10);
    near(level->nopm_interval.low, 0, 0); /* not below: it is a rate */
    assert_int_equal(analysis.levels[1].virtual_users, 250);
    assert_int_equal(analysis.peak, 0);
    assert_true(warns("coefficient of variation is 35.7 %"));
    assert_true(warns("The peak, at 192 virtual users, is not told apart from 1 other level: "));
}

/* One run with one answer in 60 s, three with 10,000 in 1 ms: the 99th percentile of all is 1 ms,
 * the mean of the four 99th percentiles 15 s. */
static void
percentiles_are_pooled(void **state)
{
    const int users[] = {4, 4, 4, 4};
    const uint64_t nopm[] = {100, 100, 100, 100};
    (void)state;

    plain_run(users, nopm, 4);
    for (int i = 0; i < 4; i++) {
        struct hist *response = &run.steps[i].transactions[TXN_NEW_ORDER].response;
        hist_clear(response);
        for (int j = 0; j < (i ? 10000 : 1); j++)
            hist_record(response, i ? 1000 : 60000000);
    }
    analysis_make(&analysis, &run, &arena);
    const struct hist *pooled = &analysis.levels[0].transactions[TXN_NEW_ORDER].response;
    assert_int_equal(pooled->count, 30001);
    near((double)hist_percentile_us(pooled, 0.99), 1000, 10);
    assert_int_equal(pooled->max_us, 60000000);
}

static void
unfinished_steps_are_left_out(void **state)
{
    const int users[] = {1, 2, 2, 4};
    const uint64_t nopm[] = {100, 200, 999, 300};
    (void)state;

    plain_run(users, nopm, 4);
    run.steps[2].status = STEP_FAILED;
    run.steps[2].reason = "gone";
    run.steps[3].status = STEP_INTERRUPTED;
    run.status = STEP_INTERRUPTED;
    run.steps_planned = 9;
    analysis_make(&analysis, &run, &arena);
    assert_int_equal(analysis.levels_count, 2);
    assert_int_equal(analysis.levels[1].runs, 1);
    near(analysis.levels[1].nopm_mean, 200, 1e-9);
    assert_int_equal(analysis.steps_excluded, 2);
    assert_true(warns("2 of 4 steps failed or were interrupted"));
    assert_true(warns("interrupted: 4 of 9 planned steps"));
    assert_true(warns("Every level was measured once only"));
}

static void
void_levels_are_no_peak(void **state)
{
    const int users[] = {1, 2, 4};
    const uint64_t nopm[] = {100, 200, 300};
    (void)state;

    plain_run(users, nopm, 3);
    run.steps[2].virtual_users_lost = 1;
    analysis_make(&analysis, &run, &arena);
    assert_int_equal(analysis.peak, 1);
    assert_false(analysis.levels[2].stands);
    assert_true(warns("1 of 3 levels are void"));
    for (int i = 0; i < 3; i++)
        run.steps[i].grown[GROWTH_NEW_ORDERS] = 7;
    analysis_make(&analysis, &run, &arena);
    assert_int_equal(analysis.peak, -1);
    assert_int_equal(analysis.within_limits, -1);
    assert_false(analysis.usl.fitted);
}

static void
sessions_left_are_a_warning(void **state)
{
    const int users[] = {1, 2, 4};
    const uint64_t nopm[] = {100, 200, 300};
    (void)state;

    plain_run(users, nopm, 3);
    run.steps[0].sessions_left = -1; /* it could not be seen */
    analysis_make(&analysis, &run, &arena);
    assert_false(warns("left sessions on the server"));
    run.steps[1].sessions_left = 2;
    run.steps[1].sessions_left_named = "4711 (active for 12 s), 4712 (idle for 3 s)";
    run.steps[2].sessions_left = 1;
    run.steps[2].sessions_left_named = "4713 (active for 1 s)";
    analysis_make(&analysis, &run, &arena);
    assert_true(
        warns("2 steps left sessions on the server, which work on beside the next ones; the "
              "first is step 2, with process 4711 (active for 12 s), 4712 (idle for 3 s)."));
}

static void
peak_and_capacity_differ(void **state)
{
    const int users[] = {1, 2, 4};
    const uint64_t nopm[] = {100, 200, 300};
    (void)state;

    plain_run(users, nopm, 3);
    for (int i = 0; i < 100; i++)
        hist_record(&run.steps[2].transactions[TXN_NEW_ORDER].response, 6000000);
    analysis_make(&analysis, &run, &arena);
    assert_int_equal(analysis.peak, 2);
    assert_int_equal(analysis.within_limits, 1);
    assert_true(warns("that throughput is no capacity"));
    assert_true(warns("at the largest load measured (4 virtual users)"));
}

static void
configurations_and_sizes_are_levels_of_their_own(void **state)
{
    const int users[] = {4, 4, 4, 4};
    const uint64_t nopm[] = {1, 2, 3, 4};
    (void)state;

    plain_run(users, nopm, 4);
    run.steps[0].configuration = "b";
    run.steps[1].configuration = "a";
    run.steps[2].warehouses = 50;
    run.steps[2].configuration = "a";
    run.steps[3].configuration = "a";
    analysis_make(&analysis, &run, &arena);
    assert_int_equal(analysis.levels_count, 3);
    assert_int_equal(analysis.levels[0].warehouses, 50);
    assert_int_equal(analysis.levels[1].runs, 2);
    assert_string_equal(analysis.levels[2].configuration, "b");
}

/* Curves come as planned, each with its own peak; the highest of all is that of the run. */
static void
curves(void **state)
{
    const int users[] = {1, 2, 1, 2};
    const uint64_t nopm[] = {100, 300, 250, 200};
    (void)state;

    plain_run(users, nopm, 4);
    for (int i = 0; i < 4; i++) {
        run.steps[i].curve = i < 2 ? 2 : 1;
        run.steps[i].curve_name = i < 2 ? "lookup" : "insert";
    }
    analysis_make(&analysis, &run, &arena);
    assert_int_equal(analysis.levels_count, 4);
    assert_int_equal(analysis.curves_count, 2);
    assert_string_equal(analysis.curves[0].title, "insert");
    assert_int_equal(analysis.curves[0].count, 2);
    assert_int_equal(analysis.levels[analysis.curves[0].peak].virtual_users, 1);
    assert_string_equal(analysis.curves[1].title, "lookup");
    assert_int_equal(analysis.curves[1].first, 2);
    assert_int_equal(analysis.levels[analysis.curves[1].peak].virtual_users, 2);
    assert_int_equal(analysis.peak, analysis.curves[1].peak);
    assert_int_equal(analysis.levels[3].curve, 1);
}

/* Calls of a probe are not new-orders, however many there are. */
static void
a_probe_is_no_headline(void **state)
{
    const int users[] = {1, 2, 1, 2};
    const uint64_t nopm[] = {100, 300, 250, 200};
    (void)state;

    plain_run(users, nopm, 4);
    for (int i = 2; i < 4; i++) {
        run.steps[i].curve = 1;
        memset(run.steps[i].mix, 0, sizeof run.steps[i].mix);
        run.steps[i].mix[TXN_LOOKUP] = 100;
        run.steps[i].transactions[TXN_LOOKUP].outcomes[OUTCOME_COMMITTED] = 1000000;
    }
    analysis_make(&analysis, &run, &arena);
    assert_true(analysis.levels[2].nopm_mean > 1000);
    assert_int_equal(analysis.peak, 1);
    assert_int_equal(analysis.curves[1].peak, 2);
    /* Where there is nothing else, it is. */
    for (int i = 0; i < 2; i++)
        run.steps[i].status = STEP_FAILED;
    analysis_make(&analysis, &run, &arena);
    assert_int_equal(analysis.peak, 0);
}

static void
collisions_of_home_warehouses(void **state)
{
    (void)state;
    near(analysis_collisions(1, 1), 0, 0);
    near(analysis_collisions(10, 10), 0, 0);
    near(analysis_collisions(11, 10), 2.0 / 11, 1e-12); /* two share one */
    near(analysis_collisions(15, 10), 10.0 / 15, 1e-12);
    near(analysis_collisions(20, 10), 1, 0);
    near(analysis_collisions(2, 1), 1, 0);
}

static void
durability_and_place_are_warned_of(void **state)
{
    const int users[] = {1};
    const uint64_t nopm[] = {100};
    (void)state;

    plain_run(users, nopm, 1);
    environment_add(&run.environment, &arena, "setting", "fsync", "off", "");
    environment_add(&run.environment, &arena, "setting", "synchronous_commit", "on", "");
    environment_add(&run.environment, &arena, "server", "local", "yes", "");
    environment_add(&run.environment, &arena, "database", "unlogged", "true", "");
    analysis_make(&analysis, &run, &arena);
    assert_true(warns("The tables are unlogged"));
    assert_true(warns("fsync is off"));
    assert_false(warns("synchronous_commit"));
    assert_true(warns("same machine"));
    assert_true(warns("shorter than a checkpoint cycle (300 s)"));
}

/* lambda 2600, sigma 0.05, kappa 0.004, 1 % of noise: the peak is sqrt(0.95 / 0.004) = 15.4. */
static void
scalability_of_a_whole_ladder(void **state)
{
    static const int ladder[] = {1, 2, 4, 8, 16, 24, 32};
    (void)state;

    make_sample(ladder, 7, 3);
    analysis_make(&analysis, &run, &arena);
    assert_int_equal(analysis.levels_count, 7);
    assert_int_equal(analysis.levels[analysis.peak].virtual_users, 16);
    assert_true(analysis.usl.claimed);
    near(analysis.usl.lambda, 2600, 0.03 * 2600);
    near(analysis.usl.n_star, 15.41, 1);
    near(analysis.usl_most, 32, 0);
    for (int i = 0; i < VERDICTS; i++)
        assert_int_not_equal(analysis.verdicts[i].outcome, VERDICT_FAIL);
    assert_true(analysis.inputs_judged);
    assert_true(analysis.inputs[INPUT_REMOTE_LINES].within);
}

/* The worst run speaks for its level: drift before a window that is too short. */
static void
a_level_is_as_steady_as_its_worst_run(void **state)
{
    static const int ladder[] = {1, 4, 16};
    (void)state;

    sample_run(&arena, &run,
               &(struct sample){.ladder = ladder,
                                .levels = 3,
                                .repeats = 2,
                                .measure_s = 60,
                                .ramp_up_s = 10,
                                .warehouses = 10});
    for (int i = 0; i < run.environment.count; i++)
        if (strcmp(run.environment.facts[i].name, "checkpoint_timeout") == 0)
            run.environment.facts[i].value = "30s";
    run.steps[2].seconds_count = 40; /* 28 whole seconds of level 2 */
    struct step *drifting = &run.steps[4];
    for (int i = 0; i < drifting->seconds_count; i++)
        if (drifting->seconds[i].at_s < 40)
            drifting->seconds[i].outcomes[TXN_NEW_ORDER][OUTCOME_COMMITTED] /= 2;
    run.steps[5].seconds_count = 40;
    analysis_make(&analysis, &run, &arena);
    assert_int_equal(analysis.levels[0].steady, STEADY_STEADY);
    assert_int_equal(analysis.levels[1].steady, STEADY_TOO_SHORT);
    assert_int_equal(analysis.levels[2].steady, STEADY_DRIFTING);
}

/* Hints only: the runs stay in the mean. */
static void
runs_that_stand_apart_are_named(void **state)
{
    const int users[] = {1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 4, 4, 4, 4, 4, 4};
    const uint64_t nopm[] = {100, 101, 102,  131,  132,  130,  1000, 1001, 1002,
                             999, 500, 1000, 2000, 2010, 1990, 2005, 1995, 2000};
    (void)state;

    plain_run(users, nopm, 18);
    analysis_make(&analysis, &run, &arena);
    assert_int_equal(analysis.levels[0].clusters, 3);
    assert_true(warns("At 1 virtual user the runs fall into two clusters, 3 below and 3 above"));
    assert_int_equal(analysis.levels[1].outlier, 4);
    assert_int_equal(analysis.levels[1].clusters, 0);
    near(analysis.levels[1].nopm_mean, 5502.0 / 6, 1e-9);
    assert_true(warns("At 2 virtual users run 5 of 6 stands apart"));
    assert_int_equal(analysis.levels[2].outlier, -1);
    assert_int_equal(analysis.levels[2].clusters, 0);
    assert_false(warns("At 4 virtual users"));
}

/* However many levels there are, the warnings stay few. */
static void
hints_are_bounded(void **state)
{
    enum { LEVELS = 40 };
    int users[4 * LEVELS];
    uint64_t nopm[4 * LEVELS];
    (void)state;

    for (int i = 0; i < 4 * LEVELS; i++) {
        users[i] = 1 + i / 4;
        nopm[i] = (uint64_t)(1000 + i % 2 * 500 + i % 4 / 2);
    }
    plain_run(users, nopm, 4 * LEVELS);
    analysis_make(&analysis, &run, &arena);
    assert_true(warns("At 37 more levels runs stand apart or fall into two clusters."));
    assert_false(warns("At 4 virtual users the runs fall"));
}

static void
nothing_gives_nothing(void **state)
{
    (void)state;
    run = (struct run){.name = "", .kit_version = "", .profile = ""};
    analysis_make(&analysis, &run, &arena);
    assert_int_equal(analysis.levels_count, 0);
    assert_int_equal(analysis.peak, -1);
    assert_false(analysis.usl.fitted);
    assert_false(analysis.inputs_judged);
}

#define TEST(f) cmocka_unit_test_teardown(f, forget)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(levels_are_over_runs),
        TEST(percentiles_are_pooled),
        TEST(unfinished_steps_are_left_out),
        TEST(void_levels_are_no_peak),
        TEST(sessions_left_are_a_warning),
        TEST(peak_and_capacity_differ),
        TEST(configurations_and_sizes_are_levels_of_their_own),
        TEST(curves),
        TEST(a_probe_is_no_headline),
        TEST(collisions_of_home_warehouses),
        TEST(durability_and_place_are_warned_of),
        TEST(scalability_of_a_whole_ladder),
        TEST(a_level_is_as_steady_as_its_worst_run),
        TEST(runs_that_stand_apart_are_named),
        TEST(hints_are_bounded),
        TEST(nothing_gives_nothing),
    };
    return cmocka_run_group_tests_name("analysis", tests, NULL, NULL);
}
