/* What few runs say, against published tables, values by hand, and simulation. How often the
 * intervals hold is test_coverage.c's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>

#include <cmocka.h>

#include "common/stats_sample.h"
#include "tests/unit/series.h"

static void
near(double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance))
        fail_msg("%.9g is not within %g of %.9g", found, tolerance, expected);
}

/* With as many values and equal relative spread there are 4 degrees of freedom; with no spread on
 * one side those of the other. Of two runs nobody can tell how far they spread. */
static void
ratio_by_hand(void **state)
{
    const double a[] = {99, 100, 101}, b[] = {50, 50, 50}, none[] = {0, 0, 0};
    const double wide[] = {90, 100, 110}, half[] = {45, 50, 55}, still[] = {5, 5, 5};
    (void)state;

    struct stats_interval interval = stats_ratio_interval(wide, 3, half, 3, 0.95);
    near(log(interval.low / 2), -2.7764 * sqrt(0.02 / 3), 1e-5);
    near(log(interval.high / 2), 2.7764 * sqrt(0.02 / 3), 1e-5);
    interval = stats_ratio_interval(wide, 3, still, 3, 0.95);
    near(log(interval.high / 20), 4.3027 * sqrt(0.01 / 3), 1e-5);
    interval = stats_ratio_interval(still, 3, still, 3, 0.95);
    assert_true(interval.valid);
    near(interval.low, 1, 0);
    interval = stats_ratio_interval(a, 3, b, 3, 0.95);
    near(interval.low, 2 * exp(-4.302653 * 0.01 / sqrt(3)), 1e-5);
    near(interval.high, 2 * exp(4.302653 * 0.01 / sqrt(3)), 1e-5);
    struct stats_interval turned = stats_ratio_interval(b, 3, a, 3, 0.95);
    near(turned.low, 1 / interval.high, 1e-12);
    near(turned.high, 1 / interval.low, 1e-12);
    assert_false(stats_ratio_interval(a, 3, none, 3, 0.95).valid);
    assert_false(stats_ratio_interval(a, 3, b, 2, 0.95).valid);
    assert_false(stats_ratio_interval(a, 2, b, 3, 0.95).valid);
}

/* Two builds at 192 and 250 virtual users, two runs each, from a public thread: one seems twice as
 * fast, and nobody can tell. */
static void
two_runs_each_tell_nothing(void **state)
{
    const double few[] = {1172413, 1578301}, many[] = {828171, 494046};
    (void)state;

    assert_false(stats_ratio_interval(few, 2, many, 2, 0.95).valid);
}

/* Quantiles of Student's t as printed: at 2 degrees of freedom t(0.975) = 4.302653 and t(0.9875) =
 * 6.205347; at 1, t(0.95) = 6.313752. Pairs of levels that are parted or not by hand: means 100 and
 * 96 with a standard deviation of 1 each, 4 degrees of freedom, 4 / sqrt(2 / 3) = 4.90 > 2.776. */
static void
highest_by_hand(void **state)
{
    const double best[] = {99, 100, 101}, near_it[] = {98, 99, 100}, below[] = {95, 96, 97};
    const double once[] = {98}, once_below[] = {90}, still[] = {5, 5, 5}, lower[] = {4, 4, 4};
    const struct stats_runs levels[] = {
        {near_it, 3}, {best, 3}, {below, 3}, {once, 1}, {once_below, 1}};
    const struct stats_runs quiet[] = {{still, 3}, {lower, 3}, {still, 3}},
                            pair[] = {{still, 2}, {lower, 2}};
    (void)state;

    assert_int_equal(stats_rivals(levels, 5, 1, 0.95), 3); /* itself, near_it, once */
    assert_int_equal(stats_rivals(&levels[1], 2, 0, 0.95), 1);
    assert_int_equal(stats_rivals(quiet, 3, 0, 0.95), 2);
    /* However far they are apart. */
    assert_int_equal(stats_rivals(pair, 2, 0, 0.95), 2);
    /* Of a highest that ran once nothing is known, and so of no other. */
    assert_int_equal(stats_rivals(&levels[2], 3, 1, 0.95), 3);

    struct stats_interval interval = stats_highest_interval(best, 3, 1, 0.95);
    near(interval.low, 100 - 4.302653 / sqrt(3), 1e-5);
    interval = stats_highest_interval(best, 3, 4, 0.95);
    near(interval.low, 100 - 6.205347 / sqrt(3), 1e-5);
    near(interval.high, 100 + 4.302653 / sqrt(3), 1e-5);
    assert_false(stats_highest_interval(best, 1, 2, 0.95).valid);
    assert_true(stats_highest_interval(best, 2, STATS_RIVALS_OF_TWO, 0.95).valid);
    assert_false(stats_highest_interval(best, 2, STATS_RIVALS_OF_TWO + 1, 0.95).valid);

    /* Two rivals to one share 5 %, which is what the side has anyway; four to one have 1.25 % each.
     */
    const double flat[] = {50, 50, 50};
    interval = stats_highest_ratio_interval(best, 3, 2, flat, 3, 1, 0.95);
    near(interval.low, 2 * exp(-4.302653 * 0.01 / sqrt(3)), 1e-5);
    interval = stats_highest_ratio_interval(best, 3, 4, flat, 3, 1, 0.95);
    near(interval.low, 2 * exp(-6.205347 * 0.01 / sqrt(3)), 1e-5);
    near(interval.high, 2 * exp(4.302653 * 0.01 / sqrt(3)), 1e-5);
    interval = stats_highest_ratio_interval(flat, 3, 1, best, 3, 4, 0.95);
    near(interval.high, 0.5 * exp(6.205347 * 0.01 / sqrt(3)), 1e-5);
}

