/* The shell commands of a profile. They run only with --allow-hooks, each for a limited time, and
 * what they print is kept, as they print it, in the folder "hooks" of the run:
 * 0003-before-step.txt, before-run.txt; before-run.2.txt where the run went on and has it a second
 * time. */
#ifndef ORDERMILL_PROFILES_HOOKS_H
#define ORDERMILL_PROFILES_HOOKS_H

#include "common/result.h"
#include "profiles/plan.h"

enum hook_moment { HOOK_BEFORE_RUN, HOOK_BEFORE_STEP, HOOK_AFTER_STEP, HOOK_AFTER_RUN };
extern const char *const hook_names[]; /* "before-run", ... */

struct hook {
    enum hook_moment moment;
    const char *folder;              /* of the run */
    const struct settings *settings; /* of the step, or of the run */
    const struct plan *plan;
    const struct plan_step *step; /* NULL: of the run */
};

/* A profile with hooks, and no --allow-hooks: false, ERR_PROFILE with its line. */
MUST_CHECK bool hooks_allowed(const struct settings *settings, const struct profile *profile,
                              struct err *err);

/* Whether there is anything to run at that moment. */
bool hooks_due(const struct hook *hook);

/* Runs what the profile has for that moment, then what the configuration of the step has (after a
 * step the other way round); nothing is fine. The commands get PGHOST, PGPORT, PGUSER and
 * PGDATABASE where the settings name them, and ORDERMILL_RUN, _STEP, _VIRTUAL_USERS, _REPEAT,
 * _WAREHOUSES, _SERVER, _CONFIGURATION. False when one fails or takes too long: ERR_LOCAL, with
 * the name of the file in a hint. `event` becomes the line of the journal about it, texts in the
 * arena; its `what` is NULL where there was nothing to run. */
MUST_CHECK bool hooks_run(const struct hook *hook, struct arena *arena, struct event *event,
                          struct err *err);

#endif
