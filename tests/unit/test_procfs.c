/* Texts of /proc as Linux writes them, and others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "driver/procfs.h"

static void
processor_time_is_summed(void **state)
{
    struct procfs_cpu cpu;

    (void)state;
    assert_true(procfs_parse_cpu("cpu  100 20 30 4000 500 6 7 80 9 1\ncpu0 1 2 3\n", &cpu));
    assert_int_equal(cpu.total, 4743); /* guests, the last two, are inside user and nice */
    assert_int_equal(cpu.idle, 4500);  /* waiting for a disk is idle too */
    assert_int_equal(cpu.steal, 80);
    assert_false(procfs_parse_cpu("cpu  100 20 30 4000\n", &cpu));
    assert_false(procfs_parse_cpu("", &cpu));
    assert_false(procfs_parse_cpu("intr 1 2 3 4 5 6 7 8", &cpu));
}

static void
waiting_is_the_second_figure(void **state)
{
    (void)state;
    assert_int_equal(procfs_parse_wait_us("123456789 5000999 42\n"), 5000);
    assert_int_equal(procfs_parse_wait_us("0 0 0\n"), 0);
    assert_int_equal(procfs_parse_wait_us("0\n"), -1);
    assert_int_equal(procfs_parse_wait_us(""), -1);
}

static void
this_process_may_use_a_processor(void **state)
{
    (void)state;
    assert_in_range(procfs_cores(), 1, 1 << 20);
}

static void
only_the_sum_of_two_times_is_sure(void **state)
{
    static const int64_t given[][4] = {
        {5, 7, 5, 7}, {-400, 840, 0, 440}, {840, -400, 440, 0}, {-5, 3, 0, 0}, {-1, -2, 0, 0}};
    (void)state;

    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        int64_t user_us = given[i][0], system_us = given[i][1];
        procfs_settle(&user_us, &system_us);
        assert_int_equal(user_us, given[i][2]);
        assert_int_equal(system_us, given[i][3]);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_sum_of_two_times_is_sure),
        cmocka_unit_test(processor_time_is_summed),
        cmocka_unit_test(waiting_is_the_second_figure),
        cmocka_unit_test(this_process_may_use_a_processor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
