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
#include "common/precision.h"
#include "common/stats_fit.h"
#include "common/stats_sample.h"
#include "common/stats_usl.h"
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
    return holds(stats_batch_means(a, seconds, seconds < 60 ? 10 : 20, 0.95).interval, 0);
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

static bool
series_slope_of(size_t points, double rho)
{
    series_ar1(&rng, rho, b, (int)points);
    for (size_t i = 0; i < points; i++)
        a[i] = (double)i;
    return holds(stats_line_fit_series(a, b, points, 0.95).slope_interval, 0);
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
        {"ratio by bootstrap, 5", bootstrap_of, 5, 1, 2000},
        {"ratio by bootstrap, 10", bootstrap_of, 10, 1, 1000},
        {"ratio by bootstrap, 10, sd 1 to 4", bootstrap_of, 10, 4, 2000},
        {"ratio by bootstrap, 20", bootstrap_of, 20, 2, 1000},
        {"batches, 30 s, rho 0", batches_of, 30, 0, 5000},
        {"batches, 30 s, rho 0.5", batches_of, 30, 0.5, 5000},
        {"batches, 60 s, rho 0.5", batches_of, 60, 0.5, 5000},
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
        {"trend of 20 batches, rho 0", series_slope_of, 20, 0, 10000},
        {"trend of 20 batches, rho 0.2", series_slope_of, 20, 0.2, 10000},
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

static bool
ratio_to_two_of(size_t runs, double sd_ratio)
{
    two_samples(runs, sd_ratio);
    return holds(stats_ratio_interval(a, runs, b, 2, 0.95), 1.1);
}

/* The highest of so many levels that are equally high, three runs of each. */
static bool
highest_of(size_t levels, double noise)
{
    double best = 0;
    struct stats_interval interval = {0};

    for (size_t i = 0; i < levels; i++) {
        for (size_t k = 0; k < 3; k++)
            a[k] = 1 + noise * series_normal(&rng);
        if (stats_mean(a, 3) > best) {
            best = stats_mean(a, 3);
            interval = stats_mean_interval(a, 3, 0.95);
        }
    }
    return holds(interval, 1);
}

/* Rises to 12 virtual users, and no further. */
static double
plateau(int n)
{
    return 100 * fmin(n, 12);
}

static bool
search_of(size_t most, double noise)
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
    struct knee_headline peak = knee_outcome(&options, results, count).peak;
    return holds(peak.interval, plateau(peak.virtual_users));
}

/* A window that ends when its NOPM is known to 2 %, looked at every five seconds from 30 s to an
 * hour; the noise of a second is 10 %. */
static bool
window_of(size_t most, double rho)
{
    struct second *seconds = must_calloc(most, sizeof *seconds);
    double precision = -1;
    size_t count = 0;

    series_ar1(&rng, rho, a, (int)most);
    for (; count < most && !(precision >= 0 && precision <= 0.02); count++) {
        seconds[count].phase = PHASE_MEASURE;
        seconds[count].outcomes[TXN_NEW_ORDER][OUTCOME_COMMITTED] =
            (uint32_t)lround(fmax(0, 1000 * (1 + 0.1 * a[count])));
        b[count] = seconds[count].outcomes[TXN_NEW_ORDER][OUTCOME_COMMITTED];
        if (count + 1 >= 30 && (count + 1) % 5 == 0)
            precision = precision_of_seconds(seconds, (int)count + 1);
    }
    free(seconds);
    double mean = stats_mean(b + 1, count - 1);
    return fabs(mean - 1000) <= precision * mean;
}

/* Where the approximations end, as the manual says. */
static void
beyond_what_they_are_for(void **state)
{
    static const struct {
        struct coverage coverage;
        double least, most;
    } cases[] = {
        {{"ratio, 2 and 2 runs", ratio_of, 2, 1, 10000}, 97, 98.5},
        {{"ratio, 10 and 2 runs", ratio_to_two_of, 10, 1, 10000}, 96.5, 98.5},
        {{"ratio, 3 and 2, sd 1 to 4", ratio_to_two_of, 3, 4, 10000}, 92, 95},
        {{"ratio, 10 and 2, sd 1 to 4", ratio_to_two_of, 10, 4, 10000}, 90, 93},
        {{"trend of 20 batches, rho 0.5", series_slope_of, 20, 0.5, 10000}, 90, 93},
        {{"batches, 30 s, rho 0.8", batches_of, 30, 0.8, 5000}, 88, 93},
        {{"batches, 60 s, rho 0.8", batches_of, 60, 0.8, 5000}, 90, 94},
        {{"window until 2 % is known, rho 0", window_of, 3600, 0, 1000}, 93, 97},
        {{"window until 2 % is known, rho 0.5", window_of, 3600, 0.5, 1000}, 88, 94},
        {{"window until 2 % is known, rho 0.8", window_of, 3600, 0.8, 1000}, 85, 94},
        {{"highest of 4 equal levels", highest_of, 4, 0.02, 10000}, 91, 94},
        {{"highest of 8 equal levels", highest_of, 8, 0.02, 10000}, 86, 91},
        {{"peak of a search, plateau, noise 1 %", search_of, 512, 0.01, 1000}, 86, 93},
        {{"peak of a search, plateau, noise 2 %", search_of, 512, 0.02, 1000}, 80, 90},
    };
    (void)state;

    printf("#\n# | 95 %% interval of | samples | held |\n# |---|---|---|\n");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double held = measure(&cases[i].coverage);
        if (held < cases[i].least || held > cases[i].most)
            fail_msg("%s: %.2f %%", cases[i].coverage.name, held);
    }
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
        cmocka_unit_test(beyond_what_they_are_for),
        cmocka_unit_test(peaks_are_claimed_where_they_are),
    };
    return cmocka_run_group_tests_name("coverage", tests, read_book, close_book);
}
