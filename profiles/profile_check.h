/* What the rules of a profile share: which values they look at, and how a mistake is said. For
 * profile_check.c and profile_check_matrix.c alone. */
#ifndef ORDERMILL_PROFILES_PROFILE_CHECK_H
#define ORDERMILL_PROFILES_PROFILE_CHECK_H

#include "profiles/profile.h"

struct checking {
    const struct profile *profile;
    const struct settings *settings;
    struct err *err;
};
/* True: nothing is wrong. False: err says what and where. */
typedef bool profile_rule(const struct checking *checking);

/* Puts a line of the profile before the message. Always false. */
bool profile_fail_at(const struct checking *checking, int line);
/* The same with the line of this setting, or "--set" where that said it. */
bool profile_fail_about(const struct checking *checking, enum setting_id id);
/* Makes the message too: "ATTRIBUTE: ...". */
bool profile_wrong(const struct checking *checking, enum setting_id id, const char *format, ...)
    PRINTF_LIKE(3, 4);
/* Whether profile or options say it. */
bool profile_given(const struct checking *checking, enum setting_id id);

/* What servers, configurations and sweeps have to be. */
profile_rule profile_check_matrix;

#endif
