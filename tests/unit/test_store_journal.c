/* The run store: settings, journal, and a step that is taken back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "common/clock.h"
#include "common/patience.h"
#include "common/store.h"
#include "common/store_columns.h"
#include "tests/unit/sample.h"
#include "tests/unit/store_fixture.h"

static void
settings_and_journal_round_trip(void **state)
{
    struct fixture *f = *state;
    struct run_setting settings[] = {{"ladder", "1 2", "profile"}, {"seed", "42", "default"}};
    struct event events[] = {{1772368496000001, 0, "build", -1, -1, ""},
                             {1772368496000002, 3, "vacuum", 1234567, 98765432109, "it's slow"}};
    struct run wanted = fixture_run(), run;
    struct err err = {0};

    wanted.settings = settings;
    wanted.settings_count = 2;
    wanted.fingerprint = "0123456789abcdef";
    struct store *store = store_create(f->folder, &wanted, &err);
    assert_non_null(store);
    assert_true(store_put_event(store, &events[0], &err));
    assert_true(store_put_event(store, &events[1], &err));
    assert_true(store_put_build(store, "2 warehouses", &err));
    store_close(store);
    fixture_read_back(f, &run);
    assert_string_equal(run.fingerprint, "0123456789abcdef");
    assert_string_equal(run.build, "2 warehouses");
    assert_int_equal(run.settings_count, 2);
    assert_string_equal(run.settings[0].value, "1 2");
    assert_string_equal(run.settings[1].name, "seed");
    assert_string_equal(run.settings[1].source, "default");
    assert_int_equal(run.journal_count, 2);
    assert_int_equal(run.journal[0].elapsed_us, -1);
    assert_true(run.journal[1].wall_us == events[1].wall_us);
    assert_int_equal(run.journal[1].step, 3);
    assert_string_equal(run.journal[1].what, "vacuum");
    assert_int_equal(run.journal[1].elapsed_us, 1234567);
    assert_true(run.journal[1].bytes == 98765432109);
    assert_string_equal(run.journal[1].detail, "it's slow");
}

static int
rows_of_step(struct fixture *f, int number)
{
    char path[100], sql[200];
    sqlite3 *db;
    int rows = 0;

    snprintf(path, sizeof path, "%s/run.sqlite", f->folder);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    for (int i = 0; i < STORE_TABLES; i++) {
        const char *key = store_tables[i].keys[0].name;
        sqlite3_stmt *statement;
        if (i != STORE_STEP && (!key || strcmp(key, "step") != 0))
            continue;
        snprintf(sql, sizeof sql, "SELECT count(*) FROM %s WHERE %s = %d", store_tables[i].name,
                 i == STORE_STEP ? "number" : "step", number);
        assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
        assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
        rows += sqlite3_column_int(statement, 0);
        sqlite3_finalize(statement);
    }
    sqlite3_close(db);
    return rows;
}

static void
removed_step_leaves_nothing(void **state)
{
    struct fixture *f = *state;
    struct store *store = fixture_created(f);
    struct step *step = calloc(1, sizeof *step);
    struct err err = {0};

    for (int number = 1; number <= 2; number++) {
        sample_step(&f->arena, step, 2, 3);
        step->number = number;
        assert_true(store_put_step(store, step, &err));
    }
    int rows = rows_of_step(f, 1);
    assert_true(rows > 30);
    assert_true(store_remove_step(store, 2, &err));
    assert_int_equal(rows_of_step(f, 1), rows);
    assert_int_equal(rows_of_step(f, 2), 0);
    assert_true(store_put_step(store, step, &err));
    assert_int_equal(rows_of_step(f, 2), rows);
    store_close(store);
    free(step);
}

/* Another process has the file for itself: that is waited for, but not past a limit of time.
 * Without that this takes the ten seconds that a reader may take, and the alarm ends the test. */
static void
waits_no_longer_than_it_may(void **state)
{
    struct fixture *f = *state;
    struct store *store = fixture_created(f);
    struct event event = {.what = "x", .detail = ""};
    struct err err = {0};
    char path[100];
    sqlite3 *db;

    snprintf(path, sizeof path, "%s/run.sqlite", f->folder);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
    patience_limit(clock_monotonic_us() - 1);
    alarm(8);
    assert_false(store_put_event(store, &event, &err));
    alarm(0);
    assert_non_null(strstr(err.message, "database is locked"));
    patience_limit(0);
    assert_int_equal(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
    assert_true(store_put_event(store, &event, &err));
    sqlite3_close(db);
    store_close(store);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(settings_and_journal_round_trip, fixture_set_up,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(removed_step_leaves_nothing, fixture_set_up,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(waits_no_longer_than_it_may, fixture_set_up,
                                        fixture_tear_down),
    };
    return cmocka_run_group_tests_name("store_journal", tests, NULL, NULL);
}
