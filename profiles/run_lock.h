/* Keeps two autopilots out of one run folder. The lock is the kernel's, on a file "run.lock" in the
 * folder, and goes with the process however it ends: what is left of the file then locks nothing.
 * The file says whose lock it is. */
#ifndef ORDERMILL_PROFILES_RUN_LOCK_H
#define ORDERMILL_PROFILES_RUN_LOCK_H

#include "common/err.h"

#define RUN_LOCK_FILE "run.lock"

struct run_lock;

/* NULL (ERR_LOCAL) where another process has it, with its number and host, or where the file cannot
 * be made. */
MUST_CHECK struct run_lock *run_lock_take(const char *folder, struct err *err);
/* Removes the file; NULL is fine. */
void run_lock_release(struct run_lock *lock);

#endif
