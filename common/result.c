/* The few figures that follow from a step by arithmetic alone, and the list of facts. Judging is
 * verdict.c's. */
#include "common/result.h"

#include <math.h>

#include <string.h>

const char *const outcome_names[OUTCOMES] = {"committed", "rolled_back", "failed", "lost"};
const char *const phase_names[PHASES] = {"connect", "ramp_up", "measure", "drain"};
const char *const growth_names[GROWTHS] = {"new_orders", "order_lines", "remote_lines",
                                           "quantity",   "payments",    "paid_cents"};
const char *const step_status_names[STEP_STATUSES] = {"complete", "failed", "interrupted",
                                                      "skipped"};
const char *const home_names[HOMES] = {"spread", "fixed", "any"};
const char *const severity_names[SEVERITIES] = {"note", "caution", "spoils"};
const char *const arrivals_names[ARRIVALS] = {"closed", "poisson", "regular"};

void
step_growth_unknown(struct step *step)
{
    for (int i = 0; i < GROWTHS; i++)
        step->grown[i] = -1;
    step->stock_quantity_min = step->stock_quantity_max = 0;
}

bool
step_growth_agrees(const struct step *step, enum growth growth)
{
    return step->grown[growth] < 0 ||
           (step->grown[growth] >= step->counted[growth] &&
            step->grown[growth] <= step->counted[growth] + step->uncertain[growth]);
}

int64_t
step_limit_us(const struct step *step, enum txn_type type)
{
    return step->limits_us[type] > 0 ? step->limits_us[type] : response_limit_us[type];
}

double
step_limit_share(const struct step *step, enum txn_type type)
{
    bool own = step->limits_us[type] > 0 && step->limit_percentile > 0;

    return own ? step->limit_percentile / 100 : RESPONSE_LIMIT_SHARE;
}

static double
per_minute(uint64_t count, int64_t elapsed_us)
{
    return elapsed_us > 0 ? (double)count * 60e6 / (double)elapsed_us : 0;
}

bool
step_same_curve(const struct step *a, const struct step *b)
{
    return a->curve == b->curve && strcmp(a->configuration, b->configuration) == 0 &&
           a->warehouses == b->warehouses;
}

bool
step_same_level(const struct step *a, const struct step *b)
{
    return step_same_curve(a, b) && a->virtual_users == b->virtual_users;
}

double
step_nopm(const struct step *step)
{
    return per_minute(step->transactions[TXN_NEW_ORDER].outcomes[OUTCOME_COMMITTED],
                      step->elapsed_us);
}

bool
step_has_nopm(const struct step *step)
{
    return step->mix[TXN_NEW_ORDER] > 0;
}

double
step_rate(const struct step *step)
{
    return step_has_nopm(step) ? step_nopm(step) : step_tpm(step);
}

const char *
step_rate_name(const struct step *step)
{
    return step_has_nopm(step) ? "NOPM" : "TPM";
}

enum txn_type
step_main_type(const struct step *step)
{
    enum txn_type main = TXN_NEW_ORDER;

    for (int type = 0; type < TXN_TYPES && step->mix[TXN_NEW_ORDER] == 0; type++)
        if (step->mix[type] > step->mix[main])
            main = (enum txn_type)type;
    return main;
}

bool
step_shows(const struct step *step, enum txn_type type)
{
    bool probed = mix_probe(step->mix) < TXN_TYPES;

    return probed ? step->mix[type] > 0 : type < TXN_STANDARD;
}

double
step_tpm(const struct step *step)
{
    return per_minute(step_outcomes(step, OUTCOME_COMMITTED) +
                          step_outcomes(step, OUTCOME_ROLLED_BACK),
                      step->elapsed_us);
}

uint64_t
step_outcomes(const struct step *step, enum outcome outcome)
{
    uint64_t sum = 0;

    for (int type = 0; type < TXN_TYPES; type++)
        sum += step->transactions[type].outcomes[outcome];
    return sum;
}

uint64_t
step_ended(const struct step *step)
{
    uint64_t sum = 0;

    for (int outcome = 0; outcome < OUTCOMES; outcome++)
        sum += step_outcomes(step, outcome);
    return sum;
}

