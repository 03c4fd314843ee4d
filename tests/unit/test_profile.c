/* From XML to settings: what wins, and where a mistake is said to be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/embedded.h"
#include "common/fs.h"
#include "profiles/plan.h"
#include "profiles/profile.h"

#define PROFILE(inside) "<profile name=\"p\" version=\"1\">\n" inside "\n</profile>\n"

static struct settings settings;
static struct profile profile;

static int
set_up(void **state)
{
    (void)state;
    settings_init(&settings);
    return 0;
}

static int
tear_down(void **state)
{
    (void)state;
    settings_free(&settings);
    return 0;
}

static bool
parse(const char *text, struct err *err)
{
    return profile_parse(&profile, "p.xml", text, strlen(text), &settings, err);
}

static void
assert_refused(const char *text, const char *message, enum err_code code)
{
    struct err err = {0};

    assert_false(parse(text, &err));
    assert_string_equal(err.message, message);
    assert_int_equal(err.code, code);
}

static void
set_option(enum setting_id id, const char *text)
{
    struct err err;

    assert_true(settings_set(&settings, id, text, SETTING_OPTION, &err));
}

static void
everything_is_read(void **state)
{
    struct err err = {0};
    const int64_t *ladder;
    int mix[TXN_TYPES];

    (void)state;
    assert_true(
        parse("<profile name=\"all-of_it.1\" version=\"1\"><title>T &lt; U</title>\n"
              "<connection host=\"db\" port=\"5433\" username=\"u\" dbname=\"d\""
              " schema=\"My Schema\"/>\n"
              "<scale warehouses=\"7\" jobs=\"3\" seed=\"9223372036854775807\"/>\n"
              "<workload mix=\"20,20,20,20,20\" isolation=\"serializable\" threads=\"2\"/>\n"
              "<ladder virtual-users=\"1\n 5 10000\" repeats=\"4\" order=\"random\"/>\n"
              "<timing ramp-up=\"0\" measure=\"1m\"/></profile>",
              &err));
    assert_string_equal(profile.name, "all-of_it.1");
    assert_string_equal(profile.title, "T < U");
    assert_string_equal(settings_text(&settings, SET_HOST), "db");
    assert_int_equal(settings_int(&settings, SET_PORT), 5433);
    assert_string_equal(settings_text(&settings, SET_USERNAME), "u");
    assert_string_equal(settings_text(&settings, SET_DBNAME), "d");
    assert_string_equal(settings_text(&settings, SET_SCHEMA), "My Schema");
    assert_int_equal(settings_int(&settings, SET_WAREHOUSES), 7);
    assert_int_equal(settings_int(&settings, SET_JOBS), 3);
    assert_true(settings_int(&settings, SET_SEED) == INT64_MAX);
    assert_int_equal(settings_int(&settings, SET_THREADS), 2);
    assert_string_equal(settings_choice(&settings, SET_ISOLATION), "serializable");
    settings_mix(&settings, mix);
    assert_int_equal(mix[TXN_STOCK_LEVEL], 20);
    assert_int_equal(settings_list(&settings, SET_LADDER, &ladder), 3);
    assert_int_equal(ladder[2], 10000);
    assert_int_equal(settings_int(&settings, SET_REPEATS), 4);
    assert_string_equal(settings_choice(&settings, SET_ORDER), "random");
    assert_int_equal(settings_us(&settings, SET_RAMP_UP), 0);
    assert_int_equal(settings_us(&settings, SET_MEASURE), 60000000);
    assert_int_equal(profile.lines[SET_SEED], 3);
    assert_int_equal(profile.lines[SET_MEASURE], 7);
    assert_int_equal(profile.lines[SET_OUTPUT], 0);
    assert_int_equal(settings.values[SET_MEASURE].source, SETTING_PROFILE);
}

static void
command_line_wins(void **state)
{
    struct err err = {0};

    (void)state;
    set_option(SET_PORT, "1111");
    set_option(SET_SET, "measure=30s");
    set_option(SET_SET, "ladder@repeats=5");
    assert_true(parse(PROFILE("<connection port=\"2222\"/><ladder repeats=\"2\"/>"
                              "<timing ramp-up=\"7s\" measure=\"9s\"/>"),
                      &err));
    assert_int_equal(settings_int(&settings, SET_PORT), 1111);
    assert_int_equal(settings_us(&settings, SET_MEASURE), 30000000);
    assert_int_equal(settings_us(&settings, SET_RAMP_UP), 7000000);
    assert_int_equal(settings_int(&settings, SET_REPEATS), 5);
    assert_int_equal(settings.values[SET_MEASURE].source, SETTING_OPTION);
}

static void
mistakes_have_a_line(void **state)
{
    (void)state;
    assert_refused(PROFILE("<scale warehouses=\"0\"/>"),
                   "p.xml:2: warehouses: \"0\" is not a whole number from 1 to 100000",
                   ERR_PROFILE);
    assert_refused(PROFILE("<timing\nmeasure=\"0s\"/>"), "p.xml:3: measure: \"0s\" is below 1s",
                   ERR_PROFILE);
    assert_refused(PROFILE("\n<timing ramp-up=\"25h\"/>"), "p.xml:3: ramp-up: \"25h\" is above 24h",
                   ERR_PROFILE);
    assert_refused(PROFILE("<workload mix=\"45,43,4,4,5\"/>"),
                   "p.xml:2: mix: \"45,43,4,4,5\" sums to 101 instead of 100", ERR_PROFILE);
    assert_refused(PROFILE("<ladder virtual-users=\"1 2 4 2\"/>"),
                   "p.xml:2: virtual-users: 2 stands twice", ERR_PROFILE);
    assert_refused("", "p.xml:1: the file is empty", ERR_PROFILE);
}

static void
passwords_are_refused(void **state)
{
    (void)state;
    assert_refused(PROFILE("<connection dbname=\"host=db password=geheim\"/>"),
                   "p.xml:2: dbname: a password must not stand in a profile", ERR_PROFILE);
    assert_refused(PROFILE("<connection dbname=\"postgresql://u:geheim@db/d\"/>"),
                   "p.xml:2: dbname: a password must not stand in a profile", ERR_PROFILE);
    assert_refused(PROFILE("<connection dbname=\"postgresql://db/d?password=geheim\"/>"),
                   "p.xml:2: dbname: a password must not stand in a profile", ERR_PROFILE);
}

static void
passwords_of_servers_are_refused(void **state)
{
    (void)state;
    assert_refused(PROFILE("<servers><server name=\"a\"/>\n"
                           "<server name=\"b\" dbname=\"postgresql://u:geheim@db/d\"/></servers>"),
                   "p.xml:3: dbname: a password must not stand in a profile", ERR_PROFILE);
}

static void
named_overrides(void **state)
{
    struct err err = {0};

    (void)state;
    set_option(SET_SET, "b@host=x");
    set_option(SET_SET, "c@session-settings=jit=off");
    set_option(SET_SET, "c@before-step=true");
    assert_true(parse(PROFILE("<servers><server name=\"a\"/><server name=\"b\" host=\"y\"/>"
                              "</servers><configurations><configuration name=\"c\"/>"
                              "</configurations>"),
                      &err));
    assert_null(profile.servers[0].values[SET_HOST]);
    assert_string_equal(profile.servers[1].values[SET_HOST], "x");
    assert_string_equal(profile.configurations[0].session_settings, "jit=off");
    assert_string_equal(profile.configurations[0].before_step, "true");
    settings.overrides_count = 0;
    set_option(SET_SET, "b@port=0");
    assert_refused(PROFILE("<servers><server name=\"b\"/></servers>"),
                   "--set: --port: \"0\" is below 1", ERR_USAGE);
    settings.overrides_count = 0;
    set_option(SET_SET, "d@host=x");
    assert_refused(PROFILE("<servers><server name=\"b\"/></servers>"),
                   "--set: a profile has no value \"d@host\"", ERR_USAGE);
}

static void
connection_strings_are_fine(void **state)
{
    struct err err = {0};

    (void)state;
    assert_true(
        parse(PROFILE("<connection dbname=\"postgresql://u@db:5432/d?sslmode=require\"/>"), &err));
    assert_true(parse(PROFILE("<connection dbname=\"service=x passfile=/y\"/>"), &err));
}

static void
wrong_overrides(void **state)
{
    (void)state;
    set_option(SET_SET, "mesure=20s");
    assert_refused(PROFILE(""), "--set: a profile has no value \"mesure\"", ERR_USAGE);
    settings.overrides_count = 0;
    set_option(SET_SET, "output=/x"); /* an option that no profile has */
    assert_refused(PROFILE(""), "--set: a profile has no value \"output\"", ERR_USAGE);
    settings.overrides_count = 0;
    set_option(SET_SET, "measure=0s");
    assert_refused(PROFILE(""), "--set: --measure: \"0s\" is below 1s", ERR_USAGE);
    settings.overrides_count = 0;
    set_option(SET_SET, "ladder=3 3");
    assert_refused(PROFILE(""), "--set: virtual-users: 3 stands twice", ERR_USAGE);
}

