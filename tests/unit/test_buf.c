/* Growth, the NUL behind the data, and formatting across the end of the capacity. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/buf.h"

static void
empty_buffer_has_text(void **state)
{
    struct buf buf = {0};

    (void)state;
    assert_string_equal(buf_text(&buf), "");
    buf_clear(&buf);
    buf_append(&buf, NULL, 0);
    assert_string_equal(buf_text(&buf), "");
    assert_int_equal(buf.length, 0);
    buf_free(&buf);
    assert_null(buf.data);
}

static void
appends_keep_the_nul(void **state)
{
    struct buf buf = {0};

    (void)state;
    for (int i = 0; i < 1000; i++) {
        buf_putc(&buf, (char)('a' + i % 26));
        assert_int_equal(buf.data[buf.length], '\0');
        assert_true(buf.length < buf.capacity);
    }
    assert_int_equal(buf.length, 1000);
    assert_int_equal(buf.data[999], 'a' + 999 % 26);
    buf_clear(&buf);
    buf_append(&buf, "a\0b", 3);
    buf_puts(&buf, "cd");
    assert_int_equal(buf.length, 5);
    assert_memory_equal(buf.data, "a\0bcd", 6);
    buf_free(&buf);
}

static void
formats_of_every_length(void **state)
{
    (void)state;
    /* Around the capacity of a fresh buffer, where the text just fits or just does not. */
    for (int length = 0; length < 300; length++) {
        struct buf buf = {0};
        buf_puts(&buf, "x");
        buf_printf(&buf, "%*s", length, "");
        assert_int_equal(buf.length, (size_t)length + 1);
        assert_int_equal(strlen(buf.data), (size_t)length + 1);
        buf_free(&buf);
    }
}

static void
reserved_room_is_there(void **state)
{
    struct buf buf = {0};

    (void)state;
    buf_puts(&buf, "ab");
    char *room = buf_reserve(&buf, 500);
    assert_ptr_equal(room, buf.data + 2);
    assert_int_equal(buf.length, 2);
    memset(room, 'z', 500);
    buf.length += 500;
    buf_putc(&buf, '!');
    assert_int_equal(buf.length, 503);
    assert_string_equal(buf.data + 501, "z!");
    buf_free(&buf);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_buffer_has_text),
        cmocka_unit_test(appends_keep_the_nul),
        cmocka_unit_test(formats_of_every_length),
        cmocka_unit_test(reserved_room_is_there),
    };
    return cmocka_run_group_tests_name("buf", tests, NULL, NULL);
}
