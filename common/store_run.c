/* Which rows make a run: one transaction for each thing that is stored, one for reading it all. How
 * a row gets in and out of the file is store.c's. */
#include "common/store_rows.h"

#include <string.h>

#define LINE_COUNTS (ORDER_LINES_MAX - ORDER_LINES_MIN + 1)

/* --- writing ---------------------------------------------------------------------------------- */

static bool
put_histogram(struct store *store, int step, const char *type, const char *kind,
              const struct hist *hist, struct err *err)
{
    struct buf bytes = {0};

    hist_encode(hist, &bytes);
    struct store_histogram row = {
        .count = (int64_t)hist->count,
        .mean_us = hist_mean_us(hist),
        .min_us = hist->count > 0 ? hist->min_us : 0,
        .p50_us = hist_percentile_us(hist, 0.5),
        .p90_us = hist_percentile_us(hist, 0.9),
        .p95_us = hist_percentile_us(hist, 0.95),
        .p99_us = hist_percentile_us(hist, 0.99),
        .p999_us = hist_percentile_us(hist, 0.999),
        .max_us = hist->count > 0 ? hist->max_us : 0,
        .buckets = {bytes.data, bytes.length},
    };
    const struct store_value keys[] = {{step, NULL}, {0, type}, {0, kind}};
    bool ok = store_put_row(store, STORE_HISTOGRAM, keys, &row, err);
    buf_free(&bytes);
    return ok;
}

static bool
put_metric(struct store *store, int step, int number, const struct metric *metric, struct err *err)
{
    const struct store_value keys[] = {{step, NULL}, {number, NULL}};
    bool ok = store_put_row(store, STORE_METRIC, keys, metric, err);

    for (int i = 0; ok && i < metric->points_count; i++) {
        const struct store_value sample_keys[] = {{step, NULL}, {number, NULL}, {i + 1, NULL}};
        ok = store_put_row(store, STORE_SAMPLE, sample_keys, &metric->points[i], err);
    }
    return ok;
}

static bool
put_step_parts(struct store *store, const struct step *step, struct err *err)
{
    bool ok =
        put_histogram(store, step->number, "all", "lag", &step->lag, err) &&
        put_histogram(store, step->number, "all", "queue", &step->queue, err) &&
        put_histogram(store, step->number, "delivery", "deferred", &step->deferred.latency, err);

    for (int type = 0; ok && type < TXN_TYPES; type++) {
        const struct txn_stats *stats = &step->transactions[type];
        const struct store_value keys[] = {{step->number, NULL}, {0, txn_names[type]}};
        ok = store_put_row(store, STORE_TRANSACTION, keys, stats, err) &&
             put_histogram(store, step->number, txn_names[type], "response", &stats->response,
                           err) &&
             put_histogram(store, step->number, txn_names[type], "service", &stats->service, err) &&
             put_histogram(store, step->number, txn_names[type], "think", &step->pace.think[type],
                           err);
    }
    for (int lines = ORDER_LINES_MIN; ok && lines <= ORDER_LINES_MAX; lines++) {
        const struct store_value keys[] = {{step->number, NULL}, {lines, NULL}};
        struct store_order_lines row = {(int64_t)step->inputs.lines_per_order[lines]};
        ok = store_put_row(store, STORE_ORDER_LINES, keys, &row, err);
    }
    for (int i = 0; ok && i < step->errors_count; i++) {
        const struct store_value keys[] = {{step->number, NULL}, {i + 1, NULL}};
        ok = store_put_row(store, STORE_ERROR, keys, &step->errors[i], err);
    }
    for (int i = 0; ok && i < step->outages_count; i++) {
        const struct store_value keys[] = {{step->number, NULL}, {i + 1, NULL}};
        ok = store_put_row(store, STORE_OUTAGE, keys, &step->outages[i], err);
    }
    for (int i = 0; ok && i < step->seconds_count; i++) {
        const struct store_value keys[] = {{step->number, NULL}, {i + 1, NULL}};
        ok = store_put_row(store, STORE_SECOND, keys, &step->seconds[i], err);
    }
    for (int i = 0; ok && i < step->metrics_count; i++)
        ok = put_metric(store, step->number, i + 1, &step->metrics[i], err);
    return ok;
}

bool
store_put_step(struct store *store, const struct step *step, struct err *err)
{
    if (!store_begin(store, err))
        return false;
    bool ok = store_put_row(store, STORE_STEP, NULL, step, err) && put_step_parts(store, step, err);
    return store_finish(store, ok, err);
}

