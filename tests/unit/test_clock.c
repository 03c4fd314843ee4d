/* Order of monotonic time, the text of known moments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/clock.h"

static void
monotonic_time_moves_on(void **state)
{
    int64_t before = clock_monotonic_us();

    (void)state;
    clock_sleep_us(2000);
    int64_t after = clock_monotonic_us();
    assert_true(after - before >= 2000);
    clock_sleep_us(0);
    clock_sleep_us(-5);
}

static void
wall_time_is_of_this_century(void **state)
{
    (void)state;
    assert_in_range(clock_wall_us(), INT64_C(1700000000000000), INT64_C(4102444800000000));
}

static void
cpu_time_grows_with_work(void **state)
{
    int64_t user_us, system_us, total_us;
    volatile unsigned work = 0;

    (void)state;
    clock_process_cpu_us(&user_us, &system_us);
    total_us = user_us + system_us;
    do {
        for (unsigned i = 0; i < 1000000; i++)
            work += i;
        clock_process_cpu_us(&user_us, &system_us);
    } while (user_us + system_us == total_us); /* ends only if the figures move */
    assert_true(user_us + system_us > total_us);
}

static void
moments_have_iso_names(void **state)
{
    char text[CLOCK_TEXT_SIZE];

    (void)state;
    assert_string_equal(clock_iso(text, 0), "1970-01-01T00:00:00Z");
    assert_string_equal(clock_iso(text, -1), "1969-12-31T23:59:59Z");
    /* 20513 days after 1970-01-01 is 2026-03-01; 45296 s is 12:34:56. */
    assert_string_equal(clock_iso(text, (INT64_C(20513) * 86400 + 45296) * 1000000 + 999999),
                        "2026-03-01T12:34:56Z");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(monotonic_time_moves_on),
        cmocka_unit_test(wall_time_is_of_this_century),
        cmocka_unit_test(cpu_time_grows_with_work),
        cmocka_unit_test(moments_have_iso_names),
    };
    return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
