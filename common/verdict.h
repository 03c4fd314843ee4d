/* Judging one measured step, and a whole run: PASS, FAIL or NOT TESTED, each with the figure and
 * the rule in words. Pure.
 *
 * consistency  new-orders the driver saw committed = growth of the order counters, exactly; for a
 *              run also the twelve conditions
 * mix          the limits of inputs.h; only for the standard mix and enough transactions
 * errors       no virtual user and no transaction lost, few failed
 * client       the driver was not the limit: its CPU, and the lag from ready to sent
 * steady       STEADY, DRIFTING (FAIL) or TOO SHORT (NOT TESTED), by the tests of steady.h
 * repeatable   the repeats of a level agree; for a run alone
 * latency      the 90th percentiles (5.2.5.7), none below its mean (5.2.5.6); or the limits that
 *              the user set
 * comparable   the steps of a curve differ in virtual users alone, and nothing drifted in the
 * course of the run: repeats do not depend on when they ran; for a run alone
 *
 * NOT TESTED is said wherever the data do not bear a judgement, never in place of a FAIL. */
#ifndef ORDERMILL_COMMON_VERDICT_H
#define ORDERMILL_COMMON_VERDICT_H

#include "common/steady.h"

#define VERDICT_MIX_TRANSACTIONS_MIN 1000
#define VERDICT_CLIENT_CPU_MAX       0.80 /* of the cores its threads can use; waiting included */
#define VERDICT_LAG_US_MAX           1000 /* 99th percentile; or if more: */
#define VERDICT_LAG_SHARE_MAX        0.10 /* of the median response */
#define VERDICT_CHECKPOINT_CYCLE_S   300  /* PostgreSQL's own default, where not known */
#define VERDICT_LATENCY_COUNT_MIN    10

#define VERDICT_REPEAT_CV_MAX    0.05
#define VERDICT_REPEAT_CHANCE    0.01     /* of a level at that limit to scatter more, by chance */
#define VERDICT_REPEAT_US_MIN    30000000 /* shorter windows say nothing of repeats */
#define VERDICT_ORDER_DRIFT_MAX  0.05     /* from the first step of a run to the last */
#define VERDICT_ORDER_DRIFT_SEEN 0.10     /* that a PASS excludes */

enum verdict_kind {
    VERDICT_CONSISTENCY,
    VERDICT_MIX,
    VERDICT_ERRORS,
    VERDICT_CLIENT,
    VERDICT_STEADY,
    VERDICT_REPEATABLE,
    VERDICT_LATENCY,
    VERDICT_COMPARABLE,
    VERDICTS
};
enum verdict_outcome { VERDICT_NOT_TESTED, VERDICT_PASS, VERDICT_FAIL };
extern const char *const verdict_names[VERDICTS]; /* "consistency" */
extern const char *const verdict_outcome_names[]; /* "NOT TESTED", "PASS", "FAIL" */

struct verdict {
    enum verdict_outcome outcome;
    char figure[160]; /* what was measured */
    const char *rule; /* what it was held against */
    double strain; /* how near to its limit, which is 1; of PASSes the nearest speaks for a run */
};

void verdict_step(const struct step *step, struct verdict verdicts[VERDICTS]);
/* As part of its run, whose environment says how many cores the client has and how long a
 * checkpoint cycle is. */
void verdict_step_of_run(const struct run *run, const struct step *step,
                         struct verdict verdicts[VERDICTS]);
/* The worst of the steps' verdicts (FAIL before NOT TESTED before PASS), consistency joined with
 * the check; the mix is judged over all complete steps together. Interrupted steps count for
 * consistency alone, failed ones for errors too. */
void verdict_run(const struct run *run, struct verdict verdicts[VERDICTS]);
/* Within the limit that the step has for its type, and the 90th percentile not below the mean. */
bool verdict_latency_holds(const struct step *step, enum txn_type type,
                           const struct hist *response);
/* What must be alike for two steps to be compared, and is not: "mix", "isolation level"; NULL: all
 * is alike. Virtual users, warehouses, server and configuration may differ: they are what is
 * compared. */
const char *verdict_difference(const struct step *a, const struct step *b);
/* How steady a step of that run was; of a step alone where `run` is NULL. */
struct steady verdict_steady(const struct run *run, const struct step *step);
/* As the server is set, or PostgreSQL's default. */
int64_t verdict_checkpoint_cycle_s(const struct run *run);
bool verdict_any_failed(const struct verdict verdicts[VERDICTS]);

#endif
