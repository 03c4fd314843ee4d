/* How often each 95 % interval holds what it is to hold, on samples drawn from a known truth. The
 * tables that it prints (make intervals) stand in docs/statistics.md, and a row that differs there
 * fails. Seeds are fixed: the figures are always the same, but for how a machine rounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <string.h>

#include <cmocka.h>

#include "common/fs.h"
#include "common/percentile.h"
#include "common/steady.h"
#include "common/stats_fit.h"
#include "common/stats_sample.h"
#include "common/stats_usl.h"
#include "common/steady.h"
#include "profiles/knee.h"
#include "tests/unit/series.h"

#define MOST           4000
#define BOOK_TOLERANCE 0.35 /* percent */

static struct buf book; /* docs/statistics.md */

static struct rng rng;
static double a[MOST], b[MOST], c[MOST];

static bool
holds(struct stats_interval interval, double truth)
{
    return interval.valid && interval.low <= truth && truth <= interval.high;
}

/* Each draws one sample and says whether the interval held. */
static bool
mean_of(size_t runs, double rho)
{
    (void)rho;
    for (size_t i = 0; i < runs; i++)
        a[i] = 1000 + 20 * series_normal(&rng);
    return holds(stats_mean_interval(a, runs, 0.95), 1000);
}

static void
two_samples(size_t runs, double sd_ratio)
{
    for (size_t i = 0; i < runs; i++)
        a[i] = 1100 * (1 + 0.03 * series_normal(&rng));
    for (size_t i = 0; i < runs; i++)
        b[i] = 1000 * (1 + 0.03 * sd_ratio * series_normal(&rng));
}

static bool
ratio_of(size_t runs, double sd_ratio)
{
    two_samples(runs, sd_ratio);
    return holds(stats_ratio_interval(a, runs, b, runs, 0.95), 1.1);
}

static bool
unequal_ratio_of(size_t runs, double sd_ratio)
{
    two_samples(2 * runs, sd_ratio);
    return holds(stats_ratio_interval(a, 2 * runs, b, runs, 0.95), 1.1);
}

static bool
ratio_to_ten_of(size_t runs, double sd_ratio)
{
    two_samples(10, sd_ratio);
    return holds(stats_ratio_interval(a, 10, b, runs, 0.95), 1.1);
}

/* Scatter of a tenth of the mean and more. */
static bool
wide_ratio_of(size_t runs, double cv)
{
    for (size_t i = 0; i < 2 * runs; i++)
        *(i < runs ? &a[i] : &b[i - runs]) = 1 + cv * series_normal(&rng);
    return holds(stats_ratio_interval(a, runs, b, runs, 0.95), 1);
}

static bool
bootstrap_of(size_t runs, double sd_ratio)
{
    two_samples(runs, sd_ratio);
    return holds(stats_ratio_bootstrap(a, runs, b, runs, 0.95, rng_next(&rng)), 1.1);
}

static bool
batches_of(size_t seconds, double rho)
{
    series_ar1(&rng, rho, a, (int)seconds);
    return holds(stats_batch_means(a, seconds, 20, 0.95).interval, 0);
}

static bool
share_of(size_t trials, double share)
{
    double hits = 0;
    for (size_t i = 0; i < trials; i++)
        hits += rng_real(&rng) < share;
    return holds(stats_share_interval(hits, (double)trials, 0.95), share);
}

/* Response times: log-normal about 5 ms, in the histogram. */
static bool
percentile_holds(size_t count, double fraction)
{
    static struct hist hist;
    static const struct {
        double fraction, z;
    } table[] = {{0.5, 0}, {0.9, 1.2815516}, {0.95, 1.6448536}, {0.99, 2.3263479}};
    double z = 0;

    for (int i = 0; i < 4; i++)
        if (fabs(table[i].fraction - fraction) < 1e-9)
            z = table[i].z;
    hist_clear(&hist);
    for (size_t i = 0; i < count; i++)
        hist_record(&hist, (int64_t)(5e6 * exp(series_normal(&rng))));
    struct percentile found = percentile_of(&hist, fraction);
    double truth = 5e6 * exp(z);
    return found.low_us >= 0 && (double)found.low_us <= truth && truth <= (double)found.high_us;
}

static bool
slope_of(size_t points, double unequal)
{
    for (size_t i = 0; i < points; i++) {
        double sd = 1 + unequal * (double)i;
        a[i] = (double)i;
        b[i] = 10 + 3 * a[i] + sd * series_normal(&rng);
        c[i] = 1 / (sd * sd);
    }
    return holds(stats_line_fit_weighted(a, b, c, points, 0.95).slope_interval, 3);
}

