/* Reading SQL text: qualifiers, variables, statements, and what must not be taken for one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/sql.h"

static void
for_schema(const char *schema, const char *sql, const char *expected)
{
    struct arena arena = {0};

    assert_string_equal(sql_for_schema(&arena, sql, schema), expected);
    arena_free(&arena);
}

static void
qualifier_becomes_the_quoted_schema(void **state)
{
    (void)state;
    for_schema("S", "SELECT ordermill.ordermill_build.x FROM ordermill.ordermill_build",
               "SELECT \"S\".ordermill_build.x FROM \"S\".ordermill_build");
    for_schema("S", "ordermill.a", "\"S\".a");
    for_schema("S", "(ordermill.f(1),ordermill.g)", "(\"S\".f(1),\"S\".g)");
    for_schema("o\"; DROP", "ordermill.t", "\"o\"\"; DROP\".t");
    for_schema("S", "AS $$ BEGIN UPDATE ordermill.t; END $$", "AS $$ BEGIN UPDATE \"S\".t; END $$");
    for_schema("S", "a $x$ it's ordermill.t ' $x$", "a $x$ it's ordermill.t ' $x$");
}

static void
other_words_stay(void **state)
{
    static const char *const same[] = {
        "my_ordermill.x",      "ordermill_x.y",
        "ordermill",           "ordermill .x",
        "\xC3\xA4ordermill.x", "ordermill$.x",
        "x.ordermill.y",       "\"ordermill\".x",
        "'ordermill.x'",       "E'\\'ordermill.x'",
        "1ordermill.x",        "ORDERMILL.x",
        "-- ordermill.x\n",    "/* /* */ ordermill.x */",
        "\"a ordermill.b\"",   "",
        "'it''s ordermill.x'",
    };

    (void)state;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        for_schema("S", same[i], same[i]);
    for_schema("S", "'a' -- it's\n, ordermill.x 'b'", "'a' -- it's\n, \"S\".x 'b'");
    for_schema("S", "'\\' || ordermill.x", "'\\' || \"S\".x"); /* no escape in a plain string */
}

/* A name in a string would not follow the schema: 'ordermill.orders'::regclass must not be written.
 * What is left of the qualifier stands in comments. */
static void
shipped_files_have_no_qualifier_in_strings(void **state)
{
    struct arena arena = {0};
    size_t files = 0;

    (void)state;
    for (size_t i = 0; sql_path("", i); i++) {
        const char *path = sql_path("", i);
        size_t length = strlen(path);
        if (length < 4 || strcmp(path + length - 4, ".sql") != 0)
            continue;
        files++;
        const char *text = sql_text(&arena, path, "S", NULL);
        const char *line = text;
        for (const char *p = text; *p; p++) {
            if (*p == '\n')
                line = p + 1;
            if (strncmp(p, "ordermill.", 10) != 0)
                continue;
            const char *comment = strstr(line, "--");
            if (!comment || comment > p)
                fail_msg("%s: %.60s", path, line);
        }
    }
    assert_true(files >= 3);
    arena_free(&arena);
}

static void
shipped_files_are_made_for_a_schema(void **state)
{
    struct arena arena = {0};

    (void)state;
    for (size_t i = 0; sql_path("schemas/", i); i++) {
        const char *path = sql_path("schemas/", i);
        if (strcmp(path, "schemas/prepare.sql") == 0) /* names its schema by a variable of psql */
            continue;
        const char *source = sql_source(path);
        char *made = sql_text(&arena, path, "a b", NULL);
        assert_non_null(strstr(source, "ordermill."));
        assert_non_null(strstr(made, "\"a b\"."));
        /* With the schema's own name the text differs by the two quotes alone. */
        char *own = sql_text(&arena, path, "ordermill", NULL);
        char *to = own;
        for (const char *from = own; *from; from++) {
            if (strncmp(from, "\"ordermill\".", 12) == 0) {
                memcpy(to, "ordermill.", 10);
                to += 10;
                from += 11;
            } else {
                *to++ = *from;
            }
        }
        *to = '\0';
        assert_string_equal(own, source);
    }
    arena_free(&arena);
}

static void
with_variables(const char *sql, const char *expected)
{
    static const char *const variables[] = {"warehouse", "17", "n", "5", NULL};
    struct arena arena = {0};

    assert_string_equal(sql_substitute(&arena, sql, "S", variables), expected);
    arena_free(&arena);
}

static void
variables_become_their_values(void **state)
{
    (void)state;
    with_variables("WHERE w = :warehouse AND x < :n;", "WHERE w = 17 AND x < 5;");
    with_variables(":n:n", "55");
    with_variables("ordermill.t_:n", "\"S\".t_5");
    with_variables(":warehouses :unknown :N", ":warehouses :unknown :N");
    with_variables("a::n a::warehouse", "a::n a::warehouse");
    with_variables("':n' \":n\" E'\\':n'", "':n' \":n\" E'\\':n'");
    with_variables("-- :n\n:n /* :n */", "-- :n\n5 /* :n */");
    with_variables("$$ a[1:n] $$ :n", "$$ a[1:n] $$ 5");
    with_variables("$a$ $$ :n $b$ $a$ :n", "$a$ $$ :n $b$ $a$ 5");
    with_variables("x := 1; :", "x := 1; :");
}

