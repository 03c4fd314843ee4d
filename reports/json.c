/* What one step and one check look like is common/result_json.c's. */
#include "reports/json.h"

#include <math.h>

#include "common/clock.h"
#include "common/percentile.h"
#include "common/result_json.h"
#include "reports/fits.h"
#include "reports/result_xml.h"

static void
put_steps(struct json *json, const struct run *run)
{
    json_array(json, "steps");
    for (int i = 0; i < run->steps_count; i++) {
        const struct step *step = &run->steps[i];
        json_object(json, NULL);
        json_int(json, "number", step->number);
        json_int(json, "virtual_users", step->virtual_users);
        json_int(json, "warehouses", step->warehouses);
        json_int(json, "curve", step->curve);
        json_string(json, "curve_name", step->curve_name);
        json_string(json, "server", step->server);
        json_string(json, "configuration", step->configuration);
        json_string(json, "mix", step->mix_name);
        json_int(json, "repeat", step->repeat);
        result_json_step(json, "run", run, step);
        json_object_end(json);
    }
    json_array_end(json);
}

static void
put_interval(struct json *json, const char *key, struct stats_interval interval, int decimals)
{
    json_array(json, key);
    if (interval.valid) {
        json_real(json, NULL, interval.low, decimals);
        json_real(json, NULL, interval.high, decimals);
    } else {
        json_null(json, NULL);
        json_null(json, NULL);
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

/* {"p50": [low, high], ...}; null where too few values bound it. */
static void
put_percentile_limits(struct json *json, const char *key, const struct hist *hist)
{
    static const struct {
        const char *key;
        double fraction;
    } percentiles[] = {{"p50", 0.50}, {"p90", 0.90}, {"p95", 0.95}, {"p99", 0.99}};

    json_object(json, key);
    for (size_t i = 0; i < sizeof percentiles / sizeof percentiles[0]; i++) {
        struct percentile found = percentile_of(hist, percentiles[i].fraction);
        json_array(json, percentiles[i].key);
        put_known(json, NULL, found.low_us);
        put_known(json, NULL, found.high_us);
        json_array_end(json);
    }
    json_object_end(json);
}

static void
put_nopm(struct json *json, const struct analysis_level *level, struct stats_interval interval)
{
    if (!step_has_nopm(level->steps[0])) {
        json_null(json, "nopm_mean"); /* no new-order in the mix: see tpm_mean */
        json_array(json, "nopm");
        json_array_end(json);
        put_interval(json, "tpm_ci95", interval, 1);
        return;
    }
    json_real(json, "nopm_mean", level->nopm_mean, 1);
    put_interval(json, "nopm_ci95", interval, 1);
    json_real(json, "nopm_sd", level->nopm_sd, 1);
    json_real(json, "nopm_cv", level->nopm_cv, 4);
    json_array(json, "nopm");
    for (int i = 0; i < level->runs; i++)
        json_real(json, NULL, level->nopm[i], 1);
    json_array_end(json);
    if (level->outlier >= 0)
        json_int(json, "outlier_run", level->outlier + 1);
    if (level->clusters > 0)
        json_int(json, "runs_in_lower_cluster", (int64_t)level->clusters);
}

/* `headline`: what it is chosen as; NULL for a level among all. */
static void
put_level(struct json *json, const char *key, const struct analysis_level *level,
          const struct analysis_headline *headline)
{
    json_object(json, key);
    json_int(json, "virtual_users", level->virtual_users);
    json_int(json, "warehouses", level->warehouses);
    json_int(json, "curve", level->steps[0]->curve);
    json_string(json, "configuration", level->steps[0]->configuration);
    put_nopm(json, level, headline ? headline->interval : level->nopm_interval);
    if (headline)
        json_int(json, "rivals", (int64_t)headline->rivals - 1);
    json_int(json, "runs", level->runs);
    json_real(json, "tpm_mean", level->tpm_mean, 1);
    json_int(json, "failed", (int64_t)analysis_outcomes(level, OUTCOME_FAILED));
    json_int(json, "lost", (int64_t)analysis_outcomes(level, OUTCOME_LOST));
    json_int(json, "retries", (int64_t)analysis_retries(level));
    json_bool(json, "stands", level->stands);
    json_bool(json, "within_latency_limits", level->latency_holds);
    json_string(json, "steady", steady_names[level->steady]);
    json_object(json, "response_us");
    for (int type = 0; type < TXN_TYPES; type++)
        if (type < TXN_STANDARD || step_shows(level->steps[0], type))
            result_json_hist(json, txn_names[type], &level->transactions[type].response);
    json_object_end(json);
    json_object(json, "response_us_ci95");
    for (int type = 0; type < (int)TXN_STANDARD; type++)
        put_percentile_limits(json, txn_names[type], &level->transactions[type].response);
    json_object_end(json);
    json_object_end(json);
}

static void
put_best(struct json *json, const char *key, const struct analysis *analysis, int level,
         struct analysis_headline headline)
{
    if (level >= 0)
        put_level(json, key, &analysis->levels[level], &headline);
    else
        json_null(json, key);
}

static bool
has_nopm(const struct analysis *analysis, int level)
{
    return step_has_nopm(analysis->levels[level].steps[0]);
}

static void
put_usl(struct json *json, const struct stats_usl *usl, bool nopm)
{
    const struct stats_interval none = {.valid = false};

    json_object(json, "usl");
    json_bool(json, "fitted", usl->fitted);
    json_bool(json, "claimed", usl->claimed);
    json_string(json, "reason", usl->reason);
    if (usl->fitted) {
        json_real(json, "lambda", usl->lambda, 3);
        json_real(json, "sigma", usl->sigma, 8);
        json_real(json, "kappa", usl->kappa, 10);
        json_real(json, "lambda_se", usl->lambda_se, 3);
        /* At its bound of 0 a parameter has none. */
        json_real(json, "sigma_se", usl->sigma > 0 ? usl->sigma_se : NAN, 8);
        json_real(json, "kappa_se", usl->kappa > 0 ? usl->kappa_se : NAN, 10);
        put_interval(json, "lambda_ci95", usl->lambda_interval, 3);
        put_interval(json, "sigma_ci95", usl->sigma > 0 ? usl->sigma_interval : none, 8);
        put_interval(json, "kappa_ci95", usl->kappa > 0 ? usl->kappa_interval : none, 10);
        json_real(json, "residual_rms", usl->residual_rms, 5);
        json_real(json, "residual_max", usl->residual_max, 5);
    } else {
        json_null(json, "lambda");
        json_null(json, "sigma");
        json_null(json, "kappa");
    }
    if (usl->claimed) {
        json_real(json, "n_star", usl->n_star, 2);
        put_interval(json, "n_star_ci95", usl->n_star_interval, 2);
        json_real(json, nopm ? "nopm_at_n_star" : "tpm_at_n_star", usl->x_star, 1);
        put_interval(json, nopm ? "nopm_at_n_star_ci95" : "tpm_at_n_star_ci95",
                     usl->x_star_interval, 1);
    } else {
        json_null(json, "n_star");
    }
    json_object_end(json);
}

static void
put_fits(struct json *json, const struct analysis_curve *curve)
{
    json_object(json, "fits");
    for (int kind = 0; kind < FITS; kind++) {
        const struct stats_line *line = &curve->fits[kind];
        if (!line->slope_interval.valid) {
            json_null(json, fit_names[kind]);
            continue;
        }
        json_object(json, fit_names[kind]);
        json_real(json, "slope", line->slope, 4);
        put_interval(json, "slope_ci95", line->slope_interval, 4);
        json_real(json, "intercept", line->intercept, 2);
        put_interval(json, "intercept_ci95", stats_line_interval(line, 0, ANALYSIS_LEVEL), 2);
        json_real(json, "r_squared", line->explained, 4);
        json_int(json, "runs", (int64_t)(line->freedom + 2));
        json_object_end(json);
    }
    json_object_end(json);
}

static void
put_curves(struct json *json, const struct analysis *analysis)
{
    json_array(json, "curves");
    for (int i = 0; i < analysis->curves_count; i++) {
        const struct analysis_curve *curve = &analysis->curves[i];
        json_object(json, NULL);
        json_int(json, "curve", analysis->levels[curve->first].steps[0]->curve);
        json_string(json, "title", curve->title);
        json_array(json, "virtual_users");
        for (int k = curve->first; k < curve->first + curve->count; k++)
            json_int(json, NULL, analysis->levels[k].virtual_users);
        json_array_end(json);
        put_best(json, "peak", analysis, curve->peak,
                 analysis_curve_headline(analysis, curve, false));
        put_best(json, "peak_within_latency_limits", analysis, curve->within_limits,
                 analysis_curve_headline(analysis, curve, true));
        put_usl(json, &curve->usl, has_nopm(analysis, curve->first));
        put_fits(json, curve);
        json_object_end(json);
    }
    json_array_end(json);
}

static void
put_verdicts(struct json *json, const struct analysis *analysis)
{
    json_object(json, "verdicts");
    for (int i = 0; i < VERDICTS; i++)
        json_string(json, verdict_names[i], verdict_outcome_names[analysis->verdicts[i].outcome]);
    json_object_end(json);
    json_object(json, "verdict_figures");
    for (int i = 0; i < VERDICTS; i++)
        json_string(json, verdict_names[i], analysis->verdicts[i].figure);
    json_object_end(json);
    json_object(json, "verdict_rules");
    for (int i = 0; i < VERDICTS; i++)
        json_string(json, verdict_names[i], analysis->verdicts[i].rule);
    json_object_end(json);
}

static void
put_environment(struct json *json, const struct environment *environment)
{
    json_array(json, "environment");
    for (int i = 0; i < environment->count; i++) {
        const struct fact *fact = &environment->facts[i];
        json_object(json, NULL);
        json_string(json, "group", fact->group);
        json_string(json, "name", fact->name);
        json_string(json, "value", fact->value);
        json_string(json, "detail", fact->detail);
        json_object_end(json);
    }
    json_array_end(json);
}

/* What was done between the steps, what a search found, what came between. */
static void
put_journal(struct json *json, const struct run *run)
{
    char at[CLOCK_TEXT_SIZE];

    json_array(json, "journal");
    for (int i = 0; i < run->journal_count; i++) {
        const struct event *event = &run->journal[i];
        json_object(json, NULL);
        json_string(json, "at", clock_iso(at, event->wall_us));
        put_known(json, "step", event->step > 0 ? event->step : -1);
        json_string(json, "what", event->what);
        put_known(json, "elapsed_us", event->elapsed_us);
        put_known(json, "bytes", event->bytes);
        json_string(json, "detail", event->detail);
        json_object_end(json);
    }
    json_array_end(json);
}

void
json_report(const struct run *run, const struct analysis *analysis, struct buf *out)
{
    struct json json;
    char started[CLOCK_TEXT_SIZE];

    json_begin(&json, out);
    json_object(&json, NULL);
    json_int(&json, "schema_version", RESULT_SCHEMA_VERSION);
    json_string(&json, "name", run->name);
    json_string(&json, "kit_version", run->kit_version);
    json_string(&json, "started_at", clock_iso(started, run->started_wall_us));
    json_string(&json, "status", step_status_names[run->status]);
    json_int(&json, "steps_planned", run->steps_planned);
    put_steps(&json, run);
    json_array(&json, "levels");
    for (int i = 0; i < analysis->levels_count; i++)
        put_level(&json, NULL, &analysis->levels[i], NULL);
    json_array_end(&json);
    put_curves(&json, analysis);
    put_best(&json, "peak", analysis, analysis->peak, analysis_headline(analysis, false));
    put_best(&json, "peak_within_latency_limits", analysis, analysis->within_limits,
             analysis_headline(analysis, true));
    put_usl(&json, &analysis->usl, analysis->peak < 0 || has_nopm(analysis, analysis->peak));
    json_array(&json, "warnings");
    for (int i = 0; i < analysis->warnings_count; i++)
        json_string(&json, NULL, analysis->warnings[i]);
    json_array_end(&json);
    result_json_check(&json, "check", &run->check);
    put_environment(&json, &run->environment);
    result_json_findings(&json, "findings", &run->environment);
    put_verdicts(&json, analysis);
    put_journal(&json, run);
    json_object_end(&json);
    json_end(&json);
}
