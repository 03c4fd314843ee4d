/* Owns the verdicts that only several steps together bear: whether repeats agree, and whether the
 * steps of a run may be held against each other. */
#include "common/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/stats_fit.h"
#include "common/stats_sample.h"
#include "common/verdict_parts.h"

#define POWER 0.8 /* of the smallest difference that could be seen */

static bool
counts(const struct step *step)
{
    return step->status == STEP_COMPLETE && step->elapsed_us >= VERDICT_REPEAT_US_MIN &&
           step_nopm(step) > 0;
}

/* The steps of the level that begins with `first`; 0 where an earlier step belongs to it too. */
static size_t
gather(const struct run *run, int first, int indexes[], double nopm[])
{
    size_t count = 0;

    for (int i = 0; i < run->steps_count; i++) {
        if (!counts(&run->steps[i]) || !step_same_level(&run->steps[i], &run->steps[first]))
            continue;
        if (i < first)
            return 0;
        indexes[count] = i;
        nopm[count++] = step_nopm(&run->steps[i]);
    }
    return count;
}

/* Scatter over all levels that were repeated. */
struct scatter {
    int levels, runs;        /* repeated levels, and their runs */
    size_t runs_least;       /* of one of them */
    double squares, freedom; /* of the relative deviations */
    double worst;            /* coefficient of variation */
    const struct step *at;   /* the worst level */
    double worst_p;          /* least probability that a level at the limit scatters so */
};

static void
add_level(struct scatter *scatter, const struct step *step, const double *nopm, size_t count)
{
    double cv = stats_cv(nopm, count), freedom = (double)count - 1;
    double limit = VERDICT_REPEAT_CV_MAX;

    scatter->runs_least =
        scatter->levels == 0 || count < scatter->runs_least ? count : scatter->runs_least;
    scatter->levels++;
    scatter->runs += (int)count;
    scatter->squares += freedom * cv * cv;
    scatter->freedom += freedom;
    scatter->worst_p =
        fmin(scatter->worst_p, stats_chi_square_p(freedom * cv * cv / (limit * limit), freedom));
    if (!scatter->at || cv > scatter->worst) {
        scatter->worst = cv;
        scatter->at = step;
    }
}

void
verdict_repeatable(const struct run *run, struct verdict *verdict)
{
    int *indexes = must_calloc((size_t)run->steps_count + 1, sizeof *indexes);
    double *nopm = must_calloc((size_t)run->steps_count + 1, sizeof *nopm);
    struct scatter scatter = {.worst_p = 1};

    for (int i = 0; i < run->steps_count; i++) {
        size_t count = counts(&run->steps[i]) ? gather(run, i, indexes, nopm) : 0;
        if (count > 1)
            add_level(&scatter, &run->steps[i], nopm, count);
    }
    free(indexes);
    free(nopm);
    if (scatter.levels == 0) {
        verdict_say(verdict, VERDICT_NOT_TESTED,
                    "no level was measured twice with windows of at least %d s",
                    (int)(VERDICT_REPEAT_US_MIN / 1000000));
        return;
    }
    double pooled = sqrt(scatter.squares / scatter.freedom);
    bool holds = pooled <= VERDICT_REPEAT_CV_MAX &&
                 scatter.worst_p >= VERDICT_REPEAT_CHANCE / scatter.levels;
    double seen = expm1(stats_detectable(pooled, scatter.freedom, scatter.runs_least,
                                         scatter.runs_least, 0.95, POWER));
    verdict->strain = pooled / VERDICT_REPEAT_CV_MAX;
    verdict_say(
        verdict, verdict_pass_if(holds),
        "coefficient of variation %.1f %% over %d level%s with %d runs, at most %.1f %% (%d "
        "VU); a difference of %.1f %% between levels would show",
        100 * pooled, scatter.levels, scatter.levels == 1 ? "" : "s", scatter.runs,
        100 * scatter.worst, scatter.at->virtual_users, 100 * seen);
}