/* Where the line is at 0, though the points begin at 1. */
static bool
intercept_of(size_t points, double unequal)
{
    for (size_t i = 0; i < points; i++) {
        double sd = 1 + unequal * (double)i;
        a[i] = (double)i + 1;
        b[i] = 7 + 3 * a[i] + sd * series_normal(&rng);
        c[i] = 1 / (sd * sd);
    }
    struct stats_line line = stats_line_fit_weighted(a, b, c, points, 0.95);
    return holds(stats_line_interval(&line, 0, 0.95), 7);
}

/* Six levels, one after the other, so many times, and no drift. */
static bool
drift_of(size_t rounds, double noise)
{
    int groups[MOST];
    for (size_t i = 0; i < 6 * rounds; i++) {
        groups[i] = (int)i % 6;
        a[i] = (double)i;
        b[i] = (double)(i % 6) + noise * series_normal(&rng);
    }
    return holds(stats_line_fit_within(a, b, groups, 6 * rounds, 0.95).slope_interval, 0);
}

static double
law(double n, double sigma, double kappa)
{
    return 2600 * n / (1 + sigma * (n - 1) + kappa * n * (n - 1));
}

static struct stats_usl
fit_of(size_t runs, double noise, double sigma, double kappa)
{
    static const double loads[] = {1, 2, 4, 8, 16, 24, 32};
    size_t count = 0;
    for (int i = 0; i < 7; i++)
        for (size_t k = 0; k < runs; k++) {
            double n = loads[i], truth = law(n, sigma, kappa);
            a[count] = n;
            b[count] = truth * (1 + noise * series_normal(&rng));
            c[count++] = 1 / (truth * truth);
        }
    return stats_usl_fit(a, b, c, count);
}

static struct stats_usl
usl_of(size_t runs, double noise)
{
    return fit_of(runs, noise, 0.05, 0.004);
}

static bool
lambda_of(size_t runs, double noise)
{
    return holds(usl_of(runs, noise).lambda_interval, 2600);
}

static bool
sigma_of(size_t runs, double noise)
{
    return holds(usl_of(runs, noise).sigma_interval, 0.05);
}

static bool
kappa_of(size_t runs, double noise)
{
    return holds(usl_of(runs, noise).kappa_interval, 0.004);
}

static bool
peak_of(size_t runs, double noise)
{
    return holds(usl_of(runs, noise).n_star_interval, sqrt(0.95 / 0.004));
}

/* Without contention the fit lies at its bound in about half of the samples. */
static bool
unbent_peak_of(size_t runs, double noise)
{
    return holds(fit_of(runs, noise, 0, 0.004).n_star_interval, sqrt(1 / 0.004));
}

static bool
height_of(size_t runs, double noise)
{
    double n = sqrt(0.95 / 0.004);
    return holds(usl_of(runs, noise).x_star_interval, law(n, 0.05, 0.004));
}

/* "10,000" */
static const char *
thousands(char text[16], int count)
{
    if (count < 1000)
        snprintf(text, 16, "%d", count);
    else
        snprintf(text, 16, "%d,%03d", count / 1000, count % 1000);
    return text;
}

/* Prints a row of a table, without its samples where `samples` is 0, and compares it with the book.
 */
static void
put_row(const char *name, int samples, double percent)
{
    char row[128], count[16];
    int length = samples > 0
                     ? snprintf(row, sizeof row, "| %s | %s | ", name, thousands(count, samples))
                     : snprintf(row, sizeof row, "| %s | ", name);
    const char *found = strstr(buf_text(&book), row);

    printf("# %s%.1f %% |\n", row, percent);
    if (!found)
        fail_msg("docs/statistics.md has no row %s", row);
    if (fabs(strtod(found + length, NULL) - percent) > BOOK_TOLERANCE)
        fail_msg("%s: %.1f %% here, and %.20s in docs/statistics.md", name, percent,
                 found + length);
}

struct coverage {
    const char *name;
    bool (*draw)(size_t, double);
    size_t count;
    double parameter;
    int samples;
};

/* Percent of the samples whose interval held. */
static double
measure(const struct coverage *of)
{
    uint64_t named = 0; /* so that a case more does not change the others */
    int held = 0;

    for (const char *letter = of->name; *letter; letter++)
        named = 31 * named + (unsigned char)*letter;
    rng_seed(&rng, 42, RNG_BOOTSTRAP, named);
    for (int i = 0; i < of->samples; i++)
        held += of->draw(of->count, of->parameter);
    double coverage = 100.0 * held / of->samples;
    put_row(of->name, of->samples, coverage);
    return coverage;
}

