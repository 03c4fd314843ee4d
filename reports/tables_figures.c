/* The tables of what was measured. */
#include "reports/tables.h"

#include <math.h>
#include <string.h>

#include "common/clock.h"
#include "common/percentile.h"

#define COLUMNS(array) (array), sizeof(array) / sizeof(array)[0]

/* A percentile of New-Order's or any other histogram, where it has values. */
static void
put_percentile(struct table *table, const struct hist *hist, double fraction)
{
    if (hist->count > 0)
        table_us(table, hist_percentile_us(hist, fraction));
    else
        table_none(table, "none ended");
}

static void
put_nopm(struct table *table, const struct step *step, double nopm)
{
    if (step_has_nopm(step))
        table_rate(table, nopm);
    else
        table_none(table, "not applicable");
}

/* A level's mean and its interval; both may be left out. */
static void
put_mean(struct table *table, const struct analysis_level *level, bool applies)
{
    if (applies)
        table_rate(table, level->nopm_mean);
    else
        table_none(table, "not applicable");
    if (applies && level->nopm_interval.valid) {
        table_bound(table, level->nopm_interval.low);
        table_bound(table, level->nopm_interval.high);
    } else {
        table_none(table, applies ? "one run" : "not applicable");
        table_none(table, "");
    }
}

/* With its rate, and the response times of that type, where they apply. */
static void
put_level(struct table *table, const struct analysis *analysis, int index, enum txn_type type,
          bool applies)
{
    static const double fractions[] = {0.50, 0.90, 0.95, 0.99};
    const struct analysis_level *level = &analysis->levels[index];

    table_row(table, !level->stands ? "void" : index == analysis->peak ? "best" : NULL);
    table_word(table, level->configuration);
    table_count(table, level->warehouses);
    table_count(table, level->virtual_users);
    table_count(table, level->runs);
    put_mean(table, level, applies);
    if (level->runs > 1)
        table_real(table, 100 * level->nopm_cv);
    else
        table_none(table, "\xe2\x80\x93");
    table_rate(table, level->tpm_mean);
    table_word(table, steady_names[level->steady]);
    for (size_t i = 0; i < sizeof fractions / sizeof fractions[0]; i++)
        if (applies)
            put_percentile(table, &level->transactions[type].response, fractions[i]);
        else
            table_none(table, "\xe2\x80\x93");
    table_count(table, (int64_t)(analysis_outcomes(level, OUTCOME_FAILED) +
                                 analysis_outcomes(level, OUTCOME_LOST)));
    table_real(table, 100 * level->client_cpu);
    table_word(table, level->stands ? "true" : "false");
    table_word(table, level->latency_holds ? "true" : "false");
    table_word(table, analysis->curves[level->curve].title);
}

enum { LEVELS_MEAN = 4, LEVELS_TPM = 8, LEVELS_COLUMNS = 19 };

static const struct table_column levels_columns[LEVELS_COLUMNS] = {
    {"configuration", "configuration", COLUMN_LEFT | COLUMN_RAW, 0, NULL},
    {"warehouses", "warehouses", COLUMN_RAW | COLUMN_PLAIN, 0, NULL},
    {"virtual_users", "virtual users", COLUMN_PLAIN, 0, NULL},
    {"runs", "runs", COLUMN_PLAIN, 0, NULL},
    {"nopm_mean", "NOPM, mean", 0, 0, NULL},
    {"nopm_low", "95 % interval", 0, 0, NULL},
    {"nopm_high", "95 % interval", COLUMN_UPPER, 0, NULL},
    {"nopm_cv_percent", "CV", 0, 1, "%"},
    {"tpm_mean", "TPM", 0, 0, NULL},
    {"steady", "steady?", COLUMN_LEFT, 0, NULL},
    {"new_order_p50_us", "p50", 0, 0, NULL},
    {"new_order_p90_us", "p90", 0, 0, NULL},
    {"new_order_p95_us", "p95", 0, 0, NULL},
    {"new_order_p99_us", "p99", 0, 0, NULL},
    {"errors", "errors", 0, 0, NULL},
    {"driver_cpu_percent", "driver CPU", 0, 1, "%"},
    {"stands", "stands", COLUMN_RAW, 0, NULL},
    {"within_latency_limits", "within latency limits", COLUMN_RAW, 0, NULL},
    {"curve", "curve", COLUMN_RAW | COLUMN_LEFT, 0, NULL},
};

