/* The whole load, phase after phase; see loader.h. Decides what is to be done from what is there,
 * and records each phase. What the phases do lies in ddl.c, copy.c and check.c. */
#include "loader/loader.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/log.h"
#include "common/sql.h"
#include "common/units.h"
#include "loader/check.h"
#include "loader/copy.h"
#include "loader/ddl.h"
#include "loader/team.h"

enum { JOBS_DEFAULT_MAX = 8 };

struct load {
    const struct settings *settings;
    const char *schema;
    struct pg_target *target;
    struct pg *pg;
    struct build_info info;
    int jobs;
    struct arena *arena;
    struct loader_report *report;
};

int
loader_jobs(const struct settings *settings)
{
    if (settings_is_set(settings, SET_JOBS))
        return (int)settings_int(settings, SET_JOBS);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > JOBS_DEFAULT_MAX ? JOBS_DEFAULT_MAX : (int)cores;
}

/* --- the phases ------------------------------------------------------------------------------- */

static bool
create(struct pg *pg, void *context, struct err *err)
{
    const struct load *load = context;

    return ddl_create(pg, load->schema, &load->info, err);
}

static bool
phase_ddl(struct load *load, struct err *err)
{
    return team_run_one(load->target, "load", create, load, err);
}

static bool
phase_data(struct load *load, struct err *err)
{
    struct copy_result result = {0};
    bool ok =
        copy_chunks(load->target, load->pg, load->schema, &load->info, load->jobs, &result, err);

    load->report->rows = result.rows;
    load->report->bytes = result.bytes;
    load->report->jobs = result.jobs;
    return ok;
}

struct index_context {
    const struct load *load;
    struct ddl_index_task *tasks;
};

static bool
index_task(struct team *team, struct pg *pg, int task, void *context, struct err *err)
{
    struct index_context *indexes = context;

    (void)team;
    log_detail("indexes of %s", indexes->tasks[task].table);
    return ddl_build_indexes(pg, indexes->load->schema, &indexes->tasks[task], err);
}

static bool
phase_indexes(struct load *load, struct err *err)
{
    struct index_context context = {.load = load};
    int count = ddl_index_tasks(load->arena, load->schema, &context.tasks);

    return team_run(&(struct team_plan){.target = load->target,
                                        .purpose = "load",
                                        .jobs = load->jobs,
                                        .tasks = count,
                                        .task = index_task,
                                        .context = &context},
                    err);
}

static bool
install_procedures(struct pg *pg, void *context, struct err *err)
{
    const struct load *load = context;

    return ddl_procedures(pg, load->schema, err);
}

static bool
phase_procedures(struct load *load, struct err *err)
{
    return team_run_one(load->target, "load", install_procedures, load, err);
}

/* What the server refuses here is a note: the data are complete, only plans may be worse. */
static bool
analyze_task(struct team *team, struct pg *pg, int task, void *context, struct err *err)
{
    const struct load *load = context;
    struct arena arena = {0};
    char *name = arena_printf(&arena, "VACUUM (ANALYZE) ordermill.%s", ddl_tables[task]);
    bool ok = pg_exec(pg, sql_for_schema(&arena, name, load->schema), err);

    if (!ok && err->code == ERR_SERVER && !team_stopping(team)) {
        log_warning("vacuum of %s: %s", ddl_tables[task], err->message);
        ok = true;
    }
    arena_free(&arena);
    return ok;
}

static bool
phase_analyze(struct load *load, struct err *err)
{
    int count = 0;

    while (ddl_tables[count])
        count++;
    return team_run(&(struct team_plan){.target = load->target,
                                        .purpose = "load",
                                        .jobs = load->jobs,
                                        .tasks = count,
                                        .task = analyze_task,
                                        .context = load},
                    err);
}

static bool
phase_check(struct load *load, struct err *err)
{
    return check_run(load->target, load->schema, load->info.warehouses, load->jobs, "after load",
                     load->arena, &load->report->check, err) &&
           check_judge(&load->report->check, err);
}

static const struct {
    bool (*run)(struct load *load, struct err *err);
    bool records_itself; /* in the transaction of what it does */
    const char *saying;
} phases[BUILD_PHASES] = {
    [BUILD_DDL] = {phase_ddl, true, "creating the tables"},
    [BUILD_DATA] = {phase_data, false, "loading"},
    [BUILD_INDEXES] = {phase_indexes, false, "building the indexes"},
    [BUILD_PROCEDURES] = {phase_procedures, true, "installing the procedures"},
    [BUILD_ANALYZE] = {phase_analyze, false, "vacuuming and analyzing"},
    [BUILD_CHECK] = {phase_check, false, "checking"},
};

