/* Owns how hooks are called and where their output goes. When they are called is the autopilot's.
 */
#include "profiles/hooks.h"

#include <string.h>

#include "common/clock.h"
#include "common/fs.h"
#include "common/log.h"

#define OUTPUT_MAX    ((size_t)1 << 20)
#define VARIABLES_MAX 16
#define TIMES_MAX     1000 /* then the last one is added to */

const char *const hook_names[] = {"before-run", "before-step", "after-step", "after-run"};

static const enum setting_id hook_settings[] = {SET_HOOK_BEFORE_RUN, SET_HOOK_BEFORE_STEP,
                                                SET_HOOK_AFTER_STEP, SET_HOOK_AFTER_RUN};

static bool
refuse(const struct profile *profile, int line, const char *name, struct err *err)
{
    err_set(err, ERR_PROFILE,
            "%s: the profile has shell commands, which run only with --allow-hooks", name);
    err_hint(err, "read them first: they run as you");
    return line > 0 ? err_prefix(err, "%s:%d", profile->path, line) : false;
}

bool
hooks_allowed(const struct settings *settings, const struct profile *profile, struct err *err)
{
    if (settings_flag(settings, SET_ALLOW_HOOKS))
        return true;
    for (int i = HOOK_BEFORE_RUN; i <= HOOK_AFTER_RUN; i++)
        if (settings_is_set(settings, hook_settings[i]))
            return refuse(profile, profile->lines[hook_settings[i]], hook_names[i], err);
    for (int i = 0; i < profile->configurations_count; i++) {
        const struct profile_configuration *configuration = &profile->configurations[i];
        if (configuration->before_step || configuration->after_step)
            return refuse(profile, configuration->line,
                          configuration->before_step ? "before-step" : "after-step", err);
    }
    return true;
}

/* --- what a hook is told ---------------------------------------------------------------------- */

struct call {
    struct arena arena;
    const char *argv[VARIABLES_MAX + 6];
    int count;
};

static void
add(struct call *call, const char *name, const char *value)
{
    must(call->count < VARIABLES_MAX);
    if (value)
        call->argv[call->count++] = arena_printf(&call->arena, "%s=%s", name, value);
}

static void
add_int(struct call *call, const char *name, int64_t value)
{
    char text[UNITS_TEXT_SIZE];

    add(call, name, units_exact_int(text, value));
}

/* A connection string may hold a secret, and arguments can be seen: it is not passed on. */
static void
add_connection(struct call *call, const struct settings *settings)
{
    const char *dbname = settings_text(settings, SET_DBNAME);

    add(call, "PGHOST", settings_text(settings, SET_HOST));
    add(call, "PGPORT", settings_text(settings, SET_PORT));
    add(call, "PGUSER", settings_text(settings, SET_USERNAME));
    if (dbname && !strchr(dbname, '=') && !strstr(dbname, "://"))
        add(call, "PGDATABASE", dbname);
}

static void
add_step(struct call *call, const struct hook *hook)
{
    const struct plan_curve *curve = &hook->plan->curves[hook->step->curve];

    add_int(call, "ORDERMILL_STEP", hook->step->number);
    add_int(call, "ORDERMILL_VIRTUAL_USERS", hook->step->virtual_users);
    add_int(call, "ORDERMILL_REPEAT", hook->step->repeat);
    add_int(call, "ORDERMILL_WAREHOUSES", settings_int(hook->settings, SET_WAREHOUSES));
    add(call, "ORDERMILL_SERVER", curve->server ? curve->server->name : "");
    add(call, "ORDERMILL_CONFIGURATION", curve->configuration ? curve->configuration->name : "");
}

/* --- running ---------------------------------------------------------------------------------- */

/* The name of the file below the folder of the run: one that is not there yet, since a step that
 * was broken off, or the beginning of a run that goes on, has its hooks a second time. */
