/* The parts of an analysis in their order: warnings speak of all that was found before. */
#include "reports/analyse.h"

#include "reports/fits.h"
#include "reports/warnings.h"

void
analysis_make(struct analysis *analysis, const struct run *run, struct arena *arena)
{
    analysis_levels(analysis, run, arena);
    fits_make(analysis, run, arena);
    warnings_make(analysis, run, arena);
}
