/* A search that runs through a plan: its steps, its end, and that it finds them again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profiles/search.h"
#include "tests/unit/sample.h"

struct fixture {
    struct settings settings;
    struct arena arena;
    struct plan plan;
    struct search search;
    struct buf outcome;
};

static int
set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    struct err err;

    settings_init(&f->settings);
    assert_true(settings_set(&f->settings, SET_SEARCH, "knee", SETTING_PROFILE, &err));
    assert_true(settings_set(&f->settings, SET_SEARCH_STEPS, "30", SETTING_PROFILE, &err));
    *state = f;
    return 0;
}

static int
tear_down(void **state)
{
    struct fixture *f = *state;

    buf_free(&f->outcome);
    arena_free(&f->arena);
    settings_free(&f->settings);
    free(f);
    return 0;
}

static void
begin(struct fixture *f)
{
    plan_make(&f->plan, &f->arena, &f->settings, NULL);
    search_begin(&f->search, &f->plan, &f->arena, &f->settings);
}

/* Throughput rises to 20 virtual users and falls from there. */
static void
measure(struct fixture *f, struct step *step, const struct plan_step *planned)
{
    double n = planned->virtual_users;

    memset(step, 0, sizeof *step);
    sample_step(&f->arena, step, planned->virtual_users, 300);
    step->number = planned->number;
    step->repeat = planned->repeat;
    step->elapsed_us = 60000000;
    uint64_t nopm = (uint64_t)(1000 * (n <= 20                 ? n
                                       : 20 - (n - 20) / 4 > 1 ? 20 - (n - 20) / 4
                                                               : 1));
    step->transactions[TXN_NEW_ORDER].outcomes[OUTCOME_COMMITTED] = nopm;
    step->counted[GROWTH_NEW_ORDERS] = step->grown[GROWTH_NEW_ORDERS] = (int64_t)nopm;
}

static void
finds_the_peak_and_ends(void **state)
{
    struct fixture *f = *state;
    struct step *step = calloc(1, sizeof *step);
    struct plan_step done[30];
    int next = 0;

    begin(f);
    assert_int_equal(f->plan.count, 30);
    assert_true(f->plan.total_us == 30 * f->plan.step_us);
    for (;; next++) {
        search_decide(&f->search, &f->plan, next, &f->outcome);
        if (next == f->plan.count)
            break;
        assert_true(next < 30);
        done[next] = f->plan.steps[next];
        assert_int_equal(done[next].number, next + 1);
        measure(f, step, &done[next]);
        search_take(&f->search, step);
    }
    struct knee_outcome outcome = knee_outcome(&f->search.options, f->search.results, next);
    assert_in_range(outcome.peak.virtual_users, 19, 22);
    assert_int_equal(done[0].virtual_users, 1);
    assert_int_equal(done[1].virtual_users, 2);
    /* From the results alone the same steps come again, with the same seeds. */
    begin(f);
    for (int i = 0; i < next; i++) {
        search_decide(&f->search, &f->plan, i, &f->outcome);
        assert_int_equal(f->plan.steps[i].virtual_users, done[i].virtual_users);
        assert_int_equal(f->plan.steps[i].repeat, done[i].repeat);
        assert_true(f->plan.steps[i].seed == done[i].seed);
        measure(f, step, &done[i]);
        search_take(&f->search, step);
    }
    search_decide(&f->search, &f->plan, next, &f->outcome);
    assert_int_equal(f->plan.count, next);
    free(step);
}

static void
range_is_that_of_the_ladder(void **state)
{
    struct fixture *f = *state;
    struct err err;

    begin(f);
    assert_int_equal(f->search.options.first, 1);
    assert_int_equal(f->search.options.most, 1000);
    assert_true(settings_set(&f->settings, SET_LADDER, "64 4 16", SETTING_PROFILE, &err));
    assert_true(settings_set(&f->settings, SET_REPEATS, "2", SETTING_PROFILE, &err));
    begin(f);
    assert_int_equal(f->search.options.first, 4);
    assert_int_equal(f->search.options.most, 64);
    assert_int_equal(f->search.options.repeats_max, 2);
    assert_int_equal(f->search.options.repeats_min, 2);
}

/* A probe's calls per minute are searched like NOPM. */
static void
a_probe_is_searched(void **state)
{
    struct fixture *f = *state;
    struct step *step = calloc(1, sizeof *step);
    int next = 0;

    begin(f);
    for (;; next++) {
        search_decide(&f->search, &f->plan, next, &f->outcome);
        if (next == f->plan.count)
            break;
        measure(f, step, &f->plan.steps[next]);
        uint64_t *committed = &step->transactions[TXN_NEW_ORDER].outcomes[OUTCOME_COMMITTED];
        memset(step->mix, 0, sizeof step->mix);
        step->mix[TXN_LOOKUP] = 100;
        step->transactions[TXN_LOOKUP].outcomes[OUTCOME_COMMITTED] = *committed;
        *committed = 0;
        step->counted[GROWTH_NEW_ORDERS] = step->grown[GROWTH_NEW_ORDERS] = 0;
        search_take(&f->search, step);
    }
    struct knee_outcome outcome = knee_outcome(&f->search.options, f->search.results, next);
    assert_in_range(outcome.peak.virtual_users, 19, 22);
    free(step);
}

