/* Owns the proof at the end of a level: the database's own sums against what the driver counted. */
#include "driver/step_parts.h"

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

bool
run_step_read_sums(struct run_step *run, struct err *err)
{
    return control_read_sums(run->control, run->options->schema, verifies_all(run), &run->before,
                             err);
}

void
run_step_verify(struct run_step *run)
{
    struct step *step = run->step;
    struct control_sums after;
    struct err err;

    run->control->hurried = step->status == STEP_INTERRUPTED;
    if (run->haste >= HASTE_ABANDONED) {
        run_step_give_up(run, STEP_FAILED, "transactions did not end, and could not be cancelled,");
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
            ? arena_printf(run->arena, "%s in the verification", run_step_interruption())
            : arena_printf(run->arena, "the order counters could not be read after the run: %s",
                           err.message);
}
