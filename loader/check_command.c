/* The command "check". */
#include "loader/commands.h"

#include <stdio.h>

#include "common/log.h"
#include "common/result_json.h"
#include "loader/check.h"
#include "loader/loader.h"

static void
print(const struct settings *settings, const struct check_result *result)
{
    struct buf out = {0};
    struct json json;

    if (settings_flag(settings, SET_JSON)) {
        json_begin(&json, &out);
        result_json_check(&json, NULL, result);
        json_end(&json);
    } else {
        check_print(result, &out);
    }
    fputs(buf_text(&out), stdout);
    buf_free(&out);
}

static int
run(struct settings *settings, int operand_count, char **operands)
{
    struct arena arena = {0};
    struct check_result result;
    struct err err = {0}, output_err = {0};
    bool ok = !(settings_flag(settings, SET_FAST) && settings_flag(settings, SET_FULL))
                  ? loader_check(settings, "on demand", &arena, &result, &err)
                  : err_set(&err, ERR_USAGE, "--fast and --full exclude each other");

    (void)operand_count;
    (void)operands;
    if (ok) {
        print(settings, &result);
        ok = check_judge(&result, &err);
    }
    arena_free(&arena);
    int status = ok ? 0 : log_error(&err);
    if (!cli_finish_output(&output_err) && ok)
        status = log_error(&output_err);
    return status;
}

const struct command check_command = {
    .name = "check",
    .operands = "",
    .bit = CMD_CHECK,
    .summary = "test the twelve consistency conditions",
    .description =
        "Tests all twelve consistency conditions of TPC-C 3.3.2 on every warehouse, and whether "
        "every warehouse has its rows, and prints each by name, with examples of what breaks it. "
        "Condition 11 is tested in the form that also holds after deliveries. Exits with 6 when "
        "one is broken. Only reads.\n\n"
        "The work is divided into ranges of at most five warehouses and goes over several "
        "connections, each with work_mem at 64 MB; large ranges use temporary files. --fast takes "
        "about a tenth of the time: the row counts, and conditions 1 to 4, which an audit asks "
        "for.",
    .examples = "ordermill check\n"
                "ordermill check --fast\n"
                "ordermill check -j 8 --json\n",
    .run = run,
};
