/* The command "plan": finds out what the forecast needs. No server is an answer, not an error. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "common/log.h"
#include "loader/loader.h"
#include "profiles/autopilot.h"
#include "profiles/forecast.h"
#include "profiles/outline.h"
#include "profiles/shipped.h"

static int64_t
query_number(struct pg *pg, const char *sql)
{
    struct err ignored;
    int64_t number;

    return pg_query_int(pg, sql, &number, &ignored) ? number : 0;
}

/* Only of a server on this machine; the path itself only for roles that may see it. */
static int64_t
disk_free(struct pg *pg)
{
    struct statvfs disk;
    struct err ignored;
    struct pg_rows *rows = pg_query(pg, "SHOW data_directory", 0, NULL, &ignored);
    bool ok = rows && statvfs(pg_value(rows, 0, 0), &disk) == 0;

    pg_rows_free(rows);
    return ok ? (int64_t)disk.f_bavail * (int64_t)disk.f_frsize : 0;
}

/* Of the tables in the schema that a profile would build, and so does not. */
static int64_t
built_bytes(struct pg *pg, const char *schema)
{
    struct err ignored;
    struct pg_rows *rows =
        pg_query(pg,
                 "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint"
                 " FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace"
                 " WHERE n.nspname = $1 AND c.relkind = 'r'",
                 1, &schema, &ignored);
    int64_t bytes = rows ? strtoll(pg_value(rows, 0, 0), NULL, 10) : 0;

    pg_rows_free(rows);
    return bytes;
}

static void
ask_server(struct pg *pg, struct arena *arena, struct forecast *forecast)
{
    int version = pg_server_version(pg);

    forecast->server = arena_printf(arena, "PostgreSQL %d.%d at %.200s", version / 10000,
                                    version % 10000, pg_host(pg));
    forecast->shared_buffers_bytes =
        query_number(pg, "SELECT pg_size_bytes(current_setting('shared_buffers'))");
    forecast->effective_cache_bytes =
        query_number(pg, "SELECT pg_size_bytes(current_setting('effective_cache_size'))");
    forecast->checkpoint_cycle_us = query_number(
        pg, "SELECT 1000000 * setting::bigint FROM pg_settings WHERE name = 'checkpoint_timeout'");
    if (!pg_is_local(pg))
        return;
    forecast->memory_bytes = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    forecast->disk_free_bytes = disk_free(pg);
}

static bool
probe(const struct settings *settings, const struct pg_target *target, struct forecast *forecast,
      struct err *err)
{
    int jobs = loader_jobs(settings);

    if (settings_flag(settings, SET_NO_PROBE)) {
        forecast->no_probe = "not asked for";
        return true;
    }
    if (jobs > forecast->warehouses + 1) /* as load has it: one for the items */
        jobs = (int)forecast->warehouses + 1;
    if (probe_run(target, jobs, &forecast->probe, err))
        return true;
    forecast->probe.bytes = 0;
    forecast->no_probe = "the probe failed";
    log_warning("probe: %s", err->message);
    return err->code != ERR_INTERRUPTED && err->code != ERR_TERMINATED;
}

static bool
look(const struct settings *settings, struct arena *arena, struct forecast *forecast,
     struct err *err)
{
    struct pg_target *target = pg_target_new(settings, err);

    if (!target)
        return false;
    struct pg *pg = pg_connect(target, "plan", err);
    bool ok = true;
    if (pg) {
        ask_server(pg, arena, forecast);
        if (forecast->of_profile)
            forecast->built_bytes = built_bytes(pg, settings_text(settings, SET_SCHEMA));
        ok = forecast->built_bytes > 0 || probe(settings, target, forecast, err);
    } else {
        forecast->unavailable = arena_strdup(arena, err->message);
        forecast->no_probe = "no server";
        log_info("%s", err->message);
        ok = err->code != ERR_INTERRUPTED && err->code != ERR_TERMINATED;
    }
    pg_close(pg);
    pg_target_free(target);
    return ok;
}

