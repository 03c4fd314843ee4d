/* Owns the rules by which a step and a run are judged, and their wording. The limits on inputs are
 * inputs.c's, the test for a trend steady.c's; the figures themselves come from the driver. */
#include "common/verdict.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/inputs.h"
#include "common/load_text.h"
#include "common/units.h"

const char *const verdict_names[VERDICTS] = {"consistency", "mix",    "errors",
                                             "client",      "steady", "latency"};
const char *const verdict_outcome_names[] = {"NOT TESTED", "PASS", "FAIL"};

static const char *const rules[VERDICTS] = {
    [VERDICT_CONSISTENCY] = "what the driver saw committed = growth of the database's own sums "
                            "(new-orders, amounts paid; in full: lines, quantities, payments), "
                            "exactly but for lost transactions; stock within 10 to 100; all twelve "
                            "consistency conditions hold",
    [VERDICT_MIX] = "minimum shares (5.2.3) and input limits (5.5.1.5) not excluded by exact "
                    "99.99 % confidence limits; standard mix, at least 1,000 transactions",
    [VERDICT_ERRORS] = "no virtual user, no connection and no transaction lost; of any "
                       "transaction type at most the share allowed (1 % unless set otherwise) "
                       "failed or lost, or else the level is invalid",
    [VERDICT_CLIENT] = "driver at most 80 % of the cores its threads can use, waiting for one "
                       "included; 99th percentile of its lag at most 1 ms, or 10 % of the median "
                       "response if that is more",
    [VERDICT_STEADY] = "no trend in new-orders per second over 10 % of the window's mean, no half "
                       "over 5 % from the other, each beyond its interval (batch means; 95 % for "
                       "both together); warm-up over before the window; a checkpoint inside, or "
                       "a whole checkpoint cycle; a trend of 20 % excluded",
    [VERDICT_LATENCY] = "90th percentile of the response at most 5 s, Stock-Level 20 s (5.2.5.7), "
                        "and not below the mean (5.2.5.6); of deferred deliveries 90 % done "
                        "within 80 s of being queued (2.7.2)",
};

/* What a step does not know of itself. */
struct setting {
    int cores; /* of the client; 0: not known */
    struct steady_facts facts;
};

/* Nobody counts checkpoints and autovacuums inside the window yet. */
static struct steady_facts
facts_of(int64_t checkpoint_cycle_s)
{
    return (struct steady_facts){
        .checkpoints = -1, .autovacuums = -1, .checkpoint_cycle_s = checkpoint_cycle_s};
}

static void __attribute__((format(printf, 3, 4)))
say(struct verdict *verdict, enum verdict_outcome outcome, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    vsnprintf(verdict->figure, sizeof verdict->figure, format, ap);
    va_end(ap);
    verdict->outcome = outcome;
}

static enum verdict_outcome
pass_if(bool holds)
{
    return holds ? VERDICT_PASS : VERDICT_FAIL;
}

static const char *const growth_titles[GROWTHS] = {
    "new-orders", "order lines", "remote lines", "quantity ordered", "payments", "cents paid"};

static void __attribute__((format(printf, 2, 3)))
add(struct verdict *verdict, const char *format, ...)
{
    size_t length = strlen(verdict->figure);
    va_list ap;

    va_start(ap, format);
    vsnprintf(verdict->figure + length, sizeof verdict->figure - length, format, ap);
    va_end(ap);
}

static bool
stock_in_bounds(const struct step *step)
{
    return step->stock_quantity_max == 0 || (step->stock_quantity_min >= STOCK_QUANTITY_MIN &&
                                             step->stock_quantity_max <= STOCK_QUANTITY_MAX);
}

