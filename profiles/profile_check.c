/* What must hold between the values of a profile. Each rule is a function that says what is wrong;
 * where it stands is found here: a line of the profile, or --set. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common/session_settings.h"
#include "loader/options.h"
#include "profiles/plan.h"
#include "profiles/profile.h"

struct checking {
    const struct profile *profile;
    const struct settings *settings;
    struct err *err;
};

/* --- where ------------------------------------------------------------------------------------ */

static bool
fail_at(const struct checking *c, int line)
{
    c->err->code = ERR_PROFILE;
    return err_prefix(c->err, "%s:%d", c->profile->path, line);
}

/* Where a mistake lies that concerns this setting: at its line, or in the options. */
static bool
fail_about(const struct checking *c, enum setting_id id)
{
    if (c->settings->values[id].source == SETTING_PROFILE)
        return fail_at(c, c->profile->lines[id]);
    return err_prefix(c->err, "--set");
}

static bool
given(const struct checking *c, enum setting_id id)
{
    return c->settings->values[id].source > SETTING_DEFAULT;
}

/* The name of a setting as its attribute. */
static const char *
attribute(enum setting_id id)
{
    return strchr(setting_specs[id].xml, '@') + 1;
}

static bool __attribute__((format(printf, 3, 4)))
wrong(const struct checking *c, enum setting_id id, const char *format, ...)
{
    char text[300];
    va_list ap;

    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    err_set(c->err, ERR_USAGE, "%s: %s", attribute(id), text);
    return fail_about(c, id);
}

/* --- pairs of values -------------------------------------------------------------------------- */

/* A share of 0% and a flag that is false are as good as not said. */
static bool
wanted(const struct checking *c, enum setting_id id)
{
    return given(c, id) && c->settings->values[id].number != 0;
}

static bool
load_fits(const struct checking *c)
{
    if (given(c, SET_RATE) && settings_pacing(c->settings) > 0)
        return wrong(c, SET_RATE,
                     "excludes pacing: with a rate the clock decides when transactions "
                     "begin, with pacing the terminals do");
    if (given(c, SET_ARRIVALS) && !given(c, SET_RATE))
        return wrong(c, SET_ARRIVALS, "only an open load has arrivals: it needs a rate");
    return true;
}

static bool
sessions_are_needed(const struct checking *c)
{
    const int64_t *levels;
    int count = settings_list(c->settings, SET_LADDER, &levels);
    int64_t most = 0;

    for (int i = 0; i < count; i++)
        most = levels[i] > most ? levels[i] : most;
    if (!given(c, SET_SESSIONS) || settings_int(c->settings, SET_SESSIONS) <= most)
        return true;
    return wrong(c, SET_SESSIONS, "%lld sessions for at most %lld virtual user%s",
                 (long long)settings_int(c->settings, SET_SESSIONS), (long long)most,
                 most == 1 ? "" : "s");
}

static bool
times_fit(const struct checking *c)
{
    const struct settings *s = c->settings;
    char a[UNITS_TEXT_SIZE], b[UNITS_TEXT_SIZE];

    if (given(c, SET_MEASURE) && given(c, SET_RAMP_UP) &&
        settings_us(s, SET_MEASURE) < settings_us(s, SET_RAMP_UP))
        return wrong(c, SET_MEASURE, "a window of %s is shorter than the ramp-up of %s",
                     units_exact_duration(a, settings_us(s, SET_MEASURE)),
                     units_exact_duration(b, settings_us(s, SET_RAMP_UP)));
    if (wanted(c, SET_PRECISION) && !given(c, SET_MEASURE_MOST))
        return wrong(c, SET_PRECISION, "needs measure-most, or a step might never end");
    if (given(c, SET_MEASURE_MOST) && !wanted(c, SET_PRECISION))
        return wrong(c, SET_MEASURE_MOST, "there is no precision that the window could wait for");
    if (given(c, SET_MEASURE_MOST) &&
        settings_us(s, SET_MEASURE_MOST) < settings_us(s, SET_MEASURE))
        return wrong(c, SET_MEASURE_MOST, "%s is less than the %s that are measured anyway",
                     units_exact_duration(a, settings_us(s, SET_MEASURE_MOST)),
                     units_exact_duration(b, settings_us(s, SET_MEASURE)));
    if (wanted(c, SET_PRECISION) && given(c, SET_TRANSACTIONS))
        return wrong(c, SET_TRANSACTIONS, "excludes a precision: each ends the window");
    return true;
}

