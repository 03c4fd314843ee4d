/* report.html: one file that opens without network and without JavaScript, in light and dark, on
 * paper and at 400 pixels. Whatever comes from the run is escaped. */
#ifndef ORDERMILL_REPORTS_HTML_H
#define ORDERMILL_REPORTS_HTML_H

#include "reports/analysis.h"

/* Appends the document. Charts that could not be drawn are named in it; `missing`, if not NULL, is
 * then set to why (code ERR_NONE when all are there). */
void html_report(const struct run *run, const struct analysis *analysis, struct buf *out,
                 struct err *missing);

#endif
