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

/* What becomes of a step on its way from the plan to the search. */
typedef void change_of(struct step *step);

static void
fails(struct step *step)
{
    step->status = STEP_FAILED;
}

/* The same rate of a probe, which has no new-orders. */
static void
look_up(struct step *step)
{
    uint64_t *committed = &step->transactions[TXN_NEW_ORDER].outcomes[OUTCOME_COMMITTED];

    memset(step->mix, 0, sizeof step->mix);
    step->mix[TXN_LOOKUP] = 100;
    step->transactions[TXN_LOOKUP].outcomes[OUTCOME_COMMITTED] = *committed;
    *committed = 0;
    step->counted[GROWTH_NEW_ORDERS] = step->grown[GROWTH_NEW_ORDERS] = 0;
}

/* Goes on with a search that has begun, from step `next` to before step `end` or to its own end.
 * Returns where it stopped. */
static int
go_on(struct fixture *f, int next, int end, change_of *change)
{
    struct step *step = calloc(1, sizeof *step);

    for (; next < end; next++) {
        search_decide(&f->search, &f->plan, next, &f->outcome);
        if (next == f->plan.count)
            break;
        assert_int_equal(f->outcome.length, 0);
        assert_int_equal(f->plan.steps[next].number, next + 1);
        measure(f, step, &f->plan.steps[next]);
        if (change)
            change(step);
        search_take(&f->search, step);
    }
    free(step);
    return next;
}

/* A whole search: how many steps it took. The first that must not be comes after all it may have.
 */
static int
run_search(struct fixture *f, change_of *change)
{
    begin(f);
    int steps = go_on(f, 0, f->search.options.steps_max + 1, change);
    assert_in_range(steps, 1, f->search.options.steps_max);
    return steps;
}

static void
finds_the_peak_and_ends(void **state)
{
    struct fixture *f = *state;
    struct plan_step done[30];

    begin(f);
    assert_int_equal(f->plan.count, 30);
    assert_true(f->plan.total_us == 30 * f->plan.step_us);
    int steps = run_search(f, NULL);
    memcpy(done, f->plan.steps, (size_t)steps * sizeof *done);
    struct knee_outcome outcome = knee_outcome(&f->search.options, f->search.results, steps);
    assert_in_range(outcome.peak.virtual_users, 19, 22);
    assert_int_equal(done[0].virtual_users, 1);
    assert_int_equal(done[1].virtual_users, 2);
    /* From the results alone the same steps come again, with the same seeds. */
    buf_clear(&f->outcome);
    assert_int_equal(run_search(f, NULL), steps);
    for (int i = 0; i < steps; i++) {
        assert_int_equal(f->plan.steps[i].virtual_users, done[i].virtual_users);
        assert_int_equal(f->plan.steps[i].repeat, done[i].repeat);
        assert_true(f->plan.steps[i].seed == done[i].seed);
    }
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
    int steps = run_search(f, look_up);

    struct knee_outcome outcome = knee_outcome(&f->search.options, f->search.results, steps);
    assert_in_range(outcome.peak.virtual_users, 19, 22);
}

/* Levels 1 and 2 alone, which are exactly 1,000 and 2,000 NOPM: 2 is the largest, thrice. */
static void
what_was_found_is_said(void **state)
{
    struct fixture *f = *state;
    struct err err;

    assert_true(settings_set(&f->settings, SET_LADDER, "1 2", SETTING_PROFILE, &err));
    int steps = run_search(f, NULL);
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
    assert_int_equal(run_search(f, NULL), 3);
    const char *text = buf_text(&f->outcome);
    assert_non_null(strstr(text, "peak: 4,000 NOPM at 4 virtual users (one run, so no interval"));
    assert_non_null(strstr(text, "; ended with its budget of 3 steps, not because"));
    assert_null(strstr(text, "broken off"));
    /* Broken off after two of them. */
    begin(f);
    buf_clear(&f->outcome);
    assert_int_equal(go_on(f, 0, 2, NULL), 2);
    search_outcome(&f->search, &f->plan, &f->outcome);
    assert_non_null(strstr(buf_text(&f->outcome), "; broken off after 2 steps"));
    /* Without any valid step. */
    buf_clear(&f->outcome);
    run_search(f, fails);
    assert_memory_equal(buf_text(&f->outcome), "highest within the limits: none; peak: none; ", 45);
}

/* A server without more connections: no step goes beyond, though the curve still rises there. */
static void
no_further_than_the_limit(void **state)
{
    struct fixture *f = *state;
    int most = 0;

    begin(f);
    search_limit(&f->search, 0, 13);
    int steps = go_on(f, 0, 31, NULL);
    assert_in_range(steps, 1, 30);
    for (int i = 0; i < steps; i++)
        most = f->plan.steps[i].virtual_users > most ? f->plan.steps[i].virtual_users : most;
    assert_int_equal(most, 13);
    assert_non_null(strstr(buf_text(&f->outcome), "largest load tried, of 13 allowed"));
}

/* What failed is no result, but a step that was taken. */
static void
failed_steps_count(void **state)
{
    struct fixture *f = *state;
    int steps = run_search(f, fails);

    for (int i = 0; i < steps; i++)
        assert_false(f->search.results[i].valid);
}

/* The steps of an earlier search, measured again: none is decided, and each curve has its line. */
static void
the_steps_of_a_search_again(void **state)
{
    static const int loads[] = {1, 2, 2, 4, 8};
    struct fixture *f = *state;
    struct plan_curve curves[2] = {{.name = "small"}, {.name = "large"}};

    begin(f);
    f->plan.curves = curves;
    f->plan.curves_count = 2;
    f->search.most = (int[]){1000, 1000};
    search_repeat(&f->search);
    for (int i = 0; i < 5; i++)
        f->plan.steps[i] = (struct plan_step){
            .number = i + 1, .virtual_users = loads[i], .repeat = 1, .curve = i >= 3};
    f->plan.count = 5;
    assert_int_equal(go_on(f, 0, 3, NULL), 3);
    search_decide(&f->search, &f->plan, 3, &f->outcome);
    const char *text = buf_text(&f->outcome);
    assert_ptr_equal(strstr(text, "small: highest within the limits: 2,000 NOPM at 2 "), text);
    assert_non_null(strstr(text, "; in the 3 steps of the search that was made again"));
    buf_clear(&f->outcome);
    assert_int_equal(go_on(f, 3, 4, NULL), 4);
    search_outcome(&f->search, &f->plan, &f->outcome);
    assert_non_null(strstr(buf_text(&f->outcome), "; broken off after 1 step"));
    buf_clear(&f->outcome);
    assert_int_equal(go_on(f, 4, 9, NULL), 5);
    assert_non_null(
        strstr(buf_text(&f->outcome), "large: highest within the limits: 8,000 NOPM at 8 "));
    assert_int_equal(f->plan.count, 5);
    /* Asked once more, there is nothing more to say. */
    buf_clear(&f->outcome);
    search_decide(&f->search, &f->plan, 5, &f->outcome);
    assert_int_equal(f->outcome.length, 0);
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
        cmocka_unit_test_setup_teardown(the_steps_of_a_search_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_list_is_left_alone, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("search", tests, NULL, NULL);
}