/* Live figures from a public thread, spoiled by delayed statistics. */
static void
scatter_of_a_public_series(void **state)
{
    const double tpm[] = {132, 187386, 373452, 132, 673050, 271956, 985824, 934848, 958890, 240960};
    (void)state;

    near(stats_mean(tpm, 10), 462663, 1e-6);
    near(stats_cv(tpm, 10), 0.84767, 1e-5);
    near(stats_cv(tpm, 1), 0, 0);
    assert_int_equal(stats_outlier(tpm, 10), -1);
}

/* Runs per group for a power of 80 % at 5 %, two-sided, as in every table since Cohen's: the
 * fewest that are enough. */
static void
detectable_by_table(void **state)
{
    static const struct {
        size_t runs;
        double in_sd;
    } table[] = {{393, 0.2}, {64, 0.5}, {26, 0.8}, {17, 1.0}};
    (void)state;

    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        size_t n = table[i].runs;
        assert_true(stats_detectable(1, INFINITY, n, n, 0.95, 0.8) < 1.01 * table[i].in_sd);
        assert_true(stats_detectable(1, INFINITY, n - 1, n - 1, 0.95, 0.8) > 0.99 * table[i].in_sd);
    }
    near(stats_detectable(3, INFINITY, 64, 64, 0.95, 0.8), 1.5, 0.015);
    near(stats_detectable(1, INFINITY, 2, 5, 0.95, 0.8), 0, 0);
}

/* What a comparison of three and more runs says that it would have shown, the next one shows in 80
 * of 100 cases, if there is that much. */
static void
detectable_by_simulation(void **state)
{
    enum { PAIRS = 5000 };
    static const size_t runs[][2] = {{4, 4}, {3, 3}, {3, 6}, {5, 5}, {10, 10}};
    struct rng rng;
    (void)state;

    rng_seed(&rng, 42, RNG_BOOTSTRAP, 10);
    for (int k = 0; k < 5; k++) {
        size_t n = runs[k][0], m = runs[k][1];
        double a[10], b[10], freedom = (double)(n + m) - 2;
        double in_sd = stats_detectable(1, freedom, n, m, 0.95, 0.8);
        int shown = 0;
        for (int i = 0; i < PAIRS; i++) {
            double squares = 0;
            for (size_t j = 0; j < n + m - 2; j++)
                squares += pow(0.01 * series_normal(&rng), 2);
            double there = exp(in_sd * sqrt(squares / freedom));
            for (size_t j = 0; j < n; j++)
                a[j] = there * (1 + 0.01 * series_normal(&rng));
            for (size_t j = 0; j < m; j++)
                b[j] = 1 + 0.01 * series_normal(&rng);
            shown += stats_ratio_interval(a, n, b, m, 0.95).low > 1;
        }
        near(100.0 * shown / PAIRS, 80, 2);
    }
}

/* Grubbs' two-sided critical values at 1 %, as printed in ASTM E 178. */
static void
outlier_by_table(void **state)
{
    static const struct {
        size_t count;
        double limit;
    } table[] = {{4, 1.496}, {5, 1.764}, {6, 1.973}, {8, 2.274}, {10, 2.482}};
    (void)state;

    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        size_t n = table[i].count;
        double values[10], at = 0;
        for (size_t j = 0; j + 1 < n; j++)
            values[j] = (double)j - (double)(n - 2) / 2; /* evenly about 0 */
        do
            values[n - 1] = at += 0.01;
        while (stats_outlier(values, n) < 0 && at < 1000);
        near((at - stats_mean(values, n)) / stats_sd(values, n), table[i].limit, 0.002);
        assert_int_equal(stats_outlier(values, n), n - 1);
        values[n - 1] = -at;
        assert_int_equal(stats_outlier(values, n), n - 1);
    }
    const double same[] = {5, 5, 5}, two[] = {1, 9};
    assert_int_equal(stats_outlier(same, 3), -1);
    assert_int_equal(stats_outlier(two, 2), -1);
}

