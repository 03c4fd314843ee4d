/* Signals, each in a process of its own: what they do cannot be undone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/interrupt.h"

/* Runs check in a child; what it returns, or 128 + the signal that ended it. */
static int
in_a_process(int (*check)(void))
{
    int status;
    pid_t pid = fork();

    if (pid == 0)
        _exit(check());
    assert_true(pid > 0 && waitpid(pid, &status, 0) == pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int
is_readable(void)
{
    struct pollfd watched = {interrupt_descriptor(), POLLIN, 0};

    return poll(&watched, 1, 0);
}

/* 0 when all is as it should be, else the number of the step that was not. */
static int
first_interrupt(void)
{
    struct err err = {0};

    interrupt_install();
    if (interrupt_signal() != 0 || is_readable() || interrupt_check(&err) || err.code != ERR_NONE)
        return 1;
    raise(SIGINT);
    if (interrupt_signal() != SIGINT || !is_readable() || !is_readable())
        return 2;
    if (!interrupt_check(&err) || err.code != ERR_INTERRUPTED)
        return 3;
    return strcmp(err.message, "interrupted") == 0 ? 0 : 4;
}

static int
first_termination(void)
{
    struct err err = {0};

    interrupt_install();
    raise(SIGTERM);
    return interrupt_check(&err) && err.code == ERR_TERMINATED ? 0 : 1;
}

static int
second_signal(void)
{
    interrupt_install();
    raise(SIGTERM);
    raise(SIGINT);
    return 1;
}

static int
second_installation(void)
{
    interrupt_install();
    int descriptor = interrupt_descriptor();
    interrupt_install();
    return interrupt_descriptor() != descriptor;
}

static int
closed_pipe(void)
{
    int ends[2];

    interrupt_install();
    if (pipe(ends) != 0)
        return 1;
    close(ends[0]);
    return write(ends[1], "x", 1) == -1 ? 0 : 2;
}

static void
first_signal_asks(void **state)
{
    (void)state;
    assert_int_equal(in_a_process(first_interrupt), 0);
    assert_int_equal(in_a_process(first_termination), 0);
    assert_int_equal(in_a_process(second_installation), 0);
}

static void
second_signal_ends_at_once(void **state)
{
    (void)state;
    assert_int_equal(in_a_process(second_signal), 130);
}

static void
closed_pipe_is_an_error_not_an_end(void **state)
{
    (void)state;
    assert_int_equal(in_a_process(closed_pipe), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_signal_asks),
        cmocka_unit_test(second_signal_ends_at_once),
        cmocka_unit_test(closed_pipe_is_an_error_not_an_end),
    };
    return cmocka_run_group_tests_name("interrupt", tests, NULL, NULL);
}