/* Runs a search to its end and returns how many steps it took. */
static int
run_search(struct fixture *f, bool fails)
{
    struct step *step = calloc(1, sizeof *step);
    int next = 0;

    begin(f);
    for (;; next++) {
        search_decide(&f->search, &f->plan, next, &f->outcome);
        if (next == f->plan.count)
            break;
        assert_int_equal(f->outcome.length, 0);
        measure(f, step, &f->plan.steps[next]);
        step->status = fails ? STEP_FAILED : STEP_COMPLETE;
        search_take(&f->search, step);
    }
    free(step);
    return next;
}

/* Levels 1 and 2 alone, which are exactly 1,000 and 2,000 NOPM: 2 is the largest, thrice. */
static void
what_was_found_is_said(void **state)
{
    struct fixture *f = *state;
    struct err err;

    assert_true(settings_set(&f->settings, SET_LADDER, "1 2", SETTING_PROFILE, &err));
    int steps = run_search(f, false);
    char expected[400];
    snprintf(
        expected, sizeof expected,
        "highest within the limits: 2,000 NOPM at 2 virtual users (95 %% interval 2,000 to "
        "2,000, 3 runs); peak: 2,000 NOPM at 2 virtual users (95 %% interval 2,000 to 2,000, 3 "
        "runs); one run scatters by 1.5 %%; the peak is at the largest load tried, of 2 "
        "allowed; nothing was open after %d steps",
        steps);
    assert_string_equal(buf_text(&f->outcome), expected);
}

static void
why_it_ended_is_said(void **state)
{
    struct fixture *f = *state;
    struct err err;

    assert_true(settings_set(&f->settings, SET_SEARCH_STEPS, "3", SETTING_PROFILE, &err));
    assert_int_equal(run_search(f, false), 3);
    const char *text = buf_text(&f->outcome);
    assert_non_null(strstr(text, "peak: 4,000 NOPM at 4 virtual users (one run, so no interval"));
    assert_non_null(strstr(text, "; ended with its budget of 3 steps, not because"));
    assert_null(strstr(text, "broken off"));
    /* Broken off after two of them. */
    begin(f);
    buf_clear(&f->outcome);
    struct step *step = calloc(1, sizeof *step);
    for (int i = 0; i < 2; i++) {
        search_decide(&f->search, &f->plan, i, &f->outcome);
        measure(f, step, &f->plan.steps[i]);
        search_take(&f->search, step);
    }
    search_outcome(&f->search, &f->plan, &f->outcome);
    assert_non_null(strstr(buf_text(&f->outcome), "; broken off after 2 steps"));
    free(step);
    /* Without any valid step. */
    buf_clear(&f->outcome);
    run_search(f, true);
    assert_memory_equal(buf_text(&f->outcome), "highest within the limits: none; peak: none; ", 45);
}

/* A server without more connections: no step goes beyond, though the curve still rises there. */
static void
no_further_than_the_limit(void **state)
{
    struct fixture *f = *state;
    struct step *step = calloc(1, sizeof *step);
    int next = 0, most = 0;

    begin(f);
    search_limit(&f->search, 0, 13);
    for (;; next++) {
        search_decide(&f->search, &f->plan, next, &f->outcome);
        if (next == f->plan.count)
            break;
        most = f->plan.steps[next].virtual_users > most ? f->plan.steps[next].virtual_users : most;
        measure(f, step, &f->plan.steps[next]);
        search_take(&f->search, step);
    }
    assert_int_equal(most, 13);
    assert_non_null(strstr(buf_text(&f->outcome), "largest load tried, of 13 allowed"));
    free(step);
}

/* What failed is no result, but a step that was taken. */
static void
failed_steps_count(void **state)
{
    struct fixture *f = *state;
    struct step *step = calloc(1, sizeof *step);
    int next = 0;

    begin(f);
    for (;; next++) {
        search_decide(&f->search, &f->plan, next, &f->outcome);
        if (next == f->plan.count)
            break;
        measure(f, step, &f->plan.steps[next]);
        step->status = STEP_FAILED;
        search_take(&f->search, step);
        assert_false(f->search.results[next].valid);
    }
    assert_in_range(next, 1, 30);
    free(step);
}

static void
a_list_is_left_alone(void **state)
{
    struct fixture *f = *state;
    struct err err;

    assert_true(settings_set(&f->settings, SET_SEARCH, "none", SETTING_OPTION, &err));
    begin(f);
    int count = f->plan.count;
    search_decide(&f->search, &f->plan, 0, &f->outcome);
    assert_int_equal(f->plan.count, count);
    assert_int_equal(f->plan.steps[1].virtual_users, 2);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(finds_the_peak_and_ends, set_up, tear_down),
        cmocka_unit_test_setup_teardown(range_is_that_of_the_ladder, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_probe_is_searched, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_was_found_is_said, set_up, tear_down),
        cmocka_unit_test_setup_teardown(why_it_ended_is_said, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_further_than_the_limit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(failed_steps_count, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_list_is_left_alone, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("search", tests, NULL, NULL);
}