static void
two_clusters_are_seen(void **state)
{
    const double parted[] = {131, 100, 132, 102, 130, 101}, four[] = {100, 130.1, 100.1, 130};
    const double even[] = {1, 2, 3, 4, 5, 6, 7, 8}, same[] = {7, 7, 7, 7};
    const double alone[] = {100, 101, 102, 103, 150}; /* an outlier is no cluster */
    (void)state;

    assert_int_equal(stats_two_clusters(parted, 6), 3);
    assert_int_equal(stats_two_clusters(four, 4), 2);
    assert_int_equal(stats_two_clusters(even, 8), 0);
    assert_int_equal(stats_two_clusters(same, 4), 0);
    assert_int_equal(stats_two_clusters(alone, 5), 0);
    assert_int_equal(stats_two_clusters(parted, 3), 0);
}

/* One normal sample in a hundred is called two clusters, and nearly all that are two are. */
static void
clusters_err_in_one_of_a_hundred(void **state)
{
    enum { SAMPLES = 300 };
    struct rng rng;
    int normal = 0, parted = 0;
    (void)state;

    rng_seed(&rng, 42, RNG_BOOTSTRAP, 11);
    for (int i = 0; i < SAMPLES; i++) {
        double one[6], two[6];
        for (int j = 0; j < 6; j++) {
            one[j] = series_normal(&rng);
            two[j] = series_normal(&rng) + (j < 3 ? 15 : 0);
        }
        normal += stats_two_clusters(one, 6) > 0;
        parted += stats_two_clusters(two, 6) == 3;
    }
    assert_in_range(normal, 0, 9);
    assert_true(parted > SAMPLES * 9 / 10);
}

/* 1 to 16 in 8 batches: means 1.5, 3.5, ..., 15.5; their lag-1 correlation is 26.25 / 42, and freed
 * of its bias beyond what is allowed. */
static void
batches_by_hand(void **state)
{
    double values[17];
    (void)state;

    values[0] = 1000; /* does not fill a batch */
    for (int i = 1; i <= 16; i++)
        values[i] = i;
    struct stats_batches found = stats_batch_means(values, 17, 8, 0.95);
    assert_true(found.valid);
    assert_int_equal(found.size, 2);
    near(found.mean, 8.5, 1e-12);
    near(found.lag1, 0.625, 1e-12);
    near(found.interval.high - 8.5, 2.36462 * 2 * sqrt(6) / sqrt(8) * sqrt(1.9 / 0.1), 1e-3);
    assert_false(stats_batch_means(values, 17, 7, 0.95).valid);
    assert_false(stats_batch_means(values, 7, 8, 0.95).valid);
}

/* The bootstrap and Welch's interval say the same of well-behaved samples. */
static void
bootstrap_agrees_with_welch(void **state)
{
    double a[20], b[20];
    struct rng rng;
    (void)state;

    rng_seed(&rng, 42, RNG_BOOTSTRAP, 12);
    for (int i = 0; i < 20; i++) {
        a[i] = 1100 * (1 + 0.03 * series_normal(&rng));
        b[i] = 1000 * (1 + 0.03 * series_normal(&rng));
    }
    struct stats_interval welch = stats_ratio_interval(a, 20, b, 20, 0.95);
    struct stats_interval boot = stats_ratio_bootstrap(a, 20, b, 20, 0.95, 42);
    assert_true(boot.valid);
    near(boot.low, welch.low, 0.004);
    near(boot.high, welch.high, 0.004);
    struct stats_interval again = stats_ratio_bootstrap(a, 20, b, 20, 0.95, 42);
    near(again.low, boot.low, 0);
    assert_false(stats_ratio_bootstrap(a, 4, b, 20, 0.95, 42).valid);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ratio_by_hand),
        cmocka_unit_test(two_runs_each_tell_nothing),
        cmocka_unit_test(highest_by_hand),
        cmocka_unit_test(scatter_of_a_public_series),
        cmocka_unit_test(detectable_by_table),
        cmocka_unit_test(detectable_by_simulation),
        cmocka_unit_test(outlier_by_table),
        cmocka_unit_test(two_clusters_are_seen),
        cmocka_unit_test(clusters_err_in_one_of_a_hundred),
        cmocka_unit_test(batches_by_hand),
        cmocka_unit_test(bootstrap_agrees_with_welch),
    };
    return cmocka_run_group_tests_name("stats_sample", tests, NULL, NULL);
}
