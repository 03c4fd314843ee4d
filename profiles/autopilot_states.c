/* What the autopilot does before the first step and after the last one; the steps are in
 * autopilot_steps.c. Which state follows is the table's business. */
#include "profiles/autopilot_states.h"

#include <string.h>

#include "common/build.h"
#include "common/clock.h"
#include "common/interrupt.h"
#include "common/log.h"
#include "common/units.h"
#include "common/version.h"
#include "loader/loader.h"
#include "profiles/recall.h"
#include "profiles/run_folder.h"
#include "reports/reports.h"

#define LOAD_WAREHOUSE_US INT64_C(120000000) /* that a slow server may take for each */

/* --- before the first step -------------------------------------------------------------------- */

bool
autopilot_prepare(struct autopilot *a, struct err *err)
{
    int64_t now_us = clock_wall_us();
    const char *output = settings_text(a->settings, SET_OUTPUT);
    struct run run = {.name = a->profile->name,
                      .kit_version = KIT_VERSION,
                      .profile = a->profile->text,
                      .build = "",
                      .started_wall_us = now_us,
                      .status = STEP_INTERRUPTED, /* until the end says otherwise */
                      .steps_planned = a->plan.count,
                      .check = {.moment = ""}};

    run.settings = recall_list(&a->arena, a->settings, &run.settings_count);
    run.fingerprint = recall_fingerprint(&a->arena, run.profile, run.settings, run.settings_count);
    if (!output)
        output = run_folder_name(&a->arena, a->profile->name, now_us);
    if (!run_folder_make(&a->folder, output, run_folder_need(a->plan.count, a->plan.step_us), err))
        return false;
    a->store = store_create(a->folder.path, &run, err);
    if (!a->store)
        run_folder_discard(&a->folder);
    else
        log_info("results go to %s", a->folder.path);
    if (a->store && a->again)
        autopilot_note(
            a, &(struct event){
                   .what = AUTOPILOT_AGAIN, .elapsed_us = -1, .bytes = -1, .detail = a->again});
    return a->store != NULL;
}

static bool
load_warehouses(struct autopilot *a, const struct settings *settings, struct err *err)
{
    struct loader_report report = {0};
    char elapsed[UNITS_TEXT_SIZE];
    int64_t warehouses = settings_int(settings, SET_WAREHOUSES);

    log_info("building %lld warehouse%s", (long long)warehouses, warehouses == 1 ? "" : "s");
    autopilot_keep_limit("the load",
                         settings_us(a->settings, SET_PATIENCE) + LOAD_WAREHOUSE_US * warehouses);
    if (!loader_load(settings, &a->arena, &report, err))
        return false;
    log_info("built in %s", units_duration(elapsed, (int64_t)(report.elapsed_s * 1e6)));
    return true;
}

/* Whether what is there is what the profile asks for. A profile that does not say how many
 * warehouses takes what it finds. */
static bool
use_build(const struct settings *settings, const struct build_info *info, const char *found,
          struct err *err)
{
    bool asked = settings->values[SET_WAREHOUSES].source != SETTING_DEFAULT;
    int64_t wanted = settings_int(settings, SET_WAREHOUSES);

    if (info->state != BUILD_COMPLETE) {
        err_set(err, ERR_SERVER, "%s", found);
        if (info->state == BUILD_UNFINISHED)
            err_hint(err, "complete it with \"ordermill load --resume\"");
        else
            err_hint(err, "name another schema, or see \"ordermill load --replace\"");
        return false;
    }
    if (asked && info->warehouses != wanted) {
        err_set(err, ERR_SERVER, "%s; the profile asks for %lld", found, (long long)wanted);
        err_hint(err, "change the profile, or name another schema with --schema");
        return false;
    }
    log_info("%s", found);
    return true;
}

/* A run that goes on completes the load that it began. */
static bool
resume_load(struct autopilot *a, struct settings *settings, struct err *err)
{
    return settings_set(settings, SET_RESUME_LOAD, "true", SETTING_OPTION, err) &&
           load_warehouses(a, settings, err);
}

