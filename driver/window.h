/* What may end a measured window before its time, or keep it open. Pure. */
#ifndef ORDERMILL_DRIVER_WINDOW_H
#define ORDERMILL_DRIVER_WINDOW_H

#include "driver/driver.h"

/* As many transactions have ended as the window may hold at most. */
bool window_is_full(const struct step *step, const struct txn_stats transactions[TXN_TYPES]);

/* NOPM is known as precisely as asked, after so long a window and these rows of the step; kept in
 * the step. Not looked at after every second: the more looks, the likelier an end by luck. */
bool window_is_precise(struct step *step, const struct second *seconds, int count,
                       int64_t measured_us);
/* The same figure once more where the window ended without reaching it: where it was reached, the
 * last row is no whole second. */
void window_close(struct step *step, const struct second *seconds, int count);

#endif
