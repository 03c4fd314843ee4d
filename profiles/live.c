/* Owns the wording of progress. */
#include "profiles/live.h"

#include <string.h>

#include "common/clock.h"
#include "common/load_text.h"
#include "common/log.h"
#include "common/units.h"

static const char *const phase_words[PHASES] = {"connecting", "ramp-up", "measuring", "draining"};

void
live_init(struct live *live, const struct plan *plan)
{
    *live = (struct live){.plan = plan};
}

void
live_step_begin(struct live *live, const struct plan_step *step, int64_t now_us)
{
    if (live->step && live->step->curve != step->curve)
        live->levels_count = 0;
    live->step = step;
    live->step_begun_us = now_us;
    live->phase = PHASE_CONNECT;
}

int64_t
live_left_us(const struct live *live, int64_t in_step_us)
{
    int64_t step_us = live->plan->step_us;
    int64_t in_this_us = in_step_us < step_us ? step_us - in_step_us : 0;

    return (live->plan->count - live->step->number) * step_us + in_this_us;
}

void
live_levels(const struct live *live, struct buf *out)
{
    char nopm[UNITS_TEXT_SIZE];

    for (int i = 0; i < live->levels_count; i++) {
        const struct live_level *level = &live->levels[i];
        buf_printf(out, "%s%d: %s", i ? "  " : "", level->virtual_users,
                   units_rate(nopm, level->nopm_sum / level->steps));
    }
}

static const char *
plural(int count)
{
    return count == 1 ? "" : "s";
}

static void
redraw(const struct live *live, const struct driver_progress *progress)
{
    char left[UNITS_TEXT_SIZE], elapsed[UNITS_TEXT_SIZE], nopm[UNITS_TEXT_SIZE];
    struct buf levels = {0};

    live_levels(live, &levels);
    units_clock(left, live_left_us(live, clock_monotonic_us() - live->step_begun_us));
    units_clock(elapsed, progress->elapsed_us);
    units_rate(nopm, progress->nopm);
    log_progress("step %d of %d, %d user%s, %s %s, NOPM %s, %s left%s%s", live->step->number,
                 live->plan->count, live->step->virtual_users, plural(live->step->virtual_users),
                 phase_words[progress->phase], elapsed, nopm, left, levels.length ? "; " : "",
                 buf_text(&levels));
    buf_free(&levels);
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
        log_info("step %d of %d: %d %s%s, %s for %s", live->step->number, live->plan->count,
                 live->step->virtual_users, progress->who, plural(live->step->virtual_users),
                 phase_words[progress->phase], units_exact_duration(planned, progress->planned_us));
    }
    live->phase = progress->phase;
}

/* The entry of a level, made in its place when there is none. */
static struct live_level *
level_of(struct live *live, int virtual_users)
{
    int at = 0;

    while (at < live->levels_count && live->levels[at].virtual_users < virtual_users)
        at++;
    if (at == live->levels_count || live->levels[at].virtual_users != virtual_users) {
        must(live->levels_count < SETTINGS_LIST_MAX);
        memmove(live->levels + at + 1, live->levels + at,
                (size_t)(live->levels_count - at) * sizeof *live->levels);
        live->levels[at] = (struct live_level){.virtual_users = virtual_users};
        live->levels_count++;
    }
    return &live->levels[at];
}

void
live_step_known(struct live *live, const struct step *step)
{
    if (step->status != STEP_COMPLETE)
        return;
    struct live_level *level = level_of(live, step->virtual_users);
    level->steps++;
    level->nopm_sum += step_nopm(step);
}

void
live_step_end(struct live *live, const struct step *step)
{
    char nopm[UNITS_TEXT_SIZE], p95[UNITS_TEXT_SIZE], left[UNITS_TEXT_SIZE];
    const struct hist *response = &step->transactions[TXN_NEW_ORDER].response;

    log_progress_end();
    if (step->status != STEP_COMPLETE) {
        log_warning("step %d of %d, %d %s%s: %s: %s", step->number, live->plan->count,
                    step->virtual_users, load_who(step), plural(step->virtual_users),
                    step_status_names[step->status], step->reason);
        return;
    }
    live_step_known(live, step);
    log_info("step %d of %d: %d %s%s: %s NOPM, new-order p95 %s; %s left", step->number,
             live->plan->count, step->virtual_users, load_who(step), plural(step->virtual_users),
             units_rate(nopm, step_nopm(step)),
             units_duration(p95, hist_percentile_us(response, 0.95)),
             units_clock(left, live_left_us(live, live->plan->step_us)));
}
