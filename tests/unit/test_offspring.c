/* Children that are orphans, stopped, or deaf to SIGTERM: all of them end. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "server/offspring.h"

/* A child of ours. */
static pid_t
sleeper(void)
{
    pid_t pid = fork();

    if (pid == 0)
        for (;;)
            pause();
    return pid;
}

static void
children_get_the_signal(void **state)
{
    int status;
    (void)state;

    assert_int_equal(offspring_signal(getpid(), SIGTERM), 0);
    pid_t a = sleeper(), b = sleeper();
    assert_int_equal(offspring_signal(getpid(), SIGTERM), 2);
    assert_int_equal(waitpid(a, &status, 0), a);
    assert_int_equal(WTERMSIG(status), SIGTERM);
    assert_int_equal(waitpid(b, &status, 0), b);
    assert_int_equal(offspring_signal(getpid(), SIGTERM), 0);
}

/* A child dies, its own child is stopped: that one becomes ours, and ends. */
static void
orphans_are_adopted_and_end(void **state)
{
    int ends[2], status;
    pid_t orphan = 0;
    (void)state;

    offspring_adopt();
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        pid_t grandchild = sleeper();
        kill(grandchild, SIGSTOP);
        _exit(write(ends[1], &grandchild, sizeof grandchild) != sizeof grandchild);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(read(ends[0], &orphan, sizeof orphan), sizeof orphan);
    assert_int_equal(kill(orphan, 0), 0);
    offspring_end(INT64_C(60000000));
    assert_int_equal(kill(orphan, 0), -1);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child at all */
    close(ends[0]);
    close(ends[1]);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(children_get_the_signal),
        cmocka_unit_test(orphans_are_adopted_and_end),
    };

    return cmocka_run_group_tests_name("offspring", tests, NULL, NULL);
}
