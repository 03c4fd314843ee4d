/* The profile language: an XML file becomes settings, servers and configurations. What the language
 * allows stands in profile.xsd, the ranges in settings.def; what concerns several values at once is
 * profile_check.c's. Pure but for profile_read, which reads the file. */
#ifndef ORDERMILL_PROFILES_PROFILE_H
#define ORDERMILL_PROFILES_PROFILE_H

#include "common/settings.h"

/* One of several databases that a profile compares. */
#define PROFILE_SERVER_VALUES (SET_SCHEMA - SET_HOST + 1)
struct profile_server {
    const char *name;
    int line;
    const char *values[PROFILE_SERVER_VALUES]; /* of SET_HOST ... SET_SCHEMA; NULL: not given */
};

/* One of several ways to run the same load. */
struct profile_configuration {
    const char *name;
    int line;
    const char *session_settings, *before_step, *after_step; /* NULL: none */
};

#define PROFILE_SERVERS_MAX        16
#define PROFILE_CONFIGURATIONS_MAX 64

struct profile {
    const char *path;          /* as it stands in messages */
    const char *name;          /* a word that can be part of a file name */
    const char *title;         /* "" when there is none */
    const char *text;          /* the file as it is */
    int lines[SETTINGS_COUNT]; /* where each setting stands; 0: not in the profile */
    struct profile_server servers[PROFILE_SERVERS_MAX];
    int servers_count;
    struct profile_configuration configurations[PROFILE_CONFIGURATIONS_MAX];
    int configurations_count;
};

/* Reads `text` and sets what it says as SETTING_PROFILE, so that the command line wins; then every
 * --set NAME=VALUE of the settings as SETTING_OPTION. Mistakes of the profile are ERR_PROFILE with
 * "FILE:LINE: ", those of --set ERR_USAGE. Texts live in the arena of the settings. */
MUST_CHECK bool profile_parse(struct profile *profile, const char *path, const char *text,
                              size_t size, struct settings *settings, struct err *err);
/* The same from a file; a file that cannot be read is ERR_PROFILE. */
MUST_CHECK bool profile_read(struct profile *profile, const char *path, struct settings *settings,
                             struct err *err);

/* What must hold between values; called by the above. */
MUST_CHECK bool profile_check(const struct profile *profile, const struct settings *settings,
                              struct err *err);

#endif
