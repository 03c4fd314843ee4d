/* Programs that behave, and programs that do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <signal.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/fs.h"

#define LONG_US INT64_C(60000000)
#define LIMIT   ((size_t)1 << 20)

static struct buf output;
static struct err err;

static int
ignore_pipes(void **state)
{
    (void)state;
    return signal(SIGPIPE, SIG_IGN) == SIG_ERR;
}

static int
forget_output(void **state)
{
    (void)state;
    buf_free(&output);
    return 0;
}

/* The shell stands in for programs here; the code under test uses none. */
static bool
run_script(const char *script, const struct buf *input, size_t limit, int64_t timeout_us)
{
    const char *argv[] = {"sh", "-c", script, NULL};

    return fs_run_program(argv, input, limit, timeout_us, &output, &err);
}

static void
arguments_reach_the_program_as_they_are(void **state)
{
    const char *argv[] = {"printf", "%s|", "a b", "$HOME", "*", "'", NULL};

    (void)state;
    assert_true(fs_run_program(argv, NULL, LIMIT, LONG_US, &output, &err));
    assert_string_equal(output.data, "a b|$HOME|*|'|");
}

/* Far more than a pipe holds, both ways at once: whoever writes first and reads later hangs. */
static void
much_input_and_output_at_once(void **state)
{
    const char *argv[] = {"cat", NULL};
    struct buf input = {0};

    (void)state;
    for (int i = 0; i < 100000; i++)
        buf_printf(&input, "%09d\n", i);
    assert_true(fs_run_program(argv, &input, LIMIT, LONG_US, &output, &err));
    assert_int_equal(output.length, input.length);
    assert_memory_equal(output.data, input.data, input.length);
    buf_free(&input);
}

static void
input_may_be_left_unread(void **state)
{
    struct buf input = {0};

    (void)state;
    memset(buf_reserve(&input, LIMIT), 'x', LIMIT);
    input.length = LIMIT;
    assert_true(run_script("exec <&-; echo done", &input, LIMIT, LONG_US));
    assert_string_equal(output.data, "done\n");
    buf_clear(&output);
    assert_true(run_script("cat", NULL, LIMIT, LONG_US)); /* no input: end of file at once */
    assert_int_equal(output.length, 0);
    buf_free(&input);
}

static void
failures_quote_the_first_line_of_stderr(void **state)
{
    const char *missing[] = {"ordermill-no-such-program", NULL};

    (void)state;
    assert_false(run_script("echo first >&2; echo second >&2; exit 3", NULL, LIMIT, LONG_US));
    assert_int_equal(err.code, ERR_LOCAL);
    assert_string_equal(err.message, "sh: exit status 3: first");
    assert_false(run_script("exit 1", NULL, LIMIT, LONG_US));
    assert_string_equal(err.message, "sh: exit status 1");
    assert_false(run_script("kill -9 $$", NULL, LIMIT, LONG_US));
    assert_string_equal(err.message, "sh: ended by signal 9");
    assert_false(fs_run_program(missing, NULL, LIMIT, LONG_US, &output, &err));
    assert_string_equal(err.message,
                        "cannot run ordermill-no-such-program: No such file or directory");
}

/* The shell waits for sleep, which holds the pipes; both must be killed. */
static void
slow_programs_are_killed_with_their_children(void **state)
{
    int64_t begin_us = clock_monotonic_us();

    (void)state;
    assert_false(run_script("echo busy >&2; sleep 600; true", NULL, LIMIT, 100000));
    assert_string_equal(err.message, "sh: did not end within 100ms: busy");
    assert_true(clock_monotonic_us() - begin_us >= 100000);
}

static void
too_much_output_is_refused(void **state)
{
    (void)state;
    assert_false(run_script("yes", NULL, 1000, LONG_US));
    assert_string_equal(err.message, "sh: printed more than 1000 bytes");
    assert_int_equal(output.length, 1000);
    buf_clear(&output);
    assert_true(run_script("printf 12345", NULL, 5, LONG_US));
    assert_string_equal(output.data, "12345");
    buf_clear(&output);
    /* Of stderr the beginning is enough. */
    assert_false(run_script("printf 1234567890 >&2; exit 1", NULL, 5, LONG_US));
    assert_string_equal(err.message, "sh: exit status 1: 12345");
}

/* As pg_ctl does: the program ends, a child of it lives on and holds the pipes. */
static void
children_left_behind_are_not_waited_for(void **state)
{
    (void)state;
    assert_true(run_script("sleep 600 & echo $!", NULL, LIMIT, LONG_US));
    pid_t left = (pid_t)strtol(output.data, NULL, 10);
    assert_true(left > 1);
    assert_int_equal(kill(left, SIGKILL), 0); /* it was alive */
}

