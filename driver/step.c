/* Owns one load level: its phases, its clock, its window, and the proof at its end.
 *
 *   CONNECT -> RAMP_UP -> MEASURE -> DRAIN -> verify
 *
 * It runs in the calling thread, on an event loop of its own, and never touches a session: it asks
 * the crew for flips at chosen moments, and each flip closes one row of seconds, and sometimes a
 * phase. The flip that closes the window also ends the starting of transactions. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/interrupt.h"
#include "common/log.h"
#include "common/load_text.h"
#include "driver/control.h"
#include "driver/crew.h"
#include "driver/deliveries.h"
#include "driver/outages.h"
#include "driver/procfs.h"
#include "driver/sampler.h"
#include "driver/seconds.h"
#include "driver/window.h"

#define SECOND_US              INT64_C(1000000)
#define ASK_AHEAD_US           5000 /* a flip is asked for so long before its moment */
#define ASK_AT_LEAST_US        500
#define PRECISION_EVERY_S      5
#define FAILING_US             (10 * SECOND_US) /* of the window, before failures end a level */
#define CONNECT_BASE_US        (SESSION_CONNECT_US + 5 * SECOND_US)
#define CONNECT_PER_USER_US    (SECOND_US / 10)
#define DRAIN_US               (10 * SECOND_US)  /* then what still runs is cancelled */
#define DRAIN_DELIVERIES_US    DELIVERY_LIMIT_US /* where only deferred deliveries are left to do */
#define DRAIN_INTERRUPTED_US   SECOND_US
#define CANCEL_US              (2 * SECOND_US) /* then connections are closed */
#define CANCEL_INTERRUPTED_US  SECOND_US
#define METRICS_US             (2 * SECOND_US) /* for the sampler's last look */
#define METRICS_INTERRUPTED_US (SECOND_US / 2)

/* What was done about transactions that do not end. */
enum haste { HASTE_NONE, HASTE_CANCELLED, HASTE_ABANDONED, HASTE_SPENT };

struct run_step {
    const struct driver_options *options;
    struct step *step;
    struct arena *arena;
    struct control *control;
    struct control_sums before;

    struct loop *loop;
    struct loop_timer tick, deadline;
    struct loop_watch interrupt;
    struct crew crew;

    enum phase phase;
    int64_t phase_start_us, origin_us; /* origin: the last virtual user ran */
    int64_t row_start_us;
    bool asked, asked_closes; /* a flip is on its way; it ends the phase */
    int64_t asked_at_us;
    bool all_ran;    /* at some moment */
    bool end_wanted; /* as soon as possible: interrupted, or nobody is left */
    enum haste haste;

    struct meter_half *row, *window;             /* what the last flip closed; the measured part */
    int64_t cpu_user_us, cpu_system_us, wait_us; /* when the window began, as the next two */
    struct procfs_cpu host;
    bool host_known;
    uint64_t failed;

    struct sampler *sampler; /* NULL: nobody looks */

    struct seconds seconds;
    struct outages outages;
    struct deliveries deliveries;
};

/* --- why a level does not complete ------------------------------------------------------------ */

static const char *const phase_texts[PHASES] = {"while connecting", "in the ramp-up",
                                                "in the measured window", "in the drain"};

static const char *
interruption(void)
{
    return interrupt_signal() == SIGTERM ? "interrupted by SIGTERM" : "interrupted by SIGINT";
}

static void
give_up(struct run_step *run, enum step_status status, const char *reason)
{
    if (run->step->status != STEP_COMPLETE)
        return; /* the first reason counts */
    run->step->status = status;
    run->step->reason = arena_printf(run->arena, "%s %s", reason, phase_texts[run->phase]);
    run->end_wanted = true;
}

static void
give_up_connection(struct run_step *run, const char *what)
{
    char reason[1200];
    struct err err;

    if (crew_first_error(&run->crew, &err))
        snprintf(reason, sizeof reason, "%s (%s)", what, err.message);
    else
        snprintf(reason, sizeof reason, "%s", what);
    give_up(run, STEP_FAILED, reason);
}

/* --- rows ------------------------------------------------------------------------------------- */

static void
add_row(struct run_step *run)
{
    int32_t at_s = 0;

    if (run->phase != PHASE_CONNECT)
        at_s = (int32_t)((run->row_start_us - run->origin_us) / SECOND_US);
    const struct second *row = seconds_add(&run->seconds, run->phase, at_s, run->row);
    for (int type = 0; type < TXN_TYPES; type++)
        run->failed += row->outcomes[type][OUTCOME_FAILED] + row->outcomes[type][OUTCOME_LOST];
}

