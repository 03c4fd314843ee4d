/* The phases of a load that are statements on one table, or one partition, each: spread over the
 * connections, with a progress line that tells the time of arrival. */
#ifndef ORDERMILL_LOADER_TABLE_PHASES_H
#define ORDERMILL_LOADER_TABLE_PHASES_H

#include "loader/begin.h"

MUST_CHECK bool table_phase_indexes(struct load *load, struct err *err);
MUST_CHECK bool table_phase_foreign_keys(struct load *load, struct err *err);
/* VACUUM and ANALYZE. What this role may not do goes into load->refused, what the server refuses is
 * a warning: the data are complete, only plans may be worse. */
MUST_CHECK bool table_phase_vacuum(struct load *load, struct err *err);

#endif
