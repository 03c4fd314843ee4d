/* The doctor as a whole: facts and findings of both hosts and the server, and their text. */
#ifndef ORDERMILL_DRIVER_DOCTOR_COMMAND_H
#define ORDERMILL_DRIVER_DOCTOR_COMMAND_H

#include "common/buf.h"
#include "common/settings.h"
#include "driver/doctor.h"

/* Looks, and adds facts and findings to the environment. False: the server could not be looked at,
 * err says why; all else is there. Takes about two seconds. */
MUST_CHECK bool doctor_take(const struct settings *settings, struct arena *arena,
                            struct environment *environment, struct err *err);

/* The facts as the reports show them. */
void doctor_facts_list(const struct doctor_facts *facts, struct arena *arena,
                       struct environment *environment);
/* unseen: why the server was not looked at, or NULL. */
void doctor_print(struct buf *out, const struct environment *environment, const char *unseen);

#endif