bool
store_put_environment(struct store *store, const struct environment *environment, struct err *err)
{
    if (!store_begin(store, err))
        return false;
    bool ok = store_clear(store, STORE_ENVIRONMENT, err) && store_clear(store, STORE_FINDING, err);
    for (int i = 0; ok && i < environment->count; i++) {
        const struct store_value keys[] = {{i + 1, NULL}};
        ok = store_put_row(store, STORE_ENVIRONMENT, keys, &environment->facts[i], err);
    }
    for (int i = 0; ok && i < environment->findings_count; i++) {
        const struct store_value keys[] = {{i + 1, NULL}};
        ok = store_put_row(store, STORE_FINDING, keys, &environment->findings[i], err);
    }
    return store_finish(store, ok, err);
}

static bool
put_condition(struct store *store, int number, const struct check_condition *condition,
              struct err *err)
{
    const struct store_value keys[] = {{number, NULL}};
    bool ok = store_put_row(store, STORE_CONDITION, keys, condition, err);

    for (int i = 0; ok && i < condition->examples_count; i++) {
        const struct store_value example_keys[] = {{number, NULL}, {i + 1, NULL}};
        ok = store_put_row(store, STORE_EXAMPLE, example_keys, &condition->examples[i], err);
    }
    return ok;
}

bool
store_put_check(struct store *store, const struct check_result *check, struct err *err)
{
    if (!store_begin(store, err))
        return false;
    bool ok = store_clear(store, STORE_EXAMPLE, err) && store_clear(store, STORE_CONDITION, err) &&
              store_set_run(store, "check_moment", check->moment, "check_done", check->done, err);
    for (int i = 0; ok && i < CHECK_TESTS; i++)
        ok = put_condition(store, i + 1, &check->conditions[i], err);
    return store_finish(store, ok, err);
}

struct store *
store_create(const char *folder, const struct run *run, struct err *err)
{
    struct store *store = store_begin_file(folder, err);

    if (!store)
        return NULL;
    bool ok = store_put_row(store, STORE_RUN, NULL, run, err);
    for (int i = 0; ok && i < run->settings_count; i++) {
        const struct store_value keys[] = {{i + 1, NULL}};
        ok = store_put_row(store, STORE_SETTING, keys, &run->settings[i], err);
    }
    if (store_finish(store, ok, err))
        return store;
    store_close(store);
    return NULL;
}

bool
store_put_event(struct store *store, const struct event *event, struct err *err)
{
    const struct store_query query = {STORE_JOURNAL, NULL, 0};
    int count = 0;

    if (!store_begin(store, err))
        return false;
    bool ok = store_count_rows(store, &query, &count, err);
    const struct store_value keys[] = {{count + 1, NULL}};
    ok = ok && store_put_row(store, STORE_JOURNAL, keys, event, err);
    return store_finish(store, ok, err);
}

bool
store_put_build(struct store *store, const char *identity, struct err *err)
{
    return store_set_run(store, "build", identity, NULL, 0, err);
}

bool
store_put_planned(struct store *store, int steps, struct err *err)
{
    return store_set_run(store, "status", step_status_names[STEP_INTERRUPTED], "steps_planned",
                         steps, err);
}

bool
store_remove_step(struct store *store, int number, struct err *err)
{
    if (!store_begin(store, err))
        return false;
    bool ok = store_delete(store, STORE_STEP, "number", number, err);
    for (int id = 0; ok && id < STORE_TABLES; id++) {
        const struct store_key *first = &store_tables[id].keys[0];
        if (first->name && strcmp(first->name, "step") == 0)
            ok = store_delete(store, (enum store_table_id)id, "step", number, err);
    }
    return store_finish(store, ok, err);
}

bool
store_end(struct store *store, enum step_status status, int64_t ended_wall_us, struct err *err)
{
    return store_set_run(store, "status", step_status_names[status], "ended_wall_us", ended_wall_us,
                         err);
}

/* --- reading ---------------------------------------------------------------------------------- */

static bool
read_histogram(struct store *store, int step, const char *type, const char *kind, struct hist *hist,
               struct err *err)
{
    const struct store_value keys[] = {{step, NULL}, {0, type}, {0, kind}};
    const struct store_query query = {STORE_HISTOGRAM, keys, 3};
    struct store_histogram row = {0};
    struct arena arena = {0};
    int count = 0;
    bool ok = store_read_rows(store, &arena, &query, &row, sizeof row, 1, &count, err) &&
              (count == 1 || store_damaged(store, STORE_HISTOGRAM, "a row is missing", err));

