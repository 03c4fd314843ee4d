/* The JSON forms of a step and of a check. Their keys are promises: add, never rename. */
#include "common/result_json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "common/distribution.h"
#include "common/inputs.h"
#include "common/metric_text.h"
#include "common/verdict.h"

void
result_json_hist(struct json *json, const char *key, const struct hist *hist)
{
    json_object(json, key);
    json_real(json, "mean", hist_mean_us(hist), 1);
    json_int(json, "p50", hist_percentile_us(hist, 0.50));
    json_int(json, "p90", hist_percentile_us(hist, 0.90));
    json_int(json, "p95", hist_percentile_us(hist, 0.95));
    json_int(json, "p99", hist_percentile_us(hist, 0.99));
    json_int(json, "p999", hist_percentile_us(hist, 0.999));
    json_int(json, "max", hist->count ? hist->max_us : 0);
    json_object_end(json);
}

/* How many fell into each interval from zero on, those past the last one apart. */
static void
put_distribution(struct json *json, const char *key, struct distribution all)
{
    json_object(json, key);
    json_int(json, "interval_us", all.interval_us);
    json_array(json, "counts");
    for (int i = 0; i < DISTRIBUTION_INTERVALS && all.interval_us > 0; i++)
        json_int(json, NULL, (int64_t)all.counts[i]);
    json_array_end(json);
    json_int(json, "beyond", (int64_t)all.beyond);
    json_object_end(json);
}

static void
put_transactions(struct json *json, const struct step *step)
{
    json_object(json, "transactions");
    for (int type = 0; type < TXN_TYPES; type++) {
        const struct txn_stats *stats = &step->transactions[type];
        if (type >= TXN_STANDARD && !step_shows(step, type))
            continue;
        json_object(json, txn_names[type]);
        for (int outcome = 0; outcome < OUTCOMES; outcome++)
            json_int(json, outcome_names[outcome], (int64_t)stats->outcomes[outcome]);
        json_int(json, "retries", (int64_t)stats->retries);
        result_json_hist(json, "response_us", &stats->response);
        result_json_hist(json, "service_us", &stats->service);
        put_distribution(json, "response_distribution", distribution_of_response(&stats->response));
        json_object_end(json);
    }
    json_object_end(json);
}

static void
put_inputs(struct json *json, const struct input_stats *inputs)
{
    json_object(json, "inputs");
    json_int(json, "new_orders", (int64_t)inputs->new_orders);
    json_int(json, "rollbacks_intended", (int64_t)inputs->rollbacks_intended);
    json_int(json, "order_lines", (int64_t)inputs->order_lines);
    json_int(json, "remote_lines", (int64_t)inputs->remote_lines);
    json_array(json, "lines_per_order");
    for (int lines = 0; lines <= ORDER_LINES_MAX; lines++)
        json_int(json, NULL, (int64_t)inputs->lines_per_order[lines]);
    json_array_end(json);
    json_int(json, "payments", (int64_t)inputs->payments);
    json_int(json, "payments_remote", (int64_t)inputs->payments_remote);
    json_int(json, "payments_by_name", (int64_t)inputs->payments_by_name);
    json_int(json, "order_status", (int64_t)inputs->order_status);
    json_int(json, "order_status_by_name", (int64_t)inputs->order_status_by_name);
    json_int(json, "deliveries", (int64_t)inputs->deliveries);
    json_int(json, "districts_skipped", (int64_t)inputs->districts_skipped);
    json_int(json, "deliveries_skipping", (int64_t)inputs->deliveries_skipping);
    json_object_end(json);
}

/* Each input against its limits, with the confidence limits of what was measured. */
static void
put_input_checks(struct json *json, const struct step *step)
{
    struct input_check checks[INPUTS];

    inputs_check(step, checks);
    json_int(json, "c_load", step->c_load);
    json_int(json, "c_run", step->constants.c_last);
    json_array(json, "input_checks");
    for (int i = 0; i < INPUTS; i++) {
        const struct input_check *check = &checks[i];
        if (!check->judged)
            continue;
        json_object(json, NULL);
        json_string(json, "name", check->name);
        json_string(json, "unit", check->unit);
        json_real(json, "measured", check->measured, 4);
        if (check->has_interval) {
            json_real(json, "low", check->low, 4);
            json_real(json, "high", check->high, 4);
        }
        json_real(json, "limit_low", check->limit_low, 4);
        json_real(json, "limit_high", check->limit_high, 4);
        json_bool(json, "within", check->within);
        json_object_end(json);
    }
    json_array_end(json);
}

