/* Owns the wording of progress. */
#include "profiles/live.h"

#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "common/load_text.h"
#include "common/log.h"
#include "common/units.h"
#include "common/verdict.h"

static const char *const phase_words[PHASES] = {"connecting", "ramp-up", "measuring", "draining"};

void
live_init(struct live *live, const struct plan *plan, const char *name)
{
    *live = (struct live){.plan = plan, .name = name};
}

void
live_step_begin(struct live *live, const struct plan_step *step, int64_t now_us)
{
    live->step = step;
    live->step_begun_us = now_us;
    if (live->begun_us == 0)
        live->begun_us = now_us;
    live->phase = PHASE_CONNECT;
}

int64_t
live_left_us(const struct live *live, int64_t in_step_us)
{
    int64_t step_us = live->plan->step_us;
    int64_t in_this_us = in_step_us < step_us ? step_us - in_step_us : 0;

    return (live->plan->count - live->step->number) * step_us + in_this_us;
}

static const char *
plural(int count)
{
    return count == 1 ? "" : "s";
}

void
live_render(const struct live *live, const struct driver_progress *progress, int64_t now_us,
            int width, int height, struct buf *out)
{
    struct screen_level levels[LIVE_LEVELS_MAX];
    const struct plan_step *step = live->step;
    const char *curve = live->plan->curves ? live->plan->curves[step->curve].name : "";
    struct buf load = {0};
    struct screen screen = {
        .name = live->name,
        .step = step->number,
        .steps = live->plan->count,
        .phase = phase_words[progress->phase],
        .in_phase_us = progress->elapsed_us,
        .phase_us = progress->planned_us,
        .done_us = now_us - live->begun_us,
        .left_us = live_left_us(live, now_us - live->step_begun_us),
        .at_most = live->plan->at_most,
        .rate = progress->nopm < 0 ? progress->tpm : progress->nopm,
        .unit = progress->nopm < 0 ? "TPM" : "NOPM",
        .new_order_p95_us = progress->nopm < 0 ? -1 : progress->new_order_p95_us,
        .failed = progress->failed,
        .levels = levels,
        .virtual_users = step->virtual_users,
        .last_count = live->last_count,
    };

    buf_printf(&load, "%d %s%s, repeat %d%s%s", step->virtual_users,
               progress->who ? progress->who : "virtual user", plural(step->virtual_users),
               step->repeat, curve[0] ? ", " : "", curve);
    screen.load = buf_text(&load);
    for (int i = 0; i < live->levels_count; i++) {
        const struct live_level *level = &live->levels[i];
        if (level->curve == step->curve)
            levels[screen.levels_count++] =
                (struct screen_level){level->virtual_users, level->rate_sum / level->steps};
    }
    for (int i = 0; i < live->last_count; i++)
        screen.last[i] = live->last[i];
    screen_render(&screen, width, height, out);
    buf_free(&load);
}

/* ", old, 10 warehouses": what tells the curve of the step; "" where there is only one. */
static const char *
of_curve(const struct live *live, struct arena *arena)
{
    const char *name =
        live->plan->curves_count > 1 ? live->plan->curves[live->step->curve].name : "";

    return name[0] ? arena_printf(arena, ", %s", name) : "";
}

static void
redraw(const struct live *live, const struct driver_progress *progress)
{
    struct buf text = {0};
    int width, height;

    log_terminal_size(&width, &height);
    live_render(live, progress, clock_monotonic_us(), width, height, &text);
    log_block(buf_text(&text));
    buf_free(&text);
}

void
live_show(void *context, const struct driver_progress *progress)
{
    struct live *live = context;

    if (log_is_terminal()) {
        redraw(live, progress);
        return;
    }
    bool spoken_of = progress->phase == PHASE_RAMP_UP || progress->phase == PHASE_MEASURE;
    if (spoken_of && progress->phase != live->phase) {
        char planned[UNITS_TEXT_SIZE];
        struct arena arena = {0};
        log_info("step %d of %d%s: %d %s%s, %s for %s", live->step->number, live->plan->count,
                 of_curve(live, &arena), live->step->virtual_users, progress->who,
                 plural(live->step->virtual_users), phase_words[progress->phase],
                 units_exact_duration(planned, progress->planned_us));
        arena_free(&arena);
    }
    live->phase = progress->phase;
}

/* Makes room where there is none: the lowest level of a curve that is not this one goes, or its
 * own.
 */
static void
forget_one(struct live *live, int curve)
{
    int gone = 0;

    while (gone < live->levels_count && live->levels[gone].curve == curve)
        gone++;
    gone = gone < live->levels_count ? gone : 0;
    live->levels_count--;
    memmove(live->levels + gone, live->levels + gone + 1,
            (size_t)(live->levels_count - gone) * sizeof *live->levels);
}

