/* Judging one measured step, and a whole run: PASS, FAIL or NOT TESTED, each with the figure and
 * the rule in words. Pure. */
#ifndef ORDERMILL_COMMON_VERDICT_H
#define ORDERMILL_COMMON_VERDICT_H

#include "common/result.h"

enum verdict_kind {
    VERDICT_CONSISTENCY,
    VERDICT_MIX,
    VERDICT_ERRORS,
    VERDICT_CLIENT,
    VERDICT_STEADY,
    VERDICT_LATENCY,
    VERDICTS
};
enum verdict_outcome { VERDICT_NOT_TESTED, VERDICT_PASS, VERDICT_FAIL };
extern const char *const verdict_names[VERDICTS]; /* "consistency" */
extern const char *const verdict_outcome_names[]; /* "NOT TESTED", "PASS", "FAIL" */

struct verdict {
    enum verdict_outcome outcome;
    char figure[160]; /* what was measured */
    const char *rule; /* what it was held against */
};

void verdict_step(const struct step *step, struct verdict verdicts[VERDICTS]);
/* The worst of the steps' verdicts, consistency joined with the check. */
void verdict_run(const struct run *run, struct verdict verdicts[VERDICTS]);
bool verdict_any_failed(const struct verdict verdicts[VERDICTS]);

#endif
