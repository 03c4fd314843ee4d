/* Whether a run was reproduced: the verdict of each level, and of all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profiles/reproduce.h"

struct fixture {
    struct arena arena;
    struct run then, now;
    struct reproduction result;
};

static int
set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);

    f->then.steps = arena_array(&f->arena, 20, sizeof *f->then.steps);
    f->now.steps = arena_array(&f->arena, 20, sizeof *f->now.steps);
    *state = f;
    return 0;
}

static int
tear_down(void **state)
{
    struct fixture *f = *state;

    arena_free(&f->arena);
    free(f);
    return 0;
}

/* A step of a minute: its NOPM are its new-orders. */
static void
add(struct run *run, int virtual_users, uint64_t nopm, enum step_status status)
{
    struct step *step = &run->steps[run->steps_count++];

    *step = (struct step){.number = run->steps_count,
                          .virtual_users = virtual_users,
                          .curve = 1,
                          .curve_name = "",
                          .status = status,
                          .reason = "",
                          .mix = {[TXN_NEW_ORDER] = 100},
                          .elapsed_us = 60000000};
    step->transactions[TXN_NEW_ORDER].outcomes[OUTCOME_COMMITTED] = nopm;
}

static void
add_three(struct run *run, int virtual_users, uint64_t a, uint64_t b, uint64_t c)
{
    add(run, virtual_users, a, STEP_COMPLETE);
    add(run, virtual_users, b, STEP_COMPLETE);
    add(run, virtual_users, c, STEP_COMPLETE);
}

static const char *
text_of(struct fixture *f)
{
    struct buf out = {0};

    reproduce_compare(&f->result, &f->then, &f->now, &f->arena);
    reproduce_text(&f->result, "old", &out);
    const char *text = arena_strdup(&f->arena, buf_text(&out));
    buf_free(&out);
    return text;
}

/* Mean 10,000 and 10,050, coefficients of variation 1 %: the standard error of the logarithm is
 * sqrt(2 * 0.01^2 / 3) = 0.0082, Student's t for about 4 degrees of freedom 2.78: 0.982 to 1.028.
 */
static void
reproduced(void **state)
{
    struct fixture *f = *state;

    add_three(&f->then, 1, 9900, 10000, 10100);
    add_three(&f->now, 1, 9950, 10050, 10150);
    const char *text = text_of(f);
    assert_true(f->result.reproduced);
    assert_int_equal(f->result.count, 1);
    assert_int_equal(f->result.levels[0].verdict, REPRODUCED);
    assert_true(f->result.levels[0].ratio > 1.0049 && f->result.levels[0].ratio < 1.0051);
    assert_true(f->result.levels[0].interval.low > 0.980 &&
                f->result.levels[0].interval.low < 0.984);
    assert_true(f->result.levels[0].interval.high > 1.026 &&
                f->result.levels[0].interval.high < 1.030);
    assert_non_null(strstr(text, "\n   VUs   NOPM then    NOPM now  ratio  95 % interval\n"));
    assert_non_null(strstr(text, "\nreproduced: every interval holds 1, and none reaches further "
                                 "than 10 %\n"));
}

/* One level that is not is enough, whatever the reason. */
static void
not_shown(void **state)
{
    struct fixture *f = *state;

    add_three(&f->then, 1, 9900, 10000, 10100);
    add_three(&f->now, 1, 9950, 10050, 10150);
    add_three(&f->then, 2, 19900, 20000, 20100); /* 10 % less */
    add_three(&f->now, 2, 17900, 18000, 18100);
    add_three(&f->then, 4, 20000, 30000, 40000); /* scatter of a third */
    add_three(&f->now, 4, 21000, 30000, 39000);
    add(&f->then, 8, 40000, STEP_COMPLETE); /* the very same, but once */
    add(&f->now, 8, 40000, STEP_COMPLETE);
    add(&f->then, 16, 40000, STEP_COMPLETE);
    add(&f->now, 16, 40000, STEP_FAILED);
    /* 3 % of scatter: 0.95 times exp(-0.068) to exp(0.068), too far down on one side alone. */
    add_three(&f->then, 32, 9700, 10000, 10300);
    add_three(&f->now, 32, 9215, 9500, 9785);
    const char *text = text_of(f);
    assert_false(f->result.reproduced);
    assert_int_equal(f->result.count, 6);
    assert_int_equal(f->result.levels[5].verdict, REPRODUCE_WIDE);
    assert_true(f->result.levels[5].interval.high < 1 / (1 - REPRODUCE_WIDTH));
    assert_int_equal(f->result.levels[0].verdict, REPRODUCED);
    assert_int_equal(f->result.levels[1].verdict, REPRODUCE_DIFFERS);
    assert_int_equal(f->result.levels[2].verdict, REPRODUCE_WIDE);
    assert_int_equal(f->result.levels[3].verdict, REPRODUCE_FEW);
    assert_int_equal(f->result.levels[4].verdict, REPRODUCE_MISSING);
    assert_non_null(strstr(text, "\nnot shown to be reproduced: 1 of 6 levels are, 1 differ\n"));
    assert_non_null(strstr(text, "\n     2      20,000      18,000  0.900  "));
    assert_non_null(
        strstr(text, "\n     8      40,000      40,000  1.000  -              under three runs"));
}

/* A probe has no new-orders: its calls per minute are compared, by that name. */
static void
probes_are_compared(void **state)
{
    struct fixture *f = *state;
    struct run *runs[] = {&f->then, &f->now};

    for (int r = 0; r < 2; r++) {
        add_three(runs[r], 1, 0, 0, 0);
        for (int i = 0; i < 3; i++) {
            struct step *step = &runs[r]->steps[i];
            memset(step->mix, 0, sizeof step->mix);
            step->mix[TXN_LOOKUP] = 100;
            step->transactions[TXN_LOOKUP].outcomes[OUTCOME_COMMITTED] = (uint64_t)(9900 + 100 * i);
        }
    }
    const char *text = text_of(f);
    assert_true(f->result.reproduced);
    assert_non_null(strstr(text, "\n   VUs    TPM then     TPM now  ratio  95 % interval\n"
                                 "     1      10,000      10,000  1.000  "));
    assert_null(strstr(text, "NOPM"));
}

static void
nothing_is_not_reproduced(void **state)
{
    struct fixture *f = *state;

    (void)text_of(f);
    assert_false(f->result.reproduced);
    assert_int_equal(f->result.count, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(reproduced, set_up, tear_down),
        cmocka_unit_test_setup_teardown(not_shown, set_up, tear_down),
        cmocka_unit_test_setup_teardown(probes_are_compared, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing_is_not_reproduced, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("reproduce", tests, NULL, NULL);
}
