/* The profile language and the table of options agree: what one accepts the other accepts, at
 * every limit. (The limits of durations and sizes are left to the table; the schema knows their
 * form.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/embedded.h"
#include "common/settings.h"
#include "common/xml.h"

static bool
schema_accepts(const struct setting_spec *spec, const char *text)
{
    struct arena arena = {0};
    struct xml_document document;
    struct err err;
    int element_length = (int)strcspn(spec->xml, "@");
    const char *attribute = spec->xml + element_length + 1;
    char *profile =
        arena_printf(&arena, "<profile name=\"p\" version=\"1\"><%.*s %s=\"%s\"/></profile>",
                     element_length, spec->xml, attribute, text);
    bool ok = xml_read(&arena, "p.xml", profile, strlen(profile),
                       embedded_text("profiles/profile.xsd"), &document, &err);

    arena_free(&arena);
    return ok;
}

static bool
table_accepts(enum setting_id id, const char *text)
{
    struct settings settings;
    struct err err;

    settings_init(&settings);
    bool ok = settings_set(&settings, id, text, SETTING_PROFILE, &err);
    settings_free(&settings);
    return ok;
}

static void
agree(int id, const char *text, bool accepted)
{
    const struct setting_spec *spec = &setting_specs[id];

    if (table_accepts((enum setting_id)id, text) != accepted)
        fail_msg("%s: the table of options is wrong about \"%.40s\"", spec->name, text);
    if (schema_accepts(spec, text) != accepted)
        fail_msg("%s: the schema is wrong about \"%.40s\"", spec->xml, text);
}

static void
try_number(int id, int64_t number, bool accepted)
{
    char text[UNITS_TEXT_SIZE];

    agree(id, units_exact_int(text, number), accepted);
}

static void
try_length(int id, int64_t length, bool accepted)
{
    char *text = malloc((size_t)length + 1);

    assert_non_null(text);
    memset(text, 'x', (size_t)length);
    text[length] = '\0';
    agree(id, text, accepted);
    free(text);
}

static void
try_choices(int id)
{
    struct arena arena = {0};
    const char *choice = setting_specs[id].metavar;

    for (; *choice; choice += strspn(choice, "|")) {
        size_t length = strcspn(choice, "|");
        agree(id, arena_printf(&arena, "%.*s", (int)length, choice), true);
        agree(id, arena_printf(&arena, "%.*sx", (int)length, choice), false);
        choice += length;
    }
    arena_free(&arena);
}

/* Two values of the option it goes through, and none. */
static void
try_sweep(int id)
{
    const char *swept = strchr(setting_specs[id].xml, '@') + 1;
    const char *values = strcmp(swept, "warehouses") == 0 ? "1 100000"
                         : strcmp(swept, "mix") == 0      ? "standard 45,43,4,4,4"
                         : strcmp(swept, "call") == 0     ? "functions  procedures"
                                                          : "";

    agree(id, values, true);
    agree(id, "", false);
    agree(id, "nonsense", false);
    agree(id, "0", false);
}

static void
try_setting(int id)
{
    const struct setting_spec *spec = &setting_specs[id];

    switch (spec->type) {
    case SETTING_INT:
    case SETTING_LIST:
        try_number(id, spec->minimum - 1, false);
        try_number(id, spec->minimum, true);
        try_number(id, spec->maximum, true);
        if (spec->maximum < INT64_MAX)
            try_number(id, spec->maximum + 1, false);
        agree(id, "1.5", false);
        break;
    case SETTING_TEXT:
        try_length(id, spec->minimum - 1, false);
        try_length(id, spec->minimum, true);
        try_length(id, spec->maximum, true);
        try_length(id, spec->maximum + 1, false);
        break;
    case SETTING_CHOICE: try_choices(id); break;
    case SETTING_DURATION:
        agree(id, "90s", true);
        agree(id, "1.5m", true);
        agree(id, "90", false);
        agree(id, "-1s", false);
        break;
    case SETTING_MIX:
        agree(id, "standard", true);
        agree(id, "45,43,4,4,4", true);
        agree(id, "deck", true);
        agree(id, "45,43,4,4", false);
        break;
    case SETTING_PACING:
        agree(id, "none", true);
        agree(id, "standard", true);
        agree(id, "0.001", true);
        agree(id, "1000", true);
        agree(id, "0.0001", false);
        agree(id, "-1", false);
        agree(id, "1.", false);
        agree(id, ".5", false);
        break;
    case SETTING_SHARE:
        agree(id, "0%", true);
        agree(id, "0.125%", true);
        agree(id, "100%", true);
        agree(id, "100.001%", false);
        agree(id, "101%", false);
        agree(id, "0.0001%", false);
        agree(id, "1", false);
        agree(id, "-1%", false);
        break;
    case SETTING_SWEEP: try_sweep(id); break;
    case SETTING_FLAG:
        agree(id, "true", true);
        agree(id, "false", true);
        agree(id, "yes", false);
        break;
    case SETTING_SIZE:
        agree(id, "64MB", true);
        agree(id, "1GB", true);
        agree(id, "64", false);
        agree(id, "-1MB", false);
        break;
    }
}

static void
every_limit_is_the_same(void **state)
{
    (void)state;
    for (int id = 0; id < SETTINGS_COUNT; id++) {
        if (setting_specs[id].xml[0])
            try_setting(id);
    }
}

/* The other way round: no attribute that the table does not know. */
static void
every_attribute_is_a_setting(void **state)
{
    /* Of the profile, of a server and of a configuration. */
    static const char *const of_profile[] = {
        "name",        "version", /* profile */
        "name",        "host",
        "port",        "username",
        "dbname",      "schema", /* server */
        "name",        "session-settings",
        "before-step", "after-step", /* configuration */
    };
    static const char begin[] = "<xs:attribute name=\"";
    int attributes = 0, expected = (int)(sizeof of_profile / sizeof *of_profile);

    (void)state;
    for (const char *p = embedded_text("profiles/profile.xsd"); (p = strstr(p, begin)); p++)
        attributes++;
    for (int id = 0; id < SETTINGS_COUNT; id++)
        expected += setting_specs[id].xml[0] != '\0';
    assert_int_equal(attributes, expected);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_limit_is_the_same),
        cmocka_unit_test(every_attribute_is_a_setting),
    };
    return cmocka_run_group_tests_name("profile_schema", tests, NULL, NULL);
}
