/* The verdict on made-up series whose truth is known. Rates of error are measured over thousands of
 * series, printed, and held below what docs/statistics.md states. */
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
#include "common/steady.h"
#include "tests/unit/series.h"

#define SERIES  2000
#define RAMP_UP 30
#define LONGEST 3600
#define MEAN    1000.0

#define BOOK_TOLERANCE 0.35 /* percent */

static struct buf book; /* docs/statistics.md */

static double rates[RAMP_UP + LONGEST], noise[RAMP_UP + LONGEST];
static const struct steady_facts unknown = {-1, -1, 30};

/* A shape gives the level at second t of a window of so many seconds; t < 0 in the ramp-up. */
typedef double shape(int t, int window);

static double
flat(int t, int window)
{
    (void)window;
    return t < -15 ? 0.3 + 0.7 * (t + RAMP_UP) / 15.0 : 1; /* warm after half of the ramp-up */
}

static double
late_warm_up(int t, int window) /* over after a quarter of the window */
{
    double from = -RAMP_UP, to = window / 4.0;
    return t < to ? 0.4 + 0.6 * (t - from) / (to - from) : 1;
}

static double
step_up(int t, int window)
{
    return t < window / 2 ? flat(t, window) : 1.15;
}

static double
early_step(int t, int window)
{
    return t >= 0 && t < window / 5 ? 1.25 : flat(t, window);
}

static double
decay(int t, int window) /* from 1.1 to 0.9 */
{
    return flat(t, window) * (t < 0 ? 1.1 : 1.1 - 0.2 * t / window);
}

static double
ramp(int t, int window) /* the other way round */
{
    return flat(t, window) * (t < 0 ? 0.9 : 0.9 + 0.2 * t / window);
}

static double
slow_decay(int t, int window) /* 4 %: within what is allowed */
{
    return flat(t, window) * (t < 0 ? 1 : 1 - 0.04 * t / window);
}

static double
saw_tooth(int t, int window) /* ten checkpoints: from 1.15 to 0.85 and back at once */
{
    double period = window / 10.0;
    return t < 0 ? flat(t, window) : 1.15 - 0.3 * (fmod(t, period) / period);
}

static double
one_tooth(int t, int window) /* less than one checkpoint cycle inside */
{
    return t < 0 ? flat(t, window) : 1.15 - 0.3 * t / window;
}

static struct steady
judge(struct rng *rng, shape *level, int window, double sd, double rho)
{
    series_ar1(rng, rho, noise, RAMP_UP + window);
    for (int i = 0; i < RAMP_UP + window; i++)
        rates[i] = fmax(0, round(MEAN * (level(i - RAMP_UP, window) + sd * noise[i])));
    return steady_of_series(rates, RAMP_UP + window, RAMP_UP, &unknown);
}

/* Percent of SERIES that got each verdict. */
static void
share(shape *level, int window, double sd, double rho, double percent[3])
{
    struct rng rng;
    int counts[3] = {0};

    rng_seed(&rng, 42, RNG_BOOTSTRAP, (uint64_t)window);
    for (int i = 0; i < SERIES; i++)
        counts[judge(&rng, level, window, sd, rho).state]++;
    for (int i = 0; i < 3; i++)
        percent[i] = 100.0 * counts[i] / SERIES;
}

static void
print_row(const char *name, int window, double sd, double rho, const double percent[3])
{
    printf("# | %s | %.0f %% | %d s | %.1f | %.1f %% | %.1f %% | %.1f %% |\n", name, 100 * sd,
           window, rho, percent[STEADY_STEADY], percent[STEADY_DRIFTING],
           percent[STEADY_TOO_SHORT]);
}

/* A row as it stands in docs/statistics.md, where the figures may differ by what another machine
 * rounds. */
