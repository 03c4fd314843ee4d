/* Percentiles against sorted exact values, merging, and the stored form against hostile bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/hist.h"
#include "common/rng.h"

#define VALUES 20000

static struct hist hist, other, third;
static int64_t values[VALUES];

static int
compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Values spread evenly over the orders of magnitude from 1 us to 2^39 us. */
static void
fill(uint64_t stream)
{
    struct rng rng;

    hist_clear(&hist);
    rng_seed(&rng, 42, RNG_BOOTSTRAP, stream);
    for (int i = 0; i < VALUES; i++) {
        int64_t high = INT64_C(1) << rng_range(&rng, 0, 39);
        values[i] = rng_range(&rng, high / 2, high - 1);
        hist_record(&hist, values[i]);
    }
    qsort(values, VALUES, sizeof *values, compare);
}

static void
buckets_tile_the_range(void **state)
{
    (void)state;
    assert_int_equal(hist_bucket_low_us(0), 0);
    for (int i = 0; i < HIST_BUCKETS; i++) {
        int64_t low_us = hist_bucket_low_us(i), end_us = hist_bucket_end_us(i);
        assert_true(low_us < end_us);
        if (i > 0)
            assert_int_equal(low_us, hist_bucket_end_us(i - 1));
        /* Width at most 1/128 of the lowest value; single values below 256. */
        assert_true(end_us - low_us == 1 || (end_us - low_us) * 128 <= low_us);
        hist_clear(&hist);
        hist_record(&hist, low_us);
        hist_record(&hist, end_us - 1);
        assert_int_equal(hist.buckets[i], 2);
    }
    assert_true(hist_bucket_end_us(HIST_BUCKETS - 1) == INT64_C(1) << 39);
}

static void
percentiles_are_within_the_error(void **state)
{
    (void)state;
    fill(0);
    for (int i = 1; i <= 1000; i++) {
        int64_t exact_us = values[VALUES / 1000 * i - 1];
        int64_t told_us = hist_percentile_us(&hist, i / 1000.0);
        assert_true(told_us >= exact_us);
        assert_true((told_us - exact_us) * 128 <= exact_us);
    }
    assert_int_equal(hist_percentile_us(&hist, 1.0), values[VALUES - 1]);
    assert_int_equal(hist_percentile_us(&hist, 0.0), values[0]);
}

static void
small_values_are_exact(void **state)
{
    (void)state;
    hist_clear(&hist);
    for (int i = 1; i <= 100; i++)
        hist_record(&hist, i);
    /* i / 100 is not exact in binary; the rank must come out as i all the same. */
    for (int i = 1; i <= 100; i++)
        assert_int_equal(hist_percentile_us(&hist, i / 100.0), i);
    assert_int_equal(hist_percentile_us(&hist, 0.901), 91);
    assert_true(hist_mean_us(&hist) == 50.5);
}

static void
edges_of_percentiles(void **state)
{
    (void)state;
    hist_clear(&hist);
    assert_int_equal(hist_percentile_us(&hist, 0.5), 0);
    assert_true(hist_mean_us(&hist) == 0);
    hist_record(&hist, 1000003);
    assert_int_equal(hist_percentile_us(&hist, 0.0), 1000003);
    assert_int_equal(hist_percentile_us(&hist, 0.5), 1000003);
    assert_int_equal(hist_percentile_us(&hist, 1.0), 1000003);
    hist_record(&hist, -5);
    assert_int_equal(hist.min_us, 0);
    assert_int_equal(hist_percentile_us(&hist, 0.5), 0);
    assert_int_equal(hist_percentile_us(&hist, 0.51), 1000003);
}