static void
files_that_cannot_be_read(void **state)
{
    struct err err = {0};

    (void)state;
    assert_false(profile_read(&profile, "/nonexistent/x.xml", &settings, &err));
    assert_string_equal(err.message,
                        "cannot open \"/nonexistent/x.xml\": No such file or directory");
    assert_int_equal(err.code, ERR_PROFILE);
    assert_false(profile_read(&profile, "/", &settings, &err));
    assert_int_equal(err.code, ERR_PROFILE);
    assert_false(profile_read(&profile, "/dev/zero", &settings, &err));
    assert_int_equal(err.code, ERR_PROFILE);
}

/* Each can be read, is called as its file, and makes a plan of curves and steps. */
static void
shipped_profiles_are_valid(void **state)
{
    static const struct {
        const char *name;
        int curves, steps;
    } wanted[] = {{"demo", 1, 15},      {"governors", 2, 24},
                  {"inserts", 16, 128}, {"knee", 1, 16 /* of its list */},
                  {"lookups", 3, 54},   {"machines", 2, 36},
                  {"ramp", 1, 21},      {"versions", 2, 24}};
    size_t count = 0;

    (void)state;
    for (size_t i = 0; i < embedded_files_count; i++) {
        const char *path = embedded_files[i].path, *text = embedded_files[i].text;
        struct err err = {0};
        struct plan plan;
        char name[200];
        if (!strstr(path, ".xml"))
            continue;
        settings_free(&settings);
        settings_init(&settings);
        if (!profile_parse(&profile, path, text, strlen(text), &settings, &err))
            fail_msg("%s", err.message);
        snprintf(name, sizeof name, "profiles/%s.xml", profile.name);
        assert_string_equal(path, name);
        assert_string_equal(profile.text, text);
        assert_true(profile.title[0] != '\0');
        plan_make(&plan, &settings.arena, &settings, &profile);
        assert_true(count < sizeof wanted / sizeof *wanted);
        assert_string_equal(profile.name, wanted[count].name);
        assert_int_equal(plan.curves_count, wanted[count].curves);
        assert_int_equal(plan.count, wanted[count].steps);
        count++;
    }
    assert_int_equal(count, sizeof wanted / sizeof *wanted);
}

