/* Values by type and limit, which source wins, and that the table of options is sound. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/buf.h"
#include "common/settings.h"

static struct settings settings;
static struct err err;

static int
init(void **state)
{
    (void)state;
    settings_init(&settings);
    return 0;
}

static int
release(void **state)
{
    (void)state;
    settings_free(&settings);
    return 0;
}

static void
takes(enum setting_id id, const char *text)
{
    if (!settings_set(&settings, id, text, SETTING_OPTION, &err))
        fail_msg("%s", err.message);
    assert_string_equal(settings_text(&settings, id), text);
}

static void
refuses(enum setting_id id, const char *text, const char *message)
{
    const char *before = settings_text(&settings, id);

    assert_false(settings_set(&settings, id, text, SETTING_OPTION, &err));
    assert_int_equal(err.code, ERR_USAGE);
    assert_string_equal(err.message, message);
    assert_ptr_equal(settings_text(&settings, id), before);
}

static void
whole_numbers_within_limits(void **state)
{
    (void)state;
    takes(SET_WAREHOUSES, "100000");
    assert_int_equal(settings_int(&settings, SET_WAREHOUSES), 100000);
    refuses(SET_VIRTUAL_USERS, "0", "--virtual-users: \"0\" is below 1");
    refuses(SET_WAREHOUSES, "100001", "--warehouses: \"100001\" is above 100000");
    refuses(SET_JOBS, "4x", "--jobs: \"4x\" is not a whole number");
    refuses(SET_SEED, "-1", "--seed: \"-1\" is below 0");
    takes(SET_SEED, "9223372036854775807");
    refuses(SET_SEED, "9223372036854775808",
            "--seed: \"9223372036854775808\" is too large a number");
}

static void
durations_within_limits(void **state)
{
    (void)state;
    takes(SET_MEASURE, "5m");
    assert_int_equal(settings_us(&settings, SET_MEASURE), 300000000);
    takes(SET_MEASURE, "168h");
    takes(SET_RAMP_UP, "0");
    refuses(SET_MEASURE, "0s", "--measure: \"0s\" is below 1s");
    refuses(SET_MEASURE, "999ms", "--measure: \"999ms\" is below 1s");
    refuses(SET_MEASURE, "169h", "--measure: \"169h\" is above 168h");
    refuses(SET_MEASURE, "90", "--measure: \"90\" has no unit");
    assert_string_equal(err.hint, "write a duration as 250us, 500ms, 90s, 5m or 1h");
}

static void
flags(void **state)
{
    (void)state;
    assert_false(settings_flag(&settings, SET_JSON));
    takes(SET_JSON, "true");
    assert_true(settings_flag(&settings, SET_JSON));
    takes(SET_JSON, "false");
    assert_false(settings_flag(&settings, SET_JSON));
    refuses(SET_JSON, "yes", "--json: \"yes\" is neither true nor false");
}

static void
texts_are_not_repeated_in_messages(void **state)
{
    char name[65];

    (void)state;
    takes(SET_SCHEMA, "My Schema");
    refuses(SET_DBNAME, "", "--dbname: the value is empty");
    memset(name, 'x', 64);
    name[64] = '\0';
    refuses(SET_SCHEMA, name, "--schema: the value is longer than 63 bytes");
    name[63] = '\0';
    takes(SET_SCHEMA, name);
}

static void
choices(void **state)
{
    (void)state;
    assert_string_equal(settings_choice(&settings, SET_ISOLATION), "server");
    assert_int_equal(settings_int(&settings, SET_ISOLATION), 0);
    takes(SET_ISOLATION, "serializable");
    assert_int_equal(settings_int(&settings, SET_ISOLATION), 3);
    assert_null(settings_choice(&settings, SET_ONLY));
    refuses(SET_ISOLATION, "serial", "--isolation: \"serial\" is not a choice");
    assert_string_equal(err.hint, "one of server|read-committed|repeatable-read|serializable");
    refuses(SET_ISOLATION, "", "--isolation: \"\" is not a choice");
    refuses(SET_ISOLATION, "server|read-committed",
            "--isolation: \"server|read-committed\" is not a choice");
}

static void
lists(void **state)
{
    const int64_t *values;
    struct buf many = {0};

    (void)state;
    assert_int_equal(settings_list(&settings, SET_LADDER, &values), 4);
    takes(SET_LADDER, " 1, 8\n 64,,1000000 ");
    assert_int_equal(settings_list(&settings, SET_LADDER, &values), 4);
    assert_int_equal(values[1], 8);
    assert_int_equal(values[3], 1000000);
    refuses(SET_LADDER, "1 0", "--ladder: \"0\" is below 1");
    refuses(SET_LADDER, "1 1000001", "--ladder: \"1000001\" is above 1000000");
    refuses(SET_LADDER, "1;2", "--ladder: \"1;2\" is not a whole number");
    refuses(SET_LADDER, " , ", "--ladder: the list is empty");
    refuses(SET_LADDER, "1 00000000000000000000000000000000002",
            "--ladder: \"00000000000000000000000000000000002\" is too large a number");
    for (int i = 0; i < 64; i++)
        buf_puts(&many, "7 ");
    takes(SET_LADDER, many.data);
    assert_int_equal(settings_list(&settings, SET_LADDER, &values), 64);
    buf_puts(&many, "7");
    refuses(SET_LADDER, many.data, "--ladder: the list has more than 64 numbers");
    buf_free(&many);
}

static void
mixes(void **state)
{
    int weights[TXN_TYPES];

    (void)state;
    settings_mix(&settings, weights);
    assert_memory_equal(weights, ((const int[TXN_TYPES]){45, 43, 4, 4, 4}), sizeof weights);
    takes(SET_MIX, "read-only");
    settings_mix(&settings, weights);
    assert_memory_equal(weights, ((int[TXN_TYPES]){0, 0, 50, 0, 50}), sizeof weights);
    takes(SET_MIX, "0,100,0,0,0");
    settings_mix(&settings, weights);
    assert_memory_equal(weights, ((const int[TXN_TYPES]){0, 100, 0, 0, 0}), sizeof weights);
    assert_int_equal(mix_probe(weights), TXN_TYPES);
    for (int probe = TXN_LOOKUP; probe <= (int)TXN_NULL; probe++) {
        static const char *const names[] = {"lookup", "insert", "null"};
        int expected[TXN_TYPES] = {[TXN_NEW_ORDER] = 0};
        expected[probe] = 100;
        takes(SET_MIX, names[probe - (int)TXN_LOOKUP]);
        settings_mix(&settings, weights);
        assert_memory_equal(weights, expected, sizeof weights);
        assert_int_equal(mix_probe(weights), probe);
    }
    refuses(SET_MIX, "0,0,0,0,0,100,0,0",
            "--mix: \"0,0,0,0,0,100,0,0\" has 8 weights instead of 5");
    refuses(SET_MIX, "45,43,4,4", "--mix: \"45,43,4,4\" has 4 weights instead of 5");
    refuses(SET_MIX, "45,43,4,4,3", "--mix: \"45,43,4,4,3\" sums to 99 instead of 100");
    refuses(SET_MIX, "101,-1,0,0,0", "--mix: \"101\" is above 100");
    refuses(SET_MIX, "100,-1,1,0,0", "--mix: \"-1\" is below 0");
    refuses(SET_MIX, "Standard",
            "--mix: \"Standard\" is neither standard nor deck, read-only, lookup, insert, null"
            " nor five weights such as 45,43,4,4,4");
    refuses(SET_MIX, "45;43;4;4;4", "--mix: \"45;43;4;4;4\" is not a whole number");
}

static void
pacing_and_decks(void **state)
{
    int weights[TXN_TYPES];

    (void)state;
    assert_true(settings_pacing(&settings) == 0);
    takes(SET_PACING, "standard");
    assert_true(settings_pacing(&settings) == 1);
    takes(SET_PACING, "0.025");
    assert_true(settings_pacing(&settings) == 0.025);
    takes(SET_PACING, "none");
    assert_true(settings_pacing(&settings) == 0);
    refuses(SET_PACING, "fast",
            "--pacing: \"fast\" is neither none nor standard nor a factor such as 0.1");
    refuses(SET_PACING, "0", "--pacing: \"0\" is outside 0.001 to 1000");
    refuses(SET_PACING, "1000.001", "--pacing: \"1000.001\" is outside 0.001 to 1000");
    takes(SET_MIX, "deck");
    settings_mix(&settings, weights);
    assert_true(mix_is_deck(weights));
}

static void
shares_are_percentages(void **state)
{
    (void)state;
    assert_true(settings_share(&settings, SET_MAX_ERROR_SHARE) == 0.01);
    takes(SET_MAX_ERROR_SHARE, "0.125%");
    assert_true(settings_share(&settings, SET_MAX_ERROR_SHARE) == 0.00125);
    takes(SET_MAX_ERROR_SHARE, "100%");
    assert_true(settings_share(&settings, SET_MAX_ERROR_SHARE) == 1);
    refuses(SET_MAX_ERROR_SHARE, "1", "--max-error-share: \"1\" is not a share such as 1% or 0.5%");
    refuses(SET_MAX_ERROR_SHARE, "100.5%", "--max-error-share: \"100.5%\" is above 100%");
}

static void
options_win_over_the_profile(void **state)
{
    (void)state;
    assert_int_equal(settings.values[SET_MEASURE].source, SETTING_DEFAULT);
    assert_true(settings_set(&settings, SET_MEASURE, "2m", SETTING_PROFILE, &err));
    assert_string_equal(settings_text(&settings, SET_MEASURE), "2m");
    takes(SET_MEASURE, "3m");
    assert_true(settings_set(&settings, SET_MEASURE, "4m", SETTING_PROFILE, &err));
    assert_string_equal(settings_text(&settings, SET_MEASURE), "3m");
    assert_int_equal(settings.values[SET_MEASURE].source, SETTING_OPTION);
    takes(SET_MEASURE, "5m"); /* the last one counts */
    /* What is wrong in a profile is told even where an option hides it. */
    assert_false(settings_set(&settings, SET_MEASURE, "x", SETTING_PROFILE, &err));
    assert_string_equal(err.message, "measure: \"x\" is not a duration");
}