static void
no_descriptor_is_inherited(void **state)
{
    int ends[2];

    (void)state;
    assert_int_equal(pipe(ends), 0); /* without close-on-exec */
    assert_true(run_script("ls /proc/$$/fd; :", NULL, LIMIT, LONG_US));
    close(ends[0]);
    close(ends[1]);
    assert_string_equal(output.data, "0\n1\n2\n");
}

static void
signals_are_as_a_program_expects_them(void **state)
{
    sigset_t all, before;

    (void)state;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    bool ok = run_script("sed -nE 's/^Sig(Blk|Ign):.//p' /proc/self/status", NULL, LIMIT, LONG_US);
    sigprocmask(SIG_SETMASK, &before, NULL);
    assert_true(ok);
    /* Two masks; 1..31 are the signals programs know, beyond are the C library's own. */
    char *next = output.data;
    for (int i = 0; i < 2; i++)
        assert_true((strtoull(next, &next, 16) & 0x7FFFFFFF) == 0);
    assert_string_equal(next, "\n");
}

static char path[64];
static size_t printed;

static bool
run_into(const char *script, size_t limit, int64_t timeout_us)
{
    const char *argv[] = {"sh", "-c", script, NULL};

    return fs_run_program_into(argv, path, limit, timeout_us, &printed, &err);
}

/* All that is in the file. */
static const char *
in_file(void)
{
    buf_clear(&output);
    assert_true(fs_read(path, LIMIT, &output, &err));
    return buf_text(&output);
}

/* It has printed, and waits for a word: what it printed is in the file by then. */
static void
output_is_in_the_file_as_it_comes(void **state)
{
    char script[256];

    (void)state;
    snprintf(path, sizeof path, "/tmp/test_fs_program-%ld", (long)getpid());
    snprintf(script, sizeof script, "echo first; head -n 1 %s; echo second", path);
    assert_true(run_into(script, LIMIT, LONG_US));
    assert_string_equal(in_file(), "first\nfirst\nsecond\n");
    assert_int_equal(printed, 19);
    /* The next one's comes after it, and that of a child that it leaves behind. */
    assert_true(run_into("(sleep 0.2; echo left) & echo third", LIMIT, LONG_US));
    assert_int_equal(printed, 6);
    for (int i = 0; i < 100 && !strstr(in_file(), "left"); i++)
        clock_sleep_us(100000);
    assert_string_equal(in_file(), "first\nfirst\nsecond\nthird\nleft\n");
    unlink(path);
}

static void
what_is_in_the_file_of_programs_that_fail(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "/tmp/test_fs_program-%ld", (long)getpid());
    assert_false(run_into("echo before; echo why >&2; exit 4", LIMIT, LONG_US));
    assert_string_equal(err.message, "sh: exit status 4: why");
    assert_false(run_into("echo slow; sleep 600", LIMIT, 100000));
    assert_string_equal(err.message, "sh: did not end within 100ms");
    assert_string_equal(in_file(), "before\nslow\n");
    assert_false(run_into("yes", 1000, LONG_US));
    assert_string_equal(err.message, "sh: printed more than 1000 bytes");
    assert_int_equal(printed, 1000);
    assert_int_equal(strlen(in_file()), 12 + 1000);
    assert_true(run_into("printf 12345", 5, LONG_US));
    assert_false(run_into("printf 123456", 5, LONG_US));
    unlink(path);
    snprintf(path, sizeof path, "/nowhere/file");
    assert_false(run_into("echo", LIMIT, LONG_US));
    assert_string_equal(err.message, "cannot create \"/nowhere/file\": No such file or directory");
    assert_int_equal(printed, 0);
}

#define FORGETTING(f) cmocka_unit_test_teardown(f, forget_output)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        FORGETTING(arguments_reach_the_program_as_they_are),
        FORGETTING(much_input_and_output_at_once),
        FORGETTING(input_may_be_left_unread),
        FORGETTING(failures_quote_the_first_line_of_stderr),
        FORGETTING(slow_programs_are_killed_with_their_children),
        FORGETTING(too_much_output_is_refused),
        FORGETTING(children_left_behind_are_not_waited_for),
        FORGETTING(no_descriptor_is_inherited),
        FORGETTING(signals_are_as_a_program_expects_them),
        FORGETTING(output_is_in_the_file_as_it_comes),
        FORGETTING(what_is_in_the_file_of_programs_that_fail),
    };
    return cmocka_run_group_tests_name("fs_program", tests, ignore_pipes, NULL);
}
