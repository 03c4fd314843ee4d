/* The server's product, as a headline needs it. Pure. */
#ifndef ORDERMILL_REPORTS_PRODUCT_H
#define ORDERMILL_REPORTS_PRODUCT_H

#include "common/result.h"

/* "PostgreSQL 15.1 (Debian 15.1-1)" of "PostgreSQL 15.1 (Debian 15.1-1) on x86_64..., compiled by
 * ..."; NULL where it was not recorded. In memory of the arena. */
const char *product_of(const struct run *run, struct arena *arena);

#endif
