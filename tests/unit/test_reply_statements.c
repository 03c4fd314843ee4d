/* Answers of plain statements: right ones are accepted, and each way of being wrong is not. Values
 * are in the text format, which reads as easily. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "driver/reply_statements.h"

static struct reply_parts parts;

/* A part of so many rows; NULL stands for null. */
static void
part(int rows, int columns, const char *const *values)
{
    struct wire_value *to = reply_parts_add(&parts, rows, columns);

    for (int i = 0; to && i < rows * columns; i++)
        to[i] = (struct wire_value){
            .data = values[i], .size = values[i] ? (int)strlen(values[i]) : -1, .text = true};
}

static bool
accepts(const struct txn_input *input)
{
    struct reply_facts facts = {0};
    bool ok = reply_check_parts(input, &parts, &facts);

    assert_int_equal(ok, facts.problem[0] == '\0');
    return ok;
}

static const struct txn_input order = {
    .type = TXN_NEW_ORDER,
    .of.new_order = {.lines_count = 3, .lines = {{1, 1, 1}, {2, 2, 2}, {3, 2, 3}}}};

/* The answers to it; `changed` is what stands in this place of the head, or of the lines. */
static void
answer(int in_head, int in_lines, const char *changed)
{
    const char *head[] = {"3001", "2026-01-01", "BARBARBAR", "GC", "0.1000", "0.0500", "0.1500"};
    const char *lines[] = {"1", "item 1", "40",   "G", "2.50",   "2.50", "3", "item 3", "41",
                           "B", "1.00",   "3.00", "2", "item 2", "42",   "G", "10.00",  "20.00"};

    parts.count = parts.used = 0;
    if (in_head >= 0)
        head[in_head] = changed;
    if (in_lines >= 0)
        lines[in_lines] = changed;
    part(1, 7, head);
    part(1, 6, lines);
    part(2, 6, lines + 6);
}

static void
an_order_has_all_its_lines(void **state)
{
    struct txn_input input = order;

    (void)state;
    answer(-1, -1, NULL);
    assert_true(accepts(&input));
    for (int i = 0; i < 7; i++) {
        answer(i, -1, NULL);
        assert_false(accepts(&input));
    }
    for (int i = 0; i < 18; i++) {
        answer(-1, i, NULL);
        assert_false(accepts(&input));
    }
    answer(0, -1, "0");
    assert_false(accepts(&input));
    answer(5, -1, "1.0000");
    assert_false(accepts(&input));
    answer(-1, 0, "2"); /* twice */
    assert_false(accepts(&input));
    answer(-1, 0, "4");
    assert_false(accepts(&input));
    answer(-1, 5, "2.51");
    assert_false(accepts(&input));
    answer(-1, 3, "BG");
    assert_false(accepts(&input));
    answer(-1, -1, NULL);
    parts.count = 2; /* two lines are missing */
    assert_false(accepts(&input));
    answer(-1, -1, NULL);
    input.of.new_order.rolls_back = true; /* it must not have committed */
    assert_false(accepts(&input));
}

static void
a_rollback_shows_what_came_before(void **state)
{
    struct reply_facts facts;
    char detail[100];

    (void)state;
    answer(-1, -1, NULL);
    assert_true(reply_check_parts_rollback(&parts, detail, sizeof detail, &facts));
    assert_string_equal(detail, "o_id=3001 c_last=BARBARBAR c_credit=GC");
    answer(2, -1, NULL);
    assert_false(reply_check_parts_rollback(&parts, detail, sizeof detail, &facts));
    parts.count = parts.used = 0;
    assert_false(reply_check_parts_rollback(&parts, detail, sizeof detail, &facts));
}

static void
a_payment_is_put_together(void **state)
{
    const char *texts[17] = {"77"};
    const struct txn_input input = {.type = TXN_PAYMENT, .of.payment.customer.number = 77};

    (void)state;
    for (int i = 1; i < 17; i++)
        texts[i] = "x";
    for (int missing = -1; missing < 3; missing++) {
        parts.count = parts.used = 0;
        part(missing == 0 ? 0 : 1, 5, texts + 1);
        part(missing == 1 ? 0 : 1, 5, texts + 1);
        part(missing == 2 ? 0 : 1, 17, texts);
        assert_int_equal(accepts(&input), missing < 0);
    }
    texts[15] = NULL; /* c_data, of a customer in good credit */
    parts.count = parts.used = 0;
    part(1, 5, texts + 1);
    part(1, 5, texts + 1);
    part(1, 17, texts);
    assert_true(accepts(&input));
    texts[0] = "78";
    parts.count = parts.used = 0;
    part(1, 5, texts + 1);
    part(1, 5, texts + 1);
    part(1, 17, texts);
    assert_false(accepts(&input));
}

static void
a_delivery_counts_what_it_skipped(void **state)
{
    const char *delivered[] = {"3001", "2026-01-01"}, *wrong[] = {"0", "2026-01-01"};
    const struct txn_input input = {.type = TXN_DELIVERY};
    struct reply_facts facts;

    (void)state;
    for (int districts = 9; districts <= 11; districts++) {
        parts.count = parts.used = 0;
        for (int i = 0; i < districts; i++)
            part(i == 3 || i == 6 ? 0 : 1, 2, delivered);
        assert_int_equal(reply_check_parts(&input, &parts, &facts), districts == 10);
        assert_true(districts != 10 || facts.districts_skipped == 2);
    }
    parts.count = parts.used = 0;
    for (int i = 0; i < 10; i++)
        part(1, 2, i == 5 ? wrong : delivered);
    assert_false(accepts(&input));
}

static void
a_customer_is_found(void **state)
{
    const char *number[] = {"77"}, *two[] = {"77", "78"}, *null[] = {NULL};

    (void)state;
    parts.count = parts.used = 0;
    part(1, 1, number);
    assert_int_equal(reply_customer_found(&parts), 77);
    parts.count = parts.used = 0;
    part(0, 1, number);
    assert_int_equal(reply_customer_found(&parts), 0);
    parts.count = parts.used = 0;
    part(2, 1, two);
    assert_int_equal(reply_customer_found(&parts), 0);
    parts.count = parts.used = 0;
    part(1, 1, null);
    assert_int_equal(reply_customer_found(&parts), 0);
}

/* Neither more parts nor more rows than there can be do any harm. */
static void
too_much_is_refused(void **state)
{
    const char *values[7] = {"1", "1", "1", "1", "1", "1", "1"};
    const struct txn_input stock = {.type = TXN_STOCK_LEVEL};

    (void)state;
    parts.count = parts.used = 0;
    for (int i = 0; i < 40; i++)
        part(1, 7, values);
    assert_false(accepts(&order));
    parts.count = parts.used = 0;
    assert_null(reply_parts_add(&parts, 1000000, 7));
    assert_false(accepts(&order));
    parts.count = parts.used = 0;
    assert_false(accepts(&stock));
    part(1, 1, values);
    assert_true(accepts(&stock));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_order_has_all_its_lines),
        cmocka_unit_test(a_rollback_shows_what_came_before),
        cmocka_unit_test(a_payment_is_put_together),
        cmocka_unit_test(a_delivery_counts_what_it_skipped),
        cmocka_unit_test(a_customer_is_found),
        cmocka_unit_test(too_much_is_refused),
    };

    return cmocka_run_group_tests_name("reply_statements", tests, NULL, NULL);
}
