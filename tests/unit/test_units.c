/* What is read as a number, what is refused, and how numbers are written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <locale.h>

#include "common/units.h"

#define SECOND INT64_C(1000000)
#define HOUR   (3600 * SECOND)

typedef bool parser(const char *text, int64_t *value, struct err *err);

static void
parses(parser *parse, const char *text, int64_t expected)
{
    struct err err = {0};
    int64_t value = -77;

    if (!parse(text, &value, &err))
        fail_msg("\"%s\" is refused: %s", text, err.message);
    assert_int_equal(value, expected);
}

static void
refuses(parser *parse, const char *text, const char *message)
{
    struct err err = {0};
    int64_t value = -77;

    if (parse(text, &value, &err))
        fail_msg("\"%s\" is taken as %lld", text, (long long)value);
    assert_int_equal(err.code, ERR_USAGE);
    assert_string_equal(err.message, message);
    assert_int_equal(value, -77);
}

static void
whole_numbers(void **state)
{
    (void)state;
    parses(units_parse_int, "0", 0);
    parses(units_parse_int, "-0", 0);
    parses(units_parse_int, "007", 7);
    parses(units_parse_int, "-15", -15);
    parses(units_parse_int, "9223372036854775807", INT64_MAX);
    parses(units_parse_int, "-9223372036854775808", INT64_MIN);
    refuses(units_parse_int, "9223372036854775808",
            "\"9223372036854775808\" is too large a number");
    refuses(units_parse_int, "-9223372036854775809",
            "\"-9223372036854775809\" is too large a number");
    static const char *const bad[] = {"",     "-",   "10abc", " 10", "10 ",   "+10", "1e3",
                                      "1e99", "1.0", "0x10",  "--1", "1,000", "NaN", "\n1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char expected[64];
        snprintf(expected, sizeof expected, "\"%s\" is not a whole number", bad[i]);
        /* A line end becomes a blank in a message. */
        for (char *p = expected; *p; p++)
            *p = *p == '\n' ? ' ' : *p;
        refuses(units_parse_int, bad[i], expected);
    }
}

static void
real_numbers(void **state)
{
    static const char *const bad[] = {"",      "nan", "NaN", "inf", "-inf", "infinity",
                                      "0x1p3", " 1",  "1 ",  "1,5", "1.5x", "e5",
                                      ".",     "-",   "+1",  "1e",  "1.5.5"};
    struct err err;
    double value;

    (void)state;
    assert_true(units_parse_real("1.5", &value, &err));
    assert_true(value == 1.5);
    assert_true(units_parse_real("-2e3", &value, &err));
    assert_true(value == -2000.0);
    assert_true(units_parse_real(".25", &value, &err));
    assert_true(value == 0.25);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (units_parse_real(bad[i], &value, &err))
            fail_msg("\"%s\" is taken as %g", bad[i], value);
        assert_int_equal(err.code, ERR_USAGE);
    }
    assert_false(units_parse_real("1e999", &value, &err));
    assert_string_equal(err.message, "\"1e999\" is too large a number");
}

static void
environment_does_not_change_numbers(void **state)
{
    struct err err;
    double value;

    (void)state;
    setenv("LC_ALL", "de_DE.UTF-8", 1);
    setenv("LC_NUMERIC", "de_DE.UTF-8", 1);
    assert_true(units_parse_real("1.5", &value, &err));
    assert_true(value == 1.5);
    assert_false(units_parse_real("1,5", &value, &err));
    assert_string_equal(localeconv()->decimal_point, ".");
    char text[UNITS_TEXT_SIZE];
    assert_string_equal(units_duration(text, 12340), "12.3ms");
}

static void
durations(void **state)
{
    (void)state;
    parses(units_parse_duration, "0", 0);
    parses(units_parse_duration, "0s", 0);
    parses(units_parse_duration, "250us", 250);
    parses(units_parse_duration, "500ms", 500000);
    parses(units_parse_duration, "90s", 90 * SECOND);
    parses(units_parse_duration, "5m", 300 * SECOND);
    parses(units_parse_duration, "1h", HOUR);
    parses(units_parse_duration, "1.5s", 1500000);
    parses(units_parse_duration, "0.1s", 100000);
    parses(units_parse_duration, "0.000001s", 1);
    parses(units_parse_duration, "0.5h", HOUR / 2);
    parses(units_parse_duration, "8760h", 8760 * HOUR);
    refuses(units_parse_duration, "8760.000001h", "\"8760.000001h\" is above 8760h");
    refuses(units_parse_duration, "8761h", "\"8761h\" is above 8760h");
    refuses(units_parse_duration, "90", "\"90\" has no unit");
    refuses(units_parse_duration, "1.5", "\"1.5\" has no unit");
    refuses(units_parse_duration, "0.5us", "\"0.5us\" is finer than 1 us");
    refuses(units_parse_duration, "0.0000001s", "\"0.0000001s\" has more than 6 decimals");
    static const char *const bad[] = {"",   "s",   "-5s", "-0s", "5 s",  " 5s", "5s ",  "5sec",
                                      "5S", "1.s", ".5s", "+5s", "infs", "nan", "1e3s", "5ss"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char expected[64];
        snprintf(expected, sizeof expected, "\"%s\" is not a duration", bad[i]);
        refuses(units_parse_duration, bad[i], expected);
    }
    /* 2^63 us; 2^64 + 1 hours; 2^63 h, where only the multiplication overflows. */
    refuses(units_parse_duration, "9223372036854775808us",
            "\"9223372036854775808us\" is too large");
    refuses(units_parse_duration, "18446744073709551617h",
            "\"18446744073709551617h\" is too large");
    refuses(units_parse_duration, "5124095576030432h", "\"5124095576030432h\" is too large");
}

