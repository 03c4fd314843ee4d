/* The statistics against published tables, closed forms and published fits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>

#include <cmocka.h>

#include "common/stats.h"
#include "common/stats_fit.h"
#include "common/stats_usl.h"

static void
near(double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance))
        fail_msg("%.9g is not within %g of %.9g", found, tolerance, expected);
}

/* Student's t, 97.5 %, as printed in every table. */
static void
mean_interval_uses_students_t(void **state)
{
    static const struct {
        size_t count;
        double t;
    } table[] = {{2, 12.706}, {3, 4.303}, {5, 2.776}, {10, 2.262}, {30, 2.045}};
    (void)state;

    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        double values[30];
        for (size_t j = 0; j < table[i].count; j++)
            values[j] = j % 2 ? 12 : 8;
        struct stats_interval interval = stats_mean_interval(values, table[i].count, 0.95);
        double half = (interval.high - interval.low) / 2;
        double error = stats_sd(values, table[i].count) / sqrt((double)table[i].count);
        assert_true(interval.valid);
        near(half / error, table[i].t, 0.0005);
    }
}

static void
mean_and_sd_by_hand(void **state)
{
    const double values[] = {1, 2, 3, 4, 5};
    (void)state;

    near(stats_mean(values, 5), 3, 0);
    near(stats_sd(values, 5), sqrt(2.5), 1e-15);
    struct stats_interval interval = stats_mean_interval(values, 5, 0.95);
    near(interval.low, 3 - 1.963, 0.001);
    near(interval.high, 3 + 1.963, 0.001);
}

static void
one_value_has_no_interval(void **state)
{
    const double value = 7;
    (void)state;

    assert_false(stats_mean_interval(&value, 1, 0.95).valid);
    assert_false(stats_mean_interval(NULL, 0, 0.95).valid);
    near(stats_sd(&value, 1), 0, 0);
    near(stats_mean(NULL, 0), 0, 0);
}

/* Two runs of one build, from a public thread: they say next to nothing. */
static void
two_far_runs_have_a_useless_interval(void **state)
{
    const double values[] = {1172413, 1578301};
    (void)state;

    struct stats_interval interval = stats_mean_interval(values, 2, 0.95);
    near(interval.high - interval.low, 2 * 12.7062 * 202944, 20);
    assert_true(interval.low < 0);
}

static void
chi_square_table(void **state)
{
    static const struct {
        double statistic, freedom, p;
    } table[] = {
        {3.841, 1, 0.05},   {11.070, 5, 0.05}, {18.307, 10, 0.05},
        {23.209, 10, 0.01}, {2.558, 10, 0.99}, {43.773, 30, 0.05},
    };
    (void)state;

    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        near(stats_chi_square_p(table[i].statistic, table[i].freedom), table[i].p, 2e-5);
}

/* 95 % limits from the published tables of Clopper and Pearson. */
static void
share_interval_table(void **state)
{
    static const struct {
        double hits, trials, low, high;
    } table[] = {
        {0, 10, 0, 0.3085},        {1, 10, 0.0025, 0.4450},   {5, 10, 0.1871, 0.8129},
        {10, 10, 0.6915, 1},       {2, 20, 0.0123, 0.3170},   {15, 30, 0.3130, 0.6870},
        {50, 100, 0.3983, 0.6017}, {1, 1000, 0.0000, 0.0056},
    };
    (void)state;

    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct stats_interval interval = stats_share_interval(table[i].hits, table[i].trials, 0.95);
        assert_true(interval.valid);
        near(interval.low, table[i].low, 0.00006);
        near(interval.high, table[i].high, 0.00006);
    }
    /* Poisson's limits for 100 seen, by table; and the normal ones for millions. */
    struct stats_interval rare = stats_share_interval(100, 1e9, 0.95);
    near(rare.low * 1e9, 81.36, 0.01);
    near(rare.high * 1e9, 121.63, 0.01);
    struct stats_interval many = stats_share_interval(5e6, 1e7, 0.95);
    near(many.low, 0.5 - 1.95996 * 0.5 / sqrt(1e7), 1e-7);
    near(many.high, 0.5 + 1.95996 * 0.5 / sqrt(1e7), 1e-7);
    assert_false(stats_share_interval(0, 0, 0.95).valid);
    assert_false(stats_share_interval(3, 2, 0.95).valid);
}

