/* Which PostgreSQL is found, with stand-ins for its programs. */
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
#include "server/installation.h"

static char folder[] = "/tmp/ordermill-unit-XXXXXX";
static struct arena arena;

static void
put_program(const char *name, const char *script)
{
    const char *path = fs_join(&arena, folder, name);
    struct err err;

    assert_true(fs_write(path, script, strlen(script), &err));
    assert_int_equal(chmod(path, 0700), 0);
}

static void
reads_the_version(void **state)
{
    struct installation installation;
    struct err err;

    (void)state;
    put_program("initdb", "#!/bin/sh\n");
    put_program("postgres",
                "#!/bin/sh\necho 'postgres (PostgreSQL) 19beta1 (Debian 19~beta1-1)'\n");
    assert_true(installation_find(&installation, &arena, folder, &err));
    assert_string_equal(installation.bindir, folder);
    assert_string_equal(installation.version, "19beta1 (Debian 19~beta1-1)");
    assert_int_equal(installation.version_major, 19);

    /* The supervisor works in another folder, so a relative one is made absolute. */
    assert_int_equal(chdir(folder), 0);
    assert_true(installation_find(&installation, &arena, ".", &err));
    assert_string_equal(installation.bindir, folder);
    assert_int_equal(chdir("/"), 0);
}

static void
refuses_a_folder_without_programs(void **state)
{
    struct installation installation;
    struct err err;

    (void)state;
    assert_false(installation_find(&installation, &arena, "/nonexistent", &err));
    assert_int_equal(err.code, ERR_LOCAL);
    assert_string_equal(err.message, "no initdb and postgres in /nonexistent");
}

static void
refuses_a_server_that_says_no_version(void **state)
{
    struct installation installation;
    struct err err;

    (void)state;
    put_program("initdb", "#!/bin/sh\n");
    put_program("postgres", "#!/bin/sh\necho hello\n");
    assert_false(installation_find(&installation, &arena, folder, &err));
    assert_int_equal(err.code, ERR_LOCAL);
    assert_non_null(strstr(err.message, "--version printed \"hello\""));
}

static int
make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL;
}

static int
remove_folder(void **state)
{
    struct err err;

    (void)state;
    arena_free(&arena);
    return fs_remove_tree(folder, &err) ? 0 : -1;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_the_version),
        cmocka_unit_test(refuses_a_folder_without_programs),
        cmocka_unit_test(refuses_a_server_that_says_no_version),
    };
    return cmocka_run_group_tests_name("installation", tests, make_folder, remove_folder);
}
