/* The folder that holds the results of one run. It is made, locked and tried out before anything
 * else is touched, so that hours of measuring never end in "permission denied" or "no space left".
 */
#ifndef ORDERMILL_PROFILES_RUN_FOLDER_H
#define ORDERMILL_PROFILES_RUN_FOLDER_H

#include <stdint.h>

#include "common/arena.h"
#include "profiles/run_lock.h"

struct run_folder {
    const char *path;      /* the caller's */
    bool made;             /* by us */
    struct run_lock *lock; /* NULL: we do not have the folder */
};

/* "./ordermill-runs/NAME-YYYYMMDD-HHMMSS", the time in UTC. Pure. */
char *run_folder_name(struct arena *arena, const char *name, int64_t wall_us);

/* How many bytes the results of so many steps may take, of so many seconds each: a generous guess,
 * several times what has been seen. Pure. */
int64_t run_folder_need(int steps, int64_t step_us);

/* Makes the folder, with its parents, readable by owner and group alone; an existing one is taken
 * when it is empty. Locks it, and tries whether `need` bytes can be written. From here on the
 * process creates nothing that others can read. ERR_LOCAL. */
MUST_CHECK bool run_folder_make(struct run_folder *folder, const char *path, int64_t need,
                                struct err *err);
/* Locks the folder of a run that goes on; then it can be tried out as well. */
MUST_CHECK bool run_folder_reopen(struct run_folder *folder, const char *path, struct err *err);
MUST_CHECK bool run_folder_try(const struct run_folder *folder, int64_t need, struct err *err);

/* Lets go of the folder. */
void run_folder_close(struct run_folder *folder);
/* Removes it again, with the file of the store, where a run ended before it measured anything. What
 * cannot be removed stays. */
void run_folder_discard(struct run_folder *folder);

#endif
