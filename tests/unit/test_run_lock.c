/* The lock of a run folder: one process at a time, and none that is dead. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/fs.h"
#include "profiles/run_lock.h"

static char folder[64];

static int
set_up(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/ordermill-test-XXXXXX");
    assert_non_null(mkdtemp(folder));
    return 0;
}

static int
tear_down(void **state)
{
    struct err err;

    (void)state;
    assert_true(fs_remove_tree(folder, &err));
    return 0;
}

/* A child that has the lock, and waits to be killed. */
static pid_t
child_with_lock(void)
{
    int ready[2];
    char byte;

    assert_int_equal(pipe(ready), 0);
    pid_t pid = fork();
    if (pid == 0) {
        struct err err;
        byte = run_lock_take(folder, &err) ? '+' : '-';
        ssize_t written = write(ready[1], &byte, 1);
        (void)written;
        pause();
        _exit(0);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(byte, '+');
    close(ready[0]);
    close(ready[1]);
    return pid;
}

static void
one_at_a_time(void **state)
{
    char host[128] = "", wanted[300];
    struct err err = {0};

    (void)state;
    pid_t pid = child_with_lock();
    assert_null(run_lock_take(folder, &err));
    assert_int_equal(err.code, ERR_LOCAL);
    assert_int_equal(gethostname(host, sizeof host - 1), 0);
    snprintf(wanted, sizeof wanted, "\"%s\" is in use by another ordermill: process %ld on %s",
             folder, (long)pid, host);
    assert_string_equal(err.message, wanted);
    /* What a dead process has left does not keep anybody out. */
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    struct run_lock *lock = run_lock_take(folder, &err);
    assert_non_null(lock);
    assert_null(run_lock_take(folder, &err));
    run_lock_release(lock);
    lock = run_lock_take(folder, &err);
    assert_non_null(lock);
    run_lock_release(lock);
}

static void
no_folder_no_lock(void **state)
{
    struct err err = {0};

    (void)state;
    assert_null(run_lock_take("/nonexistent/folder", &err));
    assert_string_equal(err.message, "cannot create \"/nonexistent/folder/run.lock\": No such file "
                                     "or directory");
    run_lock_release(NULL);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_at_a_time, set_up, tear_down),
        cmocka_unit_test(no_folder_no_lock),
    };
    return cmocka_run_group_tests_name("run_lock", tests, NULL, NULL);
}
