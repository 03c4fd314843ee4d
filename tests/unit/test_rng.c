/* The generator against values of the published algorithms, computed apart; uniformity and
 * independence by chi-square. Seeds are fixed, so a result never depends on luck. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/rng.h"

static void
generator_gives_the_published_sequence(void **state)
{
    static const uint64_t expected[] = {
        UINT64_C(11520),
        UINT64_C(0),
        UINT64_C(1509978240),
        UINT64_C(1215971899390074240),
        UINT64_C(1216172134540287360),
        UINT64_C(607988272756665600),
        UINT64_C(16172922978634559625),
        UINT64_C(8476171486693032832),
        UINT64_C(10595114339597558777),
        UINT64_C(2904607092377533576),
    };
    struct rng rng = {.state = {1, 2, 3, 4}};

    (void)state;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_true(rng_next(&rng) == expected[i]);
}

/* From a separate implementation: the name is put through SplitMix64 part by part, then four of
 * its outputs are the state. These values decide the data: they may never change. */
static void
streams_begin_as_they_always_did(void **state)
{
    static const struct {
        uint64_t seed;
        enum rng_purpose purpose;
        uint64_t index, first, second, third;
    } streams[] = {
        {42, RNG_CONSTANTS, 0, UINT64_C(0x7f2481033c03b875), UINT64_C(0xe20c1c6323b6d2ab),
         UINT64_C(0xc4c23932ac5492a9)},
        {42, RNG_TERMINAL, 7, UINT64_C(0x701ffeb3896ec2f2), UINT64_C(0xca83802c192fed4c),
         UINT64_C(0x5f404d793921dc22)},
        {0, RNG_CONSTANTS, 0, UINT64_C(0xdf451236514033b2), UINT64_C(0x445957a162aa3225),
         UINT64_C(0x9fb40edbb5ef9e4e)},
        {UINT64_MAX, RNG_SCHEDULE, UINT64_MAX, UINT64_C(0xa56e00acd2e546e4),
         UINT64_C(0xfea2b3493c703797), UINT64_C(0xf0ad9bfc06197088)},
    };
    struct rng rng;

    (void)state;
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
        rng_seed(&rng, streams[i].seed, streams[i].purpose, streams[i].index);
        assert_true(rng_next(&rng) == streams[i].first);
        assert_true(rng_next(&rng) == streams[i].second);
        assert_true(rng_next(&rng) == streams[i].third);
    }
}

#define DRAWS 1000000

static double
chi_square(const unsigned *counts, int cells, double expected)
{
    double sum = 0;

    for (int i = 0; i < cells; i++)
        sum += (counts[i] - expected) * (counts[i] - expected) / expected;
    return sum;
}

/* Limits: the 0.1 % and 99.9 % quantiles of chi-square, 99 and 999 degrees of freedom. Too even is
 * as wrong as too uneven. */
static void
ranges_are_uniform(void **state)
{
    static unsigned counts[1000];
    struct rng rng;

    (void)state;
    rng_seed(&rng, 42, RNG_ITEM, 0);
    for (int i = 0; i < DRAWS; i++) {
        int64_t value = rng_range(&rng, -500, 499);
        assert_in_range(value + 500, 0, 999);
        counts[value + 500]++;
    }
    double sum = chi_square(counts, 1000, DRAWS / 1000.0);
    assert_true(sum > 865.0 && sum < 1143.9);
}

/* Over 3/4 of all 64-bit values, a plain modulo would draw a third of the range twice as often. */
static void
wide_ranges_are_not_biased(void **state)
{
    unsigned counts[3] = {0};
    struct rng rng;
    const int64_t high = INT64_MAX / 2;

    (void)state;
    rng_seed(&rng, 42, RNG_ITEM, 1);
    uint64_t span = (uint64_t)high - (uint64_t)INT64_MIN;
    for (int i = 0; i < 300000; i++) {
        uint64_t offset = (uint64_t)rng_range(&rng, INT64_MIN, high) - (uint64_t)INT64_MIN;
        assert_true(offset <= span);
        counts[offset / (span / 3 + 1)]++;
    }
    /* 99.9 % quantile, 2 degrees of freedom. */
    assert_true(chi_square(counts, 3, 100000) < 13.82);
}

