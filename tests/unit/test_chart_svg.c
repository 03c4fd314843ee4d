/* What becomes of gnuplot's SVG. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reports/chart_svg.h"

static void
adopt(const char *svg, const char *expected)
{
    struct buf out = {0};
    struct err err;

    assert_true(chart_svg_adopt(svg, "c", "a < b", &out, &err));
    assert_string_equal(buf_text(&out), expected);
    buf_free(&out);
}

#define HEAD                                                                                       \
    "<?xml version=\"1.0\"?>\n<svg \n viewBox=\"0 0 640 300\"\n xmlns=\"urn:x\">\n"                \
    "<title>Gnuplot</title>\n<g id=\"gnuplot_canvas\">\n"
#define OPEN                                                                                       \
    "<svg class=\"chart\" id=\"c\" viewBox=\"0 0 640 300\" role=\"img\" "                          \
    "aria-label=\"a &lt; b\">\n"                                                                   \
    "<g id=\"c-gnuplot_canvas\">\n"

static void
colours_become_variables(void **state)
{
    (void)state;
    adopt(HEAD
          "<path stroke='rgb(  1,   2,   6)' fill=\"rgb(1,2,4)\" x='rgb(9,9,9)'/>\n</g>\n</svg>\n",
          OPEN
          "<path stroke='var(--chart-6)' fill=\"var(--chart-4)\" x='rgb(9,9,9)'/>\n</g>\n</svg>\n");
}

static void
ids_are_of_this_chart(void **state)
{
    (void)state;
    adopt(HEAD "<use xlink:href='#gpPt5' id='gpPt6'/>\n</g>\n</svg>\n",
          OPEN "<use href='#c-gpPt5' id='c-gpPt6'/>\n</g>\n</svg>\n");
}

static void
scripts_become_titles(void **state)
{
    (void)state;
    adopt(HEAD "\t<g onmousemove=\"gnuplot_svg.showHypertext(evt,'8 users: 5 &lt; 6')\" "
               "onmouseout=\"gnuplot_svg.hideHypertext()\"><title> </title>\n</g>\n</g>\n</svg>\n",
          OPEN "<g><title>8 users: 5 &lt; 6</title>\n</g>\n</g>\n</svg>\n");
}

static void
empty_groups_go(void **state)
{
    (void)state;
    adopt(HEAD "<g fill=\"none\" color=\"black\" stroke-width=\"1.00\">\n</g>\n"
               "<g fill=\"none\" color=\"black\" stroke-width=\"1.00\">\n<path/>\n</g>\n\n"
               "\t<g id=\"gnuplot_plot_1\" ><title>mean</title>\n</g>\n</g>\n</svg>\n",
          OPEN "<g fill=\"none\" stroke-width=\"1.00\">\n<path/>\n</g>\n"
               "<g id=\"c-gnuplot_plot_1\" >\n</g>\n</g>\n</svg>\n");
}

static void
other_texts_are_refused(void **state)
{
    struct buf out = {0};
    struct err err;
    (void)state;

    assert_false(chart_svg_adopt("", "c", "", &out, &err));
    assert_int_equal(err.code, ERR_LOCAL);
    assert_false(chart_svg_adopt(HEAD "cut short", "c", "", &out, &err));
    assert_int_equal(out.length, 0);
    buf_free(&out);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colours_become_variables), cmocka_unit_test(ids_are_of_this_chart),
        cmocka_unit_test(scripts_become_titles),    cmocka_unit_test(empty_groups_go),
        cmocka_unit_test(other_texts_are_refused),
    };
    return cmocka_run_group_tests_name("chart_svg", tests, NULL, NULL);
}
