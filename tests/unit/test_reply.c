/* Answers of the procedures: a right one is accepted, and each way of being wrong is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "driver/reply.h"

static char space[4096];
static char *at;

static struct wire_value
since(const char *from)
{
    return (struct wire_value){.data = from, .size = (int)(at - from)};
}

static struct wire_value
int4(int value)
{
    char *from = at;

    at = wire_put_int4(at, value);
    return since(from);
}

static struct wire_value
int2(int value)
{
    char *from = at;

    at = wire_put_int2(at, value);
    return since(from);
}

static struct wire_value
text(const char *value)
{
    return (struct wire_value){.data = value, .size = (int)strlen(value)};
}

/* A numeric by its base-10000 digits. */
static struct wire_value
numeric(int weight, int decimals, int count, const int *digits)
{
    char *from = at;

    at = wire_put_int2(wire_put_int2(at, count), weight);
    at = wire_put_int2(wire_put_int2(at, 0), decimals);
    for (int i = 0; i < count; i++)
        at = wire_put_int2(at, digits[i]);
    return since(from);
}

static struct wire_value
share(int digit)
{
    return numeric(-1, 4, 1, &digit);
}

static struct wire_value
cents_array(const int *cents, int count)
{
    char *from = at;

    at = wire_put_array_head(at, WIRE_NUMERIC, count);
    for (int i = 0; i < count; i++) {
        char *size = at;
        at = wire_put_cents(at + 4, cents[i]);
        wire_put_int4(size, (int)(at - size - 4));
    }
    return since(from);
}

/* -1 stands for null. */
static struct wire_value
int4_array(const int *values, int count)
{
    char *from = at;

    at = wire_put_array_head(at, WIRE_INT4, count);
    for (int i = 0; i < count; i++)
        at = values[i] < 0 ? wire_put_int4(at, -1) : wire_put_element_int4(at, values[i]);
    return since(from);
}

static struct wire_value
empty_array(void)
{
    char *from = at;

    memset(at, 0, 12);
    at += 12;
    return since(from);
}

static const struct wire_value null = {.size = -1};

/* Five lines; sum 100.00 + 20.00 + 3.00 + 400.00 + 50.00 = 573.00; discount 0.1, taxes 0.05 and
 * 0.15: 573.00 * 0.9 * 1.2 = 618.84. */
static struct txn_input
order_of_five(void)
{
    struct txn_input input = {.type = TXN_NEW_ORDER, .of.new_order = {.lines_count = 5}};
    const int quantities[5] = {1, 2, 3, 4, 5};

    for (int i = 0; i < 5; i++)
        input.of.new_order.lines[i].quantity = quantities[i];
    return input;
}

static struct reply
answer_to_five(void)
{
    const int stock[5] = {10, 20, 30, 40, 50};
    const int prices[5] = {10000, 1000, 100, 10000, 1000};
    const int amounts[5] = {10000, 2000, 300, 40000, 5000};
    const int total[2] = {618, 8400};

    at = space;
    struct reply reply = {.rows = 1, .columns = 13};
    const struct wire_value values[13] = {int4(3001),
                                          text("12345678"),
                                          text("BARBARBAR"),
                                          text("GC"),
                                          share(1000),
                                          share(500),
                                          share(1500),
                                          numeric(0, 10, 2, total),
                                          int4_array(stock, 5),
                                          int4_array(stock, 5),
                                          text("GGBGG"),
                                          cents_array(prices, 5),
                                          cents_array(amounts, 5)};
    memcpy(reply.values, values, sizeof values);
    return reply;
}

static bool
accepts(const struct txn_input *input, const struct reply *reply)
{
    struct reply_facts facts = {0};
    bool ok = reply_check(input, reply, &facts);

    assert_int_equal(ok, facts.problem[0] == '\0');
    return ok;
}

static void
a_right_new_order_is_accepted(void **state)
{
    struct txn_input input = order_of_five();
    struct reply reply = answer_to_five();

    (void)state;
    assert_true(accepts(&input, &reply));
}

