/* What a reader of the figures must know before believing them, in plain sentences. Pure. */
#ifndef ORDERMILL_REPORTS_WARNINGS_H
#define ORDERMILL_REPORTS_WARNINGS_H

#include "reports/analysis.h"

/* Fills analysis->warnings from what the analysis found so far and from the environment. */
void warnings_make(struct analysis *analysis, const struct run *run, struct arena *arena);

#endif
