/* The document of `autopilot --json` and `report --format json`. Its keys are promises. */
#ifndef ORDERMILL_REPORTS_JSON_H
#define ORDERMILL_REPORTS_JSON_H

#include "reports/analysis.h"

void json_report(const struct run *run, const struct analysis *analysis, struct buf *out);

#endif
