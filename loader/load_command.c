/* The command "load". */
#include "loader/commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/json.h"
#include "common/log.h"
#include "common/units.h"
#include "loader/check.h"
#include "loader/loader.h"
#include "loader/script.h"

static void
print_json(const struct loader_report *report, struct buf *out)
{
    struct json json;

    json_begin(&json, out);
    json_object(&json, NULL);
    json_int(&json, "warehouses", report->warehouses);
    json_int(&json, "jobs", report->jobs);
    json_real(&json, "elapsed_s", report->elapsed_s, 6);
    json_object(&json, "phases");
    for (int phase = 0; phase < BUILD_PHASES; phase++) {
        char key[32];

        snprintf(key, sizeof key, "%s_s", build_phase_names[phase]);
        for (char *hyphen = key; (hyphen = strchr(hyphen, '-'));)
            *hyphen = '_';
        json_real(&json, key, report->phase_s[phase], 6);
    }
    json_object_end(&json);
    json_int(&json, "rows", report->rows);
    json_int(&json, "bytes", report->bytes);
    json_object(&json, "client");
    json_real(&json, "cpu_s", report->client_cpu_s, 6);
    json_real(&json, "user_s", report->client_user_s, 6);
    json_object_end(&json);
    json_object_end(&json);
    json_end(&json);
}

static void
print_text(const struct loader_report *report, struct buf *out)
{
    char rows[UNITS_TEXT_SIZE], size[UNITS_TEXT_SIZE], elapsed[UNITS_TEXT_SIZE];

    buf_printf(out, "%d warehouse%s: %s rows, %s sent by %d connection%s, in %s\n",
               report->warehouses, report->warehouses == 1 ? "" : "s",
               units_count(rows, report->rows), units_size(size, report->bytes), report->jobs,
               report->jobs == 1 ? "" : "s",
               units_duration(elapsed, (int64_t)(report->elapsed_s * 1e6)));
    if (report->check.done && loader_violations(&report->check) == 0)
        buf_printf(out, "all %d consistency conditions hold\n", CHECK_CONDITIONS);
    else if (report->check.done)
        check_print(&report->check, out);
}

static int
run(struct settings *settings, int operand_count, char **operands)
{
    struct arena arena = {0};
    struct loader_report report;
    struct err err = {0}, output_err = {0};
    struct buf out = {0};
    bool script = settings_flag(settings, SET_SQL);
    bool ok = script ? script_of_load(settings, &out, &err)
                     : loader_load(settings, &arena, &report, &err);

    (void)operand_count;
    (void)operands;
    if (!script && (ok || err.code == ERR_INCONSISTENT)) {
        if (settings_flag(settings, SET_JSON))
            print_json(&report, &out);
        else
            print_text(&report, &out);
    }
    fputs(buf_text(&out), stdout);
    buf_free(&out);
    arena_free(&arena);
    int status = ok ? 0 : log_error(&err);
    if (!cli_finish_output(&output_err) && ok)
        status = log_error(&output_err);
    return status;
}

const struct command load_command = {
    .name = "load",
    .operands = "",
    .bit = CMD_LOAD,
    .summary = "build the warehouses",
    .description =
        "Creates the schema if it is missing, the tables, the rows of N warehouses over "
        "several connections, the indexes and the procedures, then vacuums, analyzes and "
        "checks all twelve consistency conditions. The same seed gives the same rows, "
        "whatever the number of jobs.\n\n"
        "Each warehouse is one transaction. A load that was interrupted or killed is "
        "completed by --resume. A schema that holds anything is left alone, unless --replace "
        "is given and it is the kit's own.\n\n"
        "Several hosts can load one schema, each a range of the warehouses: whoever comes first "
        "makes the tables, and when all ranges are there, --resume on one of them does the rest. "
        "How the tables are laid out is recorded with them, and every report shows it. --sql "
        "prints the SQL instead of running it; ordermill prepare prints what an administrator "
        "has to do first.",
    .examples = "ordermill load -w 10\n"
                "ordermill load -w 100 -j 4 --schema sales\n"
                "ordermill load --resume\n"
                "ordermill load --only procedures\n"
                "ordermill load -w 100 --partitions 10 --tablespace fast\n"
                "ordermill load -w 100 --first-warehouse 1 --last-warehouse 50\n"
                "ordermill load -w 100 --sql --only ddl | psql\n",
    .run = run,
};
