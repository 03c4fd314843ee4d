/* Binary formats, against bytes as PostgreSQL sends them (its send functions, written out by
 * hand), and against bytes that are cut, too long or not such a value. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "driver/wire.h"

#define BYTES(...)                                                                                 \
    (const char[])                                                                                 \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define VALUE(...)                                                                                 \
    (struct wire_value)                                                                            \
    {                                                                                              \
        .data = BYTES(__VA_ARGS__), .size = (int)sizeof(BYTES(__VA_ARGS__))                        \
    }

static void
integers_are_big_endian(void **state)
{
    char bytes[8];

    (void)state;
    assert_ptr_equal(wire_put_int4(bytes, 100001), bytes + 4);
    assert_memory_equal(bytes, BYTES(0, 1, (char)0x86, (char)0xa1), 4);
    assert_ptr_equal(wire_put_int2(bytes, -2), bytes + 2);
    assert_memory_equal(bytes, BYTES((char)0xff, (char)0xfe), 2);
}

static void
integers_come_back(void **state)
{
    int number;

    (void)state;
    assert_true(wire_get_int(VALUE(0, 1, (char)0x86, (char)0xa1), &number));
    assert_int_equal(number, 100001);
    assert_true(wire_get_int(VALUE((char)0xff, (char)0xfe), &number));
    assert_int_equal(number, -2);
    assert_false(wire_get_int(VALUE(0, 1, 2), &number));
    assert_false(wire_get_int((struct wire_value){.size = -1}, &number));
}

/* select numeric_send(x): 1.00, 5000.00, 12.34 and 99999.99 */
static void
cents_are_numerics_of_two_decimals(void **state)
{
    const struct {
        int cents, size;
        char bytes[14];
    } cases[] = {
        {100, 10, {0, 1, 0, 0, 0, 0, 0, 2, 0, 1}},
        {500000, 10, {0, 1, 0, 0, 0, 0, 0, 2, 0x13, (char)0x88}},
        {1234, 12, {0, 2, 0, 0, 0, 0, 0, 2, 0, 12, 0x0d, 0x48}},
        {9999999, 14, {0, 3, 0, 1, 0, 0, 0, 2, 0, 9, 0x27, 0x0f, 0x26, (char)0xac}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char bytes[WIRE_NUMERIC_MAX + 4];
        int64_t back;
        assert_int_equal(wire_put_cents(bytes, cases[i].cents) - bytes, cases[i].size);
        assert_memory_equal(bytes, cases[i].bytes, (size_t)cases[i].size);
        assert_true(
            wire_get_numeric((struct wire_value){.data = bytes, .size = cases[i].size}, 2, &back));
        assert_int_equal(back, cases[i].cents);
    }
}

static void
numerics_are_scaled_exactly(void **state)
{
    int64_t number;

    (void)state;
    /* 0 has no digits at all */
    assert_true(wire_get_numeric(VALUE(0, 0, 0, 0, 0, 0, 0, 2), 2, &number));
    assert_int_equal(number, 0);
    /* -0.1234: weight -1 */
    const struct wire_value tax =
        VALUE(0, 1, (char)0xff, (char)0xff, 0x40, 0, 0, 4, 0x04, (char)0xd2);
    assert_true(wire_get_numeric(tax, 4, &number));
    assert_int_equal(number, -1234);
    assert_true(wire_get_numeric(tax, 10, &number));
    assert_int_equal(number, -1234000000);
    /* more decimals than asked for would be cut off */
    assert_false(wire_get_numeric(tax, 2, &number));
}

static void
what_is_no_numeric_is_refused(void **state)
{
    int64_t number;

    (void)state;
    assert_false(wire_get_numeric((struct wire_value){.size = -1}, 2, &number));
    /* NaN; a digit of 10000; cut off; ten digits overflow */
    assert_false(wire_get_numeric(VALUE(0, 0, 0, 0, (char)0xc0, 0, 0, 0), 2, &number));
    assert_false(wire_get_numeric(VALUE(0, 1, 0, 0, 0, 0, 0, 0, 0x27, 0x10), 2, &number));
    assert_false(wire_get_numeric(VALUE(0, 2, 0, 0, 0, 0, 0, 0, 0, 1), 2, &number));
    assert_false(wire_get_numeric(VALUE(0, 1, 0, 9, 0, 0, 0, 0, 0, 1), 2, &number));
    assert_false(wire_get_numeric(VALUE(0, 1, 0, 4, 0, 0, 0, 0, 0x27, 0x0f), 4, &number));
}

static void
arrays_have_a_head_and_lengths(void **state)
{
    char bytes[WIRE_ARRAY_MAX(2)];
    char *end = wire_put_array_head(bytes, WIRE_INT2, 2);

    (void)state;
    end = wire_put_element_int2(end, 5);
    end = wire_put_element_int2(end, 10);
    const char expected[] = {0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 21, 0, 0, 0, 2,
                             0, 0, 0, 1, 0, 0, 0, 2, 0, 5, 0, 0,  0, 2, 0, 10};
    assert_int_equal(end - bytes, sizeof expected);
    assert_memory_equal(bytes, expected, sizeof expected);
}

static void
arrays_are_walked_nulls_included(void **state)
{
    /* '{7,null}'::int4[] */
    const struct wire_value value =
        VALUE(0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 23, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 7,
              (char)0xff, (char)0xff, (char)0xff, (char)0xff);
    struct wire_array array;
    struct wire_value element;
    int number;

    (void)state;
    assert_true(wire_get_array(value, &array));
    assert_int_equal(array.count, 2);
    assert_true(wire_next(&array, &element));
    assert_true(wire_get_int(element, &number));
    assert_int_equal(number, 7);
    assert_true(wire_next(&array, &element));
    assert_int_equal(element.size, -1);
    assert_false(wire_next(&array, &element));
}

/* Every shorter piece of an array is refused, and so is one with a tail. */
static void
cut_arrays_are_refused(void **state)
{
    const char bytes[] = {0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 21, 0, 0, 0,  2, 0,
                          0, 0, 1, 0, 0, 0, 2, 0, 5, 0, 0, 0,  2, 0, 10, 0};
    struct wire_array array;

    (void)state;
    for (int size = -1; size <= (int)sizeof bytes; size++) {
        bool whole = size == (int)sizeof bytes - 1;
        assert_int_equal(wire_get_array((struct wire_value){.data = bytes, .size = size}, &array),
                         whole);
    }
    assert_true(wire_get_array(VALUE(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 21), &array));
    assert_int_equal(array.count, 0);
    /* two dimensions */
    assert_false(wire_get_array(VALUE(0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 21, 0, 0, 0, 1, 0, 0, 0, 1,
                                      0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 5),
                                &array));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_are_big_endian),
        cmocka_unit_test(integers_come_back),
        cmocka_unit_test(cents_are_numerics_of_two_decimals),
        cmocka_unit_test(numerics_are_scaled_exactly),
        cmocka_unit_test(what_is_no_numeric_is_refused),
        cmocka_unit_test(arrays_have_a_head_and_lengths),
        cmocka_unit_test(arrays_are_walked_nulls_included),
        cmocka_unit_test(cut_arrays_are_refused),
    };

    return cmocka_run_group_tests_name("wire", tests, NULL, NULL);
}
