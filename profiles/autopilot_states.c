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
#include "profiles/recall.h"
#include "profiles/run_folder.h"
#include "reports/reports.h"

#define RESET_LIMIT_US  60000000
#define RESET_PAUSE_US  100000
#define SERVER_PAUSE_US 500000

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
    return a->store != NULL;
}

static bool
load_warehouses(struct autopilot *a, const struct settings *settings, struct err *err)
{
    struct loader_report report = {0};
    char elapsed[UNITS_TEXT_SIZE];
    int64_t warehouses = settings_int(settings, SET_WAREHOUSES);

    log_info("building %lld warehouse%s", (long long)warehouses, warehouses == 1 ? "" : "s");
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
read_build(const struct settings *settings, struct build_info *info, struct err *err)
{
    struct pg_target *target = pg_target_new(settings, err);
    struct pg *pg = target ? pg_connect(target, "autopilot", err) : NULL;
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

    if (!read_build(settings, info, err))
        return false;
    build_describe(info, settings_text(settings, SET_SCHEMA), found, sizeof found);
    bool absent = info->state == BUILD_NO_SCHEMA || info->state == BUILD_EMPTY;
    bool half = info->state == BUILD_UNFINISHED && a->earlier;
    if (begun || !(absent || half))
        return use_build(settings, info, found, err);
    return (absent ? load_warehouses(a, settings, err) : resume_load(a, settings, err)) &&
           read_build(settings, info, err);
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
    bool ok = true;

    for (int i = 0; ok && i < a->plan.curves_count; i++) {
        struct settings settings;
        struct build_info info = {0};
        char identity[128];
        if (a->plan.curves[i].database != i)
            continue;
        ok = plan_database_settings(&a->plan, i, a->settings, &settings, err) &&
             build_database(a, &settings, &info, err);
        settings_free(&settings);
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

    for (int i = 0; i < other->count; i++) {
        const struct fact *fact = &other->facts[i];
        bool same = false;
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
    settings_free(&settings);
    add_differences(a, &own, of->name, environment);
    if (!ok && of->name[0])
        err_prefix(err, "%s", of->name);
    return ok;
}

bool
autopilot_environment(struct autopilot *a, struct err *err)
{
    struct environment environment = {0};

    for (int i = 0; i < a->plan.curves_count; i++)
        if (!look_at_curve(a, i, &environment, err))
            return false;
    add_settings(a, &a->arena, &environment);
    if (a->earlier && a->earlier->environment.count > 0) {
        note_changes(a, &environment);
        return true;
    }
    return store_put_environment(a->store, &environment, err);
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

bool
autopilot_decide(struct autopilot *a, struct err *err)
{
    if (interrupt_signal() || !may_go_on(a, err) || a->next == a->plan.count)
        return false;
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
    a->step->procedures = a->step->call = a->step->protocol = "";
    a->planned = planned;
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

/* Connects, with patience: a server that is restarted, by whomever, comes back. */
static struct pg *
connect_patiently(struct autopilot *a, const struct pg_target *target, struct err *err)
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

bool
autopilot_reset(struct autopilot *a, struct err *err)
{
    struct err why = {0};
    struct settings settings;
    bool ok = plan_database_settings(&a->plan, a->planned->curve, a->settings, &settings, &why);
    struct pg_target *target = ok ? pg_target_new(&settings, &why) : NULL;
    struct pg *pg = target ? connect_patiently(a, target, &why) : NULL;

    ok = pg && wait_until_alone(pg, &why);

    (void)err; /* a step that fails does not end the run */
    if (!ok)
        step_failed(a, &why);
    pg_close(pg);
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
    bool ok = plan_step_settings(&a->plan, a->planned, a->settings, &settings, &why);

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
    return ok;
}

bool
autopilot_store(struct autopilot *a, struct err *err)
{
    live_step_end(&a->live, a->step);
    if (!store_put_step(a->store, a->step, err))
        return false;
    a->steps_stored++;
    a->steps_here++;
    a->failures = a->step->status == STEP_FAILED ? a->failures + 1 : 0;
    return true;
}

/* --- after the last step ---------------------------------------------------------------------- */

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

bool
autopilot_check(struct autopilot *a, struct err *err)
{
    if (interrupt_signal())
        return false;
    if (a->earlier && a->earlier->check.done && a->steps_here == 0) {
        a->check = a->earlier->check; /* nothing was measured since */
        return true;
    }
    for (int i = 0; i < a->plan.curves_count; i++) {
        const char *name = a->plan.curves[i].name;
        struct check_result one = {0};
        struct settings settings;
        if (a->plan.curves[i].database != i)
            continue;
        log_info("checking consistency%s%s", name[0] ? ": " : "", name);
        bool ok =
            plan_database_settings(&a->plan, i, a->settings, &settings, err) &&
            loader_check(&settings, "after the last step", &a->arena, i ? &one : &a->check, err);
        settings_free(&settings);
        if (!ok)
            return false;
        if (i > 0)
            join_checks(&a->check, &one);
    }
    return store_put_check(a->store, &a->check, err);
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
    a->reported = reports_write(a->folder.path, NULL, ended ? err : &ignored);
    if (a->reported && status == STEP_COMPLETE)
        autopilot_note(
            a,
            &(struct event){.what = AUTOPILOT_ENDED, .elapsed_us = -1, .bytes = -1, .detail = ""});
    return ended && a->reported;
}