struct table *
tables_levels(const struct run *run, const struct analysis *analysis, struct arena *arena)
{
    struct table *table = table_make(arena, "levels", "level", COLUMNS(levels_columns),
                                     (size_t)analysis->levels_count);
    (void)run;

    for (int i = 0; i < analysis->levels_count; i++)
        put_level(table, analysis, i, TXN_NEW_ORDER, step_has_nopm(analysis->levels[i].steps[0]));
    return table;
}

struct table *
tables_profile(const struct analysis *analysis, int curve, struct arena *arena)
{
    int first = analysis->curves[curve].first, end = first + analysis->curves[curve].count;
    const struct step *step = analysis->levels[first].steps[0];
    struct table_column *own = arena_array(arena, LEVELS_COLUMNS, sizeof *own);

    memcpy(own, levels_columns, sizeof levels_columns);
    if (!step_has_nopm(step)) {
        own[LEVELS_MEAN].title = "TPM, mean";
        own[LEVELS_TPM].flags |= COLUMN_RAW;
    }
    struct table *table =
        table_make(arena, "levels", "level", own, LEVELS_COLUMNS, (size_t)(end - first));
    for (int i = first; i < end; i++)
        put_level(table, analysis, i, step_main_type(step), true);
    return table;
}

/* Of a percentile, where there are values enough to bound it on that side. */
static void
put_limit(struct table *table, int64_t us)
{
    if (us == PERCENTILE_UNKNOWN)
        table_none(table, "too few values");
    else
        table_us(table, us);
}

static void
put_latency(struct table *table, const struct analysis_level *level, enum txn_type type,
            const char *curve, bool first)
{
    const struct percentile limits = percentile_of(&level->transactions[type].response, 0.95);
    const struct txn_stats *stats = &level->transactions[type];
    const struct hist *response = &stats->response;

    table_row(table, first ? "first" : NULL);
    table_word(table, level->configuration);
    table_count(table, level->warehouses);
    table_count(table, level->virtual_users);
    table_word(table, txn_titles[type]);
    table_count(table, (int64_t)response->count);
    table_us(table, llround(hist_mean_us(response)));
    put_percentile(table, response, 0.50);
    put_percentile(table, response, 0.90);
    put_percentile(table, response, 0.95);
    put_limit(table, limits.low_us);
    put_limit(table, limits.high_us);
    put_percentile(table, response, 0.99);
    put_percentile(table, response, 0.999);
    table_us(table, response->max_us);
    put_percentile(table, &stats->service, 0.95);
    int64_t limit_us = step_limit_us(level->steps[0], type);
    if (limit_us > 0)
        table_us(table, limit_us);
    else
        table_none(table, "none");
    table_real(table, 100 * step_limit_share(level->steps[0], type));
    table_outcome(table, response->count < VERDICT_LATENCY_COUNT_MIN || limit_us == 0
                             ? VERDICT_NOT_TESTED
                         : verdict_latency_holds(level->steps[0], type, response) ? VERDICT_PASS
                                                                                  : VERDICT_FAIL);
    table_word(table, curve);
}