static void
a_wrong_new_order_is_not(void **state)
{
    struct txn_input input = order_of_five();
    struct reply reply;
    const int wrong_total[2] = {618, 8401};
    const int four[4] = {1, 2, 3, 4}, with_null[5] = {1, 2, -1, 4, 5};
    const int amounts[5] = {10000, 2000, 300, 40000, 5001};

    (void)state;
    for (int column = 0; column < 13; column++) {
        reply = answer_to_five();
        reply.values[column] = null;
        assert_false(accepts(&input, &reply));
    }
    reply = answer_to_five();
    reply.values[0] = int4(0);
    assert_false(accepts(&input, &reply));
    reply = answer_to_five();
    reply.values[7] = numeric(0, 10, 2, wrong_total);
    assert_false(accepts(&input, &reply));
    reply = answer_to_five();
    reply.values[8] = int4_array(four, 4);
    assert_false(accepts(&input, &reply));
    reply = answer_to_five();
    reply.values[9] = int4_array(with_null, 5);
    assert_false(accepts(&input, &reply));
    reply = answer_to_five();
    reply.values[10] = text("GGBG");
    assert_false(accepts(&input, &reply));
    reply = answer_to_five();
    reply.values[12] = cents_array(amounts, 5);
    assert_false(accepts(&input, &reply));
    reply = answer_to_five();
    reply.rows = 0;
    assert_false(accepts(&input, &reply));
    reply = answer_to_five();
    reply.columns = 12;
    assert_false(accepts(&input, &reply));
    reply = answer_to_five();
    input.of.new_order.rolls_back = true; /* it must not have committed */
    assert_false(accepts(&input, &reply));
}

static void
a_payment_is_for_the_customer_asked_for(void **state)
{
    struct txn_input input = {.type = TXN_PAYMENT, .of.payment.customer.number = 77};
    struct reply reply = {.rows = 1, .columns = 27};

    (void)state;
    at = space;
    for (int i = 0; i < 27; i++)
        reply.values[i] = text("x");
    reply.values[0] = int4(77);
    reply.values[13] = text("BARBARBAR");
    reply.values[25] = null; /* c_data, of a customer in good credit */
    assert_true(accepts(&input, &reply));
    reply.values[24] = null;
    assert_false(accepts(&input, &reply));
    reply.values[24] = text("x");
    reply.values[0] = int4(78);
    assert_false(accepts(&input, &reply));
    input.of.payment.customer =
        (struct customer_input){.last_name = "BARBARBAR", .last_name_length = 9};
    assert_true(accepts(&input, &reply));
    reply.values[13] = text("BARBAROUGHT");
    assert_false(accepts(&input, &reply));
}

static struct reply
status_answer(int lines)
{
    const int values[15] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const int nulls[15] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
    struct reply reply = {.rows = 1, .columns = 13};

    at = space;
    for (int i = 0; i < 13; i++)
        reply.values[i] = text("12345678");
    reply.values[0] = int4(9);
    reply.values[5] = lines > 0 ? int4(3001) : null;
    reply.values[6] = lines > 0 ? text("12345678") : null;
    reply.values[7] = null;
    for (int i = 8; i < 12; i++)
        reply.values[i] = lines > 0 ? int4_array(values, lines) : empty_array();
    reply.values[12] = lines > 0 ? int4_array(nulls, lines) : empty_array();
    return reply;
}

static void
an_order_status_has_its_order_whole(void **state)
{
    struct txn_input input = {.type = TXN_ORDER_STATUS, .of.order_status.number = 9};
    struct reply reply = status_answer(5);

    (void)state;
    assert_true(accepts(&input, &reply));
    reply.values[12] = empty_array();
    assert_false(accepts(&input, &reply));
    reply = status_answer(15);
    assert_true(accepts(&input, &reply));
    reply.values[5] = null;
    assert_false(accepts(&input, &reply));
    reply = status_answer(4);
    assert_false(accepts(&input, &reply));
    reply = status_answer(0); /* a customer who never ordered */
    assert_true(accepts(&input, &reply));
    reply.values[4] = null;
    assert_false(accepts(&input, &reply));
}