/* Each SQLSTATE once, though it may have come with several messages. */
static void
put_errors(struct json *json, const struct step *step)
{
    json_object(json, "errors");
    for (int i = 0; i < step->errors_count; i++) {
        const char *sqlstate = step->errors[i].sqlstate;
        uint64_t count = 0;
        int first = -1;

        for (int j = 0; j < step->errors_count; j++)
            if (strcmp(step->errors[j].sqlstate, sqlstate) == 0) {
                count += step->errors[j].count;
                first = first < 0 ? j : first;
            }
        if (first == i)
            json_int(json, sqlstate, (int64_t)count);
    }
    json_object_end(json);
}

/* A moment or a length in seconds, or null where it was not seen. */
static void
put_seconds(struct json *json, const char *key, bool known, int64_t us)
{
    if (known)
        json_real(json, key, (double)us / 1e6, 3);
    else
        json_null(json, key);
}

static void
put_outages(struct json *json, const struct step *step)
{
    json_int(json, "connections_lost", step->connections_lost);
    json_array(json, "outages");
    for (int i = 0; i < step->outages_count; i++) {
        const struct outage *outage = &step->outages[i];
        json_object(json, NULL);
        put_seconds(json, "start_s", true, outage->start_us);
        put_seconds(json, "end_s", outage->end_us != OUTAGE_OPEN, outage->end_us);
        json_int(json, "connections_lost", outage->losses);
        json_int(json, "zero_s", outage->zero_s);
        put_seconds(json, "recovery_s", outage->recovery_us != OUTAGE_NOT_SEEN,
                    outage->recovery_us);
        json_object_end(json);
    }
    json_array_end(json);
}

static void
put_known(struct json *json, const char *key, int64_t value)
{
    if (value >= 0)
        json_int(json, key, value);
    else
        json_null(json, key);
}

static void
put_interval(struct json *json, const char *key, struct stats_interval interval, double factor,
             int decimals)
{
    json_array(json, key);
    json_real(json, NULL, interval.valid ? factor * interval.low : NAN, decimals);
    json_real(json, NULL, interval.valid ? factor * interval.high : NAN, decimals);
    json_array_end(json);
}

static void
put_steady(struct json *json, const struct run *run, const struct step *step)
{
    struct steady steady = verdict_steady(run, step);

    json_object(json, "steady");
    json_string(json, "state", steady_names[steady.state]);
    json_int(json, "seconds", steady.seconds);
    put_known(json, "warm_up_s", steady.warm_up_s);
    json_int(json, "ramp_up_s", steady.ramp_up_s);
    put_known(json, "checkpoints", steady.facts.checkpoints);
    put_known(json, "autovacuums", steady.facts.autovacuums);
    json_int(json, "checkpoint_cycle_s", steady.facts.checkpoint_cycle_s);
    if (steady.tested) {
        json_real(json, "trend_percent", 100 * steady.trend, 2);
        put_interval(json, "trend_interval", steady.trend_interval, 100, 2);
        json_real(json, "halves_percent", 100 * steady.halves, 2);
        put_interval(json, "halves_interval", steady.halves_interval, 100, 2);
        json_real(json, "lag1", steady.lag1, 3);
        put_interval(json, "nopm_within_run_ci95", steady.batches.interval, 60, 1);
        json_int(json, "batches", steady.batches.batches);
        json_real(json, "late_warm_up_percent", 100 * steady.late_effect, 2);
    }
    json_object_end(json);
}

static void
put_verdicts(struct json *json, const struct run *run, const struct step *step)
{
    struct verdict verdicts[VERDICTS];

    if (run)
        verdict_step_of_run(run, step, verdicts);
    else
        verdict_step(step, verdicts);
    json_object(json, "verdicts");
    for (int i = 0; i < VERDICTS; i++)
        json_string(json, verdict_names[i], verdict_outcome_names[verdicts[i].outcome]);
    json_object_end(json);
    json_object(json, "verdict_figures");
    for (int i = 0; i < VERDICTS; i++)
        json_string(json, verdict_names[i], verdicts[i].figure);
    json_object_end(json);
}

static void
put_means(struct json *json, const char *key, const uint64_t *counts, const int64_t *sums_us)
{
    json_object(json, key);
    for (int type = 0; type < TXN_STANDARD; type++)
        json_real(json, txn_names[type],
                  counts[type] ? (double)sums_us[type] / (double)counts[type] / 1e6 : 0, 3);
    json_object_end(json);
}