    if (ok && !hist_decode(hist, row.buckets.data, row.buckets.size, err))
        ok = store_damaged(store, STORE_HISTOGRAM, "buckets cannot be read", err);
    arena_free(&arena);
    return ok;
}

static bool
read_transaction(struct store *store, struct arena *arena, int step, const char *type,
                 struct txn_stats *stats, struct err *err)
{
    const struct store_value keys[] = {{step, NULL}, {0, type}};
    const struct store_query query = {STORE_TRANSACTION, keys, 2};
    int count = 0;

    return store_read_rows(store, arena, &query, stats, sizeof *stats, 1, &count, err) &&
           (count == 1 || store_damaged(store, STORE_TRANSACTION, "a row is missing", err)) &&
           read_histogram(store, step, type, "response", &stats->response, err) &&
           read_histogram(store, step, type, "service", &stats->service, err);
}

static bool
read_order_lines(struct store *store, struct arena *arena, struct step *step, struct err *err)
{
    const struct store_value key = {step->number, NULL};
    const struct store_query query = {STORE_ORDER_LINES, &key, 1};
    struct store_order_lines rows[LINE_COUNTS] = {0};
    int count = 0;

    if (!store_read_rows(store, arena, &query, rows, sizeof *rows, LINE_COUNTS, &count, err))
        return false;
    if (count != LINE_COUNTS)
        return store_damaged(store, STORE_ORDER_LINES, "a row is missing", err);
    for (int i = 0; i < LINE_COUNTS; i++)
        step->inputs.lines_per_order[ORDER_LINES_MIN + i] = (uint64_t)rows[i].new_orders;
    return true;
}

static bool
read_seconds(struct store *store, struct arena *arena, struct step *step, struct err *err)
{
    const struct store_value key = {step->number, NULL};
    const struct store_query query = {STORE_SECOND, &key, 1};
    int count = 0;

    if (!store_count_rows(store, &query, &count, err))
        return false;
    step->seconds = arena_array(arena, (size_t)count, sizeof *step->seconds);
    return store_read_rows(store, arena, &query, step->seconds, sizeof *step->seconds, count,
                           &step->seconds_count, err);
}

/* metric->points_count is what the row says. */
static bool
read_points(struct store *store, struct arena *arena, int step, int number, struct metric *metric,
            struct err *err)
{
    const struct store_value keys[] = {{step, NULL}, {number, NULL}};
    const struct store_query query = {STORE_SAMPLE, keys, 2};
    int promised = metric->points_count, count = 0;

    if (promised < 0 || promised > METRIC_POINTS_MAX)
        return store_damaged(store, STORE_METRIC, "points", err);
    if (promised == 0)
        return true;
    metric->points = arena_array(arena, (size_t)promised, sizeof *metric->points);
    return store_read_rows(store, arena, &query, metric->points, sizeof *metric->points, promised,
                           &count, err) &&
           (count == promised || store_damaged(store, STORE_SAMPLE, "a row is missing", err));
}

static bool
read_metrics(struct store *store, struct arena *arena, struct step *step, struct err *err)
{
    const struct store_value key = {step->number, NULL};
    const struct store_query query = {STORE_METRIC, &key, 1};
    int count = 0;

    if (!store_count_rows(store, &query, &count, err))
        return false;
    if (count == 0)
        return true;
    step->metrics = arena_array(arena, (size_t)count, sizeof *step->metrics);
    bool ok = store_read_rows(store, arena, &query, step->metrics, sizeof *step->metrics, count,
                              &step->metrics_count, err);
    for (int i = 0; ok && i < step->metrics_count; i++)
        ok = read_points(store, arena, step->number, i + 1, &step->metrics[i], err);
    return ok;
}

static bool
read_step_parts(struct store *store, struct arena *arena, struct step *step, struct err *err)
{
    const struct store_value key = {step->number, NULL};
    const struct store_query errors = {STORE_ERROR, &key, 1};
    const struct store_query outages = {STORE_OUTAGE, &key, 1};
    bool ok =
        read_histogram(store, step->number, "all", "lag", &step->lag, err) &&
        read_histogram(store, step->number, "all", "queue", &step->queue, err) &&
        read_histogram(store, step->number, "delivery", "deferred", &step->deferred.latency, err);

    for (int type = 0; ok && type < TXN_TYPES; type++)
        ok = read_transaction(store, arena, step->number, txn_names[type],
                              &step->transactions[type], err) &&
             read_histogram(store, step->number, txn_names[type], "think", &step->pace.think[type],
                            err);
    return ok && read_order_lines(store, arena, step, err) &&
           store_read_rows(store, arena, &errors, step->errors, sizeof *step->errors,
                           ERROR_KINDS_MAX, &step->errors_count, err) &&
           store_read_rows(store, arena, &outages, step->outages, sizeof *step->outages,
                           OUTAGES_MAX, &step->outages_count, err) &&
           read_seconds(store, arena, step, err) && read_metrics(store, arena, step, err);
}

