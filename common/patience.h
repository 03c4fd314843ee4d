/* How long this process waits for others. Two things end a blocking wait early, wherever it is: the
 * limit that the one who leads the process has set, and the first SIGINT or SIGTERM, after which
 * each wait may go on for a moment only, so that the process can tidy up and still ends in seconds.
 * Safe from any thread. */
#ifndef ORDERMILL_COMMON_PATIENCE_H
#define ORDERMILL_COMMON_PATIENCE_H

#include <stdint.h>

#include "common/err.h"

/* How long a wait may go on after a signal, or when it began after it; and how long after the
 * signal waits one after the other may take together, but for a moment that each of them always
 * has. */
#define PATIENCE_AFTER_SIGNAL_US INT64_C(1500000)
#define PATIENCE_TOGETHER_US     INT64_C(3500000)
#define PATIENCE_MOMENT_US       INT64_C(300000)

/* Until then (monotonic) waits may go on; 0: for ever, which is how it begins. */
void patience_limit(int64_t until_us);

/* When a wait that began then has to end; INT64_MAX: never. Ask again while waiting: a signal may
 * come, and the limit may change. */
int64_t patience_until_us(int64_t begun_us);

/* Whether it has to end by now, and why: ERR_INTERRUPTED, ERR_TERMINATED, or ERR_SERVER for the
 * limit. */
bool patience_lost(int64_t begun_us, struct err *err);

/* Waits for the descriptor to become readable, at most a moment and never longer than patience has
 * it; true when it is. */
bool patience_readable(int descriptor, int64_t begun_us);

/* Runs work(context) in a thread and waits for it. True when it has ended. False when patience did
 * first: it may go on for ever, and calls forget(context) in its thread at its end. */
MUST_CHECK bool patience_run(void (*work)(void *context), void (*forget)(void *context),
                             void *context);

#endif