/* The loader's message is "--fillfactor: ...": the first option named is where the mistake is. */
static bool
fail_in_layout(const struct checking *c)
{
    char message[sizeof c->err->message];
    size_t length = 0;

    for (const char *p = c->err->message; *p; p++)
        if (strncmp(p, "--", 2) == 0)
            p++;
        else
            message[length++] = *p;
    message[length] = '\0';
    err_set(c->err, ERR_USAGE, "%s", message);
    for (int id = SET_TABLESPACE; id <= SET_INDEX_WORKERS; id++) {
        const char *name = setting_specs[id].name;
        if (strncmp(message, name, strlen(name)) == 0 && strchr(":,", message[strlen(name)]))
            return fail_about(c, (enum setting_id)id);
    }
    return false;
}

static bool
layout_fits(const struct checking *c)
{
    const char *counts[SETTINGS_LIST_MAX];
    struct arena arena = {0};
    struct options options;
    int count = settings_sweep(c->settings, SET_SWEEP_WAREHOUSES, &arena, counts);
    bool ok = true;

    if (count == 0)
        counts[count++] = settings_text(c->settings, SET_WAREHOUSES);
    for (int i = 0; ok && i < count; i++) {
        int64_t warehouses;
        must(units_parse_int(counts[i], &warehouses, c->err));
        ok = options_from(c->settings, (int)warehouses, &options, c->err);
    }
    arena_free(&arena);
    if (ok)
        return true;
    return fail_in_layout(c);
}

static bool
policies_fit(const struct checking *c)
{
    bool checks = strcmp(settings_choice(c->settings, SET_CHECKS), "none") != 0;
    bool stops = strcmp(settings_choice(c->settings, SET_ON_FAILURE), "stop") == 0;

    if (given(c, SET_CHECKS_WHEN) && !checks)
        return wrong(c, SET_CHECKS_WHEN, "nothing is to be checked");
    if (strcmp(settings_choice(c->settings, SET_SEARCH), "knee") == 0)
        for (int id = SET_STOP_BELOW_PEAK; id <= SET_STOP_OVER_LIMITS; id++)
            if (wanted(c, (enum setting_id)id))
                return wrong(c, (enum setting_id)id,
                             "a search decides itself which levels it needs");
    if (given(c, SET_MAX_FAILURES) && stops)
        return wrong(c, SET_MAX_FAILURES, "the first failure ends the run already");
    return true;
}

static bool
hooks_are_limited(const struct checking *c)
{
    bool any = false;

    for (int id = SET_HOOK_BEFORE_RUN; id <= SET_HOOK_AFTER_RUN; id++)
        any = any || given(c, (enum setting_id)id);
    for (int i = 0; i < c->profile->configurations_count; i++)
        any = any || c->profile->configurations[i].before_step ||
              c->profile->configurations[i].after_step;
    return any || !given(c, SET_HOOK_LIMIT) ||
           wrong(c, SET_HOOK_LIMIT, "there is no hook that it could be of");
}

/* --- rules ------------------------------------------------------------------------------------ */

/* A level that stands twice would be taken for a repeat. */
static bool
ladder_without_repetition(const struct checking *c)
{
    const int64_t *levels;
    int count = settings_list(c->settings, SET_LADDER, &levels);

    for (int i = 0; i < count; i++) {
        for (int j = 0; j < i; j++) {
            if (levels[i] != levels[j])
                continue;
            err_set(c->err, ERR_USAGE, "virtual-users: %lld stands twice", (long long)levels[i]);
            err_hint(c->err, "repeats=\"2\" measures every level twice");
            return fail_about(c, SET_LADDER);
        }
    }
    return true;
}

static const struct {
    enum setting_id sweep, value;
} sweeps[] = {
    {SET_SWEEP_WAREHOUSES, SET_WAREHOUSES}, {SET_SWEEP_MIX, SET_MIX}, {SET_SWEEP_CALL, SET_CALL}};

