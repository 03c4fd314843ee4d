/* The table of the autopilot is closed: every state can be reached, and every way through it ends,
 * however its states turn out. What the states do is for the system tests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/rng.h"
#include "profiles/autopilot.h"
#include "profiles/plan.h"

static void
table_is_whole(void **state)
{
    (void)state;
    for (int i = 0; i < AUTOPILOT_STATES; i++) {
        const struct autopilot_row *row = &autopilot_table[i];
        assert_int_equal(row->state, i);
        assert_in_range(row->on_ok, 0, AUTOPILOT_END);
        assert_in_range(row->on_fail, 0, AUTOPILOT_END);
        assert_true(strlen(row->comment) > 0);
        assert_true((row->function == NULL) == (i == AUTOPILOT_END));
    }
}

static void
every_state_is_reached(void **state)
{
    bool reached[AUTOPILOT_STATES] = {[AUTOPILOT_PREPARE] = true};

    (void)state;
    for (int round = 0; round < AUTOPILOT_STATES; round++) {
        for (int i = 0; i < AUTOPILOT_STATES; i++) {
            if (!reached[i])
                continue;
            reached[autopilot_table[i].on_ok] = true;
            reached[autopilot_table[i].on_fail] = true;
        }
    }
    for (int i = 0; i < AUTOPILOT_STATES; i++)
        assert_true(reached[i]);
}

/* Without a yes from DECIDE there is no circle; so a run has at most as many as there are steps. */
static void
only_decide_goes_round(void **state)
{
    int depth[AUTOPILOT_STATES] = {0};

    (void)state;
    for (int round = 0; round <= AUTOPILOT_STATES; round++) {
        for (int i = 0; i < AUTOPILOT_END; i++) {
            const struct autopilot_row *row = &autopilot_table[i];
            if (i != AUTOPILOT_DECIDE && depth[row->on_ok] <= depth[i])
                depth[row->on_ok] = depth[i] + 1;
            if (depth[row->on_fail] <= depth[i])
                depth[row->on_fail] = depth[i] + 1;
        }
    }
    for (int i = 0; i < AUTOPILOT_STATES; i++)
        assert_true(depth[i] <= AUTOPILOT_STATES);
}

/* A thousand runs of ten steps whose states turn out by chance. */
static void
every_run_ends(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, 1, RNG_SCHEDULE, 0);
    for (int run = 0; run < 1000; run++) {
        enum autopilot_state at = AUTOPILOT_PREPARE;
        int left = 10, moves = 0, stored = 0, measured = 0;
        while (at != AUTOPILOT_END) {
            bool ok = rng_percent(&rng, 80);
            if (at == AUTOPILOT_DECIDE)
                ok = left-- > 0;
            /* Nothing is measured before what was measured is stored. */
            if (at == AUTOPILOT_STEP)
                assert_int_equal(stored, measured++);
            if (at == AUTOPILOT_STORE)
                stored = measured;
            at = ok ? autopilot_table[at].on_ok : autopilot_table[at].on_fail;
            assert_true(++moves < 60);
        }
    }
}

/* Once there is a store, everything but an end before the first step leads through the report. */
static void
results_are_reported(void **state)
{
    static const enum autopilot_state later[] = {AUTOPILOT_DECIDE, AUTOPILOT_RESET, AUTOPILOT_STEP,
                                                 AUTOPILOT_STORE, AUTOPILOT_CHECK};

    (void)state;
    for (size_t i = 0; i < sizeof later / sizeof *later; i++) {
        assert_int_not_equal(autopilot_table[later[i]].on_ok, AUTOPILOT_END);
        assert_int_not_equal(autopilot_table[later[i]].on_fail, AUTOPILOT_END);
    }
}

/* Every state has a limit; what it adds to the patience is what its work is meant to take. */
static void
every_state_has_a_limit(void **state)
{
    struct plan plan = {.step_us = 7000000};
    struct settings *settings = calloc(1, sizeof *settings);
    struct err err;

    (void)state;
    settings_init(settings);
    assert_true(settings_set(settings, SET_PATIENCE, "3s", SETTING_OPTION, &err));
    assert_true(settings_set(settings, SET_WAIT_FOR_SERVER, "60s", SETTING_OPTION, &err));
    assert_true(settings_set(settings, SET_AUTOVACUUM_WAIT, "30s", SETTING_OPTION, &err));
    for (int i = 0; i < AUTOPILOT_END; i++) {
        const struct autopilot_row *row = &autopilot_table[i];
        int64_t limit_us = autopilot_limit_us(row, settings, &plan, 4, 20);
        switch (row->state) {
        /* 3 s, the step, and 0.1 s for each of 20 virtual users */
        case AUTOPILOT_STEP: assert_true(limit_us == 3000000 + 7000000 + 2000000); break;
        /* 3 s, 5 s for each of 4 warehouses, a minute for the server, and half one for autovacuum
         */
        case AUTOPILOT_RESET:
            assert_true(limit_us == 3000000 + 20000000 + 60000000 + 30000000);
            break;
        case AUTOPILOT_CHECK: assert_true(limit_us == 3000000 + 20000000 + 60000000); break;
        default: assert_true(limit_us == 3000000);
        }
    }
    settings_free(settings);
    free(settings);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_is_whole),         cmocka_unit_test(every_state_is_reached),
        cmocka_unit_test(only_decide_goes_round), cmocka_unit_test(every_run_ends),
        cmocka_unit_test(results_are_reported),   cmocka_unit_test(every_state_has_a_limit),
    };
    return cmocka_run_group_tests_name("autopilot", tests, NULL, NULL);
}
