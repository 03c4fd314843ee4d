/* Between the files that run one level, and for no other: step.c has the whole of it, from the
 * control connection to the results; step_phases.c the phases and the clock; step_rows.c what each
 * flip brings; step_failures.c why a level does not complete; step_verify.c the proof at its end.
 */
#ifndef ORDERMILL_DRIVER_STEP_PARTS_H
#define ORDERMILL_DRIVER_STEP_PARTS_H

#include "common/loop.h"
#include "driver/backends.h"
#include "driver/control.h"
#include "driver/crew.h"
#include "driver/deliveries.h"
#include "driver/outages.h"
#include "driver/seconds.h"
#include "driver/usage.h"

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

    struct meter_half *row, *window; /* what the last flip closed; the measured part */
    struct usage usage;
    uint64_t failed; /* transactions that failed or were lost, so far */

    struct sampler *sampler; /* NULL: nobody looks */
    struct backends backends;

    struct seconds seconds;
    struct outages outages;
    struct deliveries deliveries;
};

/* --- step_phases.c ---------------------------------------------------------------------------- */

/* Makes the loop that the crew wakes; whoever runs the level frees it. */
MUST_CHECK bool run_step_make_loop(struct run_step *run, struct err *err);
/* From connecting to the end of the drain: the crew has started, and has been joined after it. */
void run_step_phases(struct run_step *run);

/* --- step_rows.c ------------------------------------------------------------------------------ */

/* How long the phase is to last at most; 0: it ends by itself. */
int64_t run_step_planned_us(const struct run_step *run);
/* Takes in what the flip closed that all workers have answered, and tells of it. */
void run_step_collect(struct run_step *run);
/* After the join: what came behind the last flip. */
void run_step_collect_rest(struct run_step *run);

/* --- step_failures.c -------------------------------------------------------------------------- */

/* "interrupted by SIGINT" */
const char *run_step_interruption(void);
/* Ends the level as soon as possible, with "REASON in the ramp-up" or whatever phase it is. The
 * first reason counts. */
void run_step_give_up(struct run_step *run, enum step_status status, const char *reason);
/* The same, with the first error of a session as the cause. */
void run_step_give_up_connection(struct run_step *run, const char *what);
/* Whoever goes on only finds out later that the level is invalid. Losses alone do not end it: the
 * time after an outage is what somebody who measures one is waiting for. */
void run_step_look_for_failures(struct run_step *run, int64_t at_us);
/* A running level whose last virtual user has given up cannot go on. */
void run_step_look_for_losses(struct run_step *run, const struct worker_state *state);

/* --- step_verify.c ---------------------------------------------------------------------------- */

/* The database's own sums before the first transaction... */
MUST_CHECK bool run_step_read_sums(struct run_step *run, struct err *err);
/* ...and after the last one, against what the driver counted. When they cannot be read the growth
 * stays unknown, which no verdict takes for agreement. */
void run_step_verify(struct run_step *run);

#endif
