/* CREATE TABLE as the options want it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "loader/layout.h"

static int
occurrences(const char *text, const char *part)
{
    int count = 0;

    while ((text = strstr(text, part))) {
        count++;
        text += strlen(part);
    }
    return count;
}

static void
expect(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("no \"%s\"", part);
}

static void
plain_tables(void **state)
{
    struct arena arena = {0};
    (void)state;
    char *sql = layout_tables(&arena, "s", &(struct options){.partitions = 1}, 10);

    assert_int_equal(occurrences(sql, "CREATE TABLE \"s\"."), 9);
    assert_int_equal(occurrences(sql, "CREATE "), 9);
    assert_int_equal(occurrences(sql, "ordermill."), 0);
    assert_int_equal(occurrences(sql, "TABLESPACE"), 0);
    /* As schemas/tables.sql has it. */
    assert_int_equal(occurrences(sql, "fillfactor = 20"), 2);
    assert_int_equal(occurrences(sql, "fillfactor = 90"), 2);
    assert_int_equal(occurrences(sql, "fillfactor"), 4);
    arena_free(&arena);
}

static void
fillfactors_tablespace_and_no_log(void **state)
{
    struct arena arena = {0};
    /* In the order of options_tables: order_line, stock, ... */
    struct options options = {
        .partitions = 1, .fillfactors = {70, 100}, .tablespace = "a b", .unlogged = true};

    (void)state;
    char *sql = layout_tables(&arena, "s", &options, 10);
    assert_int_equal(occurrences(sql, "CREATE UNLOGGED TABLE"), 9);
    assert_int_equal(occurrences(sql, " TABLESPACE \"a b\";\n"), 9);
    assert_int_equal(occurrences(sql, "fillfactor = 70"), 1);
    assert_int_equal(occurrences(sql, "fillfactor = 100"), 1);
    assert_int_equal(occurrences(sql, "fillfactor = 90"), 1); /* customer's */
    expect(sql, ") WITH (fillfactor = 70) TABLESPACE \"a b\";\nCREATE");
    arena_free(&arena);
}

static void
ranges_hold_equal_shares(void **state)
{
    struct arena arena = {0};
    struct options options = {.partitions = 3, .unlogged = true};

    (void)state;
    char *sql = layout_tables(&arena, "s", &options, 10);
    assert_int_equal(occurrences(sql, "PARTITION BY RANGE"), 6);
    assert_int_equal(occurrences(sql, "PARTITION OF"), 18);
    assert_int_equal(occurrences(sql, "CREATE UNLOGGED TABLE"), 3 + 18); /* the whole: not */
    expect(sql, "PARTITION BY RANGE (s_w_id);\n");
    /* Warehouses 1 to 3, 4 to 6, 7 to 10; whatever number a row has, there is a place for it. */
    expect(sql, "\"s\".stock_p1 PARTITION OF \"s\".stock FOR VALUES FROM (MINVALUE) TO (4) WITH "
                "(fillfactor = 90);\n");
    expect(sql, "\"s\".stock_p2 PARTITION OF \"s\".stock FOR VALUES FROM (4) TO (7) ");
    expect(sql, "\"s\".stock_p3 PARTITION OF \"s\".stock FOR VALUES FROM (7) TO (MAXVALUE) ");
    assert_int_equal(occurrences(sql, "fillfactor = 90"), 2 * 3); /* of the partitions alone */
    arena_free(&arena);
}

/* The bounds of neighbours meet, and every partition has a warehouse, whatever their numbers. */
static void
ranges_meet(void **state)
{
    static const int cases[][2] = {{2, 2}, {1000, 1000}, {7, 5}, {100000, 999}};

    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct arena arena = {0};
        int partitions = cases[c][1], from = 1;
        char *sql =
            layout_tables(&arena, "s", &(struct options){.partitions = partitions}, cases[c][0]);

        for (int i = 1; i < partitions; i++) {
            char head[80];
            int to;
            snprintf(head, sizeof head, "history_p%d PARTITION OF \"s\".history FOR VALUES ", i);
            const char *found = strstr(sql, head);
            assert_non_null(found);
            assert_int_equal(sscanf(strstr(found, " TO ("), " TO (%d)", &to), 1);
            assert_true(to > from);
            from = to;
        }
        assert_true(cases[c][0] >= from);
        arena_free(&arena);
    }
}

static void
hashes(void **state)
{
    struct arena arena = {0};
    struct options options = {.partitions = 4, .by_hash = true};

    (void)state;
    char *sql = layout_tables(&arena, "s", &options, 2);
    expect(sql, "PARTITION BY HASH (ol_w_id);\n");
    expect(sql,
           "order_line_p4 PARTITION OF \"s\".order_line FOR VALUES WITH (MODULUS 4, REMAINDER 3)");
    arena_free(&arena);
}

static void
statements_are_told_apart(void **state)
{
    (void)state;
    assert_true(layout_is_about("CREATE TABLE ordermill.orders (", "orders"));
    assert_false(layout_is_about("CREATE TABLE ordermill.order_line (", "orders"));
    assert_false(layout_is_about("CREATE TABLE ordermill.orders (", "order"));
    assert_true(
        layout_is_about("ALTER TABLE ordermill.a ADD FOREIGN KEY (x) REFERENCES ordermill.b", "a"));
    assert_false(
        layout_is_about("ALTER TABLE ordermill.a ADD FOREIGN KEY (x) REFERENCES ordermill.b", "b"));
    assert_true(layout_is_partitioned("history", &(struct options){.partitions = 2}));
    assert_false(layout_is_partitioned("history", &(struct options){.partitions = 1}));
    assert_false(layout_is_partitioned("item", &(struct options){.partitions = 2}));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_tables),
        cmocka_unit_test(fillfactors_tablespace_and_no_log),
        cmocka_unit_test(ranges_hold_equal_shares),
        cmocka_unit_test(ranges_meet),
        cmocka_unit_test(hashes),
        cmocka_unit_test(statements_are_told_apart),
    };
    return cmocka_run_group_tests_name("layout", tests, NULL, NULL);
}
