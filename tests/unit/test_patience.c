/* When waiting ends: by the limit, by a signal (in a process of its own: it cannot be undone). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/clock.h"
#include "common/interrupt.h"
#include "common/patience.h"

static void
endless_without_limit(void **state)
{
    struct err err = {0};

    (void)state;
    patience_limit(0);
    assert_true(patience_until_us(5) == INT64_MAX);
    assert_false(patience_lost(0, &err));
    assert_int_equal(err.code, ERR_NONE);
}

static void
the_limit_ends_it(void **state)
{
    struct err err = {0};
    int ends[2];

    (void)state;
    patience_limit(clock_monotonic_us() - 1);
    assert_true(patience_lost(0, &err));
    assert_int_equal(err.code, ERR_SERVER);
    assert_string_equal(err.message, "no answer within the limit of time");
    assert_int_equal(pipe(ends), 0);
    assert_false(patience_readable(ends[0], 0));
    assert_int_equal(write(ends[1], "x", 1), 1);
    assert_true(patience_readable(ends[0], 0));
    close(ends[0]);
    close(ends[1]);
    patience_limit(0);
}

/* 0 when all is as it should be, else the number of what is not. */
static int
after_a_signal(void)
{
    int64_t before_us = clock_monotonic_us();
    struct err err = {0};

    interrupt_install();
    if (interrupt_at_us() != 0 || patience_until_us(before_us) != INT64_MAX)
        return 1;
    raise(SIGINT);
    int64_t at_us = interrupt_at_us();
    if (at_us < before_us || at_us > clock_monotonic_us())
        return 2;
    /* A wait from before has so long from the signal, one that begins after it from there. */
    if (patience_until_us(before_us) != at_us + PATIENCE_AFTER_SIGNAL_US)
        return 3;
    if (patience_until_us(at_us + 5000) != at_us + 5000 + PATIENCE_AFTER_SIGNAL_US)
        return 4;
    /* Late ones have less, but never nothing. */
    if (patience_until_us(at_us + 2500000) != at_us + 3500000 ||
        patience_until_us(at_us + 3400000) != at_us + 3700000 ||
        patience_until_us(at_us + 60000000) != at_us + 60300000)
        return 7;
    patience_limit(at_us + 7);
    if (patience_until_us(before_us) != at_us + 7)
        return 5;
    while (clock_monotonic_us() < at_us + 7)
        continue;
    return patience_lost(before_us, &err) && err.code == ERR_INTERRUPTED ? 0 : 6;
}

static void
a_signal_ends_it(void **state)
{
    int status;

    (void)state;
    pid_t pid = fork();
    if (pid == 0)
        _exit(after_a_signal());
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static atomic_int worked, forgotten;
static int gate[2];

static void
work(void *context)
{
    atomic_fetch_add(&worked, *(int *)context);
}

static void
work_behind_a_gate(void *context)
{
    char byte;
    ssize_t got = read(gate[0], &byte, 1);

    (void)got;
    work(context);
}

static void
forget(void *context)
{
    atomic_fetch_add(&forgotten, *(int *)context);
}

static void
errands(void **state)
{
    int number = 7;

    (void)state;
    assert_true(patience_run(work, forget, &number));
    assert_int_equal(atomic_load(&worked), 7);
    assert_int_equal(atomic_load(&forgotten), 0);
    /* What does not end in time is left to itself, and forgotten when it does end. */
    assert_int_equal(pipe(gate), 0);
    patience_limit(clock_monotonic_us() - 1);
    assert_false(patience_run(work_behind_a_gate, forget, &number));
    assert_int_equal(atomic_load(&forgotten), 0);
    assert_int_equal(write(gate[1], "x", 1), 1);
    while (atomic_load(&forgotten) == 0)
        usleep(1000);
    assert_int_equal(atomic_load(&worked), 14);
    patience_limit(0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(endless_without_limit),
        cmocka_unit_test(the_limit_ends_it),
        cmocka_unit_test(a_signal_ends_it),
        cmocka_unit_test(errands),
    };
    return cmocka_run_group_tests_name("patience", tests, NULL, NULL);
}
