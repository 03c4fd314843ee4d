/* report.txt: the analysis in at most 80 columns, for terminals, mail and tickets. */
#ifndef ORDERMILL_REPORTS_TEXT_H
#define ORDERMILL_REPORTS_TEXT_H

#include "reports/analysis.h"

#define TEXT_COLUMNS 80

void text_report(const struct run *run, const struct analysis *analysis, struct buf *out);

#endif
