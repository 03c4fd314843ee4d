/* The command "plan": finds out what the forecast needs. No server is an answer, not an error. */
#include <stdio.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "common/log.h"
#include "loader/loader.h"
#include "profiles/autopilot.h"
#include "profiles/forecast.h"

static int64_t
query_bytes(struct pg *pg, const char *sql)
{
    struct err ignored;
    int64_t bytes;

    return pg_query_int(pg, sql, &bytes, &ignored) ? bytes : 0;
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

static void
ask_server(struct pg *pg, struct arena *arena, struct forecast *forecast)
{
    int version = pg_server_version(pg);

    forecast->server = arena_printf(arena, "PostgreSQL %d.%d at %.200s", version / 10000,
                                    version % 10000, pg_host(pg));
    forecast->shared_buffers_bytes =
        query_bytes(pg, "SELECT pg_size_bytes(current_setting('shared_buffers'))");
    forecast->effective_cache_bytes =
        query_bytes(pg, "SELECT pg_size_bytes(current_setting('effective_cache_size'))");
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
        ok = probe(settings, target, forecast, err);
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

static void
print(const struct settings *settings, const struct forecast *forecast)
{
    struct buf out = {0};

    if (settings_flag(settings, SET_JSON))
        forecast_json(forecast, &out);
    else
        forecast_text(forecast, &out);
    fputs(buf_text(&out), stdout);
    buf_free(&out);
}

static int
run(struct settings *settings, int operand_count, char **operands)
{
    struct arena arena = {0};
    struct options options;
    struct forecast forecast = {
        .warehouses = settings_int(settings, SET_WAREHOUSES), .unavailable = "", .no_probe = ""};
    struct err err = {0};

    (void)operand_count;
    (void)operands;
    if (settings->values[SET_VIRTUAL_USERS].source == SETTING_OPTION)
        forecast.virtual_users = (int)settings_int(settings, SET_VIRTUAL_USERS);
    bool ok = options_from(settings, (int)forecast.warehouses, &options, &err);
    if (ok) {
        size_of(&forecast.size, forecast.warehouses, &options);
        ok = look(settings, &arena, &forecast, &err);
    }
    if (ok)
        print(settings, &forecast);
    arena_free(&arena);
    if (!ok)
        return log_error(&err);
    return cli_finish_output(&err) ? 0 : log_error(&err);
}

const struct command plan_command = {
    .name = "plan",
    .operands = "",
    .bit = CMD_PLAN,
    .summary = "what so many warehouses need, before anything is built",
    .description =
        "Prints rows and bytes of every table and index for N warehouses, as freshly loaded; runs "
        "add rows and write-ahead log. Where a server can be reached, compares them with its "
        "memory and its free disk, the latter two only of a server on this machine, and tells "
        "roughly how long the load will take. For that it copies 16 MB over each connection into "
        "temporary tables and rolls that back; --no-probe leaves it out. Nothing is kept.",
    .examples = "ordermill plan -w 100\n"
                "ordermill plan -w 1000 -j 8 -h db1 --json\n"
                "ordermill plan -w 500 -u 64 --no-probe\n",
    .run = run,
};