static void
look_it_up(const char *name, int window, double sd, double rho, const double percent[3])
{
    char row[128];
    double there[3];

    snprintf(row, sizeof row, "\n| %s | %.0f %% | %d s | %.1f | ", name, 100 * sd, window, rho);
    const char *at = strstr(buf_text(&book), row);
    if (!at || sscanf(at + strlen(row), "%lf %% | %lf %% | %lf %%", &there[STEADY_STEADY],
                      &there[STEADY_DRIFTING], &there[STEADY_TOO_SHORT]) != 3)
        fail_msg("docs/statistics.md has no row%s", row + 1);
    for (int i = 0; at && i < 3; i++)
        if (fabs(there[i] - percent[i]) > BOOK_TOLERANCE)
            fail_msg("docs/statistics.md has %.1f %% for %.2f %% of %s", there[i], percent[i],
                     name);
}

/* The rates stand in docs/statistics.md, and the rule of the verdict promises that at most
 * STEADY_ERROR_PERCENT are wrong: to call what drifts STEADY, or what is steady DRIFTING. TOO SHORT
 * is no error, but should be rare where the window is long enough. */
static void
errors_are_rare(void **state)
{
    static const struct {
        const char *name;
        shape *level;
        int window;
        double sd, rho;
        enum steady_state right;
        double right_min; /* percent */
    } cases[] = {
        {"flat", flat, 60, 0.05, 0, STEADY_STEADY, 95},
        {"flat", flat, 300, 0.05, 0, STEADY_STEADY, 95},
        {"flat", flat, 300, 0.10, 0, STEADY_STEADY, 95},
        {"flat", flat, 300, 0.05, 0.5, STEADY_STEADY, 95},
        {"flat", flat, 300, 0.05, 0.9, STEADY_STEADY, 75},
        {"flat", flat, 1800, 0.10, 0.9, STEADY_STEADY, 90},
        {"decay by 4 %", slow_decay, 300, 0.05, 0, STEADY_STEADY, 95},
        {"ten saw-teeth of 30 %", saw_tooth, 300, 0.05, 0.5, STEADY_STEADY, 80},
        {"less than one saw-tooth of 30 %", one_tooth, 300, 0.05, 0.5, STEADY_DRIFTING, 95},
        {"ramp by 20 %", ramp, 300, 0.05, 0.5, STEADY_DRIFTING, 95},
        {"decay by 20 %", decay, 300, 0.05, 0, STEADY_DRIFTING, 95},
        {"decay by 20 %", decay, 300, 0.05, 0.5, STEADY_DRIFTING, 95},
        {"decay by 20 %", decay, 300, 0.05, 0.9, STEADY_DRIFTING, 85},
        {"step of 15 % in the middle", step_up, 300, 0.05, 0.5, STEADY_DRIFTING, 95},
        {"first fifth 25 % higher", early_step, 300, 0.05, 0.5, STEADY_DRIFTING, 85},
        {"warm-up over a quarter of the window", late_warm_up, 300, 0.05, 0.5, STEADY_DRIFTING, 85},
    };
    (void)state;

    double percents[sizeof cases / sizeof cases[0]][3];

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        share(cases[i].level, cases[i].window, cases[i].sd, cases[i].rho, percents[i]);
        print_row(cases[i].name, cases[i].window, cases[i].sd, cases[i].rho, percents[i]);
    }
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const double *percent = percents[i];
        enum steady_state right = cases[i].right;
        enum steady_state wrong = right == STEADY_STEADY ? STEADY_DRIFTING : STEADY_STEADY;
        if (percent[wrong] > STEADY_ERROR_PERCENT || percent[right] < cases[i].right_min)
            fail_msg("%s: %.2f %% wrong, %.2f %% right", cases[i].name, percent[wrong],
                     percent[right]);
        look_it_up(cases[i].name, cases[i].window, cases[i].sd, cases[i].rho, percent);
    }
}

/* Where it ends, as the book says: so noisy and so correlated that twenty batches do not tell how
 * much. Most of these are TOO SHORT. */