/* What is known of the warehouses that the settings ask for. */
static bool
forecast_of(const struct settings *settings, struct arena *arena, struct forecast *forecast,
            struct err *err)
{
    struct options options;

    forecast->warehouses = settings_int(settings, SET_WAREHOUSES);
    forecast->unavailable = forecast->no_probe = "";
    if (!options_from(settings, (int)forecast->warehouses, &options, err))
        return false;
    size_of(&forecast->size, forecast->warehouses, &options);
    return look(settings, arena, forecast, err);
}

static int
end(bool ok, struct buf *out, struct arena *arena, struct err *err)
{
    if (ok)
        fputs(buf_text(out), stdout);
    buf_free(out);
    arena_free(arena);
    if (!ok)
        return log_error(err);
    return cli_finish_output(err) ? 0 : log_error(err);
}

static int
plan_warehouses(const struct settings *settings)
{
    struct arena arena = {0};
    struct buf out = {0};
    struct forecast forecast = {0};
    struct err err = {0};

    if (settings->values[SET_VIRTUAL_USERS].source == SETTING_OPTION)
        forecast.virtual_users = (int)settings_int(settings, SET_VIRTUAL_USERS);
    bool ok = forecast_of(settings, &arena, &forecast, &err);
    if (ok && settings_flag(settings, SET_JSON))
        forecast_json(&forecast, &out);
    else if (ok)
        forecast_text(&forecast, &out);
    return end(ok, &out, &arena, &err);
}

/* --- a whole profile -------------------------------------------------------------------------- */

struct outlook {
    struct outline outline;
    struct forecast *databases; /* of each curve; used where that is the first of its database */
};

static bool
look_at_databases(const struct settings *settings, struct outlook *outlook, struct arena *arena,
                  struct err *err)
{
    const struct plan *plan = &outlook->outline.plan;
    /* With a pace, terminals wait for themselves more than for each other. */
    int virtual_users =
        settings_pacing(settings) > 0 ? 0 : outline_virtual_users(&outlook->outline);
    bool ok = true;

    outlook->databases = arena_array(arena, (size_t)plan->curves_count, sizeof(struct forecast));
    for (int i = 0; ok && i < plan->curves_count; i++) {
        struct forecast *forecast = &outlook->databases[i];
        struct settings own;
        if (plan->curves[i].database != i)
            continue;
        forecast->of_profile = true;
        forecast->virtual_users = virtual_users;
        forecast->window_us = plan->measure_most_us;
        forecast->copied = strcmp(settings_choice(settings, SET_RESET), "template") == 0;
        ok = plan_database_settings(plan, i, settings, &own, err) &&
             forecast_of(&own, arena, forecast, err);
        settings_free(&own);
    }
    return ok;
}

/* The name of a database among those of the plan: its server and warehouses. */
static void
put_name(const struct plan *plan, int curve, struct buf *out)
{
    const struct plan_curve *of = &plan->curves[curve];

    if (of->server)
        buf_printf(out, "%s%s", of->server->name, of->warehouses ? ", " : "");
    if (of->warehouses)
        buf_printf(out, "%s warehouse%s", of->warehouses, strcmp(of->warehouses, "1") ? "s" : "");
}

/* All databases of the curve's server are there at once. NULL: nothing, or there is but one. */
static const char *
together_warning(const struct outlook *outlook, int curve, struct arena *arena)
{
    const struct plan *plan = &outlook->outline.plan;
    const struct profile_server *server = plan->curves[curve].server;
    int64_t bytes = 0;
    int count = 0;

    for (int i = 0; i < plan->curves_count; i++) {
        if (plan->curves[i].database != i || plan->curves[i].server != server)
            continue;
        if (count++ == 0 && i != curve)
            return NULL; /* said of the first one */
        bytes += forecast_disk_bytes(&outlook->databases[i]);
    }
    return count < 2
               ? NULL
               : forecast_disk_warning(arena, bytes, outlook->databases[curve].disk_free_bytes,
                                       arena_printf(arena, ", the %d databases together,", count));
}

