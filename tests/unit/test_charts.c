/* Which charts a run has, and that gnuplot never gets a text from outside. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "reports/analyse.h"
#include "reports/charts.h"
#include "reports/level_metrics.h"
#include "tests/unit/sample.h"

static struct arena arena;
static struct run run;
static struct analysis analysis;
static struct charts charts;

static int
make_sample(void **state)
{
    static const int ladder[] = {1, 4, 16};
    (void)state;

    sample_run(&arena, &run, &(struct sample){.ladder = ladder, .levels = 3, .repeats = 2});
    return 0;
}

static int
forget(void **state)
{
    (void)state;
    charts_free(&charts);
    arena_free(&arena);
    return 0;
}

static void
make(void)
{
    analysis_make(&analysis, &run, &arena);
    charts_make(&charts, &run, &analysis, &arena);
}

static const struct chart *
find(const char *section)
{
    for (int i = 0; i < charts.count; i++)
        if (strcmp(charts.charts[i].section, section) == 0)
            return &charts.charts[i];
    return NULL;
}

static void
what_is_not_there_says_why(void **state)
{
    (void)state;

    make();
    assert_string_equal(find("warehouses")->absent, "the run has one number of warehouses only");
    assert_non_null(strstr(find("think")->absent, "did not think"));
    assert_null(find("profile")->absent);
    assert_null(find("waits")->absent);
    charts_free(&charts);
    for (int i = 0; i < run.steps_count; i++)
        run.steps[i].metrics_count = 0;
    make();
    assert_string_equal(find("waits")->absent, "they were not sampled");
    assert_string_equal(find("cores")->absent, "they were not sampled");
    assert_string_equal(find("io")->absent, "it was not sampled");
}

/* "single quotes', newlines and backticks would be commands. */
static void
names_of_waits_are_letters(void **state)
{
    (void)state;

    for (int i = 0; i < run.steps_count; i++)
        for (int k = 0; k < run.steps[i].metrics_count; k++)
            if (strcmp(run.steps[i].metrics[k].name, "wait") == 0)
                run.steps[i].metrics[k].instance = "Ext:'; system('id') `id`\n\"\\";
    make();
    const char *script = buf_text(&find("waits")->plot.script);
    assert_null(strstr(script, "system("));
    assert_null(strstr(script, "`"));
    assert_non_null(strstr(script, "Ext:?? system??id?? ?id????"));
}

/* A made-up system with 30 % of two cores busy at one user, 36 % and 24 % of either. */
static void
shares_and_costs(void **state)
{
    (void)state;

    make();
    const struct analysis_level *level = &analysis.levels[0];
    double cpu_us = level_metrics_cpu_us(level, METRIC_SERVER_HOST);
    assert_true(cpu_us > 0);
    assert_float_equal((float)(cpu_us * level->nopm_mean / 60e6), 0.60F, 0.001F);
    assert_float_equal((float)level_metrics_mean(level, METRIC_SERVER, "wait", NULL), 0.95F,
                       0.001F);
    const char *names[2];
    assert_int_equal(level_metrics_instances(&analysis, METRIC_SERVER, "wait", NULL, names, 2), 2);
    assert_string_equal(names[0], "CPU");
    assert_string_equal(names[1], "LWLock:WALWrite");
}

/* What the `index`th wait of the last step is called. */
static void
name_wait(int index, const char *name)
{
    struct step *step = &run.steps[run.steps_count - 1];

    for (int k = 0; k < step->metrics_count; k++)
        if (strcmp(step->metrics[k].name, "wait") == 0 && index-- == 0)
            step->metrics[k].instance = name;
}

/* At 16 users 2 sessions run, 3.2 write the log, and 0.8 wait for something else: in one run for a
 * lock, in the other for a disk, so 0.4 for either in the mean of both. */
static void
waits_add_up(void **state)
{
    const char *names[4];
    double sessions[4];
    (void)state;

    name_wait(2, "IO:DataFileRead");
    make();
    const struct analysis_level *level = &analysis.levels[2];
    assert_int_equal(level_metrics_waits(&analysis, names, 4), 4);
    assert_string_equal(names[3], "IO:DataFileRead");
    assert_float_equal((float)level_metrics_in_waits(level, names, 4, sessions), 6, 0.001F);
    assert_float_equal((float)sessions[0], 2, 0.001F);
    assert_float_equal((float)sessions[1], 3.2F, 0.001F);
    assert_float_equal((float)sessions[2], 0.4F, 0.001F);
    assert_float_equal((float)sessions[3], 0.4F, 0.001F);

    assert_int_equal(level_metrics_waits(&analysis, names, 3), 3);
    assert_string_equal(names[2], "other");
    level_metrics_in_waits(level, names, 3, sessions);
    assert_float_equal((float)sessions[2], 0.8F, 0.001F);
}

