/* One load level as text for people, at most 80 columns wide. Pure. */
#ifndef ORDERMILL_DRIVER_SUMMARY_H
#define ORDERMILL_DRIVER_SUMMARY_H

#include "common/buf.h"
#include "common/result.h"

void summary_write(struct buf *out, const struct step *step);

#endif
