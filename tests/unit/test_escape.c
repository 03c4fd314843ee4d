/* Foreign texts in reports: nothing of them is ever markup, and a line stays as wide as promised.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reports/escape.h"

#define BAD "\xef\xbf\xbd"

static void
html_is(const char *text, const char *expected)
{
    struct buf out = {0};

    escape_html(&out, text);
    assert_string_equal(buf_text(&out), expected);
    buf_free(&out);
}

static void
markup_is_text(void **state)
{
    (void)state;
    html_is("", "");
    html_is("<script>alert('x')</script>", "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;");
    html_is("a & b \"c\"", "a &amp; b &quot;c&quot;");
    html_is("&lt;", "&amp;lt;");
}

static void
characters_survive(void **state)
{
    (void)state;
    html_is("M\xc3\xbcnchen \xe2\x82\xac \xf0\x9f\x90\x98",
            "M\xc3\xbcnchen \xe2\x82\xac \xf0\x9f\x90\x98");
    html_is("two\nlines\tand", "two lines and");
}

static void
what_is_no_character_is_replaced(void **state)
{
    (void)state;
    html_is("\x1b[31m", BAD "[31m"); /* terminal control */
    html_is("a\xff"
            "b",
            "a" BAD "b");                         /* no UTF-8 at all */
    html_is("\xc3", BAD);                         /* cut short */
    html_is("\xc0\xbc", BAD BAD);                 /* an overlong < */
    html_is("\xe0\x80\xbc", BAD BAD BAD);         /* the same in three bytes */
    html_is("\xed\xa0\x80", BAD BAD BAD);         /* half a surrogate pair */
    html_is("\xf4\x90\x80\x80", BAD BAD BAD BAD); /* beyond U+10FFFF */
    html_is("\xc2\x85", BAD BAD);                 /* a C1 control */
    html_is("\xef\xbf\xbf", BAD BAD BAD);         /* U+FFFF, which XML forbids */
    html_is("\x7f", BAD);
}

static void
line_is(const char *text, size_t columns, const char *expected)
{
    struct buf out = {0};

    escape_line(&out, text, columns);
    assert_string_equal(buf_text(&out), expected);
    assert_true(escape_columns(buf_text(&out)) <= columns);
    buf_free(&out);
}

static void
lines_keep_their_width(void **state)
{
    (void)state;
    line_is("abcdef", 6, "abcdef");
    line_is("abcdef", 5, "abcd\xe2\x80\xa6");
    line_is("\xc3\xa4\xc3\xb6\xc3\xbc", 3, "\xc3\xa4\xc3\xb6\xc3\xbc");
    line_is("\xc3\xa4\xc3\xb6\xc3\xbc", 2, "\xc3\xa4\xe2\x80\xa6");
    line_is("\x1b"
            "c\nd",
            4, BAD "c d");
    line_is("abc", 0, "");
    assert_int_equal(escape_columns("\xc3\xa4\xff"
                                    "b"),
                     3);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(markup_is_text),
        cmocka_unit_test(characters_survive),
        cmocka_unit_test(what_is_no_character_is_replaced),
        cmocka_unit_test(lines_keep_their_width),
    };
    return cmocka_run_group_tests_name("escape", tests, NULL, NULL);
}
