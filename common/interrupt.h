/* SIGINT and SIGTERM. The first asks the running command to end cleanly: it sees it in
 * interrupt_signal() at its next look, or through the descriptor in its event loop. The second
 * ends the process at once. SIGPIPE is ignored. */
#ifndef ORDERMILL_COMMON_INTERRUPT_H
#define ORDERMILL_COMMON_INTERRUPT_H

#include <stdint.h>

#include "common/err.h"

void interrupt_install(void);
/* 0, or the signal that asked us to end. */
int interrupt_signal(void);
/* When it came, on the monotonic clock; 0: none came. */
int64_t interrupt_at_us(void);
/* Readable from the first signal on, never read by anyone. */
int interrupt_descriptor(void);
/* Fills err with ERR_INTERRUPTED or ERR_TERMINATED when a signal came; returns whether one did. */
bool interrupt_check(struct err *err);

#endif
