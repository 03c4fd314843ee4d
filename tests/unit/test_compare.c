/* Comparing runs: what is matched, what is refused, which words are used, and what differs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "reports/analyse.h"
#include "reports/compare_forms.h"
#include "reports/compare_tables.h"
#include "tests/unit/sample.h"

static struct arena arena;
static struct run run[3];
static struct analysis analysis[3];
static struct compare_run runs[3];
static struct compare compare;

static int
make_samples(void **state)
{
    static const int ladder[] = {1, 8, 16};
    (void)state;

    for (int i = 0; i < 3; i++)
        sample_run(&arena, &run[i], &(struct sample){.ladder = ladder, .levels = 3, .repeats = 3});
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
make(int count)
{
    for (int i = 0; i < count; i++) {
        analysis_make(&analysis[i], &run[i], &arena);
        runs[i] = (struct compare_run){"folder", &run[i], &analysis[i], NAN, NAN};
    }
    compare_make(&compare, runs, count, &arena);
}

/* As much work in another time. */
static void
scale(struct run *which, double factor)
{
    for (int i = 0; i < which->steps_count; i++)
        which->steps[i].elapsed_us = (int64_t)((double)which->steps[i].elapsed_us / factor);
}

static bool
says(const char *const *texts, int count, const char *part)
{
    for (int i = 0; i < count; i++)
        if (strstr(texts[i], part))
            return true;
    return false;
}

static void
the_same_run_twice(void **state)
{
    (void)state;

    make(2);
    const struct comparison *pair = &compare.pairs[1];
    assert_true(compare_is_comparable(pair));
    assert_true(compare.same_configuration);
    assert_int_equal(compare.differences_count, 0);
    assert_int_equal(pair->levels_count, 3);
    assert_float_equal((float)pair->peak.ratio, 1.0F, 1e-6F);
    assert_true(pair->peak.interval.low < 1 && pair->peak.interval.high > 1);
    assert_string_equal(pair->peak.words, "no difference shown");
    assert_true(pair->peak.detectable > 0.005 && pair->peak.detectable < 0.1);
}

static void
a_tenth_faster(void **state)
{
    (void)state;

    scale(&run[1], 1.1);
    scale(&run[2], 0.9);
    make(3);
    assert_float_equal((float)compare.pairs[1].peak.ratio, 1.1F, 1e-3F);
    assert_string_equal(compare.pairs[1].peak.words, "higher");
    assert_string_equal(compare.pairs[2].peak.words, "lower");
    assert_float_equal((float)compare.pairs[2].levels[0].nopm.ratio, 0.9F, 1e-3F);
    /* The driver took as much CPU for as many orders. */
    assert_float_equal((float)compare.pairs[1].costs[COST_CLIENT_CPU].ratio, 1.0F, 1e-6F);
    /* As busy, and a tenth more orders a minute. */
    assert_float_equal((float)compare.pairs[1].costs[COST_SERVER_CPU].ratio, 1 / 1.1F, 1e-3F);
    assert_true(isnan(compare.pairs[1].costs[COST_ENERGY].ratio));
}

static void
decisions(void **state)
{
    (void)state;

    scale(&run[1], 0.9);
    make(2);
    assert_int_equal(compare_decide(&compare, 0.97), DECISION_UNDER);
    assert_int_equal(compare_decide(&compare, 0.80), DECISION_HOLDS);
    assert_int_equal(compare_decide(&compare, 0.905), DECISION_UNDECIDED);
}

static void
one_run_decides_nothing(void **state)
{
    (void)state;

    scale(&run[1], 0.5);
    for (int i = 0; i < run[1].steps_count; i++)
        if (run[1].steps[i].repeat > 1)
            run[1].steps[i].status = STEP_INTERRUPTED;
    make(2);
    assert_string_equal(compare.pairs[1].peak.words, "fewer than three runs, so no interval");
    assert_false(compare.pairs[1].peak.interval.valid);
    assert_int_equal(compare_decide(&compare, 0.97), DECISION_UNDECIDED);
}