static const char *
output_name(const struct hook *hook, struct arena *arena)
{
    const char *stem = hook->step ? arena_printf(arena, "hooks/%04d-%s", hook->step->number,
                                                 hook_names[hook->moment])
                                  : arena_printf(arena, "hooks/%s", hook_names[hook->moment]);
    const char *name = arena_printf(arena, "%s.txt", stem);

    for (int i = 2; i <= TIMES_MAX && fs_exists(fs_join(arena, hook->folder, name)); i++)
        name = arena_printf(arena, "%s.%d.txt", stem, i);
    return name;
}

static bool
call_shell(const struct hook *hook, const char *command, const char *path, size_t *printed,
           struct err *err)
{
    struct call call = {.argv = {"env"}, .count = 1};
    size_t more;

    add(&call, "ORDERMILL_RUN", hook->folder);
    add_connection(&call, hook->settings);
    if (hook->step)
        add_step(&call, hook);
    call.argv[call.count++] = "sh";
    call.argv[call.count++] = "-c";
    call.argv[call.count++] = arena_printf(&call.arena, "exec 2>&1\n%s", command);
    call.argv[call.count] = NULL;
    bool ok = fs_run_program_into(call.argv, path, OUTPUT_MAX,
                                  settings_us(hook->settings, SET_HOOK_LIMIT), &more, err);
    *printed += more;
    arena_free(&call.arena);
    return ok || err_prefix(err, "%s", hook_names[hook->moment]);
}

/* The line of the journal: how long it took, where its output is, and what went wrong. */
static void
fill_event(struct event *event, const struct hook *hook, const char *name, size_t printed,
           const struct err *err, struct arena *arena)
{
    event->step = hook->step ? hook->step->number : 0;
    event->what = hook_names[hook->moment];
    event->bytes = -1;
    event->detail = arena_printf(arena, "%s%s%zu byte%s printed, in %s", err ? err->message : "",
                                 err ? "; " : "", printed, printed == 1 ? "" : "s", name);
}

/* In their order: what the configuration sets, it sets last and takes back first. */
static void
list_commands(const struct hook *hook, const char *commands[2])
{
    const struct profile_configuration *configuration =
        hook->step ? hook->plan->curves[hook->step->curve].configuration : NULL;
    bool before = hook->moment == HOOK_BEFORE_STEP;
    const char *of_profile = settings_text(hook->settings, hook_settings[hook->moment]);
    const char *own = !configuration ? NULL
                      : before       ? configuration->before_step
                                     : configuration->after_step;

    commands[0] = before ? of_profile : own;
    commands[1] = before ? own : of_profile;
}

bool
hooks_due(const struct hook *hook)
{
    const char *commands[2];

    list_commands(hook, commands);
    return commands[0] || commands[1];
}

bool
hooks_run(const struct hook *hook, struct arena *arena, struct event *event, struct err *err)
{
    const char *commands[2];
    char elapsed[UNITS_TEXT_SIZE];
    struct err second;
    size_t printed = 0;

    *event = (struct event){0};
    if (!hooks_due(hook))
        return true;
    must(settings_flag(hook->settings, SET_ALLOW_HOOKS)); /* asked before anything begins */
    list_commands(hook, commands);
    const char *name = output_name(hook, arena);
    const char *path = fs_join(arena, hook->folder, name);
    int64_t begun_us = clock_monotonic_us();
    bool ok = fs_make_folder(fs_join(arena, hook->folder, "hooks"), err);
    /* What puts something back is due whatever became of the other one. */
    for (int i = 0; i < 2; i++)
        if (commands[i] && (ok || hook->moment == HOOK_AFTER_STEP))
            ok = call_shell(hook, commands[i], path, &printed, ok ? err : &second) && ok;
    event->elapsed_us = clock_monotonic_us() - begun_us;
    fill_event(event, hook, name, printed, ok ? NULL : err, arena);
    if (!ok)
        err_hint(err, "what it printed is in %s", path);
    log_detail("%s: %s", hook_names[hook->moment], units_duration(elapsed, event->elapsed_us));
    return ok;
}
