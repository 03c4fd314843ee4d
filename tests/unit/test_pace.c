/* Waits of terminals against TPC-C 5.2.5, and that those that begin together do not come together.
 * Distributions are judged by Kolmogorov and Smirnov and by chi-square; seeds are fixed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "common/stats.h"
#include "driver/pace.h"

enum { DRAWS = 10000, MANY = 1000000, STARTS = 200000, BINS = 20 };

static int
compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

/* The asymptotic distribution of the largest distance (Kolmogorov 1933), corrected for the size of
 * the sample (Stephens 1970). */
static double
kolmogorov_p(double distance, int count)
{
    double root = sqrt(count), t = (root + 0.12 + 0.11 / root) * distance, p = 0;

    for (int k = 1; k <= 100; k++)
        p += (k % 2 ? 2 : -2) * exp(-2.0 * k * k * t * t);
    return p;
}

/* The largest distance of the sample from an exponential distribution of that mean, cut at ten
 * times of it. */
static double
distance_from_exponential(double *sample, int count, double mean)
{
    double largest = 0;

    qsort(sample, (size_t)count, sizeof *sample, compare);
    for (int i = 0; i < count; i++) {
        double expected = sample[i] < 10 * mean ? 1 - exp(-sample[i] / mean) : 1;
        largest = fmax(largest, fabs((double)(i + 1) / count - expected));
        largest = fmax(largest, fabs((double)i / count - expected));
    }
    return largest;
}

static void
think_times_are_exponential(void **state)
{
    static const double mean_s[TXN_TYPES] = {12, 12, 10, 5, 5};
    double *sample = malloc(DRAWS * sizeof *sample);
    struct rng rng;

    (void)state;
    assert_non_null(sample);
    rng_seed(&rng, 42, RNG_PACE, 0);
    for (int type = 0; type < TXN_STANDARD; type++) {
        for (int i = 0; i < DRAWS; i++)
            sample[i] = (double)pace_think_us(1, (enum txn_type)type, &rng);
        double distance = distance_from_exponential(sample, DRAWS, mean_s[type] * 1e6);
        assert_true(kolmogorov_p(distance, DRAWS) > 0.01);
    }
    free(sample);
}

static void
means_are_within_one_percent_and_nothing_is_past_ten_means(void **state)
{
    static const double mean_s[TXN_TYPES] = {12, 12, 10, 5, 5};
    struct rng rng;

    (void)state;
    rng_seed(&rng, 42, RNG_PACE, 1);
    for (int type = 0; type < TXN_STANDARD; type++) {
        double sum_us = 0;
        int64_t longest_us = 0;
        for (int i = 0; i < MANY; i++) {
            int64_t think_us = pace_think_us(1, (enum txn_type)type, &rng);
            assert_true(think_us >= 0);
            sum_us += (double)think_us;
            longest_us = think_us > longest_us ? think_us : longest_us;
        }
        assert_true(fabs(sum_us / MANY / 1e6 / mean_s[type] - 1) < 0.01);
        /* e^-10: about 45 draws of a million reach the cut. */
        assert_int_equal(longest_us, (int64_t)(10e6 * mean_s[type]));
    }
}

static void
keying_times_are_constant_and_the_factor_scales_both(void **state)
{
    static const int64_t keying_s[TXN_TYPES] = {18, 3, 2, 2, 2};
    struct rng a, b;

    (void)state;
    rng_seed(&a, 7, RNG_PACE, 0);
    b = a;
    for (int type = 0; type < TXN_STANDARD; type++) {
        assert_int_equal(pace_keying_us(1, (enum txn_type)type), keying_s[type] * 1000000);
        assert_int_equal(pace_keying_us(0.25, (enum txn_type)type), keying_s[type] * 250000);
        double whole = (double)pace_think_us(1, (enum txn_type)type, &a);
        double quarter = (double)pace_think_us(0.25, (enum txn_type)type, &b);
        assert_true(fabs(whole - 4 * quarter) <= 4);
    }
}

static double
uniform_p(const int *counts, int bins, double expected)
{
    double statistic = 0;

    for (int i = 0; i < bins; i++)
        statistic += (counts[i] - expected) * (counts[i] - expected) / expected;
    return stats_chi_square_p(statistic, bins - 1);
}

/* In equilibrium the rest of a wait exceeds t with the density P(wait > t) / mean: over the first
 * two seconds, which every cycle exceeds, it is flat, and a terminal comes in them with a
 * probability of 2 s / 20.99 s (the mean cycle: 0.45 * 30 + 0.43 * 15 + 0.04 * (12 + 7 + 7)). */
static void
the_first_waits_are_those_of_a_load_that_never_began(void **state)
{
    int counts[BINS] = {0}, dealt[TXN_TYPES] = {0}, early = 0;
    double expected = STARTS * 2.0 / 20.99, statistic = 0;
    struct rng rng;

    (void)state;
    rng_seed(&rng, 42, RNG_PACE, 2);
    for (int i = 0; i < STARTS; i++) {
        struct pace_start start = pace_start(1, mix_standard, &rng);
        assert_in_range(start.wait_us, 0, 138000000);
        if (start.wait_us >= 2000000)
            continue;
        early++;
        counts[start.wait_us * BINS / 2000000]++;
        dealt[start.type]++;
    }
    assert_true(fabs(early - expected) < 4 * sqrt(expected));
    assert_true(uniform_p(counts, BINS, early / (double)BINS) > 0.001);
    for (int type = 0; type < TXN_STANDARD; type++) {
        double due = early * mix_standard[type] / 100.0;
        statistic += (dealt[type] - due) * (dealt[type] - due) / due;
    }
    assert_true(stats_chi_square_p(statistic, TXN_STANDARD - 1) > 0.001);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(think_times_are_exponential),
        cmocka_unit_test(means_are_within_one_percent_and_nothing_is_past_ten_means),
        cmocka_unit_test(keying_times_are_constant_and_the_factor_scales_both),
        cmocka_unit_test(the_first_waits_are_those_of_a_load_that_never_began),
    };

    return cmocka_run_group_tests_name("pace", tests, NULL, NULL);
}