static bool
read_build(struct autopilot *a, const struct settings *settings, struct build_info *info,
           struct err *err)
{
    struct pg_target *target = pg_target_new(settings, err);
    /* A run that goes on after a reboot may well be faster than the server. */
    struct pg *pg = target && a->earlier ? autopilot_connect(a, target, err)
                    : target             ? pg_connect(target, "autopilot", err)
                                         : NULL;
    bool ok = pg && build_read(pg, settings_text(settings, SET_SCHEMA), info, err);

    pg_close(pg);
    pg_target_free(target);
    return ok;
}

static bool
build_database(struct autopilot *a, struct settings *settings, struct build_info *info,
               struct err *err)
{
    bool begun = a->earlier && a->earlier->build[0];
    char found[256];

    autopilot_keep_limit("build", settings_us(a->settings, SET_PATIENCE));
    if (!read_build(a, settings, info, err))
        return false;
    build_describe(info, settings_text(settings, SET_SCHEMA), found, sizeof found);
    bool absent = info->state == BUILD_NO_SCHEMA || info->state == BUILD_EMPTY;
    bool half = info->state == BUILD_UNFINISHED && a->earlier;
    if (begun || !(absent || half))
        return use_build(settings, info, found, err);
    return (absent ? load_warehouses(a, settings, err) : resume_load(a, settings, err)) &&
           read_build(a, settings, info, err);
}

/* The run is about these loads: what was measured on another one is another run. */
static bool
keep_identities(struct autopilot *a, const char *identities, struct err *err)
{
    const char *before = a->earlier ? a->earlier->build : "";

    if (!before[0])
        return store_put_build(a->store, identities, err);
    if (strcmp(before, identities) == 0)
        return true;
    err_set(err, ERR_SERVER, "schema \"%s\" is not the one that this run began with: it holds %s",
            settings_text(a->settings, SET_SCHEMA), identities);
    err_hint(err, "the run was on %s", before);
    return false;
}

bool
autopilot_build(struct autopilot *a, struct err *err)
{
    struct buf identities = {0};
    bool ok = autopilot_hook(a, HOOK_BEFORE_RUN, err);

    for (int i = 0; ok && i < a->plan.curves_count; i++) {
        struct settings settings;
        struct build_info info = {0};
        char identity[128];
        if (a->plan.curves[i].database != i)
            continue;
        ok = plan_database_settings(&a->plan, i, a->settings, &settings, err) &&
             build_database(a, &settings, &info, err);
        settings_free(&settings);
        if (info.warehouses > a->warehouses)
            a->warehouses = info.warehouses;
        if (ok)
            build_identity(&info, identity, sizeof identity);
        if (ok)
            buf_printf(&identities, "%s%s", identities.length ? "; " : "", identity);
    }
    ok = ok && keep_identities(a, buf_text(&identities), err);
    buf_free(&identities);
    return ok;
}

/* --- the environment -------------------------------------------------------------------------- */

/* The step of a curve that has most virtual users. */
static const struct plan_step *
largest_step(const struct plan *plan, int curve)
{
    const struct plan_step *largest = NULL;

    for (int i = 0; i < plan->count; i++) {
        const struct plan_step *step = &plan->steps[i];
        if (step->curve == curve && (!largest || step->virtual_users > largest->virtual_users))
            largest = step;
    }
    return largest;
}

/* What the profile language can say, as it was in force, and who said it. */
static void
add_settings(const struct autopilot *a, struct arena *arena, struct environment *environment)
{
    static const char *const sources[] = {"", "default", "profile", "option"};

    for (int id = 0; id < SETTINGS_COUNT; id++) {
        const struct setting_spec *spec = &setting_specs[id];
        const struct setting_value *value = &a->settings->values[id];
        bool about_server = strncmp(spec->xml, "connection@", strlen("connection@")) == 0;
        /* Of the layout, the database tells what it really is. */
        bool about_layout = id >= SET_TABLESPACE && id <= SET_INDEX_WORKERS;
        if (spec->xml[0] && !about_server && value->source != SETTING_UNSET &&
            (!about_layout || value->source != SETTING_DEFAULT))
            environment_add(environment, arena, "kit", spec->name, value->text,
                            sources[value->source]);
    }
    for (int i = 0; i < a->profile->configurations_count; i++) {
        const struct profile_configuration *of = &a->profile->configurations[i];
        environment_add(environment, arena, "kit",
                        arena_printf(arena, "configuration %s", of->name),
                        of->session_settings ? of->session_settings : "no settings of its own",
                        sources[SETTING_PROFILE]);
    }
}