static int64_t
planned_us(const struct run_step *run)
{
    switch (run->phase) {
    case PHASE_RAMP_UP: return run->options->ramp_up_us;
    case PHASE_MEASURE:
        return run->options->precision > 0 ? run->options->measure_most_us
                                           : run->options->measure_us;
    default: return 0;
    }
}

static double
per_minute(uint64_t count, int64_t us)
{
    return us > 0 ? (double)count * 60e6 / (double)us : 0;
}

static uint64_t
all_ended_well(const struct second *row)
{
    uint64_t sum = 0;

    for (int type = 0; type < TXN_TYPES; type++)
        sum += row->outcomes[type][OUTCOME_COMMITTED] + row->outcomes[type][OUTCOME_ROLLED_BACK];
    return sum;
}

static void
tell_progress(const struct run_step *run, int64_t row_us)
{
    const struct second *row = &run->seconds.rows[run->seconds.count - 1];
    struct driver_progress progress = {
        .phase = run->phase,
        .elapsed_us = run->asked_at_us - run->phase_start_us,
        .planned_us = planned_us(run),
        .virtual_users = (int)row->virtual_users,
        .who = load_who(run->step),
        .nopm = step_has_nopm(run->step)
                    ? per_minute(row->outcomes[TXN_NEW_ORDER][OUTCOME_COMMITTED], row_us)
                    : -1,
        .tpm = per_minute(all_ended_well(row), row_us),
        .new_order_p95_us = row->new_order_p95_us,
        .failed = run->failed,
        .latest = row};

    /* Connecting that took no second is not worth a line. */
    if (run->phase == PHASE_CONNECT && run->asked_closes)
        return;
    if (run->options->progress)
        run->options->progress(run->options->progress_context, &progress);
}

/* --- flips ------------------------------------------------------------------------------------ */

static int64_t
phase_end_us(const struct run_step *run)
{
    bool has_end = run->phase == PHASE_RAMP_UP || run->phase == PHASE_MEASURE;

    return has_end ? run->phase_start_us + planned_us(run) : INT64_MAX;
}

static void
ask(struct run_step *run, int64_t at_us, bool closes)
{
    int64_t earliest_us = loop_now_us(run->loop) + ASK_AT_LEAST_US;
    bool leaves_window = run->phase == PHASE_MEASURE || run->end_wanted;

    loop_timer_clear(run->loop, &run->tick);
    run->asked = true;
    run->asked_at_us = at_us > earliest_us ? at_us : earliest_us;
    run->asked_closes = closes || run->asked_at_us >= phase_end_us(run);
    crew_ask(&run->crew, run->asked_at_us,
             run->phase == PHASE_DRAIN || (run->asked_closes && leaves_window));
}

static void
on_tick(struct loop_timer *timer)
{
    struct run_step *run = timer->owner;

    ask(run, timer->node.key + ASK_AHEAD_US, false);
}

/* The next whole second of the phase, or its end. */
static void
plan_tick(struct run_step *run)
{
    int64_t since_us = loop_now_us(run->loop) - run->phase_start_us;
    int64_t next_us = run->phase_start_us;
    int64_t end_us = phase_end_us(run);

    if (since_us >= 0)
        next_us += (since_us / SECOND_US + 1) * SECOND_US;
    if (next_us <= run->asked_at_us)
        next_us += SECOND_US;
    if (next_us > end_us)
        next_us = end_us;
    loop_timer_set(run->loop, &run->tick, next_us - ASK_AHEAD_US);
}

/* --- phases ----------------------------------------------------------------------------------- */

/* Not before the last virtual user runs: the sampler must not take a connection that one of them
 * needs. A level that cannot be looked at is a level all the same. */
static void
begin_sampling(struct run_step *run)
{
    const struct driver_options *options = run->options;
    struct sampler_rules rules = {.target = run->control->target,
                                  .schema = options->schema,
                                  .interval_us = options->metrics_us,
                                  .prepares = strcmp(options->protocol, "prepared") == 0};
    struct err err;

    if (options->metrics_us == 0)
        return;
    run->sampler = sampler_start(&rules, &err);
    if (!run->sampler)
        log_warning("%s", err.message);
}

static void
end_sampling(struct run_step *run)
{
    bool interrupted = run->step->status == STEP_INTERRUPTED;

    sampler_stop(run->sampler, interrupted ? METRICS_INTERRUPTED_US : METRICS_US, run->arena,
                 run->origin_us, run->step);
    run->sampler = NULL;
}

