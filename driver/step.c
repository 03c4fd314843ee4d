/* Owns one load level, from the control connection to the results. Its phases, its rows, the
 * reasons that end it and the proof at its end are next door, see step_parts.h. */
#include "driver/step_parts.h"

#include <stdlib.h>
#include <string.h>

#include "common/buf.h"
#include "common/clock.h"
#include "common/log.h"

/* Fills what is known before the first transaction. */
static void
describe(struct run_step *run)
{
    const struct driver_options *options = run->options;
    const struct build_info *build = &run->control->build;
    struct step *step = run->step;
    struct step fresh = {
        .number = step->number,
        .repeat = step->repeat,
        .curve = step->curve,
        .curve_name = step->curve_name,
        .server = step->server,
        .configuration = step->configuration,
        .mix_name = arena_strdup(run->arena, options->mix_name),
        .limit_percentile = options->limit_percentile,
        .virtual_users = run->control->terminals,
        .sessions = run->control->sessions,
        .threads = run->control->threads,
        .delivery_sessions = run->control->deliverers,
        .home = options->home,
        .pacing = options->pacing,
        .arrivals = options->arrivals,
        .rate_per_minute = options->rate_per_minute,
        .client_cores = procfs_cores(),
        .client_wait_us = -1,
        .client_busy_percent = -1,
        .client_steal_percent = -1,
        .rtt_before_us = control_round_trip_us(run->control),
        .rtt_after_us = -1,
        .sessions_left = -1,
        .sessions_left_named = "",
        .warehouses = build->warehouses,
        .seed = options->seed,
        .c_load = build->c_load,
        .constants = workload_run_constants(options->seed, build->c_load),
        .procedures = strcmp(options->call, "statements") == 0
                          ? "none"
                          : procedure_set_names[build->procedures],
        .call = arena_strdup(run->arena, options->call),
        .protocol = arena_strdup(run->arena, options->protocol),
        .isolation = arena_strdup(run->arena, run->control->isolation),
        .status = STEP_COMPLETE,
        .reason = "",
        .started_wall_us = clock_wall_us(),
        .ramp_up_us = options->ramp_up_us,
        .measure_us = options->measure_us,
        .failed_share_max = options->failed_share_max,
        .transactions_max = options->transactions_max,
        .precision = options->precision,
        .precision_reached = -1,
        .measure_most_us = options->precision > 0 ? options->measure_most_us : options->measure_us,
    };

    step_growth_unknown(&fresh);
    memcpy(fresh.mix, options->mix, sizeof fresh.mix);
    memcpy(fresh.limits_us, options->limits_us, sizeof fresh.limits_us);
    *step = fresh;
}

static void
keep_homes(struct run_step *run)
{
    struct step *step = run->step;
    uint64_t *sums = must_calloc((size_t)step->warehouses, sizeof *sums);

    crew_home_new_orders(&run->crew, step->warehouses, sums);
    step->home_new_orders_least = sums[0];
    step->home_new_orders_median = sums[(step->warehouses - 1) / 2];
    step->home_new_orders_most = sums[step->warehouses - 1];
    free(sums);
}

static void
keep_results(struct run_step *run)
{
    struct step *step = run->step;
    const struct meter_half *window = run->window;

    memcpy(step->transactions, window->transactions, sizeof step->transactions);
    memcpy(step->errors, window->errors, sizeof step->errors);
    step->errors_count = window->errors_count;
    step->inputs = window->inputs;
    step->lag = window->lag;
    step->queue = window->queue;
    step->pace = window->pace;
    step->skipped = window->skipped;
    keep_homes(run);
    step->virtual_users_lost = crew_look(&run->crew).lost;
    step->connections_lost = crew_look(&run->crew).losses;
    crew_growth(&run->crew, step->counted, step->uncertain);
    if (step->delivery_sessions > 0) {
        step->deferred.queued = step->transactions[TXN_DELIVERY].outcomes[OUTCOME_COMMITTED];
        step->deferred.left = crew_deliveries_left(&run->crew, run->deliveries.since_us);
    }
    step->seconds = seconds_keep(&run->seconds, run->arena, &step->seconds_count);
    outages_measure(&run->outages, run->origin_us, step->seconds, step->seconds_count);
    memcpy(step->outages, run->outages.list, sizeof step->outages);
    step->outages_count = run->outages.count;
}

