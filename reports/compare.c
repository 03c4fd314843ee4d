/* Matches levels and makes ratios. What differs in configuration is compare_differences.c's. */
#include "reports/compare.h"

#include <math.h>
#include <string.h>

#include "common/stats_sample.h"
#include "reports/level_metrics.h"

#define BOOTSTRAP_SEED 42

const char *const compare_cost_names[COSTS] = {"client_cpu_us", "server_cpu_us", "wal_bytes",
                                               "energy_j"};
const char *const compare_cost_titles[COSTS] = {
    "driver CPU per new-order, \xc2\xb5s", "server host CPU per new-order, \xc2\xb5s",
    "write-ahead log per new-order, B", "energy of the server\xe2\x80\x99s host per new-order, J"};

/* ---- ratios ---- */

/* Relative; the interval is on the logarithm. */
static double
detectable(const double *a, int a_count, const double *b, int b_count)
{
    double first = stats_cv(a, (size_t)a_count), second = stats_cv(b, (size_t)b_count);
    double freedom = a_count + b_count - 2;

    if (a_count < STATS_RATIO_MIN || b_count < STATS_RATIO_MIN)
        return 0;
    double pooled =
        sqrt(((a_count - 1) * first * first + (b_count - 1) * second * second) / freedom);
    return expm1(stats_detectable(pooled, freedom, (size_t)a_count, (size_t)b_count, ANALYSIS_LEVEL,
                                  COMPARE_POWER));
}

static const char *
in_words(const struct compare_ratio *ratio)
{
    if (isnan(ratio->ratio))
        return "not available";
    if (!ratio->interval.valid)
        return COMPARE_FEW_RUNS ", so no interval";
    if (ratio->interval.low > 1)
        return "higher";
    return ratio->interval.high < 1 ? "lower" : "no difference shown";
}

/* Of two levels that were named before; of headlines see below. */
static struct compare_ratio
make_ratio(const double *base, int base_runs, const double *other, int other_runs)
{
    struct compare_ratio made = {.base = NAN,
                                 .other = NAN,
                                 .ratio = NAN,
                                 .base_runs = base_runs,
                                 .other_runs = other_runs,
                                 .base_rivals = 1,
                                 .other_rivals = 1};

    if (base_runs > 0)
        made.base = stats_mean(base, (size_t)base_runs);
    if (other_runs > 0)
        made.other = stats_mean(other, (size_t)other_runs);
    if (made.base > 0 && made.other > 0) {
        made.ratio = made.other / made.base;
        made.interval = stats_ratio_interval(other, (size_t)other_runs, base, (size_t)base_runs,
                                             ANALYSIS_LEVEL);
        made.bootstrap = stats_ratio_bootstrap(other, (size_t)other_runs, base, (size_t)base_runs,
                                               ANALYSIS_LEVEL, BOOTSTRAP_SEED);
        made.detectable = detectable(base, base_runs, other, other_runs);
    }
    made.words = in_words(&made);
    return made;
}

static struct compare_ratio
level_ratio(const struct analysis_level *base, const struct analysis_level *other)
{
    return make_ratio(base ? base->nopm : NULL, base ? base->runs : 0, other ? other->nopm : NULL,
                      other ? other->runs : 0);
}

/* Of two levels each of which was chosen for its height. */
static struct compare_ratio
headline_ratio(const struct analysis *base, const struct analysis *other, bool within_limits)
{
    int first = within_limits ? base->within_limits : base->peak;
    int second = within_limits ? other->within_limits : other->peak;

    if (first < 0 || second < 0)
        return level_ratio(first < 0 ? NULL : &base->levels[first],
                           second < 0 ? NULL : &other->levels[second]);
    const struct analysis_level *a = &base->levels[first], *b = &other->levels[second];
    struct compare_ratio made = level_ratio(a, b);
    made.base_rivals = analysis_headline(base, within_limits).rivals;
    made.other_rivals = analysis_headline(other, within_limits).rivals;
    if (made.interval.valid)
        made.interval =
            stats_highest_ratio_interval(b->nopm, (size_t)b->runs, made.other_rivals, a->nopm,
                                         (size_t)a->runs, made.base_rivals, ANALYSIS_LEVEL);
    /* Resampling knows nothing of the choice. */
    if (made.base_rivals > 1 || made.other_rivals > 1)
        made.bootstrap.valid = false;
    made.words = in_words(&made);
    return made;
}