static void
profile_messages_name_the_attribute(void **state)
{
    (void)state;
    assert_false(settings_set(&settings, SET_LADDER, "0", SETTING_PROFILE, &err));
    assert_string_equal(err.message, "virtual-users: \"0\" is below 1");
}

static void
overrides_are_collected(void **state)
{
    (void)state;
    takes(SET_SET, "measure=1s");
    takes(SET_SET, "ladder=1 2");
    refuses(SET_SET, "measure", "--set: \"measure\" is not of the form NAME=VALUE");
    refuses(SET_SET, "=1", "--set: \"=1\" is not of the form NAME=VALUE");
    assert_int_equal(settings.overrides_count, 2);
    assert_string_equal(settings.overrides[0], "measure=1s");
    assert_string_equal(settings.overrides[1], "ladder=1 2");
    while (settings.overrides_count < SETTINGS_LIST_MAX)
        takes(SET_SET, "a=b");
    refuses(SET_SET, "a=b", "--set: given more than 64 times");
}

static void
settings_are_found_by_name(void **state)
{
    (void)state;
    assert_int_equal(settings_find("measure"), SET_MEASURE);
    assert_int_equal(settings_find("timing@measure"), SET_MEASURE);
    assert_int_equal(settings_find("ladder@virtual-users"), SET_LADDER);
    assert_int_equal(settings_find("virtual-users"), SET_VIRTUAL_USERS);
    assert_int_equal(settings_find("measur"), -1);
    assert_int_equal(settings_find(""), -1);
    assert_int_equal(settings_find_xml("timing", "measure"), SET_MEASURE);
    assert_int_equal(settings_find_xml("timing", "ramp"), -1);
    assert_int_equal(settings_find_xml("tim", "ing@measure"), -1);
    assert_int_equal(settings_find_xml("", ""), -1);
}

