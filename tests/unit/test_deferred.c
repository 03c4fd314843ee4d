/* The queue of deferred deliveries, their records, and the result file made of these. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/fs.h"
#include "driver/deliveries.h"

static struct deferred deferred;

static int
set_up(void **state)
{
    (void)state;
    deferred_init(&deferred);
    return 0;
}

static int
tear_down(void **state)
{
    (void)state;
    deferred_free(&deferred);
    return 0;
}

static void
put(int warehouse, int64_t now_us)
{
    assert_true(deferred_put(&deferred, &(struct delivery_input){warehouse, 3}, now_us));
}

static void
end(int64_t done_us)
{
    deferred_end(&deferred, &(struct deferred_record){.done_us = done_us});
}

static void
those_that_wait_are_taken_in_their_order(void **state)
{
    struct deferred_delivery delivery;

    (void)state;
    assert_false(deferred_begin(&deferred, &delivery));
    put(7, 100);
    put(8, 200);
    assert_int_equal(deferred_waiting(&deferred), 2);
    assert_true(deferred_begin(&deferred, &delivery));
    assert_int_equal(delivery.input.warehouse, 7);
    assert_int_equal(delivery.input.carrier, 3);
    assert_int_equal(delivery.queued_us, 100);
    put(9, 300);
    assert_true(deferred_begin(&deferred, &delivery));
    assert_int_equal(delivery.input.warehouse, 8);
    deferred_close(&deferred);
    assert_false(deferred_begin(&deferred, &delivery));
    assert_int_equal(deferred_waiting(&deferred), 0);
    assert_int_equal(deferred_left(&deferred, 300), 1);
    assert_int_equal(deferred_left(&deferred, 301), 0);
}

static void
the_queue_is_bounded(void **state)
{
    struct deferred_delivery delivery;

    (void)state;
    for (int i = 0; i < DEFERRED_QUEUE_MAX; i++)
        put(i + 1, i);
    assert_false(deferred_put(&deferred, &(struct delivery_input){1, 1}, 0));
    assert_true(deferred_begin(&deferred, &delivery));
    put(4711, 0);
    for (int i = 1; i < DEFERRED_QUEUE_MAX; i++) {
        struct deferred_record record;
        end(0);
        assert_true(deferred_take(&deferred, 1, &record));
        assert_true(deferred_begin(&deferred, &delivery));
        assert_int_equal(delivery.input.warehouse, i + 1);
    }
    end(0);
    assert_true(deferred_begin(&deferred, &delivery));
    assert_int_equal(delivery.input.warehouse, 4711);
}

/* None begins whose record would have no place. */
static void
records_that_nobody_takes_hold_deliveries_up(void **state)
{
    struct deferred_delivery delivery;
    struct deferred_record record;

    (void)state;
    for (int i = 0; i < DEFERRED_RECORDS_MAX + 1; i++)
        put(1, i);
    for (int i = 0; i < DEFERRED_RECORDS_MAX; i++)
        assert_true(deferred_begin(&deferred, &delivery));
    assert_false(deferred_begin(&deferred, &delivery)); /* all of them run */
    for (int i = 0; i < DEFERRED_RECORDS_MAX; i++)
        end(1000 + i);
    assert_false(deferred_begin(&deferred, &delivery)); /* all of them ended */
    assert_false(deferred_take(&deferred, 1000, &record));
    assert_true(deferred_take(&deferred, 1001, &record));
    assert_int_equal(record.done_us, 1000);
    assert_true(deferred_begin(&deferred, &delivery));
}

enum { MANY = 200000 };

static void *
take_all(void *argument)
{
    struct deferred_record record;
    int64_t expected = 0;

    (void)argument;
    while (expected < MANY) {
        if (!deferred_take(&deferred, INT64_MAX, &record))
            continue;
        if (record.done_us != expected || record.warehouse != (int)expected ||
            record.orders[9] != (int)expected)
            return "a record that was not written so";
        expected++;
    }
    return NULL;
}

static void
another_thread_takes_every_record_once_and_whole(void **state)
{
    pthread_t taker;
    void *complaint;

    (void)state;
    assert_int_equal(pthread_create(&taker, NULL, take_all, NULL), 0);
    for (int i = 0; i < MANY;) {
        struct deferred_delivery delivery;
        if (deferred_waiting(&deferred) == 0)
            put(1, 0);
        if (!deferred_begin(&deferred, &delivery))
            continue;
        deferred_end(&deferred,
                     &(struct deferred_record){.done_us = i, .warehouse = i, .orders = {[9] = i}});
        i++;
    }
    assert_int_equal(pthread_join(taker, &complaint), 0);
    assert_null(complaint);
}

/* --- the result file -------------------------------------------------------------------------- */

#define HEADING                                                                                    \
    "queued,warehouse,carrier,completed,order_of_district_1,order_of_district_2,"                  \
    "order_of_district_3,order_of_district_4,order_of_district_5,order_of_district_6,"             \
    "order_of_district_7,order_of_district_8,order_of_district_9,order_of_district_10\n"

