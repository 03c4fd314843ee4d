/* Between the plan of an autopilot and the search itself, knee.c. */
#include "profiles/search.h"

#include <math.h>
#include <string.h>

#include "common/load_text.h"
#include "common/units.h"
#include "common/verdict.h"

static void
set_range(struct knee_options *options, const struct settings *settings)
{
    const int64_t *ladder;
    int count = settings_list(settings, SET_LADDER, &ladder);
    bool named = settings->values[SET_LADDER].source != SETTING_DEFAULT;

    options->first = named ? (int)ladder[0] : 1;
    options->most = named ? (int)ladder[0] : SEARCH_MOST;
    for (int i = 0; named && i < count; i++) {
        options->first = ladder[i] < options->first ? (int)ladder[i] : options->first;
        options->most = ladder[i] > options->most ? (int)ladder[i] : options->most;
    }
}

void
search_begin(struct search *search, struct plan *plan, struct arena *arena,
             const struct settings *settings)
{
    int repeats = (int)settings_int(settings, SET_REPEATS);

    *search = (struct search){.on = strcmp(settings_choice(settings, SET_SEARCH), "knee") == 0};
    if (!search->on)
        return;
    set_range(&search->options, settings);
    search->most_is_asked = settings->values[SET_LADDER].source != SETTING_DEFAULT;
    search->most = arena_array(arena, (size_t)plan->curves_count, sizeof *search->most);
    for (int i = 0; i < plan->curves_count; i++)
        search->most[i] = search->options.most;
    search->who = "virtual user";
    search->unit = "NOPM";
    search->options.steps_max = (int)settings_int(settings, SET_SEARCH_STEPS);
    search->options.repeats_max = repeats > 1 ? repeats : SEARCH_REPEATS_MAX;
    search->options.repeats_min = search->options.repeats_max < SEARCH_REPEATS_MIN
                                      ? search->options.repeats_max
                                      : SEARCH_REPEATS_MIN;
    search->seed = (uint64_t)settings_int(settings, SET_SEED);
    search->results =
        arena_array(arena, (size_t)search->options.steps_max, sizeof *search->results);
    plan->count = search->options.steps_max * plan->curves_count;
    plan->steps = arena_array(arena, (size_t)plan->count, sizeof *plan->steps);
    for (int i = 0; i < plan->count; i++)
        plan->steps[i] = (struct plan_step){.number = i + 1,
                                            .virtual_users = search->options.first,
                                            .repeat = 1,
                                            .curve = i / search->options.steps_max};
    plan->total_us = plan->step_us * plan->count;
    plan->at_most = true;
}

void
search_text(const struct search *search, const struct plan *plan, const char *name, struct buf *out)
{
    const struct knee_options *options = &search->options;
    char ramp_up[UNITS_TEXT_SIZE], measure[UNITS_TEXT_SIZE], total[UNITS_TEXT_SIZE];

    buf_printf(out, "profile %s: a search from %d to at most %d virtual users", name,
               options->first, options->most);
    if (plan->curves_count > 1)
        buf_printf(out, ", on each of %d curves", plan->curves_count);
    buf_printf(out,
               "\nat most %d steps of %s ramp-up and %s measurement, each level at most %d times\n"
               "at most %s for the steps; building the warehouses, checking and reporting come on "
               "top\n",
               options->steps_max * plan->curves_count,
               units_exact_duration(ramp_up, plan->ramp_up_us),
               units_exact_duration(measure, plan->measure_us), options->repeats_max,
               units_duration(total, plan->total_us));
}

void
search_limit(struct search *search, int curve, int most)
{
    search->most[curve] = most;
}

void
search_repeat(struct search *search)
{
    search->on = false;
    search->repeats = true;
}

/* --- what was found --------------------------------------------------------------------------- */

static struct knee_options
options_of(const struct search *search, int curve)
{
    struct knee_options options = search->options;

    options.most = search->most[curve];
    return options;
}

static void
put_headline(const struct search *search, const char *name, const struct knee_headline *line,
             struct buf *out)
{
    char rate[UNITS_TEXT_SIZE], low[UNITS_TEXT_SIZE], high[UNITS_TEXT_SIZE];

