/* What must hold between the values of a profile. Each rule is a function that says what is wrong;
 * where it stands is found here: a line of the profile, or --set. */
#include <string.h>

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
                ok = err_set(c->err, ERR_USAGE, "%s: %s stands twice",
                             strchr(setting_specs[id].xml, '@') + 1, values[i]) ||
                     fail_about(c, id);
    arena_free(&arena);
    return ok;
}

static bool
sweeps_stand_alone(const struct checking *c)
{
    for (size_t i = 0; i < sizeof sweeps / sizeof *sweeps; i++) {
        if (!given(c, sweeps[i].sweep))
            continue;
        if (given(c, sweeps[i].value)) {
            err_set(c->err, ERR_USAGE, "%s: <sweep> names them already",
                    setting_specs[sweeps[i].value].name);
            return fail_about(c, sweeps[i].value);
        }
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
    err_set(c->err, ERR_USAGE, "schema: the name leaves no room for \"_w100000\" within 63 bytes");
    return fail_about(c, SET_SCHEMA);
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
        if (!type_runs(c, type)) {
            err_set(c->err, ERR_USAGE, "%s: the mix has no such transaction",
                    strchr(setting_specs[id].xml, '@') + 1);
            return fail_about(c, id);
        }
    }
    if (any || !given(c, SET_LIMIT_PERCENTILE))
        return true;
    err_set(c->err, ERR_USAGE, "percentile: there is no limit that it could be of");
    return fail_about(c, SET_LIMIT_PERCENTILE);
}

static bool
servers_differ(const struct checking *c)
{
    const struct profile *profile = c->profile;

    for (int i = 0; i < profile->servers_count; i++)
        for (int j = 0; j < i; j++)
            if (strcmp(profile->servers[i].name, profile->servers[j].name) == 0) {
                err_set(c->err, ERR_PROFILE, "name: there are two servers \"%s\"",
                        profile->servers[i].name);
                return fail_at(c, profile->servers[i].line);
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

    for (int i = 0; i < profile->configurations_count; i++)
        for (int j = 0; j < i; j++)
            if (strcmp(profile->configurations[i].name, profile->configurations[j].name) == 0) {
                err_set(c->err, ERR_PROFILE, "name: there are two configurations \"%s\"",
                        profile->configurations[i].name);
                return fail_at(c, profile->configurations[i].line);
            }
    return true;
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
    for (int i = 0; i < profile->configurations_count; i++) {
        const char *own = profile->configurations[i].session_settings;
        if (own && !session_settings_check(own, c->err)) {
            err_prefix(c->err, "session-settings");
            return fail_at(c, profile->configurations[i].line);
        }
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

/* How the tables shall be laid out, should this run build them. */
static bool
layout_fits(const struct checking *c)
{
    int warehouses = (int)settings_int(c->settings, SET_WAREHOUSES);
    bool fillfactor = c->settings->values[SET_FILLFACTOR].source == SETTING_PROFILE;
    struct options ignored;

    return options_from(c->settings, warehouses, &ignored, c->err) ||
           fail_about(c, fillfactor ? SET_FILLFACTOR : SET_PARTITIONS);
}

bool
profile_check(const struct profile *profile, const struct settings *settings, struct err *err)
{
    static bool (*const rules[])(const struct checking *) = {
        ladder_without_repetition,
        sweeps_stand_alone,
        schema_names_fit,
        limits_are_of_the_mix,
        servers_differ,
        servers_are_reached,
        configurations_differ,
        session_settings_are_pairs,
        layout_fits,
        not_too_many,
    };
    const struct checking checking = {profile, settings, err};

    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (!rules[i](&checking))
            return false;
    return true;
}