static void
sizes(void **state)
{
    (void)state;
    parses(units_parse_size, "0", 0);
    parses(units_parse_size, "8192B", 8192);
    parses(units_parse_size, "512kB", 524288);
    parses(units_parse_size, "64MB", 67108864);
    parses(units_parse_size, "1GB", 1073741824);
    parses(units_parse_size, "2TB", INT64_C(2199023255552));
    parses(units_parse_size, "1.5GB", 1610612736);
    refuses(units_parse_size, "64", "\"64\" has no unit");
    refuses(units_parse_size, "64mb", "\"64mb\" is not a size");
    refuses(units_parse_size, "-1MB", "\"-1MB\" is not a size");
    refuses(units_parse_size, "0.1kB", "\"0.1kB\" is finer than 1 B");
    parses(units_parse_size, "8388607TB", INT64_C(9223370937343148032));
    refuses(units_parse_size, "8388608TB", "\"8388608TB\" is too large");
    parses(units_parse_size, "9223372036854775807B", INT64_MAX);
    refuses(units_parse_size, "9223372036854775807.5kB",
            "\"9223372036854775807.5kB\" is too large");
}

static void
refused_duration_has_a_hint(void **state)
{
    struct err err = {0};
    int64_t value;

    (void)state;
    assert_false(units_parse_duration("90", &value, &err));
    assert_string_equal(err.hint, "write a duration as 250us, 500ms, 90s, 5m or 1h");
}

typedef char *writer(char text[UNITS_TEXT_SIZE], int64_t value);

static void
writes(writer *write, int64_t value, const char *expected)
{
    char text[UNITS_TEXT_SIZE];

    assert_string_equal(write(text, value), expected);
}

static void
durations_for_people(void **state)
{
    (void)state;
    writes(units_duration, 0, "0us");
    writes(units_duration, 850, "850us");
    writes(units_duration, 999, "999us");
    writes(units_duration, 1000, "1.00ms");
    writes(units_duration, 9994, "9.99ms");
    writes(units_duration, 9995, "10.0ms");
    writes(units_duration, 12340, "12.3ms");
    writes(units_duration, 123456, "123ms");
    writes(units_duration, 999499, "999ms");
    writes(units_duration, 999500, "1.00s");
    writes(units_duration, 4560000, "4.56s");
    writes(units_duration, 59949999, "59.9s");
    writes(units_duration, 59950000, "1m00s");
    writes(units_duration, 200 * SECOND, "3m20s");
    writes(units_duration, 3599 * SECOND + 499999, "59m59s");
    writes(units_duration, 3599 * SECOND + 500000, "1h00m");
    writes(units_duration, 65 * 60 * SECOND, "1h05m");
    writes(units_duration, 100 * HOUR, "100h00m");
    writes(units_duration, -12340, "-12.3ms");
    writes(units_duration, INT64_MIN, "-2562047788h01m");
}

static void
clocks_sizes_and_counts_for_people(void **state)
{
    (void)state;
    writes(units_clock, 7 * SECOND, "0:07");
    writes(units_clock, 7 * SECOND + 999999, "0:07");
    writes(units_clock, 765 * SECOND, "12:45");
    writes(units_clock, 3723 * SECOND, "1:02:03");
    writes(units_clock, -7 * SECOND, "-0:07");
    writes(units_size, 0, "0 B");
    writes(units_size, 8192, "8192 B");
    writes(units_size, 10239, "10239 B");
    writes(units_size, 10240, "10 kB");
    writes(units_size, 1024 * 1024, "1.0 MB");
    writes(units_size, 1024 * 1024 - 1, "1.0 MB");
    writes(units_size, 123 * INT64_C(1048576), "123 MB");
    writes(units_size, INT64_C(1319413953332), "1.2 TB");
    writes(units_size, INT64_MAX, "8.0 EB");
    writes(units_count, 0, "0");
    writes(units_count, 999, "999");
    writes(units_count, 1000, "1,000");
    writes(units_count, 1234567, "1,234,567");
    writes(units_count, -1234, "-1,234");
    assert_string_equal(units_rate((char[UNITS_TEXT_SIZE]){0}, 22671.99), "22,671");
    writes(units_count, INT64_MIN, "-9,223,372,036,854,775,808");
}

static void
exact_texts_are_read_back(void **state)
{
    static const int64_t values[] = {
        0, 1, 999, 1000, 60000000, 90000000, 3600000000, 604800000000, 86400000001, 31536000000000};
    char text[UNITS_TEXT_SIZE];

    (void)state;
    writes(units_exact_duration, 90 * SECOND, "90s");
    writes(units_exact_duration, 0, "0");
    writes(units_exact_duration, 168 * HOUR, "168h");
    writes(units_exact_duration, 1500, "1500us");
    writes(units_exact_size, INT64_C(8) << 30, "8GB");
    writes(units_exact_size, 8193, "8193B");
    writes(units_exact_int, -5, "-5");
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        parses(units_parse_duration, units_exact_duration(text, values[i]), values[i]);
        parses(units_parse_size, units_exact_size(text, values[i]), values[i]);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_numbers),
        cmocka_unit_test(real_numbers),
        cmocka_unit_test(environment_does_not_change_numbers),
        cmocka_unit_test(durations),
        cmocka_unit_test(sizes),
        cmocka_unit_test(refused_duration_has_a_hint),
        cmocka_unit_test(durations_for_people),
        cmocka_unit_test(clocks_sizes_and_counts_for_people),
        cmocka_unit_test(exact_texts_are_read_back),
    };
    return cmocka_run_group_tests_name("units", tests, NULL, NULL);
}
