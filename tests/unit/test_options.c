/* The options of load: what they mean, what is refused, what is recorded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <limits.h>
#include <string.h>

#include "loader/options.h"

struct given {
    enum setting_id id;
    const char *text;
};

/* Options from so many settings, of the command line or of a profile. */
static bool
from(const struct given *given, int count, enum setting_source source, int warehouses,
     struct settings *settings, struct options *options, struct err *err)
{
    settings_init(settings);
    *err = (struct err){0};
    for (int i = 0; i < count; i++)
        assert_true(settings_set(settings, given[i].id, given[i].text, source, err));
    return options_from(settings, warehouses, options, err);
}

static void
what_is_not_given_is_the_servers(void **state)
{
    struct settings settings;
    struct options options;
    struct err err;

    (void)state;
    assert_true(from(NULL, 0, SETTING_OPTION, 2, &settings, &options, &err));
    assert_int_equal(options.partitions, 1);
    assert_false(options.by_hash || options.foreign_keys || options.unlogged);
    assert_null(options.tablespace);
    assert_null(options.index_tablespace);
    assert_int_equal(options.maintenance_memory, 0);
    assert_int_equal(options.index_workers, -1);
    for (int i = 0; i < OPTIONS_TABLES; i++)
        assert_int_equal(options.fillfactors[i], 0);
    struct arena arena = {0};
    assert_string_equal(options_index_session(&arena, &options), "");
    arena_free(&arena);
    settings_free(&settings);
}

static void
what_is_given(void **state)
{
    static const struct given given[] = {{SET_TABLESPACE, "disk"},
                                         {SET_FILLFACTOR, "stock=70,order_line=100,district=10"},
                                         {SET_PARTITIONS, "8"},
                                         {SET_PARTITION_BY, "hash"},
                                         {SET_MAINTENANCE_MEMORY, "64MB"},
                                         {SET_INDEX_WORKERS, "0"},
                                         {SET_UNLOGGED, "true"},
                                         {SET_FOREIGN_KEYS, "true"}};
    struct settings settings;
    struct options options;
    struct arena arena = {0};
    struct err err;

    (void)state;
    assert_true(from(given, 8, SETTING_OPTION, 2, &settings, &options, &err));
    assert_string_equal(options.tablespace, "disk");
    assert_string_equal(options.index_tablespace, "disk"); /* unless another is named */
    assert_true(options.by_hash && options.unlogged && options.foreign_keys);
    assert_int_equal(options.partitions, 8); /* of two warehouses: by hash any number goes */
    for (int i = 0; i < OPTIONS_TABLES; i++) {
        int wanted = strcmp(options_tables[i], "stock") == 0        ? 70
                     : strcmp(options_tables[i], "order_line") == 0 ? 100
                     : strcmp(options_tables[i], "district") == 0   ? 10
                                                                    : 0;
        assert_int_equal(options.fillfactors[i], wanted);
    }
    assert_string_equal(options_index_session(&arena, &options),
                        "SET maintenance_work_mem = '65536kB';\n"
                        "SET max_parallel_maintenance_workers = 0;\n");
    arena_free(&arena);
    settings_free(&settings);
}

static void
refuses(struct given given, enum setting_source source, int warehouses, const char *message)
{
    struct settings settings;
    struct options options;
    struct err err;

    assert_false(from(&given, 1, source, warehouses, &settings, &options, &err));
    assert_int_equal(err.code, ERR_USAGE);
    assert_string_equal(err.message, message);
    settings_free(&settings);
}

static void
what_is_refused(void **state)
{
    static const struct {
        const char *text, *message;
    } fillfactors[] = {
        {"shelf=90", "--fillfactor: there is no table \"shelf\""},
        {"stoc=90", "--fillfactor: there is no table \"stoc\""},
        {"stock=70,Stock=80", "--fillfactor: there is no table \"Stock\""},
        {"stock", "--fillfactor: \"stock\" is not of the form TABLE=N"},
        {"stock=", "--fillfactor: \"\" of table stock is not from 10 to 100"},
        {"stock=9", "--fillfactor: \"9\" of table stock is not from 10 to 100"},
        {"stock=101", "--fillfactor: \"101\" of table stock is not from 10 to 100"},
        {"stock=5x", "--fillfactor: \"5x\" of table stock is not from 10 to 100"},
        {"stock=123456789", "--fillfactor: \"stock=123456789\" is not of the form TABLE=N"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof fillfactors / sizeof *fillfactors; i++)
        refuses((struct given){SET_FILLFACTOR, fillfactors[i].text}, SETTING_OPTION, 10,
                fillfactors[i].message);
    refuses((struct given){SET_PARTITIONS, "11"}, SETTING_OPTION, 10,
            "--partitions: \"11\" ranges for 10 warehouses");
    refuses((struct given){SET_PARTITIONS, "2"}, SETTING_OPTION, 1,
            "--partitions: \"2\" ranges for 1 warehouse");
    /* As a profile writes them. */
    refuses((struct given){SET_PARTITIONS, "2"}, SETTING_PROFILE, 1,
            "partitions: \"2\" ranges for 1 warehouse");
    refuses((struct given){SET_FILLFACTOR, "shelf=90"}, SETTING_PROFILE, 1,
            "fillfactor: there is no table \"shelf\"");
}

static void
ranges_go_up_to_the_warehouses(void **state)
{
    struct settings settings;
    struct options options;
    struct err err;
    struct given given = {SET_PARTITIONS, "10"};

    (void)state;
    assert_true(from(&given, 1, SETTING_OPTION, 10, &settings, &options, &err));
    settings_free(&settings);
    given.text = "1000";
    assert_true(from(&given, 1, SETTING_OPTION, INT_MAX, &settings, &options, &err));
    settings_free(&settings);
}

static void
the_record_names_all_that_counts(void **state)
{
    static const struct given given[] = {{SET_TABLESPACE, "a \"b\""}, {SET_UNLOGGED, "true"}};
    struct settings settings;
    struct options options;
    struct arena arena = {0};
    struct err err;

    (void)state;
    assert_true(from(given, 2, SETTING_OPTION, 2, &settings, &options, &err));
    assert_string_equal(options_record(&arena, &settings),
                        "{\"tablespace\": \"a \\\"b\\\"\", \"partitions\": \"1\", "
                        "\"partition-by\": \"range\", \"foreign-keys\": \"false\", "
                        "\"unlogged\": \"true\"}");
    arena_free(&arena);
    settings_free(&settings);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_given_is_the_servers),
        cmocka_unit_test(what_is_given),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(ranges_go_up_to_the_warehouses),
        cmocka_unit_test(the_record_names_all_that_counts),
    };
    return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
