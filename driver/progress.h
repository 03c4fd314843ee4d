/* The live line of one level on stderr: time, phase, virtual users, NOPM, p95, errors. */
#ifndef ORDERMILL_DRIVER_PROGRESS_H
#define ORDERMILL_DRIVER_PROGRESS_H

#include "driver/driver.h"

/* A driver_progress_fn; context is not used. */
void progress_show(void *context, const struct driver_progress *progress);

#endif
