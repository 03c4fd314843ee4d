/* The run store: what goes in comes out, a step is there whole or not at all, and a file that is
 * not ours is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "common/fs.h"
#include "common/store.h"
#include "common/store_columns.h"
#include "tests/unit/store_fixture.h"

static void
fill_how_called(struct step *step)
{
    step->procedures = "classic";
    step->call = "procedures";
    step->protocol = "extended";
    step->isolation = "repeatable read";
    step->failed_share_max = 0.0625;
    step->transactions_max = 31415926;
    step->cut = true;
}

static uint64_t
fill_load(struct step *step, uint64_t next)
{
    hist_record(&step->queue, 4711);
    for (int type = 0; type < TXN_TYPES; type++)
        hist_record(&step->pace.think[type], 12000000 + type);
    step->sessions = 7;
    step->delivery_sessions = 5;
    step->deferred = (struct deferred_stats){11, 12, 13, 14, 15, 16, 17, .latency = {0}};
    hist_record(&step->deferred.latency, 79000000);
    step->client_system_us = 654321;
    step->client_cores = 3;
    step->client_wait_us = 98765;
    step->client_busy_percent = 12.5;
    step->client_steal_percent = -1;
    step->rtt_before_us = 71;
    step->rtt_after_us = 72;
    step->client_user_us = 123456;
    step->home = HOME_FIXED;
    step->arrivals = ARRIVALS_REGULAR;
    step->pacing = 0.125;
    step->rate_per_minute = 60001;
    for (int type = 0; type < TXN_STANDARD; type++) {
        step->pace.keyings[type] = next++;
        step->pace.thinks[type] = next++;
        step->pace.keying_us[type] = (int64_t)next++;
        step->pace.think_us[type] = (int64_t)next++;
    }
    step->unfinished = next++;
    step->waiting = next++;
    step->waiting_most = next++;
    step->skipped = next++;
    step->home_new_orders_least = next++;
    step->home_new_orders_median = next++;
    step->home_new_orders_most = next++;
    return next;
}

/* What a profile has said about it. */
static void
fill_plan(struct step *step)
{
    step->curve = 3;
    step->curve_name = "old, 10 warehouses";
    step->server = "old";
    step->configuration = "big buffers";
    step->mix_name = "lookup";
    step->precision = 0.02;
    step->precision_reached = 0.015;
    step->measure_most_us = 90000000;
    step->limit_percentile = 95;
    for (int i = 0; i < TXN_STANDARD; i++)
        step->limits_us[i] = 70000 + i;
}

/* What became of them, in the level and after it. */
static void
fill_sessions(struct step *step)
{
    step->connections_lost = 9;
    step->outages_count = OUTAGES_MAX;
    for (int i = 0; i < OUTAGES_MAX; i++)
        step->outages[i] = (struct outage){.start_us = 1000000 * i,
                                           .end_us = i == 3 ? OUTAGE_OPEN : 1000000 * i + 1,
                                           .losses = i + 1,
                                           .zero_s = i,
                                           .recovery_us = i == 4 ? OUTAGE_NOT_SEEN : 77 * i};
    step->sessions_left = 2;
    step->sessions_left_named = "4711 (active for 12 s), 4712 (idle for 3 s)";
}

