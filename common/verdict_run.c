/* Owns how the verdicts of its steps become those of a run. */
#include "common/verdict.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/inputs.h"
#include "common/units.h"
#include "common/verdict_parts.h"

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
    case STEP_SKIPPED:
    case STEP_STATUSES: return false;
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
        verdict_say(joined, VERDICT_PASS, "all %d steps; tightest step %d (%d VU): %.104s", counted,
                    worst->number, worst->virtual_users, figure);
    else
        verdict_say(joined, joined->outcome, "%d of %d steps; step %d (%d VU): %.110s", alike,
                    counted, worst->number, worst->virtual_users, figure);
}

/* The driver's count over all steps, which says more than any one of them. */
static void
sum_consistency(const struct run *run, struct verdict *verdict)
{
    int64_t driver = 0, database = 0, uncertain = 0;
    char driver_text[UNITS_TEXT_SIZE], database_text[UNITS_TEXT_SIZE];

    for (int i = 0; i < run->steps_count; i++) {
        if (!step_counts(&run->steps[i], VERDICT_CONSISTENCY))
            continue;
        driver += run->steps[i].counted[GROWTH_NEW_ORDERS];
        database += run->steps[i].grown[GROWTH_NEW_ORDERS];
        uncertain += run->steps[i].uncertain[GROWTH_NEW_ORDERS];
    }
    char lost[64] = "";
    if (uncertain > 0)
        snprintf(lost, sizeof lost, "; up to %" PRId64 " more by lost transactions", uncertain);
    verdict_say(verdict, VERDICT_PASS,
                "driver %s new-orders, database %s%s; all twelve conditions hold",
                units_count(driver_text, driver), units_count(database_text, database), lost);
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
        standard = standard && verdict_is_standard_mix(&run->steps[i]);
        inputs_add(all, &run->steps[i]);
        steps++;
    }
    if (steps > 1 && standard && verdict->outcome != VERDICT_FAIL) {
        verdict_mix(all, &joined);
        verdict_say(verdict, joined.outcome, "%d steps together: %.130s", steps, joined.figure);
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
        verdict_say(verdict, VERDICT_FAIL,
                    "%" PRId64 " tables of warehouses lack rows, or have too many%s", rows,
                    counts_differ ? "; and the counts differ" : "");
    else if (broken > 0)
        verdict_say(verdict, VERDICT_FAIL,
                    "%d of 12 conditions broken; condition %d (%.50s): %" PRId64 " violations%s",
                    broken, first + 1, run->check.conditions[first].name,
                    run->check.conditions[first].violations,
                    counts_differ ? "; and the counts differ" : "");
    else if (verdict->outcome == VERDICT_PASS && tested < CHECK_CONDITIONS)
        verdict_say(verdict, VERDICT_NOT_TESTED,
                    "counts agree, but only %d of 12 conditions were checked", tested);
    else if (verdict->outcome == VERDICT_PASS)
        sum_consistency(run, verdict);
}

void
verdict_run(const struct run *run, struct verdict verdicts[VERDICTS])
{
    for (int kind = 0; kind < VERDICTS; kind++) {
        verdicts[kind] = (struct verdict){.rule = verdict_rules[kind]};
        verdict_say(&verdicts[kind], VERDICT_NOT_TESTED, "no step was completed");
        if (kind == VERDICT_REPEATABLE)
            verdict_repeatable(run, &verdicts[kind]);
        else if (kind == VERDICT_COMPARABLE)
            verdict_comparable(run, &verdicts[kind]);
        else
            join_steps(run, kind, &verdicts[kind]);
    }
    join_mix(run, &verdicts[VERDICT_MIX]);
    join_check(run, &verdicts[VERDICT_CONSISTENCY]);
}
