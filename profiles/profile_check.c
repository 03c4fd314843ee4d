/* What must hold between the values of a profile. Each rule is a function that says what is wrong;
 * where it stands is found here: a line of the profile, or --set. */
#include "profiles/profile_check.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "loader/options.h"
#include "profiles/search.h"

/* --- where ------------------------------------------------------------------------------------ */

bool
profile_fail_at(const struct checking *c, int line)
{
    c->err->code = ERR_PROFILE;
    return err_prefix(c->err, "%s:%d", c->profile->path, line);
}

/* Where a mistake lies that concerns this setting: at its line, or in the options. */
bool
profile_fail_about(const struct checking *c, enum setting_id id)
{
    if (c->settings->values[id].source == SETTING_PROFILE)
        return profile_fail_at(c, c->profile->lines[id]);
    return err_prefix(c->err, "--set");
}

bool
profile_given(const struct checking *c, enum setting_id id)
{
    return c->settings->values[id].source > SETTING_DEFAULT;
}

/* The name of a setting as its attribute. */
static const char *
attribute(enum setting_id id)
{
    return strchr(setting_specs[id].xml, '@') + 1;
}

bool
profile_wrong(const struct checking *c, enum setting_id id, const char *format, ...)
{
    char text[300];
    va_list ap;

    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    err_set(c->err, ERR_USAGE, "%s: %s", attribute(id), text);
    return profile_fail_about(c, id);
}

/* --- pairs of values -------------------------------------------------------------------------- */

/* A share of 0% and a flag that is false are as good as not said. */
static bool
wanted(const struct checking *c, enum setting_id id)
{
    return profile_given(c, id) && c->settings->values[id].number != 0;
}

static bool
searches(const struct checking *c)
{
    return strcmp(settings_choice(c->settings, SET_SEARCH), "knee") == 0;
}

static bool
load_fits(const struct checking *c)
{
    if (profile_given(c, SET_RATE) && settings_pacing(c->settings) > 0)
        return profile_wrong(c, SET_RATE,
                             "excludes pacing: with a rate the clock decides when transactions "
                             "begin, with pacing the terminals do");
    if (profile_given(c, SET_ARRIVALS) && !profile_given(c, SET_RATE))
        return profile_wrong(c, SET_ARRIVALS, "only an open load has arrivals: it needs a rate");
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
    if (searches(c) && !profile_given(c, SET_LADDER))
        most = SEARCH_MOST;
    if (!profile_given(c, SET_SESSIONS) || settings_int(c->settings, SET_SESSIONS) <= most)
        return true;
    return profile_wrong(c, SET_SESSIONS, "%lld sessions for at most %lld virtual user%s",
                         (long long)settings_int(c->settings, SET_SESSIONS), (long long)most,
                         most == 1 ? "" : "s");
}

static bool
times_fit(const struct checking *c)
{
    const struct settings *s = c->settings;
    char a[UNITS_TEXT_SIZE], b[UNITS_TEXT_SIZE];

    if (profile_given(c, SET_MEASURE) && profile_given(c, SET_RAMP_UP) &&
        settings_us(s, SET_MEASURE) < settings_us(s, SET_RAMP_UP))
        return profile_wrong(c, SET_MEASURE, "a window of %s is shorter than the ramp-up of %s",
                             units_exact_duration(a, settings_us(s, SET_MEASURE)),
                             units_exact_duration(b, settings_us(s, SET_RAMP_UP)));
    if (wanted(c, SET_PRECISION) && !profile_given(c, SET_MEASURE_MOST))
        return profile_wrong(c, SET_PRECISION, "needs measure-most, or a step might never end");
    if (profile_given(c, SET_MEASURE_MOST) && !wanted(c, SET_PRECISION))
        return profile_wrong(c, SET_MEASURE_MOST,
                             "there is no precision that the window could wait for");
    if (profile_given(c, SET_MEASURE_MOST) &&
        settings_us(s, SET_MEASURE_MOST) < settings_us(s, SET_MEASURE))
        return profile_wrong(c, SET_MEASURE_MOST, "%s is less than the %s that are measured anyway",
                             units_exact_duration(a, settings_us(s, SET_MEASURE_MOST)),
                             units_exact_duration(b, settings_us(s, SET_MEASURE)));
    if (wanted(c, SET_PRECISION) && profile_given(c, SET_TRANSACTIONS))
        return profile_wrong(c, SET_TRANSACTIONS, "excludes a precision: each ends the window");
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
            return profile_fail_about(c, (enum setting_id)id);
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
    if (!ok)
        return fail_in_layout(c);
    return !profile_given(c, SET_PARTITION_BY) || settings_int(c->settings, SET_PARTITIONS) > 1 ||
           profile_wrong(c, SET_PARTITION_BY, "there are no partitions");
}

