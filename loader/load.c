/* The whole load, phase after phase; see loader.h. Records each phase. Where it begins stands in
 * begin.c, what the phases do in ddl.c, copy.c, table_phases.c and check.c. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/log.h"
#include "common/sql.h"
#include "common/units.h"
#include "loader/begin.h"
#include "loader/check.h"
#include "loader/copy.h"
#include "loader/table_phases.h"
#include "loader/team.h"

enum { JOBS_DEFAULT_MAX = 8 };

int
loader_jobs(const struct settings *settings)
{
    if (settings_is_set(settings, SET_JOBS))
        return (int)settings_int(settings, SET_JOBS);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > JOBS_DEFAULT_MAX ? JOBS_DEFAULT_MAX : (int)cores;
}

/* --- the phases ------------------------------------------------------------------------------- */

struct creation {
    const struct load *load;
    bool created;
};

static bool
create(struct pg *pg, void *context, struct err *err)
{
    struct creation *creation = context;
    const struct load *load = creation->load;
    struct ddl_plan plan = {load->schema, &load->info, &load->options, load->record, load->shared};

    return ddl_create(pg, &plan, &creation->created, err);
}

/* Where another host came first, what it began is what this load is part of. */
static bool
phase_ddl(struct load *load, struct err *err)
{
    struct creation creation = {.load = load};

    if (!team_run_one(load->target, "load", create, &creation, err))
        return false;
    if (creation.created)
        return true;
    log_info("another loader made the tables");
    return begin_load(load, err);
}

struct record {
    const struct load *load;
    enum build_phase phase;
    double elapsed_s;
    int64_t chunks; /* recorded by anybody */
};

/* Who brought the rows is noted, and what all have brought is counted. */
static bool
note_chunks(struct pg *pg, void *context, struct err *err)
{
    struct record *record = context;
    const struct load *load = record->load;
    struct arena arena = {0};
    bool ok = (load->report->rows == 0 || options_note_load(pg, load->schema, load->first,
                                                            load->last, load->report->jobs, err)) &&
              pg_query_int(pg,
                           sql_for_schema(&arena, "SELECT count(*) FROM ordermill.ordermill_chunk",
                                          load->schema),
                           &record->chunks, err);

    arena_free(&arena);
    return ok;
}

/* The phase is complete when the chunks of all hosts are there. */
static bool
phase_data(struct load *load, struct err *err)
{
    struct copy_result result = {0};
    struct record record = {.load = load};
    bool ok = copy_chunks(&(struct copy_plan){.target = load->target,
                                              .schema = load->schema,
                                              .info = &load->info,
                                              .first = load->first,
                                              .last = load->last,
                                              .jobs = load->jobs},
                          &result, err);

    load->report->rows = result.rows;
    load->report->bytes = result.bytes;
    load->report->jobs = result.jobs;
    if (!ok || !team_run_one(load->target, "load", note_chunks, &record, err))
        return false;
    load->info.phases[BUILD_DATA] = record.chunks == load->info.warehouses + 1;
    load->info.warehouses_loaded = (int)record.chunks - 1;
    return true;
}

static bool
install_procedures(struct pg *pg, void *context, struct err *err)
{
    const struct load *load = context;

    return ddl_procedures(pg, load->schema, load_procedure_set(load), err);
}

static bool
phase_procedures(struct load *load, struct err *err)
{
    return team_run_one(load->target, "load", install_procedures, load, err);
}

static bool
phase_check(struct load *load, struct err *err)
{
    return check_run(&(struct check_request){.target = load->target,
                                             .schema = load->schema,
                                             .warehouses = load->info.warehouses,
                                             .jobs = load->jobs,
                                             .after_load = !load->info.phases[BUILD_CHECK],
                                             .moment = "after load"},
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
    [BUILD_INDEXES] = {table_phase_indexes, false, "building the indexes"},
    [BUILD_FOREIGN_KEYS] = {table_phase_foreign_keys, false, "adding the foreign keys"},
    [BUILD_PROCEDURES] = {phase_procedures, true, "installing the procedures"},
    [BUILD_ANALYZE] = {table_phase_vacuum, false, "vacuuming and analyzing"},
    [BUILD_CHECK] = {phase_check, false, "checking"},
};

static bool
record_phase(struct pg *pg, void *context, struct err *err)
{
    const struct record *record = context;

    return ddl_record_phase(pg, record->load->schema, record->phase, record->elapsed_s, "", err);
}

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
    if (phase != BUILD_DATA)
        load->info.phases[phase] = true;
    struct record record = {load, phase, load->report->phase_s[phase], 0};
    if (!phases[phase].records_itself && load->info.phases[phase] &&
        !team_run_one(load->target, "load", record_phase, &record, err))
        return false;
    log_info("%-12s %s", build_phase_names[phase], units_duration(text, elapsed_us));
    return true;
}

/* --- which phases ------------------------------------------------------------------------------
 */

/* Phase `only` of an existing build, if what it stands on is there. Repeating one is fine where it
 * does no harm. */