/* Every field gets a value that no other field has. */
static void
fill_step(struct step *step, struct arena *arena, int number, int seconds)
{
    uint64_t next = (uint64_t)number * 100000;

    *step = (struct step){.number = number, .virtual_users = 12, .threads = 3, .warehouses = 40};
    step->repeat = 2;
    fill_plan(step);
    step->seed = INT64_MAX;
    step->constants = (struct nurand_constants){201, 1001, 8001};
    step->c_load = 101;
    for (int i = 0; i < TXN_TYPES; i++)
        step->mix[i] = 10 + 5 * i;
    fill_how_called(step);
    step->status = STEP_FAILED;
    step->reason = "connection lost: \"x\" it's gone";
    step->started_wall_us = 1772368496000001;
    step->ramp_up_us = 3000000;
    step->measure_us = 20000000;
    step->elapsed_us = 20000417;
    for (int type = 0; type < TXN_TYPES; type++) {
        struct txn_stats *stats = &step->transactions[type];
        for (int outcome = 0; outcome < OUTCOMES; outcome++)
            stats->outcomes[outcome] = next++;
        stats->retries = next++;
        for (int i = 0; i < 50; i++) {
            hist_record(&stats->response, (int64_t)(next * 13 + (uint64_t)(i * i * 971)));
            hist_record(&stats->service, (int64_t)(next * 7 + (uint64_t)(i * 37)));
        }
        next++;
    }
    uint64_t *inputs = (uint64_t *)&step->inputs;
    for (size_t i = 0; i < sizeof step->inputs / sizeof *inputs; i++)
        inputs[i] = next++;
    memset(step->inputs.lines_per_order, 0, sizeof step->inputs.lines_per_order);
    for (int i = ORDER_LINES_MIN; i <= ORDER_LINES_MAX; i++)
        step->inputs.lines_per_order[i] = next++;
    hist_record(&step->lag, 86400000000);
    step->errors_count = ERROR_KINDS_MAX;
    for (int i = 0; i < ERROR_KINDS_MAX; i++) {
        snprintf(step->errors[i].sqlstate, sizeof step->errors[i].sqlstate, "%05d", i);
        snprintf(step->errors[i].message, sizeof step->errors[i].message, "message %d", i);
        step->errors[i].count = next++;
    }
    next = fill_load(step, next);
    step->virtual_users_lost = 4;
    step->counted[GROWTH_NEW_ORDERS] = next++;
    step->grown[GROWTH_NEW_ORDERS] = -1;
    for (int i = 0; i < GROWTHS; i++) {
        step->counted[i] += INT64_C(1) << 40;
        step->uncertain[i] = (int64_t)next++;
        step->grown[i] += (int64_t)next++;
    }
    step->stock_quantity_min = 10;
    step->stock_quantity_max = 99;

    fill_sessions(step);
    step->seconds_count = seconds;
    step->seconds = arena_array(arena, (size_t)seconds, sizeof *step->seconds);
    for (int i = 0; i < seconds; i++) {
        struct second *second = &step->seconds[i];
        second->at_s = i - 2;
        second->phase = (enum phase)(i % PHASES);
        second->virtual_users = (uint32_t)next++;
        second->in_flight = (uint32_t)next++;
        second->waiting = (uint32_t)next++;
        for (int type = 0; type < TXN_TYPES; type++) {
            for (int outcome = 0; outcome < OUTCOMES; outcome++)
                second->outcomes[type][outcome] = (uint32_t)next++;
        }
        second->retries = (uint32_t)next++;
        second->new_order_p95_us = (int64_t)next++;
    }
}

static struct metric
some_metric(int number)
{
    return (struct metric){.source = (enum metric_source)(number % METRIC_SOURCES),
                           .name = number == 0 ? "cpu_user" : "wait",
                           .instance = number == 2 ? "LWLock:it's \"odd\"" : "",
                           .unit = "percent",
                           .kind = (enum metric_kind)(number % METRIC_KINDS),
                           .samples = 10 + number,
                           .mean = 0.1 + number,
                           .min = -1e-300,
                           .max = 1e300,
                           .first = 3.25,
                           .last = 4.125,
                           .total = 1.0 / 3,
                           .resets = number,
                           .missing = number == 3 ? "not available: no right" : ""};
}

/* As many as there are, each of them with one point less than the one before. */
static void
fill_metrics(struct step *step, struct arena *arena, int count)
{
    step->metrics_count = count;
    step->metrics = count > 0 ? arena_array(arena, (size_t)count, sizeof *step->metrics) : NULL;
    for (int i = 0; i < count; i++) {
        struct metric *metric = &step->metrics[i];
        *metric = some_metric(i);
        metric->points_count = count - 1 - i;
        if (metric->points_count > 0)
            metric->points =
                arena_array(arena, (size_t)metric->points_count, sizeof *metric->points);
        for (int k = 0; k < metric->points_count; k++)
            metric->points[k] = (struct metric_point){1000000 * k - 7, 1.5 * k + i};
    }
}

