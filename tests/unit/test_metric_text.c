/* What is said of metrics in short, and findings of several databases in one list. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/metric_text.h"

static struct metric
rate(const char *name, const char *instance, double mean, double total)
{
    return (struct metric){.source = METRIC_SERVER,
                           .name = name,
                           .instance = instance,
                           .unit = "sessions",
                           .kind = METRIC_RATE,
                           .samples = 10,
                           .mean = mean,
                           .total = total,
                           .missing = ""};
}

static void
assert_text(const struct step *step, enum metric_topic topic, const char *text)
{
    struct buf out = {0};

    metric_text(&out, step, topic);
    assert_string_equal(buf_text(&out), text);
    buf_free(&out);
}

/* Eight events; the five largest shares of eight sessions. */
static void
the_top_waits_are_shares_of_all(void **state)
{
    struct metric metrics[] = {
        rate("wait", "IO:WALSync", 0.5, 0),  rate("wait", "CPU", 2, 0),
        rate("wait", "Lock:tuple", 0.25, 0), rate("wait", "LWLock:A", 1, 0),
        rate("wait", "LWLock:B", 4, 0),      rate("wait", "LWLock:C", 0.1, 0),
        rate("wait", "LWLock:D", 0.15, 0),   rate("wait", "none", 0, 0),
        rate("commits", "", 100, 1000)};
    struct step *step = calloc(1, sizeof *step);
    const struct metric *top[METRIC_WAITS_TOP];
    double sessions;

    (void)state;
    step->metrics = metrics;
    step->metrics_count = 9;
    assert_int_equal(metric_top_waits(step, top, &sessions), 5);
    assert_true(sessions == 8);
    assert_text(step, METRIC_WAITS,
                "LWLock:B 50.0 %, CPU 25.0 %, LWLock:A 12.5 %, IO:WALSync 6.2 %, Lock:tuple 3.1 % "
                "of the time of 8.00 active sessions");
    step->metrics_count = 0;
    assert_int_equal(metric_top_waits(step, top, &sessions), 0);
    for (int topic = 0; topic < METRIC_TOPICS; topic++)
        assert_text(step, (enum metric_topic)topic, "");
    free(step);
}

static void
work_is_told_for_each_new_order(void **state)
{
    struct metric metrics[] = {
        rate("wal_bytes", "", 0, 4000000), rate("wal_full_page_images", "", 0, 500),
        rate("checkpoints_timed", "", 0, 1), rate("checkpoints_requested", "", 0, 0),
        rate("hit_ratio", "", 99.5, 0)};
    struct step *step = calloc(1, sizeof *step);

    (void)state;
    step->metrics = metrics;
    step->metrics_count = 5;
    assert_true(metric_per_new_order(step, "wal_bytes") < 0); /* of no new-order */
    step->transactions[TXN_NEW_ORDER].outcomes[OUTCOME_COMMITTED] = 1000;
    assert_true(metric_per_new_order(step, "wal_bytes") == 4000);
    assert_true(metric_checkpoints(step) == 1);
    assert_text(step, METRIC_WORK,
                "4000 B of WAL for each new-order, 0.50 full-page images, 99.50 % of blocks found "
                "in shared buffers, 1 checkpoint begun");
    metrics[3].samples = 0;
    assert_true(metric_checkpoints(step) == -1); /* half of them is no number */
    free(step);
}

static void
a_host_that_was_not_seen_says_why(void **state)
{
    struct metric metrics[] = {rate("cpu_busy", "all", 40, 0), rate("cpu_iowait", "all", 2, 0),
                               rate("cpu_steal", "all", 0, 0), rate("cpu_busy", "", 0, 0)};
    struct step *step = calloc(1, sizeof *step);

    (void)state;
    for (int i = 0; i < 3; i++)
        metrics[i].source = METRIC_DRIVER_HOST;
    metrics[3].source = METRIC_SERVER_HOST;
    metrics[3].samples = 0;
    metrics[3].missing = "no right";
    step->metrics = metrics;
    step->metrics_count = 4;
    assert_text(step, METRIC_HOSTS,
                "the driver's processors 40.0 % busy, 2.0 % waiting for disks; server's host not "
                "looked at: no right");
    free(step);
}

static void
findings_of_several_databases_are_one_list(void **state)
{
    struct finding first[] = {{SEVERITY_CAUTION, "busy", "driver's host: 50 %", "", ""},
                              {SEVERITY_NOTE, "jit", "jit is on", "", ""}};
    struct finding second[] = {{SEVERITY_SPOILS, "durability", "fsync is off", "", ""},
                               {SEVERITY_CAUTION, "busy", "driver's host: 51 %", "", ""},
                               {SEVERITY_NOTE, "jit", "jit is on", "", ""},
                               {SEVERITY_NOTE, "checksums", "off", "", ""}};
    struct environment environment = {.findings = first, .findings_count = 2};
    struct environment other = {.findings = second, .findings_count = 4};
    struct arena arena = {0};

    (void)state;
    environment_add_findings(&environment, &arena, &other, "new server");
    assert_int_equal(environment.findings_count, 4);
    assert_string_equal(environment.findings[0].seen, "new server: fsync is off");
    assert_string_equal(environment.findings[1].seen, "driver's host: 50 %");
    assert_string_equal(environment.findings[2].seen, "jit is on");
    assert_string_equal(environment.findings[3].seen, "new server: off");
    for (int i = 0; i < 100; i++)
        environment_add_findings(&environment, &arena, &other, i % 2 ? "a" : "b");
    assert_in_range(environment.findings_count, 4, FINDINGS_MAX);
    arena_free(&arena);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_top_waits_are_shares_of_all),
        cmocka_unit_test(work_is_told_for_each_new_order),
        cmocka_unit_test(a_host_that_was_not_seen_says_why),
        cmocka_unit_test(findings_of_several_databases_are_one_list),
    };
    return cmocka_run_group_tests_name("metric_text", tests, NULL, NULL);
}
