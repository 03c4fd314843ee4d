/* The sizes of the plan against a server that was measured, and where 32 bits would end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "loader/size.h"

/* pg_relation_size in pages after `load -w 10`, PostgreSQL 15; rows of order_line are random. */
static const struct {
    const char *name;
    int64_t pages;
} measured[] = {
    {"stock", 47630},
    {"order_line", 34122},
    {"customer", 24968},
    {"order_line_pkey", 11564},
    {"history", 2942},
    {"stock_pkey", 2745},
    {"orders", 2207},
    {"customer_by_name", 2134},
    {"item", 1300},
    {"orders_pkey", 1158},
    {"orders_by_customer", 1158},
    {"customer_pkey", 1158},
    {"new_order", 487},
    {"new_order_pkey", 349},
    {"item_pkey", 276},
};

static int64_t
bytes_of(const struct size *size, const char *name)
{
    for (int i = 0; i < OPTIONS_TABLES; i++) {
        const struct size_table *table = &size->tables[i];
        if (strcmp(table->name, name) == 0)
            return table->heap_bytes;
        for (int k = 0; k < SIZE_INDEXES_MAX && table->indexes[k].name; k++)
            if (strcmp(table->indexes[k].name, name) == 0)
                return table->indexes[k].bytes;
    }
    fail_msg("no %s", name);
    return 0;
}

static void
ten_warehouses_as_measured(void **state)
{
    struct size size;
    (void)state;

    size_of(&size, 10, &(struct options){.partitions = 1});
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        double ratio =
            (double)bytes_of(&size, measured[i].name) / (8192.0 * (double)measured[i].pages);
        if (ratio < 0.99 || ratio > 1.01)
            fail_msg("%s: %.4f of what was measured", measured[i].name, ratio);
    }
    assert_int_equal(size.rows, 100000 + 10 * (1 + 10 + 30000 * 3 + 9000 + 300000 + 100000));
}

/* Worked out by hand from the layout of a page: one row, one leaf that is the root, one page about
 * them all; and 367 rows need two leaves, hence a root of their own. */
static void
small_trees(void **state)
{
    struct size size;
    (void)state;

    size_of(&size, 1, &(struct options){.partitions = 1});
    assert_int_equal(bytes_of(&size, "warehouse"), 8192);
    assert_int_equal(bytes_of(&size, "warehouse_pkey"), 2 * 8192);
    size_of(&size, 366, &(struct options){.partitions = 1});
    assert_int_equal(bytes_of(&size, "warehouse_pkey"), 2 * 8192);
    size_of(&size, 367, &(struct options){.partitions = 1});
    assert_int_equal(bytes_of(&size, "warehouse_pkey"), 4 * 8192);
}

static void
a_hundred_thousand_warehouses(void **state)
{
    struct size size, ten;
    (void)state;

    size_of(&ten, 10, &(struct options){.partitions = 1});
    size_of(&size, 100000, &(struct options){.partitions = 1});
    assert_int_equal(size.tables[0].rows, INT64_C(30000000000));
    assert_int_equal(size.rows, INT64_C(49901200000));
    assert_true(size_total(&size) > INT64_C(10000) * (size_total(&ten) - 20000000));
    assert_true(size_total(&size) < INT64_C(10000) * size_total(&ten));
    assert_true(size_total(&size) > INT64_C(9) << 40); /* terabytes */
    assert_true(size.copy_bytes > INT64_C(8) << 40);
}

static void
options_change_sizes(void **state)
{
    struct size plain, half, parts;
    struct options options = {.partitions = 1};
    (void)state;

    size_of(&plain, 10, &options);
    options.fillfactors[0] = 50; /* order_line: (8168 - 4096) / 92 = 44 rows a page, not 88 */
    size_of(&half, 10, &options);
    assert_int_equal(half.tables[0].heap_bytes, INT64_C(8192) * ((3000000 + 43) / 44));
    assert_int_equal(half.tables[1].heap_bytes, plain.tables[1].heap_bytes);
    size_of(&parts, 10, &(struct options){.partitions = 7});
    assert_true(parts.tables[0].heap_bytes >= plain.tables[0].heap_bytes);
    assert_true(parts.tables[0].heap_bytes <= plain.tables[0].heap_bytes + 7 * 8192);
    assert_int_equal(bytes_of(&parts, "item"), bytes_of(&plain, "item"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_warehouses_as_measured),
        cmocka_unit_test(small_trees),
        cmocka_unit_test(a_hundred_thousand_warehouses),
        cmocka_unit_test(options_change_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
