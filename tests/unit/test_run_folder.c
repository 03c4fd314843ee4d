/* The run folder: its name, who may read it, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/fs.h"
#include "profiles/run_folder.h"

static char base[64];
static struct arena arena;

static int
set_up(void **state)
{
    (void)state;
    snprintf(base, sizeof base, "/tmp/ordermill-test-XXXXXX");
    assert_non_null(mkdtemp(base));
    return 0;
}

static int
tear_down(void **state)
{
    struct err err;

    (void)state;
    assert_true(fs_remove_tree(base, &err));
    arena_free(&arena);
    return 0;
}

static void
name_from_profile_and_time(void **state)
{
    (void)state;
    /* 2026-03-01T12:34:56Z */
    assert_string_equal(run_folder_name(&arena, "ramp", INT64_C(1772368496) * 1000000 + 999999),
                        "./ordermill-runs/ramp-20260301-123456");
}

static void
made_with_parents_and_private(void **state)
{
    const char *path = fs_join(&arena, base, "a/b/c");
    struct stat info;
    struct err err = {0};
    bool made = false;

    (void)state;
    umask(0);
    assert_true(run_folder_make(path, &made, &err));
    assert_true(made);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0750);
    assert_true(fs_write(fs_join(&arena, path, "file"), "x", 1, &err));
    assert_int_equal(stat(fs_join(&arena, path, "file"), &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
}

static void
empty_folder_is_taken(void **state)
{
    struct err err = {0};
    bool made = true;

    (void)state;
    assert_true(run_folder_make(base, &made, &err));
    assert_false(made);
    run_folder_discard(base, made);
    assert_true(fs_exists(base));
}

static void
refused(void **state)
{
    const char *file = fs_join(&arena, base, "file");
    struct err err = {0};
    bool made;

    (void)state;
    assert_true(fs_write(file, "x", 1, &err));
    assert_false(run_folder_make(base, &made, &err));
    assert_string_equal(err.message, arena_printf(&arena, "\"%s\" is not empty", base));
    assert_int_equal(err.code, ERR_LOCAL);
    assert_false(run_folder_make(file, &made, &err));
    assert_string_equal(
        err.message,
        arena_printf(&arena, "cannot use \"%s\" for the results: Not a directory", file));
    assert_false(run_folder_make("/proc/ordermill", &made, &err));
    assert_string_equal(err.message,
                        "cannot make the folder \"/proc/ordermill\": No such file or directory");
    assert_int_equal(symlink("/nonexistent/x", fs_join(&arena, base, "link")), 0);
    assert_false(run_folder_make(fs_join(&arena, base, "link"), &made, &err));
    assert_int_equal(err.code, ERR_LOCAL);
}

static void
discarded(void **state)
{
    const char *path = fs_join(&arena, base, "run");
    struct err err = {0};
    bool made = false;

    (void)state;
    assert_true(run_folder_make(path, &made, &err));
    assert_true(fs_write(fs_join(&arena, path, "run.sqlite"), "x", 1, &err));
    run_folder_discard(path, made);
    assert_false(fs_exists(path));
    assert_true(run_folder_make(path, &made, &err));
    assert_true(fs_write(fs_join(&arena, path, "notes"), "x", 1, &err));
    run_folder_discard(path, made);
    assert_true(fs_exists(fs_join(&arena, path, "notes")));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(name_from_profile_and_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(made_with_parents_and_private, set_up, tear_down),
        cmocka_unit_test_setup_teardown(empty_folder_is_taken, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(discarded, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("run_folder", tests, NULL, NULL);
}
