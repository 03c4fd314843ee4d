/* The search on made-up systems whose best load is known, over many seeds: how near it lands and
 * how many steps it takes is measured, printed, and held to what docs/statistics.md states. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <math.h>

#include <cmocka.h>

#include "profiles/knee.h"
#include "tests/unit/series.h"

#define SEEDS 300

typedef double curve(double n);

static double
usl(double n, double sigma, double kappa)
{
    return 1000 * n / (1 + sigma * (n - 1) + kappa * n * (n - 1));
}
static double
linear(double n)
{
    return 100 * n;
}

static double
saturating(double n)
{
    return 10000 * n / (n + 10);
}

static double
saturating_slowly(double n)
{
    return 10000 * n / (n + 60);
}

static double
retrograde_3(double n) /* the peak is near 3 */
{
    return usl(n, 0.05, 0.1);
}

static double
retrograde_15(double n)
{
    return usl(n, 0.05, 0.004);
}

static double
retrograde_45(double n)
{
    return usl(n, 0.01, 0.0005);
}

static double
retrograde_300(double n)
{
    return usl(n, 0.005, 0.000011);
}

static double
plateau(double n)
{
    return 100 * fmin(n, 12);
}

static double
cliff(double n)
{
    return n <= 45 ? 100 * n : 2500;
}

static double
two_peaks(double n) /* 900 at 9, a valley of 360 at 18, 1000 at 42 */
{
    return 900 * exp(-pow(log(n / 9) / 0.6, 2)) + 1000 * exp(-pow(log(n / 42) / 0.5, 2));
}

static double
one_user(double n)
{
    return 500 / n;
}

struct system {
    const char *name;
    curve *curve;
    int most;
    int limit; /* the highest load within the limits */
    double noise;
};

static const struct knee_options common_options = {
    .first = 1, .steps_max = 40, .repeats_min = 3, .repeats_max = 6};

struct tally {
    double peak, limits; /* percent of seeds that land within 3 % of the best */
    double steps_mean;
    int steps_max;
};

static double
best_true(const struct system *system, int up_to)
{
    double best = 0;

    for (int n = 1; n <= up_to; n++)
        best = fmax(best, system->curve(n));
    return best;
}

static int
search(const struct system *system, uint64_t seed, struct knee_result *results)
{
    struct knee_options options = common_options;
    struct rng rng;
    int count = 0;

    options.most = system->most;
    rng_seed(&rng, seed, RNG_BOOTSTRAP, 0);
    for (;;) {
        struct knee_next next = knee_next(&options, results, count);
        if (next.phase == KNEE_DONE)
            return count;
        assert_in_range(next.virtual_users, 1, system->most);
        results[count++] = (struct knee_result){
            .virtual_users = next.virtual_users,
            .valid = true,
            .rate = system->curve(next.virtual_users) * (1 + system->noise * series_normal(&rng)),
            .within_limits = next.virtual_users <= system->limit};
        assert_in_range(count, 1, options.steps_max);
    }
}

static struct tally
many(const struct system *system)
{
    struct knee_options options = common_options;
    struct tally tally = {0};
    double best = 0.97 * best_true(system, system->most);
    double best_within = 0.97 * best_true(system, system->limit);
    int peaks = 0, within = 0, steps_all = 0;

    options.most = system->most;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct knee_result results[KNEE_STEPS_MAX];
        int steps = search(system, seed, results);
        struct knee_outcome outcome = knee_outcome(&options, results, steps);
        int limited = outcome.within_limits.virtual_users;

        steps_all += steps;
        tally.steps_max = steps > tally.steps_max ? steps : tally.steps_max;
        peaks += system->curve(outcome.peak.virtual_users) >= best;
        within += limited <= system->limit && system->curve(limited) >= best_within;
    }
    tally.peak = 100.0 * peaks / SEEDS;
    tally.limits = 100.0 * within / SEEDS;
    tally.steps_mean = (double)steps_all / SEEDS;
    return tally;
}

