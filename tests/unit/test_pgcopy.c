/* Bytes worked out by hand from the manual (COPY, "Binary Format"; numeric: base 10000 digits) and
 * compared with what numeric_send and timestamptz_send of a server give. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/pgcopy.h"
#include "driver/wire.h"

/* Compares what was appended with hexadecimal digits; blanks between them are for the reader. */
static void
holds(struct buf *out, const char *expected)
{
    struct buf hex = {0}, plain = {0};

    for (size_t i = 0; i < out->length; i++)
        buf_printf(&hex, "%02x", (unsigned char)out->data[i]);
    for (; *expected; expected++) {
        if (*expected != ' ')
            buf_putc(&plain, *expected);
    }
    assert_string_equal(buf_text(&hex), buf_text(&plain));
    assert_int_equal(out->data[out->length], '\0');
    buf_free(&hex);
    buf_free(&plain);
    buf_clear(out);
}

static void
frame_and_integers(void **state)
{
    struct buf out = {0};

    (void)state;
    pgcopy_begin(&out);
    holds(&out, "50 47 43 4f 50 59 0a ff 0d 0a 00  00000000  00000000");
    pgcopy_tuple(&out, 9);
    holds(&out, "0009");
    pgcopy_null(&out);
    holds(&out, "ffffffff");
    pgcopy_int2(&out, -2);
    holds(&out, "00000002 fffe");
    pgcopy_int4(&out, 305419896);
    holds(&out, "00000004 12345678");
    pgcopy_int8(&out, INT64_MIN);
    holds(&out, "00000008 8000000000000000");
    pgcopy_text(&out, "abc", 3);
    holds(&out, "00000003 616263");
    pgcopy_text(&out, "", 0);
    holds(&out, "00000000");
    pgcopy_timestamptz(&out, INT64_C(946684800000000));
    holds(&out, "00000008 0000000000000000");
    pgcopy_timestamptz(&out, INT64_C(1772368496000000)); /* 2026-03-01 12:34:56 UTC */
    holds(&out, "00000008 0002eef477659c00");
    pgcopy_end(&out);
    holds(&out, "ffff");
    buf_free(&out);
}

static const struct {
    int64_t value;
    int scale;
    const char *bytes; /* number of digits, weight, sign, display scale, digits */
} numerics[] = {
    {0, 2, "0000 0000 0000 0002"},
    {0, 0, "0000 0000 0000 0000"},
    {1, 2, "0001 ffff 0000 0002 0064"},
    {-1000, 2, "0001 0000 4000 0002 000a"},
    {999999, 2, "0002 0000 0000 0002 270f 26ac"},
    {30000000, 2, "0001 0001 0000 0002 001e"},
    {5000000, 2, "0001 0001 0000 0002 0005"},
    {1234, 4, "0001 ffff 0000 0004 04d2"},
    {0, 4, "0000 0000 0000 0004"},
    {15, 1, "0002 0000 0000 0001 0001 1388"},
    {100000000, 0, "0001 0002 0000 0000 0001"},
    {100000001, 0, "0003 0002 0000 0000 0001 0000 0001"},
    {10000, 8, "0001 ffff 0000 0008 0001"},
    {1234567890, 2, "0003 0001 0000 0002 04d2 162e 2328"},
    {1, 18, "0001 fffb 0000 0012 0064"},
    {INT64_MAX, 2, "0006 0004 0000 0002 0009 08b9 1c23 1ac6 1e4e 02bc"},
    {INT64_MIN, 2, "0006 0004 4000 0002 0009 08b9 1c23 1ac6 1e4e 0320"},
    {INT64_MAX, 18, "0006 0000 0000 0012 0009 08b9 1c23 1ac6 1e4e 02bc"},
};

static void
numerics_have_the_servers_bytes(void **state)
{
    struct buf out = {0}, expected = {0};

    (void)state;
    for (size_t i = 0; i < sizeof numerics / sizeof *numerics; i++) {
        size_t digits = (strlen(numerics[i].bytes) + 1) / 5 - 4;
        buf_clear(&expected);
        buf_printf(&expected, "%08zx %s", 8 + 2 * digits, numerics[i].bytes);
        pgcopy_numeric(&out, numerics[i].value, numerics[i].scale);
        holds(&out, expected.data);
    }
    buf_free(&out);
    buf_free(&expected);
}

/* Behind the length. What reads it is the driver's own, written apart. */
static struct wire_value
field(const struct buf *out)
{
    return (struct wire_value){.data = out->data + 4, .size = (int)out->length - 4};
}

static void
numerics_come_back(void **state)
{
    struct buf out = {0};
    int64_t value;

    (void)state;
    for (size_t i = 0; i < sizeof numerics / sizeof *numerics; i++) {
        if (numerics[i].value == INT64_MIN)
            continue; /* read without its sign first, it is past 63 bits */
        buf_clear(&out);
        pgcopy_numeric(&out, numerics[i].value, numerics[i].scale);
        value = -77;
        assert_true(wire_get_numeric(field(&out), numerics[i].scale, &value));
        assert_true(value == numerics[i].value);
    }
    /* Every scale, around every power of ten. */
    for (int scale = 0; scale <= 18; scale++) {
        int64_t power = 1;
        for (int digits = 0; digits <= 18; digits++, power *= digits < 18 ? 10 : 1) {
            for (int64_t near = power - 1; near <= power + 1; near++) {
                buf_clear(&out);
                pgcopy_numeric(&out, -near, scale);
                assert_true(wire_get_numeric(field(&out), scale, &value));
                assert_true(value == -near);
            }
        }
    }
    buf_free(&out);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frame_and_integers),
        cmocka_unit_test(numerics_have_the_servers_bytes),
        cmocka_unit_test(numerics_come_back),
    };
    return cmocka_run_group_tests_name("pgcopy", tests, NULL, NULL);
}