/* Levels of `runs` runs each, into `drawn`: the first has the mean 1, the others are lower by so
 * many standard errors of a mean. Returns the highest. */
enum { RIVALS_MAX = 8, RUNS_MAX = 10 };

static size_t
draw_levels(struct stats_runs *levels, double (*drawn)[RUNS_MAX], size_t count, size_t runs,
            double apart)
{
    const double noise = 0.02;
    size_t best = 0;

    for (size_t i = 0; i < count; i++) {
        double truth = i == 0 ? 1 : 1 - apart * noise / sqrt((double)runs);
        for (size_t k = 0; k < runs; k++)
            drawn[i][k] = truth + noise * series_normal(&rng);
        levels[i] = (struct stats_runs){drawn[i], runs};
        if (stats_mean(drawn[i], runs) > stats_mean(drawn[best], runs))
            best = i;
    }
    return best;
}

/* How far the others are, in standard errors, of the chosen one's true mean. */
static double
truth_of(size_t chosen, size_t runs, double apart)
{
    return chosen == 0 ? 1 : 1 - apart * 0.02 / sqrt((double)runs);
}

/* Runs in the tens and levels in the ones of `shape`. */
static bool
highest_of(size_t shape, double apart)
{
    size_t runs = shape / 10, count = shape % 10;
    struct stats_runs levels[RIVALS_MAX];
    double drawn[RIVALS_MAX][RUNS_MAX];
    size_t best = draw_levels(levels, drawn, count, runs, apart);

    return holds(
        stats_highest_interval(drawn[best], runs, stats_rivals(levels, count, best, 0.95), 0.95),
        truth_of(best, runs, apart));
}

/* The highest of several over that of one level, as many runs each. */
static bool
highest_ratio_of(size_t shape, double apart)
{
    size_t runs = shape / 10, count = shape % 10;
    struct stats_runs levels[RIVALS_MAX];
    double drawn[RIVALS_MAX][RUNS_MAX];
    size_t best = draw_levels(levels, drawn, count, runs, apart);

    for (size_t k = 0; k < runs; k++)
        b[k] = 2 + 0.04 * series_normal(&rng);
    return holds(stats_highest_ratio_interval(
                     drawn[best], runs, stats_rivals(levels, count, best, 0.95), b, runs, 1, 0.95),
                 truth_of(best, runs, apart) / 2);
}

/* The same over the highest of as many. */
static bool
both_highest_ratio_of(size_t shape, double apart)
{
    size_t runs = shape / 10, count = shape % 10;
    struct stats_runs levels[2][RIVALS_MAX];
    double drawn[2][RIVALS_MAX][RUNS_MAX];
    size_t best[2], rivals[2];

    for (int side = 0; side < 2; side++) {
        best[side] = draw_levels(levels[side], drawn[side], count, runs, apart);
        rivals[side] = stats_rivals(levels[side], count, best[side], 0.95);
    }
    return holds(stats_highest_ratio_interval(drawn[0][best[0]], runs, rivals[0], drawn[1][best[1]],
                                              runs, rivals[1], 0.95),
                 truth_of(best[0], runs, apart) / truth_of(best[1], runs, apart));
}

/* Of a level window whose seconds scatter by 5 %: the trend over it and what one half has over the
 * other, both. */
static bool
changes_of(size_t seconds, double rho)
{
    const struct steady_facts facts = {
        .checkpoints = -1, .autovacuums = -1, .checkpoint_cycle_s = 300};

    series_ar1(&rng, rho, a, (int)seconds);
    for (size_t i = 0; i < seconds; i++)
        a[i] = 1000 * (1 + 0.05 * a[i]);
    struct steady steady = steady_of_series(a, (int)seconds, 0, &facts);
    return holds(steady.trend_interval, 0) && holds(steady.halves_interval, 0);
}

/* Rises to 12 virtual users, and no further. */
static double
plateau(int n)
{
    return 100 * fmin(n, 12);
}

/* What a search of the plateau says of its peak. */
static struct knee_headline
searched(size_t most, double noise)
{
    const struct knee_options options = {
        .first = 1, .most = (int)most, .steps_max = 40, .repeats_min = 3, .repeats_max = 6};
    struct knee_result results[40];
    struct knee_next next;
    int count = 0;

    while ((next = knee_next(&options, results, count)).phase != KNEE_DONE) {
        double rate = plateau(next.virtual_users) * (1 + noise * series_normal(&rng));
        results[count++] = (struct knee_result){next.virtual_users, true, rate, true};
    }
    return knee_outcome(&options, results, count).peak;
}

