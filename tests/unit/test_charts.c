/* Which charts a run has, and that gnuplot never gets a text from outside. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "reports/charts.h"
#include "reports/level_metrics.h"
#include "tests/unit/sample.h"

static struct arena arena;
static struct run run;
static struct analysis analysis;
static struct charts charts;

static int
make_sample(void **state)
{
    static const int ladder[] = {1, 4, 16};
    (void)state;

    sample_run(&arena, &run,
               &(struct sample){.ladder = ladder,
                                .levels = 3,
                                .repeats = 2,
                                .measure_s = 20,
                                .ramp_up_s = 2,
                                .warehouses = 4,
                                .database = "bench"});
    return 0;
}

static int
forget(void **state)
{
    (void)state;
    charts_free(&charts);
    arena_free(&arena);
    return 0;
}

static void
make(void)
{
    analysis_make(&analysis, &run, &arena);
    charts_make(&charts, &run, &analysis, &arena);
}

static const struct chart *
find(const char *section)
{
    for (int i = 0; i < charts.count; i++)
        if (strcmp(charts.charts[i].section, section) == 0)
            return &charts.charts[i];
    return NULL;
}

static void
what_is_not_there_says_why(void **state)
{
    (void)state;

    make();
    assert_string_equal(find("warehouses")->absent, "the run has one number of warehouses only");
    assert_non_null(strstr(find("think")->absent, "did not think"));
    assert_null(find("profile")->absent);
    assert_null(find("waits")->absent);
    charts_free(&charts);
    for (int i = 0; i < run.steps_count; i++)
        run.steps[i].metrics_count = 0;
    make();
    assert_string_equal(find("waits")->absent, "they were not sampled");
    assert_string_equal(find("cores")->absent, "they were not sampled");
    assert_string_equal(find("io")->absent, "it was not sampled");
}

/* "single quotes', newlines and backticks would be commands. */
static void
names_of_waits_are_letters(void **state)
{
    (void)state;

    for (int i = 0; i < run.steps_count; i++)
        for (int k = 0; k < run.steps[i].metrics_count; k++)
            if (strcmp(run.steps[i].metrics[k].name, "wait") == 0)
                run.steps[i].metrics[k].instance = "Ext:'; system('id') `id`\n\"\\";
    make();
    const char *script = buf_text(&find("waits")->plot.script);
    assert_null(strstr(script, "system("));
    assert_null(strstr(script, "`"));
    assert_non_null(strstr(script, "Ext:?? system??id?? ?id????"));
}

/* A made-up system with 30 % of two cores busy at one user, 36 % and 24 % of either. */
static void
shares_and_costs(void **state)
{
    (void)state;

    make();
    const struct analysis_level *level = &analysis.levels[0];
    double cpu_us = level_metrics_cpu_us(level, METRIC_SERVER_HOST);
    assert_true(cpu_us > 0);
    assert_float_equal((float)(cpu_us * level->nopm_mean / 60e6), 0.60F, 0.001F);
    assert_float_equal((float)level_metrics_mean(level, METRIC_SERVER, "wait", NULL), 0.95F,
                       0.001F);
    const char *names[2];
    assert_int_equal(level_metrics_instances(&analysis, METRIC_SERVER, "wait", NULL, names, 2), 2);
    assert_string_equal(names[0], "CPU");
    assert_string_equal(names[1], "LWLock:WALWrite");
}

/* Only loads that were measured everywhere make a surface. */
static void
a_surface_needs_common_loads(void **state)
{
    int surfaces = 0;
    (void)state;

    for (int i = 0; i < run.steps_count; i++)
        if (run.steps[i].repeat == 2)
            run.steps[i].warehouses = 8;
    make();
    for (int i = 0; i < charts.count; i++)
        surfaces +=
            !charts.charts[i].absent && strncmp(charts.charts[i].plot.id, "surface", 7) == 0;
    assert_int_equal(surfaces, 1);
    charts_free(&charts);
    run.steps[1].virtual_users = 2;
    run.steps[3].virtual_users = 5;
    make();
    for (int i = 0; i < charts.count; i++)
        assert_true(charts.charts[i].absent ||
                    strncmp(charts.charts[i].plot.id, "surface", 7) != 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_not_there_says_why, make_sample, forget),
        cmocka_unit_test_setup_teardown(names_of_waits_are_letters, make_sample, forget),
        cmocka_unit_test_setup_teardown(shares_and_costs, make_sample, forget),
        cmocka_unit_test_setup_teardown(a_surface_needs_common_loads, make_sample, forget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