static bool
sweep_without_repetition(const struct checking *c, enum setting_id id)
{
    const char *values[SETTINGS_LIST_MAX];
    struct arena arena = {0};
    int count = settings_sweep(c->settings, id, &arena, values);
    bool ok = true;

    for (int i = 0; ok && i < count; i++)
        for (int j = 0; ok && j < i; j++)
            if (strcmp(values[i], values[j]) == 0)
                ok = wrong(c, id, "%s stands twice", values[i]);
    arena_free(&arena);
    return ok;
}

static bool
sweeps_stand_alone(const struct checking *c)
{
    for (size_t i = 0; i < sizeof sweeps / sizeof *sweeps; i++) {
        if (!given(c, sweeps[i].sweep))
            continue;
        if (given(c, sweeps[i].value))
            return wrong(c, sweeps[i].value, "<sweep> says it already");
        if (!sweep_without_repetition(c, sweeps[i].sweep))
            return false;
    }
    return true;
}

/* A sweep appends "_wN" to the schema's name. */
static bool
schema_names_fit(const struct checking *c)
{
    const char *schema = settings_text(c->settings, SET_SCHEMA);

    if (!given(c, SET_SWEEP_WAREHOUSES) || strlen(schema) + strlen("_w100000") <= 63)
        return true;
    return wrong(c, SET_SCHEMA, "the name leaves no room for \"_w100000\" within 63 bytes");
}

/* Whether any step of the profile runs this type. */
static bool
type_runs(const struct checking *c, int type)
{
    const char *mixes[SETTINGS_LIST_MAX];
    struct arena arena = {0};
    int count = settings_sweep(c->settings, SET_SWEEP_MIX, &arena, mixes), weights[TXN_TYPES];
    bool runs = false;

    if (count == 0)
        mixes[count++] = settings_text(c->settings, SET_MIX);
    for (int i = 0; i < count; i++) {
        struct settings one;
        struct err ignored;
        settings_copy(&one, c->settings);
        must(settings_set(&one, SET_MIX, mixes[i], SETTING_OPTION, &ignored));
        settings_mix(&one, weights);
        runs |= weights[type] > 0;
        settings_free(&one);
    }
    arena_free(&arena);
    return runs;
}

static bool
limits_are_of_the_mix(const struct checking *c)
{
    bool any = false;

    for (int type = 0; type < TXN_STANDARD; type++) {
        enum setting_id id = (enum setting_id)(SET_LIMIT_NEW_ORDER + type);
        if (!given(c, id))
            continue;
        any = true;
        if (!type_runs(c, type))
            return wrong(c, id, "the mix has no such transaction");
    }
    return any || !given(c, SET_LIMIT_PERCENTILE) ||
           wrong(c, SET_LIMIT_PERCENTILE, "there is no limit that it could be of");
}

/* "--set NAME@host" must not mean anything else. */
static bool
name_is_free(const struct checking *c, const char *name, int line)
{
    size_t length = strlen(name);

    for (int id = 0; id < SETTINGS_COUNT; id++) {
        const char *xml = setting_specs[id].xml;
        if (strncmp(xml, name, length) != 0 || xml[length] != '@')
            continue;
        err_set(c->err, ERR_PROFILE, "name: \"%s\" is an element of the language", name);
        return fail_at(c, line);
    }
    return true;
}

static bool
servers_differ(const struct checking *c)
{
    const struct profile *profile = c->profile;

    for (int i = 0; i < profile->servers_count; i++) {
        const struct profile_server *server = &profile->servers[i];
        if (!name_is_free(c, server->name, server->line))
            return false;
        for (int j = 0; j < i; j++)
            if (strcmp(server->name, profile->servers[j].name) == 0) {
                err_set(c->err, ERR_PROFILE, "name: there are two servers \"%s\"", server->name);
                return fail_at(c, server->line);
            }
    }
    return true;
}

static bool
is_connection_string(const char *dbname)
{
    return dbname && (strchr(dbname, '=') || strstr(dbname, "://"));
}

