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
room_needed(void **state)
{
    (void)state;
    /* 8 MB, and for each of ten steps 64 kB and 100 times 4 kB. */
    assert_true(run_folder_need(0, 100000000) == 8388608);
    assert_true(run_folder_need(10, 100000000) == 8388608 + 10 * (65536 + 100 * 4096));
}

static void
made_with_parents_and_private(void **state)
{
    const char *path = fs_join(&arena, base, "a/b/c");
    struct run_folder folder;
    struct stat info;
    struct err err = {0};

    (void)state;
    umask(0);
    assert_true(run_folder_make(&folder, path, 1000, &err));
    assert_true(folder.made);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0750);
    assert_true(fs_write(fs_join(&arena, path, "file"), "x", 1, &err));
    assert_int_equal(stat(fs_join(&arena, path, "file"), &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
    run_folder_close(&folder);
    assert_false(fs_exists(fs_join(&arena, path, RUN_LOCK_FILE)));
}

static void
empty_folder_is_taken(void **state)
{
    struct run_folder folder;
    struct err err = {0};

    (void)state;
    assert_true(run_folder_make(&folder, base, 1000, &err));
    assert_false(folder.made);
    run_folder_discard(&folder);
    assert_true(fs_exists(base));
}

static void
refused(void **state)
{
    const char *file = fs_join(&arena, base, "file");
    struct run_folder folder;
    struct err err = {0};

    (void)state;
    assert_true(fs_write(file, "x", 1, &err));
    assert_false(run_folder_make(&folder, base, 1000, &err));
    assert_string_equal(err.message, arena_printf(&arena, "\"%s\" is not empty", base));
    assert_int_equal(err.code, ERR_LOCAL);
    assert_false(run_folder_make(&folder, file, 1000, &err));
    assert_string_equal(
        err.message,
        arena_printf(&arena, "cannot use \"%s\" for the results: Not a directory", file));
    assert_false(run_folder_make(&folder, "/proc/ordermill", 1000, &err));
    assert_string_equal(err.message,
                        "cannot make the folder \"/proc/ordermill\": No such file or directory");
    assert_int_equal(symlink("/nonexistent/x", fs_join(&arena, base, "link")), 0);
    assert_false(run_folder_make(&folder, fs_join(&arena, base, "link"), 1000, &err));
    assert_int_equal(err.code, ERR_LOCAL);
    assert_false(run_folder_reopen(&folder, base, &err));
    assert_string_equal(
        err.message,
        arena_printf(&arena, "\"%s\" is not the folder of a run: it has no run.sqlite", base));
}

/* More than any disk has. */
static void
no_room(void **state)
{
    const char *path = fs_join(&arena, base, "run");
    struct run_folder folder;
    struct err err = {0};

    (void)state;
    assert_false(run_folder_make(&folder, path, INT64_C(1) << 60, &err));
    assert_int_equal(err.code, ERR_LOCAL);
    assert_non_null(strstr(err.message, "has no room for the"));
    assert_false(fs_exists(path));
}

static void
discarded(void **state)
{
    const char *path = fs_join(&arena, base, "run");
    struct run_folder folder;
    struct err err = {0};

    (void)state;
    assert_true(run_folder_make(&folder, path, 1000, &err));
    assert_true(fs_write(fs_join(&arena, path, "run.sqlite"), "x", 1, &err));
    run_folder_discard(&folder);
    assert_false(fs_exists(path));
    assert_true(run_folder_make(&folder, path, 1000, &err));
    assert_true(fs_write(fs_join(&arena, path, "notes"), "x", 1, &err));
    run_folder_discard(&folder);
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
        cmocka_unit_test(room_needed),
        cmocka_unit_test_setup_teardown(no_room, set_up, tear_down),
        cmocka_unit_test_setup_teardown(discarded, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("run_folder", tests, NULL, NULL);
}