/* docs/profiles.md has a row for each attribute, in the section of its element. */
static void
every_attribute_is_documented(void **state)
{
    struct buf text = {0};
    struct err err = {0};

    (void)state;
    assert_true(fs_read("docs/profiles.md", 1 << 20, &text, &err));
    for (int id = 0; id < SETTINGS_COUNT; id++) {
        const struct setting_spec *spec = &setting_specs[id];
        char heading[80], row[80];
        if (!spec->xml[0])
            continue;
        snprintf(heading, sizeof heading, "\n## %.*s\n", (int)strcspn(spec->xml, "@"), spec->xml);
        const char *section = strstr(buf_text(&text), heading);
        if (!section) {
            fail_msg("docs/profiles.md lacks the section%s", heading);
            break; /* not reached, which not every compiler sees */
        }
        const char *next = strstr(section + 1, "\n## ");
        size_t length = next ? (size_t)(next - section) : strlen(section);
        snprintf(row, sizeof row, "| `%s` | `%s` | %s |", strchr(spec->xml, '@') + 1, spec->name,
                 spec->default_text);
        if (!memmem(section, length, row, strlen(row)))
            fail_msg("docs/profiles.md lacks the row %s", row);
    }
    buf_free(&text);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(everything_is_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(command_line_wins, set_up, tear_down),
        cmocka_unit_test_setup_teardown(mistakes_have_a_line, set_up, tear_down),
        cmocka_unit_test_setup_teardown(passwords_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(passwords_of_servers_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(named_overrides, set_up, tear_down),
        cmocka_unit_test_setup_teardown(connection_strings_are_fine, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrong_overrides, set_up, tear_down),
        cmocka_unit_test_setup_teardown(files_that_cannot_be_read, set_up, tear_down),
        cmocka_unit_test(every_attribute_is_documented),
        cmocka_unit_test_setup_teardown(shipped_profiles_are_valid, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("profile", tests, NULL, NULL);
}
