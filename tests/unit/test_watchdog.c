/* The watchdog ends a process that is far past its limit, and leaves others alone. Each in a
 * process of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/clock.h"
#include "common/err.h"
#include "profiles/watchdog.h"

static int
in_a_process(int (*check)(void))
{
    int status;
    pid_t pid = fork();

    if (pid == 0)
        _exit(check());
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int
far_past(void)
{
    close(STDERR_FILENO);
    watchdog_start();
    watchdog_watch("the test", clock_monotonic_us() - WATCHDOG_GRACE_US - 1);
    sleep(60);
    return 0;
}

static int
within_grace(void)
{
    watchdog_start();
    watchdog_watch("the test", clock_monotonic_us() - 1000000);
    sleep(3);
    watchdog_stop();
    return 0;
}

static void
ends_what_does_not_end(void **state)
{
    (void)state;
    assert_int_equal(in_a_process(far_past), ERR_LOCAL);
    assert_int_equal(in_a_process(within_grace), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ends_what_does_not_end)};
    return cmocka_run_group_tests_name("watchdog", tests, NULL, NULL);
}
