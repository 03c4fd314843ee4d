/* Files and folders, each test in a new temporary folder. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fs.h"

static char folder[64];
static struct arena arena;

static int
make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/ordermill-test-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int
remove_folder(void **state)
{
    struct err err;

    (void)state;
    arena_free(&arena);
    return fs_remove_tree(folder, &err) ? 0 : -1;
}

static int
entries(const char *path)
{
    DIR *dir = opendir(path);
    int count = 0;

    assert_non_null(dir);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count - 2; /* . and .. */
}

static void
what_is_written_is_read(void **state)
{
    const char *path = fs_join(&arena, folder, "file");
    struct buf out = {0};
    struct err err;
    struct stat info;

    (void)state;
    umask(0022);
    assert_true(fs_write(path, "a\0b", 3, &err));
    assert_true(fs_write(path, "other", 5, &err));
    assert_true(stat(path, &info) == 0);
    assert_int_equal(info.st_mode & 0777, 0640);
    buf_puts(&out, "before ");
    assert_true(fs_read(path, 5, &out, &err));
    assert_string_equal(out.data, "before other");
    assert_int_equal(entries(folder), 1);
    buf_free(&out);
}

static void
larger_than_the_limit_is_refused(void **state)
{
    const char *path = fs_join(&arena, folder, "file");
    struct buf out = {0};
    struct err err;
    char *expected = arena_printf(&arena, "\"%s\" is larger than 4 bytes", path);

    (void)state;
    assert_true(fs_write(path, "12345", 5, &err));
    assert_false(fs_read(path, 4, &out, &err));
    assert_int_equal(err.code, ERR_LOCAL);
    assert_string_equal(err.message, expected);
    buf_clear(&out);
    assert_true(fs_read("/proc/self/status", 1 << 20, &out, &err)); /* has a size of 0 */
    assert_non_null(strstr(out.data, "Pid:"));
    buf_free(&out);
}

static void
a_move_writes_over_nothing(void **state)
{
    const char *from = fs_join(&arena, folder, "from"), *to = fs_join(&arena, folder, "to");
    struct buf out = {0};
    struct err err;
    (void)state;

    assert_true(fs_write(from, "new", 3, &err));
    assert_true(fs_write(to, "old", 3, &err));
    assert_false(fs_move(from, to, &err));
    assert_string_equal(err.message, arena_printf(&arena, "cannot write \"%s\": File exists", to));
    assert_true(fs_read(to, 10, &out, &err));
    assert_string_equal(buf_text(&out), "old");
    assert_true(fs_exists(from));
    assert_true(fs_move(from, fs_join(&arena, folder, "free"), &err));
    assert_false(fs_exists(from));
    buf_clear(&out);
    assert_true(fs_read(fs_join(&arena, folder, "free"), 10, &out, &err));
    assert_string_equal(buf_text(&out), "new");
    buf_free(&out);
}

static void
failures_name_the_path(void **state)
{
    struct buf out = {0};
    struct err err;
    const char *missing = fs_join(&arena, folder, "no/file");

    (void)state;
    assert_false(fs_read(missing, 10, &out, &err));
    assert_string_equal(
        err.message,
        arena_printf(&arena, "cannot open \"%s\": No such file or directory", missing));
    assert_false(fs_write(missing, "x", 1, &err));
    assert_string_equal(
        err.message,
        arena_printf(&arena, "cannot write \"%s\": No such file or directory", missing));
    assert_false(fs_read(folder, 10, &out, &err));
    assert_int_equal(err.code, ERR_LOCAL);
    /* Onto a folder: the rename fails, and the temporary file must go. */
    const char *sub = fs_join(&arena, folder, "sub");
    assert_true(fs_make_folder(sub, &err));
    assert_false(fs_write(sub, "x", 1, &err));
    assert_int_equal(entries(folder), 1);
    buf_free(&out);
}

static void
folders_with_their_parents(void **state)
{
    const char *deep = fs_join(&arena, folder, "a/b//c/");
    const char *file = fs_join(&arena, folder, "f");
    struct err err;

    (void)state;
    assert_true(fs_make_folder(deep, &err));
    assert_true(fs_make_folder(deep, &err));
    assert_true(fs_exists(fs_join(&arena, folder, "a/b/c")));
    assert_true(fs_check_room(deep, 100000, &err));
    assert_int_equal(entries(deep), 0);
    assert_true(fs_write(file, "", 0, &err));
    assert_false(fs_make_folder(fs_join(&arena, file, "x"), &err));
    assert_false(fs_make_folder(file, &err));
    assert_string_equal(
        err.message, arena_printf(&arena, "cannot make the folder \"%s\": Not a directory", file));
    assert_false(fs_check_room(file, 1, &err));
    assert_false(fs_check_room(fs_join(&arena, folder, "none"), 1, &err));
}

