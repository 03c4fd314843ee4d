/* What the statements weigh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "loader/watch.h"

static const struct options one = {.partitions = 1, .index_workers = -1};

static void
prepare(struct watch *watch, struct arena *arena, int warehouses, const int64_t *megabytes)
{
    size_t count = (size_t)watch->count;

    watch->warehouses = warehouses;
    watch->work = arena_array(arena, count, sizeof *watch->work);
    watch->heap_bytes = arena_array(arena, count, sizeof *watch->heap_bytes);
    watch->partitioned = arena_array(arena, count, sizeof *watch->partitioned);
    watch->memory = INT64_C(512) << 20;
    watch->workers = 2;
    for (int i = 0; i < watch->count; i++)
        watch->heap_bytes[i] = megabytes[i] << 20;
}

/* Of these parts, or of all. */
static double
weight(const struct watch *watch, int task, int from, int count)
{
    const struct schedule_task *work = &watch->work[task];
    double sum = 0;

    for (int k = from; k < from + count && k < work->count; k++)
        sum += work->parts[k].weight;
    return sum;
}

static double
all(const struct watch *watch, int task)
{
    return weight(watch, task, 0, watch->work[task].count);
}

/* The indexes of 10 warehouses as they were timed one by one, in ms, PostgreSQL 15 with two workers
 * on two cores, all in memory; the heaps in MB. Of stock it was read what had been read before: not
 * compared. */
static void
indexes_as_measured(void **state)
{
    static const struct {
        const char *relation;
        double ms;
    } timed[] = {{"order_line", 2424}, {"customer", 321 + 464}, {"orders", 212 + 278}};
    static const int64_t megabytes[] = {266, 372, 195, 17, 3, 10, 0, 0};
    struct arena arena = {0};
    struct watch watch = {0};

    (void)state;
    watch.count = tasks_indexes(&arena, "s", &one, &watch.tasks);
    prepare(&watch, &arena, 10, megabytes);
    watch_weigh_indexes(&watch, &arena);
    for (size_t i = 0; i < sizeof timed / sizeof *timed; i++) {
        double ms = 0;
        int task = 0;
        while (strcmp(watch.tasks[task].relation, timed[i].relation) != 0)
            assert_true(++task < watch.count);
        for (int k = 0; k < watch.work[task].count; k++) {
            const struct schedule_part *part = &watch.work[task].parts[k];
            ms += part->weight / 1e6 / (part->width < 2 ? 1 : 2);
        }
        if (fabs(ms / timed[i].ms - 1) > 0.15)
            fail_msg("%s: %.0f ms", timed[i].relation, ms);
    }
    arena_free(&arena);
}

/* As the server decides: 8 MB of the table for one, 24 and 72 for more, 32 MB of memory for each.
 */
static void
processes_of_an_index(void **state)
{
    static const struct {
        int64_t table_mb, memory_mb;
        int workers, processes;
    } cases[] = {{7, 512, 2, 1},   {8, 512, 2, 2},   {23, 512, 8, 2}, {24, 512, 2, 3},
                 {72, 512, 2, 3},  {72, 512, 8, 4},  {900, 64, 8, 2}, {900, 63, 2, 1},
                 {900, 512, 0, 1}, {900, 512, 1, 2}, {900, 96, 8, 3}};
    struct arena arena = {0};
    struct watch watch = {0};

    (void)state;
    watch.count = tasks_indexes(&arena, "s", &one, &watch.tasks);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t megabytes[9] = {cases[i].table_mb};
        prepare(&watch, &arena, 10, megabytes);
        watch.memory = cases[i].memory_mb << 20;
        watch.workers = cases[i].workers;
        watch_weigh_indexes(&watch, &arena);
        assert_int_equal(watch.work[0].count, 3);
        assert_int_equal(watch.work[0].parts[0].width, cases[i].processes);
        assert_int_equal(watch.work[0].parts[1].width, cases[i].processes);
        assert_int_equal(watch.work[0].parts[2].width, 1);
    }
    arena_free(&arena);
}

