/* What a profile asks for around its steps: hooks, checks of the data, levels that need not be
 * measured. When each is due is said by the states. */
#include <string.h>

#include "common/clock.h"
#include "common/interrupt.h"
#include "common/log.h"
#include "common/verdict.h"
#include "loader/loader.h"
#include "profiles/autopilot_states.h"

/* --- hooks ------------------------------------------------------------------------------------ */

/* Its beginning, so that a run that is broken off in it can tell; and, with what became of it, its
 * end. */
static bool
run_hook(struct autopilot *a, const struct hook *hook, struct err *err)
{
    struct event event = {.step = hook->step ? hook->step->number : 0,
                          .what = hook_names[hook->moment],
                          .elapsed_us = -1,
                          .bytes = -1,
                          .detail = ""};

    if (!hooks_due(hook))
        return true;
    autopilot_note(a, &event);
    bool ok = hooks_run(hook, &a->arena, &event, err);
    autopilot_note(a, &event);
    a->hook_failed |= !ok;
    return ok;
}

bool
autopilot_hook(struct autopilot *a, enum hook_moment moment, struct err *err)
{
    /* Which each is part of. */
    static const enum autopilot_state states[] = {AUTOPILOT_BUILD, AUTOPILOT_RESET, AUTOPILOT_STORE,
                                                  AUTOPILOT_END};
    bool of_step = moment == HOOK_BEFORE_STEP || moment == HOOK_AFTER_STEP;
    const struct plan_step *step = of_step ? a->planned : NULL;
    bool *begun = of_step ? &a->hooks_of_step : &a->hooks_of_run;
    bool before = moment == HOOK_BEFORE_STEP || moment == HOOK_BEFORE_RUN;
    struct settings settings;
    bool ok = true;

    if (!before && !*begun)
        return true;
    *begun = before;
    if (step)
        ok = plan_database_settings(&a->plan, step->curve, a->settings, &settings, err);
    else
        settings_copy(&settings, a->settings);
    /* A hook has a limit of its own, twice where the configuration has one too; then the state that
     * it is part of has its time. */
    autopilot_keep_limit(hook_names[moment], settings_us(a->settings, SET_PATIENCE) +
                                                 2 * settings_us(a->settings, SET_HOOK_LIMIT));
    ok = ok && run_hook(a,
                        &(struct hook){.moment = moment,
                                       .folder = a->folder.path,
                                       .settings = &settings,
                                       .plan = &a->plan,
                                       .step = step},
                        err);
    autopilot_keep_limit(autopilot_table[states[moment]].name,
                         autopilot_limit_us(&autopilot_table[states[moment]], a->settings, &a->plan,
                                            a->warehouses, step ? step->virtual_users : 0));
    settings_free(&settings);
    return ok;
}

/* --- levels that are left out ----------------------------------------------------------------- */

void
autopilot_remember(struct autopilot *a, const struct step *step)
{
    struct stop_result *result;

    if (!a->results)
        a->results = arena_array(&a->arena, (size_t)a->plan.count, sizeof *a->results);
    must(a->results_count < a->plan.count);
    result = &a->results[a->results_count++];
    *result = (struct stop_result){.curve = step->curve - 1,
                                   .virtual_users = step->virtual_users,
                                   .valid = step->status == STEP_COMPLETE,
                                   .nopm = step_nopm(step)};
    for (int type = 0; type < TXN_TYPES; type++) {
        const struct hist *response = &step->transactions[type].response;
        if (response->count >= VERDICT_LATENCY_COUNT_MIN &&
            !verdict_latency_holds(step, (enum txn_type)type, response))
            result->over_limits = true;
    }
}

/* A run that repeats another one measures what that one measured, as far as that came: otherwise
 * their levels could not be compared. */
static const char *
reason_to_leave_out(struct autopilot *a)
{
    const struct step *then = autopilot_step_then(a);

    if (then && then->status == STEP_SKIPPED)
        return arena_printf(&a->step_arena, "as in the run that this one repeats: %s",
                            then->reason);
    return then
               ? NULL
               : stop_reason(a->settings, a->results, a->results_count, a->planned, &a->step_arena);
}

bool
autopilot_left_out(struct autopilot *a)
{
    const char *reason = reason_to_leave_out(a);

    if (!reason)
        return false;
    a->step->status = STEP_SKIPPED;
    a->step->reason = reason;
    a->step->started_wall_us = clock_wall_us();
    return true;
}

