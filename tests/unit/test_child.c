/* Starting and waiting for child processes. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "server/child.h"

#define LONG_US INT64_C(60000000)

static pid_t
start(const char *script, const struct child_options *options)
{
    const char *argv[] = {"sh", "-c", script, NULL};
    struct err err;
    pid_t pid = child_start(argv, options, &err);

    assert_true(pid > 0);
    return pid;
}

static int
exit_code_of(const char *script, const struct child_options *options)
{
    int status;

    assert_int_equal(child_wait(start(script, options), NULL, 0, LONG_US, &status), CHILD_ENDED);
    return child_exit_code(status);
}

static void
tells_the_exit_code(void **state)
{
    const struct child_options plain = {0};

    (void)state;
    assert_int_equal(exit_code_of("exit 0", &plain), 0);
    assert_int_equal(exit_code_of("exit 42", &plain), 42);
    assert_int_equal(exit_code_of("kill -9 $$", &plain), 137);
    assert_int_equal(exit_code_of("kill -TERM $$", &plain), 143);
}

static void
adds_variables(void **state)
{
    const struct child_options options = {.variables = "ONE=1\0TWO=a b\0"};

    (void)state;
    assert_int_equal(exit_code_of("test \"$ONE/$TWO\" = '1/a b'", &options), 0);
    assert_null(getenv("ONE"));
}

static void
redirects(void **state)
{
    char path[] = "/tmp/ordermill-unit-XXXXXX";
    struct child_options options = {.input = "/dev/null"};
    char text[32] = "";

    (void)state;
    close(mkstemp(path));
    options.output = path;
    assert_int_equal(exit_code_of("cat; echo out; echo err >&2", &options), 0);
    assert_int_equal(exit_code_of("echo more", &options), 0);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    text[fread(text, 1, sizeof text - 1, in)] = '\0';
    fclose(in);
    unlink(path);
    assert_string_equal(text, "out\nerr\nmore\n");
}

static void
says_what_cannot_run(void **state)
{
    const char *argv[] = {"/nonexistent/program", NULL};
    const struct child_options plain = {0};
    struct err err;

    (void)state;
    assert_int_equal(child_start(argv, &plain, &err), -1);
    assert_int_equal(err.code, ERR_LOCAL);
    assert_string_equal(err.message, "cannot run /nonexistent/program: No such file or directory");
}

static void
waits_for_the_first_event(void **state)
{
    const struct child_options plain = {0};
    pid_t pid = start("exec sleep 60", &plain);
    int ends[2], status;

    (void)state;
    assert_int_equal(pipe(ends), 0);
    struct pollfd fd = {.fd = ends[0], .events = POLLIN};
    assert_int_equal(child_wait(pid, &fd, 1, 1000, &status), CHILD_TIMEOUT);
    assert_int_equal(child_wait(pid, &fd, 1, 0, &status), CHILD_TIMEOUT);
    assert_int_equal(write(ends[1], "x", 1), 1);
    assert_int_equal(child_wait(pid, &fd, 1, -1, &status), CHILD_DESCRIPTOR);
    kill(pid, SIGKILL);
    assert_int_equal(child_wait(pid, NULL, 0, -1, &status), CHILD_ENDED);
    assert_int_equal(child_exit_code(status), 137);
    close(ends[0]);
    close(ends[1]);
}

/* What we ignore or block ourselves must not reach the child, or its pipes never break. */
static void
resets_signals(void **state)
{
    const struct child_options plain = {0};
    sigset_t term;

    (void)state;
    signal(SIGPIPE, SIG_IGN);
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    sigprocmask(SIG_BLOCK, &term, NULL);
    assert_int_equal(exit_code_of("kill -PIPE $$; exit 1", &plain), 141);
    assert_int_equal(exit_code_of("kill -TERM $$; exit 1", &plain), 143);
    sigprocmask(SIG_UNBLOCK, &term, NULL);
    signal(SIGPIPE, SIG_DFL);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_the_exit_code),
        cmocka_unit_test(adds_variables),
        cmocka_unit_test(redirects),
        cmocka_unit_test(says_what_cannot_run),
        cmocka_unit_test(waits_for_the_first_event),
        cmocka_unit_test(resets_signals),
    };
    return cmocka_run_group_tests_name("child", tests, NULL, NULL);
}