static void
long_and_endless_values(void **state)
{
    const int64_t two_hours_us = INT64_C(7200000000);

    (void)state;
    hist_clear(&hist);
    hist_record(&hist, 1);
    hist_record(&hist, two_hours_us);
    hist_record(&hist, two_hours_us + 1);
    int64_t told_us = hist_percentile_us(&hist, 0.6);
    assert_true(told_us >= two_hours_us && (told_us - two_hours_us) * 128 < two_hours_us);
    assert_int_equal(hist_percentile_us(&hist, 1.0), two_hours_us + 1);

    /* Past the last bucket: only the largest is known, and the sum does not wrap. */
    hist_record(&hist, INT64_MAX - 1);
    hist_record(&hist, INT64_MAX);
    assert_int_equal(hist.buckets[HIST_BUCKETS - 1], 2);
    assert_true(hist.max_us == INT64_MAX && hist.sum_us == INT64_MAX);
    assert_true(hist_percentile_us(&hist, 0.8) == INT64_MAX);
}

/* One virtual user whose only call takes 60 s beside three with 10,000 calls of 1 ms: of all calls
 * 99 of 100 take 1 ms, where the mean of the four percentiles would be 15 s. */
static void
percentiles_are_of_all_calls_not_of_virtual_users(void **state)
{
    (void)state;
    hist_clear(&hist);
    hist_record(&hist, 60000000);
    for (int user = 0; user < 3; user++) {
        hist_clear(&other);
        for (int call = 0; call < 10000; call++)
            hist_record(&other, 1000);
        hist_merge(&hist, &other);
    }
    assert_int_equal(hist.count, 30001);
    assert_in_range(hist_percentile_us(&hist, 0.99), 1000, 1007);
    assert_in_range(hist_percentile_us(&hist, 0.9999), 1000, 1007);
    assert_int_equal(hist_percentile_us(&hist, 1.0), 60000000);
}

static void
merge_is_the_record_of_all(void **state)
{
    (void)state;
    hist_clear(&other);
    hist_clear(&third);
    fill(1);
    for (int i = 0; i < VALUES; i++)
        hist_record(i % 3 ? &other : &third, values[i]);
    hist_merge(&other, &third);
    assert_memory_equal(&other, &hist, sizeof hist);

    hist_clear(&third);
    hist_merge(&other, &third);
    assert_memory_equal(&other, &hist, sizeof hist);
    hist_merge(&third, &other);
    assert_memory_equal(&third, &hist, sizeof hist);
}

static void
stored_form_comes_back(void **state)
{
    struct buf out = {0};
    struct err err;

    (void)state;
    hist_clear(&hist);
    hist_encode(&hist, &out);
    assert_int_equal(out.length, 2);
    assert_true(hist_decode(&other, out.data, out.length, &err));
    assert_memory_equal(&other, &hist, sizeof hist);

    fill(2);
    hist_record(&hist, INT64_MAX);
    buf_clear(&out);
    hist_encode(&hist, &out);
    assert_true(hist_decode(&other, out.data, out.length, &err));
    assert_memory_equal(&other, &hist, sizeof hist);
    buf_free(&out);
}

/* Version 1; count 3; min 5, max 200 (two bytes), sum 210; bucket 5 (6th after -1) twice, bucket
 * 200 = 128 + 72 (octave 0), 195 after that, once. */
static const unsigned char sample[] = {1, 3, 5, 0xC8, 1, 0xD2, 1, 6, 2, 0xC3, 1, 1};

static void
stored_form_is_as_documented(void **state)
{
    struct buf out = {0};

    (void)state;
    hist_clear(&hist);
    hist_record(&hist, 5);
    hist_record(&hist, 200);
    hist_record(&hist, 5);
    hist_encode(&hist, &out);
    assert_int_equal(out.length, sizeof sample);
    assert_memory_equal(out.data, sample, sizeof sample);
    buf_free(&out);
}

static void
is_refused(const unsigned char *data, size_t size)
{
    static const struct hist empty;
    struct err err = {0};

    memset(&other, 0xA5, sizeof other);
    if (hist_decode(&other, data, size, &err))
        fail_msg("%zu bytes are taken", size);
    assert_int_equal(err.code, ERR_LOCAL);
    assert_memory_equal(&other, &empty, sizeof empty);
}

