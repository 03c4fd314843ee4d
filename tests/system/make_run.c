/* make_run KIND FOLDER: fills the store of a made-up run, for the tests of `ordermill report`.
 * KIND: ramp (a full ladder), hostile (names meant to break a report, and faults of every kind),
 * single (one step, no check), empty (no step at all), golden (small, for the files that are kept),
 * grid (several numbers of warehouses, paced); matrix (of warehouses and mixes, one a probe);
 * before, after, slight, other (to be compared); five, five-after (the same with more repeats);
 * host-a, host-b (of one run);
 * hours (16 levels of an hour). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/log.h"
#include "common/store.h"
#include "tests/unit/sample.h"

static const int ladder[] = {1, 2, 4, 8, 16, 24, 32};
static const int long_ladder[] = {1, 2, 3, 4, 6, 8, 10, 12, 14, 16, 18, 20, 24, 32, 48, 64};
static const int one[] = {8};

/* A step of each bad kind, and texts that would be markup, script or terminal control. */
static void
spoil(struct arena *arena, struct run *run)
{
    run->name = "<script>alert(1)</script>";
    run->steps[1].status = STEP_FAILED;
    run->steps[1].reason = "server <b>closed</b> the connection & left";
    run->steps[2].status = STEP_INTERRUPTED;
    run->steps[2].reason = "interrupted";
    run->steps[2].grown[GROWTH_NEW_ORDERS] = -1;
    run->steps[4].virtual_users_lost = 2;
    run->steps[4].transactions[TXN_PAYMENT].outcomes[OUTCOME_LOST] = 2;
    run->steps[4].errors[0] =
        (struct error_count){.sqlstate = "00000",
                             .message = "\x1b[31m</td></table><img src=x onerror=y>\xff",
                             .count = 2};
    run->steps[4].errors_count = 1;
    run->steps[6].grown[GROWTH_NEW_ORDERS] += 1;
    run->check.conditions[2].violations = 3;
    run->check.conditions[2].examples_count = 1;
    run->check.conditions[2].examples[0] =
        (struct check_example){1, 4, "no_o_id <1>", "900", "899"};
    run->check.conditions[11].tested = false;
    environment_add(&run->environment, arena, "setting", "fsync'\"<x>", "off",
                    "javascript:alert(1)");
    run->environment.facts[8].value = "off"; /* fsync */
    run->profile = "<profile><!-- \"&lt;\" --></profile>\n";
}

/* Half of the steps with twice the warehouses, and terminals that think 12 s in the mean. */
static void
make_grid(struct run *run)
{
    for (int i = 0; i < run->steps_count; i++) {
        struct step *step = &run->steps[i];
        if (step->repeat == 2) {
            step->warehouses = 20;
            step->repeat = 1;
        }
        step->pacing = 1;
        step->delivery_sessions = 2;
        step->deferred =
            (struct deferred_stats){.queued = 100, .done = 99, .left = 1, .in_time = 98};
        for (int k = 1; k <= 99; k++)
            hist_record(&step->deferred.latency, k * INT64_C(1000000));
        for (int k = 1; k <= 1000; k++)
            hist_record(&step->pace.think[TXN_NEW_ORDER], (int64_t)(-12e6 * log((k - 0.5) / 1000)));
    }
}

/* Nothing but look-ups, as many as there were transactions. */
static void
make_lookups(struct step *step)
{
    struct txn_stats *lookup = &step->transactions[TXN_LOOKUP];

    memset(step->mix, 0, sizeof step->mix);
    step->mix[TXN_LOOKUP] = 100;
    step->mix_name = "lookup";
    for (int type = 0; type < TXN_STANDARD; type++) {
        struct txn_stats *from = &step->transactions[type];
        lookup->outcomes[OUTCOME_COMMITTED] += from->response.count;
        hist_merge(&lookup->response, &from->response);
        hist_merge(&lookup->service, &from->service);
        *from = (struct txn_stats){.retries = 0};
        for (int i = 0; i < step->seconds_count; i++) {
            uint32_t *ended = step->seconds[i].outcomes[type];
            step->seconds[i].outcomes[TXN_LOOKUP][OUTCOME_COMMITTED] += ended[OUTCOME_COMMITTED];
            ended[OUTCOME_COMMITTED] = 0;
        }
    }
    step->inputs = (struct input_stats){.new_orders = 0};
    step->errors_count = 0;
    step->counted[GROWTH_NEW_ORDERS] = 0;
    step->grown[GROWTH_NEW_ORDERS] = 0;
}

/* The four repeats become curves: two numbers of warehouses, a probe, and a configuration with a
 * name that is not ours. */
static void
make_matrix(struct run *run)
{
    static const char *const names[] = {"10 warehouses, standard", "10 warehouses, lookup",
                                        "20 warehouses, standard", "20 warehouses, <big>'s"};

    for (int i = 0; i < run->steps_count; i++) {
        struct step *step = &run->steps[i];
        step->curve = step->repeat - 1;
        step->repeat = 1;
        step->curve_name = names[step->curve];
        step->warehouses = step->curve < 2 ? 10 : 20;
        if (step->curve == 1)
            make_lookups(step);
        if (step->curve == 3)
            step->configuration = "<big>'s";
    }
}