/* What does not fit into memory is sorted while the table is read; the whole stays what it was. */
static void
sorting_outside_of_memory(void **state)
{
    int64_t megabytes[9] = {266};
    struct arena arena = {0};
    struct watch watch = {0};

    (void)state;
    watch.count = tasks_indexes(&arena, "s", &one, &watch.tasks);
    prepare(&watch, &arena, 10, megabytes);
    watch_weigh_indexes(&watch, &arena);
    double reading = weight(&watch, 0, 0, 1), sorting = weight(&watch, 0, 1, 1),
           whole = all(&watch, 0);
    prepare(&watch, &arena, 10, megabytes);
    watch.memory = INT64_C(64) << 20;
    watch_weigh_indexes(&watch, &arena);
    assert_true(weight(&watch, 0, 0, 1) > reading + 0.9 * sorting);
    assert_true(weight(&watch, 0, 1, 1) < 0.2 * sorting);
    assert_true(fabs(all(&watch, 0) / whole - 1) < 0.1);
    arena_free(&arena);
}

/* Foreign keys in ms, as the server logged them while two sessions made them and nothing else ran:
 * geometric means of two loads, one load, two loads. */
static void
foreign_keys_as_measured(void **state)
{
    static const char *const relations[] = {"order_line", "stock",   "customer",
                                            "orders",     "history", "new_order"};
    static const struct {
        int warehouses, partitions;
        double ms[6];
    } timed[] = {
        {20, 1, {2117 + 5243, 644 + 877, 222, 1138, 189 + 735, 304}},
        {20, 2, {2304 + 5419, 985 + 834, 213, 1553, 228 + 1212, 764}},
        {20, 4, {3245 + 8957, 829 + 957, 285, 3264, 223 + 2147, 1282}},
    };
    static const int64_t megabytes[9] = {532, 744, 390, 34, 46, 6, 1, 1, 1};
    struct arena arena = {0};
    struct watch watch = {0};

    (void)state;
    watch.count = tasks_foreign_keys(&arena, "s", &one, &watch.tasks);
    for (size_t i = 0; i < sizeof timed / sizeof *timed; i++) {
        struct options options = {.partitions = timed[i].partitions, .index_workers = -1};

        prepare(&watch, &arena, timed[i].warehouses, megabytes);
        watch.options = &options;
        watch.partitioned = arena_array(&arena, (size_t)watch.count, sizeof *watch.partitioned);
        for (int k = 0; k < watch.count; k++)
            watch.partitioned[k] = options.partitions > 1;
        watch_weigh_foreign_keys(&watch, &arena);
        for (int k = 0; k < 6; k++) {
            double ms = timed[i].ms[k];
            int task = 0;
            while (strcmp(watch.tasks[task].relation, relations[k]) != 0)
                assert_true(++task < watch.count);
            /* The same load, made twice, differed by up to half, but for what all of it took. */
            if (fabs(all(&watch, task) / 1e6 / ms - 1) > 0.3)
                fail_msg("%s, %d warehouses, %d partitions: %.0f ms", relations[k],
                         timed[i].warehouses, timed[i].partitions, all(&watch, task) / 1e6);
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
    assert_true(fabs(all(&watch, 0) / all(&watch, 1) - 3) < 0.15);
    for (int i = 0; i < watch.count; i++)
        for (int k = 0; k < watch.work[i].count; k++)
            assert_true(weight(&watch, i, k, 1) > 0); /* even of what is empty */
    arena_free(&arena);
}

static void
vacuum_grows_and_analyze_does_not(void **state)
{
    int64_t megabytes[9] = {266}, hundredfold[9] = {26600};
    struct arena arena = {0};
    struct watch watch = {0};

    (void)state;
    watch.count = tasks_vacuum(&arena, "s", &one, &watch.tasks);
    prepare(&watch, &arena, 10, megabytes);
    watch_weigh_vacuum(&watch, &arena);
    assert_int_equal(watch.work[0].count, 3);
    double vacuum = weight(&watch, 0, 0, 1), analyze = weight(&watch, 0, 1, 2);
    prepare(&watch, &arena, 1000, hundredfold);
    watch_weigh_vacuum(&watch, &arena);
    assert_true(fabs(weight(&watch, 0, 0, 1) / vacuum - 100) < 2);
    assert_true(weight(&watch, 0, 1, 2) == analyze);
    arena_free(&arena);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(indexes_as_measured),
        cmocka_unit_test(processes_of_an_index),
        cmocka_unit_test(sorting_outside_of_memory),
        cmocka_unit_test(foreign_keys_as_measured),
        cmocka_unit_test(partitions_by_their_bytes),
        cmocka_unit_test(vacuum_grows_and_analyze_does_not),
    };
    return cmocka_run_group_tests_name("watch", tests, NULL, NULL);
}