static void
lands_near_the_best(void **state)
{
    static const struct system systems[] = {
        {"linear", linear, 256, 100, 0},
        {"saturating", saturating, 512, 40, 0},
        {"saturating slowly", saturating_slowly, 1000, 40, 0},
        {"retrograde, 3", retrograde_3, 512, 2, 0},
        {"retrograde, 15", retrograde_15, 512, 10, 0},
        {"retrograde, 45", retrograde_45, 512, 33, 0},
        {"retrograde, 300", retrograde_300, 2000, 110, 0},
        {"plateau", plateau, 512, 9, 0},
        {"cliff", cliff, 512, 37, 0},
        {"two peaks", two_peaks, 512, 9, 0},
        {"one user", one_user, 512, 512, 0},
    };
    static const struct {
        double noise, right_min; /* of seeds, percent */
    } noises[] = {{0, 100}, {0.01, 99}, {0.02, 95}, {0.05, 70}};
    (void)state;

    printf("# %-18s %5s %8s %8s %7s %5s\n", "system", "noise", "peak", "limits", "steps", "most");
    for (size_t i = 0; i < sizeof systems / sizeof systems[0]; i++)
        for (size_t k = 0; k < sizeof noises / sizeof noises[0]; k++) {
            struct system system = systems[i];
            system.noise = noises[k].noise;
            struct tally tally = many(&system);
            printf("# %-18s %4.0f%% %7.1f%% %7.1f%% %7.1f %5d\n", system.name, 100 * system.noise,
                   tally.peak, tally.limits, tally.steps_mean, tally.steps_max);
            if (fmin(tally.peak, tally.limits) < noises[k].right_min)
                fail_msg("%s lands near the best in too few cases", system.name);
        }
}

/* Any beginning of a search leads to the same next step, whatever became of the program between. */
static void
goes_on_from_what_is_stored(void **state)
{
    const struct system system = {"", retrograde_45, 512, 33, 0.02};
    struct knee_options options = common_options;
    struct knee_result results[KNEE_STEPS_MAX];
    int repeats[513] = {0};
    (void)state;

    options.most = system.most;
    int count = search(&system, 7, results);
    assert_in_range(count, 15, 40);
    for (int i = 0; i < count; i++) {
        struct knee_next next = knee_next(&options, results, i);
        assert_int_equal(next.virtual_users, results[i].virtual_users);
        assert_int_equal(next.repeat, ++repeats[next.virtual_users]);
    }
    static const int doubled[] = {1, 2, 4, 8, 16, 32, 64, 128};
    for (int i = 0; i < 8; i++) {
        assert_int_equal(results[i].virtual_users, doubled[i]);
        assert_int_equal(knee_next(&options, results, i).phase, KNEE_DOUBLE);
    }
    assert_int_equal(knee_next(&options, results, 8).phase, KNEE_PEAK);
}

/* By hand: 3 runs of 100, 104, 96 at the peak have a mean of 100 and an interval of +- 4.303 * 4 /
 * sqrt(3); the one at 2 users is the best within the limits. */
static void
headlines_have_intervals(void **state)
{
    const struct knee_options options = {1, 8, 100, 3, 6};
    const struct knee_result results[] = {
        {1, true, 40, true},  {2, true, 70, true},   {4, true, 100, false},
        {8, true, 60, false}, {4, true, 104, false}, {4, true, 96, false},
        {2, true, 71, true},  {2, true, 69, false},  {8, false, 900, false},
    };
    (void)state;

    struct knee_outcome outcome = knee_outcome(&options, results, 9);
    assert_int_equal(outcome.peak.virtual_users, 4);
    assert_int_equal(outcome.peak.runs, 3);
    assert_true(fabs(outcome.peak.rate - 100) < 1e-9);
    assert_true(fabs(outcome.peak.interval.high - 100 - 4.3027 * 4 / sqrt(3)) < 1e-3);
    assert_int_equal(outcome.peak.rival, 0);
    assert_int_equal(outcome.within_limits.virtual_users, 2);
    assert_true(fabs(outcome.within_limits.rate - 70) < 1e-9);
    assert_false(outcome.grows_at_the_end);
    /* (3 * 0.02^2 + 2 * 0.04^2 + 2 * (1 / 70)^2) / 7 */
    assert_true(fabs(outcome.noise - sqrt((0.0012 + 0.0032 + 2.0 / 4900) / 7)) < 1e-9);
}

