/* The live figures of one level, second by second: a line on stderr for people, and JSON on stdout
 * for machines. Both tell time, phase, virtual users, NOPM, p95 and errors, as the driver itself
 * counted them. */
#ifndef ORDERMILL_DRIVER_PROGRESS_H
#define ORDERMILL_DRIVER_PROGRESS_H

#include "driver/driver.h"

/* A driver_progress_fn; context is not used. */
void progress_show(void *context, const struct driver_progress *progress);
/* The same as one JSON object on a line of stdout. Its keys are promises:
 *
 *   time               of the host, UTC, "2026-03-01T12:34:56Z"
 *   phase              "connect", "ramp_up", "measure", "drain"
 *   elapsed_s          since the phase began
 *   virtual_users      that have a session
 *   nopm               new-orders committed in the second, by 60; null where the mix has none
 *   tpm                the same of all transactions, rolled back as intended included
 *   new_order_p95_us   of their response times; null when none ended
 *   errors             transactions failed or lost, since the first one */
void progress_json(void *context, const struct driver_progress *progress);

#endif
