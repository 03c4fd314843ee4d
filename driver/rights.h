/* Whether the role may do what the transactions of a level do: otherwise every one of them would
 * fail.
 */
#ifndef ORDERMILL_DRIVER_RIGHTS_H
#define ORDERMILL_DRIVER_RIGHTS_H

#include "common/pg.h"
#include "driver/driver.h"

/* The transactions of the mix, by the way they are called. Names the first right that is missing.
 */
MUST_CHECK bool rights_check(struct pg *pg, const struct driver_options *options, struct err *err);

#endif