static void
judge_consistency(const struct step *step, struct verdict *verdict)
{
    char driver[UNITS_TEXT_SIZE], database[UNITS_TEXT_SIZE];
    bool all = step_growth_agrees(step, GROWTH_NEW_ORDERS) && stock_in_bounds(step);

    units_count(driver, step->counted[GROWTH_NEW_ORDERS]);
    if (step->grown[GROWTH_NEW_ORDERS] < 0) {
        say(verdict, VERDICT_NOT_TESTED, "driver %s new-orders, growth of the database not known",
            driver);
        return;
    }
    say(verdict, VERDICT_PASS, "driver %s new-orders, database %s", driver,
        units_count(database, step->grown[GROWTH_NEW_ORDERS]));
    for (int i = GROWTH_NEW_ORDERS + 1; i < GROWTHS; i++) {
        if (!step_growth_agrees(step, i))
            add(verdict, "; %s %s, %s", growth_titles[i], units_count(driver, step->counted[i]),
                units_count(database, step->grown[i]));
        all = all && step_growth_agrees(step, i);
    }
    if (!stock_in_bounds(step))
        add(verdict, "; stock %d to %d", step->stock_quantity_min, step->stock_quantity_max);
    if (step->uncertain[GROWTH_NEW_ORDERS] + step->uncertain[GROWTH_PAYMENTS] > 0)
        add(verdict, "; up to %" PRId64 " more by lost transactions",
            step->uncertain[GROWTH_NEW_ORDERS] + step->uncertain[GROWTH_PAYMENTS]);
    verdict->outcome = pass_if(all);
}

static bool
is_standard_mix(const struct step *step)
{
    return memcmp(step->mix, mix_standard, sizeof step->mix) == 0;
}

static void
judge_mix(const struct step *step, struct verdict *verdict)
{
    uint64_t completed =
        step_outcomes(step, OUTCOME_COMMITTED) + step_outcomes(step, OUTCOME_ROLLED_BACK);
    struct input_check checks[INPUTS];
    int judged = 0, outside = 0, first = -1;

    if (!is_standard_mix(step)) {
        say(verdict, VERDICT_NOT_TESTED, "the mix was %d,%d,%d,%d,%d, not the standard one",
            step->mix[0], step->mix[1], step->mix[2], step->mix[3], step->mix[4]);
        return;
    }
    if (completed < VERDICT_MIX_TRANSACTIONS_MIN) {
        say(verdict, VERDICT_NOT_TESTED, "only %" PRIu64 " transactions, fewer than %d", completed,
            VERDICT_MIX_TRANSACTIONS_MIN);
        return;
    }
    inputs_check(step, checks);
    for (int i = 0; i < INPUTS; i++) {
        judged += checks[i].judged;
        if (checks[i].judged && !checks[i].within && outside++ == 0)
            first = i;
    }
    if (outside == 0)
        say(verdict, VERDICT_PASS, "%d of %d limits judged, all held", judged, INPUTS);
    else
        say(verdict, VERDICT_FAIL, "%d of %d limits broken; %s %.3g %s (allowed %g to %g)", outside,
            judged, checks[first].name, checks[first].measured, checks[first].unit,
            checks[first].limit_low, checks[first].limit_high);
}

static void
judge_errors(const struct step *step, struct verdict *verdict)
{
    uint64_t lost = step_outcomes(step, OUTCOME_LOST) + step->deferred.lost;
    uint64_t failed = step_outcomes(step, OUTCOME_FAILED) + step->deferred.failed;
    uint64_t ended = step_ended(step);
    char connections[48] = "";

    if (step->status == STEP_FAILED) {
        say(verdict, VERDICT_FAIL, "the step failed: %s", step->reason);
        return;
    }
    if (ended == 0) {
        say(verdict, VERDICT_FAIL, "no transaction ended in the window");
        return;
    }
    double share = step_failed_share(step, NULL);
    bool invalid = share > step->failed_share_max;
    verdict->strain = (double)step_retries(step) / (double)ended;
    if (share > 0)
        verdict->strain += share / fmax(step->failed_share_max, DBL_MIN);
    if (step->connections_lost > 0)
        snprintf(connections, sizeof connections, "; %d connection%s lost", step->connections_lost,
                 step->connections_lost == 1 ? "" : "s");
    say(verdict,
        pass_if(lost == 0 && step->connections_lost == 0 && step->virtual_users_lost == 0 &&
                !invalid),
        "%s%" PRIu64 " failed, %" PRIu64 " lost, %" PRIu64 " retries in %" PRIu64
        " transactions; %d of %d %ss lost%s",
        invalid ? "INVALID: " : "", failed, lost, step_retries(step), ended,
        step->virtual_users_lost, step->sessions + step->delivery_sessions, load_holder(step),
        connections);
}

