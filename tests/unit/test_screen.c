/* The screen of a running profile: what it says, and that it fits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profiles/screen.h"

static const struct screen_level levels[] = {{1, 10000}, {2, 20000}, {4, 40000}, {8, 30000}};

static struct screen
some_screen(void)
{
    return (struct screen){.name = "ramp",
                           .step = 7,
                           .steps = 21,
                           .load = "8 virtual users, repeat 2",
                           .phase = "measuring",
                           .in_phase_us = 45000000,
                           .phase_us = 60000000,
                           .done_us = 600000000,
                           .left_us = 1800000000,
                           .rate = 41234.5,
                           .unit = "NOPM",
                           .new_order_p95_us = 12300,
                           .failed = 3,
                           .levels = levels,
                           .levels_count = 4,
                           .virtual_users = 8,
                           .last = {"step 6: 30,100 NOPM", "step 5: 40,000 NOPM"},
                           .last_count = 2};
}

static void
everything_is_said(void **state)
{
    struct screen screen = some_screen();
    struct buf out = {0};

    (void)state;
    screen_render(&screen, 80, 24, &out);
    /* The longest bar has 79 - 28 = 51 columns: 40,000; the others 1/4, 1/2 and 3/4 of that. */
    assert_string_equal(buf_text(&out),
                        "ordermill: ramp, step 7 of 21\n"
                        "8 virtual users, repeat 2\n"
                        "measuring  [######################--------] 0:45, 0:15 left\n"
                        "profile    [#######-----------------------] 10:00, 30:00 left\n"
                        "now: 41,234 NOPM, new-order p95 12.3ms, 3 failed\n"
                        "\n"
                        "  users NOPM so far\n"
                        "      1 |############# 10,000\n"
                        "      2 |########################## 20,000\n"
                        "      4 |################################################### 40,000\n"
                        ">     8 |###################################### 30,000\n"
                        "last steps\n"
                        "  step 6: 30,100 NOPM\n"
                        "  step 5: 40,000 NOPM");
    buf_free(&out);
}

static void
assert_fits(const char *text, int width, int height)
{
    int lines = 1, columns = 0;

    for (; *text; text++) {
        columns = *text == '\n' ? 0 : columns + 1;
        lines += *text == '\n';
        assert_true(columns < width);
    }
    assert_true(lines < height);
}

/* Whatever the size, with as many levels as there can be. */
static void
every_size_fits(void **state)
{
    struct screen_level many[64];
    struct screen screen = some_screen();

    (void)state;
    for (int i = 0; i < 64; i++)
        many[i] = (struct screen_level){i + 1, 1000.0 * (i + 1)};
    screen.levels = many;
    screen.levels_count = 64;
    screen.virtual_users = 40;
    for (int width = 2; width < 130; width++) {
        for (int height = 2; height < 90; height++) {
            struct buf out = {0};
            screen_render(&screen, width, height, &out);
            assert_fits(buf_text(&out), width, height);
            buf_free(&out);
        }
    }
    struct buf out = {0};
    screen_render(&screen, 80, 24, &out);
    assert_non_null(strstr(buf_text(&out), "NOPM so far, 14 of 64 levels"));
    assert_non_null(strstr(buf_text(&out), "\n>    40 |"));
    assert_non_null(strstr(buf_text(&out), "\nlast steps\n  step 6"));
    assert_null(strstr(buf_text(&out), "\n      1 |"));
    buf_free(&out);
}

/* The times left are what one looks for: where there is no room for all, the bars give way. */
static void
narrow_terminals_show_the_times(void **state)
{
    struct screen screen = some_screen();
    struct buf out = {0};

    (void)state;
    screen_render(&screen, 40, 10, &out);
    assert_string_equal(buf_text(&out), "ordermill: ramp, step 7 of 21\n"
                                        "8 virtual users, repeat 2\n"
                                        "measuring  [#######---] 0:45, 0:15 left\n"
                                        "profile    [##------] 10:00, 30:00 left\n"
                                        "now: 41,234 NOPM, new-order p95 12.3ms,\n"
                                        "  users NOPM so far, 1 of 4 levels\n"
                                        ">     8 |######## 30,000\n"
                                        "last steps\n"
                                        "  step 6: 30,100 NOPM");
    buf_clear(&out);
    screen_render(&screen, 30, 10, &out);
    assert_non_null(strstr(buf_text(&out), "\nmeasuring  0:45, 0:15 left\n"
                                           "profile    10:00, 30:00 left\n"));
    buf_free(&out);
}

static void
a_search_may_end_before(void **state)
{
    struct screen screen = some_screen();
    struct buf out = {0};

    (void)state;
    screen.at_most = true;
    screen_render(&screen, 80, 24, &out);
    assert_non_null(strstr(buf_text(&out), "ordermill: ramp, step 7 of at most 21\n"));
    assert_non_null(strstr(buf_text(&out), "] 10:00, at most 30:00 left\n"));
    buf_free(&out);
}

static void
beginning_without_figures(void **state)
{
    struct screen screen = some_screen();
    struct buf out = {0};

    (void)state;
    screen.levels_count = screen.last_count = 0;
    screen.phase = "connecting";
    screen.phase_us = screen.new_order_p95_us = 0;
    screen.name = "a\tb";
    screen_render(&screen, 80, 24, &out);
    assert_string_equal(buf_text(&out),
                        "ordermill: a?b, step 7 of 21\n"
                        "8 virtual users, repeat 2\n"
                        "connecting 0:45\n"
                        "profile    [#######-----------------------] 10:00, 30:00 left\n"
                        "now: 41,234 NOPM, new-order p95 -, 3 failed");
    buf_free(&out);
}

/* A probe counts calls: no word of NOPM, and no percentile of new-orders. */
static void
a_probe_has_its_own_unit(void **state)
{
    struct screen screen = some_screen();
    struct buf out = {0};

    (void)state;
    screen.unit = "TPM";
    screen.new_order_p95_us = -1;
    screen.last_count = 0;
    screen_render(&screen, 80, 24, &out);
    assert_non_null(strstr(buf_text(&out), "\nnow: 41,234 TPM, 3 failed\n"));
    assert_non_null(strstr(buf_text(&out), "\n  users TPM so far\n"));
    assert_null(strstr(buf_text(&out), "NOPM"));
    assert_null(strstr(buf_text(&out), "new-order"));
    buf_free(&out);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_is_said),
        cmocka_unit_test(every_size_fits),
        cmocka_unit_test(narrow_terminals_show_the_times),
        cmocka_unit_test(a_search_may_end_before),
        cmocka_unit_test(beginning_without_figures),
        cmocka_unit_test(a_probe_has_its_own_unit),
    };
    return cmocka_run_group_tests_name("screen", tests, NULL, NULL);
}