static void
removal_does_not_follow_links(void **state)
{
    const char *tree = fs_join(&arena, folder, "tree");
    const char *outside = fs_join(&arena, folder, "outside");
    struct err err;

    (void)state;
    assert_true(fs_make_folder(fs_join(&arena, tree, "x/y"), &err));
    assert_true(fs_write(fs_join(&arena, tree, "x/file"), "1", 1, &err));
    assert_true(fs_make_folder(outside, &err));
    assert_true(fs_write(fs_join(&arena, outside, "keep"), "1", 1, &err));
    assert_int_equal(symlink(outside, fs_join(&arena, tree, "x/link")), 0);
    assert_int_equal(symlink("/nowhere", fs_join(&arena, tree, "dangling")), 0);
    assert_true(fs_remove_tree(tree, &err));
    assert_false(fs_exists(tree));
    assert_true(fs_exists(fs_join(&arena, outside, "keep")));
    assert_true(fs_remove_tree(tree, &err)); /* nothing there is fine */
    assert_true(fs_remove_tree(fs_join(&arena, outside, "keep"), &err));
    assert_int_equal(entries(outside), 0);
}

static void
paths_are_joined(void **state)
{
    (void)state;
    assert_string_equal(fs_join(&arena, "a", "b"), "a/b");
    assert_string_equal(fs_join(&arena, "a/", "b"), "a/b");
    assert_string_equal(fs_join(&arena, "", "b"), "b");
    assert_string_equal(fs_join(&arena, "/", "b"), "/b");
}

static void
programs_are_found_on_the_path(void **state)
{
    const char *tool = fs_join(&arena, folder, "tool");
    struct err err;

    (void)state;
    char *saved = arena_strdup(&arena, getenv("PATH"));
    assert_true(fs_write(tool, "", 0, &err));
    setenv("PATH", arena_printf(&arena, "/nowhere::%s", folder), 1);
    assert_null(fs_find_program(&arena, "tool")); /* not executable */
    assert_int_equal(chmod(tool, 0755), 0);
    assert_string_equal(fs_find_program(&arena, "tool"), tool);
    assert_string_equal(fs_find_program(&arena, tool), tool);
    assert_null(fs_find_program(&arena, "."));
    /* An empty part is not the current folder. */
    assert_int_equal(chdir(folder), 0);
    setenv("PATH", ":/nowhere", 1);
    assert_null(fs_find_program(&arena, "tool"));
    unsetenv("PATH");
    assert_null(fs_find_program(&arena, "tool"));
    setenv("PATH", saved, 1);
    assert_int_equal(chdir("/"), 0);
}

#define IN_FOLDER(f) cmocka_unit_test_setup_teardown(f, make_folder, remove_folder)

static void
names_come_in_order(void **state)
{
    static const char *const made[] = {"b", "a", ".hidden", "c"};
    const char **names;
    struct err err;
    int count;

    (void)state;
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        assert_true(fs_make_folder(fs_join(&arena, folder, made[i]), &err));
    assert_true(fs_list(&arena, folder, 3, &names, &count, &err));
    assert_int_equal(count, 3);
    assert_string_equal(names[0], "a");
    assert_string_equal(names[2], "c");
    assert_false(fs_list(&arena, folder, 2, &names, &count, &err));
    assert_false(fs_list(&arena, fs_join(&arena, folder, "nowhere"), 9, &names, &count, &err));
    assert_int_equal(err.code, ERR_LOCAL);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(names_come_in_order, make_folder, remove_folder),
        IN_FOLDER(what_is_written_is_read),
        IN_FOLDER(larger_than_the_limit_is_refused),
        IN_FOLDER(a_move_writes_over_nothing),
        IN_FOLDER(failures_name_the_path),
        IN_FOLDER(folders_with_their_parents),
        IN_FOLDER(removal_does_not_follow_links),
        IN_FOLDER(paths_are_joined),
        IN_FOLDER(programs_are_found_on_the_path),
    };
    return cmocka_run_group_tests_name("fs", tests, NULL, NULL);
}