double
txn_failed_share(const struct txn_stats transactions[TXN_TYPES], enum txn_type *type)
{
    double worst = 0;

    for (int i = 0; i < TXN_TYPES; i++) {
        const uint64_t *outcomes = transactions[i].outcomes;
        uint64_t bad = outcomes[OUTCOME_FAILED] + outcomes[OUTCOME_LOST];
        uint64_t ended = bad + outcomes[OUTCOME_COMMITTED] + outcomes[OUTCOME_ROLLED_BACK];
        if (ended == 0 || (double)bad / (double)ended <= worst)
            continue;
        worst = (double)bad / (double)ended;
        if (type)
            *type = (enum txn_type)i;
    }
    return worst;
}

double
step_failed_share(const struct step *step, enum txn_type *type)
{
    const struct deferred_stats *deferred = &step->deferred;
    double share = txn_failed_share(step->transactions, type);
    uint64_t bad = deferred->failed + deferred->lost;

    if (bad == 0 || (double)bad / (double)(bad + deferred->done) <= share)
        return share;
    if (type)
        *type = TXN_DELIVERY;
    return (double)bad / (double)(bad + deferred->done);
}

uint64_t
step_retries(const struct step *step)
{
    uint64_t sum = 0;

    for (int type = 0; type < TXN_TYPES; type++)
        sum += step->transactions[type].retries;
    return sum;
}

double
step_efficiency(const struct step *step)
{
    bool standard = step->pacing == 1 && step->arrivals == ARRIVALS_CLOSED &&
                    step->virtual_users == TERMINALS_PER_WAREHOUSE * step->warehouses;

    return standard ? step_nopm(step) / (NOPM_PER_WAREHOUSE * step->warehouses) : -1;
}

bool
step_homes_even(const struct step *step)
{
    double mean = (double)step->counted[GROWTH_NEW_ORDERS] / step->warehouses;
    double allowed = fmax(HOMES_OFF_MAX * mean, 4 * sqrt(mean));

    return mean - (double)step->home_new_orders_least <= allowed &&
           (double)step->home_new_orders_most - mean <= allowed;
}

double
step_client_cpu_us(const struct step *step)
{
    uint64_t ended = step_ended(step);
    return ended ? (double)(step->client_user_us + step->client_system_us) / (double)ended : 0;
}

void
environment_add(struct environment *environment, struct arena *arena, const char *group,
                const char *name, const char *value, const char *detail)
{
    must(group && name && value && detail);
    if (environment->count == environment->capacity) {
        int capacity = environment->capacity ? 2 * environment->capacity : 64;
        struct fact *facts = arena_array(arena, (size_t)capacity, sizeof *facts);
        if (environment->count > 0)
            memcpy(facts, environment->facts, (size_t)environment->count * sizeof *facts);
        environment->facts = facts;
        environment->capacity = capacity;
    }
    environment->facts[environment->count++] = (struct fact){
        .group = arena_strdup(arena, group),
        .name = arena_strdup(arena, name),
        .value = arena_strdup(arena, value),
        .detail = arena_strdup(arena, detail),
    };
}

static bool
has_finding(const struct environment *environment, const struct finding *finding)
{
    static const char driver[] = "driver's host: ";

    if (strncmp(finding->seen, driver, sizeof driver - 1) == 0)
        return true;
    for (int i = 0; i < environment->findings_count; i++)
        if (strcmp(environment->findings[i].name, finding->name) == 0 &&
            strcmp(environment->findings[i].seen, finding->seen) == 0)
            return true;
    return false;
}

void
environment_add_findings(struct environment *environment, struct arena *arena,
                         const struct environment *other, const char *name)
{
    struct finding *all = arena_array(arena, FINDINGS_MAX, sizeof *all);
    int count = 0, kept = environment->findings_count;

    for (int severity = SEVERITIES - 1; severity >= 0; severity--) {
        for (int i = 0; i < kept && count < FINDINGS_MAX; i++)
            if ((int)environment->findings[i].severity == severity)
                all[count++] = environment->findings[i];
        for (int i = 0; i < other->findings_count && count < FINDINGS_MAX; i++) {
            const struct finding *finding = &other->findings[i];
            if ((int)finding->severity != severity || has_finding(environment, finding))
                continue;
            all[count] = *finding;
            all[count++].seen = arena_printf(arena, "%s: %s", name, finding->seen);
        }
    }
    environment->findings = all;
    environment->findings_count = count;
}

const char *
environment_find(const struct environment *environment, const char *group, const char *name)
{
    for (int i = 0; i < environment->count; i++)
        if (strcmp(environment->facts[i].group, group) == 0 &&
            strcmp(environment->facts[i].name, name) == 0)
            return environment->facts[i].value;
    return NULL;
}