#define METRICS_LEAST_US 100000

/* As the driver has it, which would say so before the first step and know no line. */
static bool
metrics_are_not_too_often(const struct checking *c)
{
    int64_t interval_us = settings_us(c->settings, SET_METRICS);
    char text[UNITS_TEXT_SIZE];

    return interval_us == 0 || interval_us >= METRICS_LEAST_US ||
           profile_wrong(c, SET_METRICS, "\"%s\" is below 100ms; 0s looks at nothing",
                         units_exact_duration(text, interval_us));
}

/* Whether a step of the profile sends plain statements. */
static bool
sends_statements(const struct checking *c)
{
    const char *calls[SETTINGS_LIST_MAX];
    struct arena arena = {0};
    int count = settings_sweep(c->settings, SET_SWEEP_CALL, &arena, calls);
    bool sends = false;

    if (count == 0)
        calls[count++] = settings_text(c->settings, SET_CALL);
    for (int i = 0; i < count; i++)
        sends = sends || strcmp(calls[i], "statements") == 0;
    arena_free(&arena);
    return sends;
}

static bool
calls_fit(const struct checking *c)
{
    if (!sends_statements(c))
        return true;
    if (strcmp(settings_choice(c->settings, SET_PROTOCOL), "simple") == 0)
        return profile_wrong(c, SET_PROTOCOL,
                             "plain statements go in pipelines, which the simple protocol does not "
                             "have");
    if (profile_given(c, SET_PROCEDURES))
        return profile_wrong(c, SET_PROCEDURES, "plain statements call none");
    return true;
}

static bool
deliveries_fit(const struct checking *c)
{
    bool deferred = strcmp(settings_choice(c->settings, SET_DELIVERY), "deferred") == 0;

    if (profile_given(c, SET_DELIVERY_SESSIONS) && !deferred)
        return profile_wrong(c, SET_DELIVERY_SESSIONS,
                             "only deferred deliveries have sessions of their own");
    return true;
}

/* What a search does not ask, and what only a search has. */
static bool
search_fits(const struct checking *c)
{
    if (profile_given(c, SET_SEARCH_STEPS) && !searches(c))
        return profile_wrong(c, SET_SEARCH_STEPS, "there is no search that it could be of");
    if (profile_given(c, SET_ORDER) && searches(c))
        return profile_wrong(c, SET_ORDER, "a search decides itself which level comes next");
    if (profile_given(c, SET_RATE) && searches(c))
        return profile_wrong(c, SET_RATE,
                             "excludes a search: it is the clock that sets the throughput then");
    if (searches(c) && profile_given(c, SET_REPEATS) &&
        settings_int(c->settings, SET_REPEATS) > settings_int(c->settings, SET_SEARCH_STEPS))
        return profile_wrong(c, SET_REPEATS, "more runs of a level than the search has steps");
    return true;
}

/* Of the other orders each repeat shows what has changed meanwhile. */
static bool
first_level_is_repeated(const struct checking *c)
{
    if (!wanted(c, SET_REPEAT_FIRST))
        return true;
    if (searches(c))
        return profile_wrong(c, SET_REPEAT_FIRST, "a search decides itself which level comes next");
    return strcmp(settings_choice(c->settings, SET_ORDER), "ascending") == 0 ||
           profile_wrong(c, SET_REPEAT_FIRST, "only an ascending ladder has a first level");
}

static bool
reset_waits(const struct checking *c)
{
    return !wanted(c, SET_AUTOVACUUM_WAIT) ||
           strcmp(settings_choice(c->settings, SET_RESET), "none") != 0 ||
           profile_wrong(c, SET_AUTOVACUUM_WAIT, "reset=\"none\" does not wait for autovacuum");
}