/* Mendel's peas, as in every textbook: 9 to 3 to 3 to 1 of 556. */
static void
chi_square_of_mendels_peas(void **state)
{
    const double peas[] = {315, 108, 101, 32}, expected[] = {312.75, 104.25, 104.25, 34.75};
    (void)state;

    struct stats_chi_square found = stats_chi_square(peas, expected, 4);
    assert_true(found.valid);
    near(found.statistic, 0.470, 0.0005);
    near(found.freedom, 3, 0);
    near(found.p, 0.925, 0.0005);
}

static void
chi_square_refuses_thin_classes(void **state)
{
    const double counts[] = {10, 12, 0}, expected[] = {11, 11, 0}, thin[] = {17, 4.9, 0};
    const double stray[] = {10, 11, 1}, one[] = {22, 0, 0}, only[] = {22, 0, 0};
    (void)state;

    assert_true(stats_chi_square(counts, expected, 3).valid);
    near(stats_chi_square(counts, expected, 3).freedom, 1, 0);
    assert_false(stats_chi_square(counts, thin, 3).valid);
    assert_false(stats_chi_square(stray, expected, 3).valid); /* what cannot be is there */
    assert_false(stats_chi_square(one, only, 3).valid);
}

/* Ranks of order statistics by exact sums of binomials, computed apart; those of the median are in
 * every table. */
static void
quantile_ranks_by_table(void **state)
{
    static const struct {
        uint64_t count;
        double fraction;
        uint64_t low, high;
    } table[] = {
        {5, 0.5, 0, 0},        {6, 0.5, 1, 6},     {10, 0.5, 2, 9},      {20, 0.5, 6, 15},
        {50, 0.5, 18, 33},     {100, 0.5, 40, 61}, {100, 0.99, 97, 0},   {1000, 0.99, 983, 997},
        {1000, 0.9, 881, 919}, {59, 0.95, 52, 0},  {500, 0.999, 498, 0}, {0, 0.5, 0, 0},
    };
    (void)state;

    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct stats_ranks ranks = stats_quantile_ranks(table[i].count, table[i].fraction, 0.95);
        assert_int_equal(ranks.low, table[i].low);
        assert_int_equal(ranks.high, table[i].high);
    }
    /* A thousand million, where only the normal distribution is left. */
    struct stats_ranks ranks = stats_quantile_ranks(1000000000, 0.99, 0.95);
    near((double)ranks.low, 990e6 - 1.959964 * sqrt(9.9e6), 2);
    near((double)ranks.high, 990e6 + 1.959964 * sqrt(9.9e6), 2);
}

/* 8,888 failures of 762,023 new-orders, from a public thread: surely over 1 %. */
static void
failures_of_a_public_run(void **state)
{
    (void)state;
    struct stats_interval share = stats_share_interval(8888, 762023, 0.95);
    double half = 1.959964 * sqrt(0.0116637 * 0.9883363 / 762023);
    near(share.low, 0.0116637 - half, 3e-6);
    near(share.high, 0.0116637 + half, 3e-6);
    assert_true(share.low > 0.01);
}

/* By hand: slope 0.6, intercept 2.2, residual squares 2.4, error of the slope sqrt(0.8 / 10). */
static void
line_by_hand(void **state)
{
    const double x[] = {1, 2, 3, 4, 5}, y[] = {2, 4, 5, 4, 5};
    (void)state;

    struct stats_line line = stats_line_fit(x, y, 5, 0.95);
    near(line.slope, 0.6, 1e-12);
    near(line.intercept, 2.2, 1e-12);
    near(line.slope_interval.high - line.slope, 3.182 * sqrt(0.08), 0.0005);
    near(line.intercept_se, sqrt(0.8 * (0.2 + 0.9)), 1e-12);
    near(line.explained, 0.6, 1e-12);
    near(line.residual_sd, sqrt(0.8), 1e-12);
    struct stats_interval middle = stats_line_interval(&line, 3, 0.95);
    near(middle.low, 4 - 3.1824 * 0.4, 1e-4);
    near(middle.high, 4 + 3.1824 * 0.4, 1e-4);
    assert_false(stats_line_fit(x, y, 2, 0.95).slope_interval.valid);
    const double same[] = {2, 2, 2};
    assert_false(stats_line_fit(same, y, 3, 0.95).slope_interval.valid);
}

