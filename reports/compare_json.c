/* The JSON of a comparison. Its keys are promises: add, never rename. */
#include "reports/compare_forms.h"

#include "common/clock.h"
#include "common/json.h"

static void
put_interval(struct json *json, const char *key, struct stats_interval interval)
{
    json_array(json, key);
    if (interval.valid) {
        json_real(json, NULL, interval.low, 6);
        json_real(json, NULL, interval.high, 6);
    } else {
        json_null(json, NULL);
        json_null(json, NULL);
    }
    json_array_end(json);
}

static void
put_ratio(struct json *json, const char *key, const struct compare_ratio *ratio)
{
    json_object(json, key);
    json_real(json, "base", ratio->base, 3);
    json_real(json, "other", ratio->other, 3);
    json_int(json, "base_runs", ratio->base_runs);
    json_int(json, "other_runs", ratio->other_runs);
    json_int(json, "base_rivals", (int64_t)ratio->base_rivals - 1);
    json_int(json, "other_rivals", (int64_t)ratio->other_rivals - 1);
    json_real(json, "ratio", ratio->ratio, 6);
    put_interval(json, "ci95", ratio->interval);
    if (ratio->bootstrap.valid)
        put_interval(json, "bootstrap_ci95", ratio->bootstrap);
    if (ratio->detectable > 0)
        json_real(json, "detectable", ratio->detectable, 6);
    else
        json_null(json, "detectable");
    json_string(json, "words", ratio->words);
    json_object_end(json);
}

static void
put_texts(struct json *json, const char *key, const char *const *texts, int count)
{
    json_array(json, key);
    for (int i = 0; i < count; i++)
        json_string(json, NULL, texts[i]);
    json_array_end(json);
}

static void
put_pair(struct json *json, const struct compare *compare, int index)
{
    const struct comparison *pair = &compare->pairs[index];

    json_object(json, NULL);
    json_string(json, "folder", compare->runs[index].folder);
    json_string(json, "comparable", compare_is_comparable(pair) ? "PASS" : "FAIL");
    json_string(json, "comparable_rule", compare_rule);
    put_texts(json, "reasons", pair->reasons, pair->reasons_count);
    put_texts(json, "warnings", pair->warnings, pair->warnings_count);
    put_ratio(json, "peak", &pair->peak);
    put_ratio(json, "within_latency_limits", &pair->within_limits);
    json_array(json, "levels");
    for (int i = 0; i < pair->levels_count; i++) {
        const struct compare_level *level = &pair->levels[i];
        json_object(json, NULL);
        json_string(json, "curve", level->title);
        json_int(json, "warehouses", level->warehouses);
        json_int(json, "virtual_users", level->virtual_users);
        put_ratio(json, "nopm", &level->nopm);
        put_ratio(json, "new_order_p95_us", &level->p95);
        json_object_end(json);
    }
    json_array_end(json);
    json_object(json, "costs");
    for (int i = 0; i < COSTS; i++)
        put_ratio(json, compare_cost_names[i], &pair->costs[i]);
    json_object_end(json);
    json_object_end(json);
}

static void
put_run(struct json *json, const struct compare_run *run)
{
    char started[CLOCK_TEXT_SIZE];

    json_object(json, NULL);
    json_string(json, "folder", run->folder);
    json_string(json, "name", run->run->name);
    json_string(json, "started_at", clock_iso(started, run->run->started_wall_us));
    json_object(json, "stated_by_user");
    json_real(json, "cost_per_hour", run->cost_per_hour, 6);
    json_real(json, "cost_per_1000_new_orders", compare_money(run), 9);
    json_real(json, "watts", run->watts, 3);
    json_real(json, "wh_per_1000_new_orders", compare_energy(run), 6);
    json_object_end(json);
    json_object_end(json);
}

void
compare_json(const struct compare *compare, struct buf *out)
{
    struct json json;

    json_begin(&json, out);
    json_object(&json, NULL);
    json_int(&json, "schema_version", COMPARE_SCHEMA_VERSION);
    json_array(&json, "runs");
    for (int i = 0; i < compare->count; i++)
        put_run(&json, &compare->runs[i]);
    json_array_end(&json);
    json_array(&json, "comparisons");
    for (int i = 1; i < compare->count; i++)
        put_pair(&json, compare, i);
    json_array_end(&json);
    json_bool(&json, "same_configuration", compare->same_configuration);
    json_array(&json, "differences");
    for (int i = 0; i < compare->differences_count; i++) {
        const struct difference *difference = &compare->differences[i];
        json_object(&json, NULL);
        json_string(&json, "kind", difference->kind);
        json_string(&json, "name", difference->name);
        json_bool(&json, "is_state", difference->is_state);
        put_texts(&json, "values", difference->values, compare->count);
        json_object_end(&json);
    }
    json_array_end(&json);
    json_object_end(&json);
    json_end(&json);
}
