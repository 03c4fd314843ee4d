/* Owns the repetition of an old run: its profile, its settings, its steps, in a new folder, and
 * what the two say together. */
#include <stdlib.h>
#include <string.h>

#include "common/fs.h"
#include "common/log.h"
#include "common/version.h"
#include "profiles/autopilot_states.h"
#include "profiles/recall.h"
#include "profiles/reproduce.h"

#define REPRODUCE_FILE "again.txt"

bool
autopilot_recall_run(const char *folder, struct arena *arena, struct run *run, struct err *err)
{
    struct store *store = store_open(folder, err);
    bool ok = store && store_read(store, arena, run, err);

    store_close(store);
    if (ok && (!run->profile[0] || run->settings_count == 0))
        return err_set(err, ERR_LOCAL, "\"%s\" is not of an autopilot: it holds no profile",
                       folder);
    return ok;
}

/* The steps that a search found are a list now: to search again would be another run. */
static void
take_steps(struct autopilot *a, const struct run *then)
{
    int count = then->steps_count < a->plan.count ? then->steps_count : a->plan.count;

    if (!a->search.on)
        return;
    autopilot_take_limits(a, then);
    search_repeat(&a->search);
    a->plan.count = count;
    for (int i = 0; i < count; i++) {
        const struct step *step = &then->steps[i];
        a->plan.steps[i] = (struct plan_step){.number = i + 1,
                                              .virtual_users = step->virtual_users,
                                              .repeat = step->repeat,
                                              .curve = step->curve > 0 ? step->curve - 1 : 0,
                                              .seed = step->seed};
    }
    a->plan.total_us = a->plan.step_us * count;
}

const struct step *
autopilot_step_then(const struct autopilot *a)
{
    for (int i = 0; a->then && i < a->then->steps_count; i++) {
        const struct step *step = &a->then->steps[i];
        if (step->number == a->planned->number && step->curve == a->planned->curve + 1 &&
            step->virtual_users == a->planned->virtual_users)
            return step;
    }
    return NULL;
}

bool
autopilot_reproduction(const struct autopilot *a, struct buf *out, struct err *err)
{
    struct arena arena = {0};
    struct run then, now;
    struct reproduction reproduction;
    bool ok = autopilot_recall_run(a->again, &arena, &then, err) &&
              store_read(a->store, &arena, &now, err);

    if (ok) {
        reproduce_compare(&reproduction, &then, &now, &arena);
        reproduce_text(&reproduction, a->again, out);
        if (strcmp(then.build, now.build) != 0)
            buf_printf(out, "another load: %s then, %s now\n", then.build, now.build);
        if (strcmp(then.kit_version, now.kit_version) != 0)
            buf_printf(out, "another version of the kit: %s then, %s now\n", then.kit_version,
                       now.kit_version);
        ok = fs_write(fs_join(&arena, a->folder.path, REPRODUCE_FILE), buf_text(out) + 1,
                      out->length - 1, err);
    }
    arena_free(&arena);
    return ok;
}

void
autopilot_take_again(struct autopilot *a, const struct run *then, const char *folder)
{
    a->again = folder;
    a->then = then;
    take_steps(a, then);
}

int
autopilot_again(struct settings *settings, const char *folder)
{
    struct autopilot autopilot = {.settings = settings};
    struct profile profile;
    struct run then;
    struct err err = {0};

    if (!autopilot_recall_run(folder, &autopilot.arena, &then, &err) ||
        !recall_overrides(then.settings, then.settings_count, settings, &err) ||
        !profile_parse(&profile, "the stored profile", then.profile, strlen(then.profile), settings,
                       &err) ||
        !recall_apply(then.settings, then.settings_count, settings, &err) ||
        !hooks_allowed(settings, &profile, &err)) {
        arena_free(&autopilot.arena);
        return log_error(&err);
    }
    autopilot.profile = &profile;
    autopilot_plan(&autopilot);
    autopilot_take_again(&autopilot, &then, folder);
    return autopilot_fly(&autopilot, AUTOPILOT_PREPARE);
}