static int64_t
median_response_us(const struct step *step)
{
    struct hist all;

    hist_clear(&all);
    for (int type = 0; type < TXN_TYPES; type++)
        hist_merge(&all, &step->transactions[type].response);
    return hist_percentile_us(&all, 0.5);
}

/* Cores that the driver's threads can use at once. */
static int
cores_of(const struct step *step, const struct setting *setting)
{
    int cores = step->threads;

    if (setting->cores > 0 && setting->cores < cores)
        cores = setting->cores;
    if (step->client_cores > 0 && step->client_cores < cores)
        cores = step->client_cores;
    return cores;
}

/* A thread that could run but has no core is as little ready for an answer as one that runs. */
static void
judge_client(const struct step *step, const struct setting *setting, struct verdict *verdict)
{
    int cores = cores_of(step, setting);

    if (step->elapsed_us <= 0 || cores < 1 || step->lag.count == 0) {
        say(verdict, VERDICT_NOT_TESTED, "no transaction was sent in the window");
        return;
    }
    double time_us = (double)step->elapsed_us * cores;
    double share = (double)(step->client_user_us + step->client_system_us) / time_us;
    double waited = step->client_wait_us > 0 ? (double)step->client_wait_us / time_us : 0;
    double lag_us = (double)hist_percentile_us(&step->lag, 0.99);
    double lag_us_max =
        fmax(VERDICT_LAG_US_MAX, VERDICT_LAG_SHARE_MAX * (double)median_response_us(step));
    char waiting[48] = "";

    if (step->client_wait_us > 0)
        snprintf(waiting, sizeof waiting, " and waited for one %.0f %%", 100 * waited);
    verdict->strain = fmax((share + waited) / VERDICT_CLIENT_CPU_MAX, lag_us / lag_us_max);
    bool holds = share + waited <= VERDICT_CLIENT_CPU_MAX && lag_us <= lag_us_max;
    say(verdict, pass_if(holds),
        "%sdriver used %.0f %% of %d core%s%s; lag p99 %.3f ms (limit %.3f ms)",
        holds ? "" : "client limited: ", 100 * share, cores, cores == 1 ? "" : "s", waiting,
        lag_us / 1000, lag_us_max / 1000);
}

/* Why a window without drift still says nothing. */
static void
add_shortness(struct verdict *verdict, const struct steady *steady)
{
    if (!steady->cycle_covered && steady->facts.checkpoints == 0)
        add(verdict, "; no checkpoint ended inside");
    else if (!steady->cycle_covered)
        add(verdict, "; below a checkpoint cycle (%" PRId64 " s)",
            steady->facts.checkpoint_cycle_s);
    else
        add(verdict, "; a trend of %.0f %% is not excluded", 100 * STEADY_CHANGE_SEEN);
}

static void
add_steady_facts(struct verdict *verdict, const struct steady *steady)
{
    if (steady->late)
        add(verdict, "; warm-up took %d s, ramp-up %d s: %+.1f %% on NOPM", steady->warm_up_s,
            steady->ramp_up_s, 100 * steady->late_effect);
    if (steady->facts.checkpoints > 0)
        add(verdict, "; %d checkpoint%s", steady->facts.checkpoints,
            steady->facts.checkpoints == 1 ? "" : "s");
    if (steady->facts.autovacuums > 0)
        add(verdict, "; %d autovacuum%s", steady->facts.autovacuums,
            steady->facts.autovacuums == 1 ? "" : "s");
}

