/* What a build's state is called, and the stamp of the procedures. Reading the bookkeeping is
 * tested against a server. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/build.h"

static void
described(void **state)
{
    struct build_info info = {.state = BUILD_NO_SCHEMA};
    char text[256];

    (void)state;
    build_describe(&info, "s", text, sizeof text);
    assert_string_equal(text, "schema \"s\" does not exist");
    info.state = BUILD_EMPTY;
    build_describe(&info, "s", text, sizeof text);
    assert_string_equal(text, "schema \"s\" is empty");
    info.state = BUILD_COMPLETE;
    info.warehouses = 1;
    build_describe(&info, "s", text, sizeof text);
    assert_string_equal(text, "schema \"s\" holds 1 warehouse");
    info.warehouses = 10;
    build_describe(&info, "s", text, sizeof text);
    assert_string_equal(text, "schema \"s\" holds 10 warehouses");
    info.state = BUILD_UNFINISHED;
    info.warehouses_loaded = 3;
    build_describe(&info, "s", text, sizeof text);
    assert_string_equal(text, "schema \"s\" is unfinished: 3 of 10 warehouses, no indexes yet");
    info.phases[BUILD_INDEXES] = true;
    build_describe(&info, "s", text, sizeof text);
    assert_string_equal(text, "schema \"s\" is unfinished: 3 of 10 warehouses, indexed");
}

static void
cut_to_size(void **state)
{
    struct build_info info = {.state = BUILD_FOREIGN, .found = "a, b"};
    char text[16];

    (void)state;
    build_describe(&info, "schema", text, sizeof text);
    assert_string_equal(text, "schema \"schema\"");
}

static void
refused_with_the_command_that_helps(void **state)
{
    struct build_info info = {.state = BUILD_UNFINISHED, .warehouses = 2};
    struct err err;

    (void)state;
    assert_false(build_refuse(NULL, "ordermill", &info, &err));
    assert_int_equal(err.code, ERR_SERVER);
    assert_string_equal(err.hint, "ordermill load --resume completes it");
    assert_false(build_refuse(NULL, "sales", &info, &err));
    assert_string_equal(err.hint, "ordermill load --schema 'sales' --resume completes it");
    info =
        (struct build_info){.state = BUILD_OTHER_LAYOUT, .kit_version = "9", .layout_version = 9};
    assert_false(build_refuse(NULL, "ordermill", &info, &err));
    assert_string_equal(err.hint, "ordermill load -w N --replace builds it anew");
}

static void
ours(void **state)
{
    static const bool expected[] = {
        [BUILD_NO_SCHEMA] = false,   [BUILD_EMPTY] = false,     [BUILD_FOREIGN] = false,
        [BUILD_OTHER_LAYOUT] = true, [BUILD_UNFINISHED] = true, [BUILD_COMPLETE] = true};

    (void)state;
    for (int i = BUILD_NO_SCHEMA; i <= BUILD_COMPLETE; i++) {
        struct build_info info = {.state = (enum build_state)i};

        assert_int_equal(build_is_ours(&info), expected[i]);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(described),
        cmocka_unit_test(cut_to_size),
        cmocka_unit_test(refused_with_the_command_that_helps),
        cmocka_unit_test(ours),
    };
    return cmocka_run_group_tests_name("build", tests, NULL, NULL);
}
