/* The twelve consistency conditions, over a target that is already known; loader_check is the form
 * for others. */
#ifndef ORDERMILL_LOADER_CHECK_H
#define ORDERMILL_LOADER_CHECK_H

#include "common/build.h"
#include "common/result.h"

/* Tests every condition on warehouses 1..warehouses. Texts live in the arena. True when all were
 * tested, whether they hold or not. */
MUST_CHECK bool check_run(const struct pg_target *target, const char *schema, int warehouses,
                          int jobs, const char *moment, struct arena *arena,
                          struct check_result *result, struct err *err);

/* Each condition by name with its verdict, and examples of what breaks it, as text. */
void check_print(const struct check_result *result, struct buf *out);

/* Fills err with ERR_INCONSISTENT when a condition is broken, and returns false then. */
MUST_CHECK bool check_judge(const struct check_result *result, struct err *err);

#endif
