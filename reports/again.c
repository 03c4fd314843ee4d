/* Owns what "run it again" means. Connection options are left to the environment: nothing of them
 * belongs in a document. */
#include "reports/again.h"

#include "reports/escape.h"

void
again_commands(const struct run *run, struct buf *out)
{
    const struct step *step = run->steps_count > 0 ? &run->steps[0] : NULL;

    buf_puts(out, "# Ordermill ");
    escape_line(out, run->kit_version, 40);
    buf_putc(out, '\n');
    if (step)
        buf_printf(out, "ordermill load --warehouses %d --seed %llu\n", step->warehouses,
                   (unsigned long long)step->seed);
    if (run->profile[0])
        buf_puts(out, "ordermill autopilot PROFILE.xml    # the profile below\n");
    else if (step)
        buf_printf(out,
                   "ordermill run --virtual-users %d --ramp-up %gs --measure %gs --seed %llu\n",
                   step->virtual_users, (double)step->ramp_up_us / 1e6,
                   (double)step->measure_us / 1e6, (unsigned long long)step->seed);
    buf_puts(out, "ordermill check\n");
}