struct table *
tables_latency(const struct run *run, const struct analysis *analysis, struct arena *arena)
{
    static const struct table_column columns[] = {
        {"configuration", "configuration", COLUMN_LEFT | COLUMN_RAW, 0, NULL},
        {"warehouses", "warehouses", COLUMN_RAW | COLUMN_PLAIN, 0, NULL},
        {"virtual_users", "virtual users", COLUMN_PLAIN, 0, NULL},
        {"transaction", "transaction", COLUMN_LEFT, 0, NULL},
        {"count", "count", 0, 0, NULL},
        {"mean_us", "mean", 0, 0, NULL},
        {"p50_us", "p50", 0, 0, NULL},
        {"p90_us", "p90", 0, 0, NULL},
        {"p95_us", "p95", 0, 0, NULL},
        {"p95_low_us", "95 % limits of p95", COLUMN_RAW, 0, NULL},
        {"p95_high_us", "95 % limits of p95", COLUMN_RAW, 0, NULL},
        {"p99_us", "p99", 0, 0, NULL},
        {"p999_us", "p99.9", 0, 0, NULL},
        {"max_us", "max", 0, 0, NULL},
        {"service_p95_us", "service p95", 0, 0, NULL},
        {"limit_us", "limit", 0, 0, NULL},
        {"limit_percent", "kept by at least", 0, 0, "%"},
        {"verdict", "verdict", COLUMN_LEFT, 0, NULL},
        {"curve", "curve", COLUMN_RAW | COLUMN_LEFT, 0, NULL},
    };
    struct table *table = table_make(arena, "latency", "response", COLUMNS(columns),
                                     (size_t)analysis->levels_count * TXN_TYPES);
    (void)run;

    for (int i = 0; i < analysis->levels_count; i++) {
        bool first = true;
        for (int type = 0; type < TXN_TYPES; type++) {
            if (analysis->levels[i].transactions[type].response.count == 0)
                continue;
            put_latency(table, &analysis->levels[i], type,
                        analysis->curves[analysis->levels[i].curve].title, first);
            first = false;
        }
    }
    return table;
}

struct table *
tables_errors(const struct run *run, const struct analysis *analysis, struct arena *arena)
{
    static const struct table_column columns[] = {
        {"configuration", "configuration", COLUMN_LEFT | COLUMN_RAW, 0, NULL},
        {"warehouses", "warehouses", COLUMN_RAW | COLUMN_PLAIN, 0, NULL},
        {"virtual_users", "virtual users", COLUMN_PLAIN, 0, NULL},
        {"committed", "committed", 0, 0, NULL},
        {"rolled_back", "rolled back as intended", 0, 0, NULL},
        {"failed", "failed", 0, 0, NULL},
        {"lost", "lost", 0, 0, NULL},
        {"retries", "retries", 0, 0, NULL},
        {"unfinished", "running when the window closed", 0, 0, NULL},
        {"virtual_users_lost", "virtual users lost", 0, 0, NULL},
        {"curve", "curve", COLUMN_RAW | COLUMN_LEFT, 0, NULL},
    };
    struct table *table =
        table_make(arena, "errors", "outcomes", COLUMNS(columns), (size_t)analysis->levels_count);
    (void)run;

    for (int i = 0; i < analysis->levels_count; i++) {
        const struct analysis_level *level = &analysis->levels[i];
        int64_t unfinished = 0, users_lost = 0;
        for (int j = 0; j < level->runs; j++) {
            unfinished += (int64_t)level->steps[j]->unfinished;
            users_lost += level->steps[j]->virtual_users_lost;
        }
        table_row(table, NULL);
        table_word(table, level->configuration);
        table_count(table, level->warehouses);
        table_count(table, level->virtual_users);
        for (int outcome = 0; outcome < OUTCOMES; outcome++)
            table_count(table, (int64_t)analysis_outcomes(level, outcome));
        table_count(table, (int64_t)analysis_retries(level));
        table_count(table, unfinished);
        table_count(table, users_lost);
        table_word(table, analysis->curves[level->curve].title);
    }
    return table;
}