static bool
run_one_phase(struct load *load, struct err *err)
{
    enum build_phase only = load->only;
    enum build_phase last_needed = only == BUILD_PROCEDURES ? BUILD_DATA : only;

    for (int phase = BUILD_DDL; phase < (int)last_needed && phase <= BUILD_INDEXES; phase++) {
        if (!load->info.phases[phase]) {
            err_set(err, ERR_SERVER, "--only %s: phase %s of schema \"%s\" is not complete",
                    build_phase_names[only], build_phase_names[phase], load->schema);
            err_hint(err, "ordermill load --resume does all that is missing");
            return false;
        }
    }
    if (only <= BUILD_DATA && load->info.phases[only]) {
        log_info("phase %s of schema \"%s\" is complete", build_phase_names[only], load->schema);
        return true;
    }
    return run_phase(load, only, err);
}

static bool
is_wanted(const struct load *load, enum build_phase phase)
{
    if (load->shared && phase > BUILD_DATA)
        return false;
    if (phase == BUILD_FOREIGN_KEYS && !load->options.foreign_keys)
        return false;
    return !load->info.phases[phase] ||
           (phase == BUILD_PROCEDURES &&
            (!load->info.procedures_current || load->info.procedures != load_procedure_set(load)));
}

static bool
run_phases(struct load *load, struct err *err)
{
    bool done = true;

    for (int phase = 0; phase < BUILD_PHASES; phase++) {
        if (!is_wanted(load, (enum build_phase)phase))
            continue;
        done = false;
        if (!run_phase(load, (enum build_phase)phase, err))
            return false;
    }
    if (done && !load->shared)
        log_info("schema \"%s\" is complete; nothing is left to do", load->schema);
    return true;
}

/* --- the load --------------------------------------------------------------------------------- */

static void
limit_jobs(struct load *load)
{
    int chunks = load->last - load->first + 2;

    load->jobs = loader_jobs(load->settings);
    if (load->jobs > chunks) {
        if (settings_is_set(load->settings, SET_JOBS))
            log_info("%d jobs instead of %d: each loads a warehouse, or the item table", chunks,
                     load->jobs);
        load->jobs = chunks;
    }
    load->report->warehouses = load->last - load->first + 1;
    load->report->jobs = load->jobs;
}

/* " --schema 'NAME'" where it is needed in a command. */
static const char *
schema_option(const struct load *load)
{
    return strcmp(load->schema, "ordermill") == 0
               ? ""
               : arena_printf(load->arena, " --schema '%s'", load->schema);
}

static void
hint_how_to_go_on(const struct load *load, struct err *err)
{
    bool servers =
        err->hint[0] && err->sqlstate[0]; /* the hint is the server's, on its error alone */

    if (!load->info.phases[BUILD_DDL] || (err->hint[0] && !servers) || err->code == ERR_USAGE ||
        err->code == ERR_INCONSISTENT)
        return;
    const char *before = "what is committed stays; ";
    if (strcmp(err->sqlstate, "53100") == 0)
        before = "free space on the server's disk, then ";
    else if (servers)
        before = arena_printf(load->arena, "%s %s", err->hint, before);
    err_hint(err, "%sordermill load%s --resume completes it", before, schema_option(load));
}

static void
say_what_is_left(const struct load *load)
{
    const struct build_info *info = &load->info;
    char refused[256] = "";
    size_t length = 0;

    if (load->shared)
        log_info("warehouses %d to %d are loaded, %d of %d are there; %sordermill load%s --resume "
                 "does the rest",
                 load->first, load->last, info->warehouses_loaded, info->warehouses,
                 info->phases[BUILD_DATA] ? "" : "when all are, ", schema_option(load));
    for (int i = 0; i < OPTIONS_TABLES; i++) {
        if (load->refused[i])
            length += (size_t)snprintf(refused + length, sizeof refused - length, "%s%s",
                                       length > 0 ? ", " : "", load->refused[i]);
    }
    if (length > 0)
        log_warning("not permitted to this role: VACUUM and ANALYZE of %s; have their owner do it",
                    refused);
}

static bool
run_load(struct load *load, struct err *err)
{
    if (!begin_load(load, err))
        return false;
    limit_jobs(load);
    if (load->only != BUILD_PHASES ? run_one_phase(load, err) : run_phases(load, err)) {
        say_what_is_left(load);
        return true;
    }
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

    *report = (struct loader_report){0};
    clock_process_cpu_us(&user_before_us, &system_before_us);
    if (!sql_check_schema(load.schema, err) || !(load.target = pg_target_new(settings, err)))
        return false;
    settings_init(&load.recalled);
    bool ok = run_load(&load, err);
    settings_free(&load.recalled);
    pg_target_free(load.target);
    clock_process_cpu_us(&user_us, &system_us);
    report->elapsed_s = (double)(clock_monotonic_us() - started_us) / 1e6;
    report->client_user_s = (double)(user_us - user_before_us) / 1e6;
    report->client_cpu_s = report->client_user_s + (double)(system_us - system_before_us) / 1e6;
    return ok;
}
