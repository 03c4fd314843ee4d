/* Owns the way from a profile to settings. The XSD has already refused what is not of the language
 * when an attribute gets here; settings_set then says what is out of range. */
#include "profiles/profile.h"

#include <string.h>

#include "common/buf.h"
#include "common/embedded.h"
#include "common/fs.h"
#include "common/nearest.h"
#include "common/xml.h"

#define SIZE_LIMIT ((size_t)1 << 20)

static const char *
attribute_of(const struct xml_element *element, const char *name)
{
    for (int i = 0; i < element->attributes_count; i++) {
        if (strcmp(element->attributes[i].name, name) == 0)
            return element->attributes[i].value;
    }
    return "";
}

/* "FILE:LINE: " before the message, and the exit status of profiles. */
static bool
fail_at(const struct profile *profile, int line, struct err *err)
{
    err->code = ERR_PROFILE;
    return err_prefix(err, "%s:%d", profile->path, line);
}

static bool
take_attribute(struct profile *profile, const struct xml_element *element,
               const struct xml_attribute *attribute, struct settings *settings, struct err *err)
{
    int id = settings_find_xml(element->name, attribute->name);

    must(id >= 0); /* a test proves that the XSD has no attribute without a setting */
    profile->lines[id] = element->line;
    return settings_set(settings, (enum setting_id)id, attribute->value, SETTING_PROFILE, err);
}

/* A value of a server or a configuration is like that of the whole profile with the same name. */
static bool
take_value(enum setting_id id, const char *text, const char **value, struct settings *settings,
           struct err *err)
{
    struct settings scratch;

    settings_copy(&scratch, settings);
    bool ok = settings_set(&scratch, id, text, SETTING_OPTION, err);
    if (ok)
        *value = arena_strdup(&settings->arena, text);
    settings_free(&scratch);
    return ok;
}

static bool
take_server_value(struct profile_server *server, const char *name, const char *text,
                  struct settings *settings, struct err *err)
{
    for (int i = 0; i < PROFILE_SERVER_VALUES; i++) {
        enum setting_id id = (enum setting_id)(SET_HOST + i);
        if (strcmp(name, setting_specs[id].name) == 0)
            return take_value(id, text, &server->values[i], settings, err);
    }
    if (strcmp(name, "name") == 0)
        server->name = text;
    return true;
}

static bool
take_configuration_value(struct profile_configuration *configuration, const char *name,
                         const char *text, struct settings *settings, struct err *err)
{
    if (strcmp(name, "session-settings") == 0)
        return take_value(SET_SESSION_SETTINGS, text, &configuration->session_settings, settings,
                          err);
    if (strcmp(name, "before-step") == 0)
        return take_value(SET_HOOK_BEFORE_STEP, text, &configuration->before_step, settings, err);
    if (strcmp(name, "after-step") == 0)
        return take_value(SET_HOOK_AFTER_STEP, text, &configuration->after_step, settings, err);
    if (strcmp(name, "name") == 0)
        configuration->name = text;
    return true;
}

static bool
take_element(struct profile *profile, const struct xml_element *element, struct settings *settings,
             struct err *err)
{
    struct profile_server *server = NULL;
    struct profile_configuration *configuration = NULL;
    bool ok = true;

    /* The XSD allows no more of them. */
    if (strcmp(element->name, "server") == 0)
        server = &profile->servers[profile->servers_count++];
    else if (strcmp(element->name, "configuration") == 0)
        configuration = &profile->configurations[profile->configurations_count++];
    if (server)
        server->line = element->line;
    if (configuration)
        configuration->line = element->line;
    for (int i = 0; ok && i < element->attributes_count; i++) {
        const struct xml_attribute *attribute = &element->attributes[i];
        ok = server ? take_server_value(server, attribute->name, attribute->value, settings, err)
             : configuration ? take_configuration_value(configuration, attribute->name,
                                                        attribute->value, settings, err)
                             : take_attribute(profile, element, attribute, settings, err);
    }
    return ok || fail_at(profile, element->line, err);
}

/* The profile's text is kept with the results and shown in reports. */
static bool
refuse_password(const struct profile *profile, const struct xml_element *element, struct err *err)
{
    const char *dbname = attribute_of(element, "dbname");
    struct buf scrubbed = {0};

    if (!dbname[0])
        return true;
    buf_puts(&scrubbed, dbname);
    err_scrub_buf(&scrubbed);
    bool same = strcmp(scrubbed.data, dbname) == 0;
    buf_free(&scrubbed);
    if (same)
        return true;
    err_set(err, ERR_PROFILE, "dbname: a password must not stand in a profile");
    err_hint(err, "use PGPASSWORD, a password file or a service file");
    return fail_at(profile, element->line, err);
}

