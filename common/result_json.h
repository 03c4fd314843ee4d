/* The JSON forms that scripts rely on, shared by `run` and the reports. */
#ifndef ORDERMILL_COMMON_RESULT_JSON_H
#define ORDERMILL_COMMON_RESULT_JSON_H

#include "common/json.h"
#include "common/result.h"

/* One step as an object: nopm, tpm, elapsed_s, transactions, errors, client, verdicts. It is judged
 * as part of its run, or alone where `run` is NULL. */
void result_json_step(struct json *json, const char *key, const struct run *run,
                      const struct step *step);
/* {"mean","p50","p90","p95","p99","p999","max"} in microseconds. */
void result_json_hist(struct json *json, const char *key, const struct hist *hist);
/* {"conditions": {"1": {...}}, "verdict"} */
void result_json_check(struct json *json, const char *key, const struct check_result *check);
/* An array of what the doctor found. */
void result_json_findings(struct json *json, const char *key,
                          const struct environment *environment);

#endif