/* The same system a tenth faster: as much work in less time, with another setting and version. */
static void
make_after(struct arena *arena, struct run *run)
{
    for (int i = 0; i < run->steps_count; i++)
        run->steps[i].elapsed_us = run->steps[i].elapsed_us * 10 / 11;
    for (int i = 0; i < run->environment.count; i++) {
        struct fact *fact = &run->environment.facts[i];
        if (strcmp(fact->name, "shared_buffers") == 0)
            fact->value = "8GB";
        if (strcmp(fact->name, "max_wal_size") == 0)
            fact->name = "wal_compression"; /* one of them is not recorded here or there */
    }
    environment_add(&run->environment, arena, "database", "size of schema", "9 GB", "");
}

/* A hair faster, by less than the scatter. */
static void
make_slight(struct run *run)
{
    for (int i = 0; i < run->steps_count; i++)
        run->steps[i].elapsed_us = run->steps[i].elapsed_us * (999 + run->steps[i].repeat) / 1003;
}

/* Another workload. */
static void
make_other(struct run *run)
{
    for (int i = 0; i < run->steps_count; i++) {
        run->steps[i].pacing = 0.5;
        run->steps[i].mix[TXN_NEW_ORDER] = 50;
        run->steps[i].mix[TXN_PAYMENT] = 38;
    }
}

/* Sixteen levels, each an hour long, with as many metrics as a large server has. */
static void
make_hours(struct arena *arena, struct run *run)
{
    for (int i = 0; i < run->steps_count; i++) {
        struct step *step = &run->steps[i];
        struct metric *all = arena_array(arena, METRICS_POINTED_MAX, sizeof *all);
        for (int k = 0; k < METRICS_POINTED_MAX; k++) {
            struct metric *metric = &all[k];
            *metric = step->metrics[k < step->metrics_count - 1 ? k : 0];
            if (k >= step->metrics_count - 1)
                metric->instance = arena_printf(arena, "cpu%d", k);
            metric->points_count = METRIC_POINTS_MAX;
            metric->points = arena_array(arena, METRIC_POINTS_MAX, sizeof *metric->points);
            for (int j = 0; j < METRIC_POINTS_MAX; j++)
                metric->points[j] = (struct metric_point){(j + 1) * INT64_C(6000000), metric->mean};
        }
        step->metrics = all;
        step->metrics_count = METRICS_POINTED_MAX;
    }
}

static const struct kind {
    const char *name;
    const int *ladder;
    int levels, repeats, measure_s, ramp_up_s;
} kinds[] = {
    {"ramp", ladder, 7, 3, 60, 10},      {"hostile", ladder, 4, 2, 20, 3},
    {"single", one, 1, 1, 20, 3},        {"empty", one, 1, 1, 20, 3},
    {"golden", ladder, 3, 2, 20, 3},     {"grid", ladder, 4, 2, 20, 3},
    {"matrix", ladder, 4, 4, 20, 3},     {"before", ladder, 4, 3, 20, 3},
    {"after", ladder, 4, 3, 20, 3},      {"slight", ladder, 4, 3, 20, 3},
    {"other", ladder, 4, 3, 20, 3},      {"five", ladder, 4, 5, 20, 3},
    {"five-after", ladder, 4, 5, 20, 3}, {"host-a", ladder, 2, 2, 20, 3},
    {"host-b", ladder, 2, 2, 20, 3},     {"hours", long_ladder, 16, 1, 3600, 300},
};

static bool
make(const char *name, struct arena *arena, struct run *run)
{
    const struct kind *kind = NULL;

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i].name, name) == 0)
            kind = &kinds[i];
    if (!kind)
        return false;
    bool hostile = strcmp(name, "hostile") == 0;
    struct sample sample = {.ladder = kind->ladder,
                            .levels = kind->levels,
                            .repeats = kind->repeats,
                            .measure_s = kind->measure_s,
                            .ramp_up_s = kind->ramp_up_s,
                            .warehouses = 10,
                            .database = hostile ? "</title><script>alert('db')</script>" : "bench"};
    sample_run(arena, run, &sample);
    if (hostile)
        spoil(arena, run);
    if (strcmp(name, "grid") == 0)
        make_grid(run);
    if (strcmp(name, "matrix") == 0)
        make_matrix(run);
    if (strcmp(name, "after") == 0 || strcmp(name, "five-after") == 0)
        make_after(arena, run);
    for (int i = 0; i < run->environment.count; i++)
        if (strncmp(name, "host-", 5) == 0 && strcmp(run->environment.facts[i].name, "host") == 0)
            run->environment.facts[i].value = arena_strdup(arena, name);
    if (strcmp(name, "hours") == 0)
        make_hours(arena, run);
    if (strcmp(name, "slight") == 0)
        make_slight(run);
    if (strcmp(name, "other") == 0)
        make_other(run);
    if (strcmp(name, "single") == 0)
        run->check.done = false;
    if (strcmp(name, "empty") == 0)
        run->steps_count = 0;
    return true;
}

static bool
put(struct store *store, const struct run *run, struct err *err)
{
    if (!store_put_environment(store, &run->environment, err))
        return false;
    for (int i = 0; i < run->steps_count; i++)
        if (!store_put_step(store, &run->steps[i], err))
            return false;
    return (!run->check.done || store_put_check(store, &run->check, err)) &&
           store_end(store, run->status, run->ended_wall_us, err);
}

int
main(int argc, char **argv)
{
    struct arena arena = {0};
    struct run run;
    struct err err;

    if (argc != 3 || !make(argv[1], &arena, &run)) {
        fputs("usage: make_run KIND FOLDER\n", stderr);
        return 2;
    }
    struct store *store = store_create(argv[2], &run, &err);
    bool ok = store && put(store, &run, &err);
    store_close(store);
    arena_free(&arena);
    return ok ? 0 : log_error(&err);
}
