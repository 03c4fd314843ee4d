/* Messages, and above all what must never be in one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/err.h"

static void
error_is_set_and_false(void **state)
{
    struct err err = {.code = ERR_SERVER, .sqlstate = "40P01", .hint = "old"};

    (void)state;
    assert_false(err_set(&err, ERR_USAGE, "--jobs: \"%d\" is below 1", 0));
    assert_int_equal(err.code, ERR_USAGE);
    assert_string_equal(err.message, "--jobs: \"0\" is below 1");
    assert_string_equal(err.sqlstate, "");
    assert_string_equal(err.hint, "");
}

static void
hint_and_prefix_keep_the_rest(void **state)
{
    struct err err;

    (void)state;
    err_set(&err, ERR_PROFILE, "\"0\" is below 1");
    err_hint(&err, "use at least %d", 1);
    assert_false(err_prefix(&err, "ramp.xml:%d", 12));
    assert_string_equal(err.message, "ramp.xml:12: \"0\" is below 1");
    assert_string_equal(err.hint, "use at least 1");
    assert_int_equal(err.code, ERR_PROFILE);
}

static void
message_may_quote_itself(void **state)
{
    struct err err;

    (void)state;
    err_set(&err, ERR_LOCAL, "inner");
    err_set(&err, ERR_LOCAL, "outer (%s)", err.message);
    assert_string_equal(err.message, "outer (inner)");
}

static void
message_is_one_printable_line(void **state)
{
    struct err err;

    (void)state;
    err_set(&err, ERR_SERVER, "FATAL:  one\nDETAIL:\ttwo\033[31m\n\n");
    assert_string_equal(err.message, "FATAL:  one DETAIL: two?[31m");
}

static void
long_message_is_cut_between_characters(void **state)
{
    struct err err;
    static char text[3000];

    (void)state;
    /* Two bytes each, beginning at an odd offset: byte 1022 would be half of one. */
    for (size_t i = 0; i + 2 < sizeof text; i += 2)
        memcpy(text + i, "\xC3\xA4", 2);
    err_set(&err, ERR_LOCAL, "%s", text);
    assert_int_equal(strlen(err.message), 1022);
    err_set(&err, ERR_LOCAL, "x%s", text);
    assert_int_equal(strlen(err.message), 1023);
    err_set(&err, ERR_LOCAL, "%s", "");
    assert_string_equal(err.message, "");
}

static void
scrubs_to(const char *text, const char *expected)
{
    char copy[512];

    snprintf(copy, sizeof copy, "%s", text);
    err_scrub(copy, sizeof copy);
    assert_string_equal(copy, expected);
}

static void
assigned_passwords(void **state)
{
    (void)state;
    scrubs_to("host=h password=tiger user=u", "host=h password=*** user=u");
    scrubs_to("password=x", "password=***");
    scrubs_to("password = tiger user=u", "password = *** user=u");
    scrubs_to("password='ti ger' user=u", "password=*** user=u");
    scrubs_to("password='ti\\'ger x' user=u", "password=*** user=u");
    scrubs_to("password=ti\\ ger user=u", "password=*** user=u");
    scrubs_to("password='never closed user=u", "password=***");
    scrubs_to("password=\"ti ger\" user=u", "password=*** user=u");
    scrubs_to("password=\"ti ger", "password=*** ger");
    scrubs_to("PASSWORD=a sslpassword=b", "PASSWORD=*** sslpassword=***");
    scrubs_to("postgresql://h/db?password=a&b", "postgresql://h/db?password=***");
    scrubs_to("postgresql://h/db?p%61ss%77ORD=a", "postgresql://h/db?p%61ss%77ORD=***");
    scrubs_to("oauth_client_secret=a user=u", "oauth_client_secret=*** user=u");
    scrubs_to("100%password%=1 %pass%7word=x", "100%password%=1 %pass%7word=x");
    scrubs_to("password=", "password=");
    scrubs_to("password authentication failed", "password authentication failed");
}

static void
passwords_in_uris(void **state)
{
    (void)state;
    scrubs_to("postgresql://u:tiger@h:5432/db", "postgresql://u:***@h:5432/db");
    scrubs_to("\"postgres://u:ti@ger@h/db\" x", "\"postgres://u:***@h/db\" x");
    scrubs_to("postgres://u:ti@ger@h?x=a@b", "postgres://u:***@h?x=a@b");
    scrubs_to("postgres://u:ti@ger@h and a@b", "postgres://u:***@h and a@b");
    scrubs_to("postgres://u:ti:ger@h/db", "postgres://u:***@h/db");
    scrubs_to("postgres://:tiger@h/db", "postgres://:***@h/db");
    scrubs_to("postgres://u:ti?ger@h/db", "postgres://u:***@h/db");
    scrubs_to("postgres://u:ti/ger@h/db", "postgres://u:***@h/db");
    scrubs_to("postgres://u:p1@h/a postgres://u:p2@h/b",
              "postgres://u:***@h/a postgres://u:***@h/b");
    scrubs_to("postgres://u@h:5432/db", "postgres://u@h:5432/db");
    scrubs_to("postgres://h:5432/db?user=a@b", "postgres://h:5432/db?user=a@b");
    scrubs_to("https://host/path", "https://host/path");
}

