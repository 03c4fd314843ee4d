/* How well a window knows its mean: against intervals worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/precision.h"

#define SECONDS 200
static struct second seconds[SECONDS];

static void
fill(int count, enum phase phase, uint32_t even, uint32_t odd, int size)
{
    memset(seconds, 0, sizeof seconds);
    for (int i = 0; i < count; i++) {
        seconds[i].phase = phase;
        seconds[i].outcomes[TXN_NEW_ORDER][OUTCOME_COMMITTED] =
            (i + size - 1) / size % 2 ? even : odd;
    }
}

static void
too_short(void **state)
{
    (void)state;
    fill(20, PHASE_MEASURE, 100, 100, 1);
    assert_true(precision_of_seconds(seconds, 20) < 0); /* the first one is left out */
    fill(21, PHASE_MEASURE, 100, 100, 1);
    assert_true(precision_of_seconds(seconds, 21) == 0);
    fill(100, PHASE_RAMP_UP, 100, 100, 1);
    assert_true(precision_of_seconds(seconds, 100) < 0);
    fill(100, PHASE_MEASURE, 0, 0, 1);
    assert_true(precision_of_seconds(seconds, 100) < 0);
}

/* Batches of two seconds whose means are 90 and 110 in turn: sd = 10 sqrt(20/19) = 10.2598, half
 * the interval is t(0.975; 19) sd / sqrt(20) = 2.0930 * 10.2598 / 4.4721 = 4.8016; neighbours
 * differ, so that their correlation is negative and widens nothing. */
static void
batches_of_known_scatter(void **state)
{
    (void)state;
    fill(41, PHASE_MEASURE, 90, 110, 2);
    double found = precision_of_seconds(seconds, 41);
    assert_true(found > 0.04801 && found < 0.04802);
}

/* Scatter within batches alone is none between them. */
static void
within_batches(void **state)
{
    (void)state;
    fill(81, PHASE_MEASURE, 50, 150, 1);
    assert_true(precision_of_seconds(seconds, 81) < 1e-9);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(too_short),
        cmocka_unit_test(batches_of_known_scatter),
        cmocka_unit_test(within_batches),
    };
    return cmocka_run_group_tests_name("precision", tests, NULL, NULL);
}
