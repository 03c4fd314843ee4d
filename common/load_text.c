/* Owns the words. The figures are the step's. */
#include "common/load_text.h"

#include <inttypes.h>
#include <string.h>

const char *
load_who(const struct step *step)
{
    return step->pacing > 0 ? "terminal" : "virtual user";
}

const char *
load_holder(const struct step *step)
{
    bool others = step->sessions < step->virtual_users || step->delivery_sessions > 0;

    return others ? "session" : load_who(step);
}

void
load_homes_text(struct buf *out, const struct step *step)
{
    double mean = (double)step->counted[GROWTH_NEW_ORDERS] / step->warehouses;

    if (mean <= 0 || step->home_new_orders_most == 0)
        return;
    buf_printf(out,
               "the least active had %.0f %% of the mean work, the median %.0f %%, the most active "
               "%.0f %%: %s",
               100 * (double)step->home_new_orders_least / mean,
               100 * (double)step->home_new_orders_median / mean,
               100 * (double)step->home_new_orders_most / mean,
               step_homes_even(step) ? "even" : "UNEVEN");
}

void
load_text(struct buf *out, const struct step *step)
{
    static const char *const homes[HOMES] = {"are dealt out in turn", "are drawn once for each",
                                             "are drawn for each transaction"};
    const char *who = load_who(step);
    const char *plural = step->virtual_users == 1 ? "" : "s";

    buf_printf(out, "%d %s%s", step->virtual_users, who, plural);
    if (step->pacing == 1)
        buf_puts(out, " at the standard's pace");
    else if (step->pacing > 0)
        buf_printf(out, " with %g of the standard's waits", step->pacing);
    else
        buf_puts(out, " without waits");
    if (step->sessions == step->virtual_users)
        buf_puts(out, " have a session each");
    else
        buf_printf(out, " share %d session%s", step->sessions, step->sessions == 1 ? "" : "s");
    if (step->arrivals != ARRIVALS_CLOSED)
        buf_printf(out, " and serve %s arrivals of %" PRId64 " transactions a minute",
                   step->arrivals == ARRIVALS_POISSON ? "Poisson" : arrivals_names[step->arrivals],
                   step->rate_per_minute);
    if (step->delivery_sessions > 0)
        buf_printf(out, ", queue deliveries for %d more session%s", step->delivery_sessions,
                   step->delivery_sessions == 1 ? "" : "s");
    buf_printf(out, ", home warehouses %s, types by %s", homes[step->home],
               mix_is_deck(step->mix) ? "a deck for each" : "weights");
}

void
call_text(struct buf *out, const struct step *step)
{
    buf_printf(out, "mix %s", step->mix_name);
    if (mix_probe(step->mix) < TXN_TYPES)
        buf_puts(out, ", a probe beside the workload's own transactions");
    if (strcmp(step->call, "statements") == 0)
        buf_puts(out, "; plain statements in a pipeline");
    else
        buf_printf(out, "; %s procedures, called as %s", step->procedures, step->call);
    buf_printf(out, ", protocol %s, isolation level %s", step->protocol, step->isolation);
    if (!step_has_nopm(step))
        buf_puts(out, "; the mix has no new-order: NOPM is not applicable, TPM is the rate");
}