/* What the driver has used, without what the sampler has. */
static void
read_cost(const struct run_step *run, int64_t *user_us, int64_t *system_us, int64_t *wait_us)
{
    clock_process_cpu_us(user_us, system_us);
    *wait_us = procfs_wait_us();
    if (!run->sampler)
        return;
    struct sampler_cost cost = sampler_cost(run->sampler);
    *user_us -= cost.user_us;
    *system_us -= cost.system_us;
    if (*wait_us >= cost.wait_us && cost.wait_us > 0)
        *wait_us -= cost.wait_us;
}

static void
begin_window(struct run_step *run)
{
    run->deliveries.since_us = run->phase_start_us;
    if (run->sampler)
        sampler_window(run->sampler, true);
    run->host_known = procfs_read_cpu(&run->host);
    read_cost(run, &run->cpu_user_us, &run->cpu_system_us, &run->wait_us);
}

/* Shares of the host's time since the window began. */
static void
end_host(const struct run_step *run)
{
    struct procfs_cpu now;

    if (!run->host_known || !procfs_read_cpu(&now) || now.total <= run->host.total)
        return;
    double total = (double)(now.total - run->host.total);
    run->step->client_busy_percent = 100 - 100 * (double)(now.idle - run->host.idle) / total;
    run->step->client_steal_percent = 100 * (double)(now.steal - run->host.steal) / total;
}

static void
end_window(struct run_step *run, int64_t at_us)
{
    struct step *step = run->step;
    int64_t user_us, system_us, wait_us;

    if (run->sampler)
        sampler_window(run->sampler, false);
    read_cost(run, &user_us, &system_us, &wait_us);
    step->client_user_us = user_us - run->cpu_user_us;
    step->client_system_us = system_us - run->cpu_system_us;
    procfs_settle(&step->client_user_us, &step->client_system_us);
    if (run->wait_us >= 0 && wait_us >= run->wait_us)
        step->client_wait_us = wait_us - run->wait_us;
    end_host(run);
    step->elapsed_us = at_us - run->phase_start_us;
    window_close(step, run->seconds.rows, run->seconds.count);
    step->unfinished = run->row->in_flight;
    step->waiting = run->row->waiting;
}

static void
enter_phase(struct run_step *run, enum phase phase, int64_t at_us)
{
    if (run->phase == PHASE_MEASURE)
        end_window(run, at_us);
    if (run->phase == PHASE_CONNECT) {
        run->all_ran = !run->end_wanted;
        run->origin_us = at_us;
        seconds_set_origin(&run->seconds);
        if (run->all_ran)
            begin_sampling(run);
    }
    run->phase = phase;
    run->phase_start_us = at_us;
    loop_timer_clear(run->loop, &run->deadline);
    if (phase == PHASE_MEASURE)
        begin_window(run);
    if (phase == PHASE_DRAIN) {
        bool interrupted = run->step->status == STEP_INTERRUPTED;
        loop_timer_set(run->loop, &run->deadline,
                       at_us + (interrupted ? DRAIN_INTERRUPTED_US : DRAIN_US));
    }
}

static void
close_phase(struct run_step *run, int64_t at_us)
{
    if (run->end_wanted || run->phase == PHASE_MEASURE)
        enter_phase(run, PHASE_DRAIN, at_us);
    else if (run->phase == PHASE_CONNECT && run->options->ramp_up_us > 0)
        enter_phase(run, PHASE_RAMP_UP, at_us);
    else
        enter_phase(run, PHASE_MEASURE, at_us);
}

/* Whoever goes on only finds out later that the level is invalid. Losses alone do not end it: the
 * time after an outage is what somebody who measures one is waiting for. */
static void
look_for_failures(struct run_step *run, int64_t at_us)
{
    const struct txn_stats *stats = run->window->transactions;
    enum txn_type worst = TXN_NEW_ORDER;
    char reason[96];

    if (run->options->keep_going || run->phase != PHASE_MEASURE ||
        at_us - run->phase_start_us < FAILING_US ||
        txn_failed_share(stats, &worst) <= run->step->failed_share_max ||
        stats[worst].outcomes[OUTCOME_LOST] >= stats[worst].outcomes[OUTCOME_FAILED])
        return;
    snprintf(reason, sizeof reason, "invalid: over %g %% of %s failed",
             100 * run->step->failed_share_max, txn_titles[worst]);
    give_up(run, STEP_FAILED, reason);
}