/* Two levels that scatter too much to be told apart: both are repeated to the end of what is
 * allowed, and the headline names its rival. In quiet three runs are enough. */
static void
rivals_are_repeated_and_named(void **state)
{
    const struct knee_options options = {4, 5, 100, 2, 3};
    static const double loud[2][3] = {{100, 80, 120}, {101, 125, 79}};
    static const double quiet[2][3] = {{100, 100, 100}, {110, 110, 110}};
    (void)state;

    for (int is_quiet = 0; is_quiet < 2; is_quiet++) {
        struct knee_result results[7];
        int count = 0, runs[2] = {0};
        for (;;) {
            struct knee_next next = knee_next(&options, results, count);
            if (next.phase == KNEE_DONE)
                break;
            int level = next.virtual_users - 4;
            assert_in_range(level, 0, 1);
            assert_int_equal(next.phase, count < 2 ? KNEE_DOUBLE : KNEE_REPEAT);
            double nopm = (is_quiet ? quiet : loud)[level][runs[level]++];
            results[count++] = (struct knee_result){next.virtual_users, true, nopm, true};
            assert_in_range(count, 1, 6);
        }
        struct knee_outcome outcome = knee_outcome(&options, results, count);
        assert_int_equal(count, is_quiet ? 3 : 6);
        assert_int_equal(outcome.peak.virtual_users, 5);
        assert_int_equal(outcome.peak.rival, is_quiet ? 0 : 4);
        assert_false(outcome.budget_ended);
    }
}

/* Throughput by processors from a public post: before a repair it has stopped growing at the
 * largest, afterwards it has not. */
static void
plateau_of_a_public_series(void **state)
{
    const struct knee_options options = {4, 32, 40, 1, 6};
    const struct knee_result before[] = {
        {4, true, 78876, true}, {16, true, 95832, true}, {32, true, 95686, true}};
    const struct knee_result after[] = {
        {4, true, 94891, true}, {16, true, 269189, true}, {32, true, 439300, true}};
    (void)state;

    struct knee_outcome outcome = knee_outcome(&options, before, 3);
    assert_int_equal(outcome.peak.virtual_users, 16);
    assert_int_equal(outcome.peak.rival, 32); /* one run each tells nothing */
    assert_false(outcome.grows_at_the_end);
    outcome = knee_outcome(&options, after, 3);
    assert_int_equal(outcome.peak.virtual_users, 32);
    assert_int_equal(outcome.peak.rival, 0);
    assert_true(outcome.grows_at_the_end);
}

/* A search for the most warehouses from a public thread, three runs over overlapping ranges: not
 * even monotone, so the best of single runs is no answer: its neighbourhood is looked at, and it is
 * repeated. */
static void
a_public_search_must_repeat(void **state)
{
    const struct knee_options options = {1300, 1700, 40, 3, 6};
    struct knee_result results[40] = {{1500, true, 15601.8, true}, {1400, true, 14243.5, true},
                                      {1300, true, 15853.5, true}, {1500, true, 16158.5, true},
                                      {1600, true, 17590.8, true}, {1700, true, 16815.7, true},
                                      {1300, true, 16167.5, true}, {1400, true, 14643.9, true}};
    (void)state;

    struct knee_outcome outcome = knee_outcome(&options, results, 8);
    assert_int_equal(outcome.peak.virtual_users, 1600);
    assert_int_equal(outcome.peak.runs, 1);
    assert_false(outcome.peak.interval.valid);
    int count = 8;
    struct knee_next next;
    while ((next = knee_next(&options, results, count)).phase == KNEE_PEAK) {
        assert_in_range(next.virtual_users, 1301, 1699);
        results[count++] = (struct knee_result){next.virtual_users, true, 16900, true};
        assert_in_range(count, 9, 39);
    }
    assert_true(count > 8);
    assert_int_equal(next.phase, KNEE_REPEAT);
    assert_int_equal(next.virtual_users, 1600);
    assert_int_equal(next.repeat, 2);
}