static void
put_step(struct table *table, const struct step *step, struct arena *arena)
{
    char started[CLOCK_TEXT_SIZE];
    bool equal = true;

    for (int i = 0; i < GROWTHS; i++)
        equal = equal && step_growth_agrees(step, i);
    table_row(table, step->status == STEP_COMPLETE && equal ? NULL : "void");
    table_count(table, step->number);
    table_text(table, analysis_curve_title(step, arena));
    table_word(table, analysis_label(step));
    table_count(table, step->warehouses);
    table_count(table, step->virtual_users);
    table_count(table, step->repeat);
    table_word(table, arena_strdup(arena, clock_iso(started, step->started_wall_us)));
    table_us(table, step->ramp_up_us);
    table_real(table, (double)step->elapsed_us / 1e6);
    put_nopm(table, step, step_nopm(step));
    table_rate(table, step_tpm(step));
    table_count(table, step->counted[GROWTH_NEW_ORDERS]);
    if (step->grown[GROWTH_NEW_ORDERS] >= 0)
        table_count(table, step->grown[GROWTH_NEW_ORDERS]);
    else
        table_none(table, "not known");
    table_word(table, step_status_names[step->status]);
    table_text(table, step->reason);
}

struct table *
tables_steps(const struct run *run, const struct analysis *analysis, struct arena *arena)
{
    static const struct table_column columns[] = {
        {"number", "step", COLUMN_PLAIN, 0, NULL},
        {"curve", "curve", COLUMN_LEFT, 0, NULL},
        {"configuration", "configuration", COLUMN_LEFT | COLUMN_RAW, 0, NULL},
        {"warehouses", "warehouses", COLUMN_RAW | COLUMN_PLAIN, 0, NULL},
        {"virtual_users", "virtual users", COLUMN_PLAIN, 0, NULL},
        {"repeat", "repeat", COLUMN_PLAIN, 0, NULL},
        {"started_at", "started", COLUMN_LEFT, 0, NULL},
        {"ramp_up_us", "ramp-up", 0, 0, NULL},
        {"elapsed_s", "window", 0, 3, "s"},
        {"nopm", "NOPM", 0, 0, NULL},
        {"tpm", "TPM", 0, 0, NULL},
        {"new_orders_driver", "new-orders, driver", 0, 0, NULL},
        {"new_orders_database", "new-orders, database", 0, 0, NULL},
        {"status", "status", COLUMN_LEFT, 0, NULL},
        {"reason", "reason", COLUMN_LEFT, 0, NULL},
    };
    struct table *table =
        table_make(arena, "steps", "step", COLUMNS(columns), (size_t)run->steps_count);
    (void)analysis;

    for (int i = 0; i < run->steps_count; i++)
        put_step(table, &run->steps[i], arena);
    return table;
}

static void
put_deferred(struct table *table, const struct step *step)
{
    const struct deferred_stats *deferred = &step->deferred;

    table_row(table, NULL);
    table_count(table, step->number);
    table_count(table, step->virtual_users);
    table_count(table, step->delivery_sessions);
    table_count(table, (int64_t)deferred->queued);
    table_count(table, (int64_t)deferred->done);
    table_count(table, (int64_t)deferred->failed);
    table_count(table, (int64_t)deferred->lost);
    table_count(table, (int64_t)deferred->left);
    table_count(table, (int64_t)deferred->waiting_most);
    put_percentile(table, &deferred->latency, 0.90);
    put_percentile(table, &deferred->latency, 1.0);
    table_real(table, 100 * (double)deferred->in_time / (double)deferred->queued);
}

struct table *
tables_deferred(const struct run *run, const struct analysis *analysis, struct arena *arena)
{
    static const struct table_column columns[] = {
        {"step", "step", COLUMN_PLAIN, 0, NULL},
        {"virtual_users", "virtual users", COLUMN_PLAIN, 0, NULL},
        {"sessions", "sessions for it", COLUMN_PLAIN, 0, NULL},
        {"queued", "queued", 0, 0, NULL},
        {"done", "done", 0, 0, NULL},
        {"failed", "failed", 0, 0, NULL},
        {"lost", "lost", 0, 0, NULL},
        {"left", "left", 0, 0, NULL},
        {"waiting_most", "most waiting", 0, 0, NULL},
        {"p90_us", "p90", 0, 0, NULL},
        {"max_us", "max", 0, 0, NULL},
        {"in_time_percent", "done within 80 s", 0, 2, "%"},
    };
    struct table *table =
        table_make(arena, "deferred", "deliveries", COLUMNS(columns), (size_t)run->steps_count);
    (void)analysis;

    for (int i = 0; i < run->steps_count; i++)
        if (run->steps[i].deferred.queued > 0)
            put_deferred(table, &run->steps[i]);
    return table;
}