/* A weight of two is the same point twice, but for the degrees of freedom; none is no point. */
static void
line_weights_count_points(void **state)
{
    const double x[] = {1, 2, 3, 4, 2, 9}, y[] = {1, 3, 2, 5, 3, 99};
    const double weights[] = {1, 2, 1, 1}, ones[] = {1, 1, 1, 1, 1, 0};
    (void)state;

    struct stats_line weighted = stats_line_fit_weighted(x, y, weights, 4, 0.95);
    struct stats_line twice = stats_line_fit_weighted(x, y, ones, 6, 0.95);
    near(weighted.slope, twice.slope, 1e-12);
    near(weighted.intercept, twice.intercept, 1e-12);
    near(weighted.slope_se / twice.slope_se, sqrt(3.0 / 2), 1e-12);
    near(weighted.freedom, 2, 0);
    near(twice.freedom, 3, 0);
    assert_false(
        stats_line_fit_weighted(x, y, (const double[]){1, 0, 1, 0}, 4, 0.95).slope_interval.valid);
}

/* Two groups with levels of their own and one slope of 2: points at 1, 2, 3 about 10 and at 2, 4
 * about 50, of which the middle one of three is off by 3. Squares of x: 2 + 2; the slope by hand is
 * (1 * 2 + 1 * 2 + 1 * 2 + 1 * 2) / 4, the residuals -1, 2, -1, 0, 0, freedom 5 - 2 - 1. */
static void
slope_within_groups(void **state)
{
    const double x[] = {1, 2, 3, 2, 4}, y[] = {8, 13, 12, 48, 52};
    const int groups[] = {7, 7, 7, 3, 3};
    (void)state;

    struct stats_line line = stats_line_fit_within(x, y, groups, 5, 0.95);
    near(line.slope, 2, 1e-12);
    near(line.freedom, 2, 0);
    near(line.slope_se, sqrt(6.0 / 2 / 4), 1e-12);
    near(line.slope_interval.high, 2 + 4.3027 * sqrt(0.75), 1e-4);
    assert_false(stats_line_fit_within(x, y, groups, 4, 0.95).slope_interval.valid);
}

/* Residuals that follow each other widen the interval, alternating ones do not narrow it. */
static void
line_of_a_series_is_wider(void **state)
{
    double at[20], waves[20], spikes[20];
    (void)state;

    for (int i = 0; i < 20; i++) {
        at[i] = i;
        waves[i] = i % 10 < 5 ? 1 : -1;
        spikes[i] = i % 2 ? 1 : -1;
    }
    struct stats_line plain = stats_line_fit(at, waves, 20, 0.95);
    struct stats_line series = stats_line_fit_series(at, waves, 20, 0.95);
    double r = fmin((series.lag1 + 0.1) / 0.8, 0.9);
    assert_true(series.lag1 > 0.5);
    near(series.slope, plain.slope, 1e-12);
    near(series.slope_se / plain.slope_se, sqrt((1 + r) / (1 - r)), 1e-9);
    plain = stats_line_fit(at, spikes, 20, 0.95);
    series = stats_line_fit_series(at, spikes, 20, 0.95);
    near(series.slope_se, plain.slope_se, 1e-12);
    assert_false(stats_line_fit_series(at, waves, 7, 0.95).slope_interval.valid);
}

static double
law(double lambda, double sigma, double kappa, double n)
{
    return lambda * n / (1 + sigma * (n - 1) + kappa * n * (n - 1));
}

