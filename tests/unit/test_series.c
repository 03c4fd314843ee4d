/* Readings in, figures out: worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "driver/series.h"

#define S INT64_C(1000000)

static const struct series_key wal = {METRIC_SERVER, "wal_bytes", "", "bytes", METRIC_RATE, 1};
static const struct series_key hits = {METRIC_SERVER, "hit_ratio",  "",
                                       "percent",     METRIC_SHARE, 100};
static const struct series_key memory = {
    METRIC_DRIVER_HOST, "memory_available", "", "bytes", METRIC_LEVEL, 1024};

struct fixture {
    struct series_set *set;
    struct arena arena;
    struct metric *metrics;
    int count;
};

static int
set_up(void **state)
{
    static struct fixture f;

    f = (struct fixture){.set = series_new(0)};
    *state = &f;
    return 0;
}

static int
tear_down(void **state)
{
    struct fixture *f = *state;

    series_free(f->set);
    arena_free(&f->arena);
    return 0;
}

static void
feed(struct fixture *f, const struct series_key *key, int64_t at_us, double top, double bottom)
{
    series_feed(f->set, key, at_us, &(struct series_reading){.top = top, .bottom = bottom});
}

static const struct metric *
take(struct fixture *f, const struct series_key *key)
{
    f->metrics = series_take(f->set, &f->arena, 10 * S, &f->count);
    for (int i = 0; i < f->count; i++)
        if (strcmp(f->metrics[i].name, key->name) == 0 &&
            strcmp(f->metrics[i].instance, key->instance) == 0)
            return &f->metrics[i];
    fail_msg("no metric %s", key->name);
    return NULL;
}

static void
a_rate_is_growth_over_time(void **state)
{
    struct fixture *f = *state;

    feed(f, &wal, 8 * S, 1000, 0);
    feed(f, &wal, 10 * S, 5000, 0); /* 2000 a second, before the window */
    series_window(f->set, true, 10 * S);
    feed(f, &wal, 11 * S, 6000, 0);
    feed(f, &wal, 13 * S, 12000, 0); /* a late look: 3000 a second over two */
    series_window(f->set, false, 13 * S);
    feed(f, &wal, 14 * S, 99000, 0);
    const struct metric *metric = take(f, &wal);
    assert_int_equal(metric->samples, 2);
    assert_true(metric->total == 7000);
    assert_true(metric->mean == 7000.0 / 3);
    assert_true(metric->min == 1000);
    assert_true(metric->max == 3000);
    assert_int_equal(metric->resets, 0);
    assert_int_equal(metric->points_count, 4);
    assert_int_equal(metric->points[0].at_us, 0);
    assert_true(metric->points[0].value == 2000);
    assert_int_equal(metric->points[3].at_us, 4 * S);
    assert_true(metric->points[3].value == 87000);
}

static void
a_share_is_growth_over_growth(void **state)
{
    struct fixture *f = *state;

    feed(f, &hits, 10 * S, 900, 1000);
    series_window(f->set, true, 10 * S);
    feed(f, &hits, 11 * S, 950, 1100);  /* 50 of 100 */
    feed(f, &hits, 12 * S, 950, 1100);  /* nothing happened: no sample, and not zero */
    feed(f, &hits, 13 * S, 1250, 1400); /* 300 of 300 */
    const struct metric *metric = take(f, &hits);
    assert_int_equal(metric->samples, 2);
    assert_true(metric->mean == 100.0 * 350 / 400);
    assert_true(metric->total == 350);
    assert_true(metric->min == 50);
    assert_true(metric->max == 100);
    assert_int_equal(metric->points_count, 2);
}

static void
a_level_is_averaged(void **state)
{
    struct fixture *f = *state;

    feed(f, &memory, 9 * S, 8, 0);
    feed(f, &memory, 10 * S, 7, 0);
    series_window(f->set, true, 10 * S);
    feed(f, &memory, 11 * S, 3, 0);
    feed(f, &memory, 12 * S, 5, 0);
    series_window(f->set, false, 12 * S);
    feed(f, &memory, 13 * S, 100, 0);
    const struct metric *metric = take(f, &memory);
    assert_int_equal(metric->samples, 2);
    assert_true(metric->mean == 4096);
    assert_true(metric->first == 7168);
    assert_true(metric->last == 5120);
    assert_true(metric->total == 0);
    assert_int_equal(metric->points_count, 5);
}

/* pg_stat_reset() inside the window, once seen as a fall and once only by its time. */
static void
a_reset_counts_from_zero(void **state)
{
    struct fixture *f = *state;

    feed(f, &wal, 10 * S, 5000, 0);
    series_window(f->set, true, 10 * S);
    feed(f, &wal, 11 * S, 5500, 0);
    feed(f, &wal, 12 * S, 300, 0);
    series_feed(f->set, &wal, 13 * S, &(struct series_reading){.top = 800, .epoch = 77});
    feed(f, &wal, 13 * S, 900, 0); /* the same moment again: nothing */
    const struct metric *metric = take(f, &wal);
    assert_int_equal(metric->resets, 2);
    assert_true(metric->total == 500 + 300 + 800);
    assert_true(metric->min == 300);
}

/* The last look at a window comes soon after the one before: its few events say nothing about the
 * highest rate, but they count. */