static void
put_known(struct table *table, int count)
{
    if (count >= 0)
        table_count(table, count);
    else
        table_none(table, "not available");
}

static void
put_change(struct table *table, double change, struct stats_interval interval)
{
    table_real(table, 100 * change);
    if (interval.valid) {
        table_real(table, 100 * interval.low);
        table_real(table, 100 * interval.high);
    } else {
        table_none(table, "\xe2\x80\x93");
        table_none(table, "");
    }
}

static void
put_steady(struct table *table, const struct step *step, const struct steady *steady,
           struct arena *arena)
{
    const struct stats_interval none = {.valid = false};

    table_row(table, steady->state == STEADY_DRIFTING ? "void" : NULL);
    table_count(table, step->number);
    table_count(table, step->warehouses);
    table_count(table, step->virtual_users);
    table_count(table, step->repeat);
    table_word(table, steady_names[steady->state]);
    table_count(table, steady->ramp_up_s);
    if (steady->warm_up_s >= 0)
        table_count(table, steady->warm_up_s);
    else
        table_none(table, "not seen");
    put_change(table, steady->tested ? steady->trend : NAN,
               steady->tested ? steady->trend_interval : none);
    put_change(table, steady->tested ? steady->halves : NAN,
               steady->tested ? steady->halves_interval : none);
    table_real(table, steady->tested ? steady->lag1 : NAN);
    put_known(table, steady->facts.checkpoints);
    put_known(table, steady->facts.autovacuums);
    table_word(table, analysis_curve_title(step, arena));
}

struct table *
tables_steady(const struct run *run, const struct analysis *analysis, struct arena *arena)
{
    static const struct table_column columns[] = {
        {"step", "step", COLUMN_PLAIN, 0, NULL},
        {"warehouses", "warehouses", COLUMN_RAW | COLUMN_PLAIN, 0, NULL},
        {"virtual_users", "virtual users", COLUMN_PLAIN, 0, NULL},
        {"repeat", "repeat", COLUMN_PLAIN, 0, NULL},
        {"state", "steady?", COLUMN_LEFT, 0, NULL},
        {"ramp_up_s", "ramp-up, s", COLUMN_PLAIN, 0, NULL},
        {"warm_up_s", "warm up after, s", COLUMN_PLAIN, 0, NULL},
        {"trend_percent", "trend over the window", 0, 1, "%"},
        {"trend_low_percent", "97.5 % limits", 0, 1, NULL},
        {"trend_high_percent", "97.5 % limits", COLUMN_UPPER, 1, NULL},
        {"halves_percent", "second half against first", 0, 1, "%"},
        {"halves_low_percent", "97.5 % limits", 0, 1, NULL},
        {"halves_high_percent", "97.5 % limits", COLUMN_UPPER, 1, NULL},
        {"lag1", "lag-1", 0, 2, NULL},
        {"checkpoints", "check\xc2\xadpoints", 0, 0, NULL},
        {"autovacuums", "auto\xc2\xadvacuums", 0, 0, NULL},
        {"curve", "curve", COLUMN_RAW | COLUMN_LEFT, 0, NULL},
    };
    struct table *table =
        table_make(arena, "steadiness", "step", COLUMNS(columns), (size_t)run->steps_count);
    (void)analysis;

    for (int i = 0; i < run->steps_count; i++) {
        if (run->steps[i].status != STEP_COMPLETE)
            continue;
        const struct steady steady = verdict_steady(run, &run->steps[i]);
        put_steady(table, &run->steps[i], &steady, arena);
    }
    return table;
}