static void
pieces_that_libpq_quotes(void **state)
{
    (void)state;
    scrubs_to("invalid percent-encoded token: \"ti%zzger\"",
              "invalid percent-encoded token: \"***\"");
    scrubs_to("invalid percent-encoded token: \"ti\"%zz\"",
              "invalid percent-encoded token: \"***\"");
    scrubs_to("forbidden value %00 in percent-encoded value: \"ti%00\"",
              "forbidden value %00 in percent-encoded value: \"***\"");
    scrubs_to("missing \"=\" after \"ger\" in connection info string",
              "missing \"=\" after \"***\" in connection info string");
    scrubs_to("invalid integer value \"ti\" for connection option \"port\"",
              "invalid integer value \"***\" for connection option \"port\"");
    scrubs_to("invalid port number: \"ti\"", "invalid port number: \"***\"");
    scrubs_to("invalid integer value \"x\" for connection option \"keepalives\"",
              "invalid integer value \"x\" for connection option \"keepalives\"");
    scrubs_to("could not translate host name \"ger@h\" to address: unknown",
              "could not translate host name \"***@h\" to address: unknown");
    scrubs_to("connection to server at \"localhost\" (::1), port 1 failed",
              "connection to server at \"localhost\" (::1), port 1 failed");
    scrubs_to("connection to server on socket \"@dir/.s.PGSQL.1\" failed",
              "connection to server on socket \"@dir/.s.PGSQL.1\" failed");
}

static void
remembered_secrets(void **state)
{
    struct err err;
    char filler[1021];

    (void)state;
    err_secret(NULL);
    err_secret("ab"); /* too short to be replaced */
    err_secret("s3cret");
    err_secret("s3cret-longer");
    err_secret("s3cret");
    scrubs_to("x s3cret y s3cret", "x *** y ***");
    scrubs_to("s3cret-longer", "***");
    scrubs_to("ab", "ab");

    /* One that crosses the end of the message must not leave its beginning there. */
    memset(filler, 'f', sizeof filler - 1);
    filler[sizeof filler - 1] = '\0';
    err_set(&err, ERR_SERVER, "%ss3cret", filler);
    assert_null(strstr(err.message, "s3"));
    assert_string_equal(err.message + 1020, "***");
    err_hint(&err, "try s3cret");
    assert_string_equal(err.hint, "try ***");
    err_set(&err, ERR_SERVER, "cret");
    err_prefix(&err, "s3");
    assert_string_equal(err.message, "s3: cret");
}

static void
scrubbing_keeps_to_the_size(void **state)
{
    char exact[] = "password=x";

    (void)state;
    err_scrub(exact, sizeof exact);
    assert_string_equal(exact, "password=*");
    char empty[1] = "";
    err_scrub(empty, sizeof empty);
    assert_string_equal(empty, "");
}

static void
at_most_sixteen_secrets(void **state)
{
    char secret[32];

    (void)state;
    for (int i = 0; i < 20; i++) {
        snprintf(secret, sizeof secret, "secret#%02d#", i);
        err_secret(secret);
    }
    /* Two were there before. */
    scrubs_to("secret#00# secret#13# secret#14#", "*** *** secret#14#");
}

static void
duplicates_are_copies(void **state)
{
    char text[] = "text";
    char *copy = must_strdup(text);

    (void)state;
    assert_ptr_not_equal(copy, text);
    assert_string_equal(copy, "text");
    free(copy);
    free(must_malloc(0));
    char *zeroed = must_calloc(3, 5);
    assert_memory_equal(zeroed, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 15);
    zeroed = must_realloc(zeroed, 100);
    assert_memory_equal(zeroed, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 15);
    free(zeroed);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(error_is_set_and_false),
        cmocka_unit_test(hint_and_prefix_keep_the_rest),
        cmocka_unit_test(message_may_quote_itself),
        cmocka_unit_test(message_is_one_printable_line),
        cmocka_unit_test(long_message_is_cut_between_characters),
        cmocka_unit_test(assigned_passwords),
        cmocka_unit_test(passwords_in_uris),
        cmocka_unit_test(pieces_that_libpq_quotes),
        cmocka_unit_test(remembered_secrets),
        cmocka_unit_test(scrubbing_keeps_to_the_size),
        cmocka_unit_test(at_most_sixteen_secrets),
        cmocka_unit_test(duplicates_are_copies),
    };
    return cmocka_run_group_tests_name("err", tests, NULL, NULL);
}
