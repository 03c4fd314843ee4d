/* What only several steps together bear: repeats, and whether steps may be compared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/verdict.h"
#include "tests/unit/series.h"

#define STEPS_MAX 64

static struct step steps[STEPS_MAX];
static struct run run;
static struct verdict verdicts[VERDICTS];

/* Five minutes at so many users with that throughput per minute. */
static void
add_step(int virtual_users, double nopm)
{
    struct step *step = &steps[run.steps_count++];

    *step = (struct step){.number = run.steps_count,
                          .virtual_users = virtual_users,
                          .sessions = virtual_users,
                          .warehouses = 10,
                          .threads = 1,
                          .repeat = 1,
                          .configuration = "",
                          .procedures = "default",
                          .call = "functions",
                          .protocol = "prepared",
                          .isolation = "read committed",
                          .reason = "",
                          .mix = {100, 0, 0, 0, 0},
                          .elapsed_us = 300000000};
    step->transactions[TXN_NEW_ORDER].outcomes[OUTCOME_COMMITTED] = (uint64_t)(5 * nopm);
}

static void
begin(void)
{
    run = (struct run){.name = "", .kit_version = "", .profile = "", .steps = steps};
}

static void
expect(enum verdict_kind kind, enum verdict_outcome outcome, const char *figure)
{
    run.steps_planned = run.steps_count;
    verdict_run(&run, verdicts);
    if (verdicts[kind].outcome != outcome || !strstr(verdicts[kind].figure, figure))
        fail_msg("%s: %s", verdict_outcome_names[verdicts[kind].outcome], verdicts[kind].figure);
    assert_non_null(verdicts[kind].rule);
}

/* 98, 100, 102 and 196, 200, 204: 2 % each. Of 300,000 pairs of three normal values, four in five
 * show a difference of 4.39 times an estimate of four degrees of freedom: exp(0.0879) - 1. */
static void
repeats_that_agree(void **state)
{
    (void)state;
    begin();
    for (int i = -1; i <= 1; i++) {
        add_step(1, 10000 + 200 * i);
        add_step(2, 20000 - 400 * i);
    }
    expect(VERDICT_REPEATABLE, VERDICT_PASS,
           "coefficient of variation 2.0 % over 2 levels with 6 runs, at most 2.0 % (1 VU); a "
           "difference of 9.2 % between levels would show");
    assert_true(verdicts[VERDICT_REPEATABLE].strain > 0.39 &&
                verdicts[VERDICT_REPEATABLE].strain < 0.41);
}

/* The two runs of one build at 192 and at 250 virtual users, from a public thread. */
static void
repeats_that_do_not(void **state)
{
    (void)state;
    begin();
    add_step(192, 1172413);
    add_step(192, 1578301);
    add_step(250, 828171);
    add_step(250, 494046);
    expect(VERDICT_REPEATABLE, VERDICT_FAIL,
           "coefficient of variation 29.3 % over 2 levels with 4 runs, at most 35.7 % (250 VU)");
    assert_true(verdict_any_failed(verdicts));
}

/* Nine quiet levels do not hide a tenth that scatters by 15 %; 6 % of two runs may be chance. */
static void
one_wild_level_is_enough(void **state)
{
    (void)state;
    begin();
    for (int level = 1; level <= 10; level++)
        for (int i = -1; i <= 1; i++)
            add_step(level, 1000 * level * (1 + (level == 7 ? 0.15 : 0.005) * i));
    expect(VERDICT_REPEATABLE, VERDICT_FAIL,
           "4.8 % over 10 levels with 30 runs, at most 15.0 % (7");
    begin();
    for (int level = 1; level <= 10; level++)
        for (int i = 0; i < 2; i++)
            add_step(level, 1000 * level * (1 + (level == 7 ? 0.085 : 0.005) * i));
    expect(VERDICT_REPEATABLE, VERDICT_PASS, "at most 5.8 % (7 VU)");
}

static void
what_says_nothing_of_repeats(void **state)
{
    (void)state;
    begin();
    add_step(1, 1000);
    add_step(2, 1000);
    expect(VERDICT_REPEATABLE, VERDICT_NOT_TESTED, "no level was measured twice");
    steps[1].virtual_users = 1;
    expect(VERDICT_REPEATABLE, VERDICT_PASS, "0.0 %");
    steps[1].elapsed_us = 29999999; /* too short */
    expect(VERDICT_REPEATABLE, VERDICT_NOT_TESTED, "windows of at least 30 s");
    steps[1].elapsed_us = 300000000;
    steps[1].status = STEP_INTERRUPTED;
    expect(VERDICT_REPEATABLE, VERDICT_NOT_TESTED, "no level was measured twice");
    steps[1].status = STEP_COMPLETE;
    steps[1].curve = 2; /* another curve, another level */
    expect(VERDICT_REPEATABLE, VERDICT_NOT_TESTED, "no level was measured twice");
}

/* Six levels, interleaved three times, with 1 % of noise and `drift` from first to last. */
static void
make_ladder(struct rng *rng, double drift)
{
    begin();
    for (int i = 0; i < 18; i++)
        add_step(1 << i % 6,
                 1000 * (1 + i % 6) * (1 + drift * (i / 17.0 - 0.5) + 0.01 * series_normal(rng)));
}