/* Of the searches that give an interval: with much noise one may end at a level of one run. */
static bool
search_of(size_t most, double noise)
{
    struct knee_headline peak = searched(most, noise);

    while (!peak.interval.valid)
        peak = searched(most, noise);
    return holds(peak.interval, plateau(peak.virtual_users));
}

static void
intervals_hold_what_they_say(void **state)
{
    static const struct coverage cases[] = {
        {"mean of 2 runs", mean_of, 2, 0, 10000},
        {"mean of 3 runs", mean_of, 3, 0, 10000},
        {"mean of 10 runs", mean_of, 10, 0, 10000},
        {"ratio, 3 and 3 runs", ratio_of, 3, 1, 10000},
        {"ratio, 5 and 5 runs", ratio_of, 5, 1, 10000},
        {"ratio, 5 and 5, sd 1 to 4", ratio_of, 5, 4, 10000},
        {"ratio, 6 and 3 runs", unequal_ratio_of, 3, 1, 10000},
        {"ratio, 10 and 5, sd 1 to 4", unequal_ratio_of, 5, 4, 10000},
        {"ratio, 10 and 3 runs", ratio_to_ten_of, 3, 1, 10000},
        {"ratio, 10 and 3, sd 1 to 4", ratio_to_ten_of, 3, 4, 10000},
        {"ratio, 3 and 3, CV 20 %", wide_ratio_of, 3, 0.2, 10000},
        {"ratio, 5 and 5, CV 20 %", wide_ratio_of, 5, 0.2, 10000},
        {"highest of 2 equal levels, 3 runs", highest_of, 32, 0, 5000},
        {"highest of 4 equal levels, 3 runs", highest_of, 34, 0, 5000},
        {"highest of 8 equal levels, 3 runs", highest_of, 38, 0, 5000},
        {"highest of 3 equal levels, 2 runs", highest_of, 23, 0, 5000},
        {"highest of 3, by 8 standard errors, 2 runs", highest_of, 23, 8, 5000},
        {"highest of 4 equal levels, 5 runs", highest_of, 54, 0, 5000},
        {"highest of 4, by 1 standard error", highest_of, 34, 1, 5000},
        {"highest of 4, by 3 standard errors", highest_of, 34, 3, 5000},
        {"highest of 4, by 8 standard errors", highest_of, 34, 8, 5000},
        {"highest of 8, by 3 standard errors, 5 runs", highest_of, 58, 3, 5000},
        {"peak of a search, plateau, noise 1 %", search_of, 512, 0.01, 1000},
        {"peak of a search, plateau, noise 2 %", search_of, 512, 0.02, 1000},
        {"peak of a search, plateau, noise 4 %", search_of, 512, 0.04, 1000},
        {"ratio, highest of 4 to one level, 5 runs", highest_ratio_of, 54, 0, 5000},
        {"ratio, highest of 8 to one level, 5 runs", highest_ratio_of, 58, 0, 5000},
        {"ratio, highest of 4, by 3 standard errors", highest_ratio_of, 54, 3, 5000},
        {"ratio by bootstrap, 5", bootstrap_of, 5, 1, 2000},
        {"ratio by bootstrap, 10", bootstrap_of, 10, 1, 1000},
        {"ratio by bootstrap, 10, sd 1 to 4", bootstrap_of, 10, 4, 2000},
        {"ratio by bootstrap, 20", bootstrap_of, 20, 2, 1000},
        {"batches, 120 s, rho 0", batches_of, 118, 0, 5000},
        {"batches, 120 s, rho 0.5", batches_of, 118, 0.5, 5000},
        {"batches, 120 s, rho 0.8", batches_of, 118, 0.8, 5000},
        {"batches, 300 s, rho 0", batches_of, 300, 0, 5000},
        {"batches, 300 s, rho 0.5", batches_of, 300, 0.5, 5000},
        {"batches, 300 s, rho 0.8", batches_of, 300, 0.8, 5000},
        {"batches, 300 s, rho 0.9", batches_of, 300, 0.9, 5000},
        {"batches, 1800 s, rho 0.9", batches_of, 1800, 0.9, 1000},
        {"share 43 % of 1000", share_of, 1000, 0.43, 3000},
        {"share 4 % of 4000", share_of, 4000, 0.04, 2000},
        {"p50 of 1000", percentile_holds, 1000, 0.5, 4000},
        {"p90 of 2000", percentile_holds, 2000, 0.9, 2000},
        {"p95 of 2000", percentile_holds, 2000, 0.95, 2000},
        {"p99 of 4000", percentile_holds, 4000, 0.99, 1000},
        {"slope, 8 points", slope_of, 8, 0, 10000},
        {"slope, 12 points, weighted", slope_of, 12, 0.5, 10000},
        {"line at no load, 12 points, weighted", intercept_of, 12, 0.5, 10000},
        {"drift over 6 levels, 3 rounds", drift_of, 3, 0.01, 10000},
        {"trend and halves, 120 s, rho 0", changes_of, 118, 0, 5000},
        {"trend and halves, 120 s, rho 0.5", changes_of, 118, 0.5, 5000},
        {"trend and halves, 120 s, rho 0.8", changes_of, 118, 0.8, 5000},
        {"trend and halves, 300 s, rho 0.8", changes_of, 298, 0.8, 5000},
        {"trend and halves, 300 s, rho 0.9", changes_of, 298, 0.9, 5000},
        {"lambda, 7 loads, 3 runs", lambda_of, 3, 0.02, 1000},
        {"sigma, 7 loads, 3 runs", sigma_of, 3, 0.02, 1000},
        {"kappa, 7 loads, 3 runs", kappa_of, 3, 0.02, 1000},
        {"peak load, 7 loads, 3 runs", peak_of, 3, 0.02, 1000},
        {"peak NOPM, 7 loads, 3 runs", height_of, 3, 0.02, 1000},
        {"peak load, 7 loads, 1 run", peak_of, 1, 0.02, 1000},
        {"peak load, noise 4 %", peak_of, 3, 0.04, 1000},
        {"peak load, sigma 0", unbent_peak_of, 3, 0.02, 1000},
    };
    (void)state;

    printf("# | 95 %% interval of | samples | held |\n# |---|---|---|\n");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double coverage = measure(&cases[i]);
        if (coverage < 93 || coverage > 97)
            fail_msg("%s: %.2f %% is not within 93 to 97", cases[i].name, coverage);
    }
}

