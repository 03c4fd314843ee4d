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
/* What the end at once says on stderr, such as a newline after a line that is redrawn; not copied,
 * NULL for nothing. */
void interrupt_last_words(const char *text);
/* When it came, on the monotonic clock; 0: none came. */
int64_t interrupt_at_us(void);
/* Readable from the first signal on, never read by anyone. */
int interrupt_descriptor(void);
/* Fills err with ERR_INTERRUPTED or ERR_TERMINATED when a signal came; returns whether one did. */
bool interrupt_check(struct err *err);

#endif