static void
a_short_span_is_no_sample(void **state)
{
    struct fixture *f = *state;

    series_free(f->set);
    f->set = series_new(S / 2);
    feed(f, &wal, 10 * S, 0, 0);
    feed(f, &hits, 10 * S, 0, 0);
    series_window(f->set, true, 10 * S);
    feed(f, &hits, 10 * S + 1000, 3, 4);
    feed(f, &wal, 11 * S, 1000, 0);
    feed(f, &wal, 11 * S + 1000, 1100, 0); /* 100,000 a second */
    const struct metric *metric = take(f, &wal);
    assert_int_equal(metric->samples, 1);
    assert_true(metric->max == 1000);
    assert_true(metric->total == 1100);
    assert_int_equal(metric->points_count, 0); /* one point never changed */
    metric = take(f, &hits);
    assert_int_equal(metric->samples, 1); /* all there is */
    assert_true(metric->mean == 75);
    assert_true(metric->min == 75 && metric->max == 75);
}

/* A wait event that nobody had seen before: it was zero until then. */
static void
a_newborn_counter_was_zero(void **state)
{
    static const struct series_key lock = {METRIC_SERVER, "wait",      "Lock:tuple",
                                           "sessions",    METRIC_RATE, 1};
    struct fixture *f = *state;

    series_window(f->set, true, 10 * S);
    series_feed(f->set, &lock, 15 * S, &(struct series_reading){.top = 2, .since_us = 14 * S});
    series_feed(f->set, &lock, 20 * S, &(struct series_reading){.top = 4, .since_us = 19 * S});
    const struct metric *metric = take(f, &lock);
    assert_true(metric->total == 4);
    assert_true(metric->mean == 0.4); /* of ten seconds, not of six */
    assert_true(metric->min == 0);
    assert_true(metric->max == 2);
}

static void
what_is_missing_says_why(void **state)
{
    static const struct series_key io = {METRIC_SERVER, "io_reads",  "",
                                         "operations",  METRIC_RATE, 1};
    struct fixture *f = *state;

    series_missing(f->set, &io, "the server has no pg_stat_io");
    series_missing(f->set, &wal, "not yet");
    feed(f, &wal, 10 * S, 1, 0);
    series_window(f->set, true, 10 * S);
    feed(f, &wal, 11 * S, 2, 0);
    feed(f, &memory, 9 * S, 1, 0);
    const struct metric *metric = take(f, &io);
    assert_int_equal(f->count, 3);
    assert_int_equal(metric->samples, 0);
    assert_string_equal(metric->missing, "the server has no pg_stat_io");
    metric = take(f, &wal);
    assert_int_equal(metric->samples, 1);
    assert_string_equal(metric->missing, "");
    assert_true(metric == &f->metrics[0]); /* those with figures come first */
}

static void
nothing_in_the_window_is_said(void **state)
{
    struct fixture *f = *state;

    feed(f, &wal, 8 * S, 1, 0);
    feed(f, &wal, 9 * S, 2, 0);
    const struct metric *metric = take(f, &wal);
    assert_int_equal(metric->samples, 0);
    assert_string_equal(metric->missing, "nothing of it in the measured window");
}

static void
points_are_bounded(void **state)
{
    struct fixture *f = *state;

    for (int i = 0; i < 10 * METRIC_POINTS_MAX; i++)
        feed(f, &memory, (10 + i) * S, i, 0);
    feed(f, &wal, 10 * S, 4, 0);
    series_window(f->set, true, 10 * S);
    feed(f, &wal, 11 * S, 4, 0);
    feed(f, &wal, 12 * S, 4, 0);
    feed(f, &memory, 9000 * S, 5000, 0);
    const struct metric *metric = take(f, &memory);
    assert_in_range(metric->points_count, METRIC_POINTS_MAX / 2 - 1, METRIC_POINTS_MAX);
    /* 6000 readings: sixteen make a point. The first is the mean of 0 to 15, at the last of them.
     */
    assert_int_equal(metric->points_count, 375);
    assert_true(metric->points[0].value == 7.5 * 1024);
    assert_int_equal(metric->points[0].at_us, 15 * S);
    assert_true(metric->points[374].value == (5984 + 7.5) * 1024);
    metric = take(f, &wal);
    assert_int_equal(metric->samples, 2);
    assert_int_equal(metric->points_count, 0); /* it never changed */
}

static void
metrics_are_bounded(void **state)
{
    struct fixture *f = *state;
    char name[32];

    for (int second = 10; second < 13; second++) {
        if (second == 11)
            series_window(f->set, true, 10 * S);
        for (int i = 0; i < METRICS_MAX + 10; i++) {
            snprintf(name, sizeof name, "cpu%d", i);
            feed(f,
                 &(struct series_key){METRIC_DRIVER_HOST, "cpu_busy", name, "percent", METRIC_LEVEL,
                                      1},
                 second * S, i + second, 0);
        }
    }
    f->metrics = series_take(f->set, &f->arena, 0, &f->count);
    assert_int_equal(f->count, METRICS_MAX + 1);
    assert_string_equal(f->metrics[METRICS_MAX].name, "metrics");
    assert_string_equal(f->metrics[METRICS_MAX].missing, "there are more than 4096");
    int pointed = 0;
    for (int i = 0; i < f->count; i++)
        pointed += f->metrics[i].points_count > 0;
    assert_int_equal(pointed, METRICS_POINTED_MAX);
    assert_true(f->metrics[4000].mean == 4011.5);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_rate_is_growth_over_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_share_is_growth_over_growth, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_level_is_averaged, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_reset_counts_from_zero, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_short_span_is_no_sample, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_newborn_counter_was_zero, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_missing_says_why, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing_in_the_window_is_said, set_up, tear_down),
        cmocka_unit_test_setup_teardown(points_are_bounded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(metrics_are_bounded, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("series", tests, NULL, NULL);
}
