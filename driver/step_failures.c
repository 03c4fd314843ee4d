/* Owns the reasons why a level does not complete, and when what goes wrong is enough to end it. */
#include "driver/step_parts.h"

#include <signal.h>
#include <stdio.h>

#include "common/interrupt.h"

#define FAILING_US INT64_C(10000000) /* of the window, before failures end a level */

static const char *const phase_texts[PHASES] = {"while connecting", "in the ramp-up",
                                                "in the measured window", "in the drain"};

const char *
run_step_interruption(void)
{
    return interrupt_signal() == SIGTERM ? "interrupted by SIGTERM" : "interrupted by SIGINT";
}

void
run_step_give_up(struct run_step *run, enum step_status status, const char *reason)
{
    if (run->step->status != STEP_COMPLETE)
        return;
    run->step->status = status;
    run->step->reason = arena_printf(run->arena, "%s %s", reason, phase_texts[run->phase]);
    run->end_wanted = true;
}

void
run_step_give_up_connection(struct run_step *run, const char *what)
{
    char reason[1200];
    struct err err;

    if (crew_first_error(&run->crew, &err))
        snprintf(reason, sizeof reason, "%s (%s)", what, err.message);
    else
        snprintf(reason, sizeof reason, "%s", what);
    run_step_give_up(run, STEP_FAILED, reason);
}

void
run_step_look_for_failures(struct run_step *run, int64_t at_us)
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
    run_step_give_up(run, STEP_FAILED, reason);
}

void
run_step_look_for_losses(struct run_step *run, const struct worker_state *state)
{
    if (run->phase == PHASE_DRAIN)
        return;
    outages_look(&run->outages, loop_now_us(run->loop), state->out + state->lost, state->losses);
    if (state->lost == 0)
        return;
    const struct control *control = run->control;
    if (run->phase == PHASE_CONNECT)
        run_step_give_up_connection(run, arena_printf(run->arena,
                                                      "one of %d %s could not connect, or lost its "
                                                      "connection,",
                                                      control->connections, control->holders));
    else if (state->ended - state->ended_deliverers == control->sessions)
        run_step_give_up_connection(
            run, arena_printf(run->arena, "all %s lost their connection", control->holders));
}
