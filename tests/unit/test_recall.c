/* What the run store keeps of the settings, and what comes back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profiles/recall.h"

struct fixture {
    struct settings before, after;
    struct arena arena;
};

static int
set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);

    settings_init(&f->before);
    settings_init(&f->after);
    *state = f;
    return 0;
}

static int
tear_down(void **state)
{
    struct fixture *f = *state;

    settings_free(&f->before);
    settings_free(&f->after);
    arena_free(&f->arena);
    free(f);
    return 0;
}

static void
set(struct settings *settings, enum setting_id id, const char *text, enum setting_source source)
{
    struct err err = {0};

    assert_true(settings_set(settings, id, text, source, &err));
}

static const char *
value_in(const struct run_setting *list, int count, const char *name)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(list[i].name, name) == 0)
            return list[i].value;
    }
    return NULL;
}

/* All that a profile can set comes back as it was, whoever had set it. */
static void
everything_comes_back(void **state)
{
    struct fixture *f = *state;
    struct err err = {0};
    int count;

    set(&f->before, SET_LADDER, "3 5 7", SETTING_PROFILE);
    set(&f->before, SET_MEASURE, "7s", SETTING_OPTION);
    set(&f->before, SET_MIX, "0,0,50,0,50", SETTING_PROFILE);
    set(&f->before, SET_PACING, "0.125", SETTING_PROFILE);
    set(&f->before, SET_PORT, "5433", SETTING_OPTION);
    set(&f->before, SET_OUTPUT, "somewhere", SETTING_OPTION);
    struct run_setting *list = recall_list(&f->arena, &f->before, &count);
    assert_null(value_in(list, count, "output"));
    assert_string_equal(value_in(list, count, "measure"), "7s");
    assert_true(recall_apply(list, count, &f->after, &err));
    for (int id = 0; id < SETTINGS_COUNT; id++) {
        const struct setting_value *a = &f->before.values[id], *b = &f->after.values[id];
        if (!setting_specs[id].xml[0])
            continue;
        assert_int_equal(a->source == SETTING_UNSET, b->source == SETTING_UNSET);
        assert_int_equal(a->number, b->number);
        assert_int_equal(a->list_count, b->list_count);
        assert_memory_equal(a->list, b->list, sizeof a->list);
        if (a->source != SETTING_UNSET)
            assert_string_equal(a->text, b->text);
    }
}

static void
where_to_connect_may_be_said_anew(void **state)
{
    struct fixture *f = *state;
    struct err err = {0};
    int count;

    set(&f->before, SET_HOST, "old", SETTING_PROFILE);
    set(&f->after, SET_HOST, "new", SETTING_OPTION);
    struct run_setting *list = recall_list(&f->arena, &f->before, &count);
    assert_null(recall_difference(&f->arena, list, count, &f->after));
    assert_true(recall_apply(list, count, &f->after, &err));
    assert_string_equal(settings_text(&f->after, SET_HOST), "new");
}

static void
passwords_are_not_kept(void **state)
{
    struct fixture *f = *state;
    struct err err = {0};
    int count;

    set(&f->before, SET_DBNAME, "postgresql://me:hush@db1/x", SETTING_OPTION);
    struct run_setting *list = recall_list(&f->arena, &f->before, &count);
    assert_null(strstr(value_in(list, count, "dbname"), "hush"));
    assert_false(recall_apply(list, count, &f->after, &err));
    assert_int_equal(err.code, ERR_USAGE);
    assert_string_equal(err.message,
                        "the connection string of that run had a password, which was not kept");
    set(&f->after, SET_DBNAME, "x", SETTING_OPTION);
    assert_true(recall_apply(list, count, &f->after, &err));
}

static void
differences_are_named(void **state)
{
    struct fixture *f = *state;
    int count;

    set(&f->before, SET_MEASURE, "60s", SETTING_PROFILE);
    struct run_setting *list = recall_list(&f->arena, &f->before, &count);
    set(&f->after, SET_MEASURE, "60s", SETTING_OPTION);
    assert_null(recall_difference(&f->arena, list, count, &f->after));
    set(&f->after, SET_REPEATS, "4", SETTING_OPTION);
    assert_string_equal(recall_difference(&f->arena, list, count, &f->after),
                        "repeats is \"1\" in that run, not \"4\"");
}

static void
fingerprints_differ(void **state)
{
    struct fixture *f = *state;
    struct run_setting list[] = {{"ab", "c", ""}, {"d", "e", ""}};
    const char *one = recall_fingerprint(&f->arena, "profile", list, 2);

    assert_int_equal(strlen(one), 16);
    assert_string_equal(recall_fingerprint(&f->arena, "profile", list, 2), one);
    assert_string_not_equal(recall_fingerprint(&f->arena, "profilE", list, 2), one);
    assert_string_not_equal(recall_fingerprint(&f->arena, "profile", list, 1), one);
    list[0] = (struct run_setting){"a", "bc", ""};
    assert_string_not_equal(recall_fingerprint(&f->arena, "profile", list, 2), one);
}

/* Of another kit, or changed by hand. */
static void
strange_values_are_errors(void **state)
{
    struct fixture *f = *state;
    struct run_setting unknown = {"warp", "9", "option"}, wrong = {"measure", "soon", "option"};
    struct err err = {0};

    assert_false(recall_apply(&unknown, 1, &f->after, &err));
    assert_string_equal(err.message,
                        "the run has a setting \"warp\", which this kit does not know");
    assert_false(recall_apply(&wrong, 1, &f->after, &err));
    assert_int_equal(err.code, ERR_LOCAL);
}

/* What --set said of a server comes back before the profile is read, unless it is said anew. */
static void
named_overrides_come_back(void **state)
{
    struct fixture *f = *state;
    struct err err = {0};
    int count;

    set(&f->before, SET_SET, "new@host=db17", SETTING_OPTION);
    set(&f->before, SET_SET, "old@port=5433", SETTING_OPTION);
    set(&f->before, SET_SET, "measure=5s", SETTING_OPTION);
    struct run_setting *list = recall_list(&f->arena, &f->before, &count);
    assert_string_equal(value_in(list, count, "new@host"), "db17");
    assert_string_equal(list[count - 1].source, "option");
    set(&f->after, SET_SET, "old@port=5434", SETTING_OPTION);
    assert_true(recall_overrides(list, count, &f->after, &err));
    assert_int_equal(f->after.overrides_count, 2);
    assert_string_equal(f->after.overrides[0], "old@port=5434");
    assert_string_equal(f->after.overrides[1], "new@host=db17");
    assert_true(recall_apply(list, count, &f->after, &err));
    set(&f->before, SET_SET, "new@dbname=postgresql://me:hush@db1/x", SETTING_OPTION);
    list = recall_list(&f->arena, &f->before, &count);
    assert_null(strstr(value_in(list, count, "new@dbname"), "hush"));
    assert_false(recall_overrides(list, count, &f->after, &err));
    assert_int_equal(err.code, ERR_USAGE);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(named_overrides_come_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(everything_comes_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(where_to_connect_may_be_said_anew, set_up, tear_down),
        cmocka_unit_test_setup_teardown(passwords_are_not_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(differences_are_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(fingerprints_differ, set_up, tear_down),
        cmocka_unit_test_setup_teardown(strange_values_are_errors, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("recall", tests, NULL, NULL);
}