static void
judge_steady(const struct step *step, const struct setting *setting, struct verdict *verdict)
{
    static const enum verdict_outcome outcomes[] = {[STEADY_TOO_SHORT] = VERDICT_NOT_TESTED,
                                                    [STEADY_STEADY] = VERDICT_PASS,
                                                    [STEADY_DRIFTING] = VERDICT_FAIL};
    struct steady steady = steady_of_step(step, &setting->facts);

    if (steady.seconds < STEADY_SECONDS_MIN) {
        say(verdict, VERDICT_NOT_TESTED,
            "TOO SHORT: %d whole seconds in the window, fewer than %d and than a checkpoint cycle "
            "(%" PRId64 " s)",
            steady.seconds, STEADY_SECONDS_MIN, setting->facts.checkpoint_cycle_s);
        return;
    }
    if (!steady.tested) {
        say(verdict, VERDICT_NOT_TESTED, "no new-order committed in the window");
        return;
    }
    verdict->strain =
        fmax(fabs(steady.trend) / STEADY_TREND_MAX, fabs(steady.halves) / STEADY_HALVES_MAX);
    say(verdict, outcomes[steady.state],
        "%s: trend %+.1f %% (%+.1f to %+.1f), halves %+.1f %%, over %d s",
        steady_names[steady.state], 100 * steady.trend, 100 * steady.trend_interval.low,
        100 * steady.trend_interval.high, 100 * steady.halves, steady.seconds);
    if (steady.state == STEADY_TOO_SHORT)
        add_shortness(verdict, &steady);
    add_steady_facts(verdict, &steady);
}

bool
verdict_latency_holds(const struct step *step, enum txn_type type, const struct hist *response)
{
    double p90_us = (double)hist_percentile_us(response, 0.9);

    /* Differences under 0.1 s between percentile and mean count as none (5.2.5.6). */
    return hist_percentile_us(response, step_limit_share(step, type)) <=
               step_limit_us(step, type) &&
           hist_mean_us(response) - p90_us < 100000;
}

/* Of all that were queued: one that failed or never began was not in time either. */
static bool
deliveries_late(const struct step *step, struct verdict *verdict)
{
    const struct deferred_stats *deferred = &step->deferred;
    double share = deferred->queued > 0 ? (double)deferred->in_time / (double)deferred->queued : 1;

    if (deferred->queued < VERDICT_LATENCY_COUNT_MIN || share >= DELIVERY_IN_TIME_MIN)
        return false;
    say(verdict, VERDICT_FAIL,
        "%.1f %% of %" PRIu64
        " deferred deliveries done within %d s of being queued (limit %.0f %%)",
        100 * share, deferred->queued, (int)(DELIVERY_LIMIT_US / 1000000),
        100 * DELIVERY_IN_TIME_MIN);
    return true;
}

static void
judge_latency(const struct step *step, struct verdict *verdict)
{
    double worst = -1;
    int worst_type = 0, broken = 0;

    for (int type = 0; type < TXN_TYPES; type++) {
        const struct hist *response = &step->transactions[type].response;
        if (response->count < VERDICT_LATENCY_COUNT_MIN)
            continue;
        double share = (double)hist_percentile_us(response, step_limit_share(step, type)) /
                       (double)step_limit_us(step, type);
        bool holds = verdict_latency_holds(step, type, response);
        broken += !holds;
        if (share + (holds ? 0 : 1e9) > worst) {
            worst = share + (holds ? 0 : 1e9);
            worst_type = type;
        }
    }
    if (deliveries_late(step, verdict))
        return;
    if (worst < 0) {
        say(verdict, VERDICT_NOT_TESTED, "fewer than %d transactions of every type",
            VERDICT_LATENCY_COUNT_MIN);
        return;
    }
    const struct hist *response = &step->transactions[worst_type].response;
    verdict->strain = worst;
    double of = step_limit_share(step, worst_type);
    say(verdict, pass_if(broken == 0), "%s p%g %.3f s (limit %g s), mean %.3f s",
        txn_titles[worst_type], 100 * of, (double)hist_percentile_us(response, of) / 1e6,
        (double)step_limit_us(step, worst_type) / 1e6, hist_mean_us(response) / 1e6);
}

