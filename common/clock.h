/* Time. Monotonic microseconds order and measure; wall microseconds (since 1970, UTC) only label.
 */
#ifndef ORDERMILL_COMMON_CLOCK_H
#define ORDERMILL_COMMON_CLOCK_H

#include <stdint.h>

int64_t clock_monotonic_us(void);
int64_t clock_wall_us(void);
/* CPU time used by this process, all threads, since its start. */
void clock_process_cpu_us(int64_t *user_us, int64_t *system_us);
/* Returns early when a signal was caught, so that the caller can look at its flags. */
void clock_sleep_us(int64_t duration_us);

#define CLOCK_TEXT_SIZE 32
/* "2026-03-01T12:34:56Z" */
char *clock_iso(char text[CLOCK_TEXT_SIZE], int64_t wall_us);

#endif
