/* A run analysed, from its levels to the warnings. Pure. */
#ifndef ORDERMILL_REPORTS_ANALYSE_H
#define ORDERMILL_REPORTS_ANALYSE_H

#include "reports/analysis.h"

/* Everything made lies in the arena; the run must outlive the analysis. */
void analysis_make(struct analysis *analysis, const struct run *run, struct arena *arena);

#endif