static double
p95(const struct analysis_level *level)
{
    enum txn_type type = step_main_type(level->steps[0]);

    return (double)hist_percentile_us(&level->transactions[type].response, 0.95);
}

/* ---- what an order costs ---- */

static double
step_cost(const struct run *run, const struct step *step, enum compare_cost cost)
{
    double new_orders = (double)step->transactions[TXN_NEW_ORDER].outcomes[OUTCOME_COMMITTED];
    const struct analysis_level one = {.steps = &step, .runs = 1, .nopm_mean = step_nopm(step)};
    enum metric_source host = level_metrics_server_host(run);

    switch (cost) {
    case COST_CLIENT_CPU:
        return new_orders > 0 ? (double)(step->client_user_us + step->client_system_us) / new_orders
                              : NAN;
    case COST_SERVER_CPU: return level_metrics_cpu_us(&one, host);
    case COST_WAL: return level_metrics_per_new_order(&one, METRIC_SERVER, "wal_bytes");
    case COST_ENERGY: return level_metrics_per_new_order(&one, host, "energy");
    case COSTS: break;
    }
    return NAN;
}

/* Of the runs of a level that have it; returns how many. */
static int
level_costs(const struct compare_run *run, int index, enum compare_cost cost, double *values)
{
    int count = 0;

    if (index < 0)
        return 0;
    const struct analysis_level *level = &run->analysis->levels[index];
    for (int i = 0; i < level->runs; i++) {
        double value = step_cost(run->run, level->steps[i], cost);
        if (value > 0)
            values[count++] = value;
    }
    return count;
}

static struct compare_ratio
cost_ratio(const struct compare_run *base, const struct compare_run *other, enum compare_cost cost,
           struct arena *arena)
{
    size_t room = (size_t)(base->run->steps_count + other->run->steps_count + 1);
    double *first = arena_array(arena, room, sizeof *first);
    double *second = arena_array(arena, room, sizeof *second);
    int first_count = level_costs(base, base->analysis->peak, cost, first);
    int second_count = level_costs(other, other->analysis->peak, cost, second);

    return make_ratio(first, first_count, second, second_count);
}

/* ---- matching ---- */

/* Two runs of one curve each are compared whatever they call it; where there are several, level by
 * level with the one that had the same configuration and work. */
bool
compare_matches(const struct analysis_level *level, const struct analysis_level *like, bool by_name)
{
    const struct step *a = level->steps[0], *b = like->steps[0];

    if (level->warehouses != like->warehouses)
        return false;
    return !by_name ||
           (strcmp(a->configuration, b->configuration) == 0 && strcmp(a->server, b->server) == 0 &&
            strcmp(a->call, b->call) == 0 && strcmp(a->procedures, b->procedures) == 0 &&
            memcmp(a->mix, b->mix, sizeof a->mix) == 0);
}

static const struct analysis_level *
find_level(const struct analysis *analysis, const struct analysis_level *like, bool by_name)
{
    for (int i = 0; i < analysis->levels_count; i++) {
        const struct analysis_level *level = &analysis->levels[i];
        if (level->virtual_users == like->virtual_users && compare_matches(level, like, by_name))
            return level;
    }
    return NULL;
}

