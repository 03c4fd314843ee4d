/* What the autopilot does for each step: DECIDE, RESET, STEP and STORE. A step that fails does not
 * end the run. */
#include <string.h>

#include "common/clock.h"
#include "common/interrupt.h"
#include "common/log.h"
#include "profiles/autopilot_states.h"
#include "profiles/first_again.h"
#include "profiles/reset.h"

#define SESSIONS_LIMIT_US INT64_C(60000000)
#define SERVER_PAUSE_US   500000

/* --- the server ------------------------------------------------------------------------------- */

struct pg *
autopilot_connect(struct autopilot *a, const struct pg_target *target, struct err *err)
{
    int64_t begun_us = clock_monotonic_us();
    int64_t end_us = begun_us + settings_us(a->settings, SET_WAIT_FOR_SERVER);
    struct pg *pg;
    bool waited = false;

    while (!(pg = pg_connect(target, "autopilot", err))) {
        int64_t now_us = clock_monotonic_us();
        if (err->code != ERR_CONNECTION || interrupt_check(err) || now_us >= end_us)
            return NULL;
        if (!waited)
            log_warning("waiting for the server: %s", err->message);
        waited = true;
        clock_sleep_us(end_us - now_us < SERVER_PAUSE_US ? end_us - now_us : SERVER_PAUSE_US);
    }
    if (waited) {
        log_info("the server is back");
        autopilot_note(a, &(struct event){.step = a->step ? a->step->number : 0,
                                          .what = "server was away",
                                          .elapsed_us = clock_monotonic_us() - begun_us,
                                          .bytes = -1,
                                          .detail = err->message});
    }
    return pg;
}

/* --- a step ----------------------------------------------------------------------------------- */

/* Whether the failed steps so far leave a reason to go on. */
static bool
may_go_on(const struct autopilot *a, struct err *err)
{
    bool stop = strcmp(settings_choice(a->settings, SET_ON_FAILURE), "stop") == 0;
    int64_t most = settings_int(a->settings, SET_MAX_FAILURES);

    if (a->next == a->plan.count || a->failures == 0)
        return true;
    if (stop)
        return err_set(err, ERR_SERVER, "ended after a failed step, as on-failure=stop has it");
    if (a->failures >= most)
        return err_set(err, ERR_SERVER, "ended after %d failed step%s in a row", a->failures,
                       a->failures == 1 ? "" : "s");
    return true;
}

/* The next step of the plan, as far as that says what it is. */
static void
begin_step(struct autopilot *a)
{
    const struct plan_step *planned = &a->plan.steps[a->next++];

    arena_free(&a->step_arena);
    a->step = arena_alloc(&a->step_arena, sizeof *a->step);
    a->step->number = planned->number;
    a->step->repeat = planned->repeat;
    a->step->virtual_users = planned->virtual_users;
    a->step->ramp_up_us = a->plan.ramp_up_us;
    a->step->measure_us = a->plan.measure_us;
    const struct plan_curve *curve = &a->plan.curves[planned->curve];
    a->step->curve = planned->curve + 1;
    a->step->curve_name = curve->name;
    a->step->server = curve->server ? curve->server->name : "";
    a->step->configuration = curve->configuration ? curve->configuration->name : "";
    a->step->mix_name = curve->mix ? curve->mix : settings_text(a->settings, SET_MIX);
    a->step->isolation = a->step->reason = "";
    step_growth_unknown(a->step);
    a->step->sessions_left = -1;
    a->step->sessions_left_named = "";
    a->step->procedures = a->step->call = a->step->protocol = "";
    a->planned = planned;
    live_step_begin(&a->live, planned, clock_monotonic_us());
}

/* Not a second time where the run was broken off just after it. */
static bool
was_noted(const struct autopilot *a, const char *what, const char *detail)
{
    for (int i = 0; a->earlier && i < a->earlier->journal_count; i++)
        if (strcmp(a->earlier->journal[i].what, what) == 0 &&
            strcmp(a->earlier->journal[i].detail, detail) == 0)
            return true;
    return false;
}

void
autopilot_note_search(struct autopilot *a, const char *outcome)
{
    if (!outcome[0] || was_noted(a, AUTOPILOT_SEARCH, outcome))
        return;
    log_progress_end();
    log_info("search: %s", outcome);
    autopilot_note(a,
                   &(struct event){
                       .what = AUTOPILOT_SEARCH, .elapsed_us = -1, .bytes = -1, .detail = outcome});
}

/* The next step of a search; what it found on a curve that it is through with. */
static void
search_on(struct autopilot *a)
{
    struct buf outcome = {0};

    search_decide(&a->search, &a->plan, a->next, &outcome);
    autopilot_note_search(a, buf_text(&outcome));
    buf_free(&outcome);
}

bool
autopilot_decide(struct autopilot *a, struct err *err)
{
    while (!interrupt_signal() && may_go_on(a, err)) {
        search_on(a);
        if (a->next == a->plan.count) {
            /* A search has as many steps as it took. */
            bool ok = !a->search.on || store_put_planned(a->store, a->plan.count, err);
            (void)ok; /* err tells */
            return false;
        }
        begin_step(a);
        if (!autopilot_left_out(a))
            return true;
        if (!autopilot_store(a, err))
            return false;
    }
    return false;
}

