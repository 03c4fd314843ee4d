/* The sets of procedures and their CALL form. */
#include "common/procedures.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;

static void
assert_call_form(const char *function, const char *expected)
{
    assert_string_equal(procedures_call_form(&arena, function, "pay"), expected);
}

static void
call_form(void **state)
{
    (void)state;
    assert_call_form("CREATE OR REPLACE FUNCTION ordermill.pay(a int)\nSTABLE\nLANGUAGE sql",
                     "CREATE OR REPLACE PROCEDURE ordermill.call_pay(a int)\nLANGUAGE sql");
    assert_call_form("WHERE c.id = pay.c_id", "WHERE c.id = call_pay.c_id");
    assert_call_form("(pay.c_id)", "(call_pay.c_id)");
    /* Not the qualifier of a parameter. */
    assert_call_form("repay.c_id re_pay.c_id ordermill.pay.x pay", "repay.c_id re_pay.c_id "
                                                                   "ordermill.pay.x pay");
}

static void
every_transaction_has_both_forms(void **state)
{
    static const char *const names[] = {"new_order", "payment", "order_status", "delivery",
                                        "stock_level"};

    (void)state;
    for (int set = 0; set < PROCEDURE_SETS; set++) {
        const char *script = procedures_create_sql(&arena, (enum procedure_set)set);
        for (int i = 0; i < 5; i++) {
            assert_non_null(
                strstr(script, arena_printf(&arena, "FUNCTION ordermill.%s(", names[i])));
            assert_non_null(
                strstr(script, arena_printf(&arena, "PROCEDURE ordermill.call_%s(", names[i])));
        }
        assert_non_null(strstr(script, "FUNCTION ordermill.nothing("));
    }
    arena_free(&arena);
}

static void
named(void **state)
{
    (void)state;
    assert_int_equal(procedures_find("default"), PROCEDURES_DEFAULT);
    assert_int_equal(procedures_find("classic"), PROCEDURES_CLASSIC);
}

static void
stamps_tell_the_sets_apart(void **state)
{
    char first[PROCEDURES_STAMP_SIZE], again[PROCEDURES_STAMP_SIZE], other[PROCEDURES_STAMP_SIZE];

    (void)state;
    procedures_stamp(PROCEDURES_DEFAULT, first);
    procedures_stamp(PROCEDURES_DEFAULT, again);
    procedures_stamp(PROCEDURES_CLASSIC, other);
    assert_string_equal(first, again);
    assert_string_not_equal(first, other);
    assert_int_equal(strlen(first), 16);
    assert_int_equal(strspn(first, "0123456789abcdef"), 16);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(call_form),
        cmocka_unit_test(every_transaction_has_both_forms),
        cmocka_unit_test(named),
        cmocka_unit_test(stamps_tell_the_sets_apart),
    };
    return cmocka_run_group_tests_name("procedures", tests, NULL, NULL);
}