static void
beyond_what_it_promises(void **state)
{
    double percent[3];
    (void)state;

    share(flat, 300, 0.10, 0.9, percent);
    print_row("flat", 300, 0.10, 0.9, percent);
    assert_true(percent[STEADY_DRIFTING] < 2 * STEADY_ERROR_PERCENT);
    assert_true(percent[STEADY_TOO_SHORT] > 60);
    look_it_up("flat", 300, 0.10, 0.9, percent);
}

/* The definition, word for word: the place d that makes the sum of (Y_i - mean)^2 over i > d,
 * divided by (n - d)^2, least. */
static int
mser5_by_definition(const double *values, int count)
{
    double means[(RAMP_UP + LONGEST) / 5], least = INFINITY;
    int n = count / 5, best = 0;

    for (int i = 0; i < n; i++)
        means[i] = (values[5 * i] + values[5 * i + 1] + values[5 * i + 2] + values[5 * i + 3] +
                    values[5 * i + 4]) /
                   5;
    for (int d = 0; d <= n - 5; d++) {
        double mean = 0, sum = 0;
        for (int i = d; i < n; i++)
            mean += means[i] / (n - d);
        for (int i = d; i < n; i++)
            sum += (means[i] - mean) * (means[i] - mean);
        if (sum / ((double)(n - d) * (n - d)) < least) {
            least = sum / ((double)(n - d) * (n - d));
            best = d;
        }
    }
    return best <= n / 2 ? 5 * best : -1;
}

static void
warm_up_is_cut_by_the_definition(void **state)
{
    struct rng rng;
    int found = 0, none = 0;
    (void)state;

    rng_seed(&rng, 42, RNG_BOOTSTRAP, 1);
    for (int i = 0; i < 200; i++) {
        int count = 40 + 7 * i;
        series_ar1(&rng, i % 10 / 10.0, noise, count);
        for (int t = 0; t < count; t++)
            rates[t] = 1000 + 100 * noise[t] - (t < i ? 500 : 0);
        assert_int_equal(steady_mser5(rates, count), mser5_by_definition(rates, count));
        found += steady_mser5(rates, count) > 0;
        none += steady_mser5(rates, count) < 0;
    }
    assert_true(found > 100);
    assert_true(none > 0);
}

static void
warm_up_by_hand(void **state)
{
    double values[200];
    (void)state;

    for (int i = 0; i < 200; i++)
        values[i] = i < 40 ? 100 + 20 * i : 1000;
    assert_int_equal(steady_mser5(values, 200), 40);
    assert_int_equal(steady_mser5(values + 40, 160), 0);
    for (int i = 0; i < 200; i++)
        values[i] = i; /* no end of it */
    assert_int_equal(steady_mser5(values, 200), -1);
    assert_int_equal(steady_mser5(values, 19), -1);
}

/* A warm-up of 45 s after a ramp-up of 30 s is found in most series, and its effect is told: 15 s
 * of 300 at 60 % on average take 2 % off the mean. */
static void
late_warm_up_is_measured(void **state)
{
    struct rng rng;
    int late = 0, near = 0;
    double effect = 0;
    (void)state;

    rng_seed(&rng, 42, RNG_BOOTSTRAP, 2);
    for (int i = 0; i < SERIES; i++) {
        series_ar1(&rng, 0.3, noise, RAMP_UP + 300);
        for (int t = 0; t < RAMP_UP + 300; t++)
            rates[t] = 1000 * ((t < 45 ? 0.6 : 1) + 0.05 * noise[t]);
        struct steady steady = steady_of_series(rates, RAMP_UP + 300, RAMP_UP, &unknown);
        assert_int_equal(steady.ramp_up_s, RAMP_UP);
        if (!steady.late)
            continue;
        assert_int_equal(steady.state, STEADY_DRIFTING);
        late++;
        effect += steady.late_effect;
        near += abs(steady.warm_up_s - 45) <= 10;
    }
    assert_true(late > SERIES * 95 / 100);
    printf("# late warm-up seen in %.1f %%, its end within 10 s in %.1f %%\n",
           100.0 * late / SERIES, 100.0 * near / SERIES);
    assert_true(near > SERIES * 75 / 100);
    assert_true(fabs(effect / late + 0.02) < 0.003);
}

