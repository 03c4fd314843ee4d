/* Owns the rules by which a step is judged, and their wording. A run is verdict_run.c's, the limits
 * on inputs are inputs.c's, the test for a trend steady.c's; the figures come from the driver. */
#include "common/verdict.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/inputs.h"
#include "common/load_text.h"
#include "common/metric_text.h"
#include "common/stats.h"
#include "common/units.h"
#include "common/verdict_parts.h"

const char *const verdict_names[VERDICTS] = {"consistency", "mix",        "errors",  "client",
                                             "steady",      "repeatable", "latency", "comparable"};
const char *const verdict_outcome_names[] = {"NOT TESTED", "PASS", "FAIL"};

const char *const verdict_rules[VERDICTS] = {
    [VERDICT_CONSISTENCY] = "what the driver saw committed = growth of the database's own sums "
                            "(new-orders, amounts paid; in full: lines, quantities, payments), "
                            "exactly but for lost transactions; stock within 10 to 100; all twelve "
                            "consistency conditions hold",
    [VERDICT_MIX] = "minimum shares (5.2.3) and input limits (5.5.1.5) not excluded by exact "
                    "99.99 % confidence limits; standard mix, at least 1,000 transactions; any "
                    "other mix fails where chi-square excludes its own weights",
    [VERDICT_ERRORS] = "no virtual user, no connection and no transaction lost; of any "
                       "transaction type at most the share allowed (1 % unless set otherwise) "
                       "failed or lost, or else the level is invalid",
    [VERDICT_CLIENT] = "driver at most 80 % of the cores its threads can use, waiting for one "
                       "included; 99th percentile of its lag at most 1 ms, or 10 % of the median "
                       "response if that is more",
    [VERDICT_STEADY] = "no trend in new-orders per second over 10 % of the window's mean, no half "
                       "over 5 % from the other, each beyond its interval (batch means; 95 % for "
                       "both together); warm-up over before the window; a checkpoint inside, or "
                       "a whole checkpoint cycle; a trend of 20 % excluded; wrong in at most 5 % "
                       "of made-up series, steady or drifting",
    [VERDICT_REPEATABLE] = "coefficient of variation of NOPM over the repeats of a level at most "
                           "5 %, pooled over the levels, and none beyond it by more than chance "
                           "does (1 %); windows of at least 30 s",
    [VERDICT_LATENCY] = "90th percentile of the response at most 5 s, Stock-Level 20 s (5.2.5.7), "
                        "unless the profile sets other limits; and not below the mean (5.2.5.6); "
                        "of deferred deliveries 90 % done within 80 s of being queued (2.7.2)",
    [VERDICT_COMPARABLE] = "steps of a curve alike in all but virtual users, and no drift of NOPM "
                           "over 5 % from the first step to the last beyond the 95 % interval of "
                           "repeats against their order; one of 10 % excluded",
};

/* What a step does not know of itself. */
struct setting {
    int cores; /* of the client; 0: not known */
    int64_t checkpoint_cycle_s;
};

/* What the server did meanwhile, where metrics say so. */
static struct steady_facts
facts_of(const struct step *step, int64_t checkpoint_cycle_s)
{
    return (struct steady_facts){
        .checkpoints = (int)lround(metric_checkpoints(step)),
        .autovacuums = (int)lround(metric_autovacuums(step)),
        .checkpoint_cycle_s = checkpoint_cycle_s,
    };
}

void
verdict_say(struct verdict *verdict, enum verdict_outcome outcome, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    vsnprintf(verdict->figure, sizeof verdict->figure, format, ap);
    va_end(ap);
    verdict->outcome = outcome;
}

enum verdict_outcome
verdict_pass_if(bool holds)
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
        verdict_say(verdict, VERDICT_NOT_TESTED,
                    "driver %s new-orders, growth of the database not known", driver);
        return;
    }
    verdict_say(verdict, VERDICT_PASS, "driver %s new-orders, database %s", driver,
                units_count(database, step->grown[GROWTH_NEW_ORDERS]));
    if (step->mix[TXN_INSERT] > 0 && step->grown[GROWTH_PAYMENTS] >= 0 &&
        step_growth_agrees(step, GROWTH_PAYMENTS))
        add(verdict, "; rows of history %s, %s",
            units_count(driver, step->counted[GROWTH_PAYMENTS]),
            units_count(database, step->grown[GROWTH_PAYMENTS]));
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
    verdict->outcome = verdict_pass_if(all);
}