static bool
run_phase(struct load *load, enum build_phase phase, struct err *err)
{
    int64_t started_us = clock_monotonic_us();
    char text[UNITS_TEXT_SIZE];

    log_detail("%s", phases[phase].saying);
    bool ok = phases[phase].run(load, err);
    int64_t elapsed_us = clock_monotonic_us() - started_us;
    load->report->phase_s[phase] = (double)elapsed_us / 1e6;
    if (!ok)
        return false;
    if (!phases[phase].records_itself &&
        !ddl_record_phase(load->pg, load->schema, phase, load->report->phase_s[phase], "", err))
        return false;
    load->info.phases[phase] = true;
    log_info("%-10s %s", build_phase_names[phase], units_duration(text, elapsed_us));
    return true;
}

/* --- what is to be done ----------------------------------------------------------------------- */

static void
plan_fresh_load(struct load *load)
{
    load->info.schema_created |= load->info.state == BUILD_NO_SCHEMA;
    load->info.warehouses = (int)settings_int(load->settings, SET_WAREHOUSES);
    load->info.seed = settings_int(load->settings, SET_SEED);
    load->info.c_load = workload_c_load((uint64_t)load->info.seed);
    load->info.loaded_at_us = clock_wall_us() / 1000000 * 1000000;
}

/* A number given on the command line must be what the schema was begun with. */
static bool
agrees(const struct load *load, enum setting_id id, int64_t begun_with, struct err *err)
{
    if (load->settings->values[id].source != SETTING_OPTION ||
        settings_int(load->settings, id) == begun_with)
        return true;
    return err_set(err, ERR_USAGE,
                   "--%s: \"%" PRId64 "\" is not the %" PRId64 " that schema \"%s\" was begun with",
                   setting_specs[id].name, settings_int(load->settings, id), begun_with,
                   load->schema);
}

static bool
drop(struct pg *pg, void *context, struct err *err)
{
    struct load *load = context;
    bool schema_dropped;

    if (!ddl_drop(pg, load->schema, &load->info, &schema_dropped, err))
        return false;
    load->info = (struct build_info){.state = schema_dropped ? BUILD_NO_SCHEMA : BUILD_EMPTY,
                                     .schema_created = load->info.schema_created};
    return true;
}

static bool
replace(struct load *load, struct err *err)
{
    if (build_is_ours(&load->info))
        return team_run_one(load->target, "load", drop, load, err);
    return load->info.state != BUILD_FOREIGN ||
           build_refuse(load->pg, load->schema, &load->info, err);
}

/* The state a fresh load may begin from; everything else is explained. */
static bool
require_room(struct load *load, struct err *err)
{
    char text[512];

    if (load->info.state == BUILD_NO_SCHEMA || load->info.state == BUILD_EMPTY)
        return true;
    if (load->info.state != BUILD_COMPLETE)
        return build_refuse(load->pg, load->schema, &load->info, err);
    build_describe(&load->info, load->schema, text, sizeof text);
    err_set(err, ERR_SERVER, "%s already", text);
    err_hint(err, "--replace drops them first; another --schema leaves them alone");
    return false;
}

/* Into an existing build: resume, or one phase of it. */
static bool
require_begun(struct load *load, struct err *err)
{
    if (load->info.state != BUILD_UNFINISHED && load->info.state != BUILD_COMPLETE)
        return build_refuse(load->pg, load->schema, &load->info, err);
    return agrees(load, SET_WAREHOUSES, load->info.warehouses, err) &&
           agrees(load, SET_SEED, load->info.seed, err);
}

static bool
prepare(struct load *load, enum build_phase only, struct err *err)
{
    bool resume = settings_flag(load->settings, SET_RESUME_LOAD);

    if (resume && settings_flag(load->settings, SET_REPLACE))
        return err_set(err, ERR_USAGE, "--resume and --replace exclude each other");
    if (!build_require(load->pg, load->schema, BUILD_FOR_LOAD, &load->info, err))
        return false;
    if (resume || (only != BUILD_PHASES && only != BUILD_DDL))
        return require_begun(load, err);
    if (settings_flag(load->settings, SET_REPLACE) && !replace(load, err))
        return false;
    if (!require_room(load, err))
        return false;
    plan_fresh_load(load);
    return true;
}