static void
another_workload_is_refused(void **state)
{
    (void)state;

    for (int i = 0; i < run[1].steps_count; i++) {
        run[1].steps[i].pacing = 1;
        run[2].steps[i].warehouses = 8;
    }
    make(3);
    assert_false(compare_is_comparable(&compare.pairs[1]));
    assert_true(says(compare.pairs[1].reasons, compare.pairs[1].reasons_count,
                     "pacing: none against 1 of the standard's"));
    assert_true(
        says(compare.pairs[2].reasons, compare.pairs[2].reasons_count, "warehouses: 4 against 8"));
    assert_true(isnan(compare.pairs[1].peak.ratio));
    assert_int_equal(compare.pairs[1].levels_count, 0);
    assert_false(compare.same_configuration);
}

static void
invalid_runs_are_refused(void **state)
{
    (void)state;

    run[1].check.conditions[2].violations = 1;
    for (int i = 0; i < run[2].steps_count; i++)
        run[2].steps[i].grown[GROWTH_NEW_ORDERS] += 1;
    make(3);
    assert_true(says(compare.pairs[1].reasons, compare.pairs[1].reasons_count,
                     "run B has a FAIL for consistency"));
    assert_true(
        says(compare.pairs[2].reasons, compare.pairs[2].reasons_count, "run C has no valid level"));
}

static void
what_only_has_to_be_known(void **state)
{
    (void)state;

    for (int i = 0; i < run[1].environment.count; i++) {
        struct fact *fact = &run[1].environment.facts[i];
        if (strcmp(fact->name, "fsync") == 0)
            fact->value = "off";
    }
    for (int i = 0; i < run[1].steps_count; i++)
        run[1].steps[i].isolation = "serializable";
    make(2);
    const struct comparison *pair = &compare.pairs[1];
    assert_true(compare_is_comparable(pair));
    assert_true(says(pair->warnings, pair->warnings_count,
                     "isolation: read committed against serializable"));
    assert_true(says(pair->warnings, pair->warnings_count, "fsync: on against off"));
    assert_int_equal(compare.differences_count, 2);
    assert_false(compare.same_configuration);
}

/* How large the database has grown is no part of the configuration. */
static void
states_are_listed_only(void **state)
{
    (void)state;

    for (int i = 0; i < run[1].environment.count; i++) {
        struct fact *fact = &run[1].environment.facts[i];
        if (strcmp(fact->group, "database") == 0 && strcmp(fact->name, "size") == 0)
            fact->value = "2.2 GB";
    }
    make(2);
    assert_int_equal(compare.differences_count, 1);
    assert_true(compare.differences[0].is_state);
    assert_true(compare.same_configuration);
    /* A fact that one of them does not have is a difference. */
    environment_add(&run[1].environment, &arena, "setting", "jit", "off", "");
    make(2);
    assert_int_equal(compare.differences_count, 2);
    assert_null(compare.differences[1].values[0]);
    assert_string_equal(compare.differences[1].values[1], "off");
    assert_false(compare.same_configuration);
}

/* An option that only the later kit knows. */
static void
options_of_either_are_listed(void **state)
{
    static struct run_setting old[] = {{"measure", "20s", "profile"}},
                              new[] = {{"measure", "20s", "profile"}, {"later", "on", "option"}};
    (void)state;

    run[0].settings = old;
    run[0].settings_count = 1;
    run[1].settings = new;
    run[1].settings_count = 2;
    make(2);
    assert_int_equal(compare.differences_count, 1);
    assert_string_equal(compare.differences[0].kind, "option");
    assert_string_equal(compare.differences[0].name, "later");
    assert_null(compare.differences[0].values[0]);
    assert_string_equal(compare.differences[0].values[1], "on");
    assert_false(compare.same_configuration);
}

static const struct table_column *
column(const struct table *table, const char *name, int *index)
{
    for (*index = 0; *index < table->columns_count; ++*index)
        if (strcmp(table->columns[*index].name, name) == 0)
            return &table->columns[*index];
    fail_msg("no column %s", name);
    return NULL;
}

