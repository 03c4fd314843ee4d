/* What arrives on stderr, byte by byte, through a pipe and through a terminal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <pty.h>
#include <termios.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/log.h"

static int saved_stderr, reader;

/* Puts a new descriptor in place of stderr; what is written there can be read from `reader`. */
static void
redirect(int write_end, int read_end)
{
    saved_stderr = dup(STDERR_FILENO);
    assert_true(saved_stderr >= 0 && dup2(write_end, STDERR_FILENO) == STDERR_FILENO);
    close(write_end);
    reader = read_end;
    assert_int_equal(fcntl(reader, F_SETFL, O_NONBLOCK), 0);
    log_init(LOG_NORMAL);
}

static void
use_pipe(void)
{
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    redirect(ends[1], ends[0]);
}

static void
use_terminal(unsigned short columns)
{
    int master, slave;
    struct winsize size = {.ws_row = 24, .ws_col = columns};
    struct termios raw;

    assert_int_equal(openpty(&master, &slave, NULL, NULL, &size), 0);
    assert_int_equal(tcgetattr(slave, &raw), 0);
    cfmakeraw(&raw); /* bytes come out as they went in */
    assert_int_equal(tcsetattr(slave, TCSANOW, &raw), 0);
    setenv("TERM", "xterm", 1);
    redirect(slave, master);
}

/* All that has been written; ends the redirection. Both kinds of descriptor deliver at once. */
static const char *
written(void)
{
    static char text[65536];
    size_t length = 0;
    ssize_t got;

    while ((got = read(reader, text + length, sizeof text - 1 - length)) > 0)
        length += (size_t)got;
    text[length] = '\0';
    log_progress_end();
    dup2(saved_stderr, STDERR_FILENO);
    close(saved_stderr);
    close(reader);
    return text;
}

static void
say_all(void)
{
    log_detail("detail %d", 1);
    log_info("info %d", 2);
    log_warning("warning %d", 3);
}

static void
levels_choose_what_is_said(void **state)
{
    (void)state;
    use_pipe();
    assert_int_equal(log_level(), LOG_NORMAL);
    say_all();
    assert_string_equal(written(), "info 2\nordermill: warning: warning 3\n");
    use_pipe();
    log_init(LOG_QUIET);
    say_all();
    log_progress("progress");
    assert_string_equal(written(), "ordermill: warning: warning 3\n");
    use_pipe();
    log_init(LOG_VERBOSE);
    say_all();
    assert_string_equal(written(), "detail 1\ninfo 2\nordermill: warning: warning 3\n");
}

static void
errors_give_the_exit_status(void **state)
{
    struct err err;

    (void)state;
    err_set(&err, ERR_SERVER, "permission denied");
    use_pipe();
    log_init(LOG_QUIET);
    int status = log_error(&err);
    assert_string_equal(written(), "ordermill: permission denied\n");
    assert_int_equal(status, 5);

    err_hint(&err, "ask the owner");
    memcpy(err.sqlstate, "42501", 6);
    use_pipe();
    log_error(&err);
    assert_string_equal(written(), "ordermill: permission denied\nhint: ask the owner\n");
    use_pipe();
    log_init(LOG_VERBOSE);
    log_error(&err);
    assert_string_equal(written(),
                        "ordermill: permission denied\nsqlstate: 42501\nhint: ask the owner\n");
}

static void
every_line_is_scrubbed(void **state)
{
    (void)state;
    err_secret("hunter2");
    use_terminal(80);
    log_info("a hunter2 b");
    log_warning("password=%s", "x");
    log_progress("p://u:%s@h", "hunter2");
    assert_string_equal(written(),
                        "a *** b\nordermill: warning: password=***\n\rp://u:***@h\033[K");
}