static void
drift_over_the_run(void **state)
{
    struct rng rng;
    (void)state;

    rng_seed(&rng, 42, RNG_BOOTSTRAP, 20);
    make_ladder(&rng, 0);
    expect(VERDICT_COMPARABLE, VERDICT_PASS, "18 steps alike; drift from the first to the last");
    make_ladder(&rng, -0.12); /* a table that bloats */
    expect(VERDICT_COMPARABLE, VERDICT_FAIL, "drift from the first to the last -1");
    make_ladder(&rng, 0.12); /* a cache that fills */
    expect(VERDICT_COMPARABLE, VERDICT_FAIL, "drift from the first to the last +1");
}

/* One of a hundred sound runs at most is blamed, and none that drifts by 15 % is praised. */
static void
drift_errs_rarely(void **state)
{
    enum { RUNS = 500 };
    struct rng rng;
    int blamed = 0, praised = 0, passed = 0;
    (void)state;

    rng_seed(&rng, 42, RNG_BOOTSTRAP, 21);
    for (int i = 0; i < RUNS; i++) {
        make_ladder(&rng, 0);
        verdict_run(&run, verdicts);
        blamed += verdicts[VERDICT_COMPARABLE].outcome == VERDICT_FAIL;
        passed += verdicts[VERDICT_COMPARABLE].outcome == VERDICT_PASS;
        make_ladder(&rng, 0.15);
        verdict_run(&run, verdicts);
        praised += verdicts[VERDICT_COMPARABLE].outcome == VERDICT_PASS;
    }
    assert_in_range(blamed, 0, RUNS / 100);
    assert_int_equal(praised, 0);
    assert_true(passed > RUNS * 95 / 100);
}

/* Level after level, repeats side by side: what drifts cannot be told from what the load does. */
static void
order_that_cannot_tell(void **state)
{
    struct rng rng;
    (void)state;

    rng_seed(&rng, 42, RNG_BOOTSTRAP, 22);
    begin();
    for (int i = 0; i < 18; i++)
        add_step(1 << i / 3, 1000 * (1 + i / 3) * (1 + 0.02 * series_normal(&rng)));
    expect(VERDICT_COMPARABLE, VERDICT_NOT_TESTED, "repeats too few, or too close");
    begin();
    for (int i = 0; i < 6; i++)
        add_step(1 << i, 1000 * i + 1000);
    expect(VERDICT_COMPARABLE, VERDICT_NOT_TESTED, "6 steps alike; too few repeats");
    begin();
    add_step(1, 1000);
    expect(VERDICT_COMPARABLE, VERDICT_NOT_TESTED, "fewer than two steps");
}

static void
steps_that_differ(void **state)
{
    struct rng rng;
    (void)state;

    rng_seed(&rng, 42, RNG_BOOTSTRAP, 23);
    make_ladder(&rng, 0);
    steps[6].isolation = "serializable";
    expect(VERDICT_COMPARABLE, VERDICT_FAIL, "steps 1 and 7 differ in isolation level");
    steps[6].curve = 2; /* another curve may */
    expect(VERDICT_COMPARABLE, VERDICT_PASS, "18 steps alike");
    assert_null(verdict_difference(&steps[0], &steps[1]));
    steps[1].pacing = 1;
    assert_string_equal(verdict_difference(&steps[0], &steps[1]), "pacing");
    steps[1].mix[TXN_DELIVERY] = 4;
    assert_string_equal(verdict_difference(&steps[0], &steps[1]), "mix");
}

/* 12,000 new-orders in two steps of five minutes; two more were under way when their connections
 * went, of which the database has one. */
static void
counts_with_lost_transactions(void **state)
{
    (void)state;
    begin();
    add_step(1, 1200);
    add_step(1, 1200);
    for (int i = 0; i < 2; i++)
        steps[i].counted[GROWTH_NEW_ORDERS] = steps[i].grown[GROWTH_NEW_ORDERS] = 6000;
    run.check.done = true;
    for (int i = 0; i < CHECK_CONDITIONS; i++)
        run.check.conditions[i].tested = true;
    expect(VERDICT_CONSISTENCY, VERDICT_PASS,
           "driver 12,000 new-orders, database 12,000; all twelve conditions hold");
    steps[1].grown[GROWTH_NEW_ORDERS] = 6001;
    steps[1].uncertain[GROWTH_NEW_ORDERS] = 2;
    expect(VERDICT_CONSISTENCY, VERDICT_PASS,
           "driver 12,000 new-orders, database 12,001; up to 2 more by lost transactions; all "
           "twelve conditions hold");
    steps[1].grown[GROWTH_NEW_ORDERS] = 6003;
    expect(VERDICT_CONSISTENCY, VERDICT_FAIL, "database 6,003");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repeats_that_agree),
        cmocka_unit_test(repeats_that_do_not),
        cmocka_unit_test(one_wild_level_is_enough),
        cmocka_unit_test(what_says_nothing_of_repeats),
        cmocka_unit_test(drift_over_the_run),
        cmocka_unit_test(drift_errs_rarely),
        cmocka_unit_test(order_that_cannot_tell),
        cmocka_unit_test(steps_that_differ),
        cmocka_unit_test(counts_with_lost_transactions),
    };
    return cmocka_run_group_tests_name("verdict_levels", tests, NULL, NULL);
}