/* --- the data --------------------------------------------------------------------------------- */

/* One verdict for all databases: what one of them has against a condition, the condition has. */
static void
join_checks(struct check_result *all, const struct check_result *one)
{
    all->done = all->done && one->done;
    for (int i = 0; i < CHECK_TESTS; i++) {
        struct check_condition *into = &all->conditions[i];
        const struct check_condition *from = &one->conditions[i];
        into->tested = into->tested && from->tested;
        into->violations += from->violations;
        into->elapsed_s += from->elapsed_s;
        for (int k = 0; k < from->examples_count && into->examples_count < CHECK_EXAMPLES; k++)
            into->examples[into->examples_count++] = from->examples[k];
    }
}

/* Towards the copy that the last step ran in, where there is one: not before the first step, nor of
 * a database that no step came to. */
static bool
lead_to_copy(const struct autopilot *a, int curve, struct settings *settings, struct err *err)
{
    const struct template *template = autopilot_template(a, curve);
    bool exists = false;

    return !template || (template_exists(template, settings, &exists, err) &&
                         (!exists || template_lead(template, settings, err)));
}

/* One database; a limit of time for each. */
static bool
check_database(struct autopilot *a, int curve, const char *moment, struct arena *arena,
               struct check_result *result, struct err *err)
{
    bool fast = strcmp(settings_choice(a->settings, SET_CHECKS), "fast") == 0;
    struct settings settings;
    bool ok = plan_database_settings(&a->plan, curve, a->settings, &settings, err) &&
              lead_to_copy(a, curve, &settings, err) &&
              (!fast || settings_set(&settings, SET_FAST, "true", SETTING_OPTION, err));
    struct pg_target *target = ok ? pg_target_new(&settings, err) : NULL;

    autopilot_keep_limit("check", autopilot_limit_us(&autopilot_table[AUTOPILOT_CHECK], a->settings,
                                                     &a->plan, a->warehouses, 0));
    struct pg *pg = target ? autopilot_connect(a, target, err) : NULL;
    ok = pg != NULL;
    pg_close(pg);
    pg_target_free(target);
    ok = ok && loader_check(&settings, moment, arena, result, err);
    settings_free(&settings);
    return ok;
}

bool
autopilot_check_all(struct autopilot *a, const char *moment, struct check_result *all,
                    struct err *err)
{
    for (int i = 0; i < a->plan.curves_count; i++) {
        const char *name = a->plan.curves[i].name;
        struct check_result one = {0};
        if (a->plan.curves[i].database != i)
            continue;
        log_info("checking consistency%s%s", name[0] ? ": " : "", name);
        if (!check_database(a, i, moment, &a->arena, i ? &one : all, err))
            return false;
        if (i > 0)
            join_checks(all, &one);
    }
    return true;
}

static bool
is_due(const struct autopilot *a, const char *when)
{
    return strcmp(settings_choice(a->settings, SET_CHECKS), "none") != 0 &&
           strcmp(settings_choice(a->settings, SET_CHECKS_WHEN), when) == 0;
}

bool
autopilot_check_before(struct autopilot *a, struct err *err)
{
    struct check_result *result = arena_alloc(&a->arena, sizeof *result);

    if (!is_due(a, "both"))
        return true;
    if (!autopilot_check_all(a, "before the first step", result, err))
        return false;
    int64_t violations = loader_violations(result);
    if (violations == 0)
        return true;
    err_set(err, ERR_INCONSISTENT,
            "the data break the consistency conditions before the first step: %lld violation%s",
            (long long)violations, violations == 1 ? "" : "s");
    err_hint(err, "see \"ordermill check\"");
    return false;
}

bool
autopilot_check_step(struct autopilot *a, struct err *err)
{
    struct check_result *result = arena_alloc(&a->step_arena, sizeof *result);

    if (!is_due(a, "steps") || interrupt_signal())
        return true;
    if (!check_database(a, a->planned->curve, "after a step", &a->step_arena, result, err))
        return false;
    int64_t violations = loader_violations(result);
    return violations == 0 ||
           err_set(err, ERR_INCONSISTENT,
                   "the data break the consistency conditions after it: %lld violation%s",
                   (long long)violations, violations == 1 ? "" : "s");
}
