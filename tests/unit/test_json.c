/* Whole documents, compared byte by byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <locale.h>
#include <math.h>

#include "common/json.h"

static void
nested_document(void **state)
{
    struct buf out = {0};
    struct json json;

    (void)state;
    json_begin(&json, &out);
    json_object(&json, NULL);
    json_int(&json, "n", -5);
    json_array(&json, "list");
    json_int(&json, NULL, 1);
    json_array(&json, NULL);
    json_array_end(&json);
    json_object(&json, NULL);
    json_object_end(&json);
    json_null(&json, NULL);
    json_array_end(&json);
    json_object(&json, "o");
    json_bool(&json, "yes", true);
    json_bool(&json, "no", false);
    json_string(&json, "none", NULL);
    json_object_end(&json);
    json_object_end(&json);
    json_end(&json);
    assert_string_equal(buf_text(&out), "{\"n\": -5, \"list\": [1, [], {}, null], "
                                        "\"o\": {\"yes\": true, \"no\": false, \"none\": null}}\n");
    buf_free(&out);
}

static void
writes_string(const char *value, const char *expected)
{
    struct buf out = {0};
    struct json json;

    json_begin(&json, &out);
    json_string(&json, NULL, value);
    json_end(&json);
    assert_string_equal(buf_text(&out), expected);
    buf_free(&out);
}

static void
strings_are_escaped(void **state)
{
    (void)state;
    writes_string("", "\"\"\n");
    writes_string("a\"b\\c/d", "\"a\\\"b\\\\c/d\"\n");
    writes_string("\b\f\n\r\t\x01\x1f\x7f", "\"\\b\\f\\n\\r\\t\\u0001\\u001f\\u007f\"\n");
    writes_string("\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80",
                  "\"\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80\"\n");
}

#define U "\xEF\xBF\xBD"

static void
invalid_utf8_is_replaced(void **state)
{
    (void)state;
    writes_string("a\xFFz", "\"a" U "z\"\n");
    writes_string("a\xC3", "\"a" U "\"\n");                 /* cut off */
    writes_string("\xE2\x82", "\"" U U "\"\n");             /* cut off */
    writes_string("\xC0\xAF", "\"" U U "\"\n");             /* overlong */
    writes_string("\xE0\x80\x80", "\"" U U U "\"\n");       /* overlong */
    writes_string("\xED\xA0\x80", "\"" U U U "\"\n");       /* surrogate */
    writes_string("\xF4\x90\x80\x80", "\"" U U U U "\"\n"); /* above U+10FFFF */
    writes_string("\xC3\"", "\"" U "\\\"\"\n");             /* must not swallow the quote */
}

static void
writes_real(double value, int decimals, const char *expected)
{
    struct buf out = {0};
    struct json json;

    json_begin(&json, &out);
    json_real(&json, NULL, value, decimals);
    json_end(&json);
    assert_string_equal(buf_text(&out), expected);
    buf_free(&out);
}

static void
real_numbers(void **state)
{
    (void)state;
    setenv("LC_ALL", "de_DE.UTF-8", 1);
    writes_real(1.5, 1, "1.5\n");
    writes_real(41234.5, 3, "41234.500\n");
    writes_real(2, 0, "2\n");
    writes_real(-0.125, 3, "-0.125\n");
    writes_real((double)NAN, 3, "null\n");
    writes_real((double)INFINITY, 3, "null\n");
}

static void
depth_of_the_limit(void **state)
{
    struct buf out = {0};
    struct json json;

    (void)state;
    json_begin(&json, &out);
    for (int i = 0; i < JSON_DEPTH_MAX; i++)
        json_array(&json, NULL);
    for (int i = 0; i < JSON_DEPTH_MAX; i++)
        json_array_end(&json);
    json_end(&json);
    assert_int_equal(out.length, 2 * JSON_DEPTH_MAX + 1);
    buf_free(&out);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nested_document),          cmocka_unit_test(strings_are_escaped),
        cmocka_unit_test(invalid_utf8_is_replaced), cmocka_unit_test(real_numbers),
        cmocka_unit_test(depth_of_the_limit),
    };
    return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
