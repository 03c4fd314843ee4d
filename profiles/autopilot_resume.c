/* Owns the way back into a run that was broken off: what the store says is put where the states
 * before would have put it, and the table goes on from there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/log.h"
#include "common/version.h"
#include "profiles/autopilot_states.h"
#include "profiles/recall.h"

#define STORED_PROFILE "the stored profile" /* in messages, where a path stands else */

/* --- what is refused -------------------------------------------------------------------------- */

/* Whether this is the beginning of a hook whose end is there too. */
static bool
is_over(const struct run *run, int begun)
{
    const struct event *event = &run->journal[begun];

    for (int i = begun + 1; i < run->journal_count; i++)
        if (strcmp(run->journal[i].what, event->what) == 0 && run->journal[i].elapsed_us >= 0)
            return true;
    return false;
}

/* But for the hook after it, where that has ended. */
static const struct event *
last_event(const struct run *run)
{
    int last = run->journal_count - 1;

    while (last >= 0 && strcmp(run->journal[last].what, hook_names[HOOK_AFTER_RUN]) == 0 &&
           (run->journal[last].elapsed_us >= 0 || is_over(run, last)))
        last--;
    return last >= 0 ? &run->journal[last] : NULL;
}

/* Complete is a run that also has its reports, and has ended its last hook. */
static bool
refuse_complete(const struct run *run, const char *folder, struct err *err)
{
    const struct event *last = last_event(run);

    if (run->status != STEP_COMPLETE || (last && strcmp(last->what, AUTOPILOT_ENDED) != 0))
        return true;
    err_set(err, ERR_LOCAL, "the run in \"%s\" is complete: there is nothing to go on with",
            folder);
    err_hint(err, "\"ordermill report\" writes its report again");
    return false;
}

static bool
refuse_foreign(const struct run *run, const char *folder, struct err *err)
{
    if (!run->profile[0] || run->settings_count == 0)
        return err_set(err, ERR_LOCAL, "\"%s\" is not of an autopilot: it holds no profile",
                       folder);
    if (strcmp(run->kit_version, KIT_VERSION) != 0) {
        err_set(err, ERR_LOCAL, "the run in \"%s\" was begun by ordermill %s; this is %s", folder,
                run->kit_version, KIT_VERSION);
        err_hint(err,
                 "go on with the version that began it: steps of two versions are not one run");
        return false;
    }
    return true;
}

/* The line, from 1, at which two texts part. */
static int
line_of_difference(const char *a, const char *b)
{
    int line = 1;

    for (; *a && *a == *b; a++, b++)
        line += *a == '\n';
    return line;
}

/* A profile that is named as well has to be the one of the run, and --set has to say the same. */
static bool
refuse_other_profile(struct settings *settings, const char *path, const struct run *run,
                     struct err *err)
{
    struct settings *fresh = must_calloc(1, sizeof *fresh);
    struct profile given;
    bool ok = true;

    settings_init(fresh);
    if (path)
        ok = profile_read(&given, path, fresh, err);
    if (ok && path && strcmp(given.text, run->profile) != 0)
        ok = err_set(err, ERR_PROFILE, "%s:%d: differs from the profile that the run began with",
                     path, line_of_difference(given.text, run->profile));
    settings_free(fresh);
    free(fresh);
    char *difference =
        ok ? recall_difference(&settings->arena, run->settings, run->settings_count, settings)
           : NULL;
    if (difference) {
        err_set(err, ERR_USAGE, "%s", difference);
        err_hint(err, "a run that goes on keeps its settings: leave the option out");
    }
    return ok && !difference;
}

static bool
refuse_changed(struct arena *arena, const struct run *run, struct err *err)
{
    const char *now = recall_fingerprint(arena, run->profile, run->settings, run->settings_count);

    return strcmp(now, run->fingerprint) == 0 ||
           err_set(err, ERR_LOCAL,
                   "profile and settings in the store are not those that the run began with "
                   "(fingerprint %s, not %s)",
                   now, run->fingerprint);
}

/* --- where it was ----------------------------------------------------------------------------- */

void
autopilot_take_limits(struct autopilot *a, const struct run *run)
{
    int curve, most;

    for (int i = 0; a->search.on && i < run->journal_count; i++) {
        const struct event *event = &run->journal[i];
        if (strcmp(event->what, AUTOPILOT_SEARCH_LIMIT) == 0 &&
            sscanf(event->detail, AUTOPILOT_LIMIT_TEXT, &curve, &most) == 2 && curve >= 1 &&
            curve <= a->plan.curves_count && most >= a->search.options.first)
            search_limit(&a->search, curve - 1, most);
    }
}