/* What made transactions begin, and what came of it. */
static void
put_load(struct json *json, const struct step *step)
{
    json_object(json, "load");
    json_int(json, "sessions", step->sessions);
    json_real(json, "pacing", step->pacing, 3);
    json_string(json, "home", home_names[step->home]);
    json_string(json, "arrivals", arrivals_names[step->arrivals]);
    json_int(json, "rate_per_minute", step->rate_per_minute);
    if (step_efficiency(step) < 0)
        json_null(json, "efficiency");
    else
        json_real(json, "efficiency", step_efficiency(step), 4);
    result_json_hist(json, "queue_us", &step->queue);
    json_int(json, "waiting", (int64_t)step->waiting);
    json_int(json, "waiting_most", (int64_t)step->waiting_most);
    json_int(json, "skipped", (int64_t)step->skipped);
    json_object(json, "home_new_orders");
    json_int(json, "least", (int64_t)step->home_new_orders_least);
    json_int(json, "median", (int64_t)step->home_new_orders_median);
    json_int(json, "most", (int64_t)step->home_new_orders_most);
    json_bool(json, "even", step_homes_even(step));
    json_object_end(json);
    put_means(json, "keying_s_mean", step->pace.keyings, step->pace.keying_us);
    put_means(json, "think_s_mean", step->pace.thinks, step->pace.think_us);
    json_object(json, "think_distribution");
    for (int type = 0; type < TXN_TYPES; type++)
        if (step->pace.think[type].count > 0)
            put_distribution(json, txn_names[type], distribution_of_think(&step->pace.think[type]));
    json_object_end(json);
    json_object_end(json);
}

/* Null when deliveries were direct. */
static void
put_deferred(struct json *json, const struct step *step)
{
    const struct deferred_stats *deferred = &step->deferred;

    if (step->delivery_sessions == 0) {
        json_null(json, "deferred_delivery");
        return;
    }
    json_object(json, "deferred_delivery");
    json_int(json, "sessions", step->delivery_sessions);
    json_int(json, "queued", (int64_t)deferred->queued);
    json_int(json, "done", (int64_t)deferred->done);
    json_int(json, "failed", (int64_t)deferred->failed);
    json_int(json, "lost", (int64_t)deferred->lost);
    json_int(json, "left", (int64_t)deferred->left);
    json_int(json, "limit_s", DELIVERY_LIMIT_US / 1000000);
    json_int(json, "in_time", (int64_t)deferred->in_time);
    json_int(json, "waiting_most", (int64_t)deferred->waiting_most);
    result_json_hist(json, "latency_us", &deferred->latency);
    json_object_end(json);
}

static void
put_settings(struct json *json, const struct step *step)
{
    char started[CLOCK_TEXT_SIZE];

    json_int(json, "virtual_users", step->virtual_users);
    json_int(json, "warehouses", step->warehouses);
    json_int(json, "threads", step->threads);
    json_int(json, "seed", (int64_t)step->seed);
    json_array(json, "mix");
    for (int type = 0; type < TXN_STANDARD; type++)
        json_int(json, NULL, step->mix[type]);
    json_array_end(json);
    json_string(json, "mix_name", step->mix_name);
    json_string(json, "procedures", step->procedures);
    json_string(json, "call", step->call);
    json_string(json, "protocol", step->protocol);
    json_string(json, "isolation", step->isolation);
    json_string(json, "status", step_status_names[step->status]);
    json_string(json, "reason", step->reason);
    json_string(json, "started_at", clock_iso(started, step->started_wall_us));
    json_real(json, "ramp_up_s", (double)step->ramp_up_us / 1e6, 6);
    json_real(json, "measure_s", (double)step->measure_us / 1e6, 6);
    json_real(json, "max_error_share", step->failed_share_max, 5);
    if (step->transactions_max > 0)
        json_int(json, "transactions_max", step->transactions_max);
    else
        json_null(json, "transactions_max");
    json_bool(json, "cut_by_transactions", step->cut);
}

static void
put_growth(struct json *json, const struct step *step)
{
    json_int(json, "new_orders_driver", step->counted[GROWTH_NEW_ORDERS]);
    put_known(json, "new_orders_database", step->grown[GROWTH_NEW_ORDERS]);
    json_object(json, "growth");
    for (int i = 0; i < GROWTHS; i++) {
        json_object(json, growth_names[i]);
        json_int(json, "driver", step->counted[i]);
        json_int(json, "uncertain", step->uncertain[i]);
        put_known(json, "database", step->grown[i]);
        json_object_end(json);
    }
    json_object_end(json);
    bool looked = step->stock_quantity_max != 0;
    put_known(json, "stock_quantity_min", looked ? step->stock_quantity_min : -1);
    put_known(json, "stock_quantity_max", looked ? step->stock_quantity_max : -1);
}

static void
put_percent(struct json *json, const char *key, double percent)
{
    if (percent >= 0)
        json_real(json, key, percent, 1);
    else
        json_null(json, key);
}

static void
put_us(struct json *json, const char *key, int64_t us)
{
    if (us >= 0)
        json_int(json, key, us);
    else
        json_null(json, key);
}