bool
verdict_is_standard_mix(const struct step *step)
{
    return memcmp(step->mix, mix_standard, sizeof step->mix) == 0;
}

/* A mix of the user's is no standard one, so it cannot pass; but what ran must be what was asked
 * for. Cards are dealt more evenly than chance would, so a deck never fails by chance. */
static void
judge_own_mix(const struct step *step, struct verdict *verdict)
{
    double counts[TXN_TYPES], expected[TXN_TYPES], all = 0, weights = 0;

    for (int type = 0; type < TXN_TYPES; type++) {
        const uint64_t *outcomes = step->transactions[type].outcomes;
        counts[type] = (double)(outcomes[OUTCOME_COMMITTED] + outcomes[OUTCOME_ROLLED_BACK]);
        all += counts[type];
        weights += step->mix[type];
    }
    for (int type = 0; type < TXN_TYPES; type++)
        expected[type] = weights > 0 ? all * step->mix[type] / weights : 0;
    struct stats_chi_square test = stats_chi_square(counts, expected, TXN_TYPES);
    verdict_say(verdict, VERDICT_NOT_TESTED, "the mix was %d,%d,%d,%d,%d, not the standard one",
                step->mix[0], step->mix[1], step->mix[2], step->mix[3], step->mix[4]);
    if (!test.valid)
        return;
    add(verdict, "; chi-square against it %.1f, p %.4f", test.statistic, test.p);
    if (test.p < 1 - INPUTS_LEVEL)
        verdict->outcome = VERDICT_FAIL;
}