/* Phase `only` of an existing build, if what it stands on is there. Repeating one is fine where it
 * does no harm. */
static bool
run_one_phase(struct load *load, enum build_phase only, struct err *err)
{
    enum build_phase last_needed = only == BUILD_PROCEDURES ? BUILD_DATA : only;

    for (int phase = BUILD_DDL; phase < (int)last_needed && phase <= BUILD_INDEXES; phase++) {
        if (!load->info.phases[phase]) {
            err_set(err, ERR_SERVER, "--only %s: phase %s of schema \"%s\" is not complete",
                    build_phase_names[only], build_phase_names[phase], load->schema);
            err_hint(err, "ordermill load --resume does all that is missing");
            return false;
        }
    }
    if (only == BUILD_DATA && load->info.phases[only]) {
        log_info("phase %s of schema \"%s\" is complete", build_phase_names[only], load->schema);
        return true;
    }
    return run_phase(load, only, err);
}

static bool
run_phases(struct load *load, struct err *err)
{
    bool done = true;

    for (int phase = 0; phase < BUILD_PHASES; phase++) {
        bool complete = load->info.phases[phase];

        if (phase == BUILD_PROCEDURES)
            complete = complete && load->info.procedures_current;
        if (complete)
            continue;
        done = false;
        if (!run_phase(load, (enum build_phase)phase, err))
            return false;
    }
    if (done)
        log_info("schema \"%s\" is complete; nothing is left to do", load->schema);
    return true;
}

/* --- the load --------------------------------------------------------------------------------- */

static void
limit_jobs(struct load *load)
{
    int chunks = load->info.warehouses + 1;

    load->jobs = loader_jobs(load->settings);
    if (load->jobs > chunks) {
        if (settings_is_set(load->settings, SET_JOBS))
            log_info("%d jobs instead of %d: each loads a warehouse, or the item table", chunks,
                     load->jobs);
        load->jobs = chunks;
    }
    load->report->warehouses = load->info.warehouses;
    load->report->jobs = load->jobs;
}

static void
hint_how_to_go_on(const struct load *load, struct err *err)
{
    if (!load->info.phases[BUILD_DDL] || err->hint[0] || err->code == ERR_USAGE ||
        err->code == ERR_INCONSISTENT)
        return;
    const char *before = strcmp(err->sqlstate, "53100") == 0
                             ? "free space on the server's disk, then "
                             : "what is committed stays; ";
    if (strcmp(load->schema, "ordermill") == 0)
        err_hint(err, "%sordermill load --resume completes it", before);
    else
        err_hint(err, "%sordermill load --schema '%s' --resume completes it", before, load->schema);
}

static bool
run_load(struct load *load, struct err *err)
{
    enum build_phase only = settings_is_set(load->settings, SET_ONLY)
                                ? (enum build_phase)settings_int(load->settings, SET_ONLY)
                                : BUILD_PHASES;

    if (!team_lift_limits(load->pg, err) || !prepare(load, only, err))
        return false;
    limit_jobs(load);
    if (only != BUILD_PHASES ? run_one_phase(load, only, err) : run_phases(load, err))
        return true;
    hint_how_to_go_on(load, err);
    return false;
}

bool
loader_load(const struct settings *settings, struct arena *arena, struct loader_report *report,
            struct err *err)
{
    struct load load = {.settings = settings,
                        .schema = settings_text(settings, SET_SCHEMA),
                        .arena = arena,
                        .report = report};
    int64_t started_us = clock_monotonic_us(), user_us, system_us, user_before_us, system_before_us;
    bool ok = false;

    *report = (struct loader_report){0};
    clock_process_cpu_us(&user_before_us, &system_before_us);
    if (!sql_check_schema(load.schema, err) || !(load.target = pg_target_new(settings, err)))
        return false;
    load.pg = pg_connect(load.target, "load", err);
    if (load.pg)
        ok = run_load(&load, err);
    pg_close(load.pg);
    pg_target_free(load.target);
    clock_process_cpu_us(&user_us, &system_us);
    report->elapsed_s = (double)(clock_monotonic_us() - started_us) / 1e6;
    report->client_user_s = (double)(user_us - user_before_us) / 1e6;
    report->client_cpu_s = report->client_user_s + (double)(system_us - system_before_us) / 1e6;
    return ok;
}