static bool
policies_fit(const struct checking *c)
{
    bool checks = strcmp(settings_choice(c->settings, SET_CHECKS), "none") != 0;
    bool stops = strcmp(settings_choice(c->settings, SET_ON_FAILURE), "stop") == 0;

    if (profile_given(c, SET_CHECKS_WHEN) && !checks)
        return profile_wrong(c, SET_CHECKS_WHEN, "nothing is to be checked");
    if (searches(c))
        for (int id = SET_STOP_BELOW_PEAK; id <= SET_STOP_OVER_LIMITS; id++)
            if (wanted(c, (enum setting_id)id))
                return profile_wrong(c, (enum setting_id)id,
                                     "a search decides itself which levels it needs");
    if (profile_given(c, SET_MAX_FAILURES) && stops)
        return profile_wrong(c, SET_MAX_FAILURES, "the first failure ends the run already");
    return true;
}

static bool
hooks_are_limited(const struct checking *c)
{
    bool any = false;

    for (int id = SET_HOOK_BEFORE_RUN; id <= SET_HOOK_AFTER_RUN; id++)
        any = any || profile_given(c, (enum setting_id)id);
    for (int i = 0; i < c->profile->configurations_count; i++)
        any = any || c->profile->configurations[i].before_step ||
              c->profile->configurations[i].after_step;
    return any || !profile_given(c, SET_HOOK_LIMIT) ||
           profile_wrong(c, SET_HOOK_LIMIT, "there is no hook that it could be of");
}

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
            return profile_fail_about(c, SET_LADDER);
        }
    }
    return true;
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
probes_fit(const struct checking *c)
{
    for (int type = TXN_STANDARD; type < TXN_TYPES; type++)
        if (settings_pacing(c->settings) > 0 && type_runs(c, type))
            return profile_wrong(c, SET_PACING, "the probe \"%s\" has no keying and think times",
                                 txn_names[type]);
    if (profile_given(c, SET_DELIVERY) && !type_runs(c, TXN_DELIVERY) &&
        strcmp(settings_choice(c->settings, SET_DELIVERY), "deferred") == 0)
        return profile_wrong(c, SET_DELIVERY, "the mix has no delivery");
    return true;
}

/* NOPM is the rate of new-orders alone. */
static bool
new_orders_are_measured(const struct checking *c)
{
    static const enum setting_id about[] = {SET_PRECISION, SET_STOP_BELOW_PEAK};

    for (size_t i = 0; i < sizeof about / sizeof *about; i++)
        if (wanted(c, about[i]) && !type_runs(c, TXN_NEW_ORDER))
            return profile_wrong(c, about[i], "it is about NOPM, and the mix has no new-order");
    return true;
}

static bool
limits_are_of_the_mix(const struct checking *c)
{
    bool any = false;

    for (int type = 0; type < TXN_STANDARD; type++) {
        enum setting_id id = (enum setting_id)(SET_LIMIT_NEW_ORDER + type);
        if (!profile_given(c, id))
            continue;
        any = true;
        if (!type_runs(c, type))
            return profile_wrong(c, id, "the mix has no such transaction");
    }
    if (!any && profile_given(c, SET_LIMIT_PERCENTILE))
        return profile_wrong(c, SET_LIMIT_PERCENTILE, "there is no limit that it could be of");
    for (int type = 0; type < TXN_STANDARD; type++)
        if (type_runs(c, type))
            return true;
    return !wanted(c, SET_STOP_OVER_LIMITS) ||
           profile_wrong(c, SET_STOP_OVER_LIMITS, "no transaction of the mix has a limit");
}

bool
profile_check(const struct profile *profile, const struct settings *settings, struct err *err)
{
    static profile_rule *const rules[] = {
        ladder_without_repetition,
        load_fits,
        sessions_are_needed,
        times_fit,
        layout_fits,
        policies_fit,
        hooks_are_limited,
        metrics_are_not_too_often,
        calls_fit,
        deliveries_fit,
        search_fits,
        first_level_is_repeated,
        reset_waits,
        probes_fit,
        limits_are_of_the_mix,
        new_orders_are_measured,
        profile_check_matrix,
    };
    const struct checking checking = {profile, settings, err};

    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (!rules[i](&checking))
            return false;
    return true;
}