static void
assert_metrics_equal(const struct step *a, const struct step *b)
{
    assert_int_equal(a->metrics_count, b->metrics_count);
    for (int i = 0; i < a->metrics_count; i++) {
        struct metric x = a->metrics[i], y = b->metrics[i];

        assert_string_equal(x.name, y.name);
        assert_string_equal(x.instance, y.instance);
        assert_string_equal(x.unit, y.unit);
        assert_string_equal(x.missing, y.missing);
        assert_int_equal(x.points_count, y.points_count);
        if (x.points_count > 0)
            assert_memory_equal(x.points, y.points, (size_t)x.points_count * sizeof *x.points);
        x.name = y.name = x.instance = y.instance = x.unit = y.unit = x.missing = y.missing = NULL;
        x.points = y.points = NULL;
        assert_memory_equal(&x, &y, sizeof x);
    }
}

/* Texts and seconds by value, all else byte by byte: a field that the store forgets shows. */
static void
assert_step_equal(const struct step *a, const struct step *b)
{
    struct step *x = malloc(sizeof *x), *y = malloc(sizeof *y);

    assert_string_equal(a->curve_name, b->curve_name);
    assert_string_equal(a->server, b->server);
    assert_string_equal(a->configuration, b->configuration);
    assert_string_equal(a->mix_name, b->mix_name);
    assert_string_equal(a->procedures, b->procedures);
    assert_string_equal(a->call, b->call);
    assert_string_equal(a->protocol, b->protocol);
    assert_string_equal(a->isolation, b->isolation);
    assert_string_equal(a->reason, b->reason);
    assert_string_equal(a->sessions_left_named, b->sessions_left_named);
    assert_int_equal(a->seconds_count, b->seconds_count);
    for (int i = 0; i < a->seconds_count; i++)
        assert_memory_equal(&a->seconds[i], &b->seconds[i], sizeof a->seconds[i]);
    memcpy(x, a, sizeof *x);
    memcpy(y, b, sizeof *y);
    x->curve_name = y->curve_name = x->server = y->server = x->mix_name = y->mix_name = NULL;
    x->configuration = y->configuration = x->isolation = y->isolation = NULL;
    x->procedures = y->procedures = x->call = y->call = x->protocol = y->protocol = NULL;
    x->reason = y->reason = x->sessions_left_named = y->sessions_left_named = NULL;
    x->seconds = y->seconds = NULL;
    assert_metrics_equal(a, b);
    x->metrics = y->metrics = NULL;
    assert_memory_equal(x, y, sizeof *x);
    free(x);
    free(y);
}

static void
step_round_trip(void **state)
{
    struct fixture *f = *state;
    struct store *store = fixture_created(f);
    struct step *steps = calloc(2, sizeof *steps);
    struct run run;
    struct err err = {0};

    fill_step(&steps[0], &f->arena, 1, 30);
    fill_step(&steps[1], &f->arena, 2, 0);
    fill_metrics(&steps[0], &f->arena, 5);
    fill_metrics(&steps[1], &f->arena, 1);
    steps[1].errors_count = 0;
    memset(steps[1].errors, 0, sizeof steps[1].errors);
    hist_clear(&steps[1].transactions[TXN_DELIVERY].response);
    steps[1].status = STEP_COMPLETE;
    assert_true(store_put_step(store, &steps[0], &err));
    assert_true(store_put_step(store, &steps[1], &err));
    store_close(store);
    fixture_read_back(f, &run);
    assert_int_equal(run.steps_count, 2);
    assert_step_equal(&run.steps[0], &steps[0]);
    assert_step_equal(&run.steps[1], &steps[1]);
    free(steps);
}

