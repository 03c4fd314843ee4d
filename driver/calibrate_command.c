/* Owns the command `calibrate`: a level in which every call is of a function that does nothing, so
 * that what remains is the driver, the network and the server's way in and out. */
#include "driver/commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/interrupt.h"
#include "common/json.h"
#include "common/log.h"
#include "common/units.h"
#include "common/verdict.h"
#include "driver/driver.h"
#include "driver/progress.h"

#define CALLED TXN_NULL

struct figures {
    uint64_t calls, failed;
    double seconds, calls_per_s, user_us, system_us;
};

static struct figures
figures_of(const struct step *step)
{
    const struct txn_stats *stats = &step->transactions[CALLED];
    struct figures figures = {.calls = stats->outcomes[OUTCOME_COMMITTED],
                              .seconds = (double)step->elapsed_us / 1e6};

    figures.failed = step_ended(step) - figures.calls;
    if (figures.seconds > 0)
        figures.calls_per_s = (double)figures.calls / figures.seconds;
    if (figures.calls > 0) {
        figures.user_us = (double)step->client_user_us / (double)figures.calls;
        figures.system_us = (double)step->client_system_us / (double)figures.calls;
    }
    return figures;
}

static const char *
limit_of(const struct verdict verdicts[VERDICTS])
{
    switch (verdicts[VERDICT_CLIENT].outcome) {
    case VERDICT_FAIL: return "the driver";
    case VERDICT_PASS: return "the server, the network or the number of virtual users";
    case VERDICT_NOT_TESTED: break;
    }
    return "not known";
}

static void
write_text(struct buf *out, const struct step *step, const struct figures *figures)
{
    const struct hist *response = &step->transactions[CALLED].response;
    struct verdict verdicts[VERDICTS];
    char calls[UNITS_TEXT_SIZE], p50[UNITS_TEXT_SIZE], p99[UNITS_TEXT_SIZE], max[UNITS_TEXT_SIZE];

    if (step->status != STEP_COMPLETE)
        buf_printf(out, "PARTIAL RESULT: %s\n", step->reason);
    buf_printf(out, "calls/s      %11s   %d virtual users, %d threads, %.1f s\n",
               units_count(calls, (int64_t)figures->calls_per_s), step->virtual_users,
               step->threads, figures->seconds);
    buf_printf(out, "client CPU   %8.2f us   per call (user %.2f, system %.2f)\n",
               figures->user_us + figures->system_us, figures->user_us, figures->system_us);
    buf_printf(out, "round trip   %11s   median; p99 %s, max %s\n",
               units_duration(p50, hist_percentile_us(response, 0.5)),
               units_duration(p99, hist_percentile_us(response, 0.99)),
               units_duration(max, hist_percentile_us(response, 1.0)));
    buf_printf(out, "failed       %11" PRIu64 "\n", figures->failed);
    verdict_step(step, verdicts);
    buf_printf(out, "limited by     %s\n             (%s)\n", limit_of(verdicts),
               verdicts[VERDICT_CLIENT].figure);
}

static void
write_json(struct buf *out, const struct step *step, const struct figures *figures)
{
    const struct hist *response = &step->transactions[CALLED].response;
    struct verdict verdicts[VERDICTS];
    struct json json;

    verdict_step(step, verdicts);
    json_begin(&json, out);
    json_object(&json, NULL);
    json_int(&json, "virtual_users", step->virtual_users);
    json_int(&json, "threads", step->threads);
    json_real(&json, "elapsed_s", figures->seconds, 6);
    json_int(&json, "calls", (int64_t)figures->calls);
    json_int(&json, "failed", (int64_t)figures->failed);
    json_real(&json, "calls_per_s", figures->calls_per_s, 1);
    json_object(&json, "client");
    json_real(&json, "cpu_us_per_call", figures->user_us + figures->system_us, 3);
    json_real(&json, "user_us_per_call", figures->user_us, 3);
    json_real(&json, "system_us_per_call", figures->system_us, 3);
    json_object_end(&json);
    json_object(&json, "round_trip_us");
    json_int(&json, "p50", hist_percentile_us(response, 0.5));
    json_int(&json, "p99", hist_percentile_us(response, 0.99));
    json_int(&json, "max", hist_percentile_us(response, 1.0));
    json_object_end(&json);
    json_object(&json, "verdicts");
    json_string(&json, "client", verdict_outcome_names[verdicts[VERDICT_CLIENT].outcome]);
    json_object_end(&json);
    json_object(&json, "verdict_figures");
    json_string(&json, "client", verdicts[VERDICT_CLIENT].figure);
    json_object_end(&json);
    json_object_end(&json);
    json_end(&json);
}

static int
run_and_print(const struct driver_options *options, struct arena *arena)
{
    struct step *step = arena_alloc(arena, sizeof *step);
    struct buf text = {0};
    struct err err;

    step->configuration = "";
    bool ok = driver_step(options, arena, step, &err);
    log_progress_end();
    if (!ok)
        return log_error(&err);
    struct figures figures = figures_of(step);
    if (settings_flag(options->settings, SET_JSON))
        write_json(&text, step, &figures);
    else
        write_text(&text, step, &figures);
    fputs(buf_text(&text), stdout);
    buf_free(&text);
    if (!cli_finish_output(&err) || interrupt_check(&err))
        return log_error(&err);
    return step->status == STEP_FAILED || figures.failed > 0 ? ERR_VERDICT : ERR_NONE;
}

static int
run(struct settings *settings, int operand_count, char **operands)
{
    struct driver_options options;
    struct arena arena = {0};

    (void)operand_count;
    (void)operands;
    driver_options_from(&options, settings);
    options.nothing = true;
    options.metrics_us = 0;
    memset(options.mix, 0, sizeof options.mix);
    options.mix[CALLED] = 100;
    options.progress = progress_show;
    int status = run_and_print(&options, &arena);
    arena_free(&arena);
    return status;
}

const struct command calibrate_command = {
    .name = "calibrate",
    .operands = "",
    .bit = CMD_CALIBRATE,
    .summary = "measure what the driver itself costs per call, and its ceiling",
    .description =
        "Runs a level like `run`, but every call is of a function that does nothing. What remains "
        "is the driver's own processor time per call and the most calls per second that it, the "
        "network and this server's way in and out allow. A measured level well below that ceiling "
        "was not limited by the driver.",
    .examples = "ordermill calibrate -u 4 -t 10s\n"
                "ordermill calibrate -u 1 -t 10s --threads 1 --json",
    .run = run,
};