/* The sampler has an "other" of its own, where the server knows more than it can tell apart. */
static void
there_is_one_other(void **state)
{
    const char *names[4];
    double sessions[4];
    (void)state;

    name_wait(0, "other");
    make();
    const struct analysis_level *level = &analysis.levels[2];
    assert_int_equal(level_metrics_waits(&analysis, names, 4), 4);
    assert_string_equal(names[2], "Lock:transactionid");
    assert_string_equal(names[3], "other");
    level_metrics_in_waits(level, names, 4, sessions);
    assert_float_equal((float)sessions[3], 1, 0.001F);

    assert_int_equal(level_metrics_waits(&analysis, names, 3), 3);
    assert_string_equal(names[2], "other");
    level_metrics_in_waits(level, names, 3, sessions);
    assert_float_equal((float)sessions[2], 1.8F, 0.001F);
}

/* Who does not see a chart of disks and log hears its first and last figure. */
static void
words_for_who_does_not_see(void **state)
{
    (void)state;

    make();
    assert_string_equal(find("io")->plot.label,
                        "Write-ahead log for each new-order: 5 kB at 1 virtual user, 5 at 16");
}

/* Only loads that were measured everywhere make a surface. */
static void
a_surface_needs_common_loads(void **state)
{
    int surfaces = 0;
    (void)state;

    for (int i = 0; i < run.steps_count; i++)
        if (run.steps[i].repeat == 2)
            run.steps[i].warehouses = 8;
    make();
    for (int i = 0; i < charts.count; i++)
        surfaces +=
            !charts.charts[i].absent && strncmp(charts.charts[i].plot.id, "surface", 7) == 0;
    assert_int_equal(surfaces, 1);
    charts_free(&charts);
    run.steps[1].virtual_users = 2;
    run.steps[3].virtual_users = 5;
    make();
    for (int i = 0; i < charts.count; i++)
        assert_true(charts.charts[i].absent ||
                    strncmp(charts.charts[i].plot.id, "surface", 7) != 0);
}

static const struct chart *
find_id(const char *id)
{
    for (int i = 0; i < charts.count; i++)
        if (!charts.charts[i].absent && strcmp(charts.charts[i].plot.id, id) == 0)
            return &charts.charts[i];
    return NULL;
}

static void
expect(const char *id, const char *in_script, const char *in_caption)
{
    const struct chart *chart = find_id(id);

    if (!chart)
        fail_msg("no chart %s", id);
    if (!strstr(buf_text(&chart->plot.script), in_script))
        fail_msg("%s: %s is not in %s", id, in_script, buf_text(&chart->plot.script));
    if (!strstr(chart->caption, in_caption))
        fail_msg("%s: %s is not in %s", id, in_caption, chart->caption);
}

/* The second repeat becomes a curve of look-ups, of one answer each microsecond. */
static void
make_probes(void)
{
    for (int i = 0; i < run.steps_count; i++) {
        struct step *step = &run.steps[i];
        step->curve = step->repeat - 1;
        step->curve_name = step->curve ? "look'up" : "standard";
        step->mix_name = step->curve ? "lookup" : "standard";
        if (step->curve == 0)
            continue;
        memset(step->mix, 0, sizeof step->mix);
        step->mix[TXN_LOOKUP] = 100;
        for (int k = 0; k < step->seconds_count; k++) {
            memset(step->seconds[k].outcomes, 0, sizeof step->seconds[k].outcomes);
            step->seconds[k].outcomes[TXN_LOOKUP][OUTCOME_COMMITTED] = 70;
        }
        memset(step->transactions, 0, sizeof step->transactions);
        hist_record(&step->transactions[TXN_LOOKUP].response, 1000);
        step->transactions[TXN_LOOKUP].outcomes[OUTCOME_COMMITTED] = 1;
    }
}

/* Labels of 860 units, of which 130 are an octave: 14, 16 and 60 have no room beside 13, 15 and 64.
 * Of 340 units 15 has none either. */
static void
labels_of_loads_leave_gaps(void **state)
{
    static const int ladder[] = {1, 2, 4, 8, 13, 14, 15, 16, 60, 64};
    (void)state;

    sample_run(&arena, &run,
               &(struct sample){.ladder = ladder,
                                .levels = 10,
                                .repeats = 2,
                                .measure_s = 2,
                                .ramp_up_s = 1,
                                .warehouses = 4,
                                .database = "bench"});
    make();
    expect("curve-1", "set xtics (1,2,4,8,13,15,64)\n", "");
    expect("wal-1", "set xtics (1,2,4,8,13,64)\n", "");
}