static void
paths_are_listed_in_order(void **state)
{
    size_t count = 0;
    const char *before = "";

    (void)state;
    for (; sql_path("schemas/", count); count++) {
        const char *path = sql_path("schemas/", count);
        assert_true(strncmp(path, "schemas/", 8) == 0);
        assert_true(strcmp(before, path) < 0);
        before = path;
    }
    assert_true(count >= 3); /* tables, indexes, bookkeeping */
    assert_string_equal(sql_path("schemas/tables.sql", 0), "schemas/tables.sql");
    assert_null(sql_path("schemas/tables.sql", 1));
    assert_null(sql_path("nothing/", 0));
}

/* Expects the statements that follow, up to NULL. */
static void
splits(const char *script, ...)
{
    struct arena arena = {0};
    char **statements;
    size_t count = sql_split(&arena, script, &statements), i = 0;
    const char *expected;
    va_list ap;

    va_start(ap, script);
    while ((expected = va_arg(ap, const char *))) {
        assert_true(i < count);
        assert_string_equal(statements[i++], expected);
    }
    va_end(ap);
    assert_int_equal(i, count);
    arena_free(&arena);
}

static void
scripts_are_split(void **state)
{
    (void)state;
    splits("", NULL);
    splits(" \n;; -- only ; a comment\n /* ; */ ;", NULL);
    splits("a", "a", NULL);
    splits("a;b ; c", "a", "b", "c", NULL);
    splits("-- about a;\na; -- trailing\n", "a", NULL);
    splits("a -- in; side\n b;", "a -- in; side\n b", NULL);
    splits("a ';' \";\" b;c", "a ';' \";\" b", "c", NULL);
    splits("a 'it''s;' b;c", "a 'it''s;' b", "c", NULL);
    splits("a E'\\';' b;c", "a E'\\';' b", "c", NULL);
    splits("a '\\';b", "a '\\'", "b", NULL);
    splits("a /* ; /* ; */ ; */ b;c", "a /* ; /* ; */ ; */ b", "c", NULL);
    splits("a $$ ; ' $$ b;c", "a $$ ; ' $$ b", "c", NULL);
    splits("a $x$ ; $$ ; $y$ ; $x$;c", "a $x$ ; $$ ; $y$ ; $x$", "c", NULL);
    splits("a $1;b$x$;c", "a $1", "b$x$", "c", NULL);
    splits("$\xC3\xA4$ ; $\xC3\xA4$;c", "$\xC3\xA4$ ; $\xC3\xA4$", "c", NULL);
    splits("a 'never closed; b", "a 'never closed; b", NULL);
    splits("a $$ never closed; b", "a $$ never closed; b", NULL);
    splits("a /* never closed; b", "a", NULL);
}

static void
accepts_schema(const char *schema)
{
    struct err err = {0};

    if (!sql_check_schema(schema, &err))
        fail_msg("%s", err.message);
}

static void
refuses_schema(const char *schema, const char *message)
{
    struct err err = {0};

    assert_false(sql_check_schema(schema, &err));
    assert_int_equal(err.code, ERR_USAGE);
    assert_string_equal(err.message, message);
}

static void
names_of_schemas(void **state)
{
    char name[65];

    (void)state;
    accepts_schema("ordermill");
    accepts_schema("Work load \"1\"; it's");
    accepts_schema("\xC3\xA4\xC3\xB6");
    memset(name, 'x', sizeof name);
    name[63] = '\0';
    accepts_schema(name);
    name[63] = 'x';
    name[64] = '\0';
    struct err err = {0};
    assert_false(sql_check_schema(name, &err));
    assert_non_null(strstr(err.message, "is longer than 63 bytes"));
    refuses_schema("", "the name of the schema is empty");
    refuses_schema("a$b", "schema \"a$b\" contains a dollar sign");
    refuses_schema("a\nb", "schema \"a b\" contains a control character");
    refuses_schema("pg_x", "schema \"pg_x\": the server keeps names in pg_ for itself");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(qualifier_becomes_the_quoted_schema),
        cmocka_unit_test(other_words_stay),
        cmocka_unit_test(shipped_files_are_made_for_a_schema),
        cmocka_unit_test(shipped_files_have_no_qualifier_in_strings),
        cmocka_unit_test(variables_become_their_values),
        cmocka_unit_test(paths_are_listed_in_order),
        cmocka_unit_test(scripts_are_split),
        cmocka_unit_test(names_of_schemas),
    };
    return cmocka_run_group_tests_name("sql", tests, NULL, NULL);
}
