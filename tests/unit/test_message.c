/* Messages of the protocol, against bytes written out by hand from PostgreSQL's own description of
 * them, and against lengths that lie. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "driver/message.h"

/* A literal without the zero that C puts behind it. */
#define BYTES(literal) (literal), sizeof(literal) - 1

static void
a_call_is_bind_execute_and_sync(void **state)
{
    static const char expected[] =
        "B\0\0\0\x25\0pay\0\0\1\0\1\0\3\0\0\0\4\0\0\0\7\xff\xff\xff\xff\0"
        "\0\0\2ab\0\1\0\1E\0\0\0\x09\0\0\0\0\0S\0\0\0\4";
    const char *const values[] = {"\0\0\0\7", NULL, "ab"};
    const int sizes[] = {4, 0, 2};
    const struct pg_call call = {.statement = "pay", .count = 3, .values = values, .sizes = sizes};
    char bytes[MESSAGE_CALL_MAX];
    (void)state;

    assert_int_equal(message_put_call(bytes, &call) - bytes, (int)sizeof expected - 1);
    assert_memory_equal(bytes, expected, sizeof expected - 1);
}

static void
a_call_without_values_too(void **state)
{
    static const char expected[] =
        "B\0\0\0\x14\0none\0\0\1\0\1\0\0\0\1\0\1E\0\0\0\x09\0\0\0\0\0S\0\0\0\4";
    const struct pg_call call = {.statement = "none"};
    char bytes[MESSAGE_CALL_MAX];
    (void)state;

    assert_int_equal(message_put_call(bytes, &call) - bytes, (int)sizeof expected - 1);
    assert_memory_equal(bytes, expected, sizeof expected - 1);
}

static void
sizes_are_those_of_libpq(void **state)
{
    static const struct {
        const char *head;
        size_t size;
    } cases[] = {
        {"Z\0\0\0\5", 6},
        {"2\0\0\0\4", 5},
        {"2\0\0\0\3", 0}, /* shorter than the length itself */
        {"2\0\0\0\0", 0},
        {"2\0\0\x75\x30", 30001}, /* 30,000, the longest of most types */
        {"2\0\0\x75\x31", 0},
        {"\0\0\0\x75\x31", 0}, /* no type at all */
        {"D\0\0\x75\x31", 30002},
        {"E\0\1\0\0", 65537},
        {"D\x7f\xff\xff\xff", (size_t)2147483648},
        {"D\x80\0\0\0", 0},
        {"D\xff\xff\xff\xff", 0},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(message_size(cases[i].head), cases[i].size);
}

static struct message
an_error(const char *body, size_t size)
{
    return (struct message){.type = MESSAGE_ERROR, .body = body, .size = size};
}

static void
fields_are_found_by_their_letter(void **state)
{
    struct message message = an_error(BYTES("SERROR\0C40001\0Mno\0D\0\0"));
    (void)state;

    assert_string_equal(message_field(&message, 'S'), "ERROR");
    assert_string_equal(message_field(&message, 'C'), "40001");
    assert_string_equal(message_field(&message, 'M'), "no");
    assert_string_equal(message_field(&message, 'D'), "");
    assert_string_equal(message_field(&message, 'H'), "");
    /* Nothing behind the end of the list counts. */
    message = an_error(BYTES("C40001\0\0Mno\0"));
    assert_string_equal(message_field(&message, 'M'), "");
}

/* At no length is a field seen that is not whole, nor a byte behind the end. */
static void
fields_that_are_cut_off_are_absent(void **state)
{
    static const char body[] = "C40001\0Mno\0";
    (void)state;

    for (size_t size = 0; size < sizeof body; size++) {
        struct message message = an_error(body, size);
        assert_string_equal(message_field(&message, 'C'), size >= 7 ? "40001" : "");
        assert_string_equal(message_field(&message, 'M'), size >= 11 ? "no" : "");
    }
}

static void
a_row_has_its_values(void **state)
{
    static const char body[] = "\0\3\0\0\0\2ab\xff\xff\xff\xff\0\0\0\0";
    struct wire_value values[3];
    int columns;
    (void)state;

    assert_true(message_row(body, sizeof body - 1, values, 3, &columns));
    assert_int_equal(columns, 3);
    assert_int_equal(values[0].size, 2);
    assert_memory_equal(values[0].data, "ab", 2);
    assert_false(values[0].text);
    assert_int_equal(values[1].size, -1);
    assert_int_equal(values[2].size, 0);
    /* With room for one of them the others are passed over. */
    values[1].size = 77;
    assert_true(message_row(body, sizeof body - 1, values, 1, &columns));
    assert_int_equal(columns, 3);
    assert_int_equal(values[1].size, 77);
}

static void
a_row_whose_lengths_lie_is_none(void **state)
{
    static const char body[] = "\0\3\0\0\0\2ab\xff\xff\xff\xff\0\0\0\0";
    struct wire_value values[3];
    int columns;
    (void)state;

    for (size_t size = 0; size < sizeof body - 1; size++)
        assert_false(message_row(body, size, values, 3, &columns));
    assert_false(message_row(body, sizeof body, values, 3, &columns)); /* a byte left over */
    assert_false(message_row(BYTES("\0\1\xff\xff\xff\xfe"), values, 3, &columns));
    assert_false(message_row(BYTES("\0\1\x7f\xff\xff\xff"), values, 3, &columns));
    assert_false(message_row(BYTES("\0\1\x80\0\0\0"), values, 3, &columns));
    assert_false(message_row(BYTES("\xff\xff\0\0\0\0"), values, 3, &columns));
    assert_true(message_row(BYTES("\0\0"), values, 3, &columns));
    assert_int_equal(columns, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_is_bind_execute_and_sync),
        cmocka_unit_test(a_call_without_values_too),
        cmocka_unit_test(sizes_are_those_of_libpq),
        cmocka_unit_test(fields_are_found_by_their_letter),
        cmocka_unit_test(fields_that_are_cut_off_are_absent),
        cmocka_unit_test(a_row_has_its_values),
        cmocka_unit_test(a_row_whose_lengths_lie_is_none),
    };

    return cmocka_run_group_tests_name("message", tests, NULL, NULL);
}
