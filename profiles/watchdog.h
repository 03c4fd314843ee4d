/* The last resort of a process that nobody watches: ends it where a state of the autopilot has
 * neither done its work nor kept its limit of time, or where a signal did not end it. All that
 * waits has limits of its own, far below; this is for what they cannot reach, such as a file system
 * that does not answer. What is in the store stands, and the run can be resumed. */
#ifndef ORDERMILL_PROFILES_WATCHDOG_H
#define ORDERMILL_PROFILES_WATCHDOG_H

#include <stdint.h>

#define WATCHDOG_GRACE_US  INT64_C(60000000) /* past a state's own limit */
#define WATCHDOG_SIGNAL_US INT64_C(15000000) /* past the first signal */

/* One per process. */
void watchdog_start(void);
/* From now on this is done (a word for the message, not copied), until then (monotonic). */
void watchdog_watch(const char *what, int64_t until_us);
void watchdog_stop(void);

#endif