/* Steps that were interrupted are measured anew. Those before them must be the plan's. */
static bool
take_steps(struct autopilot *a, struct err *err)
{
    const struct run *run = a->earlier;
    struct buf outcome = {0}; /* of curves that are through: the journal has it */

    for (int i = 0; i < run->steps_count; i++) {
        const struct step *step = &run->steps[i];
        if (step->status == STEP_INTERRUPTED) {
            if (!store_remove_step(a->store, step->number, err))
                return false;
            continue;
        }
        search_decide(&a->search, &a->plan, a->next, &outcome);
        buf_free(&outcome);
        if (a->next == a->plan.count || step->number != a->plan.steps[a->next].number ||
            step->virtual_users != a->plan.steps[a->next].virtual_users ||
            step->repeat != a->plan.steps[a->next].repeat ||
            step->curve != a->plan.steps[a->next].curve + 1)
            return err_set(err, ERR_LOCAL, "step %d in the store is not that of the plan",
                           step->number);
        a->next++;
        a->steps_stored++;
        a->steps_measured += step->elapsed_us > 0;
        if (step->status == STEP_FAILED && a->step_failure.code == ERR_NONE)
            err_set(&a->step_failure, ERR_SERVER, "%s", step->reason);
        if (step->number == 1 && step->status == STEP_COMPLETE)
            autopilot_keep_first(a, step);
        search_take(&a->search, step);
        autopilot_remember(a, step);
        live_step_known(&a->live, step);
    }
    return true;
}

/* The last state or hook that began and did not end: an event without duration and without more to
 * say. */
static const struct event *
last_begun(const struct run *run)
{
    for (int i = run->journal_count - 1; i >= 0; i--) {
        const struct event *event = &run->journal[i];
        if (event->elapsed_us < 0 && !event->detail[0] && !is_over(run, i))
            return event;
    }
    return NULL;
}

/* Where it was when the end came. */
static void
note_resumed(struct autopilot *a)
{
    const struct event *last = last_begun(a->earlier);
    char when[CLOCK_TEXT_SIZE];
    struct buf detail = {0};

    if (last && last->step > 0)
        buf_printf(&detail, "broken off in %s of step %d, which began at %s", last->what,
                   last->step, clock_iso(when, last->wall_us));
    else if (last)
        buf_printf(&detail, "broken off in %s, which began at %s", last->what,
                   clock_iso(when, last->wall_us));
    else
        buf_puts(&detail, "broken off before it began");
    log_info("going on with the run in %s: %d of %d steps are there; %s", a->folder.path,
             a->steps_stored, a->plan.count, buf_text(&detail));
    autopilot_note(a, &(struct event){.step = last ? last->step : 0,
                                      .what = "resumed",
                                      .elapsed_us = -1,
                                      .bytes = -1,
                                      .detail = buf_text(&detail)});
    buf_free(&detail);
}

/* --- the whole -------------------------------------------------------------------------------- */

static bool
open_run(struct autopilot *a, const char *folder, struct run *run, struct err *err)
{
    if (!run_folder_reopen(&a->folder, folder, err))
        return false;
    a->store = store_open(folder, err);
    a->earlier = run;
    return a->store && store_read(a->store, &a->arena, run, err) &&
           refuse_foreign(run, folder, err) && refuse_complete(run, folder, err) &&
           refuse_changed(&a->arena, run, err);
}

/* A repetition of another run goes on as one, as long as that one is still there. */
static bool
take_again(struct autopilot *a, struct err *err)
{
    const struct run *run = a->earlier;
    struct run *then = arena_alloc(&a->arena, sizeof *then);

    for (int i = 0; i < run->journal_count; i++) {
        const struct event *event = &run->journal[i];
        if (strcmp(event->what, AUTOPILOT_AGAIN) != 0)
            continue;
        if (!autopilot_recall_run(event->detail, &a->arena, then, err))
            return err_prefix(err, "the run that this one repeats");
        autopilot_take_again(a, then, event->detail);
    }
    return true;
}

static bool
prepare(struct autopilot *a, struct profile *profile, const char *path, struct err *err)
{
    const struct run *run = a->earlier;

    if (!recall_overrides(run->settings, run->settings_count, a->settings, err) ||
        !profile_parse(profile, STORED_PROFILE, run->profile, strlen(run->profile), a->settings,
                       err) ||
        !refuse_other_profile(a->settings, path, run, err) ||
        !recall_apply(run->settings, run->settings_count, a->settings, err))
        return false;
    if (!hooks_allowed(a->settings, profile, err))
        return false;
    a->profile = profile;
    autopilot_plan(a);
    if (!take_again(a, err))
        return false;
    autopilot_take_limits(a, run);
    return take_steps(a, err) && store_end(a->store, STEP_INTERRUPTED, 0, err) &&
           run_folder_try(&a->folder,
                          run_folder_need(a->plan.count - a->steps_stored, a->plan.step_us), err);
}

int
autopilot_resume(struct settings *settings, const char *folder, const char *path)
{
    struct autopilot autopilot = {.settings = settings};
    struct profile profile;
    struct run run;
    struct err err = {0};

    if (open_run(&autopilot, folder, &run, &err) && prepare(&autopilot, &profile, path, &err)) {
        note_resumed(&autopilot);
        return autopilot_fly(&autopilot, AUTOPILOT_BUILD);
    }
    store_close(autopilot.store);
    run_folder_close(&autopilot.folder);
    arena_free(&autopilot.arena);
    return log_error(&err);
}