static bool
begins_and_ends_as_help(const char *help)
{
    char first = help[0], last = help[strlen(help) - 1];

    return (first < 'A' || first > 'Z') && last != '.' && last != ' ';
}

/* Two settings may share a letter or a name only where no command takes both. */
static void
table_of_options_is_sound(void **state)
{
    (void)state;
    for (int i = 0; i < SETTINGS_COUNT; i++) {
        const struct setting_spec *spec = &setting_specs[i];
        assert_true(spec->name[0] != '\0' && spec->minimum <= spec->maximum);
        assert_true(begins_and_ends_as_help(spec->help));
        assert_int_equal(spec->metavar[0] == '\0', spec->type == SETTING_FLAG);
        assert_true(spec->commands != 0 || spec->xml[0] != '\0');
        for (int j = 0; j < i; j++) {
            const struct setting_spec *other = &setting_specs[j];
            if (spec->commands & other->commands) {
                assert_string_not_equal(spec->name, other->name);
                assert_true(!spec->short_option || spec->short_option != other->short_option);
            }
            assert_true(!spec->xml[0] || strcmp(spec->xml, other->xml) != 0);
        }
    }
}

#define FRESH(f) cmocka_unit_test_setup_teardown(f, init, release)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        FRESH(whole_numbers_within_limits),
        FRESH(durations_within_limits),
        FRESH(flags),
        FRESH(texts_are_not_repeated_in_messages),
        FRESH(choices),
        FRESH(lists),
        FRESH(mixes),
        FRESH(pacing_and_decks),
        FRESH(shares_are_percentages),
        FRESH(options_win_over_the_profile),
        FRESH(profile_messages_name_the_attribute),
        FRESH(overrides_are_collected),
        FRESH(settings_are_found_by_name),
        FRESH(table_of_options_is_sound),
    };
    return cmocka_run_group_tests_name("settings", tests, NULL, NULL);
}