static void
reals_are_uniform_and_below_one(void **state)
{
    static unsigned counts[100];
    struct rng rng;

    (void)state;
    rng_seed(&rng, 42, RNG_ITEM, 2);
    for (int i = 0; i < DRAWS; i++) {
        double value = rng_real(&rng);
        assert_true(value >= 0 && value < 1);
        counts[(int)(value * 100)]++;
    }
    double sum = chi_square(counts, 100, DRAWS / 100.0);
    assert_true(sum > 60.1 && sum < 148.3);
}

/* Cell (x, y) of two streams' draws: neighbours in index, in purpose and in seed must not know of
 * each other. 99 degrees of freedom. */
static void
streams_are_independent(void **state)
{
    static const struct {
        uint64_t seed;
        enum rng_purpose purpose;
        uint64_t index;
    } others[] = {
        {42, RNG_STOCK, 8}, {42, RNG_TERMINAL, 7}, {43, RNG_STOCK, 7}, {7, RNG_STOCK, 42}};

    (void)state;
    for (size_t other = 0; other < sizeof others / sizeof *others; other++) {
        unsigned counts[100] = {0};
        struct rng a, b;
        rng_seed(&a, 42, RNG_STOCK, 7);
        rng_seed(&b, others[other].seed, others[other].purpose, others[other].index);
        for (int i = 0; i < 100000; i++)
            counts[rng_range(&a, 0, 9) * 10 + rng_range(&b, 0, 9)]++;
        double sum = chi_square(counts, 100, 1000);
        assert_true(sum > 60.1 && sum < 148.3);
    }
}

/* The first draws of 100000 streams that differ in index alone, as one sequence. */
static void
first_draws_of_streams_are_uniform(void **state)
{
    unsigned counts[100] = {0};
    struct rng rng;

    (void)state;
    for (uint64_t index = 0; index < 100000; index++) {
        rng_seed(&rng, 1, RNG_ORDER, index);
        counts[rng_range(&rng, 0, 99)]++;
    }
    double sum = chi_square(counts, 100, 1000);
    assert_true(sum > 60.1 && sum < 148.3);
}

static void
ends_of_the_range(void **state)
{
    struct rng rng;
    bool low = false, high = false;

    (void)state;
    rng_seed(&rng, 42, RNG_ITEM, 3);
    assert_int_equal(rng_range(&rng, 5, 5), 5);
    for (int i = 0; i < 100; i++) {
        int64_t value = rng_range(&rng, 1, 2);
        low |= value == 1;
        high |= value == 2;
    }
    assert_true(low && high);
    /* All of int64_t: both signs turn up. */
    low = high = false;
    for (int i = 0; i < 100; i++) {
        int64_t value = rng_range(&rng, INT64_MIN, INT64_MAX);
        low |= value < 0;
        high |= value > 0;
    }
    assert_true(low && high);
}

static void
percentages(void **state)
{
    struct rng rng;
    int hits = 0;

    (void)state;
    rng_seed(&rng, 42, RNG_ITEM, 4);
    for (int i = 0; i < 1000; i++) {
        assert_false(rng_percent(&rng, 0));
        assert_true(rng_percent(&rng, 100));
    }
    for (int i = 0; i < 100000; i++)
        hits += rng_percent(&rng, 10);
    /* 10000 with a standard deviation of 94.9; four of them. */
    assert_in_range(hits, 9620, 10380);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generator_gives_the_published_sequence),
        cmocka_unit_test(streams_begin_as_they_always_did),
        cmocka_unit_test(ranges_are_uniform),
        cmocka_unit_test(wide_ranges_are_not_biased),
        cmocka_unit_test(reals_are_uniform_and_below_one),
        cmocka_unit_test(streams_are_independent),
        cmocka_unit_test(first_draws_of_streams_are_uniform),
        cmocka_unit_test(ends_of_the_range),
        cmocka_unit_test(percentages),
    };
    return cmocka_run_group_tests_name("rng", tests, NULL, NULL);
}