/* What is different about the server since the run began: its later steps are not quite like its
 * earlier ones, and the journal says why. */
static void
note_changes(struct autopilot *a, const struct environment *now)
{
    const struct environment *before = &a->earlier->environment;

    for (int i = 0; i < before->count; i++) {
        const struct fact *fact = &before->facts[i];
        const char *value = environment_find(now, fact->group, fact->name);
        bool fixed = strcmp(fact->group, "setting") == 0 ||
                     (strcmp(fact->group, "server") == 0 && strcmp(fact->name, "version") == 0);
        if (!fixed || (value && strcmp(value, fact->value) == 0))
            continue;
        const char *detail = arena_printf(&a->arena, "%s was %s when the run began, and is %s",
                                          fact->name, fact->value, value ? value : "not known");
        log_warning("%s", detail);
        autopilot_note(
            a, &(struct event){
                   .what = "server changed", .elapsed_us = -1, .bytes = -1, .detail = detail});
    }
}

/* What another database has otherwise than the first one, by the names of its curve. */
static void
add_differences(struct autopilot *a, const struct environment *other, const char *name,
                struct environment *environment)
{
    int count = environment->count;

    environment_add_findings(environment, &a->arena, other, name);
    for (int i = 0; i < other->count; i++) {
        const struct fact *fact = &other->facts[i];
        bool same = strcmp(fact->group, "client") == 0; /* the driver is where it was */
        for (int k = 0; k < count && !same; k++)
            same = strcmp(environment->facts[k].group, fact->group) == 0 &&
                   strcmp(environment->facts[k].name, fact->name) == 0 &&
                   strcmp(environment->facts[k].value, fact->value) == 0;
        if (!same)
            environment_add(environment, &a->arena, fact->group,
                            arena_printf(&a->arena, "%s: %s", name, fact->name), fact->value,
                            fact->detail);
    }
}

/* A search begins with one load and may end with another. What the profile asks for must be
 * possible; without that, the search goes as far as there are connections. A run that goes on keeps
 * the limits that it had, or it would not find its steps again. */
static bool
limit_search(struct autopilot *a, int curve, struct driver_options *options, struct err *err)
{
    int asked = a->search.most[curve], room;

    options->virtual_users = asked;
    if (a->search.most_is_asked)
        return driver_preflight(options, err) || err_prefix(err, "search up to %d", asked);
    if ((a->earlier && a->earlier->environment.count > 0))
        return true;
    if (!driver_room(options, &room, err))
        return false;
    if (room >= asked)
        return true;
    search_limit(&a->search, curve, room);
    const char *detail = arena_printf(
        &a->arena, AUTOPILOT_LIMIT_TEXT ": more connections are not free", curve + 1, room);
    log_info("search: %s", detail);
    autopilot_note(
        a, &(struct event){
               .what = AUTOPILOT_SEARCH_LIMIT, .elapsed_us = -1, .bytes = -1, .detail = detail});
    return true;
}

/* Whether the largest step of the curve could run; of each database, what it is. */
static bool
look_at_curve(struct autopilot *a, int curve, struct environment *environment, struct err *err)
{
    const struct plan_curve *of = &a->plan.curves[curve];
    struct settings settings;
    struct driver_options options;
    struct environment own = {0};
    bool ok =
        plan_step_settings(&a->plan, largest_step(&a->plan, curve), a->settings, &settings, err);

    if (ok) {
        driver_options_from(&options, &settings);
        ok = driver_preflight(&options, err);
    }
    if (ok && of->database == curve)
        ok = driver_environment(&options, &a->arena, curve == 0 ? environment : &own, err);
    ok = ok && (!a->search.on || limit_search(a, curve, &options, err));
    settings_free(&settings);
    add_differences(a, &own, of->name, environment);
    if (!ok && of->name[0])
        err_prefix(err, "%s", of->name);
    return ok;
}