/* Levels that both have, and that stand in both. */
static void
match_levels(struct comparison *pair, const struct compare_run *base,
             const struct compare_run *other, struct arena *arena)
{
    bool by_name = base->analysis->curves_count > 1 || other->analysis->curves_count > 1;

    pair->levels =
        arena_array(arena, (size_t)base->analysis->levels_count + 1, sizeof *pair->levels);
    for (int i = 0; i < base->analysis->levels_count; i++) {
        const struct analysis_level *level = &base->analysis->levels[i];
        const struct analysis_level *match = find_level(other->analysis, level, by_name);
        if (!match || !level->stands || !match->stands)
            continue;
        pair->levels[pair->levels_count++] = (struct compare_level){
            .title = by_name ? base->analysis->curves[level->curve].title : "",
            .warehouses = level->warehouses,
            .virtual_users = level->virtual_users,
            .nopm = level_ratio(level, match),
            .p95 = {.base = p95(level),
                    .other = p95(match),
                    .base_runs = level->runs,
                    .other_runs = match->runs,
                    .base_rivals = 1,
                    .other_rivals = 1,
                    .ratio = p95(level) > 0 ? p95(match) / p95(level) : NAN,
                    .words = "of all runs together, so no interval"}};
    }
}

/* ---- whether they can be compared ---- */

static void
add(const char *texts[COMPARE_REASONS_MAX], int *count, const char *text)
{
    if (*count < COMPARE_REASONS_MAX)
        texts[(*count)++] = text;
}

/* What makes it another workload (refused), and what only has to be known. */
static void
judge_workload(struct comparison *pair, const struct run *base, const struct run *other,
               struct arena *arena)
{
    static const struct {
        const char *name;
        bool refused;
    } parts[] = {{"mix", true},
                 {"pacing", true},
                 {"arrivals", true},
                 {"rate", true},
                 {"warehouses", true},
                 {"home", false},
                 {"sessions for deliveries", false},
                 {"procedures", false},
                 {"call", false},
                 {"isolation", false},
                 {"latency limits", false},
                 {"window", false},
                 {"ramp-up", false}};

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const char *first = compare_workload(base, parts[i].name, arena);
        const char *second = compare_workload(other, parts[i].name, arena);
        if (strcmp(first, second) == 0)
            continue;
        const char *text = arena_printf(arena, "%s: %s against %s", parts[i].name, first, second);
        if (parts[i].refused)
            add(pair->reasons, &pair->reasons_count, text);
        else
            add(pair->warnings, &pair->warnings_count, text);
    }
}

static void
judge_run(struct comparison *pair, const struct compare_run *run, char letter, struct arena *arena)
{
    static const enum verdict_kind fatal[] = {VERDICT_CONSISTENCY, VERDICT_ERRORS, VERDICT_MIX};
    const struct verdict *verdicts = run->analysis->verdicts;

    if (run->analysis->peak < 0)
        add(pair->reasons, &pair->reasons_count,
            arena_printf(arena, "run %c has no valid level", letter));
    for (int i = 0; i < VERDICTS; i++) {
        bool is_fatal = false;
        if (verdicts[i].outcome != VERDICT_FAIL)
            continue;
        for (size_t k = 0; k < sizeof fatal / sizeof fatal[0]; k++)
            is_fatal = is_fatal || fatal[k] == (enum verdict_kind)i;
        const char *text = arena_printf(arena, "run %c has a FAIL for %s: %s", letter,
                                        verdict_names[i], verdicts[i].figure);
        if (is_fatal)
            add(pair->reasons, &pair->reasons_count, text);
        else
            add(pair->warnings, &pair->warnings_count, text);
    }
    if (run->analysis->peak >= 0) {
        enum steady_state steady = run->analysis->levels[run->analysis->peak].steady;
        if (steady != STEADY_STEADY)
            add(pair->warnings, &pair->warnings_count,
                arena_printf(arena, "the peak of run %c is %s", letter,
                             steady == STEADY_TOO_SHORT
                                 ? "of windows too short to show a steady state"
                                 : "not steady: it drifts"));
    }
    if (run->run->status != STEP_COMPLETE)
        add(pair->warnings, &pair->warnings_count,
            arena_printf(arena, "run %c did not reach its end: %s", letter,
                         step_status_names[run->run->status]));
}