static bool
is_below(const struct live_level *level, int curve, int virtual_users)
{
    return level->curve < curve || (level->curve == curve && level->virtual_users < virtual_users);
}

/* The entry of a level, made in its place when there is none. */
static struct live_level *
level_of(struct live *live, int curve, int virtual_users)
{
    int at = 0;

    while (at < live->levels_count && is_below(&live->levels[at], curve, virtual_users))
        at++;
    if (at < live->levels_count && live->levels[at].curve == curve &&
        live->levels[at].virtual_users == virtual_users)
        return &live->levels[at];
    if (live->levels_count == LIVE_LEVELS_MAX) {
        forget_one(live, curve);
        return level_of(live, curve, virtual_users);
    }
    memmove(live->levels + at + 1, live->levels + at,
            (size_t)(live->levels_count - at) * sizeof *live->levels);
    live->levels[at] = (struct live_level){.curve = curve, .virtual_users = virtual_users};
    live->levels_count++;
    return &live->levels[at];
}

void
live_step_known(struct live *live, const struct step *step)
{
    if (step->status != STEP_COMPLETE)
        return;
    struct live_level *level =
        level_of(live, step->curve > 0 ? step->curve - 1 : 0, step->virtual_users);
    level->steps++;
    level->rate_sum += step_rate(step);
}

/* STEADY, DRIFTING or TOO SHORT, which stands beside every rate. */
static const char *
state_of(const struct step *step)
{
    return steady_names[verdict_steady(NULL, step).state];
}

/* The verdicts of a step in few words: whether it was steady, and what else failed. */
static void
put_verdicts(const struct step *step, struct buf *out)
{
    struct verdict verdicts[VERDICTS];
    bool any = false;

    verdict_step(step, verdicts);
    buf_printf(out, ", %s", state_of(step));
    for (int kind = 0; kind < VERDICTS; kind++) {
        if (kind == VERDICT_STEADY || verdicts[kind].outcome != VERDICT_FAIL)
            continue;
        buf_printf(out, "%s%s", any ? ", " : "; FAIL: ", verdict_names[kind]);
        any = true;
    }
}

/* Remembers it for the screen. */
static void
remember(struct live *live, const struct step *step)
{
    char rate[UNITS_TEXT_SIZE];
    struct buf text = {0}, load = {0};

    memmove(live->last[1], live->last[0], sizeof live->last[0] * (SCREEN_LAST_MAX - 1));
    if (live->last_count < SCREEN_LAST_MAX)
        live->last_count++;
    buf_printf(&load, "%d %s%s", step->virtual_users, load_who(step), plural(step->virtual_users));
    if (step->status == STEP_COMPLETE) {
        /* A narrow terminal cuts the end: the verdicts come first. */
        buf_printf(&text, "step %d: %s %s", step->number, units_rate(rate, step_rate(step)),
                   step_rate_name(step));
        put_verdicts(step, &text);
        buf_printf(&text, "; %s", buf_text(&load));
    } else {
        buf_printf(&text, "step %d, %s: %s: %s", step->number, buf_text(&load),
                   step_status_names[step->status], step->reason);
    }
    snprintf(live->last[0], sizeof live->last[0], "%s", buf_text(&text));
    buf_free(&text);
    buf_free(&load);
}

static void
say_end(const struct live *live, const struct step *step, const char *curve)
{
    char rate[UNITS_TEXT_SIZE], p95[UNITS_TEXT_SIZE], left[UNITS_TEXT_SIZE];
    enum txn_type type = step_main_type(step);
    const struct hist *response = &step->transactions[type].response;
    const char *s = plural(step->virtual_users);

    if (step->status == STEP_SKIPPED)
        log_info("step %d of %d%s, %d %s%s: left out: %s", step->number, live->plan->count, curve,
                 step->virtual_users, load_who(step), s, step->reason);
    else if (step->status != STEP_COMPLETE)
        log_warning("step %d of %d%s, %d %s%s: %s: %s", step->number, live->plan->count, curve,
                    step->virtual_users, load_who(step), s, step_status_names[step->status],
                    step->reason);
    else
        log_info("step %d of %d%s: %d %s%s: %s %s, %s, %s p95 %s; %s%s left", step->number,
                 live->plan->count, curve, step->virtual_users, load_who(step), s,
                 units_rate(rate, step_rate(step)), step_rate_name(step), state_of(step),
                 txn_names[type], units_duration(p95, hist_percentile_us(response, 0.95)),
                 live->plan->at_most ? "at most " : "",
                 units_clock(left, live_left_us(live, live->plan->step_us)));
}

void
live_step_end(struct live *live, const struct step *step)
{
    struct arena arena = {0};

    log_progress_end();
    remember(live, step);
    live_step_known(live, step);
    say_end(live, step, of_curve(live, &arena));
    arena_free(&arena);
}