static void
keep_left(struct run_step *run)
{
    struct buf named = {0};

    run->step->sessions_left = control_see_left(run->control, &run->backends, &named);
    run->step->sessions_left_named = arena_strdup(run->arena, buf_text(&named));
    buf_free(&named);
}

/* Where not all virtual users ever ran, nothing was measured: why is an error of its own. */
static bool
began(const struct run_step *run, struct err *err)
{
    int running = crew_look(&run->crew).running;

    if (run->all_ran || run->step->status != STEP_FAILED)
        return true;
    if (!crew_first_error(&run->crew, err))
        (void)err_set(err, ERR_CONNECTION, "no answer in time");
    return err_prefix(err, "only %d of %d %s could begin", running, run->control->connections,
                      run->control->holders);
}

static bool
run_with_crew(struct run_step *run, struct err *err)
{
    const struct step *step = run->step;
    struct terminal_rules terminals = {
        .warehouses = step->warehouses, .constants = step->constants, .home = step->home};
    struct desk_rules desk = {.terminals = &terminals,
                              .count = step->virtual_users,
                              .seed = step->seed,
                              .pacing = step->pacing,
                              .arrivals = step->arrivals,
                              .rate_per_minute = (double)step->rate_per_minute,
                              .defers = step->delivery_sessions > 0};
    struct session_rules sessions;
    struct worker_rules workers = {.desk = &desk,
                                   .sessions = &sessions,
                                   .sessions_count = step->sessions,
                                   .deliverers_count = step->delivery_sessions,
                                   .wake = run->loop};

    memcpy(terminals.mix, step->mix, sizeof terminals.mix);
    session_rules_init(&sessions, run->arena, run->control->target, run->options);
    sessions.reconnect_us = run->options->reconnect_us;
    sessions.backends = &run->backends;
    if (!crew_start(&run->crew, &workers, step->threads, err))
        return false;
    run_step_phases(run);
    bool ok = began(run, err);
    keep_results(run);
    crew_free(&run->crew);
    if (ok)
        run_step_verify(run);
    keep_left(run);
    return ok;
}

/* The step exists; a file that lacks rows is not what was asked for. */
static void
close_deliveries(struct run_step *run, bool measured)
{
    struct step *step = run->step;
    struct err err;

    if (deliveries_close(&run->deliveries, &err) || !measured || step->status != STEP_COMPLETE)
        return;
    step->status = STEP_FAILED;
    step->reason = arena_strdup(run->arena, err.message);
}

static bool
run_with_control(struct run_step *run, struct err *err)
{
    describe(run);
    run->deliveries.stats = &run->step->deferred;
    run->deliveries.since_us = INT64_MAX;
    run->deliveries.wall_offset_us = clock_wall_us() - clock_monotonic_us();
    deliveries_begin(&run->deliveries);
    if (!run_step_read_sums(run, err) || !run_step_make_loop(run, err))
        return false;
    run->row = must_calloc(1, sizeof *run->row);
    run->window = must_calloc(1, sizeof *run->window);
    meter_half_clear(run->window);
    backends_init(&run->backends);
    bool ok = run_with_crew(run, err);
    backends_free(&run->backends);
    free(run->row);
    free(run->window);
    loop_free(run->loop);
    return ok;
}

bool
driver_step(const struct driver_options *options, struct arena *arena, struct step *step,
            struct err *err)
{
    struct control control;
    struct run_step run = {.options = options, .step = step, .arena = arena, .control = &control};

    if (!deliveries_open(&run.deliveries, options->delivery_file, err))
        return false;
    bool ok = control_open(&control, options, err);
    if (ok) {
        if (options->alone && control.build.unlogged)
            log_warning("the tables are unlogged: the figures are not comparable with those of "
                        "logged tables");
        ok = run_with_control(&run, err);
        control_close(&control);
    }
    close_deliveries(&run, ok);
    return ok;
}