/* What a server may lose at a crash is the cheapest way to be fast. */
static void
judge_durability(struct comparison *pair, const struct run *base, const struct run *other,
                 struct arena *arena)
{
    static const char *const facts[][2] = {{"setting", "fsync"},
                                           {"setting", "full_page_writes"},
                                           {"setting", "synchronous_commit"},
                                           {"setting", "data_checksums"},
                                           {"database", "unlogged"}};

    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        const char *first = environment_find(&base->environment, facts[i][0], facts[i][1]);
        const char *second = environment_find(&other->environment, facts[i][0], facts[i][1]);
        if (first && second && strcmp(first, second) != 0)
            add(pair->warnings, &pair->warnings_count,
                arena_printf(arena, "%s: %s against %s: they do not promise the same", facts[i][1],
                             first, second));
    }
}

const char compare_rule[] = "the same mix, pacing, arrivals, rate and warehouses; no run with a "
                            "FAIL for consistency, mix or errors, each with a level that stands";

bool
compare_is_comparable(const struct comparison *pair)
{
    return pair->reasons_count == 0;
}

const char *
compare_rate_name(const struct compare *compare)
{
    const struct analysis *base = compare->runs[0].analysis;
    bool any_nopm = false, any_tpm = false;

    for (int i = 0; i < base->levels_count; i++)
        *(step_has_nopm(base->levels[i].steps[0]) ? &any_nopm : &any_tpm) = true;
    return any_nopm && any_tpm ? "NOPM or TPM" : any_tpm ? "TPM" : "NOPM";
}

static void
make_pair(struct comparison *pair, const struct compare_run *base, const struct compare_run *other,
          char letter, struct arena *arena)
{
    const struct compare_ratio none = make_ratio(NULL, 0, NULL, 0);

    judge_run(pair, base, 'A', arena);
    judge_run(pair, other, letter, arena);
    judge_workload(pair, base->run, other->run, arena);
    judge_durability(pair, base->run, other->run, arena);
    pair->peak = pair->within_limits = none;
    for (int cost = 0; cost < COSTS; cost++)
        pair->costs[cost] = none;
    if (!compare_is_comparable(pair))
        return;
    const struct analysis *first = base->analysis, *second = other->analysis;
    pair->peak = headline_ratio(first, second, false);
    pair->within_limits = headline_ratio(first, second, true);
    match_levels(pair, base, other, arena);
    for (int cost = 0; cost < COSTS; cost++)
        pair->costs[cost] = cost_ratio(base, other, (enum compare_cost)cost, arena);
}

void
compare_make(struct compare *compare, const struct compare_run *runs, int count,
             struct arena *arena)
{
    must(count >= 2 && count <= COMPARE_RUNS_MAX);
    *compare = (struct compare){.runs = runs, .count = count};
    for (int i = 1; i < count; i++)
        make_pair(&compare->pairs[i], &runs[0], &runs[i], (char)('A' + i), arena);
    compare_differences(compare, arena);
}

enum compare_decision
compare_decide(const struct compare *compare, double least)
{
    enum compare_decision decision = DECISION_HOLDS;

    for (int i = 1; i < compare->count; i++) {
        const struct compare_ratio *peak = &compare->pairs[i].peak;
        if (peak->interval.valid && peak->interval.high < least)
            return DECISION_UNDER;
        if (!peak->interval.valid || peak->interval.low < least)
            decision = DECISION_UNDECIDED;
    }
    return decision;
}

/* ---- the user's figures ---- */

static double
peak_nopm(const struct compare_run *run)
{
    return run->analysis->peak < 0 ? NAN : run->analysis->levels[run->analysis->peak].nopm_mean;
}

double
compare_money(const struct compare_run *run)
{
    return run->cost_per_hour * 1000 / (60 * peak_nopm(run));
}

double
compare_energy(const struct compare_run *run)
{
    return run->watts * 1000 / (60 * peak_nopm(run));
}
