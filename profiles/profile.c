/* Owns the way from a profile to settings. The XSD has already refused what is not of the language
 * when an attribute gets here; settings_set then says what is out of range. */
#include "profiles/profile.h"

#include <string.h>

#include "common/buf.h"
#include "common/embedded.h"
#include "common/fs.h"
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
take_element(struct profile *profile, const struct xml_element *element, struct settings *settings,
             struct err *err)
{
    for (int i = 0; i < element->attributes_count; i++) {
        const struct xml_attribute *attribute = &element->attributes[i];
        int id = settings_find_xml(element->name, attribute->name);
        must(id >= 0); /* a test proves that the XSD has no attribute without a setting */
        if (!settings_set(settings, (enum setting_id)id, attribute->value, SETTING_PROFILE, err))
            return fail_at(profile, element->line, err);
        profile->lines[id] = element->line;
    }
    return true;
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
    buf_reserve(&scrubbed, 64); /* a mask may be longer than what it hides */
    err_scrub(scrubbed.data, scrubbed.capacity);
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
    struct buf names = {0};

    for (int id = 0; id < SETTINGS_COUNT; id++) {
        if (setting_specs[id].xml[0])
            buf_printf(&names, "%s%s", names.length ? ", " : "", setting_specs[id].name);
    }
    err_set(err, ERR_USAGE, "--set: a profile has no value \"%s\"", name);
    err_hint(err, "it has %s", buf_text(&names));
    buf_free(&names);
    return false;
}

static bool
take_override(struct settings *settings, const char *text, struct err *err)
{
    const char *equals = strchr(text, '=');
    const char *name = arena_printf(&settings->arena, "%.*s", (int)(equals - text), text);
    int id = settings_find(name);

    if (id < 0 || !setting_specs[id].xml[0])
        return unknown_override(name, err);
    return settings_set(settings, (enum setting_id)id, equals + 1, SETTING_OPTION, err) ||
           err_prefix(err, "--set");
}

/* Where a mistake lies that concerns this setting: at its line, or in the options. */
static bool
fail_about(const struct profile *profile, const struct settings *settings, enum setting_id id,
           struct err *err)
{
    if (settings->values[id].source == SETTING_PROFILE)
        return fail_at(profile, profile->lines[id], err);
    return err_prefix(err, "--set");
}

/* A level that stands twice would be taken for a repeat. */
static bool
check_ladder(const struct profile *profile, const struct settings *settings, struct err *err)
{
    const int64_t *levels;
    int count = settings_list(settings, SET_LADDER, &levels);

    for (int i = 0; i < count; i++) {
        for (int j = 0; j < i; j++) {
            if (levels[i] != levels[j])
                continue;
            err_set(err, ERR_USAGE, "virtual-users: %lld stands twice", (long long)levels[i]);
            err_hint(err, "repeats=\"2\" measures every level twice");
            return fail_about(profile, settings, SET_LADDER, err);
        }
    }
    return true;
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
        if (!take_override(settings, settings->overrides[i], err))
            return false;
    }
    return check_ladder(profile, settings, err);
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
