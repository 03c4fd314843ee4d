/* What Linux says of this host and of this process: processor time of the machine, and how long the
 * threads of the driver waited for a processor though they could have run. Elsewhere: not known. */
#ifndef ORDERMILL_DRIVER_PROCFS_H
#define ORDERMILL_DRIVER_PROCFS_H

#include <stdbool.h>
#include <stdint.h>

/* All processors together since the machine started, in ticks. */
struct procfs_cpu {
    int64_t total, idle, steal; /* steal: the hypervisor ran somebody else */
};

/* From the text of /proc/stat; false when it is something else. */
bool procfs_parse_cpu(const char *text, struct procfs_cpu *cpu);
/* From the text of a schedstat: microseconds spent runnable and not running; -1 when it is
 * something else. */
int64_t procfs_parse_wait_us(const char *text);

bool procfs_read_cpu(struct procfs_cpu *cpu);
/* Of all threads that this process has now, since each began; -1: not known. */
int64_t procfs_wait_us(void);
/* The kernel tells user time from system time by samples, of the process by others than of one of
 * its threads: of the difference only the sum is sure. What is negative is taken off the other
 * part. */
void procfs_settle(int64_t *user_us, int64_t *system_us);
/* Processors that this process may use. */
int procfs_cores(void);

#endif