static void
run_round_trip(void **state)
{
    struct fixture *f = *state;
    struct store *store = fixture_created(f);
    struct run wanted = fixture_run(), run;
    struct err err = {0};

    fixture_read_back(f, &run);
    assert_string_equal(run.name, wanted.name);
    assert_string_equal(run.kit_version, wanted.kit_version);
    assert_string_equal(run.profile, wanted.profile);
    assert_true(run.started_wall_us == wanted.started_wall_us);
    assert_int_equal(run.ended_wall_us, 0);
    assert_int_equal(run.status, STEP_INTERRUPTED);
    assert_int_equal(run.steps_planned, 7);
    assert_int_equal(run.steps_count, 0);
    assert_false(run.check.done);
    assert_true(store_end(store, STEP_COMPLETE, 1772368499000000, &err));
    store_close(store);
    fixture_read_back(f, &run);
    assert_int_equal(run.status, STEP_COMPLETE);
    assert_true(run.ended_wall_us == 1772368499000000);
}

static void
environment_round_trip(void **state)
{
    struct fixture *f = *state;
    struct store *store = fixture_created(f);
    struct environment environment = {0};
    struct run run;
    struct err err = {0};

    environment_add(&environment, &f->arena, "server", "version", "wrong", "");
    assert_true(store_put_environment(store, &environment, &err));
    environment = (struct environment){0};
    environment_add(&environment, &f->arena, "server", "version", "15.20", "");
    environment_add(&environment, &f->arena, "setting", "shared_buffers", "1GB", "file");
    assert_true(store_put_environment(store, &environment, &err));
    store_close(store);
    fixture_read_back(f, &run);
    assert_int_equal(run.environment.count, 2);
    assert_string_equal(run.environment.facts[0].group, "server");
    assert_string_equal(run.environment.facts[0].value, "15.20");
    assert_string_equal(run.environment.facts[1].name, "shared_buffers");
    assert_string_equal(run.environment.facts[1].detail, "file");
    assert_int_equal(run.environment.findings_count, 0);
}

static void
findings_round_trip(void **state)
{
    struct fixture *f = *state;
    struct store *store = fixture_created(f);
    struct finding findings[2] = {
        {SEVERITY_SPOILS, "fsync", "fsync is off", "nothing is durable", "ALTER SYSTEM"},
        {SEVERITY_NOTE, "smt", "two threads per core", "they share", ""}};
    struct environment environment = {.findings = findings, .findings_count = 2};
    struct run run;
    struct err err = {0};

    assert_true(store_put_environment(store, &environment, &err));
    assert_true(store_put_environment(store, &environment, &err));
    store_close(store);
    fixture_read_back(f, &run);
    assert_int_equal(run.environment.count, 0);
    assert_int_equal(run.environment.findings_count, 2);
    assert_int_equal(run.environment.findings[0].severity, SEVERITY_SPOILS);
    assert_string_equal(run.environment.findings[0].name, "fsync");
    assert_string_equal(run.environment.findings[0].seen, "fsync is off");
    assert_string_equal(run.environment.findings[0].why, "nothing is durable");
    assert_string_equal(run.environment.findings[0].mend, "ALTER SYSTEM");
    assert_int_equal(run.environment.findings[1].severity, SEVERITY_NOTE);
}

static void
check_round_trip(void **state)
{
    struct fixture *f = *state;
    struct store *store = fixture_created(f);
    struct check_result check = {.done = true, .moment = "after the last step"};
    struct run run;
    struct err err = {0};

    for (int i = 0; i < CHECK_TESTS; i++)
        check.conditions[i] = (struct check_condition){
            .name = "a name", .tested = i != 3, .violations = 5 * i, .elapsed_s = 0.25 * i};
    check.conditions[6].examples_count = 2;
    check.conditions[6].examples[0] = (struct check_example){3, 0, "order 7", "10", "11"};
    check.conditions[6].examples[1] = (struct check_example){4, 9, "", "1.00", "null"};
    assert_true(store_put_check(store, &check, &err));
    assert_true(store_put_check(store, &check, &err));
    store_close(store);
    fixture_read_back(f, &run);
    assert_true(run.check.done);
    assert_string_equal(run.check.moment, "after the last step");
    assert_false(run.check.conditions[3].tested);
    assert_true(run.check.conditions[11].tested);
    assert_int_equal(run.check.conditions[11].violations, 55);
    assert_true(run.check.conditions[11].elapsed_s == 2.75);
    assert_int_equal(run.check.conditions[5].examples_count, 0);
    assert_int_equal(run.check.conditions[6].examples_count, 2);
    assert_int_equal(run.check.conditions[6].examples[1].district, 9);
    assert_string_equal(run.check.conditions[6].examples[0].detail, "order 7");
    assert_string_equal(run.check.conditions[6].examples[1].found, "null");
}