static void
take_record(void *context, const struct deferred_record *record)
{
    deliveries_put(context, record);
}

static void
add_to_window(struct run_step *run)
{
    uint64_t deliveries = (uint64_t)crew_look(&run->crew).deliveries;

    meter_half_merge(run->window, run->row);
    if (run->row->waiting > run->step->waiting_most)
        run->step->waiting_most = run->row->waiting;
    if (deliveries > run->step->deferred.waiting_most)
        run->step->deferred.waiting_most = deliveries;
}

static void
on_collected(struct run_step *run)
{
    int64_t at_us = run->asked_at_us;

    run->asked = false;
    crew_collect(&run->crew, run->row);
    /* Those that ended before the flip: the window that it may open counts from there. */
    crew_take_records(&run->crew, at_us, take_record, &run->deliveries);
    if (run->phase == PHASE_MEASURE)
        add_to_window(run);
    add_row(run);
    tell_progress(run, at_us - run->row_start_us);
    run->row_start_us = at_us;
    look_for_failures(run, at_us);
    if (run->asked_closes) {
        close_phase(run, at_us);
    } else if (run->phase == PHASE_MEASURE &&
               window_is_full(run->step, run->window->transactions)) {
        run->step->cut = true;
        ask(run, 0, true);
        return;
    } else if (run->phase == PHASE_MEASURE &&
               window_is_precise(run->step, run->seconds.rows, run->seconds.count,
                                 at_us - run->phase_start_us)) {
        ask(run, 0, true);
        return;
    }
    plan_tick(run);
}

/* A running level whose last virtual user has given up cannot go on. */
static void
look_for_losses(struct run_step *run, const struct worker_state *state)
{
    if (run->phase == PHASE_DRAIN)
        return;
    outages_look(&run->outages, loop_now_us(run->loop), state->out + state->lost, state->losses);
    if (state->lost == 0)
        return;
    const struct control *control = run->control;
    if (run->phase == PHASE_CONNECT)
        give_up_connection(run, arena_printf(run->arena,
                                             "one of %d %s could not connect, or lost its "
                                             "connection,",
                                             control->connections, control->holders));
    else if (state->ended - state->ended_deliverers == control->sessions)
        give_up_connection(
            run, arena_printf(run->arena, "all %s lost their connection", control->holders));
}

/* Something changed in a worker: a flip, a virtual user. */
static void
on_woken(void *owner)
{
    struct run_step *run = owner;
    struct worker_state state = crew_look(&run->crew);

    if (run->asked && crew_answered(&run->crew))
        on_collected(run);
    look_for_losses(run, &state);
    if (run->asked)
        return;
    bool all_run = run->phase == PHASE_CONNECT && state.running == run->control->connections;
    if (run->phase == PHASE_DRAIN) {
        if (state.ended == run->control->connections)
            loop_stop(run->loop);
    } else if (run->end_wanted || all_run) {
        ask(run, 0, true);
    }
}

/* Deferred deliveries have more time to end than a transaction whose answer does not come. */
static bool
only_deliveries_left(const struct run_step *run)
{
    return run->haste == HASTE_NONE && run->step->status != STEP_INTERRUPTED &&
           run->row->in_flight == 0 && crew_look(&run->crew).deliveries > 0 &&
           loop_now_us(run->loop) < run->phase_start_us + DRAIN_DELIVERIES_US;
}

static void
on_deadline(struct loop_timer *timer)
{
    struct run_step *run = timer->owner;
    bool interrupted = run->step->status == STEP_INTERRUPTED;
    char what[96];

    if (run->phase == PHASE_CONNECT) {
        snprintf(what, sizeof what, "only %d of %d %s connected in time",
                 crew_look(&run->crew).running, run->control->connections, run->control->holders);
        give_up_connection(run, what);
        on_woken(run);
        return;
    }
    if (only_deliveries_left(run)) {
        loop_timer_set(run->loop, timer, loop_now_us(run->loop) + SECOND_US);
        return;
    }
    if (run->haste == HASTE_NONE)
        crew_cancel(&run->crew);
    else if (run->haste == HASTE_CANCELLED)
        crew_abandon(&run->crew);
    else
        loop_stop(run->loop); /* a worker does not even answer: joining it is all that is left */
    if (run->haste < HASTE_SPENT)
        run->haste++;
    loop_timer_set(run->loop, timer,
                   loop_now_us(run->loop) + (interrupted ? CANCEL_INTERRUPTED_US : CANCEL_US));
}

