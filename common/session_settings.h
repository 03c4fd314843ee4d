/* "NAME=VALUE; NAME=VALUE": server settings that sessions ask for at connection start. Pure. */
#ifndef ORDERMILL_COMMON_SESSION_SETTINGS_H
#define ORDERMILL_COMMON_SESSION_SETTINGS_H

#include "common/arena.h"

/* Takes the next pair off the text; both in the arena, without blanks around them. False at the end
 * of the text, where err stays as it is, and on a piece that is no pair (ERR_USAGE). */
bool session_settings_next(const char **text, struct arena *arena, const char **name,
                           const char **value, struct err *err);
MUST_CHECK bool session_settings_check(const char *text, struct err *err);

#endif
