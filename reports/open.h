/* What the commands share with reports.c: a run read and analysed. */
#ifndef ORDERMILL_REPORTS_OPEN_H
#define ORDERMILL_REPORTS_OPEN_H

#include "reports/analysis.h"

/* Run and analysis live in the arena. */
MUST_CHECK bool reports_open(const char *folder, struct arena *arena, struct run *run,
                             struct analysis *analysis, struct err *err);

#endif
