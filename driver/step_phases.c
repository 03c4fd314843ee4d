/* Owns the phases of a level, its clock and its window: when a flip is asked for, what ends a
 * phase, and how long is waited for what does not end.
 *
 *   CONNECT -> RAMP_UP -> MEASURE -> DRAIN
 *
 * It runs in the calling thread, on an event loop of its own, and never touches a session: it asks
 * the crew for flips at chosen moments, and each flip closes one row of seconds, and sometimes a
 * phase. The flip that closes the window also ends the starting of transactions. */
#include "driver/step_parts.h"

#include <stdio.h>
#include <string.h>

#include "common/interrupt.h"
#include "common/log.h"
#include "driver/window.h"

#define SECOND_US              INT64_C(1000000)
#define ASK_AHEAD_US           5000 /* a flip is asked for so long before its moment */
#define ASK_AT_LEAST_US        500
#define CONNECT_BASE_US        (SESSION_CONNECT_US + 5 * SECOND_US)
#define CONNECT_PER_USER_US    (SECOND_US / 10)
#define DRAIN_US               (10 * SECOND_US)  /* then what still runs is cancelled */
#define DRAIN_DELIVERIES_US    DELIVERY_LIMIT_US /* where only deferred deliveries are left to do */
#define DRAIN_INTERRUPTED_US   SECOND_US
#define CANCEL_US              (2 * SECOND_US) /* then connections are closed */
#define CANCEL_INTERRUPTED_US  SECOND_US
#define METRICS_US             (2 * SECOND_US) /* for the sampler's last look */
#define METRICS_INTERRUPTED_US (SECOND_US / 2)

/* --- flips ------------------------------------------------------------------------------------ */

static int64_t
phase_end_us(const struct run_step *run)
{
    bool has_end = run->phase == PHASE_RAMP_UP || run->phase == PHASE_MEASURE;

    return has_end ? run->phase_start_us + run_step_planned_us(run) : INT64_MAX;
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

static void
begin_window(struct run_step *run)
{
    run->deliveries.since_us = run->phase_start_us;
    if (run->sampler)
        sampler_window(run->sampler, true);
    usage_begin(&run->usage, run->sampler);
}

static void
end_window(struct run_step *run, int64_t at_us)
{
    struct step *step = run->step;

    if (run->sampler)
        sampler_window(run->sampler, false);
    usage_end(&run->usage, run->sampler, step);
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

/* --- what happens ----------------------------------------------------------------------------- */

static void
on_collected(struct run_step *run)
{
    int64_t at_us = run->asked_at_us;

    run->asked = false;
    run_step_collect(run);
    run_step_look_for_failures(run, at_us);
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

/* Something changed in a worker: a flip, a virtual user. */
static void
on_woken(void *owner)
{
    struct run_step *run = owner;
    struct worker_state state = crew_look(&run->crew);

    if (run->asked && crew_answered(&run->crew))
        on_collected(run);
    run_step_look_for_losses(run, &state);
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
        run_step_give_up_connection(run, what);
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
    run_step_give_up(run, STEP_INTERRUPTED, run_step_interruption());
    if (run->phase == PHASE_DRAIN)
        loop_timer_set(run->loop, &run->deadline, loop_now_us(run->loop));
    on_woken(run);
}

/* --- the whole -------------------------------------------------------------------------------- */

bool
run_step_make_loop(struct run_step *run, struct err *err)
{
    run->loop = loop_new(NULL, err);
    if (!run->loop)
        return false;
    run->tick = (struct loop_timer){.fire = on_tick, .owner = run};
    run->deadline = (struct loop_timer){.fire = on_deadline, .owner = run};
    run->interrupt = (struct loop_watch){.ready = on_interrupt, .owner = run};
    loop_on_wake(run->loop, on_woken, run);
    return true;
}

void
run_step_phases(struct run_step *run)
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
    run_step_collect_rest(run);
    end_sampling(run);
}