static void
a_delivery_counts_what_it_skipped(void **state)
{
    const int orders[10] = {1, 2, 3, -1, 5, 6, -1, 8, 9, 10};
    struct txn_input input = {.type = TXN_DELIVERY};
    struct reply reply = {.rows = 1, .columns = 3};
    struct reply_facts facts = {0};

    (void)state;
    at = space;
    reply.values[0] = int4_array(orders, 10);
    reply.values[1] = text("12345678");
    reply.values[2] = int2(2);
    assert_true(reply_check(&input, &reply, &facts));
    assert_int_equal(facts.districts_skipped, 2);
    for (int i = 0; i < 10; i++)
        assert_int_equal(facts.orders[i], orders[i] > 0 ? orders[i] : 0);
    reply.values[2] = int2(1);
    assert_false(accepts(&input, &reply));
    reply.values[2] = int2(2);
    reply.values[0] = int4_array(orders, 9);
    assert_false(accepts(&input, &reply));
}

static void
a_stock_level_is_a_possible_number(void **state)
{
    const struct {
        int low;
        bool right;
    } cases[] = {{0, true}, {300, true}, {-1, false}, {301, false}};
    struct txn_input input = {.type = TXN_STOCK_LEVEL};
    struct reply reply = {.rows = 1, .columns = 1};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        at = space;
        reply.values[0] = int4(cases[i].low);
        assert_int_equal(accepts(&input, &reply), cases[i].right);
    }
    reply.values[0] = null;
    assert_false(accepts(&input, &reply));
}

static void
probes_answer_what_was_asked(void **state)
{
    struct txn_input input = {.type = TXN_LOOKUP, .of.probe = {2, 3, 77}};
    struct reply reply = {.rows = 1, .columns = 5};

    (void)state;
    at = space;
    reply.values[0] = int4(77);
    for (int i = 1; i < 5; i++)
        reply.values[i] = text("x");
    assert_true(accepts(&input, &reply));
    reply.values[4] = null;
    assert_false(accepts(&input, &reply));
    reply.values[4] = text("x");
    reply.values[0] = int4(78);
    assert_false(accepts(&input, &reply));
    input.type = TXN_INSERT;
    assert_false(accepts(&input, &reply));
    reply.columns = 1;
    assert_true(accepts(&input, &reply));
    reply.values[0] = null;
    assert_false(accepts(&input, &reply));
    input.type = TXN_NULL;
    assert_false(accepts(&input, &reply));
    reply.values[0] = int4(2);
    assert_true(accepts(&input, &reply));
    reply.values[0] = int4(1);
    assert_false(accepts(&input, &reply));
    reply.rows = 0;
    assert_false(accepts(&input, &reply));
}

static void
a_rollback_still_shows_order_name_and_credit(void **state)
{
    struct reply_facts facts;

    (void)state;
    assert_true(reply_check_rollback("o_id=3001 c_last=BARBARBAR c_credit=GC", &facts));
    assert_false(reply_check_rollback("o_id=0 c_last=BARBARBAR c_credit=GC", &facts));
    assert_false(reply_check_rollback("o_id=3001 c_last=", &facts));
    assert_false(reply_check_rollback("", &facts));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_right_new_order_is_accepted),
        cmocka_unit_test(a_wrong_new_order_is_not),
        cmocka_unit_test(a_payment_is_for_the_customer_asked_for),
        cmocka_unit_test(an_order_status_has_its_order_whole),
        cmocka_unit_test(a_delivery_counts_what_it_skipped),
        cmocka_unit_test(a_stock_level_is_a_possible_number),
        cmocka_unit_test(probes_answer_what_was_asked),
        cmocka_unit_test(a_rollback_still_shows_order_name_and_credit),
    };

    return cmocka_run_group_tests_name("reply", tests, NULL, NULL);
}