struct template *
autopilot_template(const struct autopilot *a, int curve)
{
    return a->templates ? &a->templates[a->plan.curves[curve].database] : NULL;
}

/* The copies are made later; whether they can be made is seen here. */
static bool
open_templates(struct autopilot *a, struct err *err)
{
    bool ok = true;

    if (strcmp(settings_choice(a->settings, SET_RESET), "template") != 0)
        return true;
    a->templates = arena_array(&a->arena, (size_t)a->plan.curves_count, sizeof *a->templates);
    for (int i = 0; ok && i < a->plan.curves_count; i++) {
        struct settings settings;
        if (a->plan.curves[i].database != i)
            continue;
        ok = plan_database_settings(&a->plan, i, a->settings, &settings, err) &&
             template_open(&a->templates[i], &a->arena, &settings, err);
        settings_free(&settings);
        if (!ok && a->plan.curves[i].name[0])
            err_prefix(err, "%s", a->plan.curves[i].name);
    }
    return ok;
}

static void
drop_copy(struct autopilot *a, int curve)
{
    struct settings settings;
    struct err err = {0};

    autopilot_keep_limit("dropping the copy", settings_us(a->settings, SET_PATIENCE));
    if (!plan_database_settings(&a->plan, curve, a->settings, &settings, &err) ||
        !template_drop(&a->templates[curve], &settings, &err))
        log_warning("%s", err.message);
    settings_free(&settings);
}

/* A run that was ended by a signal may go on, and then checks the copies it has. Where schemas
 * share a database, the copy is gone with the first of them, which is fine. */
void
autopilot_drop_copies(struct autopilot *a)
{
    for (int i = 0; a->templates && i < a->plan.curves_count; i++) {
        if (a->plan.curves[i].database != i || !a->templates[i].copy)
            continue;
        if (interrupt_signal())
            log_info("database %s stays for --resume", a->templates[i].copy);
        else
            drop_copy(a, i);
    }
}

bool
autopilot_environment(struct autopilot *a, struct err *err)
{
    struct environment environment = {0};

    if (!open_templates(a, err))
        return false;
    for (int i = 0; i < a->plan.curves_count; i++)
        if (!look_at_curve(a, i, &environment, err))
            return false;
    add_settings(a, &a->arena, &environment);
    if (a->earlier && a->earlier->environment.count > 0) {
        note_changes(a, &environment);
        return true;
    }
    return store_put_environment(a->store, &environment, err) && autopilot_check_before(a, err);
}

/* --- after the last step ---------------------------------------------------------------------- */

bool
autopilot_check(struct autopilot *a, struct err *err)
{
    if (interrupt_signal())
        return false;
    if (strcmp(settings_choice(a->settings, SET_CHECKS), "none") == 0)
        return true;
    if (a->earlier && a->earlier->check.done && a->steps_here == 0) {
        a->check = a->earlier->check; /* nothing was measured since */
        return true;
    }
    return autopilot_check_all(a, "after the last step", &a->check, err) &&
           store_put_check(a->store, &a->check, err);
}

bool
autopilot_report(struct autopilot *a, struct err *err)
{
    enum step_status status = STEP_COMPLETE;

    if (a->steps_stored == 0)
        return true; /* nothing to report, and the folder is about to go */
    if (interrupt_signal())
        status = STEP_INTERRUPTED;
    else if (a->failure.code != ERR_NONE)
        status = STEP_FAILED;
    if ((a->search.on || a->search.repeats) && status != STEP_COMPLETE &&
        a->search.curve < a->plan.curves_count) {
        struct buf outcome = {0};
        search_outcome(&a->search, &a->plan, &outcome);
        autopilot_note_search(a, buf_text(&outcome));
        buf_free(&outcome);
    }
    log_info("writing the report");
    /* The report is worth trying even where the store can no longer be written. */
    struct err ignored = {0};
    bool ended = store_end(a->store, status, clock_wall_us(), err);
    a->reported = reports_write(a->folder.path, NULL, ended ? err : &ignored);
    if (a->reported && status == STEP_COMPLETE)
        autopilot_note(
            a,
            &(struct event){.what = AUTOPILOT_ENDED, .elapsed_us = -1, .bytes = -1, .detail = ""});
    return ended && a->reported;
}
