/* What the statements weigh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "loader/watch.h"

static void
prepare(struct watch *watch, struct arena *arena, int warehouses, const int64_t *megabytes)
{
    size_t count = (size_t)watch->count;

    watch->warehouses = warehouses;
    watch->weights = arena_array(arena, count, sizeof *watch->weights);
    watch->parts = arena_array(arena, count, sizeof *watch->parts);
    watch->heap_bytes = arena_array(arena, count, sizeof *watch->heap_bytes);
    watch->partitioned = arena_array(arena, count, sizeof *watch->partitioned);
    for (int i = 0; i < watch->count; i++)
        watch->heap_bytes[i] = megabytes[i] << 20;
}

/* The indexes of 10 warehouses as they were timed one by one, in ms, PostgreSQL 15; the heaps in
 * MB. */
static void
indexes_as_measured(void **state)
{
    static const struct {
        const char *relation;
        double ms;
    } timed[] = {{"order_line", 2424},  {"stock", 500},    {"customer", 321 + 464},
                 {"orders", 212 + 278}, {"new_order", 55}, {"item", 26}};
    static const int64_t megabytes[] = {266, 372, 195, 17, 3, 10, 0, 0};
    struct arena arena = {0};
    struct watch watch = {0};

    (void)state;
    watch.count = tasks_indexes(&arena, "s", &(struct options){.partitions = 1}, &watch.tasks);
    prepare(&watch, &arena, 10, megabytes);
    watch_weigh_indexes(&watch, &arena);
    for (size_t i = 0; i < sizeof timed / sizeof *timed; i++) {
        assert_string_equal(watch.tasks[i].relation, timed[i].relation);
        if (fabs(watch.weights[i] / 1e6 / timed[i].ms - 1) > 0.15)
            fail_msg("%s: %.0f ms", timed[i].relation, watch.weights[i] / 1e6);
    }
    for (int i = 0; i < watch.count; i++) {
        double sum = 0;
        for (int k = 0; k < watch.tasks[i].count; k++)
            sum += watch.parts[i][k];
        assert_true(fabs(sum - watch.weights[i]) < 1);
    }
    arena_free(&arena);
}

/* The foreign keys of 20 warehouses as they were timed one by one, in ms, whole tables and in five
 * partitions. */
static void
foreign_keys_as_measured(void **state)
{
    static const struct {
        const char *relation;
        double ms, partitioned_ms;
    } timed[] = {{"order_line", 1416 + 11878, 1624 + 7785},
                 {"stock", 333 + 544, 315 + 422},
                 {"customer", 157, 151},
                 {"orders", 893, 2593},
                 {"history", 64 + 738, 62 + 1561},
                 {"new_order", 107, 219}};
    static const int64_t megabytes[9] = {532, 744, 390, 34, 46, 6, 1, 1, 1};
    struct arena arena = {0};
    struct watch watch = {0};

    (void)state;
    watch.count = tasks_foreign_keys(&arena, "s", &(struct options){.partitions = 1}, &watch.tasks);
    prepare(&watch, &arena, 20, megabytes);
    for (int partitioned = 0; partitioned < 2; partitioned++) {
        for (int i = 0; i < watch.count; i++)
            watch.partitioned[i] = partitioned;
        watch_weigh_foreign_keys(&watch, &arena);
        for (size_t i = 0; i < sizeof timed / sizeof *timed; i++) {
            double ms = partitioned ? timed[i].partitioned_ms : timed[i].ms;
            int task = 0;
            while (strcmp(watch.tasks[task].relation, timed[i].relation) != 0)
                assert_true(++task < watch.count);
            if (fabs(watch.weights[task] / 1e6 / ms - 1) > 0.15)
                fail_msg("%s: %.0f ms", timed[i].relation, watch.weights[task] / 1e6);
        }
    }
    arena_free(&arena);
}

/* Partitions share the rows by their bytes. */
static void
partitions_by_their_bytes(void **state)
{
    int64_t megabytes[13] = {300, 100}; /* of order_line; the others are empty */
    struct arena arena = {0};
    struct watch watch = {0};

    (void)state;
    watch.count = tasks_indexes(&arena, "s", &(struct options){.partitions = 2}, &watch.tasks);
    assert_int_equal(watch.count, 13);
    prepare(&watch, &arena, 10, megabytes);
    watch_weigh_indexes(&watch, &arena);
    assert_true(fabs(watch.weights[0] / watch.weights[1] - 3) < 0.05);
    for (int i = 0; i < watch.count; i++)
        assert_true(watch.weights[i] > 0); /* even of what is empty */
    arena_free(&arena);
}

static void
vacuum_grows_and_analyze_does_not(void **state)
{
    int64_t megabytes[9] = {266}, hundredfold[9] = {26600};
    struct arena arena = {0};
    struct watch watch = {0};

    (void)state;
    watch.count = tasks_vacuum(&arena, "s", &(struct options){.partitions = 1}, &watch.tasks);
    prepare(&watch, &arena, 10, megabytes);
    watch_weigh_vacuum(&watch, &arena);
    double vacuum = watch.parts[0][0], analyze = watch.parts[0][1];
    assert_true(watch.weights[0] == vacuum + analyze);
    prepare(&watch, &arena, 1000, hundredfold);
    watch_weigh_vacuum(&watch, &arena);
    assert_true(fabs(watch.parts[0][0] / vacuum - 100) < 2);
    assert_true(watch.parts[0][1] == analyze);
    arena_free(&arena);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(indexes_as_measured),
        cmocka_unit_test(foreign_keys_as_measured),
        cmocka_unit_test(partitions_by_their_bytes),
        cmocka_unit_test(vacuum_grows_and_analyze_does_not),
    };
    return cmocka_run_group_tests_name("watch", tests, NULL, NULL);
}