static void
progress_on_a_pipe_is_plain_and_rare(void **state)
{
    (void)state;
    use_pipe();
    int64_t begin_us = clock_monotonic_us();
    for (int i = 0; i < 100; i++)
        log_progress("at %d", i);
    int64_t intervals = (clock_monotonic_us() - begin_us) / 10000000;
    const char *text = written();
    assert_true(strncmp(text, "at 0\n", 5) == 0);
    int lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    assert_in_range(lines, 1, 1 + intervals);

    use_pipe();
    log_progress("one");
    log_progress_end(); /* the next progress is another matter, and told at once */
    log_progress("two");
    assert_string_equal(written(), "one\ntwo\n");
}

static void
progress_on_a_terminal_is_redrawn(void **state)
{
    (void)state;
    use_terminal(80);
    int64_t begin_us = clock_monotonic_us();
    for (int i = 0; i < 1000; i++)
        log_progress("at %d", i);
    int64_t intervals = (clock_monotonic_us() - begin_us) / 100000;
    const char *text = written();
    assert_true(strncmp(text, "\rat 0\033[K", 8) == 0);
    assert_null(strchr(text, '\n'));
    int draws = 0;
    for (; *text; text++)
        draws += *text == '\r';
    assert_in_range(draws, 1, 1 + intervals);
}

static void
other_lines_do_not_run_into_progress(void **state)
{
    struct err err;

    (void)state;
    use_terminal(80);
    log_progress("50 %%");
    log_info("line");
    log_info("line");
    log_progress("51 %%");
    log_progress_end();
    log_progress("52 %%");
    err_set(&err, ERR_LOCAL, "full");
    log_error(&err);
    assert_string_equal(written(), "\r50 %\033[K"
                                   "\r\033[Kline\n"
                                   "line\n"
                                   "\r51 %\033[K"
                                   "\r\033[K"
                                   "\r52 %\033[K"
                                   "\r\033[Kordermill: full\n");
}

static void
progress_never_wraps(void **state)
{
    (void)state;
    use_terminal(10);
    log_progress("123456789");
    assert_string_equal(written(), "\r123456789\033[K");
    use_terminal(10);
    log_progress("1234567890");
    assert_string_equal(written(), "\r123456789\033[K");
    use_terminal(10);
    log_progress(
        "\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4");
    assert_string_equal(
        written(),
        "\r\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\033[K");
}

static void
dumb_terminals_get_plain_lines(void **state)
{
    (void)state;
    use_terminal(80);
    assert_true(log_is_terminal());
    setenv("TERM", "dumb", 1);
    assert_false(log_is_terminal());
    log_progress("at 1");
    assert_string_equal(written(), "at 1\n");
}

static void *
say_often(void *argument)
{
    (void)argument;
    for (int i = 0; i < 100; i++) {
        log_info("a whole line");
        log_progress("p");
    }
    return NULL;
}

static void
lines_of_threads_stay_whole(void **state)
{
    pthread_t threads[4];
    int lines = 0;

    (void)state;
    use_pipe();
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, say_often, NULL), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    const char *text = written();
    while (*text) {
        size_t length = strcspn(text, "\n");
        if (length == strlen("a whole line")) {
            assert_true(strncmp(text, "a whole line\n", length + 1) == 0);
            lines++;
        } else {
            assert_true(strncmp(text, "p\n", 2) == 0);
        }
        text += length + 1;
    }
    assert_int_equal(lines, 400);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_choose_what_is_said),
        cmocka_unit_test(errors_give_the_exit_status),
        cmocka_unit_test(every_line_is_scrubbed),
        cmocka_unit_test(progress_on_a_pipe_is_plain_and_rare),
        cmocka_unit_test(progress_on_a_terminal_is_redrawn),
        cmocka_unit_test(other_lines_do_not_run_into_progress),
        cmocka_unit_test(progress_never_wraps),
        cmocka_unit_test(dumb_terminals_get_plain_lines),
        cmocka_unit_test(lines_of_threads_stay_whole),
    };
    return cmocka_run_group_tests_name("log", tests, NULL, NULL);
}