/* Turns the step into one that could not begin. */
static void
step_failed(struct autopilot *a, const struct err *why)
{
    a->step->status = why->code == ERR_INTERRUPTED || why->code == ERR_TERMINATED ? STEP_INTERRUPTED
                                                                                  : STEP_FAILED;
    a->step->reason = arena_strdup(&a->step_arena, why->message);
    if (a->step->started_wall_us == 0)
        a->step->started_wall_us = clock_wall_us();
    if (a->step_failure.code == ERR_NONE)
        a->step_failure = *why;
}

/* Also of a reset that failed half-way: what it did is done. */
static void
note_reset(struct autopilot *a, const struct reset *reset)
{
    for (int i = 0; i < reset->count; i++) {
        struct event event = reset->events[i];
        event.step = a->step->number;
        autopilot_note(a, &event);
        if (event.detail[0])
            log_detail("%s: %s", event.what, event.detail);
    }
}

bool
autopilot_reset(struct autopilot *a, struct err *err)
{
    int64_t patience_us = settings_us(a->settings, SET_PATIENCE);
    struct reset_options options = {
        .schema = settings_text(a->settings, SET_SCHEMA),
        .vacuums = strcmp(settings_choice(a->settings, SET_RESET), "vacuum") == 0,
        .sessions_limit_us = patience_us < SESSIONS_LIMIT_US ? patience_us : SESSIONS_LIMIT_US,
        .autovacuum_wait_us = settings_us(a->settings, SET_AUTOVACUUM_WAIT)};
    struct template *template = autopilot_template(a, a->planned->curve);
    struct reset reset = {0};
    struct err why = {0};
    struct settings settings;
    bool ok = plan_database_settings(&a->plan, a->planned->curve, a->settings, &settings, &why) &&
              autopilot_hook(a, HOOK_BEFORE_STEP, &why);
    struct pg_target *target = ok ? pg_target_new(&settings, &why) : NULL;
    struct pg *pg = target ? autopilot_connect(a, target, &why) : NULL;

    if (pg)
        options.schema = settings_text(&settings, SET_SCHEMA);
    ok = pg && reset_database(pg, &options, &a->step_arena, &reset, &why);
    pg_close(pg); /* a template must not be connected to */
    ok = ok && (!template || template_renew(template, &a->step_arena, &settings,
                                            options.autovacuum_wait_us, &reset, &why));
    (void)err; /* a step that fails does not end the run */
    note_reset(a, &reset);
    if (!ok)
        step_failed(a, &why);
    pg_target_free(target);
    settings_free(&settings);
    return ok;
}

bool
autopilot_step(struct autopilot *a, struct err *err)
{
    struct driver_options options;
    struct settings settings;
    struct err why = {0};
    const struct template *template = autopilot_template(a, a->planned->curve);
    bool ok = plan_step_settings(&a->plan, a->planned, a->settings, &settings, &why) &&
              (!template || template_lead(template, &settings, &why));

    (void)err;
    if (ok) {
        driver_options_from(&options, &settings);
        if (options.deferred)
            options.delivery_file = arena_printf(&a->step_arena, "%s/deliveries-%d.csv",
                                                 a->folder.path, a->step->number);
        options.progress = live_show;
        options.progress_context = &a->live;
        ok = driver_step(&options, &a->step_arena, a->step, &why);
    }
    settings_free(&settings);
    if (ok)
        a->steps_measured++;
    else
        step_failed(a, &why);
    if (ok && !autopilot_check_step(a, &why) && a->step->status == STEP_COMPLETE)
        step_failed(a, &why);
    return ok;
}

/* How the first level at the end compares with the first step of all. */
static void
compare_first(struct autopilot *a)
{
    struct buf text = {0};

    if (a->step->status != STEP_COMPLETE)
        return;
    if (a->step->number == 1)
        autopilot_keep_first(a, a->step);
    if (!a->first_again || !a->first || a->step->number != a->plan.count)
        return;
    first_again_text(a->first, a->step, &text);
    log_info("the first level again: %s", buf_text(&text));
    autopilot_note(a, &(struct event){.step = a->step->number,
                                      .what = "first level again",
                                      .elapsed_us = -1,
                                      .bytes = -1,
                                      .detail = buf_text(&text)});
    buf_free(&text);
}

void
autopilot_keep_first(struct autopilot *a, const struct step *step)
{
    a->first = arena_alloc(&a->arena, sizeof *a->first);
    *a->first = *step;
    a->first->seconds = NULL;
}

bool
autopilot_store(struct autopilot *a, struct err *err)
{
    struct err why = {0};

    if (!autopilot_hook(a, HOOK_AFTER_STEP, &why) && a->step->status == STEP_COMPLETE)
        step_failed(a, &why);
    live_step_end(&a->live, a->step);
    if (!store_put_step(a->store, a->step, err))
        return false;
    compare_first(a);
    search_take(&a->search, a->step);
    a->steps_stored++;
    a->steps_here++;
    autopilot_remember(a, a->step);
    if (a->step->status != STEP_SKIPPED)
        a->failures = a->step->status == STEP_FAILED ? a->failures + 1 : 0;
    return true;
}
