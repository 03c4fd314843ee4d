/* Groups steps into levels and compares the levels. What one step is worth is verdict.c's. */
#include "reports/analysis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/stats_sample.h"
#include "common/units.h"

const char *
analysis_label(const struct step *step)
{
    return step->curve_name && step->curve_name[0] ? step->curve_name : step->configuration;
}

static int
compare_steps(const void *left, const void *right)
{
    const struct step *a = *(const struct step *const *)left;
    const struct step *b = *(const struct step *const *)right;
    int order = a->curve - b->curve;

    if (order == 0)
        order = strcmp(a->configuration, b->configuration);
    if (order == 0)
        order = (a->warehouses > b->warehouses) - (a->warehouses < b->warehouses);
    if (order == 0)
        order = (a->virtual_users > b->virtual_users) - (a->virtual_users < b->virtual_users);
    return order ? order : a->number - b->number;
}

static void
pool(struct analysis_level *level)
{
    for (int type = 0; type < TXN_TYPES; type++) {
        hist_clear(&level->transactions[type].response);
        hist_clear(&level->transactions[type].service);
    }
    hist_clear(&level->lag);
    for (int i = 0; i < level->runs; i++) {
        for (int type = 0; type < TXN_TYPES; type++) {
            const struct txn_stats *from = &level->steps[i]->transactions[type];
            struct txn_stats *into = &level->transactions[type];
            for (int outcome = 0; outcome < OUTCOMES; outcome++)
                into->outcomes[outcome] += from->outcomes[outcome];
            into->retries += from->retries;
            hist_merge(&into->response, &from->response);
            hist_merge(&into->service, &from->service);
        }
        hist_merge(&level->lag, &level->steps[i]->lag);
    }
}

static enum steady_state
worse(enum steady_state a, enum steady_state b)
{
    if (a == STEADY_DRIFTING || b == STEADY_DRIFTING)
        return STEADY_DRIFTING;
    return a == STEADY_TOO_SHORT ? a : b;
}

static void
judge_level(struct analysis_level *level, const struct run *run)
{
    level->stands = true;
    level->steady = STEADY_STEADY;
    for (int i = 0; i < level->runs; i++) {
        struct verdict verdicts[VERDICTS];
        verdict_step_of_run(run, level->steps[i], verdicts);
        if (verdicts[VERDICT_ERRORS].outcome == VERDICT_FAIL ||
            verdicts[VERDICT_CONSISTENCY].outcome == VERDICT_FAIL)
            level->stands = false;
        level->steady = worse(level->steady, verdict_steady(run, level->steps[i]).state);
    }
    level->latency_holds = true;
    for (int type = 0; type < TXN_TYPES; type++) {
        const struct hist *response = &level->transactions[type].response;
        if (response->count >= VERDICT_LATENCY_COUNT_MIN &&
            step_limit_us(level->steps[0], type) > 0 &&
            !verdict_latency_holds(level->steps[0], type, response))
            level->latency_holds = false;
    }
}

static void
fill_level(struct analysis_level *level, const struct step **steps, int runs, const struct run *run,
           struct arena *arena)
{
    double tpm = 0, cpu = 0;

    level->configuration = analysis_label(steps[0]);
    level->warehouses = steps[0]->warehouses;
    level->virtual_users = steps[0]->virtual_users;
    level->steps = steps;
    level->runs = runs;
    level->nopm = arena_array(arena, (size_t)runs, sizeof *level->nopm);
    for (int i = 0; i < runs; i++) {
        double capacity_us = (double)steps[i]->elapsed_us * steps[i]->threads;
        level->nopm[i] = step_rate(steps[i]);
        tpm += step_tpm(steps[i]);
        if (capacity_us > 0)
            cpu += (double)(steps[i]->client_user_us + steps[i]->client_system_us) / capacity_us;
    }
    level->nopm_mean = stats_mean(level->nopm, (size_t)runs);
    level->nopm_sd = stats_sd(level->nopm, (size_t)runs);
    level->nopm_cv = stats_cv(level->nopm, (size_t)runs);
    level->outlier = stats_outlier(level->nopm, (size_t)runs);
    level->clusters = stats_two_clusters(level->nopm, (size_t)runs);
    level->nopm_interval = stats_mean_interval(level->nopm, (size_t)runs, ANALYSIS_LEVEL);
    /* Student's t does not know that a rate cannot be negative. */
    level->nopm_interval.low = fmax(level->nopm_interval.low, 0);
    level->tpm_mean = tpm / runs;
    level->client_cpu = cpu / runs;
    pool(level);
    judge_level(level, run);
}