static void
on_interrupt(struct loop_watch *watch, uint32_t events)
{
    struct run_step *run = watch->owner;

    (void)events;
    loop_unwatch(run->loop, watch); /* it stays readable for ever */
    give_up(run, STEP_INTERRUPTED, interruption());
    if (run->phase == PHASE_DRAIN)
        loop_timer_set(run->loop, &run->deadline, loop_now_us(run->loop));
    on_woken(run);
}

/* --- the whole -------------------------------------------------------------------------------- */

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

static bool
verifies_all(const struct run_step *run)
{
    switch (run->options->verify) {
    case DRIVER_VERIFY_COUNTERS: return false;
    case DRIVER_VERIFY_FULL: return true;
    case DRIVER_VERIFY_AUTO: break;
    }
    return !run->options->nothing && !run->control->hurried &&
           run->control->build.warehouses <= DRIVER_VERIFY_AUTO_WAREHOUSES;
}

/* The database's own sums against what the driver counted. When they cannot be read the growth
 * stays unknown, which no verdict takes for agreement. */
static void
verify(struct run_step *run)
{
    struct step *step = run->step;
    struct control_sums after;
    struct err err;

    run->control->hurried = step->status == STEP_INTERRUPTED;
    if (run->haste >= HASTE_ABANDONED) {
        give_up(run, STEP_FAILED, "transactions did not end, and could not be cancelled,");
        return;
    }
    bool connected = control_again(run->control, run->options->reconnect_us, &err);
    if (connected && !run->control->hurried)
        step->rtt_after_us = control_round_trip_us(run->control);
    if (connected &&
        control_read_sums(run->control, run->options->schema, verifies_all(run), &after, &err)) {
        for (int i = 0; i < GROWTHS; i++)
            step->grown[i] = after.sums[i] < 0 ? -1 : after.sums[i] - run->before.sums[i];
        step->stock_quantity_min = after.stock_quantity_min;
        step->stock_quantity_max = after.stock_quantity_max;
        return;
    }
    if (step->status != STEP_COMPLETE)
        return;
    bool interrupted = err.code == ERR_INTERRUPTED || err.code == ERR_TERMINATED;
    step->status = interrupted ? STEP_INTERRUPTED : STEP_FAILED;
    step->reason =
        interrupted
            ? arena_printf(run->arena, "%s in the verification", interruption())
            : arena_printf(run->arena, "the order counters could not be read after the run: %s",
                           err.message);
}

static void
run_phases(struct run_step *run)
{
    run->phase_start_us = run->row_start_us = loop_now_us(run->loop);
    loop_timer_set(run->loop, &run->deadline,
                   run->phase_start_us + CONNECT_BASE_US +
                       CONNECT_PER_USER_US * run->control->connections);
    loop_watch(run->loop, &run->interrupt, interrupt_descriptor(), EPOLLIN);
    plan_tick(run);
    loop_run(run->loop);
    loop_unwatch(run->loop, &run->interrupt);
    loop_timer_clear(run->loop, &run->tick);
    loop_timer_clear(run->loop, &run->deadline);
    crew_join(&run->crew);
    crew_collect_rest(&run->crew, run->row);
    crew_take_records(&run->crew, INT64_MAX, take_record, &run->deliveries);
    add_row(run);
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
    if (!crew_start(&run->crew, &workers, step->threads, err))
        return false;
    run_phases(run);
    bool ok = began(run, err);
    end_sampling(run);
    keep_results(run);
    crew_free(&run->crew);
    if (ok)
        verify(run);
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
    if (!control_read_sums(run->control, run->options->schema, verifies_all(run), &run->before,
                           err))
        return false;
    run->loop = loop_new(NULL, err);
    if (!run->loop)
        return false;
    run->tick = (struct loop_timer){.fire = on_tick, .owner = run};
    run->deadline = (struct loop_timer){.fire = on_deadline, .owner = run};
    run->interrupt = (struct loop_watch){.ready = on_interrupt, .owner = run};
    run->row = must_calloc(1, sizeof *run->row);
    run->window = must_calloc(1, sizeof *run->window);
    meter_half_clear(run->window);
    loop_on_wake(run->loop, on_woken, run);
    bool ok = run_with_crew(run, err);
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
        ok = run_with_control(&run, err);
        control_close(&control);
    }
    close_deliveries(&run, ok);
    return ok;
}

bool
driver_preflight(const struct driver_options *options, struct err *err)
{
    struct control control;

    if (!control_open(&control, options, err))
        return false;
    control_close(&control);
    return true;
}
