/* What the run store keeps of the settings of a run, and the way back: a run that goes on, or that
 * is repeated, takes its settings from there and not from the profile of today. Pure.
 *
 * Kept is every setting that a profile can set. The password of a connection string is not. */
#ifndef ORDERMILL_PROFILES_RECALL_H
#define ORDERMILL_PROFILES_RECALL_H

#include "common/result.h"
#include "common/settings.h"

/* The settings as they are in force, in the order of settings.def, then what --set said of servers
 * and configurations; texts are the settings' own. */
struct run_setting *recall_list(struct arena *arena, const struct settings *settings, int *count);

/* Sixteen hexadecimal digits that another profile text or another setting changes. */
char *recall_fingerprint(struct arena *arena, const char *profile, const struct run_setting *list,
                         int count);

/* Before the profile is read: what --set said of its servers and configurations, as if it were said
 * again, unless it is. ERR_USAGE as below. */
MUST_CHECK bool recall_overrides(const struct run_setting *list, int count,
                                 struct settings *settings, struct err *err);

/* Sets what the list says. Where to connect may be said anew on the command line and then wins.
 * ERR_USAGE where a connection string lacks its password, ERR_LOCAL where a value is none. */
MUST_CHECK bool recall_apply(const struct run_setting *list, int count, struct settings *settings,
                             struct err *err);

/* `NAME is "VALUE" in that run, not "VALUE"` for the first setting, other than where to connect,
 * that was given as an option and differs; NULL when there is none. */
char *recall_difference(struct arena *arena, const struct run_setting *list, int count,
                        const struct settings *settings);

#endif