static void
usl_recovers_exact_data(void **state)
{
    const double loads[] = {1, 2, 4, 8, 16, 32, 64};
    double throughputs[7];
    (void)state;

    for (int i = 0; i < 7; i++)
        throughputs[i] = law(1000, 0.02, 0.0005, loads[i]);
    struct stats_usl fit = stats_usl_fit(loads, throughputs, NULL, 7);
    assert_true(fit.fitted);
    near(fit.lambda, 1000, 1e-4);
    near(fit.sigma, 0.02, 1e-7);
    near(fit.kappa, 0.0005, 1e-9);
    near(fit.n_star, sqrt(0.98 / 0.0005), 1e-4);
    assert_true(fit.claimed);
    assert_string_equal(fit.reason, "");
    near(stats_usl_value(&fit, 16), throughputs[4], 1e-3);
    near(fit.x_star, law(1000, 0.02, 0.0005, fit.n_star), 1e-3);
    near(fit.n_star_interval.low, fit.n_star, 1e-3);
    near(fit.residual_rms, 0, 1e-9);
    near(fit.most, 64, 0);
    assert_false(isnan(stats_usl_value(&fit, 128)));
    assert_true(isnan(stats_usl_value(&fit, 129))); /* nothing is said beyond twice the largest */
}

/* SPEC SDM91 as published with the law; the figures of its published three-parameter fit. */
static void
usl_agrees_with_a_published_fit(void **state)
{
    const double loads[] = {1, 18, 36, 72, 108, 144, 216};
    const double throughputs[] = {64.9, 995.9, 1652.4, 1853.2, 1828.9, 1775.0, 1702.2};
    (void)state;

    struct stats_usl fit = stats_usl_fit(loads, throughputs, NULL, 7);
    assert_true(fit.fitted);
    near(fit.lambda, 89.995, 0.01);
    near(fit.sigma, 0.02772985, 1e-5);
    near(fit.kappa, 1.04366e-4, 1e-7);
    near(fit.n_star, 96.52, 0.05);
}

/* Two parameters held at their bounds leave one whose error is that of a mean: the interval of the
 * place and height of a peak follow from those of the parameters, taken one at a time by
 * differences where only kappa moves. */
static void
usl_peak_interval_by_gradient(void **state)
{
    const double loads[] = {1, 2, 4, 8, 16, 32, 64, 8, 16, 32};
    double throughputs[10];
    (void)state;

    for (int i = 0; i < 10; i++)
        throughputs[i] = law(1000, 0, 0.001, loads[i]) * (1 + (i % 2 ? 0.004 : -0.004));
    struct stats_usl fit = stats_usl_fit(loads, throughputs, NULL, 10);
    assert_true(fit.claimed);
    assert_true(fit.n_star_interval.low < fit.n_star && fit.n_star < fit.n_star_interval.high);
    assert_true(fit.x_star_interval.low < fit.x_star && fit.x_star < fit.x_star_interval.high);
    near(fit.n_star_interval.low * fit.n_star_interval.high, fit.n_star * fit.n_star, 1e-6);
    near(fit.residual_max, 0.006, 0.004);
    /* The place hangs on kappa alone: half its relative error. */
    near(fit.sigma, 0, 0);
    near(log(fit.n_star_interval.high / fit.n_star),
         0.5 * (fit.kappa_interval.high - fit.kappa) / fit.kappa, 1e-6);
}

/* A weight of two is the same point twice. */
static void
usl_weights_count_points(void **state)
{
    const double loads[] = {1, 2, 4, 8, 16, 32, 4, 16};
    const double throughputs[] = {99, 195, 360, 640, 980, 1150, 360, 980};
    const double weights[] = {1, 1, 2, 1, 2, 1};
    (void)state;

    struct stats_usl twice = stats_usl_fit(loads, throughputs, NULL, 8);
    struct stats_usl weighted = stats_usl_fit(loads, throughputs, weights, 6);
    near(weighted.lambda, twice.lambda, 1e-4);
    near(weighted.sigma, twice.sigma, 1e-7);
    near(weighted.kappa, twice.kappa, 1e-9);
}

static void
usl_claims_no_peak_on_a_line(void **state)
{
    const double loads[] = {1, 2, 4, 8, 16, 32};
    double throughputs[6];
    (void)state;

    for (int i = 0; i < 6; i++)
        throughputs[i] = 500 * loads[i];
    struct stats_usl fit = stats_usl_fit(loads, throughputs, NULL, 6);
    assert_true(fit.fitted);
    assert_false(fit.claimed);
    near(fit.lambda, 500, 0.01);
    assert_string_equal(fit.reason, "the 95 % interval of kappa includes zero: no retrograde part "
                                    "was measured");
}

