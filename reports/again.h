/* The commands that repeat a run. Pure. */
#ifndef ORDERMILL_REPORTS_AGAIN_H
#define ORDERMILL_REPORTS_AGAIN_H

#include "common/result.h"

/* Appends whole lines, comments included. */
void again_commands(const struct run *run, struct buf *out);

#endif
