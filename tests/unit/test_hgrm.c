/* The percentile format of HdrHistogram, against values worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reports/hgrm.h"

static struct hist hist;
static struct buf out;

static int
forget(void **state)
{
    (void)state;
    hist_clear(&hist);
    buf_free(&out);
    return 0;
}

/* 10 to 100 us: five lines up to a half, five from there to three quarters, five to seven eighths,
 * ...
 */
static void
ten_values(void **state)
{
    (void)state;

    for (int us = 1; us <= 10; us++)
        hist_record(&hist, 10 * us);
    hgrm_write(&hist, &out);
    assert_string_equal(buf_text(&out),
                        "       Value     Percentile TotalCount 1/(1-Percentile)\n\n"
                        "       0.010 0.000000000000          1           1.00\n"
                        "       0.010 0.100000000000          1           1.11\n"
                        "       0.020 0.200000000000          2           1.25\n"
                        "       0.030 0.300000000000          3           1.43\n"
                        "       0.040 0.400000000000          4           1.67\n"
                        "       0.050 0.500000000000          5           2.00\n"
                        "       0.060 0.550000000000          6           2.22\n"
                        "       0.060 0.600000000000          6           2.50\n"
                        "       0.070 0.650000000000          7           2.86\n"
                        "       0.070 0.700000000000          7           3.33\n"
                        "       0.080 0.750000000000          8           4.00\n"
                        "       0.080 0.775000000000          8           4.44\n"
                        "       0.080 0.800000000000          8           5.00\n"
                        "       0.090 0.825000000000          9           5.71\n"
                        "       0.090 0.850000000000          9           6.67\n"
                        "       0.090 0.875000000000          9           8.00\n"
                        "       0.090 0.887500000000          9           8.89\n"
                        "       0.090 0.900000000000          9          10.00\n"
                        "       0.100 1.000000000000         10\n"
                        "#[Mean    =        0.055, StdDeviation   =        0.029]\n"
                        "#[Max     =        0.100, Total count    =           10]\n"
                        "#[Buckets =           32, SubBuckets     =          128]\n");
}

static void
nothing(void **state)
{
    (void)state;

    hgrm_write(&hist, &out);
    assert_non_null(strstr(buf_text(&out), "Total count    =            0]"));
    assert_null(strstr(buf_text(&out), "1.000000000000"));
}

/* Three users with 10,000 calls of 1 ms and one with a single call of a minute: the 99th percentile
 * of all calls together is 1 ms, whatever a mean of the users' own percentiles would say. */
static void
percentiles_are_of_all_calls(void **state)
{
    struct hist one = {0};
    (void)state;

    for (int user = 0; user < 3; user++) {
        struct hist calls = {0};
        for (int i = 0; i < 10000; i++)
            hist_record(&calls, 1000);
        hist_merge(&hist, &calls);
    }
    hist_record(&one, 60000000);
    hist_merge(&hist, &one);
    hgrm_write(&hist, &out);
    const char *line = strstr(buf_text(&out), " 0.990625000000 ");
    assert_non_null(line);
    while (line[-1] != '\n')
        line--;
    assert_true(strtod(line, NULL) < 1.01);
    assert_non_null(strstr(buf_text(&out), "\n   60000.000 1.000000000000      30001\n"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(ten_values, forget),
        cmocka_unit_test_teardown(nothing, forget),
        cmocka_unit_test_teardown(percentiles_are_of_all_calls, forget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
