/* The doctor as a whole: facts and findings of both hosts and the server. */
#ifndef ORDERMILL_DRIVER_DOCTOR_COMMAND_H
#define ORDERMILL_DRIVER_DOCTOR_COMMAND_H

#include "common/settings.h"
#include "driver/doctor.h"

/* Looks, and adds facts and findings to the environment. False: the server could not be looked at,
 * err says why; all else is there. Takes about two seconds. */
MUST_CHECK bool doctor_take(const struct settings *settings, struct arena *arena,
                            struct environment *environment, struct err *err);

#endif