static void
checkpoints_are_facts(void **state)
{
    struct rng rng;
    struct steady_facts facts = {-1, -1, 300};
    (void)state;

    rng_seed(&rng, 42, RNG_BOOTSTRAP, 3);
    judge(&rng, flat, 120, 0.02, 0);
    struct steady steady = steady_of_series(rates, RAMP_UP + 120, RAMP_UP, &facts);
    assert_int_equal(steady.state, STEADY_TOO_SHORT);
    assert_false(steady.cycle_covered);
    facts.checkpoints = 2; /* asked for by the volume of WAL */
    steady = steady_of_series(rates, RAMP_UP + 120, RAMP_UP, &facts);
    assert_int_equal(steady.state, STEADY_STEADY);
    assert_int_equal(steady.batches.batches, STEADY_BATCHES);
    assert_int_equal(steady.batches.size, 6);
    assert_true(steady.batches.interval.low < MEAN && steady.batches.interval.high > MEAN);
    assert_true(steady.batches.interval.high - steady.batches.interval.low < 0.02 * MEAN);
    facts = (struct steady_facts){0, 3, 60};
    steady = steady_of_series(rates, RAMP_UP + 120, RAMP_UP, &facts);
    assert_int_equal(steady.state, STEADY_TOO_SHORT);
    assert_int_equal(steady.facts.autovacuums, 3);
}

static void
nothing_and_too_little(void **state)
{
    static const double none[100];
    (void)state;

    assert_int_equal(steady_of_series(none, 0, 0, &unknown).state, STEADY_TOO_SHORT);
    struct steady steady = steady_of_series(none, 100, 20, &unknown);
    assert_false(steady.tested);
    assert_int_equal(steady.state, STEADY_TOO_SHORT);
    assert_int_equal(steady_of_series(none, 49, 20, &unknown).seconds, 29);
}

/* Connecting, a ramp-up of 2 s, a window of 40 s, draining: the seconds at either end of the window
 * are shared with its neighbours, so 38 are whole. */
static void
a_step_gives_its_whole_seconds(void **state)
{
    struct second seconds[45] = {{.at_s = -1, .phase = PHASE_CONNECT}};
    struct step step = {.seconds = seconds, .seconds_count = 45};
    (void)state;

    for (int i = 1; i < 45; i++) {
        seconds[i] = (struct second){.at_s = i - 1,
                                     .phase = i < 3    ? PHASE_RAMP_UP
                                              : i < 43 ? PHASE_MEASURE
                                                       : PHASE_DRAIN};
        seconds[i].outcomes[TXN_NEW_ORDER][OUTCOME_COMMITTED] = 100;
    }
    seconds[3].outcomes[TXN_NEW_ORDER][OUTCOME_COMMITTED] = 3;
    seconds[42].outcomes[TXN_NEW_ORDER][OUTCOME_COMMITTED] = 3;
    struct steady steady = steady_of_step(&step, &unknown);
    assert_int_equal(steady.seconds, 38);
    assert_int_equal(steady.ramp_up_s, 2);
    assert_int_equal(steady.state, STEADY_STEADY);
    assert_true(steady.trend == 0 && steady.trend_interval.low == 0);
    step.seconds_count = 3;
    assert_int_equal(steady_of_step(&step, &unknown).seconds, 0);
    step.seconds_count = 4;
    assert_int_equal(steady_of_step(&step, &unknown).seconds, 0);
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
        cmocka_unit_test(errors_are_rare),
        cmocka_unit_test(beyond_what_it_promises),
        cmocka_unit_test(warm_up_is_cut_by_the_definition),
        cmocka_unit_test(warm_up_by_hand),
        cmocka_unit_test(late_warm_up_is_measured),
        cmocka_unit_test(checkpoints_are_facts),
        cmocka_unit_test(nothing_and_too_little),
        cmocka_unit_test(a_step_gives_its_whole_seconds),
    };
    return cmocka_run_group_tests_name("steady", tests, read_book, close_book);
}
