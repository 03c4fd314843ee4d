/* The values of all options, each with where it came from. What options exist stands in
 * settings.def alone. Pure: no file, no environment. */
#ifndef ORDERMILL_COMMON_SETTINGS_H
#define ORDERMILL_COMMON_SETTINGS_H

#include <stdint.h>

#include "common/arena.h"
#include "common/units.h"
#include "common/workload.h"

enum setting_id {
#define SETTING(id, ...) SET_##id,
#include "common/settings.def"
#undef SETTING
    SETTINGS_COUNT
};

enum setting_type {
    SETTING_FLAG, /* takes no value on the command line; "true" or "false" in a profile */
    SETTING_INT,
    SETTING_DURATION, /* as units_parse_duration; held in microseconds */
    SETTING_SIZE,     /* as units_parse_size; held in bytes */
    SETTING_TEXT,     /* SET_SET alone collects every occurrence */
    SETTING_CHOICE,   /* held as the index of the choice */
    SETTING_LIST,     /* whole numbers, as ladder_parse; at most 64 */
    SETTING_MIX,      /* "standard", "deck", "read-only", a probe, or five whole weights that sum to
                         100 */
    SETTING_PACING,   /* "none", "standard", or a factor; held in thousandths */
    SETTING_SHARE,    /* "1%", "0.25%"; held in thousandths of a percent */
    SETTING_SWEEP,    /* values, separated by blanks, of the option whose attribute has this name */
};

enum command_bit {
    CMD_LOAD = 1 << 0,
    CMD_CHECK = 1 << 1,
    CMD_DROP = 1 << 2,
    CMD_RUN = 1 << 3,
    CMD_AUTOPILOT = 1 << 4,
    CMD_REPORT = 1 << 5,
    CMD_DEMO = 1 << 6,
    CMD_SERVER = 1 << 7,
    CMD_CALIBRATE = 1 << 8,
    CMD_PREPARE = 1 << 9,
    CMD_CHECKSUM = 1 << 10,
    CMD_PLAN = 1 << 11,
    CMD_COMPARE = 1 << 12,
    CMD_DOCTOR = 1 << 13,
    CMD_ALL = (1 << 14) - 1,
};

struct setting_spec {
    const char *name;
    char short_option; /* 0 when there is none */
    enum setting_type type;
    unsigned commands;
    int64_t minimum, maximum;
    const char *default_text; /* "" when there is none */
    const char *metavar;
    const char *xml; /* "element@attribute" or "" */
    const char *help;
};

extern const struct setting_spec setting_specs[SETTINGS_COUNT];

enum setting_source { SETTING_UNSET, SETTING_DEFAULT, SETTING_PROFILE, SETTING_OPTION };

#define SETTINGS_LIST_MAX 64

struct setting_value {
    enum setting_source source;
    const char *text;
    int64_t number; /* FLAG 0/1, INT, DURATION, SIZE, CHOICE */
    int64_t list[SETTINGS_LIST_MAX];
    int list_count; /* LIST, MIX (5) */
};

struct settings {
    struct arena arena;
    struct setting_value values[SETTINGS_COUNT];
    const char *overrides[SETTINGS_LIST_MAX]; /* the NAME=VALUE of every --set */
    int overrides_count;
};

void settings_init(struct settings *settings);
void settings_free(struct settings *settings);
/* The same values, to be changed without changing those; their texts stay the other's, which must
 * live longer. */
void settings_copy(struct settings *to, const struct settings *from);

/* Checks and stores one value. A message names the option as the user wrote it:
 * `--measure: "0s" is below 1s` (options), `measure: ...` (profile: the caller adds file:line).
 * A value from the command line is not replaced by one from a profile. Code ERR_USAGE. */
MUST_CHECK bool settings_set(struct settings *settings, enum setting_id id, const char *text,
                             enum setting_source source, struct err *err);
/* The setting of that option ("measure") or xml name ("timing@measure"), or -1. */
int settings_find(const char *name);
int settings_find_xml(const char *element, const char *attribute);

/* A limit of the setting as its values are written: "1s", "100000". Returns text. */
char *settings_limit(char text[UNITS_TEXT_SIZE], const struct setting_spec *spec, int64_t limit);

bool settings_is_set(const struct settings *settings, enum setting_id id);
bool settings_flag(const struct settings *settings, enum setting_id id);
int64_t settings_int(const struct settings *settings, enum setting_id id); /* must be set */
int64_t settings_us(const struct settings *settings, enum setting_id id);
const char *settings_text(const struct settings *settings, enum setting_id id); /* NULL if unset */
/* Its name, NULL if unset. */
const char *settings_choice(const struct settings *settings, enum setting_id id);
int settings_list(const struct settings *settings, enum setting_id id, const int64_t **values);
/* The values of a SWEEP, in the arena; 0 if unset. */
int settings_sweep(const struct settings *settings, enum setting_id id, struct arena *arena,
                   const char *values[SETTINGS_LIST_MAX]);
double settings_pacing(const struct settings *settings); /* factor of the waits; 0: none */
double settings_share(const struct settings *settings, enum setting_id id); /* 0 to 1 */
/* The weights, in the order of enum txn_type; they sum to 100, or are those of mix_deck. A probe
 * has all of them, or none. */
void settings_mix(const struct settings *settings, int weights[TXN_TYPES]);

#endif