/* 2026-03-01T12:00:00Z is 1772366400 s after 1970. */
static void
committed_ones_have_a_row_and_count_from_the_window_on(void **state)
{
    struct deferred_stats *stats = calloc(1, sizeof *stats);
    struct deliveries deliveries = {
        .stats = stats, .since_us = 2000000, .wall_offset_us = INT64_C(1772366400000000)};
    char path[] = "/tmp/ordermill-deliveries-XXXXXX";
    struct buf text = {0};
    struct err err = {0};

    (void)state;
    close(mkstemp(path));
    assert_true(deliveries_open(&deliveries, path, &err));
    deliveries_begin(&deliveries);
    struct deferred_record record = {.queued_us = 1999999,
                                     .done_us = 2500000,
                                     .warehouse = 12,
                                     .carrier = 7,
                                     .orders = {2101, 2102, 0, 4, 5, 6, 7, 8, 9, 3000}};
    deliveries_put(&deliveries, &record); /* before the window */
    record.queued_us = 2000000;
    record.done_us = 82000000;
    deliveries_put(&deliveries, &record); /* just in time */
    record.done_us++;
    deliveries_put(&deliveries, &record); /* late */
    record.outcome = OUTCOME_FAILED;
    deliveries_put(&deliveries, &record);
    record.outcome = OUTCOME_LOST;
    deliveries_put(&deliveries, &record);
    assert_true(deliveries_close(&deliveries, &err));
    assert_int_equal(stats->done, 2);
    assert_int_equal(stats->in_time, 1);
    assert_int_equal(stats->failed, 1);
    assert_int_equal(stats->lost, 1);
    assert_int_equal(stats->latency.count, 2);
    assert_int_equal(stats->latency.max_us, 80000001);
    assert_true(fs_read(path, 1 << 16, &text, &err));
    assert_string_equal(buf_text(&text),
                        HEADING "2026-03-01T12:00:01.999Z,12,7,2026-03-01T12:00:02.500Z,"
                                "2101,2102,skipped,4,5,6,7,8,9,3000\n"
                                "2026-03-01T12:00:02.000Z,12,7,2026-03-01T12:01:22.000Z,"
                                "2101,2102,skipped,4,5,6,7,8,9,3000\n"
                                "2026-03-01T12:00:02.000Z,12,7,2026-03-01T12:01:22.000Z,"
                                "2101,2102,skipped,4,5,6,7,8,9,3000\n");
    unlink(path);
    buf_free(&text);
    free(stats);
}

static void
files_that_cannot_be_written(void **state)
{
    struct deferred_stats *stats = calloc(1, sizeof *stats);
    struct deliveries deliveries = {.stats = stats};
    struct deferred_record record = {.warehouse = 1};
    struct err err = {0};

    (void)state;
    assert_false(deliveries_open(&deliveries, "/nowhere/at all", &err));
    assert_string_equal(err.message, "cannot write the deliveries to \"/nowhere/at all\": "
                                     "No such file or directory");
    assert_true(deliveries_open(&deliveries, "/dev/full", &err));
    deliveries_begin(&deliveries);
    for (int i = 0; i < 1000; i++)
        deliveries_put(&deliveries, &record);
    assert_false(deliveries_close(&deliveries, &err));
    assert_string_equal(err.message, "cannot write the deliveries to \"/dev/full\": "
                                     "No space left on device");
    assert_int_equal(stats->done, 1000);
    free(stats);
}

/* A level that could not begin leaves what was there, and nothing where nothing was. */
static void
a_level_that_never_began_changes_no_file(void **state)
{
    struct deliveries deliveries = {0};
    char path[] = "/tmp/ordermill-deliveries-XXXXXX";
    struct buf text = {0};
    struct err err = {0};

    (void)state;
    int descriptor = mkstemp(path);
    assert_int_equal(write(descriptor, "older", 5), 5);
    close(descriptor);
    assert_true(deliveries_open(&deliveries, path, &err));
    assert_true(deliveries_close(&deliveries, &err));
    assert_true(fs_read(path, 100, &text, &err));
    assert_string_equal(buf_text(&text), "older");
    unlink(path);
    assert_true(deliveries_open(&deliveries, path, &err));
    assert_true(deliveries_close(&deliveries, &err));
    assert_false(fs_exists(path));
    buf_free(&text);
}

#define FRESH(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        FRESH(those_that_wait_are_taken_in_their_order),
        FRESH(the_queue_is_bounded),
        FRESH(records_that_nobody_takes_hold_deliveries_up),
        FRESH(another_thread_takes_every_record_once_and_whole),
        cmocka_unit_test(committed_ones_have_a_row_and_count_from_the_window_on),
        cmocka_unit_test(files_that_cannot_be_written),
        cmocka_unit_test(a_level_that_never_began_changes_no_file),
    };

    return cmocka_run_group_tests_name("deferred", tests, NULL, NULL);
}