/* Five runs each bear resampling, three do not; people see the column where it says something. */
static void
resampling_stands_beside(void **state)
{
    static const int ladder[] = {8};
    int low, high;
    (void)state;

    make(2);
    const struct table *table = compare_table_ratios(&compare, 1, &arena);
    assert_true(column(table, "bootstrap_low", &low)->flags & COLUMN_RAW);
    assert_int_equal(table_cell(table, 0, low)->kind, CELL_NONE);
    for (int i = 0; i < 2; i++)
        sample_run(&arena, &run[i], &(struct sample){.ladder = ladder, .levels = 1, .repeats = 5});
    scale(&run[1], 1.1);
    make(2);
    table = compare_table_ratios(&compare, 1, &arena);
    assert_false(column(table, "bootstrap_low", &low)->flags & COLUMN_RAW);
    assert_true(column(table, "bootstrap_high", &high)->flags & COLUMN_UPPER);
    for (int row = 0; row < table->rows_count; row++) {
        assert_in_range((int)(1000 * table_cell(table, row, low)->real), 1070, 1098);
        assert_in_range((int)(1000 * table_cell(table, row, high)->real), 1101, 1130);
    }
    table = compare_table_costs(&compare, 1, &arena);
    assert_false(column(table, "bootstrap_low", &low)->flags & COLUMN_RAW);
    assert_string_equal(table->columns[2].title, "B");
}

/* Two curves of the same loads can be told apart. */
static void
text_names_the_curves(void **state)
{
    struct buf text = {0};
    (void)state;

    for (int i = 0; i < 2; i++)
        for (int k = 0; k < run[i].steps_count; k++) {
            struct step *step = &run[i].steps[k];
            step->curve = step->repeat == 3;
            step->configuration = step->curve ? "big\n" : "small";
        }
    make(2);
    compare_text(&compare, &text);
    const char *small = strstr(buf_text(&text), "\n4 warehouses, small\n    4     1 ");
    const char *big = strstr(buf_text(&text), "\n4 warehouses, big \n    4     1 ");
    assert_true(small && big && small < big);
    buf_free(&text);
}

/* What is measured by TPM is not called NOPM, and has the response times of its own type. */
static void
probes_are_named(void **state)
{
    (void)state;

    assert_string_equal((make(2), compare_rate_name(&compare)), "NOPM");
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < run[i].steps_count; k++) {
            struct step *step = &run[i].steps[k];
            memset(step->mix, 0, sizeof step->mix);
            step->mix[TXN_LOOKUP] = 100;
            hist_record(&step->transactions[TXN_LOOKUP].response, i ? 4000 : 2000);
        }
    make(2);
    assert_string_equal(compare_rate_name(&compare), "TPM");
    assert_float_equal((float)compare.pairs[1].levels[0].p95.ratio, 2.0F, 0.05F);
    struct table *table = compare_table_ratios(&compare, 1, &arena);
    assert_string_equal(table->columns[3].title, "TPM of A");
    assert_string_equal(table->columns[4].title, "TPM of B");
    for (int k = 1; k < run[0].steps_count; k++)
        run[0].steps[k].mix[TXN_NEW_ORDER] = 45;
    make(2);
    assert_string_equal(compare_rate_name(&compare), "NOPM or TPM");
}

/* 3 an hour at 12,000 NOPM is 3 / 720 for a thousand. */
static void
stated_figures(void **state)
{
    struct analysis_level level = {.nopm_mean = 12000};
    struct analysis one = {.levels = &level, .levels_count = 1, .peak = 0};
    const struct compare_run stated = {"x", &run[0], &one, 3, 180};
    (void)state;

    assert_float_equal((float)compare_money(&stated), 3.0F / 720, 1e-8F);
    assert_float_equal((float)compare_energy(&stated), 0.25F, 1e-6F);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_same_run_twice, make_samples, forget),
        cmocka_unit_test_setup_teardown(a_tenth_faster, make_samples, forget),
        cmocka_unit_test_setup_teardown(decisions, make_samples, forget),
        cmocka_unit_test_setup_teardown(one_run_decides_nothing, make_samples, forget),
        cmocka_unit_test_setup_teardown(another_workload_is_refused, make_samples, forget),
        cmocka_unit_test_setup_teardown(invalid_runs_are_refused, make_samples, forget),
        cmocka_unit_test_setup_teardown(what_only_has_to_be_known, make_samples, forget),
        cmocka_unit_test_setup_teardown(states_are_listed_only, make_samples, forget),
        cmocka_unit_test_setup_teardown(options_of_either_are_listed, make_samples, forget),
        cmocka_unit_test_setup_teardown(resampling_stands_beside, make_samples, forget),
        cmocka_unit_test_setup_teardown(text_names_the_curves, make_samples, forget),
        cmocka_unit_test_setup_teardown(probes_are_named, make_samples, forget),
        cmocka_unit_test_setup_teardown(stated_figures, make_samples, forget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
