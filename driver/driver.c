/* Owns how settings become the options of a level. */
#include "driver/driver.h"

#include <stdlib.h>
#include <string.h>

/* The names of the option, as SQL says them. */
static const char *
isolation_level(const char *choice)
{
    if (strcmp(choice, "read-committed") == 0)
        return "read committed";
    if (strcmp(choice, "repeatable-read") == 0)
        return "repeatable read";
    return strcmp(choice, "serializable") == 0 ? "serializable" : NULL;
}

static enum home
home_of(const char *choice)
{
    for (int i = 0; i < HOMES; i++)
        if (strcmp(choice, home_names[i]) == 0)
            return (enum home)i;
    must(!"a choice that has a name");
    return HOME_SPREAD;
}

/* Zero stands for what depends on the size of the database. */
static int
terminals_of(const struct settings *settings, double pacing)
{
    if (settings_is_set(settings, SET_TERMINALS))
        return (int)settings_int(settings, SET_TERMINALS);
    return pacing > 0 ? 0 : (int)settings_int(settings, SET_VIRTUAL_USERS);
}

static void
arrivals_from(struct driver_options *options, const struct settings *settings)
{
    if (!settings_is_set(settings, SET_RATE))
        return;
    options->rate_per_minute = settings_int(settings, SET_RATE);
    options->arrivals = strcmp(settings_choice(settings, SET_ARRIVALS), "regular") == 0
                            ? ARRIVALS_REGULAR
                            : ARRIVALS_POISSON;
}

void
driver_options_from(struct driver_options *options, const struct settings *settings)
{
    *options = (struct driver_options){
        .settings = settings,
        .schema = settings_text(settings, SET_SCHEMA),
        .isolation = isolation_level(settings_choice(settings, SET_ISOLATION)),
        .procedures = settings_choice(settings, SET_PROCEDURES),
        .call = settings_choice(settings, SET_CALL),
        .protocol = settings_choice(settings, SET_PROTOCOL),
        .session_settings = settings_text(settings, SET_SESSION_SETTINGS),
        .mix_name = settings_text(settings, SET_MIX),
        .limit_percentile = strtod(settings_choice(settings, SET_LIMIT_PERCENTILE), NULL),
        .virtual_users = terminals_of(settings, settings_pacing(settings)),
        .pacing = settings_pacing(settings),
        .home = home_of(settings_choice(settings, SET_HOME)),
        .ramp_up_us = settings_us(settings, SET_RAMP_UP),
        .measure_us = settings_us(settings, SET_MEASURE),
        .reconnect_us = settings_us(settings, SET_RECONNECT),
        .metrics_us = settings_us(settings, SET_METRICS),
        .keep_going = settings_flag(settings, SET_KEEP_GOING),
        .failed_share_max = settings_share(settings, SET_MAX_ERROR_SHARE),
        .seed = (uint64_t)settings_int(settings, SET_SEED),
        .verify = (enum driver_verify)settings_int(settings, SET_VERIFY)};
    if (settings_is_set(settings, SET_THREADS))
        options->threads = (int)settings_int(settings, SET_THREADS);
    if (settings_is_set(settings, SET_SESSIONS))
        options->sessions = (int)settings_int(settings, SET_SESSIONS);
    if (settings_is_set(settings, SET_TRANSACTIONS))
        options->transactions_max = settings_int(settings, SET_TRANSACTIONS);
    for (int type = 0; type < TXN_STANDARD; type++) {
        enum setting_id id = (enum setting_id)(SET_LIMIT_NEW_ORDER + type);
        if (settings_is_set(settings, id))
            options->limits_us[type] = settings_us(settings, id);
    }
    options->deferred = strcmp(settings_choice(settings, SET_DELIVERY), "deferred") == 0;
    options->delivery_file = settings_text(settings, SET_DELIVERY_FILE);
    if (settings_is_set(settings, SET_DELIVERY_SESSIONS))
        options->delivery_sessions = (int)settings_int(settings, SET_DELIVERY_SESSIONS);
    if (settings_is_set(settings, SET_PRECISION) && settings_is_set(settings, SET_MEASURE_MOST)) {
        options->precision = settings_share(settings, SET_PRECISION);
        options->measure_most_us = settings_us(settings, SET_MEASURE_MOST);
    }
    arrivals_from(options, settings);
    settings_mix(settings, options->mix);
}
