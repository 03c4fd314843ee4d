/* `ordermill demo`: the autopilot on a private server, with every step said in words. */
#include <string.h>

#include "common/embedded.h"
#include "common/interrupt.h"
#include "common/log.h"
#include "common/units.h"
#include "profiles/autopilot.h"
#include "profiles/plan.h"
#include "server/libpq_environment.h"
#include "server/private_server.h"

#define PROFILE        "profiles/demo.xml"
#define SETTINGS_WIDTH 60

/* "NAME = VALUE" of every setting, some to a line. */
static void
explain_settings(const struct private_server *server)
{
    size_t count;
    const struct server_setting *settings = private_server_settings(server, &count);
    struct buf line = {0};

    for (size_t i = 0; i < count; i++) {
        buf_printf(&line, "%s%s = %s", line.length ? ", " : "", settings[i].name,
                   settings[i].value[0] ? settings[i].value : "''");
        if (line.length > SETTINGS_WIDTH || i + 1 == count) {
            log_info("     %s", buf_text(&line));
            buf_clear(&line);
        }
    }
    buf_free(&line);
}

static void
explain_server(const struct private_server *server)
{
    log_info("   PostgreSQL %s in %s, reachable through a unix socket only",
             private_server_version(server), private_server_folder(server));
    log_info("   Sized to this machine, durability on:");
    explain_settings(server);
}

static void
explain_plan(const struct settings *settings)
{
    struct arena arena = {0};
    struct plan plan;
    char total[UNITS_TEXT_SIZE];
    long long warehouses = (long long)settings_int(settings, SET_WAREHOUSES);

    plan_make(&plan, &arena, settings, NULL);
    log_info("2. Building %lld warehouse%s there, then measuring %d steps of the order-entry mix,",
             warehouses, warehouses == 1 ? "" : "s", plan.count);
    log_info("   from %d to %d virtual users, in about %s; then twelve consistency conditions, and",
             plan.steps[0].virtual_users, plan.steps[plan.count - 1].virtual_users,
             units_duration(total, plan.total_us));
    log_info("   a report. Ctrl-C ends it early and still cleans up.");
    arena_free(&arena);
}

/* Points the settings at the private server. */
static bool
connect_settings(struct settings *settings, const struct private_server *server, struct err *err)
{
    return settings_set(settings, SET_HOST, private_server_folder(server), SETTING_OPTION, err) &&
           settings_set(settings, SET_PORT, private_server_port(server), SETTING_OPTION, err) &&
           settings_set(settings, SET_USERNAME, private_server_user(server), SETTING_OPTION, err) &&
           settings_set(settings, SET_DBNAME, private_server_database(server), SETTING_OPTION, err);
}

static void
explain_end(const struct private_server *server, bool keep)
{
    struct buf text = {0};

    if (keep) {
        private_server_describe(server, &text);
        log_info("3. The private server is kept, as asked:");
        log_info("%s", buf_text(&text));
    } else {
        log_info("3. Stopping the private server and removing %s", private_server_folder(server));
    }
    buf_free(&text);
}

static int
measure(struct settings *settings, const struct profile *profile,
        const struct private_server *server, bool keep)
{
    struct err err = {0};

    explain_server(server);
    if (!connect_settings(settings, server, &err))
        return log_error(&err);
    explain_plan(settings);
    return autopilot_run(settings, profile, keep);
}

static int
run(struct settings *settings, int operand_count, char **operands)
{
    struct private_server_options options = {.bindir = settings_text(settings, SET_BINDIR)};
    const char *text = embedded_text(PROFILE);
    bool keep = settings_flag(settings, SET_KEEP);
    struct profile profile;
    struct err err = {0};

    (void)operand_count;
    (void)operands;
    must(text);
    if (!profile_parse(&profile, PROFILE, text, strlen(text), settings, &err))
        return log_error(&err);
    libpq_environment_forget();
    log_info("1. Starting a private, throw-away PostgreSQL; nothing that runs here is touched");
    struct private_server *server = private_server_start(&options, &err);
    if (!server)
        return log_error(&err);
    int status = measure(settings, &profile, server, keep);
    explain_end(server, keep);
    if (!private_server_stop(server, keep, &err)) {
        int code = log_error(&err);
        status = status ? status : code;
    }
    return status;
}

const struct command demo_command = {
    .name = "demo",
    .operands = "",
    .bit = CMD_DEMO,
    .summary = "see it work: private server, short profile, report",
    .description =
        "Starts a private PostgreSQL server of the newest installed version, builds two "
        "warehouses in it, measures a short ramp of virtual users, tests the twelve consistency "
        "conditions, writes report.html and report.txt into a new folder under ./ordermill-runs, "
        "and prints the summary. The server is stopped and removed in the end, whatever happens; "
        "--keep keeps it and says how to connect to it. Your own servers, files and settings are "
        "not touched.\n"
        "\n"
        "The windows are far too short for a figure to be published: for that see \"ordermill "
        "autopilot\" and profiles/ramp.xml.",
    .examples = "ordermill demo\n"
                "ordermill demo -w 4 --seed 7 -o /tmp/demo-report\n"
                "ordermill demo --keep",
    .run = run,
};