static bool
take_elements(struct profile *profile, const struct xml_document *document,
              struct settings *settings, struct err *err)
{
    profile->name = attribute_of(&document->elements[0], "name");
    profile->title = "";
    for (int i = 1; i < document->count; i++) {
        const struct xml_element *element = &document->elements[i];
        if (strcmp(element->name, "title") == 0)
            profile->title = element->text;
        else if (!refuse_password(profile, element, err) ||
                 !take_element(profile, element, settings, err))
            return false;
    }
    return true;
}

static bool
unknown_override(const char *name, struct err *err)
{
    const char *nearest = NULL;
    size_t distance = SIZE_MAX;

    err_set(err, ERR_USAGE, "--set: a profile has no value \"%s\"", name);
    for (int id = 0; id < SETTINGS_COUNT; id++)
        if (setting_specs[id].xml[0])
            nearest_suggest(name, setting_specs[id].name, &nearest, &distance);
    if (nearest)
        err_hint(err, "did you mean \"%s\"?", nearest);
    else
        err_hint(err, "its values stand in the manual ordermill-profile(5)");
    return false;
}

/* "NAME@host=VALUE" of a server or a configuration with that name. */
static bool
take_named_override(struct profile *profile, struct settings *settings, const char *name,
                    const char *text, bool *taken, struct err *err)
{
    size_t length = strcspn(name, "@");
    bool ok = true;

    *taken = false;
    for (int i = 0; ok && name[length] && i < profile->servers_count; i++) {
        struct profile_server *server = &profile->servers[i];
        if (strlen(server->name) != length || strncmp(server->name, name, length) != 0)
            continue;
        for (int k = 0; k < PROFILE_SERVER_VALUES; k++)
            *taken |= strcmp(name + length + 1, setting_specs[SET_HOST + k].name) == 0;
        ok = !*taken || take_server_value(server, name + length + 1, text, settings, err);
    }
    for (int i = 0; ok && !*taken && name[length] && i < profile->configurations_count; i++) {
        struct profile_configuration *configuration = &profile->configurations[i];
        if (strlen(configuration->name) != length ||
            strncmp(configuration->name, name, length) != 0)
            continue;
        *taken = strcmp(name + length + 1, "session-settings") == 0 ||
                 strcmp(name + length + 1, "before-step") == 0 ||
                 strcmp(name + length + 1, "after-step") == 0;
        ok = !*taken ||
             take_configuration_value(configuration, name + length + 1, text, settings, err);
    }
    return ok;
}

static bool
take_override(struct profile *profile, struct settings *settings, const char *text, struct err *err)
{
    const char *equals = strchr(text, '=');
    const char *name = arena_printf(&settings->arena, "%.*s", (int)(equals - text), text);
    int id = settings_find(name);
    bool taken = false;

    if (!take_named_override(profile, settings, name, equals + 1, &taken, err))
        return err_prefix(err, "--set");
    if (taken)
        return true;
    if (id < 0 || !setting_specs[id].xml[0])
        return unknown_override(name, err);
    return settings_set(settings, (enum setting_id)id, equals + 1, SETTING_OPTION, err) ||
           err_prefix(err, "--set");
}

bool
profile_parse(struct profile *profile, const char *path, const char *text, size_t size,
              struct settings *settings, struct err *err)
{
    const char *xsd = embedded_text("profiles/profile.xsd");
    struct xml_document document;

    must(xsd);
    *profile = (struct profile){.path = arena_strdup(&settings->arena, path)};
    if (!xml_read(&settings->arena, path, text, size, xsd, &document, err))
        return false;
    profile->text = arena_printf(&settings->arena, "%.*s", (int)size, text);
    if (!take_elements(profile, &document, settings, err))
        return false;
    for (int i = 0; i < settings->overrides_count; i++) {
        if (!take_override(profile, settings, settings->overrides[i], err))
            return false;
    }
    return profile_check(profile, settings, err);
}

bool
profile_read(struct profile *profile, const char *path, struct settings *settings, struct err *err)
{
    struct buf text = {0};
    bool ok = fs_read(path, SIZE_LIMIT, &text, err);

    if (!ok)
        err->code = ERR_PROFILE;
    ok = ok && profile_parse(profile, path, buf_text(&text), text.length, settings, err);
    buf_free(&text);
    return ok;
}