/* Of all servers, each with a line end or as a member of an array. */
static void
put_together(const struct outlook *outlook, struct buf *out, struct json *json)
{
    const struct plan *plan = &outlook->outline.plan;
    struct arena arena = {0};

    for (int i = 0; i < plan->curves_count; i++) {
        const char *warning =
            plan->curves[i].database == i ? together_warning(outlook, i, &arena) : NULL;
        if (warning && json)
            json_string(json, NULL, warning);
        else if (warning)
            buf_printf(out, "\nwarning: %s\n", warning);
    }
    arena_free(&arena);
}

static void
put_text(const struct outlook *outlook, const char *name, struct buf *out)
{
    const struct plan *plan = &outlook->outline.plan;

    outline_text(&outlook->outline, name, out);
    for (int i = 0; i < plan->curves_count; i++) {
        if (plan->curves[i].database != i)
            continue;
        buf_puts(out, "\n");
        if (plan->curves[i].server || plan->curves[i].warehouses) {
            buf_puts(out, "--- ");
            put_name(plan, i, out);
            buf_puts(out, "\n");
        }
        forecast_text(&outlook->databases[i], out);
    }
    put_together(outlook, out, NULL);
}

static void
put_json(const struct outlook *outlook, const char *name, struct buf *out)
{
    const struct plan *plan = &outlook->outline.plan;
    struct json json;

    json_begin(&json, out);
    json_object(&json, NULL);
    plan_put(plan, name, &json);
    json_array(&json, "databases");
    for (int i = 0; i < plan->curves_count; i++) {
        struct buf text = {0};
        if (plan->curves[i].database != i)
            continue;
        put_name(plan, i, &text);
        json_object(&json, NULL);
        json_string(&json, "name", buf_text(&text));
        forecast_put(&outlook->databases[i], &json);
        json_object_end(&json);
        buf_free(&text);
    }
    json_array_end(&json);
    json_array(&json, "warnings");
    put_together(outlook, NULL, &json);
    json_array_end(&json);
    json_object_end(&json);
    json_end(&json);
}

static int
plan_profile(struct settings *settings, const char *path)
{
    struct arena arena = {0};
    struct buf out = {0};
    struct outlook outlook;
    struct profile profile;
    struct err err = {0};
    bool ok = shipped_read(&profile, path, settings, &err);

    if (ok) {
        outline_make(&outlook.outline, &arena, settings, &profile);
        ok = look_at_databases(settings, &outlook, &arena, &err);
    }
    if (ok && settings_flag(settings, SET_JSON))
        put_json(&outlook, profile.name, &out);
    else if (ok)
        put_text(&outlook, profile.name, &out);
    return end(ok, &out, &arena, &err);
}

static int
run(struct settings *settings, int operand_count, char **operands)
{
    return operand_count > 0 ? plan_profile(settings, operands[0]) : plan_warehouses(settings);
}

const struct command plan_command = {
    .name = "plan",
    .operands = "[PROFILE.xml]",
    .operands_max = 1,
    .bit = CMD_PLAN,
    .summary = "what a profile or so many warehouses need, before anything is built",
    .description =
        "Prints the steps of a profile and their time, and for each of its databases what follows; "
        "of so many warehouses without one.\n"
        "\n"
        "Prints rows and bytes of every table and index for N warehouses, as freshly loaded; runs "
        "add rows and write-ahead log. Where a server can be reached, compares them with its "
        "memory and its free disk, the latter two only of a server on this machine, and tells "
        "roughly how long the load will take. Warns where virtual users have to share warehouses, "
        "with "
        "the share of them that do, where a window is shorter than a checkpoint cycle, and where "
        "the data are far above or far below the memory. For the time of the load it copies 16 MB "
        "over each connection into "
        "temporary tables and rolls that back; --no-probe leaves it out. Nothing is kept.",
    .examples = "ordermill plan -w 100\n"
                "ordermill plan -w 1000 -j 8 -h db1 --json\n"
                "ordermill plan -w 500 -u 64 --no-probe\n"
                "ordermill plan ramp.xml --set sweep-warehouses='10 100 1000'\n",
    .run = run,
};
