/* Owns the list of settings in the run store. */
#include "profiles/recall.h"

#include <inttypes.h>
#include <string.h>

#include "common/buf.h"

#define MASK "***"

static bool
is_connection(const struct setting_spec *spec)
{
    return strncmp(spec->xml, "connection@", strlen("connection@")) == 0;
}

static const char *
without_secrets(struct arena *arena, const char *text)
{
    struct buf scrubbed = {0};

    buf_puts(&scrubbed, text);
    err_scrub_buf(&scrubbed);
    char *copy = arena_strdup(arena, scrubbed.data);
    buf_free(&scrubbed);
    return copy;
}

struct run_setting *
recall_list(struct arena *arena, const struct settings *settings, int *count)
{
    static const char *const sources[] = {"", "default", "profile", "option"};
    struct run_setting *list =
        arena_array(arena, SETTINGS_COUNT + (size_t)settings->overrides_count, sizeof *list);

    *count = 0;
    for (int id = 0; id < SETTINGS_COUNT; id++) {
        const struct setting_value *value = &settings->values[id];
        if (setting_specs[id].xml[0] && value->source != SETTING_UNSET)
            list[(*count)++] =
                (struct run_setting){setting_specs[id].name, without_secrets(arena, value->text),
                                     sources[value->source]};
    }
    for (int i = 0; i < settings->overrides_count; i++) {
        const char *text = settings->overrides[i], *equals = strchr(text, '=');
        const char *name = arena_printf(arena, "%.*s", (int)(equals - text), text);
        if (settings_find(name) < 0)
            list[(*count)++] = (struct run_setting){name, without_secrets(arena, equals + 1),
                                                    sources[SETTING_OPTION]};
    }
    return list;
}

/* FNV-1a, the end of each text included. */
static uint64_t
add_text(uint64_t hash, const char *text)
{
    do
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    while (*text++);
    return hash;
}

char *
recall_fingerprint(struct arena *arena, const char *profile, const struct run_setting *list,
                   int count)
{
    uint64_t hash = add_text(UINT64_C(0xcbf29ce484222325), profile);

    for (int i = 0; i < count; i++)
        hash = add_text(add_text(hash, list[i].name), list[i].value);
    return arena_printf(arena, "%016" PRIx64, hash);
}

static int
find_in_profile(const char *name)
{
    for (int id = 0; id < SETTINGS_COUNT; id++) {
        if (setting_specs[id].xml[0] && strcmp(setting_specs[id].name, name) == 0)
            return id;
    }
    return -1;
}

/* "new@host": of a server or a configuration of the profile, which knows them. */
static bool
is_named(const struct run_setting *stored)
{
    return strchr(stored->name, '@') != NULL;
}

bool
recall_overrides(const struct run_setting *list, int count, struct settings *settings,
                 struct err *err)
{
    for (int i = 0; i < count; i++) {
        size_t length = strlen(list[i].name);
        bool again = false;
        if (!is_named(&list[i]))
            continue;
        for (int k = 0; k < settings->overrides_count && !again; k++)
            again = strncmp(settings->overrides[k], list[i].name, length) == 0 &&
                    settings->overrides[k][length] == '=';
        if (again)
            continue;
        if (strstr(list[i].value, MASK)) {
            err_set(err, ERR_USAGE, "the %s of that run had a password, which was not kept",
                    list[i].name);
            err_hint(err, "say it again with --set, or set PGPASSWORD");
            return false;
        }
        const char *text = arena_printf(&settings->arena, "%s=%s", list[i].name, list[i].value);
        if (!settings_set(settings, SET_SET, text, SETTING_OPTION, err))
            return false;
    }
    return true;
}

static bool
apply_one(const struct run_setting *stored, struct settings *settings, struct err *err)
{
    int id = find_in_profile(stored->name);

    if (id < 0 && is_named(stored))
        return true;
    if (id < 0)
        return err_set(err, ERR_LOCAL, "the run has a setting \"%s\", which this kit does not know",
                       stored->name);
    const struct setting_value *value = &settings->values[id];
    if (value->source == SETTING_OPTION ||
        (value->source != SETTING_UNSET && strcmp(value->text, stored->value) == 0))
        return true;
    if (id == SET_DBNAME && strstr(stored->value, MASK)) {
        err_set(err, ERR_USAGE,
                "the connection string of that run had a password, which was not "
                "kept");
        err_hint(err, "name the database again with --dbname, or set PGPASSWORD");
        return false;
    }
    if (settings_set(settings, (enum setting_id)id, stored->value, SETTING_OPTION, err))
        return true;
    err->code = ERR_LOCAL;
    return err_prefix(err, "in the run store");
}

bool
recall_apply(const struct run_setting *list, int count, struct settings *settings, struct err *err)
{
    for (int i = 0; i < count; i++) {
        if (!apply_one(&list[i], settings, err))
            return false;
    }
    return true;
}

static const char *
stored_value(const struct run_setting *list, int count, const char *name)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(list[i].name, name) == 0)
            return list[i].value;
    }
    return "";
}

char *
recall_difference(struct arena *arena, const struct run_setting *list, int count,
                  const struct settings *settings)
{
    for (int id = 0; id < SETTINGS_COUNT; id++) {
        const struct setting_spec *spec = &setting_specs[id];
        const struct setting_value *value = &settings->values[id];
        if (!spec->xml[0] || is_connection(spec) || value->source != SETTING_OPTION)
            continue;
        const char *stored = stored_value(list, count, spec->name);
        if (strcmp(stored, value->text) != 0)
            return arena_printf(arena, "%s is \"%.80s\" in that run, not \"%.80s\"", spec->name,
                                stored, value->text);
    }
    return NULL;
}
