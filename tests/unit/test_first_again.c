/* The first level at the end of the ladder: when it is planned, and what is said of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profiles/first_again.h"

struct fixture {
    struct settings settings;
    struct arena arena;
    struct plan plan;
};

static int
set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);

    settings_init(&f->settings);
    *state = f;
    return 0;
}

static int
tear_down(void **state)
{
    struct fixture *f = *state;

    arena_free(&f->arena);
    settings_free(&f->settings);
    free(f);
    return 0;
}

static bool
planned(struct fixture *f, enum setting_id id, const char *text)
{
    struct err err;

    assert_true(settings_set(&f->settings, id, text, SETTING_PROFILE, &err));
    plan_make(&f->plan, &f->arena, &f->settings, NULL);
    return first_again_plan(&f->plan, &f->arena, &f->settings);
}

static void
at_the_end_of_an_ascending_ladder(void **state)
{
    struct fixture *f = *state;

    assert_true(planned(f, SET_REPEATS, "2")); /* of 1 2 4 8 */
    assert_int_equal(f->plan.count, 9);
    assert_int_equal(f->plan.steps[8].number, 9);
    assert_int_equal(f->plan.steps[8].virtual_users, 1);
    assert_int_equal(f->plan.steps[8].repeat, 3);
    /* Seed 42, its level, and the third repeat. */
    assert_true(f->plan.steps[8].seed == 42 + 1000 + 2);
    assert_int_equal(f->plan.steps[7].virtual_users, 8);
    assert_true(f->plan.total_us == 9 * f->plan.step_us);
}

/* Of several curves the first level of the first one: another has the same virtual users. */
static void
at_the_end_of_a_matrix(void **state)
{
    struct fixture *f = *state;
    struct err err;

    assert_true(settings_set(&f->settings, SET_LADDER, "3", SETTING_PROFILE, &err));
    assert_true(planned(f, SET_SWEEP_CALL, "functions procedures"));
    assert_int_equal(f->plan.count, 3);
    assert_int_equal(f->plan.steps[1].curve, 1);
    assert_int_equal(f->plan.steps[2].curve, 0);
    assert_int_equal(f->plan.steps[2].virtual_users, 3);
    assert_int_equal(f->plan.steps[2].repeat, 2);
    /* Seed 42, its level, the second repeat; and nothing for the first curve. */
    assert_true(f->plan.steps[2].seed == 42 + 3000 + 1);
}

static void
not_where_it_would_show_nothing(void **state)
{
    struct fixture *f = *state;

    assert_false(planned(f, SET_ORDER, "interleaved"));
    assert_int_equal(f->plan.count, 4);
    assert_false(planned(f, SET_ORDER, "random"));
    assert_true(planned(f, SET_ORDER, "ascending"));
    assert_false(planned(f, SET_LADDER, "7"));
    assert_int_equal(f->plan.count, 1);
    assert_true(planned(f, SET_LADDER, "7 9"));
    assert_false(planned(f, SET_REPEAT_FIRST, "false"));
}

static void
both_are_named(void **state)
{
    struct step *first = calloc(1, sizeof *first), *last = calloc(1, sizeof *last);
    struct buf out = {0};

    (void)state;
    *first = (struct step){.number = 1, .virtual_users = 2, .elapsed_us = 60000000};
    first->mix[TXN_NEW_ORDER] = 100;
    first->transactions[TXN_NEW_ORDER].outcomes[OUTCOME_COMMITTED] = 10000;
    *last = *first;
    last->number = 5;
    last->transactions[TXN_NEW_ORDER].outcomes[OUTCOME_COMMITTED] = 9500;
    first_again_text(first, last, &out);
    assert_string_equal(buf_text(&out),
                        "2 virtual users: 10,000 NOPM in step 1, 9,500 in step 5: 0.950 of it");
    buf_clear(&out);
    first->mix[TXN_NEW_ORDER] = last->mix[TXN_NEW_ORDER] = 0;
    first->mix[TXN_INSERT] = last->mix[TXN_INSERT] = 100;
    first_again_text(first, last, &out);
    assert_string_equal(buf_text(&out),
                        "2 virtual users: 10,000 TPM in step 1, 9,500 in step 5: 0.950 of it");
    buf_free(&out);
    free(first);
    free(last);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(at_the_end_of_an_ascending_ladder, set_up, tear_down),
        cmocka_unit_test_setup_teardown(at_the_end_of_a_matrix, set_up, tear_down),
        cmocka_unit_test_setup_teardown(not_where_it_would_show_nothing, set_up, tear_down),
        cmocka_unit_test(both_are_named),
    };
    return cmocka_run_group_tests_name("first_again", tests, NULL, NULL);
}