/* No connections beyond 100: what cannot run is not the best, and the search closes in on it. */
static void
failed_steps_bound_the_search(void **state)
{
    struct knee_options options = {1, 512, 40, 2, 4};
    struct knee_result results[40];
    int count = 0;
    (void)state;

    for (;;) {
        struct knee_next next = knee_next(&options, results, count);
        if (next.phase == KNEE_DONE)
            break;
        bool runs = next.virtual_users <= 100;
        results[count++] = (struct knee_result){next.virtual_users, runs,
                                                runs ? linear(next.virtual_users) : 0, runs};
        assert_in_range(count, 1, 40);
    }
    struct knee_outcome outcome = knee_outcome(&options, results, count);
    assert_in_range(outcome.peak.virtual_users, 97, 100);
    assert_int_equal(outcome.within_limits.virtual_users, outcome.peak.virtual_users);
}

static void
nothing_ran(void **state)
{
    struct knee_options options = {1, 512, 40, 2, 4};
    struct knee_result results[40] = {0};
    int count = 0;
    (void)state;

    for (;;) {
        struct knee_next next = knee_next(&options, results, count);
        if (next.phase == KNEE_DONE)
            break;
        results[count++].virtual_users = next.virtual_users;
    }
    assert_int_equal(count, 2); /* two failed doublings are no growth */
    struct knee_outcome outcome = knee_outcome(&options, results, count);
    assert_int_equal(outcome.peak.virtual_users, 0);
    assert_int_equal(outcome.within_limits.virtual_users, 0);
    assert_false(outcome.grows_at_the_end);
}

static void
the_budget_ends_it(void **state)
{
    struct knee_options options = {1, 100000, 6, 2, 4};
    struct knee_result results[6];
    (void)state;

    for (int i = 0; i < 6; i++) {
        struct knee_next next = knee_next(&options, results, i);
        assert_int_equal(next.phase, KNEE_DOUBLE);
        results[i] =
            (struct knee_result){next.virtual_users, true, linear(next.virtual_users), true};
    }
    assert_int_equal(knee_next(&options, results, 6).phase, KNEE_DONE);
    struct knee_outcome outcome = knee_outcome(&options, results, 6);
    assert_true(outcome.budget_ended);
    assert_true(outcome.grows_at_the_end);
    assert_int_equal(outcome.peak.virtual_users, 32);
}

/* The last doubling is cut to what is allowed. */
static void
never_beyond_the_most(void **state)
{
    struct knee_options options = {3, 20, 40, 2, 4};
    const struct knee_result results[] = {
        {3, true, 30, true}, {6, true, 60, true}, {12, true, 120, true}};
    (void)state;

    assert_int_equal(knee_next(&options, results, 3).virtual_users, 20);
    options = (struct knee_options){7, 7, 40, 2, 4};
    assert_int_equal(knee_next(&options, NULL, 0).virtual_users, 7);
    const struct knee_result one = {7, true, 100, true};
    struct knee_next next = knee_next(&options, &one, 1);
    assert_int_equal(next.phase, KNEE_REPEAT);
    assert_int_equal(next.repeat, 2);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lands_near_the_best),
        cmocka_unit_test(goes_on_from_what_is_stored),
        cmocka_unit_test(headlines_have_intervals),
        cmocka_unit_test(rivals_are_repeated_and_named),
        cmocka_unit_test(plateau_of_a_public_series),
        cmocka_unit_test(a_public_search_must_repeat),
        cmocka_unit_test(failed_steps_bound_the_search),
        cmocka_unit_test(nothing_ran),
        cmocka_unit_test(the_budget_ends_it),
        cmocka_unit_test(never_beyond_the_most),
    };
    return cmocka_run_group_tests_name("knee", tests, NULL, NULL);
}
