/* The SQL of a load, for those who run it themselves. */
#ifndef ORDERMILL_LOADER_SCRIPT_H
#define ORDERMILL_LOADER_SCRIPT_H

#include "loader/begin.h"

/* What `load --sql` prints: the whole load, or the phase that --only names, as a script for psql.
 * It can be run again: each part looks whether it is due. The data themselves are not in it, the
 * kit streams them. Connects to nothing. */
MUST_CHECK bool script_of_load(const struct settings *settings, struct buf *out, struct err *err);

#endif
