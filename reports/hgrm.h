/* A histogram in the percentile format of HdrHistogram (".hgrm"), which its plotters read. Pure.
 * Values are milliseconds with three decimals. */
#ifndef ORDERMILL_REPORTS_HGRM_H
#define ORDERMILL_REPORTS_HGRM_H

#include "common/hist.h"

#define HGRM_TICKS_PER_HALF 5 /* lines for each halving of what lies above */

void hgrm_write(const struct hist *hist, struct buf *out);

#endif
