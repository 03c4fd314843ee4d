/* Owns what a flip brings: a row of seconds, its part of the window, the records of deferred
 * deliveries, and the line that tells of it. */
#include "driver/step_parts.h"

#include "common/load_text.h"

#define SECOND_US INT64_C(1000000)

int64_t
run_step_planned_us(const struct run_step *run)
{
    switch (run->phase) {
    case PHASE_RAMP_UP: return run->options->ramp_up_us;
    case PHASE_MEASURE:
        return run->options->precision > 0 ? run->options->measure_most_us
                                           : run->options->measure_us;
    default: return 0;
    }
}

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
        .planned_us = run_step_planned_us(run),
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

void
run_step_collect(struct run_step *run)
{
    int64_t at_us = run->asked_at_us;

    crew_collect(&run->crew, run->row);
    /* Those that ended before the flip: the window that it may open counts from there. */
    crew_take_records(&run->crew, at_us, take_record, &run->deliveries);
    if (run->phase == PHASE_MEASURE)
        add_to_window(run);
    add_row(run);
    tell_progress(run, at_us - run->row_start_us);
    run->row_start_us = at_us;
}

void
run_step_collect_rest(struct run_step *run)
{
    crew_collect_rest(&run->crew, run->row);
    crew_take_records(&run->crew, INT64_MAX, take_record, &run->deliveries);
    add_row(run);
}
