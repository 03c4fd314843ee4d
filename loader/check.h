/* The twelve consistency conditions, over a target that is already known; loader_check is the form
 * for others. */
#ifndef ORDERMILL_LOADER_CHECK_H
#define ORDERMILL_LOADER_CHECK_H

#include "common/build.h"
#include "common/result.h"

struct check_request {
    const struct pg_target *target;
    const char *schema;
    int warehouses, jobs; /* warehouses 1..warehouses, over so many connections */
    bool fast;            /* the row counts and conditions 1 to 4 alone */
    bool after_load;      /* nothing has run since: the row counts are exact */
    const char *moment;
};

/* Tests the conditions, and the rows per warehouse. Texts live in the arena. True when all that was
 * asked for was tested, whether it holds or not. */
MUST_CHECK bool check_run(const struct check_request *request, struct arena *arena,
                          struct check_result *result, struct err *err);

/* Each condition by name with its verdict, and examples of what breaks it, as text. */
void check_print(const struct check_result *result, struct buf *out);

/* Fills err with ERR_INCONSISTENT when a condition is broken, and returns false then. */
MUST_CHECK bool check_judge(const struct check_result *result, struct err *err);

#endif
