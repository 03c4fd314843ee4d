/* The reports of a run folder, from what its store holds: what other commands may ask for. Nothing
 * but the store is read, so the same folder gives the same bytes, whenever and wherever.
 *
 * A report that holds a FAIL is written like any other and is no error here: ask verdict_run. */
#ifndef ORDERMILL_REPORTS_REPORTS_H
#define ORDERMILL_REPORTS_REPORTS_H

#include "common/buf.h"
#include "common/cli.h"

/* Writes report.html and report.txt into `output` (made if it is not there), or into the run's own
 * folder when output is NULL. Without gnuplot the report has its tables and says what is missing.
 */
MUST_CHECK bool reports_write(const char *folder, const char *output, struct err *err);
/* Appends report.txt: at most 80 columns. */
MUST_CHECK bool reports_text(const char *folder, struct buf *out, struct err *err);
/* Appends the document of `autopilot --json`. */
MUST_CHECK bool reports_json(const char *folder, struct buf *out, struct err *err);

extern const struct command report_command, compare_command;

#endif