/* Two curves of other loads have the loads of both below them, and nothing between. */
static void
an_axis_of_two_curves(void **state)
{
    (void)state;

    for (int i = 0; i < run.steps_count; i++)
        if (run.steps[i].repeat == 2) {
            run.steps[i].warehouses = 8;
            run.steps[i].virtual_users += run.steps[i].virtual_users == 4 ? 2 : 0;
        }
    make();
    expect("warehouses-1", "set xtics (1,4,6,16)\n", "");
}

/* What the pointer finds, where a line or an area is too fine for it. */
static void
tooltips_of_lines_and_maps(void **state)
{
    (void)state;

    make();
    expect("cores-server-1", "0 0 \"#010217\" \"1 virtual user, core 0: 36 %\"", "in percent");
    expect("cores-server-1", "\n0 1 \"24\"\n", "");
    for (int i = 0; i < run.steps_count; i++)
        if (run.steps[i].repeat == 2)
            run.steps[i].warehouses = 8;
    charts_free(&charts);
    make();
    expect("surface-1", "\"8 warehouses, 16 virtual users: ", "");
}

/* The window of the longest repeat is on the axis, not that of the first. */
static void
all_of_every_run_over_time(void **state)
{
    char range[64];
    (void)state;

    for (int i = 0; i < run.steps_count; i++)
        if (run.steps[i].repeat == 2)
            run.steps[i].elapsed_us = INT64_C(100000000);
    snprintf(range, sizeof range, "set xrange [0:%.1f]",
             (double)run.steps[0].ramp_up_us / 1e6 + 100);
    make();
    expect("time-1", range, "");
}

/* From 2.1 to 6.8 s, and one from 90 s on that is not over at the end, at 3 and 100 s. */
static void
outages_have_a_mark(void **state)
{
    struct step *step = &run.steps[0];
    (void)state;

    step->ramp_up_us = INT64_C(3000000);
    step->elapsed_us = INT64_C(100000000);
    step->outages_count = 2;
    step->outages[0] = (struct outage){.start_us = 2100000, .end_us = 6800000, .losses = 2};
    step->outages[1] = (struct outage){.start_us = 90000000, .end_us = OUTAGE_OPEN, .losses = 1};
    make();
    expect("time-1", "set arrow from 2.1, graph 0.03 to 6.8, graph 0.03 nohead", "");
    expect("time-1", "run 1: 2 connections lost from 2.1 s on, all made anew by 6.8 s\"", "");
    expect("time-1", "set arrow from 90.0, graph 0.03 to 103.0, graph 0.03 nohead", "");
    expect("time-1", "run 1: 1 connection lost from 90.0 s on, not all made anew\"", "");
}

/* A probe counts calls: no axis of it says NOPM, and no line of it lies at nought. */
static void
probes_have_axes_of_their_own(void **state)
{
    (void)state;

    make_probes();
    make();
    expect("curve-1", "set ylabel 'NOPM'", "New-orders per minute");
    expect("curve-4", "set ylabel 'TPM'", "Transactions per minute");
    expect("latency-4", "set ylabel 'Lookup response, ms'", "of the Lookup response");
    expect("latency-4", " 1.000 \"1 virtual user: p50 1.00ms\"", "");
    expect("time-4", "\n3.5 4200.0\n", "look'up"); /* 70 a second */
    expect("time-4", "\n3.5 4200.0 \"run 1, 3 to 4 s: 4,200 TPM\"\n", "");
    assert_non_null(strstr(find_id("time-4")->plot.label, "Transactions per minute over time"));
    charts_free(&charts);
    for (int i = 0; i < run.steps_count; i++)
        if (run.steps[i].curve == 0)
            run.steps[i].status = STEP_FAILED;
    make();
    assert_null(find_id("wal-order-1"));
    assert_non_null(find_id("wal-1"));
    assert_string_equal(find("io")->absent, "the mix has no new-order");
    charts_free(&charts);
    for (int i = 0; i < run.steps_count; i++)
        run.steps[i].status = STEP_COMPLETE;
    make();
    assert_null(find_id("curves")); /* they have no axis in common */
}

/* The plan has other dimensions between the numbers of warehouses. */
static void
curves_of_a_matrix(void **state)
{
    (void)state;

    for (int i = 0; i < run.steps_count; i++) {
        struct step *step = &run.steps[i];
        step->curve = 2 * (step->virtual_users > 1) + step->repeat - 1;
        step->virtual_users = step->virtual_users == 16 ? 8 : step->virtual_users;
        step->warehouses = step->curve < 2 ? 4 : 8;
        step->configuration = step->curve % 2 ? "o'ld" : "new";
        step->curve_name =
            arena_printf(&arena, "%d warehouses, %s", step->warehouses, step->configuration);
    }
    make();
    assert_int_equal(analysis.curves_count, 4);
    expect("curves", "title 'curve 4'",
           "all curves: curve 1: 4 warehouses, new; curve 2: 4 warehouses, ");
    assert_null(strstr(buf_text(&find_id("curves")->plot.script), "o'ld"));
    expect("warehouses-1", "title '8 warehouses'", "one line for each number of warehouses");
    assert_string_equal(find_id("warehouses-1")->group, "new");
    assert_string_equal(find_id("warehouses-2")->group, "o'ld");
}

