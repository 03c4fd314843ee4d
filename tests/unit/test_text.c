/* report.txt keeps to its columns whatever stands in the run, and says what matters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "reports/analyse.h"
#include "reports/departures.h"
#include "reports/escape.h"
#include "reports/text.h"
#include "tests/unit/sample.h"

static struct arena arena;
static struct run run;
static struct buf text;

static void
make_text(void)
{
    static struct analysis analysis;

    analysis_make(&analysis, &run, &arena);
    buf_clear(&text);
    text_report(&run, &analysis, &text);
}

static int
make_sample(void **state)
{
    static const int ladder[] = {1, 2, 16};
    (void)state;

    sample_run(&arena, &run, &(struct sample){.ladder = ladder, .levels = 3, .repeats = 2});
    return 0;
}

static int
forget(void **state)
{
    (void)state;
    arena_free(&arena);
    buf_free(&text);
    return 0;
}

static void
expect_narrow(void)
{
    for (const char *line = buf_text(&text); *line;) {
        size_t length = strcspn(line, "\n");
        char *one = arena_printf(&arena, "%.*s", (int)length, line);
        if (escape_columns(one) > TEXT_COLUMNS)
            fail_msg("%zu columns: %s", escape_columns(one), one);
        line += length + (line[length] == '\n');
    }
}

static void
says_what_matters(void **state)
{
    (void)state;
    make_text();
    expect_narrow();
    assert_non_null(
        strstr(text.data, "NOPM at 16 virtual users on 4 warehouses (TOO SHORT)\n95 % interval"));
    assert_non_null(strstr(text.data, "steady       NOT TESTED"));
    assert_non_null(strstr(text.data, "\n95 % limits of New-Order: p50 "));
    assert_non_null(
        strstr(text.data, "Straight lines through the runs. New-Order p95 per virtual"));
    assert_non_null(strstr(text.data, "|############################################ "));
    assert_non_null(strstr(text.data, "comparable to\npublished TPC-C Benchmark results"));
    for (size_t i = 0; i < departures_count; i++) {
        char *start = arena_printf(&arena, "- %s: ", departures[i].clauses);
        assert_true(!departure_holds(&departures[i], &run) || strstr(text.data, start));
    }
}

static void
long_and_foreign_texts_stay_narrow(void **state)
{
    char long_name[600];
    (void)state;

    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    run.name = long_name;
    run.kit_version = long_name;
    run.steps[0].configuration = run.steps[1].configuration = long_name;
    run.steps[2].status = STEP_FAILED;
    run.steps[2].reason = long_name;
    environment_add(&run.environment, &arena, "server", long_name, long_name, "");
    environment_add(&run.environment, &arena, "client", "\xc3\xa4\x1b[2J", "a\nb \xff", "");
    make_text();
    expect_narrow();
    assert_null(strchr(text.data, '\x1b'));
    assert_non_null(strstr(text.data, "Steps in no mean"));
}

/* The first headline is the highest level within the limits; the peak comes second, each with its
 * interval. */
static void
the_first_headline_keeps_the_limits(void **state)
{
    (void)state;
    int64_t at_two_us = hist_percentile_us(&run.steps[2].transactions[TXN_NEW_ORDER].response, 0.9);
    assert_int_equal(run.steps[2].virtual_users, 2);
    for (int i = 0; i < run.steps_count; i++) {
        run.steps[i].limits_us[TXN_NEW_ORDER] = at_two_us * 5 / 4;
        run.steps[i].limit_percentile = 90;
    }
    make_text();
    expect_narrow();
    const char *first = strstr(text.data, "NOPM at 2 virtual users on 4 warehouses");
    const char *second = strstr(text.data, "the peak, whatever the response\n  times: ");
    assert_non_null(first);
    assert_non_null(second);
    assert_true(first < second);
    const char *peak = strstr(second, "NOPM at 16 virtual users on 4 warehouses (TOO SHORT)\n"
                                      "95 % interval ");
    assert_non_null(peak);
    assert_true(peak < second + 80);
    for (int i = 0; i < run.steps_count; i++)
        run.steps[i].limits_us[TXN_NEW_ORDER] = 1000;
    make_text();
    expect_narrow();
    assert_non_null(strstr(text.data, "this is the peak, whatever the response times: no level"));
}

/* Each verdict has its figure and its rule. */
static void
every_verdict_has_its_rule(void **state)
{
    (void)state;
    make_text();
    const char *rules = strstr(text.data, "The rules of the verdicts\n");
    assert_non_null(rules);
    for (int i = 0; i < VERDICTS; i++)
        assert_non_null(strstr(rules, arena_printf(&arena, "\n%-13s", verdict_names[i])));
    assert_non_null(strstr(rules, "Stock-Level 20 s\n             (5.2.5.7), unless the profile "
                                  "sets other limits"));
}

static void
without_a_level(void **state)
{
    (void)state;
    run.steps_count = 0;
    make_text();
    expect_narrow();
    assert_non_null(strstr(text.data, "No valid result"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make_sample, forget)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(says_what_matters),
        TEST(the_first_headline_keeps_the_limits),
        TEST(every_verdict_has_its_rule),
        TEST(long_and_foreign_texts_stay_narrow),
        TEST(without_a_level),
    };
    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