static void
put_client_host(struct json *json, const struct step *step)
{
    json_int(json, "cores", step->client_cores);
    put_seconds(json, "wait_s", step->client_wait_us >= 0, step->client_wait_us);
    put_percent(json, "host_busy_percent", step->client_busy_percent);
    put_percent(json, "host_steal_percent", step->client_steal_percent);
    put_us(json, "rtt_us_before", step->rtt_before_us);
    put_us(json, "rtt_us_after", step->rtt_after_us);
}

void
result_json_step(struct json *json, const char *key, const struct run *run, const struct step *step)
{
    json_object(json, key);
    if (step_has_nopm(step))
        json_real(json, "nopm", step_nopm(step), 1);
    else
        json_null(json, "nopm");
    json_real(json, "tpm", step_tpm(step), 1);
    json_real(json, "elapsed_s", (double)step->elapsed_us / 1e6, 6);
    put_settings(json, step);
    put_load(json, step);
    put_deferred(json, step);
    put_transactions(json, step);
    put_inputs(json, &step->inputs);
    put_errors(json, step);
    json_int(json, "unfinished", (int64_t)step->unfinished);
    json_int(json, "virtual_users_lost", step->virtual_users_lost);
    put_outages(json, step);
    put_known(json, "sessions_left", step->sessions_left);
    json_string(json, "sessions_left_named", step->sessions_left_named);
    put_growth(json, step);
    json_object(json, "client");
    json_real(json, "cpu_us_per_transaction", step_client_cpu_us(step), 1);
    json_int(json, "lag_us_p99", hist_percentile_us(&step->lag, 0.99));
    json_real(json, "cpu_user_s", (double)step->client_user_us / 1e6, 6);
    json_real(json, "cpu_system_s", (double)step->client_system_us / 1e6, 6);
    put_client_host(json, step);
    json_object_end(json);
    put_steady(json, run, step);
    put_verdicts(json, run, step);
    put_input_checks(json, step);
    metric_json(json, step);
    json_object_end(json);
}

static enum verdict_outcome
condition_outcome(const struct check_condition *condition)
{
    if (!condition->tested)
        return VERDICT_NOT_TESTED;
    return condition->violations > 0 ? VERDICT_FAIL : VERDICT_PASS;
}

static void
put_condition(struct json *json, const char *key, const struct check_condition *condition)
{
    json_object(json, key);
    json_string(json, "name", condition->name);
    json_string(json, "verdict", verdict_outcome_names[condition_outcome(condition)]);
    json_int(json, "violations", condition->violations);
    json_array(json, "examples");
    for (int i = 0; i < condition->examples_count; i++) {
        const struct check_example *example = &condition->examples[i];
        json_object(json, NULL);
        json_int(json, "warehouse", example->warehouse);
        json_int(json, "district", example->district);
        json_string(json, "detail", example->detail);
        json_string(json, "expected", example->expected);
        json_string(json, "found", example->found);
        json_object_end(json);
    }
    json_array_end(json);
    json_real(json, "elapsed_s", condition->elapsed_s, 3);
    json_object_end(json);
}

void
result_json_check(struct json *json, const char *key, const struct check_result *check)
{
    const struct check_condition *counts = &check->conditions[CHECK_COUNTS - 1];
    enum verdict_outcome all = check->done ? VERDICT_PASS : VERDICT_NOT_TESTED;
    int tested = 0;

    json_object(json, key);
    json_object(json, "conditions");
    for (int i = 0; i < CHECK_CONDITIONS; i++) {
        char number[16];
        enum verdict_outcome outcome = condition_outcome(&check->conditions[i]);

        snprintf(number, sizeof number, "%d", i + 1);
        put_condition(json, number, &check->conditions[i]);
        if (outcome == VERDICT_FAIL)
            all = VERDICT_FAIL;
        tested += check->conditions[i].tested;
    }
    json_object_end(json);
    put_condition(json, "counts", counts);
    if (counts->violations > 0)
        all = VERDICT_FAIL;
    json_string(json, "scope", tested == CHECK_CONDITIONS ? "full" : tested > 0 ? "fast" : "none");
    json_string(json, "moment", check->moment);
    json_string(json, "verdict", verdict_outcome_names[all]);
    json_object_end(json);
}

void
result_json_findings(struct json *json, const char *key, const struct environment *environment)
{
    json_array(json, key);
    for (int i = 0; i < environment->findings_count; i++) {
        const struct finding *finding = &environment->findings[i];
        json_object(json, NULL);
        json_string(json, "severity", severity_names[finding->severity]);
        json_string(json, "name", finding->name);
        json_string(json, "seen", finding->seen);
        json_string(json, "why", finding->why);
        json_string(json, "mend", finding->mend);
        json_object_end(json);
    }
    json_array_end(json);
}