static void
truncated_forms_are_refused(void **state)
{
    (void)state;
    for (size_t size = 0; size < sizeof sample; size++) {
        /* A copy of exactly that size, so that a sanitizer sees a read past it. */
        unsigned char *copy = malloc(size ? size : 1);
        assert_non_null(copy);
        memcpy(copy, sample, size);
        is_refused(copy, size);
        free(copy);
    }
}

#define REFUSE(...)                                                                                \
    do {                                                                                           \
        static const unsigned char bytes[] = {__VA_ARGS__};                                        \
        is_refused(bytes, sizeof bytes);                                                           \
    } while (0)

static void
hostile_forms_are_refused(void **state)
{
    (void)state;
    REFUSE(2, 0);                                              /* another version */
    REFUSE(1, 0, 0);                                           /* bytes after an empty one */
    REFUSE(1, 4, 5, 0xC8, 1, 0xD2, 1, 6, 2, 0xC3, 1, 1);       /* one value short of the count */
    REFUSE(1, 2, 5, 0xC8, 1, 0xD2, 1, 6, 2, 0xC3, 1, 1);       /* one too many */
    REFUSE(1, 3, 6, 0xC8, 1, 0xD2, 1, 6, 2, 0xC3, 1, 1);       /* min in another bucket */
    REFUSE(1, 3, 5, 0xC9, 1, 0xD2, 1, 6, 2, 0xC3, 1, 1);       /* max in another bucket */
    REFUSE(1, 3, 5, 0xC8, 1, 14, 6, 2, 0xC3, 1, 1);            /* sum below 3 times min */
    REFUSE(1, 3, 5, 0xC8, 1, 0xD9, 4, 6, 2, 0xC3, 1, 1);       /* sum above 3 times max */
    REFUSE(1, 3, 5, 0xC8, 1, 0xD2, 1, 6, 2, 0, 1);             /* the same bucket again */
    REFUSE(1, 3, 5, 0xC8, 1, 0xD2, 1, 6, 2, 0xC3, 1, 1, 1, 0); /* a bucket with nothing in it */
    REFUSE(1, 1, 0, 0, 0, 0x81, 0x21, 1);                      /* bucket 4224: one past the last */
    REFUSE(1, 1, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1, 1);
    /* More than 64 bits, without end, and counts that add up only modulo 2^64. */
    REFUSE(1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 2);
    REFUSE(1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF);
    REFUSE(1, 1, 5, 6, 11, 6, 2, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1);
    /* A negative min. */
    REFUSE(1, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1, 5, 5, 6, 1);
}

/* Every single byte changed to every value: what is taken must be consistent in itself. */
static void
damaged_forms_never_contradict_themselves(void **state)
{
    struct err err;

    (void)state;
    for (size_t at = 0; at < sizeof sample; at++) {
        for (int byte = 0; byte < 256; byte++) {
            unsigned char copy[sizeof sample];
            uint64_t sum = 0;
            memcpy(copy, sample, sizeof sample);
            copy[at] = (unsigned char)byte;
            if (!hist_decode(&other, copy, sizeof copy, &err))
                continue;
            for (int i = 0; i < HIST_BUCKETS; i++)
                sum += other.buckets[i];
            assert_true(sum == other.count && other.min_us <= other.max_us);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buckets_tile_the_range),
        cmocka_unit_test(percentiles_are_within_the_error),
        cmocka_unit_test(small_values_are_exact),
        cmocka_unit_test(edges_of_percentiles),
        cmocka_unit_test(long_and_endless_values),
        cmocka_unit_test(percentiles_are_of_all_calls_not_of_virtual_users),
        cmocka_unit_test(merge_is_the_record_of_all),
        cmocka_unit_test(stored_form_comes_back),
        cmocka_unit_test(stored_form_is_as_documented),
        cmocka_unit_test(truncated_forms_are_refused),
        cmocka_unit_test(hostile_forms_are_refused),
        cmocka_unit_test(damaged_forms_never_contradict_themselves),
    };
    return cmocka_run_group_tests_name("hist", tests, NULL, NULL);
}