/* Forty lines can be told apart, more cannot. */
static void
a_chart_has_an_end(void **state)
{
    static const int ladder[] = {4};
    (void)state;

    for (int curves = 40; curves <= 41; curves++) {
        sample_run(&arena, &run,
                   &(struct sample){.ladder = ladder,
                                    .levels = 1,
                                    .repeats = curves,
                                    .measure_s = 2,
                                    .ramp_up_s = 1,
                                    .warehouses = 4,
                                    .database = "bench"});
        for (int i = 0; i < run.steps_count; i++) {
            run.steps[i].curve = i;
            run.steps[i].configuration = arena_printf(&arena, "%d", i);
        }
        make();
        assert_int_equal(analysis.curves_count, curves);
        if (curves == 40)
            expect("curves", "dt 4 ", "curve 40: 4 warehouses, 39");
        else
            assert_string_equal(find("profile")->caption, "All curves in one chart");
        if (curves == 40)
            charts_free(&charts);
    }
}

/* A level with errors is no part of the result, and is not drawn as if it were. */
static void
void_levels_are_crossed_out(void **state)
{
    char point[64];
    (void)state;

    make();
    assert_null(strstr(buf_text(&find_id("summary")->plot.script), "title 'void'"));
    charts_free(&charts);
    analysis.levels[1].stands = false;
    charts_make(&charts, &run, &analysis, &arena);
    snprintf(point, sizeof point, "$void << EOD\n4 %.1f\nEOD\n", analysis.levels[1].nopm_mean);
    expect("summary", point, "Crossed out: void.");
    expect("summary", "title 'void'", "");
    expect("curve-1", "title 'void'", "");
}

/* Two runs of 1,000 and 3,000 have an interval up to 14,706: Student's t of 12.706 times a standard
 * error of 1,000, about a mean of 2,000. The axis ends at twice the highest run, and a bit. */
static void
no_interval_presses_a_curve_flat(void **state)
{
    (void)state;

    make();
    assert_null(strstr(find_id("curve-1")->caption, "goes on beyond"));
    charts_free(&charts);
    analysis.levels_count = analysis.curves[0].count = 1;
    analysis.peak = 0;
    analysis.levels[0].nopm[0] = 1000;
    analysis.levels[0].nopm[1] = 3000;
    analysis.levels[0].nopm_interval =
        (struct stats_interval){.valid = true, .low = 0, .high = 14706};
    charts_make(&charts, &run, &analysis, &arena);
    expect("curve-1", "set yrange [0:6480]\n", "goes on beyond it.");
    expect("summary", "set yrange [0:6480]\n", "goes on beyond it.");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_not_there_says_why, make_sample, forget),
        cmocka_unit_test_setup_teardown(names_of_waits_are_letters, make_sample, forget),
        cmocka_unit_test_setup_teardown(shares_and_costs, make_sample, forget),
        cmocka_unit_test_setup_teardown(waits_add_up, make_sample, forget),
        cmocka_unit_test_setup_teardown(there_is_one_other, make_sample, forget),
        cmocka_unit_test_setup_teardown(words_for_who_does_not_see, make_sample, forget),
        cmocka_unit_test_teardown(labels_of_loads_leave_gaps, forget),
        cmocka_unit_test_setup_teardown(void_levels_are_crossed_out, make_sample, forget),
        cmocka_unit_test_setup_teardown(no_interval_presses_a_curve_flat, make_sample, forget),
        cmocka_unit_test_setup_teardown(an_axis_of_two_curves, make_sample, forget),
        cmocka_unit_test_setup_teardown(tooltips_of_lines_and_maps, make_sample, forget),
        cmocka_unit_test_setup_teardown(all_of_every_run_over_time, make_sample, forget),
        cmocka_unit_test_setup_teardown(outages_have_a_mark, make_sample, forget),
        cmocka_unit_test_setup_teardown(probes_have_axes_of_their_own, make_sample, forget),
        cmocka_unit_test_setup_teardown(curves_of_a_matrix, make_sample, forget),
        cmocka_unit_test_teardown(a_chart_has_an_end, forget),
        cmocka_unit_test_setup_teardown(a_surface_needs_common_loads, make_sample, forget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
