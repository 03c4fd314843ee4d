/* What report_command.c shares with reports.c: a run read and analysed, and its files one by one.
 */
#ifndef ORDERMILL_REPORTS_OPEN_H
#define ORDERMILL_REPORTS_OPEN_H

#include "reports/analysis.h"

/* Run and analysis live in the arena. */
MUST_CHECK bool reports_open(const char *folder, struct arena *arena, struct run *run,
                             struct analysis *analysis, struct err *err);
MUST_CHECK bool reports_write_html(const struct run *run, const struct analysis *analysis,
                                   const char *folder, struct err *err);
MUST_CHECK bool reports_write_text(const struct run *run, const struct analysis *analysis,
                                   const char *folder, struct err *err);

#endif
