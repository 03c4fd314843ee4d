/* Text formats: literals to the letter, and values as psql shows them, whole, cut and malformed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "driver/wire_text.h"

/* In memory of its own, so that reading past its end is seen by the address sanitizer. */
static struct wire_value
value_of(const char *text)
{
    static char *copy;
    size_t size = strlen(text);

    free(copy);
    copy = malloc(size ? size : 1);
    memcpy(copy, text, size);
    return (struct wire_value){.data = copy, .size = (int)size, .text = true};
}

static void
writes(const char *expected, const char *from, const char *to)
{
    assert_int_equal(to - from, strlen(expected));
    assert_memory_equal(from, expected, strlen(expected));
}

static void
decimals(void **state)
{
    char bytes[16];

    (void)state;
    writes("0", bytes, wire_put_decimal(bytes, 0));
    writes("100001", bytes, wire_put_decimal(bytes, 100001));
    writes("-7", bytes, wire_put_decimal(bytes, -7));
    writes("-2147483648", bytes, wire_put_decimal(bytes, INT32_MIN));
    writes("'1.00'", bytes, wire_put_cents_literal(bytes, 100));
    writes("'5000.07'", bytes, wire_put_cents_literal(bytes, 500007));
    writes("'0.50'", bytes, wire_put_cents_literal(bytes, 50));
}

static void
whatever_is_quoted_stays_inside(void **state)
{
    char bytes[WIRE_LITERAL_MAX(16)];

    (void)state;
    writes("'BARBARBAR'", bytes, wire_put_literal(bytes, "BARBARBAR", 9));
    writes("''", bytes, wire_put_literal(bytes, "", 0));
    writes("'O''BAR'' --'", bytes, wire_put_literal(bytes, "O'BAR' --", 9));
    writes("E'\\\\'''", bytes, wire_put_literal(bytes, "\\'", 2));
    writes("'a;$1'", bytes, wire_put_literal(bytes, "a;$1", 4));
}

static void
integers(void **state)
{
    static const char *const wrong[] = {"", "-", "+1", " 1", "1 ", "1.0", "1e3", "2147483648", "x"};
    int number;

    (void)state;
    assert_true(wire_get_int(value_of("0"), &number));
    assert_int_equal(number, 0);
    assert_true(wire_get_int(value_of("-2147483648"), &number));
    assert_int_equal(number, INT32_MIN);
    assert_true(wire_get_int(value_of("100001"), &number));
    assert_int_equal(number, 100001);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(wire_get_int(value_of(wrong[i]), &number));
    assert_false(wire_get_int((struct wire_value){.size = -1, .text = true}, &number));
}

static void
numerics(void **state)
{
    static const char *const wrong[] = {"",      "-",   ".5",       "5.",  "1..2",
                                        "1.234", "NaN", "Infinity", "1e2", "92233720368547758.08"};
    static const struct {
        const char *text;
        int scale;
        int64_t number;
    } right[] = {{"48.76", 2, 4876},   {"48.7600000000", 2, 4876},
                 {"-10.00", 2, -1000}, {"0.2000", 4, 2000},
                 {"5", 2, 500},        {"48.7600000000", 10, INT64_C(487600000000)},
                 {"-0.01", 2, -1},     {"92233720368547758.07", 2, INT64_MAX},
                 {"12", 0, 12},        {"12.00", 0, 12}};
    int64_t number;

    (void)state;
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        assert_true(wire_get_numeric(value_of(right[i].text), right[i].scale, &number));
        assert_true(number == right[i].number);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(wire_get_numeric(value_of(wrong[i]), 2, &number));
    assert_false(wire_get_numeric((struct wire_value){.size = -1, .text = true}, 2, &number));
}

static void
arrays(void **state)
{
    static const char *const elements[] = {"6.00", "item 5", NULL, "NULL", "a,b}", "\\\"x"};
    struct wire_array array;
    struct wire_value element;

    (void)state;
    assert_true(
        wire_get_array(value_of("{6.00,\"item 5\",NULL,\"NULL\",\"a,b}\",\"\\\"x\"}"), &array));
    assert_int_equal(array.count, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_true(wire_next(&array, &element));
        assert_int_equal(element.size, elements[i] ? (int)strlen(elements[i]) : -1);
        if (elements[i])
            assert_memory_equal(element.data, elements[i], strlen(elements[i]));
    }
    assert_false(wire_next(&array, &element));
    assert_true(wire_get_array(value_of("{}"), &array));
    assert_int_equal(array.count, 0);
    assert_false(wire_next(&array, &element));
}

static void
malformed_arrays(void **state)
{
    static const char *const wrong[] = {"",          "{",     "}",     "1",         "{1",
                                        "1}",        "{1,}",  "{,1}",  "{1,,2}",    "{\"1}",
                                        "{\"1\\\"}", "{{1}}", "{1}x}", "[0:0]={1}", "{\"1\"2}",
                                        "{1\"2\"}",  "{\"\\"};
    struct wire_array array;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(wire_get_array(value_of(wrong[i]), &array));
    assert_false(wire_get_array((struct wire_value){.size = -1, .text = true}, &array));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decimals), cmocka_unit_test(whatever_is_quoted_stays_inside),
        cmocka_unit_test(integers), cmocka_unit_test(numerics),
        cmocka_unit_test(arrays),   cmocka_unit_test(malformed_arrays),
    };

    return cmocka_run_group_tests_name("wire_text", tests, NULL, NULL);
}
