/* What a load finds and what it is to do; see begin.h. Of the phases it knows only whether they
 * are complete. */
#include "loader/begin.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "common/clock.h"
#include "common/log.h"
#include "loader/team.h"

/* --- a fresh load ----------------------------------------------------------------------------- */

/* The warehouses of this load, of so many. */
static bool
set_range(struct load *load, int warehouses, struct err *err)
{
    load->first = 1;
    load->last = warehouses;
    if (settings_is_set(load->settings, SET_FIRST_WAREHOUSE))
        load->first = (int)settings_int(load->settings, SET_FIRST_WAREHOUSE);
    if (settings_is_set(load->settings, SET_LAST_WAREHOUSE))
        load->last = (int)settings_int(load->settings, SET_LAST_WAREHOUSE);
    if (load->last > warehouses)
        return err_set(err, ERR_USAGE, "--last-warehouse: \"%d\" of %d warehouses", load->last,
                       warehouses);
    if (load->first > load->last)
        return err_set(err, ERR_USAGE, "--first-warehouse: \"%d\" is above the last one, %d",
                       load->first, load->last);
    return true;
}

static bool
plan_fresh_load(struct load *load, struct err *err)
{
    load->info.schema_created |= load->info.state == BUILD_NO_SCHEMA;
    load->info.warehouses = (int)settings_int(load->settings, SET_WAREHOUSES);
    load->info.seed = settings_int(load->settings, SET_SEED);
    load->info.c_load = workload_c_load((uint64_t)load->info.seed);
    load->info.loaded_at_us = clock_wall_us() / 1000000 * 1000000;
    load->record = options_record(load->arena, load->settings);
    return options_from(load->settings, load->info.warehouses, &load->options, err) &&
           set_range(load, load->info.warehouses, err);
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
replace(struct load *load, struct pg *pg, struct err *err)
{
    if (build_is_ours(&load->info))
        return team_run_one(load->target, "load", drop, load, err);
    return load->info.state != BUILD_FOREIGN || build_refuse(pg, load->schema, &load->info, err);
}

/* The state a fresh load may begin from; everything else is explained. */
static bool
require_room(struct load *load, struct pg *pg, struct err *err)
{
    char text[512];

    if (load->info.state == BUILD_NO_SCHEMA || load->info.state == BUILD_EMPTY)
        return true;
    if (load->info.state != BUILD_COMPLETE)
        return build_refuse(pg, load->schema, &load->info, err);
    build_describe(&load->info, load->schema, text, sizeof text);
    err_set(err, ERR_SERVER, "%s already", text);
    err_hint(err, "--replace drops them first; another --schema leaves them alone");
    return false;
}

/* Before anything is dropped for it: whether the fresh load could begin. */
static bool
begin_fresh(struct load *load, struct pg *pg, struct err *err)
{
    struct options options;

    return options_from(load->settings, (int)settings_int(load->settings, SET_WAREHOUSES), &options,
                        err) &&
           (!settings_flag(load->settings, SET_REPLACE) || replace(load, pg, err)) &&
           require_room(load, pg, err) && plan_fresh_load(load, err);
}

/* --- an existing build ------------------------------------------------------------------------ */

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

/* Rows that a crash took are loaded again; what was made around them is still there. */
static bool
start_over(struct load *load, struct pg *pg, struct err *err)
{
    if (!load->info.emptied)
        return true;
    log_warning("the tables of schema \"%s\" are unlogged, and a crash of the server has emptied "
                "them: all rows are loaded again",
                load->schema);
    return ddl_forget_data(pg, load->schema, &load->info, err);
}

/* Resume, one phase, or a range beside other loaders. */
static bool
begin_within(struct load *load, struct pg *pg, struct err *err)
{
    if (load->info.state != BUILD_UNFINISHED && load->info.state != BUILD_COMPLETE)
        return build_refuse(pg, load->schema, &load->info, err);
    if (!agrees(load, SET_WAREHOUSES, load->info.warehouses, err) ||
        !agrees(load, SET_SEED, load->info.seed, err) ||
        !options_recall(pg, load->schema, load->settings, &load->recalled, err) ||
        !options_from(&load->recalled, load->info.warehouses, &load->options, err))
        return false;
    load->record = options_record(load->arena, &load->recalled);
    return set_range(load, load->info.warehouses, err) && start_over(load, pg, err);
}

/* --- which of the two ------------------------------------------------------------------------- */

static bool
is_fresh(const struct load *load)
{
    return !settings_flag(load->settings, SET_RESUME_LOAD) &&
           (load->only == BUILD_PHASES || load->only == BUILD_DDL);
}

/* What cannot be whatever the schema holds is refused before anybody is asked. How many warehouses
 * a schema was begun with, it alone knows, unless they are named; so does it the layout. */
static bool
check_wishes(struct load *load, struct err *err)
{
    const struct settings *settings = load->settings;
    int warehouses = (int)settings_int(settings, SET_WAREHOUSES);
    bool fresh = is_fresh(load) && !load->shared;
    bool named = fresh || settings->values[SET_WAREHOUSES].source == SETTING_OPTION;

    return options_from(settings, fresh ? warehouses : INT_MAX, &load->options, err) &&
           set_range(load, named ? warehouses : INT_MAX, err);
}

static bool
read_wishes(struct load *load, struct err *err)
{
    const struct settings *settings = load->settings;
    bool resume = settings_flag(settings, SET_RESUME_LOAD);

    load->only = settings_is_set(settings, SET_ONLY)
                     ? (enum build_phase)settings_int(settings, SET_ONLY)
                     : BUILD_PHASES;
    load->shared = settings_is_set(settings, SET_FIRST_WAREHOUSE) ||
                   settings_is_set(settings, SET_LAST_WAREHOUSE);
    if (resume && settings_flag(settings, SET_REPLACE))
        return err_set(err, ERR_USAGE, "--resume and --replace exclude each other");
    if (load->shared && settings_flag(settings, SET_REPLACE)) {
        err_set(err, ERR_USAGE, "--replace would drop what other hosts load");
        err_hint(err, "ordermill drop, once, and then the ranges");
        return false;
    }
    if (load->shared && load->only != BUILD_PHASES && load->only != BUILD_DATA)
        return err_set(err, ERR_USAGE, "--only %s: a range of warehouses is of the data alone",
                       build_phase_names[load->only]);
    return check_wishes(load, err);
}

static bool
begin(struct load *load, struct pg *pg, struct err *err)
{
    bool replaces = settings_flag(load->settings, SET_REPLACE);
    bool within = !is_fresh(load);

    if (!build_require(pg, load->schema, BUILD_FOR_LOAD, &load->info, err))
        return false;
    if ((load->shared || load->only == BUILD_DDL) && !replaces && build_is_ours(&load->info))
        within = true;
    return within ? begin_within(load, pg, err) : begin_fresh(load, pg, err);
}

bool
begin_load(struct load *load, struct err *err)
{
    if (!read_wishes(load, err))
        return false;
    struct pg *pg = pg_connect(load->target, "load", err);
    bool ok = pg && team_lift_limits(pg, err) && begin(load, pg, err);
    pg_close(pg);
    return ok;
}

bool
begin_on_paper(struct load *load, struct err *err)
{
    load->info = (struct build_info){.state = BUILD_EMPTY};
    return read_wishes(load, err) && plan_fresh_load(load, err);
}

enum procedure_set
load_procedure_set(const struct load *load)
{
    return settings_is_set(load->settings, SET_PROCEDURES)
               ? procedures_find(settings_choice(load->settings, SET_PROCEDURES))
               : load->info.procedures;
}
