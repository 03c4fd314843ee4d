/* Owns the command `run`: its options become a level, the level becomes text or JSON. */
#include "driver/commands.h"

#include <stdio.h>

#include "common/interrupt.h"
#include "common/log.h"
#include "common/result_json.h"
#include "common/verdict.h"
#include "driver/driver.h"
#include "driver/progress.h"
#include "driver/summary.h"

static bool
print_step(const struct step *step, bool as_json, struct err *err)
{
    struct buf text = {0};
    struct json json;

    if (as_json) {
        json_begin(&json, &text);
        result_json_step(&json, NULL, NULL, step);
        json_end(&json);
    } else {
        summary_write(&text, step);
    }
    fputs(buf_text(&text), stdout);
    buf_free(&text);
    return cli_finish_output(err);
}

/* The exit status of a level that ran, however it ended. */
static int
judge(const struct step *step)
{
    struct verdict verdicts[VERDICTS];
    struct err err;

    if (step->status == STEP_INTERRUPTED && interrupt_check(&err))
        return log_error(&err);
    verdict_step(step, verdicts);
    return step->status == STEP_FAILED || verdict_any_failed(verdicts) ? ERR_VERDICT : ERR_NONE;
}

static int
run_and_print(const struct driver_options *options, struct arena *arena)
{
    struct step *step = arena_alloc(arena, sizeof *step);
    struct err err;

    step->number = step->repeat = 1;
    step->configuration = "";
    bool ok = driver_step(options, arena, step, &err);
    log_progress_end();
    if (!ok)
        return log_error(&err);
    if (step->pacing == 0 && step->virtual_users > step->warehouses)
        log_info("%d virtual users share %d warehouse%s: they wait for each other's rows",
                 step->virtual_users, step->warehouses, step->warehouses == 1 ? "" : "s");
    bool as_json = settings_flag(options->settings, SET_JSON) ||
                   settings_flag(options->settings, SET_JSON_LINES);
    if (!print_step(step, as_json, &err))
        return log_error(&err);
    return judge(step);
}

static int
run(struct settings *settings, int operand_count, char **operands)
{
    struct driver_options options;
    struct arena arena = {0};

    (void)operand_count;
    (void)operands;
    driver_options_from(&options, settings);
    options.alone = true;
    options.progress = settings_flag(settings, SET_JSON_LINES) ? progress_json : progress_show;
    int status = run_and_print(&options, &arena);
    arena_free(&arena);
    return status;
}

const struct command run_command = {
    .name = "run",
    .operands = "",
    .bit = CMD_RUN,
    .summary = "measure one load level",
    .description =
        "Runs the transaction mix with a number of virtual users: ramp-up, a measured window, and "
        "a bounded drain. NOPM counts the new-orders that committed inside the window. Afterwards "
        "that count is compared with the order counters of the database; they must agree "
        "exactly.\n\n"
        "Deadlocks and serialization failures are retried, at most ten tries, and counted. The "
        "exit status is 1 when a verdict is FAIL. A virtual user whose connection goes connects "
        "again until --reconnect has passed; what ran is counted as lost, with unknown outcome, "
        "and the outage is shown. A level of which more of a transaction type fails or is lost "
        "than --max-error-share allows is invalid; without --keep-going failures end it after ten "
        "seconds. Ctrl-C ends the run cleanly and prints what was measured so far, labelled as "
        "partial.\n\n"
        "With --delivery deferred a terminal's delivery has ended when it is queued. Sessions of "
        "their own carry it out; what still waits when the window closes has 80 seconds. The file "
        "of deliveries has a row for each that was committed: when it was queued and when "
        "completed, the warehouse, the carrier, and for each district the order, or \"skipped\".",
    .examples = "ordermill run -u 8 -t 60s\n"
                "ordermill run -u 16 -t 5m --ramp-up 30s --json > run.json\n"
                "ordermill run -u 16 -t 5m --json-lines | jq -c 'select(.phase)'\n"
                "ordermill run -u 4 -t 1m --isolation serializable --mix 45,43,4,4,4",
    .run = run,
};
