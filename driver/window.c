/* Owns the rules. The clock and the closing are step_phases.c's. */
#include "driver/window.h"

#include "common/precision.h"

#define SECOND_US    INT64_C(1000000)
#define LOOK_EVERY_S 5

bool
window_is_full(const struct step *step, const struct txn_stats transactions[TXN_TYPES])
{
    uint64_t ended = 0;

    for (int type = 0; type < TXN_TYPES; type++)
        for (int outcome = 0; outcome < OUTCOMES; outcome++)
            ended += transactions[type].outcomes[outcome];
    return step->transactions_max > 0 && ended >= (uint64_t)step->transactions_max;
}

bool
window_is_precise(struct step *step, const struct second *seconds, int count, int64_t measured_us)
{
    if (step->precision == 0 || measured_us < step->measure_us ||
        measured_us / SECOND_US % LOOK_EVERY_S != 0)
        return false;
    step->precision_reached = precision_of_seconds(seconds, count);
    return step->precision_reached >= 0 && step->precision_reached <= step->precision;
}

void
window_close(struct step *step, const struct second *seconds, int count)
{
    bool reached = step->precision_reached >= 0 && step->precision_reached <= step->precision;

    if (step->precision > 0 && !reached)
        step->precision_reached = precision_of_seconds(seconds, count);
}
