/* One table in its forms: what people read, what programs read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "reports/table.h"

static struct arena arena;

static const struct table_column columns[] = {
    {"name", "name", COLUMN_LEFT, 0, NULL},
    {"count", "count", 0, 0, NULL},
    {"nopm", "NOPM", 0, 0, NULL},
    {"low", "95 % interval", 0, 0, NULL},
    {"high", "95 % interval", COLUMN_UPPER, 0, NULL},
    {"share_percent", "share", 0, 1, "%"},
    {"p95_us", "p95", 0, 0, NULL},
    {"verdict", "verdict", COLUMN_LEFT, 0, NULL},
};

static struct table *
make(const char *name)
{
    struct table *table =
        table_make(&arena, "levels", "level", columns, sizeof columns / sizeof columns[0], 2);

    table_row(table, NULL);
    table_text(table, name);
    table_count(table, 1234567);
    table_rate(table, 15303.96);
    table_bound(table, 14904.6);
    table_bound(table, 15702.4);
    table_real(table, 5.06);
    table_us(table, 12345);
    table_outcome(table, VERDICT_NOT_TESTED);
    table_row(table, "void");
    table_word(table, "b");
    table_count(table, -1);
    table_rate(table, 0);
    table_none(table, "one run");
    table_none(table, "");
    table_real(table, NAN);
    table_us(table, 0);
    table_outcome(table, VERDICT_FAIL);
    return table;
}

static int
forget(void **state)
{
    (void)state;
    arena_free(&arena);
    return 0;
}

static void
people_read_rounded_figures(void **state)
{
    static const char *const expected[] = {"a",      "1,234,567", "15,303", "14,905",
                                           "15,702", "5.1 %",     "12.3ms", "NOT TESTED"};
    const struct table *table = make("a");
    (void)state;

    for (int i = 0; i < table->columns_count; i++) {
        struct buf text = {0};
        table_cell_text(table, 0, i, &text);
        assert_string_equal(buf_text(&text), expected[i]);
        buf_free(&text);
    }
    struct buf text = {0};
    table_cell_text(table, 1, 3, &text);
    assert_string_equal(buf_text(&text), "one run");
    buf_clear(&text);
    table_cell_text(table, 1, 5, &text);
    assert_string_equal(buf_text(&text), "not available");
    buf_free(&text);
}

static void
nothing_has_no_sign(void **state)
{
    struct table *table =
        table_make(&arena, "levels", "level", columns, sizeof columns / sizeof columns[0], 1);
    struct buf text = {0};
    (void)state;

    table_row(table, NULL);
    for (int i = 0; i < 5; i++)
        table_none(table, "");
    table_real(table, -0.04);
    table_cell_text(table, 0, 5, &text);
    assert_string_equal(buf_text(&text), "0.0 %");
    buf_free(&text);
}

static void
csv_is_raw_and_quoted(void **state)
{
    struct buf out = {0};
    (void)state;

    table_csv(make("say \"a, b\"\nand c"), &out);
    assert_string_equal(buf_text(&out),
                        "name,count,nopm,low,high,share_percent,p95_us,verdict\r\n"
                        "\"say \"\"a, b\"\"\nand c\",1234567,15304.0,14904.6,15702.4,5.1,12345,"
                        "NOT TESTED\r\n"
                        "b,-1,0.0,,,,0,FAIL\r\n");
    buf_free(&out);
}

static void
no_text_is_a_formula(void **state)
{
    static const char *const texts[] = {"=1+1", "+1", "-1", "@x", "\t=1"};
    (void)state;

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct buf out = {0};
        table_csv(make(texts[i]), &out);
        const char *row = strchr(buf_text(&out), '\n') + 1;
        assert_int_equal(row[0], '"');
        assert_int_equal(row[1], '\'');
        buf_free(&out);
    }
}

static void
xml_leaves_out_what_is_missing(void **state)
{
    struct buf out = {0};
    (void)state;

    table_xml(make("<a> & \"b\" \x1b"), &out);
    assert_string_equal(
        buf_text(&out),
        "  <levels>\n"
        "    <level name=\"&lt;a&gt; &amp; &quot;b&quot; \xef\xbf\xbd\" count=\"1234567\" "
        "nopm=\"15304.0\" low=\"14904.6\" high=\"15702.4\" share_percent=\"5.1\" p95_us=\"12345\" "
        "verdict=\"NOT TESTED\"/>\n"
        "    <level name=\"b\" count=\"-1\" nopm=\"0.0\" p95_us=\"0\" verdict=\"FAIL\"/>\n"
        "  </levels>\n");
    buf_free(&out);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(people_read_rounded_figures, forget),
        cmocka_unit_test_teardown(nothing_has_no_sign, forget),
        cmocka_unit_test_teardown(csv_is_raw_and_quoted, forget),
        cmocka_unit_test_teardown(no_text_is_a_formula, forget),
        cmocka_unit_test_teardown(xml_leaves_out_what_is_missing, forget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
