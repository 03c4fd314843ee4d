/* Owns the list of outages and the rules by which their cost is read from the seconds. */
#include "driver/outages.h"

/* Past the end of the list the last one is opened again: it then spans all that follow. */
static void
begin(struct outages *outages, int64_t now_us)
{
    outages->open = true;
    if (outages->count < OUTAGES_MAX)
        outages->list[outages->count++] = (struct outage){.start_us = now_us};
    outages->list[outages->count - 1].end_us = OUTAGE_OPEN;
}

void
outages_look(struct outages *outages, int64_t now_us, int missing, int losses)
{
    if (!outages->open && (losses > outages->losses || missing > 0))
        begin(outages, now_us);
    if (!outages->open)
        return;
    struct outage *outage = &outages->list[outages->count - 1];
    outage->losses += losses - outages->losses;
    outages->losses = losses;
    if (missing > 0)
        return;
    outage->end_us = now_us;
    outages->open = false;
}

static uint32_t
new_orders_of(const struct second *row)
{
    return row->outcomes[TXN_NEW_ORDER][OUTCOME_COMMITTED];
}

/* A whole second of work: no part of connecting or draining. */
static bool
is_full(const struct second *row)
{
    return row->phase == PHASE_RAMP_UP || row->phase == PHASE_MEASURE;
}

/* New-orders per second in the last seconds before the outage; 0 when there were too few. */
static double
level_before(const struct outage *outage, const struct second *rows, int count)
{
    double sum = 0;
    int seconds = 0;

    for (int i = count - 1; i >= 0 && seconds < OUTAGE_LEVEL_SECONDS_MAX; i--) {
        if (!is_full(&rows[i]) || (rows[i].at_s + 1) * INT64_C(1000000) > outage->start_us)
            continue;
        sum += new_orders_of(&rows[i]);
        seconds++;
    }
    return seconds >= OUTAGE_LEVEL_SECONDS_MIN ? sum / seconds : 0;
}

/* From the start of the outage to the first of three seconds that together are back at the level.
 */
static int64_t
recovery_us(const struct outage *outage, const struct second *rows, int count)
{
    double level = level_before(outage, rows, count);

    for (int i = 0; i + 3 <= count && level > 0; i++) {
        int64_t at_us = rows[i].at_s * INT64_C(1000000);
        double sum = 0;
        for (int j = i; j < i + 3; j++)
            sum += new_orders_of(&rows[j]);
        if (is_full(&rows[i]) && is_full(&rows[i + 2]) && at_us > outage->start_us &&
            sum >= 3 * level * OUTAGE_RECOVERED_SHARE)
            return at_us - outage->start_us;
    }
    return OUTAGE_NOT_SEEN;
}

/* Seconds without a committed new-order that the outage touches, or that follow it at once. */
static int
seconds_at_zero(const struct outage *outage, const struct second *rows, int count)
{
    int zero = 0;

    for (int i = 0; i < count; i++) {
        int64_t at_us = rows[i].at_s * INT64_C(1000000);
        bool over = outage->end_us != OUTAGE_OPEN && at_us > outage->end_us;
        if (!is_full(&rows[i]) || at_us + 1000000 <= outage->start_us)
            continue;
        if (new_orders_of(&rows[i]) == 0)
            zero++;
        else if (over)
            break;
    }
    return zero;
}

void
outages_measure(struct outages *outages, int64_t origin_us, const struct second *rows,
                int rows_count)
{
    for (int i = 0; i < outages->count; i++) {
        struct outage *outage = &outages->list[i];
        outage->start_us -= origin_us;
        if (outage->end_us != OUTAGE_OPEN)
            outage->end_us -= origin_us;
        outage->zero_s = seconds_at_zero(outage, rows, rows_count);
        outage->recovery_us = recovery_us(outage, rows, rows_count);
    }
}
