/* The schedule of tries: it doubles, it is capped, it is jittered, and it ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "driver/reconnect.h"

static void
pauses_double_up_to_a_cap(void **state)
{
    static const int64_t middle_us[] = {20000,  40000,   80000,   160000, 320000,
                                        640000, 1280000, 1280000, 1280000};
    struct reconnect reconnect = {0};
    struct rng rng;

    (void)state;
    rng_seed(&rng, 42, RNG_SCHEDULE, 0);
    reconnect_begin(&reconnect, 0, INT64_C(3600000000));
    for (size_t i = 0; i < sizeof middle_us / sizeof *middle_us; i++) {
        int64_t due_us = 0;
        assert_true(reconnect_next(&reconnect, &rng, 1000, &due_us));
        assert_in_range(due_us - 1000, middle_us[i] / 2, middle_us[i] * 3 / 2);
    }
}

static void
sessions_do_not_come_back_together(void **state)
{
    int64_t due_us[2];

    (void)state;
    for (uint64_t i = 0; i < 2; i++) {
        struct reconnect reconnect = {0};
        struct rng rng;
        rng_seed(&rng, 42, RNG_SCHEDULE, i);
        reconnect_begin(&reconnect, 0, 1000000);
        assert_true(reconnect_next(&reconnect, &rng, 0, &due_us[i]));
    }
    assert_int_not_equal(due_us[0], due_us[1]);
}

static void
tries_end_at_the_deadline(void **state)
{
    struct reconnect reconnect = {0};
    struct rng rng;
    int64_t now_us = 5000000;
    int tries = 0;

    (void)state;
    rng_seed(&rng, 42, RNG_SCHEDULE, 7);
    reconnect_begin(&reconnect, now_us, 2000000);
    while (reconnect_next(&reconnect, &rng, now_us, &now_us)) {
        assert_true(now_us < 7000000);
        tries++;
        reconnect_begin(&reconnect, now_us, 2000000); /* a try failed: the deadline stays */
    }
    assert_in_range(tries, 4, 8);
}

static void
a_new_loss_has_a_new_deadline(void **state)
{
    struct reconnect reconnect = {0};
    struct rng rng;
    int64_t due_us;

    (void)state;
    rng_seed(&rng, 42, RNG_SCHEDULE, 7);
    reconnect_begin(&reconnect, 0, 1000000);
    reconnect_done(&reconnect);
    reconnect_begin(&reconnect, 9000000, 1000000);
    assert_int_equal(reconnect.end_us, 10000000);
    assert_true(reconnect_next(&reconnect, &rng, 9000000, &due_us));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pauses_double_up_to_a_cap),
        cmocka_unit_test(sessions_do_not_come_back_together),
        cmocka_unit_test(tries_end_at_the_deadline),
        cmocka_unit_test(a_new_loss_has_a_new_deadline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