static void
judge_step(const struct step *step, const struct setting *setting,
           struct verdict verdicts[VERDICTS])
{
    for (int i = 0; i < VERDICTS; i++)
        verdicts[i] = (struct verdict){.rule = rules[i]};
    judge_consistency(step, &verdicts[VERDICT_CONSISTENCY]);
    judge_mix(step, &verdicts[VERDICT_MIX]);
    judge_errors(step, &verdicts[VERDICT_ERRORS]);
    judge_client(step, setting, &verdicts[VERDICT_CLIENT]);
    judge_steady(step, setting, &verdicts[VERDICT_STEADY]);
    judge_latency(step, &verdicts[VERDICT_LATENCY]);
}

void
verdict_step(const struct step *step, struct verdict verdicts[VERDICTS])
{
    judge_step(step, &(struct setting){.facts = facts_of(VERDICT_CHECKPOINT_CYCLE_S)}, verdicts);
}

/* PostgreSQL writes its times as "300", "300 s", "5min", "1h"; a bare number is in seconds. 0 when
 * it is something else. */
static int64_t
server_seconds(const char *text)
{
    char *unit;
    long long number = strtoll(text, &unit, 10);

    if (unit == text || number <= 0 || number > 86400)
        return 0;
    unit += strspn(unit, " ");
    if (*unit == '\0' || strcmp(unit, "s") == 0)
        return number;
    if (strcmp(unit, "min") == 0)
        return number * 60;
    return strcmp(unit, "h") == 0 ? number * 3600 : 0;
}

int64_t
verdict_checkpoint_cycle_s(const struct run *run)
{
    const char *cycle = environment_find(&run->environment, "setting", "checkpoint_timeout");

    return cycle && server_seconds(cycle) > 0 ? server_seconds(cycle) : VERDICT_CHECKPOINT_CYCLE_S;
}

static struct setting
setting_of(const struct run *run)
{
    const char *cores = environment_find(&run->environment, "client", "cores");

    return (struct setting){
        .cores = cores ? (int)strtol(cores, NULL, 10) : 0,
        .facts = facts_of(verdict_checkpoint_cycle_s(run)),
    };
}

struct steady
verdict_steady(const struct run *run, const struct step *step)
{
    struct steady_facts facts =
        facts_of(run ? verdict_checkpoint_cycle_s(run) : VERDICT_CHECKPOINT_CYCLE_S);
    return steady_of_step(step, &facts);
}

void
verdict_step_of_run(const struct run *run, const struct step *step,
                    struct verdict verdicts[VERDICTS])
{
    struct setting setting = setting_of(run);
    judge_step(step, &setting, verdicts);
}

static int
badness(enum verdict_outcome outcome)
{
    return outcome == VERDICT_FAIL ? 2 : outcome == VERDICT_NOT_TESTED;
}

static bool
step_counts(const struct step *step, enum verdict_kind kind)
{
    switch (step->status) {
    case STEP_COMPLETE: return true;
    case STEP_FAILED:
        return kind == VERDICT_ERRORS ||
               (kind == VERDICT_CONSISTENCY && step->grown[GROWTH_NEW_ORDERS] >= 0);
    case STEP_INTERRUPTED:
        return kind == VERDICT_CONSISTENCY && step->grown[GROWTH_NEW_ORDERS] >= 0;
    }
    return false;
}

/* One kind over all steps: the worst one speaks, and how many share its outcome is said. */
static void
join_steps(const struct run *run, enum verdict_kind kind, struct verdict *joined)
{
    int counted = 0, alike = 0;
    const struct step *worst = NULL;

    for (int i = 0; i < run->steps_count; i++) {
        const struct step *step = &run->steps[i];
        struct verdict verdicts[VERDICTS];

        if (!step_counts(step, kind))
            continue;
        verdict_step_of_run(run, step, verdicts);
        counted++;
        if (worst && badness(verdicts[kind].outcome) < badness(joined->outcome))
            continue;
        alike = worst && verdicts[kind].outcome == joined->outcome ? alike + 1 : 1;
        if (alike == 1 || verdicts[kind].strain > joined->strain) {
            worst = step;
            *joined = verdicts[kind];
        }
    }
    if (counted < 2)
        return;
    char figure[sizeof joined->figure];
    memcpy(figure, joined->figure, sizeof figure);
    if (joined->outcome == VERDICT_PASS)
        say(joined, VERDICT_PASS, "all %d steps; tightest step %d (%d VU): %.104s", counted,
            worst->number, worst->virtual_users, figure);
    else
        say(joined, joined->outcome, "%d of %d steps; step %d (%d VU): %.110s", alike, counted,
            worst->number, worst->virtual_users, figure);
}

