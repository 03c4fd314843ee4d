/* Many runs at a glance: the run folders right under a folder, by the time at which they began. */
#ifndef ORDERMILL_REPORTS_LIST_H
#define ORDERMILL_REPORTS_LIST_H

#include "common/buf.h"

/* Appends text of 80 columns, or one JSON document. A folder whose store cannot be read has its
 * reason in place of figures; only a folder that cannot be looked into is an error. */
MUST_CHECK bool list_runs(const char *folder, bool json, struct buf *out, struct err *err);

#endif