/* A step number that is there already: nothing of the second one stays, the first is untouched. */
static void
failed_step_leaves_nothing(void **state)
{
    struct fixture *f = *state;
    struct store *store = fixture_created(f);
    struct step *step = calloc(1, sizeof *step);
    struct run run;
    struct err err = {0};

    fill_step(step, &f->arena, 1, 5);
    assert_true(store_put_step(store, step, &err));
    step->virtual_users = 99;
    assert_false(store_put_step(store, step, &err));
    assert_int_equal(err.code, ERR_LOCAL);
    step->number = 2;
    assert_true(store_put_step(store, step, &err));
    store_close(store);
    fixture_read_back(f, &run);
    assert_int_equal(run.steps_count, 2);
    assert_int_equal(run.steps[0].virtual_users, 12);
    free(step);
}

/* Writes steps until it is killed. */
static void
write_steps(struct fixture *f, int ready)
{
    struct store *store = fixture_created(f);
    struct step *step = calloc(1, sizeof *step);
    struct err err;

    for (int number = 1; number < 100000; number++) {
        fill_step(step, &f->arena, number, 3000);
        if (!store_put_step(store, step, &err) || (number == 1 && write(ready, "x", 1) != 1))
            break;
    }
    _exit(1);
}

static void
killed_step_is_absent(void **state)
{
    struct fixture *f = *state;
    int ready[2];
    char byte;
    struct run run;

    assert_int_equal(pipe(ready), 0);
    pid_t pid = fork();
    if (pid == 0)
        write_steps(f, ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    usleep(30000);
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    close(ready[0]);
    close(ready[1]);
    fixture_read_back(f, &run);
    assert_true(run.steps_count >= 1);
    for (int i = 0; i < run.steps_count; i++) {
        struct step *wanted = calloc(1, sizeof *wanted);
        fill_step(wanted, &f->arena, i + 1, 3000);
        assert_step_equal(&run.steps[i], wanted);
        free(wanted);
    }
}

static void
full_disk_is_an_error(void **state)
{
    struct fixture *f = *state;
    struct store *store = fixture_created(f);
    struct step *step = calloc(1, sizeof *step);
    struct rlimit limit, small;
    struct run run;
    struct err err = {0};

    fill_step(step, &f->arena, 1, 10);
    assert_true(store_put_step(store, step, &err));
    fill_step(step, &f->arena, 2, 50000);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    small = limit;
    small.rlim_cur = 1 << 20;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    assert_false(store_put_step(store, step, &err));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_int_equal(err.code, ERR_LOCAL);
    assert_non_null(strstr(err.message, "run.sqlite\": "));
    store_close(store);
    fixture_read_back(f, &run);
    assert_int_equal(run.steps_count, 1);
    free(step);
}

static void
folder_is_claimed_once(void **state)
{
    struct fixture *f = *state;
    struct store *store = fixture_created(f);
    struct run run = fixture_run();
    struct stat info;
    char path[100], message[200];
    struct err err = {0};

    assert_null(store_create(f->folder, &run, &err));
    snprintf(message, sizeof message, "\"%s\" holds the results of another run", f->folder);
    assert_string_equal(err.message, message);
    snprintf(path, sizeof path, "%s/run.sqlite", f->folder);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0007, 0);
    assert_null(store_create("/nonexistent/folder", &run, &err));
    assert_int_equal(err.code, ERR_LOCAL);
    store_close(store);
}