void
verdict_mix(const struct step *step, struct verdict *verdict)
{
    uint64_t completed =
        step_outcomes(step, OUTCOME_COMMITTED) + step_outcomes(step, OUTCOME_ROLLED_BACK);
    struct input_check checks[INPUTS];
    int judged = 0, outside = 0, first = -1;

    if (mix_probe(step->mix) < TXN_TYPES) {
        verdict_say(verdict, VERDICT_NOT_TESTED, "the probe \"%s\" ran, not the standard mix",
                    txn_names[mix_probe(step->mix)]);
        return;
    }
    if (!verdict_is_standard_mix(step)) {
        judge_own_mix(step, verdict);
        return;
    }
    if (completed < VERDICT_MIX_TRANSACTIONS_MIN) {
        verdict_say(verdict, VERDICT_NOT_TESTED, "only %" PRIu64 " transactions, fewer than %d",
                    completed, VERDICT_MIX_TRANSACTIONS_MIN);
        return;
    }
    inputs_check(step, checks);
    for (int i = 0; i < INPUTS; i++) {
        judged += checks[i].judged;
        if (checks[i].judged && !checks[i].within && outside++ == 0)
            first = i;
    }
    if (outside == 0)
        verdict_say(verdict, VERDICT_PASS, "%d of %d limits judged, all held", judged, INPUTS);
    else
        verdict_say(verdict, VERDICT_FAIL, "%d of %d limits broken; %s %.3g %s (allowed %g to %g)",
                    outside, judged, checks[first].name, checks[first].measured, checks[first].unit,
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
        verdict_say(verdict, VERDICT_FAIL, "the step failed: %s", step->reason);
        return;
    }
    if (ended == 0) {
        verdict_say(verdict, VERDICT_FAIL, "no transaction ended in the window");
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
    verdict_say(verdict,
                verdict_pass_if(lost == 0 && step->connections_lost == 0 &&
                                step->virtual_users_lost == 0 && !invalid),
                "%s%" PRIu64 " failed, %" PRIu64 " lost, %" PRIu64 " retries in %" PRIu64
                " transactions; %d of %d %ss lost%s",
                invalid ? "INVALID: " : "", failed, lost, step_retries(step), ended,
                step->virtual_users_lost, step->sessions + step->delivery_sessions,
                load_holder(step), connections);
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
        verdict_say(verdict, VERDICT_NOT_TESTED, "no transaction was sent in the window");
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
    verdict_say(verdict, verdict_pass_if(holds),
                "%sdriver used %.0f %% of %d core%s%s; lag p99 %.3f ms (limit %.3f ms)",
                holds ? "" : "CLIENT LIMITED: ", 100 * share, cores, cores == 1 ? "" : "s", waiting,
                lag_us / 1000, lag_us_max / 1000);
}

/* Why a window without drift still says nothing. */
static void
add_shortness(struct verdict *verdict, const struct steady *steady)
{
    if (!steady->cycle_covered && steady->facts.checkpoints == 0)
        add(verdict, "; no checkpoint began inside");
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
    struct steady_facts facts = facts_of(step, setting->checkpoint_cycle_s);
    struct steady steady = steady_of_step(step, &facts);

    if (steady.seconds < STEADY_SECONDS_MIN) {
        verdict_say(
            verdict, VERDICT_NOT_TESTED,
            "TOO SHORT: %d whole seconds in the window, fewer than %d and than a checkpoint cycle "
            "(%" PRId64 " s)",
            steady.seconds, STEADY_SECONDS_MIN, setting->checkpoint_cycle_s);
        return;
    }
    if (!steady.tested) {
        verdict_say(verdict, VERDICT_NOT_TESTED, "no new-order committed in the window");
        return;
    }
    verdict->strain =
        fmax(fabs(steady.trend) / STEADY_TREND_MAX, fabs(steady.halves) / STEADY_HALVES_MAX);
    verdict_say(verdict, outcomes[steady.state], "%s: trend %+.1f %%", steady_names[steady.state],
                100 * steady.trend);
    if (steady.trend_interval.valid)
        add(verdict, " (%+.1f to %+.1f)", 100 * steady.trend_interval.low,
            100 * steady.trend_interval.high);
    add(verdict, ", halves %+.1f %%, over %d s", 100 * steady.halves, steady.seconds);
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
    verdict_say(verdict, VERDICT_FAIL,
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
        if (response->count < VERDICT_LATENCY_COUNT_MIN || step_limit_us(step, type) == 0)
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
    if (worst < 0 && mix_probe(step->mix) < TXN_TYPES) {
        verdict_say(verdict, VERDICT_NOT_TESTED, "probes have no limit");
        return;
    }
    if (worst < 0) {
        verdict_say(verdict, VERDICT_NOT_TESTED, "fewer than %d transactions of every type",
                    VERDICT_LATENCY_COUNT_MIN);
        return;
    }
    const struct hist *response = &step->transactions[worst_type].response;
    verdict->strain = worst;
    double of = step_limit_share(step, worst_type);
    verdict_say(verdict, verdict_pass_if(broken == 0), "%s p%g %.3f s (limit %g s), mean %.3f s",
                txn_titles[worst_type], 100 * of, (double)hist_percentile_us(response, of) / 1e6,
                (double)step_limit_us(step, worst_type) / 1e6, hist_mean_us(response) / 1e6);
}

static void
judge_step(const struct step *step, const struct setting *setting,
           struct verdict verdicts[VERDICTS])
{
    for (int i = 0; i < VERDICTS; i++)
        verdicts[i] = (struct verdict){.rule = verdict_rules[i]};
    judge_consistency(step, &verdicts[VERDICT_CONSISTENCY]);
    verdict_mix(step, &verdicts[VERDICT_MIX]);
    judge_errors(step, &verdicts[VERDICT_ERRORS]);
    judge_client(step, setting, &verdicts[VERDICT_CLIENT]);
    judge_steady(step, setting, &verdicts[VERDICT_STEADY]);
    judge_latency(step, &verdicts[VERDICT_LATENCY]);
    verdict_say(&verdicts[VERDICT_REPEATABLE], VERDICT_NOT_TESTED, "one step alone");
    verdict_say(&verdicts[VERDICT_COMPARABLE], VERDICT_NOT_TESTED, "one step alone");
}

void
verdict_step(const struct step *step, struct verdict verdicts[VERDICTS])
{
    judge_step(step, &(struct setting){.checkpoint_cycle_s = VERDICT_CHECKPOINT_CYCLE_S}, verdicts);
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
        .checkpoint_cycle_s = verdict_checkpoint_cycle_s(run),
    };
}

struct steady
verdict_steady(const struct run *run, const struct step *step)
{
    struct steady_facts facts =
        facts_of(step, run ? verdict_checkpoint_cycle_s(run) : VERDICT_CHECKPOINT_CYCLE_S);
    return steady_of_step(step, &facts);
}

void
verdict_step_of_run(const struct run *run, const struct step *step,
                    struct verdict verdicts[VERDICTS])
{
    struct setting setting = setting_of(run);
    judge_step(step, &setting, verdicts);
}

bool
verdict_any_failed(const struct verdict verdicts[VERDICTS])
{
    for (int i = 0; i < VERDICTS; i++)
        if (verdicts[i].outcome == VERDICT_FAIL)
            return true;
    return false;
}
