/* The rules about the matrix of a profile: servers, configurations, sweeps, and how many curves and
 * steps they make. */
#include "profiles/profile_check.h"

#include <string.h>
#include <strings.h>

#include "common/session_settings.h"
#include "profiles/plan.h"

static const struct {
    enum setting_id sweep, value;
} sweeps[] = {
    {SET_SWEEP_WAREHOUSES, SET_WAREHOUSES}, {SET_SWEEP_MIX, SET_MIX}, {SET_SWEEP_CALL, SET_CALL}};

/* A mix is dealt from a deck, or drawn by weights. */
static void
read_mix(const struct checking *c, const char *text, int weights[TXN_TYPES])
{
    struct settings one;
    struct err ignored;

    settings_copy(&one, c->settings);
    must(settings_set(&one, SET_MIX, text, SETTING_OPTION, &ignored));
    settings_mix(&one, weights);
    settings_free(&one);
}

/* 7 and 007, "standard" and its weights. */
static bool
are_same(const struct checking *c, enum setting_id sweep, const char *a, const char *b)
{
    int mine[TXN_TYPES], yours[TXN_TYPES];
    int64_t x = 0, y = 0;
    struct err ignored;

    if (sweep == SET_SWEEP_WAREHOUSES)
        return units_parse_int(a, &x, &ignored) && units_parse_int(b, &y, &ignored) && x == y;
    if (sweep != SET_SWEEP_MIX || strcmp(a, "deck") == 0 || strcmp(b, "deck") == 0)
        return strcmp(a, b) == 0;
    read_mix(c, a, mine);
    read_mix(c, b, yours);
    return memcmp(mine, yours, sizeof mine) == 0;
}

static bool
sweep_without_repetition(const struct checking *c, enum setting_id id)
{
    const char *values[SETTINGS_LIST_MAX];
    struct arena arena = {0};
    int count = settings_sweep(c->settings, id, &arena, values);
    bool ok = true;

    for (int i = 0; ok && i < count; i++)
        for (int j = 0; ok && j < i; j++)
            if (are_same(c, id, values[j], values[i]))
                ok = strcmp(values[i], values[j]) == 0
                         ? profile_wrong(c, id, "%s stands twice", values[i])
                         : profile_wrong(c, id, "%s stands twice: %s is the same", values[i],
                                         values[j]);
    arena_free(&arena);
    return ok;
}

static bool
sweeps_stand_alone(const struct checking *c)
{
    for (size_t i = 0; i < sizeof sweeps / sizeof *sweeps; i++) {
        if (!profile_given(c, sweeps[i].sweep))
            continue;
        if (profile_given(c, sweeps[i].value))
            return profile_wrong(c, sweeps[i].value, "<sweep> says it already");
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

    if (!profile_given(c, SET_SWEEP_WAREHOUSES) || strlen(schema) + strlen("_w100000") <= 63)
        return true;
    return profile_wrong(c, SET_SCHEMA, "the name leaves no room for \"_w100000\" within 63 bytes");
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
        return profile_fail_at(c, line);
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
                return profile_fail_at(c, server->line);
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
        return profile_fail_about(c, SET_DBNAME);
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
                return profile_fail_at(c, own->line);
            }
        for (int j = 0; j < i; j++)
            if (strcmp(own->name, profile->configurations[j].name) == 0) {
                err_set(c->err, ERR_PROFILE, "name: there are two configurations \"%s\"",
                        own->name);
                return profile_fail_at(c, own->line);
            }
    }
    return true;
}

/* Whether it stands once more behind this; the server takes names in any case. */
static bool
stands_again(const char *text, const char *name, struct arena *arena)
{
    const char *other, *value;
    struct err ignored;

    while (session_settings_next(&text, arena, &other, &value, &ignored))
        if (strcasecmp(other, name) == 0)
            return true;
    return false;
}