const char *
verdict_difference(const struct step *a, const struct step *b)
{
    if (memcmp(a->mix, b->mix, sizeof a->mix) != 0)
        return "mix";
    if (a->pacing < b->pacing || a->pacing > b->pacing)
        return "pacing";
    if (a->arrivals != b->arrivals)
        return "arrivals";
    if (a->home != b->home)
        return "home warehouses";
    if (strcmp(a->procedures, b->procedures) != 0)
        return "procedures";
    if (strcmp(a->call, b->call) != 0)
        return "the way of calling";
    if (strcmp(a->protocol, b->protocol) != 0)
        return "protocol";
    return strcmp(a->isolation, b->isolation) != 0 ? "isolation level" : NULL;
}

/* Whether two steps of one curve differ in what makes them comparable. */
static bool
differ(const struct run *run, const struct step **one, const struct step **other, const char **what)
{
    for (int i = 0; i < run->steps_count; i++)
        for (int j = i + 1; j < run->steps_count; j++) {
            const struct step *a = &run->steps[i], *b = &run->steps[j];
            if (a->status != STEP_COMPLETE || b->status != STEP_COMPLETE || !step_same_curve(a, b))
                continue;
            *what = verdict_difference(a, b);
            if (*what) {
                *one = a;
                *other = b;
                return true;
            }
        }
    return false;
}

/* Relative deviations of repeated steps from the mean of their level, against their order from
 * first (0) to last (1). */
static struct stats_line
order_effect(const struct run *run)
{
    size_t most = (size_t)run->steps_count + 1, points = 0;
    int *indexes = must_calloc(most, sizeof *indexes), *groups = must_calloc(most, sizeof *groups);
    double *nopm = must_calloc(most, sizeof *nopm), *at = must_calloc(most, sizeof *at),
           *off = must_calloc(most, sizeof *off);
    double span = run->steps_count > 1 ? run->steps_count - 1 : 1;

    for (int i = 0; i < run->steps_count; i++) {
        size_t count = counts(&run->steps[i]) ? gather(run, i, indexes, nopm) : 0;
        double mean = stats_mean(nopm, count);
        for (size_t k = 0; count > 1 && k < count; k++) {
            groups[points] = i;
            at[points] = indexes[k] / span;
            off[points++] = nopm[k] / mean - 1;
        }
    }
    struct stats_line line = stats_line_fit_within(at, off, groups, points, 0.95);
    free(indexes);
    free(groups);
    free(nopm);
    free(at);
    free(off);
    return line;
}

void
verdict_comparable(const struct run *run, struct verdict *verdict)
{
    const struct step *one, *other;
    const char *what;
    int complete = 0;

    for (int i = 0; i < run->steps_count; i++)
        complete += run->steps[i].status == STEP_COMPLETE;
    if (complete < 2) {
        verdict_say(verdict, VERDICT_NOT_TESTED, "fewer than two steps were completed");
        return;
    }
    if (differ(run, &one, &other, &what)) {
        verdict_say(verdict, VERDICT_FAIL, "steps %d and %d differ in %s", one->number,
                    other->number, what);
        return;
    }
    struct stats_line drift = order_effect(run);
    if (!drift.slope_interval.valid) {
        verdict_say(verdict, VERDICT_NOT_TESTED,
                    "%d steps alike; too few repeats of at least %d s to see a drift between them",
                    complete, (int)(VERDICT_REPEAT_US_MIN / 1000000));
        return;
    }
    double low = drift.slope_interval.low, high = drift.slope_interval.high;
    bool drifts = fabs(drift.slope) > VERDICT_ORDER_DRIFT_MAX && (low > 0 || high < 0);
    bool excluded = low > -VERDICT_ORDER_DRIFT_SEEN && high < VERDICT_ORDER_DRIFT_SEEN;
    verdict_say(verdict,
                drifts     ? VERDICT_FAIL
                : excluded ? VERDICT_PASS
                           : VERDICT_NOT_TESTED,
                "%d steps alike; drift from the first to the last %+.1f %% (%+.1f to %+.1f)%s",
                complete, 100 * drift.slope, 100 * low, 100 * high,
                drifts || excluded ? "" : ": repeats too few, or too close, to exclude 10 %");
}
