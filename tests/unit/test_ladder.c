/* What a ladder in its short forms means, and what is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/buf.h"
#include "common/ladder.h"

#define ROOM 64

static void
means(const char *text, const char *wanted)
{
    int64_t values[ROOM];
    struct buf found = {0};
    struct err err = {0};
    int count = 0;

    if (!ladder_parse(text, 1, 1000000, values, ROOM, &count, &err))
        fail_msg("%s: %s", text, err.message);
    for (int i = 0; i < count; i++)
        buf_printf(&found, "%s%lld", i ? " " : "", (long long)values[i]);
    assert_string_equal(buf_text(&found), wanted);
    buf_free(&found);
}

static void
refused(const char *text, const char *message)
{
    int64_t values[ROOM];
    struct err err = {0};
    int count;

    assert_false(ladder_parse(text, 1, 1000000, values, ROOM, &count, &err));
    assert_string_equal(err.message, message);
    assert_int_equal(err.code, ERR_USAGE);
}

static void
lists(void **state)
{
    (void)state;
    means("1", "1");
    means(" 8 1,2\n4 ", "8 1 2 4");
    means("1000000", "1000000");
}

static void
ranges(void **state)
{
    (void)state;
    means("1..4", "1 2 3 4");
    means("8..32/8", "8 16 24 32");
    means("1..32/8", "1 9 17 25 32");
    means("1..10 / 20", "1 10");
    means("1 2..4 8..16/4 20", "1 2 3 4 8 12 16 20");
}

static void
geometric(void **state)
{
    (void)state;
    means("1..64 x2", "1 2 4 8 16 32 64");
    means("1..64x2", "1 2 4 8 16 32 64");
    means("1..100 x 10", "1 10 100");
    means("3..100 x2", "3 6 12 24 48 96 100");
    means("1..10 x1.5", "1 2 3 5 8 10"); /* 1.5, 3, 4.5, 7.5, 12: halves go up */
    means("1..5 x1.01", "1 2 3 4 5");
    means("1..2 x1000 4", "1 2 4");
}

static void
no_ladders(void **state)
{
    (void)state;
    refused("", "the list is empty");
    refused(" , ", "the list is empty");
    refused("0", "\"0\" is below 1");
    refused("1000001", "\"1000001\" is above 1000000");
    refused("1..1000001", "\"1000001\" is above 1000000");
    refused("10abc", "\"10abc\" is not a whole number");
    refused("-1", "\"-1\" is not a whole number");
    refused("1.5", "\"1.5\" is not a whole number");
    refused("1e9", "\"1e9\" is not a whole number");
    refused("NaN", "\"NaN\" is not a whole number");
    refused("9223372036854775808", "\"9223372036854775808\" is too large a number");
    refused("99999999999999999999999999999999",
            "\"99999999999999999999999999999999\" is too large a number");
    refused("4..4", "\"4..4\" does not go up");
    refused("4..1", "\"4..1\" does not go up");
    refused("4..", "\"4..\" is not a whole number");
    refused("..4", "\"..4\" is not a whole number");
    refused("1..8/0", "\"0\" is below 1");
    refused("1..8 x1", "\"1..8\" has a factor outside 1.01 to 1000");
    refused("1..8x1.0001", "\"1..8x1.0001\" has no factor such as x2 or x1.5");
    refused("1..8 x1001", "\"1..8\" has a factor outside 1.01 to 1000");
    refused("1..8xx2", "\"1..8xx2\" has no factor such as x2 or x1.5");
    refused("1..8..9", "\"1..8..9\" is not a whole number");
    refused("x2", "\"x2\" is not a whole number");
    refused("1..1000000", "the list has more than 64 numbers");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists),
        cmocka_unit_test(ranges),
        cmocka_unit_test(geometric),
        cmocka_unit_test(no_ladders),
    };
    return cmocka_run_group_tests_name("ladder", tests, NULL, NULL);
}