static void
some_hold_more_often(void **state)
{
    static const struct coverage cases[] = {
        {"ratio, highest of 4 to one level, 3 runs", highest_ratio_of, 34, 0, 5000},
        {"ratio, highest of 8 to one level, 3 runs", highest_ratio_of, 38, 0, 5000},
        {"ratio, highest of 4 to highest of 4", both_highest_ratio_of, 54, 0, 5000},
        {"ratio, the same by 1 standard error", both_highest_ratio_of, 54, 1, 5000},
        {"ratio, the same by 3 standard errors", both_highest_ratio_of, 54, 3, 5000},
    };
    (void)state;

    printf("#\n# | 95 %% interval of | samples | held |\n# |---|---|---|\n");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (measure(&cases[i]) < 94)
            fail_msg("%s holds too rarely", cases[i].name);
}

/* No peak where there is none, nearly always, and the peak that there is. */
static void
peaks_are_claimed_where_they_are(void **state)
{
    enum { SAMPLES = 1000 };
    static const struct {
        const char *name;
        double sigma, kappa, noise;
        double claimed_min, claimed_max; /* percent */
    } cases[] = {
        {"linear", 0, 0, 0.02, 0, 3},
        {"linear, noise 4 %", 0, 0, 0.04, 0, 3},
        {"saturating", 0.1, 0, 0.02, 0, 3},
        {"saturating, noise 4 %", 0.1, 0, 0.04, 0, 3},
        {"noise 8 %", 0.05, 0.004, 0.08, 0, 5},
        {"retrograde", 0.05, 0.004, 0.02, 99, 100},
        {"retrograde, 4 %", 0.05, 0.004, 0.04, 95, 100},
    };
    (void)state;

    printf("#\n# | truth, 7 loads from 1 to 32, 3 runs each, noise of 2 %% | peak claimed |\n"
           "# |---|---|\n");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int claimed = 0;
        rng_seed(&rng, 42, RNG_BOOTSTRAP, 200 + i);
        for (int k = 0; k < SAMPLES; k++)
            claimed += fit_of(3, cases[i].noise, cases[i].sigma, cases[i].kappa).claimed;
        double percent = 100.0 * claimed / SAMPLES;
        put_row(cases[i].name, 0, percent);
        assert_true(percent >= cases[i].claimed_min && percent <= cases[i].claimed_max);
    }
}

static int
read_book(void **state)
{
    struct err err;
    (void)state;

    return fs_read("docs/statistics.md", 1 << 20, &book, &err) ? 0 : -1;
}

static int
close_book(void **state)
{
    (void)state;
    buf_free(&book);
    return 0;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_hold_what_they_say),
        cmocka_unit_test(some_hold_more_often),
        cmocka_unit_test(peaks_are_claimed_where_they_are),
    };
    return cmocka_run_group_tests_name("coverage", tests, read_book, close_book);
}