/* Runs SQL in the store's file, as a user would. */
static void
change_file(struct fixture *f, const char *sql)
{
    char path[100];
    sqlite3 *db;

    snprintf(path, sizeof path, "%s/run.sqlite", f->folder);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void
assert_not_opened(struct fixture *f, const char *before, const char *after)
{
    char message[300];
    struct err err = {0};

    assert_null(store_open(f->folder, &err));
    snprintf(message, sizeof message, "%s\"%s%s", before, f->folder, after);
    assert_string_equal(err.message, message);
    assert_int_equal(err.code, ERR_LOCAL);
}

static void
other_files_are_refused(void **state)
{
    struct fixture *f = *state;
    struct err err = {0};
    char path[100], refusal[100];

    snprintf(refusal, sizeof refusal,
             "/run.sqlite\" has layout 999; this ordermill reads layout %d", STORE_LAYOUT_VERSION);
    assert_not_opened(f, "", "\" is not the folder of a run: it has no run.sqlite");
    change_file(f, "CREATE TABLE step (number INTEGER)");
    assert_not_opened(f, "", "/run.sqlite\" was not written by ordermill");
    snprintf(path, sizeof path, "%s/run.sqlite", f->folder);
    assert_int_equal(unlink(path), 0);
    store_close(fixture_created(f));
    change_file(f, "PRAGMA user_version = 999");
    assert_not_opened(f, "", refusal);
    assert_true(fs_write(path, "no database at all, but a text", 30, &err));
    assert_not_opened(f, "cannot read ", "/run.sqlite\": file is not a database");
}

static void
damage_is_reported(void **state)
{
    static const char *const damages[] = {
        "UPDATE step SET status = 'splendid'",
        "DELETE FROM step_histogram WHERE type = 'payment' AND kind = 'service'",
        "UPDATE step_histogram SET buckets = x'ffffffff'",
        "DELETE FROM step_transaction WHERE type = 'delivery'",
        "DELETE FROM step_order_lines WHERE lines = 9",
        "DELETE FROM run",
        "DROP TABLE step_second",
        "DELETE FROM step_sample WHERE metric = 1 AND ordinal = 2",
        "UPDATE step_metric SET points = 601 WHERE metric = 2",
        "UPDATE step_metric SET kind = 'kind'",
    };
    struct fixture *f = *state;
    struct step *step = calloc(1, sizeof *step);

    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        struct store *store = fixture_created(f);
        struct run run;
        struct err err = {0};
        char path[100];

        fill_step(step, &f->arena, 1, 3);
        fill_metrics(step, &f->arena, 4);
        assert_true(store_put_step(store, step, &err));
        store_close(store);
        change_file(f, damages[i]);
        store = store_open(f->folder, &err);
        assert_non_null(store);
        assert_false(store_read(store, &f->arena, &run, &err));
        assert_int_equal(err.code, ERR_LOCAL);
        assert_non_null(strstr(err.message, "run.sqlite\""));
        store_close(store);
        snprintf(path, sizeof path, "%s/run.sqlite", f->folder);
        assert_int_equal(unlink(path), 0);
    }
    free(step);
}

