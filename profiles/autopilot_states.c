/* One function for each state of the autopilot. Which state follows is the table's business. */
#include "profiles/autopilot_states.h"

#include <string.h>

#include "common/build.h"
#include "common/clock.h"
#include "common/interrupt.h"
#include "common/log.h"
#include "common/units.h"
#include "common/version.h"
#include "loader/loader.h"
#include "profiles/run_folder.h"
#include "reports/reports.h"

#define RESET_LIMIT_US 60000000
#define RESET_PAUSE_US 100000

/* --- before the first step -------------------------------------------------------------------- */

bool
autopilot_prepare(struct autopilot *a, struct err *err)
{
    int64_t now_us = clock_wall_us();
    const char *output = settings_text(a->settings, SET_OUTPUT);
    struct run run = {.name = a->profile->name,
                      .kit_version = KIT_VERSION,
                      .profile = a->profile->text,
                      .started_wall_us = now_us,
                      .status = STEP_INTERRUPTED, /* until the end says otherwise */
                      .steps_planned = a->plan.count,
                      .check = {.moment = ""}};

    a->folder = output ? output : run_folder_name(&a->arena, a->profile->name, now_us);
    if (!run_folder_make(a->folder, &a->folder_made, err))
        return false;
    a->store = store_create(a->folder, &run, err);
    if (!a->store && a->folder_made)
        run_folder_discard(a->folder, true);
    if (a->store)
        log_info("results go to %s", a->folder);
    return a->store != NULL;
}

static bool
load_warehouses(struct autopilot *a, struct err *err)
{
    struct loader_report report = {0};
    char elapsed[UNITS_TEXT_SIZE];
    int64_t warehouses = settings_int(a->settings, SET_WAREHOUSES);

    log_info("building %lld warehouse%s", (long long)warehouses, warehouses == 1 ? "" : "s");
    if (!loader_load(a->settings, &a->arena, &report, err))
        return false;
    log_info("built in %s", units_duration(elapsed, (int64_t)(report.elapsed_s * 1e6)));
    return true;
}

/* Whether what is there is what the profile asks for. A profile that does not say how many
 * warehouses takes what it finds. */
static bool
use_build(struct autopilot *a, const struct build_info *info, const char *found, struct err *err)
{
    bool asked = a->settings->values[SET_WAREHOUSES].source != SETTING_DEFAULT;
    int64_t wanted = settings_int(a->settings, SET_WAREHOUSES);

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

bool
autopilot_build(struct autopilot *a, struct err *err)
{
    const char *schema = settings_text(a->settings, SET_SCHEMA);
    struct pg_target *target = pg_target_new(a->settings, err);
    struct pg *pg = target ? pg_connect(target, "autopilot", err) : NULL;
    struct build_info info = {0};
    char found[256];
    bool ok = pg && build_read(pg, schema, &info, err);

    pg_close(pg);
    pg_target_free(target);
    if (!ok)
        return false;
    if (info.state == BUILD_NO_SCHEMA || info.state == BUILD_EMPTY)
        return load_warehouses(a, err);
    build_describe(&info, schema, found, sizeof found);
    return use_build(a, &info, found, err);
}

/* --- the environment -------------------------------------------------------------------------- */

static int
largest_level(const struct plan *plan)
{
    int largest = 0;

    for (int i = 0; i < plan->count; i++) {
        if (plan->steps[i].virtual_users > largest)
            largest = plan->steps[i].virtual_users;
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
}

bool
autopilot_environment(struct autopilot *a, struct err *err)
{
    struct driver_options options;
    struct environment environment = {0};

    driver_options_from(&options, a->settings);
    options.virtual_users = largest_level(&a->plan);
    if (!driver_preflight(&options, err) ||
        !driver_environment(&options, &a->arena, &environment, err))
        return false;
    add_settings(a, &a->arena, &environment);
    return store_put_environment(a->store, &environment, err);
}

/* --- a step ----------------------------------------------------------------------------------- */

bool
autopilot_decide(struct autopilot *a, struct err *err)
{
    (void)err;
    if (interrupt_signal() || a->next == a->plan.count)
        return false;
    const struct plan_step *planned = &a->plan.steps[a->next++];
    arena_free(&a->step_arena);
    a->step = arena_alloc(&a->step_arena, sizeof *a->step);
    a->step->number = planned->number;
    a->step->repeat = planned->repeat;
    a->step->virtual_users = planned->virtual_users;
    a->step->ramp_up_us = a->plan.ramp_up_us;
    a->step->measure_us = a->plan.measure_us;
    a->step->configuration = a->step->isolation = a->step->reason = "";
    step_growth_unknown(a->step);
    a->step->procedures = a->step->call = a->step->protocol = "";
    live_step_begin(&a->live, planned, clock_monotonic_us());
    return true;
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

/* Sessions of the kit that work, or did: what a step before has left, or another ordermill. */
static bool
wait_until_alone(struct pg *pg, struct err *err)
{
    static const char sql[] = "SELECT count(*) FROM pg_stat_activity"
                              " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                              " AND application_name LIKE 'ordermill %'";
    int64_t end_us = clock_monotonic_us() + RESET_LIMIT_US;
    int64_t sessions = 0;

    while (pg_query_int(pg, sql, &sessions, err)) {
        if (sessions == 0)
            return true;
        if (interrupt_check(err))
            return false;
        if (clock_monotonic_us() > end_us)
            return err_set(err, ERR_SERVER,
                           "%lld other session%s of ordermill in this database after 60 s",
                           (long long)sessions, sessions == 1 ? "" : "s");
        clock_sleep_us(RESET_PAUSE_US);
    }
    return false;
}

bool
autopilot_reset(struct autopilot *a, struct err *err)
{
    struct err why = {0};
    struct pg_target *target = pg_target_new(a->settings, &why);
    struct pg *pg = target ? pg_connect(target, "autopilot", &why) : NULL;
    bool ok = pg && wait_until_alone(pg, &why);

    (void)err; /* a step that fails does not end the run */
    if (!ok)
        step_failed(a, &why);
    pg_close(pg);
    pg_target_free(target);
    return ok;
}

bool
autopilot_step(struct autopilot *a, struct err *err)
{
    struct driver_options options;
    struct err why = {0};

    (void)err;
    driver_options_from(&options, a->settings);
    options.virtual_users = a->step->virtual_users;
    options.seed = plan_seed(a->step->virtual_users, a->step->repeat, options.seed);
    options.progress = live_show;
    options.progress_context = &a->live;
    if (!driver_step(&options, &a->step_arena, a->step, &why)) {
        step_failed(a, &why);
        return false;
    }
    a->steps_measured++;
    return true;
}

bool
autopilot_store(struct autopilot *a, struct err *err)
{
    live_step_end(&a->live, a->step);
    if (!store_put_step(a->store, a->step, err))
        return false;
    a->steps_stored++;
    return true;
}

/* --- after the last step ---------------------------------------------------------------------- */

bool
autopilot_check(struct autopilot *a, struct err *err)
{
    if (interrupt_signal())
        return false;
    log_info("checking consistency");
    return loader_check(a->settings, "after the last step", &a->arena, &a->check, err) &&
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
    log_info("writing the report");
    /* The report is worth trying even where the store can no longer be written. */
    struct err ignored = {0};
    bool ended = store_end(a->store, status, clock_wall_us(), err);
    a->reported = reports_write(a->folder, NULL, ended ? err : &ignored);
    return ended && a->reported;
}