static void
make_levels(struct analysis *analysis, const struct run *run, struct arena *arena)
{
    size_t steps_count = (size_t)run->steps_count;
    const struct step **complete = arena_array(arena, steps_count + 1, sizeof *complete);
    int count = 0;

    for (int i = 0; i < run->steps_count; i++)
        if (run->steps[i].status == STEP_COMPLETE)
            complete[count++] = &run->steps[i];
    analysis->steps_excluded = run->steps_count - count;
    qsort(complete, (size_t)count, sizeof *complete, compare_steps);

    int levels = 0;
    for (int i = 0; i < count; i++)
        levels += i == 0 || !step_same_level(complete[i - 1], complete[i]);
    analysis->levels = arena_array(arena, (size_t)levels + 1, sizeof *analysis->levels);
    for (int from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && step_same_level(complete[from], complete[to]);)
            to++;
        fill_level(&analysis->levels[analysis->levels_count++], &complete[from], to - from, run,
                   arena);
    }
}

const char *
analysis_curve_title(const struct step *step, struct arena *arena)
{
    if (step->curve_name && step->curve_name[0])
        return step->curve_name;
    return arena_printf(arena, "%d warehouse%s%s%s", step->warehouses,
                        step->warehouses == 1 ? "" : "s", step->configuration[0] ? ", " : "",
                        step->configuration);
}

/* Levels lie curve by curve. */
static void
make_curves(struct analysis *analysis, struct arena *arena)
{
    analysis->curves =
        arena_array(arena, (size_t)analysis->levels_count + 1, sizeof *analysis->curves);
    for (int i = 0; i < analysis->levels_count; i++) {
        const struct step *step = analysis->levels[i].steps[0];
        if (i == 0 || !step_same_curve(analysis->levels[i - 1].steps[0], step))
            analysis->curves[analysis->curves_count++] =
                (struct analysis_curve){.title = analysis_curve_title(step, arena),
                                        .first = i,
                                        .peak = -1,
                                        .within_limits = -1};
        analysis->curves[analysis->curves_count - 1].count++;
        analysis->levels[i].curve = analysis->curves_count - 1;
    }
}

/* NOPM and TPM are different things: where there is a curve with new-orders, the highest of all is
 * among those. */
static bool
any_nopm(const struct analysis *analysis, int first, int count)
{
    bool any = false;

    for (int i = first; i < first + count; i++)
        any = any || step_has_nopm(analysis->levels[i].steps[0]);
    return any;
}

/* Whether a headline may be this level. */
static bool
may_lead(const struct analysis_level *level, bool nopm, bool within_limits)
{
    return level->stands && (!within_limits || level->latency_holds) &&
           step_has_nopm(level->steps[0]) == nopm;
}

static int
highest(const struct analysis *analysis, int first, int count, bool within_limits)
{
    bool nopm = any_nopm(analysis, first, count);
    int best = -1;

    for (int i = first; i < first + count; i++) {
        const struct analysis_level *level = &analysis->levels[i];
        if (!may_lead(level, nopm, within_limits))
            continue;
        if (best < 0 || level->nopm_mean > analysis->levels[best].nopm_mean)
            best = i;
    }
    return best;
}

/* Of level `best`, the highest of `count` from `first`. */
static struct analysis_headline
headline(const struct analysis *analysis, int first, int count, int best, bool within_limits)
{
    bool nopm = any_nopm(analysis, first, count);
    size_t candidates = 0, own = 0;

    if (best < 0)
        return (struct analysis_headline){0};
    struct stats_runs *runs = must_calloc((size_t)count, sizeof *runs);
    for (int i = first; i < first + count; i++) {
        const struct analysis_level *level = &analysis->levels[i];
        if (i == best)
            own = candidates;
        if (may_lead(level, nopm, within_limits))
            runs[candidates++] = (struct stats_runs){level->nopm, (size_t)level->runs};
    }
    struct analysis_headline found = {.rivals =
                                          stats_rivals(runs, candidates, own, ANALYSIS_LEVEL)};
    found.interval =
        stats_highest_interval(runs[own].values, runs[own].count, found.rivals, ANALYSIS_LEVEL);
    found.interval.low = fmax(found.interval.low, 0); /* as that of a level */
    free(runs);
    return found;
}

struct analysis_headline
analysis_headline(const struct analysis *analysis, bool within_limits)
{
    return headline(analysis, 0, analysis->levels_count,
                    within_limits ? analysis->within_limits : analysis->peak, within_limits);
}

struct analysis_headline
analysis_curve_headline(const struct analysis *analysis, const struct analysis_curve *curve,
                        bool within_limits)
{
    return headline(analysis, curve->first, curve->count,
                    within_limits ? curve->within_limits : curve->peak, within_limits);
}