    if (line->virtual_users == 0) {
        buf_printf(out, "%s: none", name);
        return;
    }
    buf_printf(out, "%s: %s %s at %d %s%s (", name, units_rate(rate, line->rate), search->unit,
               line->virtual_users, search->who, line->virtual_users == 1 ? "" : "s");
    if (line->interval.valid)
        buf_printf(out, "95 %% interval %s to %s, %d runs",
                   units_rate(low, fmax(0, line->interval.low)),
                   units_rate(high, line->interval.high), line->runs);
    else
        buf_printf(out, "%s, so no interval", line->runs == 1 ? "one run" : "two runs");
    if (line->rivals > 1 && line->runs > 1)
        buf_printf(out, ", chosen among %zu levels that are not told apart", line->rivals);
    if (line->rival > 0)
        buf_printf(out, "; %d may be better by over %.0f %%", line->rival, 100 * KNEE_INDIFFERENCE);
    buf_putc(out, ')');
}

static int
planned_steps(const struct plan *plan, int curve)
{
    int count = 0;

    for (int i = 0; i < plan->count; i++)
        count += plan->steps[i].curve == curve;
    return count;
}

/* Why there are no more steps. */
static void
put_end(const struct search *search, const struct plan *plan, const struct knee_options *options,
        bool budget_ended, struct buf *out)
{
    bool ended = search->repeats
                     ? search->count == planned_steps(plan, search->curve)
                     : knee_next(options, search->results, search->count).phase == KNEE_DONE;
    const char *plural = search->count == 1 ? "" : "s";

    if (!ended)
        buf_printf(out, "; broken off after %d step%s", search->count, plural);
    else if (search->repeats)
        buf_printf(out, "; in the %d step%s of the search that was made again", search->count,
                   plural);
    else if (budget_ended)
        buf_printf(out, "; ended with its budget of %d steps, not because nothing was open",
                   options->steps_max);
    else
        buf_printf(out, "; nothing was open after %d step%s", search->count, plural);
}

void
search_outcome(const struct search *search, const struct plan *plan, struct buf *out)
{
    if (search->count == 0)
        return;
    const char *name = plan->curves[search->curve].name;
    struct knee_options options = options_of(search, search->curve);
    struct knee_outcome found = knee_outcome(&options, search->results, search->count);
    if (name[0])
        buf_printf(out, "%s: ", name);
    put_headline(search, "highest within the limits", &found.within_limits, out);
    buf_puts(out, "; ");
    put_headline(search, "peak", &found.peak, out);
    buf_printf(out, "; one run scatters by %.1f %%", 100 * found.noise);
    if (found.grows_at_the_end)
        buf_printf(out, "; the peak is at the largest load tried, of %d allowed", options.most);
    put_end(search, plan, &options, found.budget_ended, out);
}

/* --- going on --------------------------------------------------------------------------------- */

/* The step is in the plan already; with the last one of a curve its search is over. */
static void
go_along(struct search *search, const struct plan *plan, int next, struct buf *outcome)
{
    int curve = next < plan->count ? plan->steps[next].curve : plan->curves_count;

    if (curve == search->curve)
        return;
    if (search->curve < plan->curves_count)
        search_outcome(search, plan, outcome);
    search->curve = curve;
    search->count = 0;
}

void
search_decide(struct search *search, struct plan *plan, int next, struct buf *outcome)
{
    if (search->repeats)
        go_along(search, plan, next, outcome);
    if (!search->on)
        return;
    for (; search->curve < plan->curves_count; search->curve++, search->count = 0) {
        struct knee_options options = options_of(search, search->curve);
        struct knee_next step = knee_next(&options, search->results, search->count);
        if (step.phase == KNEE_DONE) {
            search_outcome(search, plan, outcome);
            continue;
        }
        plan->count =
            next + search->options.steps_max * (plan->curves_count - search->curve) - search->count;
        plan->steps[next] = (struct plan_step){
            .number = next + 1,
            .virtual_users = step.virtual_users,
            .repeat = step.repeat,
            .curve = search->curve,
            .seed = plan_seed(search->curve, step.virtual_users, step.repeat, search->seed)};
        return;
    }
    plan->count = next;
}

void
search_take(struct search *search, const struct step *step)
{
    struct verdict verdicts[VERDICTS];

    if (!search->on && !search->repeats)
        return;
    must(search->count < search->options.steps_max);
    verdict_step(step, verdicts);
    search->who = load_who(step);
    search->unit = step_rate_name(step);
    search->results[search->count++] = (struct knee_result){
        .virtual_users = step->virtual_users,
        .valid = step->status == STEP_COMPLETE &&
                 verdicts[VERDICT_ERRORS].outcome != VERDICT_FAIL &&
                 verdicts[VERDICT_CONSISTENCY].outcome != VERDICT_FAIL,
        .rate = step_rate(step),
        .within_limits = verdicts[VERDICT_LATENCY].outcome != VERDICT_FAIL,
    };
}
