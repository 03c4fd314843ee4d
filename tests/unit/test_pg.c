/* The parts of pg.h that need no server: quoting, connection strings, failures to connect. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/pg.h"

static void
test_quote_identifier(void **state)
{
    (void)state;
    struct arena arena = {0};
    assert_string_equal(pg_quote_identifier(&arena, "plain"), "\"plain\"");
    assert_string_equal(pg_quote_identifier(&arena, "My \"odd\" name"), "\"My \"\"odd\"\" name\"");
    assert_string_equal(pg_quote_identifier(&arena, "it's\\"), "\"it's\\\"");
    arena_free(&arena);
}

static void
test_quote_literal(void **state)
{
    (void)state;
    struct arena arena = {0};
    assert_string_equal(pg_quote_literal(&arena, ""), "''");
    assert_string_equal(pg_quote_literal(&arena, "it's"), "'it''s'");
    assert_string_equal(pg_quote_literal(&arena, "a\"b"), "'a\"b'");
    assert_string_equal(pg_quote_literal(&arena, "a\\'b"), "E'a\\\\''b'");
    arena_free(&arena);
}

/* Tries to make a target of this connection string and to connect; returns the error. */
static struct err
try_connect(const char *dbname)
{
    struct settings settings;
    struct err err = {0};
    settings_init(&settings);
    assert_true(settings_set(&settings, SET_DBNAME, dbname, SETTING_OPTION, &err));
    struct pg_target *target = pg_target_new(&settings, &err);
    struct pg *pg = target ? pg_connect(target, "test", &err) : NULL;
    assert_null(pg);
    pg_target_free(target);
    settings_free(&settings);
    return err;
}

static void
test_malformed_strings_keep_the_secret(void **state)
{
    (void)state;
    static const char *const strings[] = {
        "postgres://user:sesame%zz@localhost/db",
        "host=localhost password=open sesame dbname=db",
        "host=localhost password='sesame",
        "postgresql://user:sesame@[::1/db",
        "host=localhost password=p\"q sesame dbname=db",
        "host=localhost password=\"se\"same\" op\"en\"sesame\" dbname=db",
        "password=p%a s'\"sesame@:\\ host=x",
    };
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++) {
        struct err err = try_connect(strings[i]);
        assert_int_equal(err.code, ERR_USAGE);
        assert_non_null(strstr(err.message, "--dbname"));
        assert_null(strstr(err.message, "sesame"));
        assert_null(strchr(err.message, '\n'));
    }
    struct err err = try_connect("password=open se\"same host=x");
    assert_string_equal(err.message, "--dbname: the connection string is malformed: "
                                     "missing \"=\" after \"***\"");
}

static void
test_unreachable_server(void **state)
{
    (void)state;
    struct err err = try_connect("host=/nonexistent-folder port=5433 password=sesame dbname=x");
    assert_int_equal(err.code, ERR_CONNECTION);
    assert_non_null(strstr(err.message, "/nonexistent-folder/.s.PGSQL.5433"));
    assert_null(strstr(err.message, "sesame"));
    assert_null(strchr(err.message, '\n'));
    assert_non_null(strstr(err.hint, "--host"));
}

static void
test_unknown_service(void **state)
{
    (void)state;
    struct err err = try_connect("service=nope_not_there");
    assert_int_equal(err.code, ERR_CONNECTION);
    assert_non_null(strstr(err.message, "nope_not_there"));
}

/* Of two servers of a profile, the service of the first is not that of the second. */
static void
test_services_stay_with_their_target(void **state)
{
    (void)state;
    static const char *const kept[] = {NULL, "of_the_user"};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        struct settings settings;
        struct err err = {0};
        if (kept[i])
            setenv("PGSERVICE", kept[i], 1);
        else
            unsetenv("PGSERVICE");
        settings_init(&settings);
        assert_true(settings_set(&settings, SET_DBNAME, "service=first", SETTING_OPTION, &err));
        struct pg_target *target = pg_target_new(&settings, &err);
        assert_non_null(target);
        pg_target_option(target, "jit", "off");
        if (kept[i])
            assert_string_equal(getenv("PGSERVICE"), kept[i]);
        else
            assert_null(getenv("PGSERVICE"));
        pg_target_free(target);
        settings_free(&settings);
    }
    unsetenv("PGSERVICE");
}

int
main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quote_identifier),
        cmocka_unit_test(test_quote_literal),
        cmocka_unit_test(test_malformed_strings_keep_the_secret),
        cmocka_unit_test(test_unreachable_server),
        cmocka_unit_test(test_unknown_service),
        cmocka_unit_test(test_services_stay_with_their_target),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