void
analysis_headline_text(const struct analysis *analysis, bool within_limits, struct buf *out)
{
    const struct analysis_level *level =
        &analysis->levels[within_limits ? analysis->within_limits : analysis->peak];
    struct analysis_headline found = analysis_headline(analysis, within_limits);
    char low[UNITS_TEXT_SIZE], high[UNITS_TEXT_SIZE];

    if (found.interval.valid)
        buf_printf(out, "95 %% interval %s to %s, mean of %d runs",
                   units_count(low, llround(found.interval.low)),
                   units_count(high, llround(found.interval.high)), level->runs);
    else
        buf_printf(out, "%s, so no interval", level->runs == 1 ? "one run" : "two runs");
    if (found.rivals > 1 && level->runs > 1)
        buf_printf(out, ", chosen among %zu levels that are not told apart", found.rivals);
}

/* Every run is a point. Scatter grows with throughput, so each is weighed by its level's mean. */
static void
fit_usl(struct analysis *analysis, struct analysis_curve *curve, struct arena *arena)
{
    size_t count = 0, points = 0;

    curve->usl.reason = "no level to fit";
    if (curve->peak < 0)
        return;
    const struct analysis_level *peak = &analysis->levels[curve->peak];
    const struct analysis_level *levels = &analysis->levels[curve->first];
    for (int i = 0; i < curve->count; i++)
        points += (size_t)levels[i].runs;
    double *loads = arena_array(arena, points, sizeof *loads);
    double *throughputs = arena_array(arena, points, sizeof *throughputs);
    double *weights = arena_array(arena, points, sizeof *weights);
    for (int i = 0; i < curve->count; i++) {
        const struct analysis_level *level = &levels[i];
        if (!level->stands || level->nopm_mean <= 0)
            continue;
        for (int j = 0; j < level->runs; j++) {
            double relative = peak->nopm_mean / level->nopm_mean;
            loads[count] = level->virtual_users;
            throughputs[count] = level->nopm[j];
            weights[count++] = relative * relative;
        }
        curve->usl_most = fmax(curve->usl_most, level->virtual_users);
    }
    curve->usl = stats_usl_fit(loads, throughputs, weights, count);
}

static void
judge_curves(struct analysis *analysis, struct arena *arena)
{
    for (int i = 0; i < analysis->curves_count; i++) {
        struct analysis_curve *curve = &analysis->curves[i];
        curve->peak = highest(analysis, curve->first, curve->count, false);
        curve->within_limits = highest(analysis, curve->first, curve->count, true);
        fit_usl(analysis, curve, arena);
    }
    analysis->peak = highest(analysis, 0, analysis->levels_count, false);
    analysis->within_limits = highest(analysis, 0, analysis->levels_count, true);
    analysis->usl.reason = "no level to fit";
    if (analysis->peak < 0)
        return;
    const struct analysis_curve *best = &analysis->curves[analysis->levels[analysis->peak].curve];
    analysis->usl = best->usl;
    analysis->usl_most = best->usl_most;
}

/* All complete steps as if they were one. */
static void
pool_inputs(struct analysis *analysis, struct arena *arena)
{
    struct step *all = arena_alloc(arena, sizeof *all);

    analysis->inputs_judged = analysis->levels_count > 0;
    for (int i = 0; i < analysis->levels_count; i++)
        for (int j = 0; j < analysis->levels[i].runs; j++) {
            const struct step *step = analysis->levels[i].steps[j];
            if (memcmp(step->mix, mix_standard, sizeof step->mix) != 0)
                analysis->inputs_judged = false;
            inputs_add(all, step);
        }
    inputs_check(all, analysis->inputs);
}

void
analysis_levels(struct analysis *analysis, const struct run *run, struct arena *arena)
{
    *analysis = (struct analysis){.peak = -1, .within_limits = -1};
    make_levels(analysis, run, arena);
    make_curves(analysis, arena);
    judge_curves(analysis, arena);
    pool_inputs(analysis, arena);
    verdict_run(run, analysis->verdicts);
}

double
analysis_collisions(int virtual_users, int warehouses)
{
    if (virtual_users <= warehouses || warehouses < 1)
        return 0;
    int shared = virtual_users >= 2 * warehouses ? virtual_users : 2 * (virtual_users - warehouses);
    return (double)shared / virtual_users;
}

int
analysis_rivals(const struct analysis *analysis, const struct analysis_level *level)
{
    bool nopm = step_has_nopm(level->steps[0]);
    int rivals = 0;

    for (int i = 0; i < analysis->curves_count; i++)
        rivals += step_has_nopm(analysis->levels[analysis->curves[i].first].steps[0]) == nopm;
    return rivals;
}

uint64_t
analysis_outcomes(const struct analysis_level *level, enum outcome outcome)
{
    uint64_t sum = 0;

    for (int type = 0; type < TXN_TYPES; type++)
        sum += level->transactions[type].outcomes[outcome];
    return sum;
}

uint64_t
analysis_retries(const struct analysis_level *level)
{
    uint64_t sum = 0;

    for (int type = 0; type < TXN_TYPES; type++)
        sum += level->transactions[type].retries;
    return sum;
}