/* libpq lets a connection string win over host and port. */
static bool
servers_are_reached(const struct checking *c)
{
    const struct profile *profile = c->profile;

    if (profile->servers_count == 0)
        return true;
    if (is_connection_string(settings_text(c->settings, SET_DBNAME))) {
        err_set(c->err, ERR_USAGE, "dbname: a connection string here would win over the servers");
        err_hint(c->err, "give each server its own dbname");
        return fail_about(c, SET_DBNAME);
    }
    for (int id = SET_HOST; id <= SET_PORT; id++)
        if (c->settings->values[id].source == SETTING_OPTION) {
            err_set(c->err, ERR_USAGE, "--%s: the profile names its servers itself",
                    setting_specs[id].name);
            err_hint(c->err, "--set %s@%s=VALUE changes one of them", profile->servers[0].name,
                     setting_specs[id].name);
            return false;
        }
    return true;
}

static bool
configurations_differ(const struct checking *c)
{
    const struct profile *profile = c->profile;

    for (int i = 0; i < profile->configurations_count; i++) {
        const struct profile_configuration *own = &profile->configurations[i];
        if (!name_is_free(c, own->name, own->line))
            return false;
        for (int j = 0; j < profile->servers_count; j++)
            if (strcmp(own->name, profile->servers[j].name) == 0) {
                err_set(c->err, ERR_PROFILE, "name: \"%s\" is a server already", own->name);
                return fail_at(c, own->line);
            }
        for (int j = 0; j < i; j++)
            if (strcmp(own->name, profile->configurations[j].name) == 0) {
                err_set(c->err, ERR_PROFILE, "name: there are two configurations \"%s\"",
                        own->name);
                return fail_at(c, own->line);
            }
    }
    return true;
}

/* The setting that an attribute is about already. */
static bool
isolation_is_said_once(const struct checking *c, const char *text, int line)
{
    struct arena arena = {0};
    const char *name, *value;
    struct err ignored;
    bool ok = true;

    while (ok && text && session_settings_next(&text, &arena, &name, &value, &ignored))
        ok = strcasecmp(name, "default_transaction_isolation") != 0;
    arena_free(&arena);
    if (ok || !given(c, SET_ISOLATION))
        return true;
    err_set(c->err, ERR_USAGE,
            "session-settings: default_transaction_isolation is what isolation says already");
    return line > 0 ? fail_at(c, line) : fail_about(c, SET_SESSION_SETTINGS);
}

static bool
session_settings_are_pairs(const struct checking *c)
{
    const struct profile *profile = c->profile;
    const char *of_all = settings_text(c->settings, SET_SESSION_SETTINGS);

    if (of_all && !session_settings_check(of_all, c->err)) {
        err_prefix(c->err, "session-settings");
        return fail_about(c, SET_SESSION_SETTINGS);
    }
    if (!isolation_is_said_once(c, of_all, 0))
        return false;
    for (int i = 0; i < profile->configurations_count; i++) {
        const char *own = profile->configurations[i].session_settings;
        if (own && !session_settings_check(own, c->err)) {
            err_prefix(c->err, "session-settings");
            return fail_at(c, profile->configurations[i].line);
        }
        if (!isolation_is_said_once(c, own, profile->configurations[i].line))
            return false;
    }
    return true;
}

static bool
not_too_many(const struct checking *c)
{
    int64_t steps, curves;

    plan_size(c->settings, c->profile, &steps, &curves);
    if (curves > PLAN_CURVES_MAX)
        return err_set(c->err, ERR_PROFILE, "%s: %lld curves; at most %d can be planned",
                       c->profile->path, (long long)curves, PLAN_CURVES_MAX);
    if (steps > PLAN_STEPS_MAX)
        return err_set(c->err, ERR_PROFILE, "%s: %lld steps; at most %d can be planned",
                       c->profile->path, (long long)steps, PLAN_STEPS_MAX);
    return true;
}

bool
profile_check(const struct profile *profile, const struct settings *settings, struct err *err)
{
    static bool (*const rules[])(const struct checking *) = {
        ladder_without_repetition,
        load_fits,
        sessions_are_needed,
        times_fit,
        layout_fits,
        policies_fit,
        hooks_are_limited,
        sweeps_stand_alone,
        schema_names_fit,
        limits_are_of_the_mix,
        servers_differ,
        servers_are_reached,
        configurations_differ,
        session_settings_are_pairs,
        not_too_many,
    };
    const struct checking checking = {profile, settings, err};

    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (!rules[i](&checking))
            return false;
    return true;
}
