/* The statements that follow the data: for whole tables, for partitions, without a log. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "loader/tasks.h"

static const struct table_task *
find(const struct table_task *tasks, int count, const char *relation)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(tasks[i].relation, relation) == 0)
            return &tasks[i];
    }
    return NULL;
}

static void
indexes_of_whole_tables(void **state)
{
    struct arena arena = {0};
    struct table_task *tasks;
    struct options options = {.partitions = 1};

    (void)state;
    int count = tasks_indexes(&arena, "my \"s\"", &options, &tasks);
    assert_int_equal(count, 8); /* history has none */
    assert_string_equal(tasks[0].relation, "order_line");
    assert_int_equal(tasks[0].count, 1);
    assert_string_equal(tasks[0].statements[0],
                        "ALTER TABLE \"my \"\"s\"\"\".order_line ADD CONSTRAINT order_line_pkey"
                        " PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number)");
    const struct table_task *customer = find(tasks, count, "customer");
    assert_int_equal(customer->count, 2);
    assert_string_equal(customer->names[0], "customer_pkey");
    assert_string_equal(customer->names[1], "customer_by_name");
    assert_null(customer->wholes[0]);
    assert_int_equal(tasks_whole_indexes(&arena, "s", &options, &tasks), 0);
    arena_free(&arena);
}

static void
indexes_of_partitions(void **state)
{
    struct arena arena = {0};
    struct table_task *tasks;
    struct options options = {.partitions = 3, .index_tablespace = "fast"};

    (void)state;
    int count = tasks_indexes(&arena, "s", &options, &tasks);
    assert_int_equal(count, 5 * 3 + 3); /* of five tables, and item, warehouse and district */
    assert_null(find(tasks, count, "customer"));
    const struct table_task *part = find(tasks, count, "customer_p3");
    assert_string_equal(part->table, "customer");
    assert_string_equal(part->names[0], "customer_p3_pkey");
    assert_string_equal(part->wholes[0], "customer_pkey");
    assert_string_equal(part->statements[0],
                        "ALTER TABLE \"s\".customer_p3 ADD CONSTRAINT customer_p3_pkey PRIMARY KEY"
                        " (c_w_id, c_d_id, c_id) USING INDEX TABLESPACE \"fast\"");
    assert_string_equal(part->statements[1],
                        "CREATE INDEX customer_p3_by_name ON \"s\".customer_p3"
                        " (c_w_id, c_d_id, c_last, c_first, c_id) TABLESPACE \"fast\"");
    part = find(tasks, count, "order_line_p1"); /* and not order_line's words in orders' */
    assert_string_equal(part->names[0], "order_line_p1_pkey");
    part = find(tasks, count, "orders_p2");
    assert_string_equal(part->names[1], "orders_p2_by_customer");

    count = tasks_whole_indexes(&arena, "s", &options, &tasks);
    assert_int_equal(count, 5);
    assert_null(find(tasks, count, "item"));
    assert_string_equal(find(tasks, count, "stock")->statements[0],
                        "ALTER TABLE \"s\".stock ADD CONSTRAINT stock_pkey PRIMARY KEY"
                        " (s_w_id, s_i_id) USING INDEX TABLESPACE \"fast\"");
    arena_free(&arena);
}

static int
statements_in(const struct table_task *tasks, int count)
{
    int sum = 0;

    for (int i = 0; i < count; i++)
        sum += tasks[i].count;
    return sum;
}

static void
ten_references(void **state)
{
    struct arena arena = {0};
    struct table_task *tasks;
    struct options options = {.partitions = 1, .unlogged = true, .index_tablespace = "fast"};

    (void)state;
    int count = tasks_foreign_keys(&arena, "s", &options, &tasks);
    assert_int_equal(statements_in(tasks, count), 10);
    assert_string_equal(find(tasks, count, "district")->statements[0],
                        "ALTER TABLE \"s\".district ADD CONSTRAINT district_warehouse_fkey"
                        " FOREIGN KEY (d_w_id) REFERENCES \"s\".warehouse (w_id)");
    options.unlogged = false;
    options.partitions = 4;
    count = tasks_foreign_keys(&arena, "s", &options, &tasks);
    assert_int_equal(statements_in(tasks, count), 10);
    assert_null(find(tasks, count, "stock_p1"));
    arena_free(&arena);
}

/* Stock refers to item and warehouse, customer and history to district: all without partitions. */
static void
references_of_partitions_without_log(void **state)
{
    struct arena arena = {0};
    struct table_task *tasks;
    struct options options = {.partitions = 4, .unlogged = true};

    (void)state;
    int count = tasks_foreign_keys(&arena, "s", &options, &tasks);
    assert_int_equal(statements_in(tasks, count), 6 + 4 * 4);
    assert_null(find(tasks, count, "stock"));
    assert_null(find(tasks, count, "customer"));
    assert_int_equal(find(tasks, count, "history")->count, 1);
    assert_string_equal(find(tasks, count, "history")->names[0], "history_customer_fkey");
    assert_string_equal(find(tasks, count, "history_p4")->statements[0],
                        "ALTER TABLE \"s\".history_p4 ADD CONSTRAINT history_p4_district_fkey"
                        " FOREIGN KEY (h_w_id, h_d_id) REFERENCES \"s\".district (d_w_id, d_id)");
    assert_int_equal(find(tasks, count, "stock_p2")->count, 2);
    arena_free(&arena);
}

static void
vacuum_by_partition(void **state)
{
    struct arena arena = {0};
    struct table_task *tasks;
    struct options options = {.partitions = 1};

    (void)state;
    assert_int_equal(tasks_vacuum(&arena, "s", &options, &tasks), 9);
    assert_string_equal(tasks[0].statements[0], "VACUUM (ANALYZE) \"s\".order_line");
    assert_null(tasks[0].names);
    assert_int_equal(tasks_analyze(&arena, "s", &options, &tasks), 0);

    options.partitions = 1000;
    int count = tasks_vacuum(&arena, "s", &options, &tasks);
    assert_int_equal(count, 6 * 1000 + 3);
    assert_string_equal(find(tasks, count, "history_p1000")->statements[0],
                        "VACUUM \"s\".history_p1000");
    assert_string_equal(find(tasks, count, "item")->statements[0], "VACUUM (ANALYZE) \"s\".item");
    count = tasks_analyze(&arena, "s", &options, &tasks);
    assert_int_equal(count, 6);
    assert_string_equal(find(tasks, count, "history")->statements[0], "ANALYZE \"s\".history");
    arena_free(&arena);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(indexes_of_whole_tables),
        cmocka_unit_test(indexes_of_partitions),
        cmocka_unit_test(ten_references),
        cmocka_unit_test(references_of_partitions_without_log),
        cmocka_unit_test(vacuum_by_partition),
    };
    return cmocka_run_group_tests_name("tasks", tests, NULL, NULL);
}
