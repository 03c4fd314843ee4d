/* The forms of a report as files in a folder. The same run gives the same bytes. */
#ifndef ORDERMILL_REPORTS_FILES_H
#define ORDERMILL_REPORTS_FILES_H

#include "reports/analysis.h"

struct files {
    const struct run *run;
    const struct analysis *analysis;
    const char *folder;
    struct buf paths;   /* of every file written, a line each; the caller's to free */
    struct err missing; /* why charts are missing; code ERR_NONE: none is */
};

/* format: one of those of the option --format, or "all". Makes the folder.
 *
 *   html  report.html          csv   csv/TABLE.csv, csv/seconds.csv, csv/metrics.csv
 *   text  report.txt           hgrm  hgrm/LEVEL-TRANSACTION.hgrm
 *   json  result.json          svg   charts/CHART.svg
 *   xml   result.xml, .xsd     png   charts/CHART.png
 *
 * ERR_LOCAL for svg and png without gnuplot; html and "all" then go without charts. */
MUST_CHECK bool files_write(struct files *files, const char *format, struct err *err);

#endif
