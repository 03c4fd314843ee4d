/* The telling line of a server log, from real logs of initdb and postgres 15. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "server/server_log.h"

static char path[] = "/tmp/ordermill-unit-XXXXXX";

static const char *
reason_of(const char *log)
{
    static char reason[200];
    FILE *out = fopen(path, "w");

    assert_non_null(out);
    assert_true(fputs(log, out) >= 0);
    assert_int_equal(fclose(out), 0);
    server_log_reason(path, reason, sizeof reason);
    return reason;
}

static void
finds_the_failure(void **state)
{
    (void)state;
    assert_string_equal(
        reason_of("2026-01-02 03:04:05.678 UTC [77] LOG:  starting PostgreSQL 15.20\n"
                  "2026-01-02 03:04:05.679 UTC [77] FATAL:  could not map anonymous shared memory: "
                  "Cannot allocate memory\n"
                  "2026-01-02 03:04:05.680 UTC [77] LOG:  database system is shut down\n"),
        "FATAL:  could not map anonymous shared memory: Cannot allocate memory");
    assert_string_equal(reason_of("creating directory /x/data ... initdb: error: could not create "
                                  "directory \"/x\": No space left on device\n"
                                  "initdb: removing data directory \"/x/data\"\n"),
                        "error: could not create directory \"/x\": No space left on device");
}

static void
falls_back_to_the_last_line(void **state)
{
    (void)state;
    assert_string_equal(reason_of("one\ntwo\n\n"), "two");
    assert_string_equal(reason_of("no line feed"), "no line feed");
    assert_string_equal(reason_of(""), "its log is empty");
}

static void
reads_only_the_end_of_a_long_log(void **state)
{
    static char log[60000];
    char reason[8];
    size_t length = 0;

    (void)state;
    length += (size_t)snprintf(log, sizeof log, "FATAL:  long ago\n");
    while (length < sizeof log - 100)
        length += (size_t)snprintf(log + length, sizeof log - length, "LOG:  checkpoint\n");
    assert_string_equal(reason_of(log), "LOG:  checkpoint");
    server_log_reason(path, reason, sizeof reason);
    assert_string_equal(reason, "LOG:  c");
}

static void
survives_a_missing_log(void **state)
{
    char reason[100];

    (void)state;
    server_log_reason("/nonexistent/log", reason, sizeof reason);
    assert_string_equal(reason, "its log is empty");
}

static int
make_file(void **state)
{
    (void)state;
    return mkstemp(path) < 0;
}

static int
remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_failure),
        cmocka_unit_test(falls_back_to_the_last_line),
        cmocka_unit_test(reads_only_the_end_of_a_long_log),
        cmocka_unit_test(survives_a_missing_log),
    };
    return cmocka_run_group_tests_name("server_log", tests, make_file, remove_file);
}
