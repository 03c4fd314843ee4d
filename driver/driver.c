/* Owns how settings become the options of a level. */
#include "driver/driver.h"

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
        .virtual_users = (int)settings_int(settings, SET_VIRTUAL_USERS),
        .ramp_up_us = settings_us(settings, SET_RAMP_UP),
        .measure_us = settings_us(settings, SET_MEASURE),
        .reconnect_us = settings_us(settings, SET_RECONNECT),
        .seed = (uint64_t)settings_int(settings, SET_SEED),
        .verify = (enum driver_verify)settings_int(settings, SET_VERIFY)};
    if (settings_is_set(settings, SET_THREADS))
        options->threads = (int)settings_int(settings, SET_THREADS);
    settings_mix(settings, options->mix);
}
