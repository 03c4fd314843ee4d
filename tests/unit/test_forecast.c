/* When the plan warns, by figures made for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "profiles/forecast.h"

#define GB (INT64_C(1) << 30)

/* 100 GB of data. */
static struct forecast
plain(void)
{
    return (struct forecast){.warehouses = 1000,
                             .size = {.heap_bytes = 90 * GB, .index_bytes = 10 * GB},
                             .unavailable = "",
                             .no_probe = ""};
}

static void
expect(const struct forecast *forecast, const char *part)
{
    const char *warnings[FORECAST_WARNINGS_MAX];
    struct arena arena = {0};
    int count = forecast_warnings(forecast, &arena, warnings);

    assert_int_equal(count, part != NULL);
    if (part && !strstr(warnings[0], part))
        fail_msg("%s", warnings[0]);
    arena_free(&arena);
}

static void
nothing_known_nothing_said(void **state)
{
    struct forecast forecast = plain();
    (void)state;

    expect(&forecast, NULL);
}

static void
disk(void **state)
{
    struct forecast forecast = plain();
    (void)state;

    forecast.disk_free_bytes = 99 * GB;
    expect(&forecast, "100 GB do not fit into the 99 GB that are free");
    forecast.disk_free_bytes = 199 * GB;
    expect(&forecast, "100 GB fill over half of the 199 GB that are free");
    forecast.disk_free_bytes = 200 * GB;
    expect(&forecast, NULL);
    forecast.built_bytes = 110 * GB; /* and is not among what is free */
    forecast.disk_free_bytes = 1 * GB;
    expect(&forecast, NULL);
    forecast.copied = true;
    expect(&forecast, "100 GB, with the copy that steps run in, do not fit into the 1.0 GB");
    forecast.copied = false;
    forecast.built_bytes = 0;
    forecast.disk_free_bytes = 200 * GB;
    /* A copy takes as much again. */
    forecast.copied = true;
    expect(&forecast, "200 GB, with the copy that steps run in, fill over half of the 200 GB");
    forecast.disk_free_bytes = 199 * GB;
    expect(&forecast, "200 GB, with the copy that steps run in, do not fit into the 199 GB");
    forecast.disk_free_bytes = 400 * GB;
    expect(&forecast, NULL);
}

static void
memory(void **state)
{
    struct forecast forecast = plain();
    (void)state;

    forecast.memory_bytes = 20 * GB;
    expect(&forecast, "5.0 times the memory");
    forecast.memory_bytes = 25 * GB;
    forecast.effective_cache_bytes = 1 * GB; /* what is known of the machine counts */
    expect(&forecast, NULL);
    forecast.memory_bytes = 0;
    expect(&forecast, "100.0 times the memory");
    forecast.effective_cache_bytes = 0;
    forecast.shared_buffers_bytes = 400 * GB;
    expect(&forecast, "fill 25 % of shared_buffers");
    forecast.shared_buffers_bytes = 200 * GB;
    expect(&forecast, NULL);
    /* The kernel keeps what shared_buffers do not. */
    forecast.memory_bytes = 400 * GB;
    expect(&forecast, NULL);
    forecast.memory_bytes = 500 * GB;
    expect(&forecast, "fill 20 % of the memory");
}

static void
virtual_users(void **state)
{
    struct forecast forecast = plain();
    (void)state;

    forecast.virtual_users = 1000;
    expect(&forecast, NULL);
    forecast.virtual_users = 1001;
    expect(&forecast, "1001 virtual users share 1000 warehouses, 0 % of them a home with another");
    forecast.warehouses = 10;
    forecast.virtual_users = 15; /* five homes have two, five one */
    expect(&forecast, "15 virtual users share 10 warehouses, 67 % of them a home with another");
}

static void
window(void **state)
{
    struct forecast forecast = plain();
    (void)state;

    forecast.window_us = 300000000;
    expect(&forecast, NULL); /* nothing is known of the server */
    forecast.checkpoint_cycle_us = 300000000;
    expect(&forecast, NULL);
    forecast.window_us = 180000000;
    expect(&forecast, "a window of 3m is shorter than the 5m from one checkpoint to the next");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_known_nothing_said),
        cmocka_unit_test(disk),
        cmocka_unit_test(memory),
        cmocka_unit_test(virtual_users),
        cmocka_unit_test(window),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