/* The driver's count over all steps, which says more than any one of them. */
static void
sum_consistency(const struct run *run, struct verdict *verdict)
{
    int64_t driver = 0, database = 0;
    char driver_text[UNITS_TEXT_SIZE], database_text[UNITS_TEXT_SIZE];

    for (int i = 0; i < run->steps_count; i++) {
        if (!step_counts(&run->steps[i], VERDICT_CONSISTENCY))
            continue;
        driver += run->steps[i].counted[GROWTH_NEW_ORDERS];
        database += run->steps[i].grown[GROWTH_NEW_ORDERS];
    }
    say(verdict, VERDICT_PASS, "driver %s new-orders, database %s; all twelve conditions hold",
        units_count(driver_text, driver), units_count(database_text, database));
}

/* Steps that are too short for a judgement of their own may bear one together, and many together
 * bear a sharper one. */
static void
join_mix(const struct run *run, struct verdict *verdict)
{
    struct step *all = must_calloc(1, sizeof *all);
    struct verdict joined = *verdict;
    int steps = 0;
    bool standard = true;

    for (int i = 0; i < run->steps_count; i++) {
        if (!step_counts(&run->steps[i], VERDICT_MIX))
            continue;
        standard = standard && is_standard_mix(&run->steps[i]);
        inputs_add(all, &run->steps[i]);
        steps++;
    }
    if (steps > 1 && standard && verdict->outcome != VERDICT_FAIL) {
        judge_mix(all, &joined);
        say(verdict, joined.outcome, "%d steps together: %.130s", steps, joined.figure);
    }
    free(all);
}

static void
join_check(const struct run *run, struct verdict *verdict)
{
    int broken = 0, tested = 0, first = -1;

    for (int i = 0; i < CHECK_CONDITIONS; i++) {
        const struct check_condition *condition = &run->check.conditions[i];
        tested += run->check.done && condition->tested;
        if (run->check.done && condition->tested && condition->violations > 0 && broken++ == 0)
            first = i;
    }
    bool counts_differ = verdict->outcome == VERDICT_FAIL;
    int64_t rows = run->check.conditions[CHECK_COUNTS - 1].violations;
    if (broken == 0 && run->check.done && rows > 0)
        say(verdict, VERDICT_FAIL, "%" PRId64 " tables of warehouses lack rows, or have too many%s",
            rows, counts_differ ? "; and the counts differ" : "");
    else if (broken > 0)
        say(verdict, VERDICT_FAIL,
            "%d of 12 conditions broken; condition %d (%.50s): %" PRId64 " violations%s", broken,
            first + 1, run->check.conditions[first].name, run->check.conditions[first].violations,
            counts_differ ? "; and the counts differ" : "");
    else if (verdict->outcome == VERDICT_PASS && tested < CHECK_CONDITIONS)
        say(verdict, VERDICT_NOT_TESTED, "counts agree, but only %d of 12 conditions were checked",
            tested);
    else if (verdict->outcome == VERDICT_PASS)
        sum_consistency(run, verdict);
}

void
verdict_run(const struct run *run, struct verdict verdicts[VERDICTS])
{
    for (int kind = 0; kind < VERDICTS; kind++) {
        verdicts[kind] = (struct verdict){.rule = rules[kind]};
        say(&verdicts[kind], VERDICT_NOT_TESTED, "no step was completed");
        join_steps(run, kind, &verdicts[kind]);
    }
    join_mix(run, &verdicts[VERDICT_MIX]);
    join_check(run, &verdicts[VERDICT_CONSISTENCY]);
}

bool
verdict_any_failed(const struct verdict verdicts[VERDICTS])
{
    for (int i = 0; i < VERDICTS; i++)
        if (verdicts[i].outcome == VERDICT_FAIL)
            return true;
    return false;
}
