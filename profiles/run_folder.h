/* The folder that holds the results of one run. It is made before anything else is touched, so that
 * hours of measuring never end in "permission denied". */
#ifndef ORDERMILL_PROFILES_RUN_FOLDER_H
#define ORDERMILL_PROFILES_RUN_FOLDER_H

#include <stdint.h>

#include "common/arena.h"

/* "./ordermill-runs/NAME-YYYYMMDD-HHMMSS", the time in UTC. Pure. */
char *run_folder_name(struct arena *arena, const char *name, int64_t wall_us);

/* Makes the folder, with its parents, readable by owner and group alone; an existing one is taken
 * when it is empty. *made tells whether it was made here. From here on the process creates nothing
 * that others can read. ERR_LOCAL. */
MUST_CHECK bool run_folder_make(const char *path, bool *made, struct err *err);

/* Removes the folder again, with the file of the store, where a run ended before it measured
 * anything. What cannot be removed stays. */
void run_folder_discard(const char *path, bool made);

#endif