/* Figures for those who query, worked out here: 1..100 ms, one each. */
static void
figures_can_be_queried(void **state)
{
    struct fixture *f = *state;
    struct store *store = fixture_created(f);
    struct step *step = calloc(1, sizeof *step);
    char path[100];
    sqlite3 *db;
    sqlite3_stmt *row;
    struct err err = {0};

    fill_step(step, &f->arena, 1, 0);
    step->elapsed_us = 30000000;
    step->transactions[TXN_NEW_ORDER].outcomes[OUTCOME_COMMITTED] = 600;
    hist_clear(&step->transactions[TXN_NEW_ORDER].response);
    for (int i = 1; i <= 100; i++)
        hist_record(&step->transactions[TXN_NEW_ORDER].response, i);
    fill_metrics(step, &f->arena, 2);
    step->metrics[1].kind = METRIC_RATE;
    step->metrics[1].total = 1500;
    assert_true(store_put_step(store, step, &err));
    store_close(store);
    snprintf(path, sizeof path, "%s/run.sqlite", f->folder);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db,
                                        "SELECT nopm, elapsed_s, new_order_p50_us, "
                                        "new_order_p95_us, new_order_p99_us FROM step_summary",
                                        -1, &row, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(row), SQLITE_ROW);
    assert_true(sqlite3_column_double(row, 0) == 1200.0);
    assert_true(sqlite3_column_double(row, 1) == 30.0);
    assert_int_equal(sqlite3_column_int(row, 2), 50);
    assert_int_equal(sqlite3_column_int(row, 3), 95);
    assert_int_equal(sqlite3_column_int(row, 4), 99);
    sqlite3_finalize(row);
    assert_int_equal(sqlite3_prepare_v2(db,
                                        "SELECT name, per_new_order FROM metric_summary"
                                        " ORDER BY name",
                                        -1, &row, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(row), SQLITE_ROW);
    assert_string_equal(sqlite3_column_text(row, 0), "cpu_user");
    assert_int_equal(sqlite3_column_type(row, 1), SQLITE_NULL); /* a level is of no new-order */
    assert_int_equal(sqlite3_step(row), SQLITE_ROW);
    assert_true(sqlite3_column_double(row, 1) == 2.5);
    sqlite3_finalize(row);
    sqlite3_close(db);
    free(step);
}

static void
every_column_is_documented(void **state)
{
    struct buf text = {0};
    struct err err = {0};
    char layout[64];

    (void)state;
    assert_true(fs_read("docs/run-store.md", 1 << 20, &text, &err));
    snprintf(layout, sizeof layout, "the layout described here, %d.", STORE_LAYOUT_VERSION);
    if (!strstr(buf_text(&text), layout))
        fail_msg("docs/run-store.md does not say: %s", layout);
    for (int i = 0; i < STORE_TABLES; i++) {
        char word[80];
        snprintf(word, sizeof word, "## %s\n", store_tables[i].name);
        const char *section = strstr(buf_text(&text), word);
        if (!section) {
            fail_msg("docs/run-store.md has no section %s", word);
            break; /* which the compiler does not know to be out of reach */
        }
        const char *next = strstr(section + 3, "\n## ");
        size_t length = next ? (size_t)(next - section) : strlen(section);
        for (int c = 0; c < store_tables[i].count; c++) {
            snprintf(word, sizeof word, "`%s`", store_tables[i].columns[c].name);
            if (!memmem(section, length, word, strlen(word)))
                fail_msg("docs/run-store.md: table %s lacks %s", store_tables[i].name, word);
        }
    }
    buf_free(&text);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(step_round_trip, fixture_set_up, fixture_tear_down),
        cmocka_unit_test_setup_teardown(run_round_trip, fixture_set_up, fixture_tear_down),
        cmocka_unit_test_setup_teardown(environment_round_trip, fixture_set_up, fixture_tear_down),
        cmocka_unit_test_setup_teardown(findings_round_trip, fixture_set_up, fixture_tear_down),
        cmocka_unit_test_setup_teardown(check_round_trip, fixture_set_up, fixture_tear_down),
        cmocka_unit_test_setup_teardown(failed_step_leaves_nothing, fixture_set_up,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(killed_step_is_absent, fixture_set_up, fixture_tear_down),
        cmocka_unit_test_setup_teardown(full_disk_is_an_error, fixture_set_up, fixture_tear_down),
        cmocka_unit_test_setup_teardown(folder_is_claimed_once, fixture_set_up, fixture_tear_down),
        cmocka_unit_test_setup_teardown(other_files_are_refused, fixture_set_up, fixture_tear_down),
        cmocka_unit_test_setup_teardown(damage_is_reported, fixture_set_up, fixture_tear_down),
        cmocka_unit_test_setup_teardown(figures_can_be_queried, fixture_set_up, fixture_tear_down),
        cmocka_unit_test(every_column_is_documented),
    };
    return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