static bool
read_steps(struct store *store, struct arena *arena, struct run *run, struct err *err)
{
    const struct store_query query = {STORE_STEP, NULL, 0};
    int count = 0;

    if (!store_count_rows(store, &query, &count, err))
        return false;
    run->steps = arena_array(arena, (size_t)count, sizeof *run->steps);
    bool ok = store_read_rows(store, arena, &query, run->steps, sizeof *run->steps, count,
                              &run->steps_count, err);
    for (int i = 0; ok && i < run->steps_count; i++)
        ok = read_step_parts(store, arena, &run->steps[i], err);
    return ok;
}

static bool
read_environment(struct store *store, struct arena *arena, struct environment *environment,
                 struct err *err)
{
    const struct store_query query = {STORE_ENVIRONMENT, NULL, 0};
    const struct store_query findings = {STORE_FINDING, NULL, 0};
    int count = 0;

    if (!store_count_rows(store, &query, &count, err))
        return false;
    environment->facts = arena_array(arena, (size_t)count, sizeof *environment->facts);
    environment->capacity = count;
    if (!store_read_rows(store, arena, &query, environment->facts, sizeof *environment->facts,
                         count, &environment->count, err) ||
        !store_count_rows(store, &findings, &count, err))
        return false;
    environment->findings = arena_array(arena, (size_t)count, sizeof *environment->findings);
    return store_read_rows(store, arena, &findings, environment->findings,
                           sizeof *environment->findings, count, &environment->findings_count, err);
}

static bool
read_check(struct store *store, struct arena *arena, struct check_result *check, struct err *err)
{
    const struct store_query query = {STORE_CONDITION, NULL, 0};
    int count = 0;
    bool ok = store_read_rows(store, arena, &query, check->conditions, sizeof *check->conditions,
                              CHECK_TESTS, &count, err);

    if (ok && check->done && count != CHECK_TESTS)
        return store_damaged(store, STORE_CONDITION, "a row is missing", err);
    for (int i = 0; ok && i < count; i++) {
        struct check_condition *condition = &check->conditions[i];
        const struct store_value key = {i + 1, NULL};
        const struct store_query examples = {STORE_EXAMPLE, &key, 1};
        ok = store_read_rows(store, arena, &examples, condition->examples,
                             sizeof *condition->examples, CHECK_EXAMPLES,
                             &condition->examples_count, err);
    }
    return ok;
}

static bool
read_settings(struct store *store, struct arena *arena, struct run *run, struct err *err)
{
    const struct store_query query = {STORE_SETTING, NULL, 0};
    int count = 0;

    if (!store_count_rows(store, &query, &count, err))
        return false;
    run->settings = arena_array(arena, (size_t)count, sizeof *run->settings);
    return store_read_rows(store, arena, &query, run->settings, sizeof *run->settings, count,
                           &run->settings_count, err);
}

static bool
read_journal(struct store *store, struct arena *arena, struct run *run, struct err *err)
{
    const struct store_query query = {STORE_JOURNAL, NULL, 0};
    int count = 0;

    if (!store_count_rows(store, &query, &count, err))
        return false;
    run->journal = arena_array(arena, (size_t)count, sizeof *run->journal);
    return store_read_rows(store, arena, &query, run->journal, sizeof *run->journal, count,
                           &run->journal_count, err);
}

bool
store_read(struct store *store, struct arena *arena, struct run *run, struct err *err)
{
    const struct store_query query = {STORE_RUN, NULL, 0};
    int count = 0;

    *run = (struct run){0};
    /* One snapshot, though a step may be stored meanwhile. */
    if (!store_begin_reading(store, err))
        return false;
    bool ok = store_read_rows(store, arena, &query, run, sizeof *run, 1, &count, err) &&
              (count == 1 || store_damaged(store, STORE_RUN, "its row is missing", err)) &&
              read_environment(store, arena, &run->environment, err) &&
              read_steps(store, arena, run, err) && read_check(store, arena, &run->check, err) &&
              read_settings(store, arena, run, err) && read_journal(store, arena, run, err);
    return store_finish(store, ok, err);
}