/* A list of pairs, each of another setting. A configuration may say anew what is said for all. */
static bool
settings_differ(const char *text, struct err *err)
{
    struct arena arena = {0};
    const char *name, *value;
    bool ok = !text || session_settings_check(text, err);

    while (ok && text && session_settings_next(&text, &arena, &name, &value, err))
        ok = !stands_again(text, name, &arena) || err_set(err, ERR_USAGE, "%s stands twice", name);
    arena_free(&arena);
    return ok || err_prefix(err, "session-settings");
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
    if (ok || !profile_given(c, SET_ISOLATION))
        return true;
    err_set(c->err, ERR_USAGE,
            "session-settings: default_transaction_isolation is what isolation says already");
    return line > 0 ? profile_fail_at(c, line) : profile_fail_about(c, SET_SESSION_SETTINGS);
}

static bool
session_settings_are_pairs(const struct checking *c)
{
    const struct profile *profile = c->profile;
    const char *of_all = settings_text(c->settings, SET_SESSION_SETTINGS);

    if (!settings_differ(of_all, c->err))
        return profile_fail_about(c, SET_SESSION_SETTINGS);
    if (!isolation_is_said_once(c, of_all, 0))
        return false;
    for (int i = 0; i < profile->configurations_count; i++) {
        const char *own = profile->configurations[i].session_settings;
        if (!settings_differ(own, c->err))
            return profile_fail_at(c, profile->configurations[i].line);
        if (!isolation_is_said_once(c, own, profile->configurations[i].line))
            return false;
    }
    return true;
}

/* The message stands already. Of what multiplies, the first that the profile names: a list that
 * stands there is what somebody can make shorter. */
static bool
too_many(const struct checking *c, const enum setting_id *lists, size_t count)
{
    const struct profile *profile = c->profile;

    for (size_t i = 0; i < count; i++)
        if (profile_given(c, lists[i]))
            return profile_fail_about(c, lists[i]);
    if (profile->configurations_count > 0)
        return profile_fail_at(c, profile->configurations[profile->configurations_count - 1].line);
    return profile->servers_count > 0
               ? profile_fail_at(c, profile->servers[profile->servers_count - 1].line)
               : err_prefix(c->err, "%s", profile->path);
}

static bool
not_too_many(const struct checking *c)
{
    static const enum setting_id lists[] = {SET_SWEEP_WAREHOUSES, SET_SWEEP_MIX, SET_SWEEP_CALL};
    static const enum setting_id levels[] = {SET_SEARCH_STEPS, SET_REPEATS, SET_LADDER};
    int64_t steps, curves;

    plan_size(c->settings, c->profile, &steps, &curves);
    if (curves > PLAN_CURVES_MAX) {
        err_set(c->err, ERR_USAGE, "%lld curves; at most %d can be planned", (long long)curves,
                PLAN_CURVES_MAX);
        return too_many(c, lists, sizeof lists / sizeof *lists);
    }
    if (steps > PLAN_STEPS_MAX) {
        err_set(c->err, ERR_USAGE, "%lld steps; at most %d can be planned", (long long)steps,
                PLAN_STEPS_MAX);
        return too_many(c, levels, sizeof levels / sizeof *levels);
    }
    return true;
}

/* A copy has the name of its database and a bit more, and is reached like it: the name has to stand
 * alone. */
static bool
template_has_a_name(const struct checking *c)
{
    static const char reason[] = "reset=\"template\" needs the database by its name, not in a "
                                 "connection string, to name the copy";

    if (strcmp(settings_choice(c->settings, SET_RESET), "template") != 0)
        return true;
    if (is_connection_string(settings_text(c->settings, SET_DBNAME)))
        return profile_wrong(c, SET_DBNAME, "%s", reason);
    for (int i = 0; i < c->profile->servers_count; i++) {
        const struct profile_server *server = &c->profile->servers[i];
        if (!is_connection_string(server->values[SET_DBNAME - SET_HOST]))
            continue;
        err_set(c->err, ERR_PROFILE, "dbname: %s", reason);
        return profile_fail_at(c, server->line);
    }
    return true;
}

bool
profile_check_matrix(const struct checking *c)
{
    static profile_rule *const rules[] = {
        sweeps_stand_alone,    schema_names_fit,           servers_differ,      servers_are_reached,
        configurations_differ, session_settings_are_pairs, template_has_a_name, not_too_many,
    };

    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (!rules[i](c))
            return false;
    return true;
}
