/* Queries that tell how much of a phase the server has done, from its own progress views: for
 * team_plan.watch. Each returns one number from 0 to 1. Pure. */
#ifndef ORDERMILL_LOADER_WATCH_H
#define ORDERMILL_LOADER_WATCH_H

#include "loader/layout.h"

/* Of the indexes of these tasks, weighed by the rows of their tables. */
const char *watch_indexes(struct arena *arena, const char *schema, const struct layout_task *tasks,
                          int count, int warehouses);
/* Of the vacuum of all tables, weighed by their pages. */
const char *watch_vacuum(struct arena *arena, const char *schema);

#endif