static void
usl_refuses_few_loads(void **state)
{
    /* Throughput by processors from a public post: three points. */
    const double processors[] = {4, 16, 32}, nopm[] = {78876, 95832, 95686};
    const double loads[] = {1, 4, 16, 64};
    double throughputs[4];
    (void)state;

    struct stats_usl three = stats_usl_fit(processors, nopm, NULL, 3);
    assert_false(three.fitted);
    assert_false(three.claimed);
    for (int i = 0; i < 4; i++)
        throughputs[i] = law(1000, 0.02, 0.0005, loads[i]);
    struct stats_usl four = stats_usl_fit(loads, throughputs, NULL, 4);
    assert_true(four.fitted);
    assert_false(four.claimed);
    assert_string_equal(four.reason, "fewer than five different loads were measured");
}

/* A search for the maximum from a public thread: not even monotone. */
static void
usl_refuses_scattered_data(void **state)
{
    const double loads[] = {1500, 1400, 1300, 1500, 1600, 1700, 1300, 1400};
    const double throughputs[] = {15601.8, 14243.5, 15853.5, 16158.5,
                                  17590.8, 16815.7, 16167.5, 14643.9};
    const double small[] = {1, 2, 4, 8, 16}, wild[] = {100, 350, 200, 900, 500};
    (void)state;

    assert_false(stats_usl_fit(loads, throughputs, NULL, 8).claimed);
    struct stats_usl fit = stats_usl_fit(small, wild, NULL, 5);
    assert_false(fit.claimed);
    assert_string_not_equal(fit.reason, "");
}

/* A peak at 1000 users is not to be claimed from a ladder that ends at 64. */
static void
usl_does_not_extrapolate(void **state)
{
    const double loads[] = {1, 2, 4, 8, 16, 32, 64};
    double throughputs[7];
    (void)state;

    for (int i = 0; i < 7; i++)
        throughputs[i] = law(1000, 0.01, 0.99e-6, loads[i]);
    struct stats_usl fit = stats_usl_fit(loads, throughputs, NULL, 7);
    near(fit.n_star, 1000, 1);
    assert_false(fit.claimed);
    assert_string_equal(fit.reason, "the peak would lie beyond twice the largest measured load");
    assert_true(isnan(stats_usl_value(&fit, fit.n_star)));
}

static void
usl_refuses_impossible_points(void **state)
{
    const double loads[] = {0, 2, 4, 8, 16}, throughputs[] = {1, 2, 3, 4, 5};
    const double good[] = {1, 2, 4, 8, 16}, zero[] = {1, 2, 0, 4, 5};
    (void)state;

    assert_false(stats_usl_fit(loads, throughputs, NULL, 5).fitted);
    assert_false(stats_usl_fit(good, zero, NULL, 5).fitted);
    assert_false(stats_usl_fit(NULL, NULL, NULL, 0).fitted);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mean_interval_uses_students_t),
        cmocka_unit_test(mean_and_sd_by_hand),
        cmocka_unit_test(one_value_has_no_interval),
        cmocka_unit_test(two_far_runs_have_a_useless_interval),
        cmocka_unit_test(chi_square_table),
        cmocka_unit_test(share_interval_table),
        cmocka_unit_test(chi_square_of_mendels_peas),
        cmocka_unit_test(chi_square_refuses_thin_classes),
        cmocka_unit_test(quantile_ranks_by_table),
        cmocka_unit_test(failures_of_a_public_run),
        cmocka_unit_test(line_by_hand),
        cmocka_unit_test(line_weights_count_points),
        cmocka_unit_test(slope_within_groups),
        cmocka_unit_test(line_of_a_series_is_wider),
        cmocka_unit_test(usl_peak_interval_by_gradient),
        cmocka_unit_test(usl_recovers_exact_data),
        cmocka_unit_test(usl_agrees_with_a_published_fit),
        cmocka_unit_test(usl_weights_count_points),
        cmocka_unit_test(usl_claims_no_peak_on_a_line),
        cmocka_unit_test(usl_refuses_few_loads),
        cmocka_unit_test(usl_refuses_scattered_data),
        cmocka_unit_test(usl_does_not_extrapolate),
        cmocka_unit_test(usl_refuses_impossible_points),
    };
    return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
