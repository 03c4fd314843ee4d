/* The list in the reports and the one in docs/deviations.md are the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/arena.h"
#include "common/fs.h"
#include "reports/departures.h"

static struct buf document;

static int
read_document(void **state)
{
    struct err err;
    (void)state;

    return fs_read("docs/deviations.md", 1 << 20, &document, &err) ? 0 : -1;
}

static int
forget(void **state)
{
    (void)state;
    buf_free(&document);
    return 0;
}

static void
every_departure_has_its_heading_in_order(void **state)
{
    struct arena arena = {0};
    const char *at = document.data;
    (void)state;

    for (size_t i = 0; i < departures_count; i++) {
        at = strstr(at, "\n### ");
        assert_non_null(at);
        char *heading =
            arena_printf(&arena, "\n### %s: %s\n", departures[i].clauses, departures[i].what);
        if (strncmp(at, heading, strlen(heading)) != 0)
            fail_msg("expected %s", heading);
        at++;
    }
    assert_null(strstr(at, "\n### "));
    arena_free(&arena);
}

static bool
holds(const char *what, const struct run *run)
{
    for (size_t i = 0; i < departures_count; i++)
        if (strncmp(departures[i].what, what, strlen(what)) == 0)
            return departure_holds(&departures[i], run);
    fail_msg("no departure: %s", what);
    return false;
}

/* Ten terminals for each of two warehouses, with the standard's waits, are what it asks for. */
static void
pacing_ends_two_departures(void **state)
{
    struct step *step = calloc(1, sizeof *step);
    struct run run = {.steps = step, .steps_count = 1};
    size_t held = 0;
    (void)state;

    assert_non_null(step);
    step->warehouses = 2;
    step->virtual_users = 20;
    step->isolation = "read committed";
    memcpy(step->mix, mix_standard, sizeof step->mix);
    for (size_t i = 0; i < departures_count; i++)
        held += departure_holds(&departures[i], &run);
    assert_true(holds("Virtual users neither", &run) && holds("Ten terminals", &run));
    step->pacing = 1;
    for (size_t i = 0; i < departures_count; i++)
        held -= departure_holds(&departures[i], &run);
    assert_int_equal(held, 2);
    assert_false(holds("Virtual users neither", &run) || holds("Ten terminals", &run));
    free(step);
}

/* What was not asked for is no departure of a run, and what was asked for is one. */
static void
what_was_asked_for(void **state)
{
    static const char *const asked[] = {"The insert probe", "Home warehouses",
                                        "Transactions arrive", "Another mix",
                                        "Response times are held"};
    struct step *step = calloc(1, sizeof *step);
    struct run run = {.steps = step, .steps_count = 1}, nothing = {.steps_count = 0};
    (void)state;

    assert_non_null(step);
    memcpy(step->mix, mix_standard, sizeof step->mix);
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++)
        assert_false(holds(asked[i], &run));
    assert_true(holds("The isolation level", &run));
    assert_true(holds("The mix is dealt by fixed", &run));
    step->isolation = "serializable";
    assert_false(holds("The isolation level", &run));
    memcpy(step->mix, mix_deck, sizeof step->mix);
    assert_false(holds("The mix is dealt by fixed", &run));
    assert_false(holds("Another mix", &run));
    step->limits_us[TXN_PAYMENT] = 5000000; /* the standard's own */
    assert_false(holds("Response times are held", &run));
    memset(step->mix, 0, sizeof step->mix);
    step->mix[TXN_INSERT] = 100;
    step->home = HOME_ANY;
    step->arrivals = ARRIVALS_POISSON;
    step->limit_percentile = 99;
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++)
        assert_true(holds(asked[i], &run));
    assert_false(holds("The insert probe", &nothing));
    free(step);
}

static void
deferred_deliveries_depart_in_another_way(void **state)
{
    struct step *steps = calloc(2, sizeof *steps);
    struct run run = {.steps = steps, .steps_count = 2};
    (void)state;

    assert_true(holds("Delivery runs at once", &run));
    assert_false(holds("The queue of deferred", &run));
    steps[1].delivery_sessions = 1;
    assert_true(holds("Delivery runs at once", &run));
    assert_true(holds("The queue of deferred", &run));
    steps[0].delivery_sessions = 1;
    assert_false(holds("Delivery runs at once", &run));
    free(steps);
}

/* The wording is the TPC's: nobody is to improve it. */
static void
disclaimer_is_word_for_word(void **state)
{
    const char *text = departures_disclaimer;
    const char *at = strstr(document.data, "> ");
    (void)state;

    assert_string_equal(text, "This workload is derived from the TPC-C Benchmark and is not "
                              "comparable to published TPC-C Benchmark results, as this "
                              "implementation does not comply with all requirements of the TPC-C "
                              "Benchmark.");
    for (at += 2; *text; text++) {
        assert_int_equal(*text, *at == '\n' ? ' ' : *at);
        at += *at == '\n' ? strlen("\n> ") : 1;
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_departure_has_its_heading_in_order),
        cmocka_unit_test(disclaimer_is_word_for_word),
        cmocka_unit_test(what_was_asked_for),
        cmocka_unit_test(pacing_ends_two_departures),
        cmocka_unit_test(deferred_deliveries_depart_in_another_way),
    };
    return cmocka_run_group_tests_name("departures", tests, read_document, forget);
}
