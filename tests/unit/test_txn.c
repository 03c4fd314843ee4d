/* The parameters of the five calls, byte for byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/sql.h"
#include "driver/txn.h"

#define EXPECT(request, i, ...)                                                                    \
    do {                                                                                           \
        const char expected_[] = {__VA_ARGS__};                                                    \
        assert_int_equal((request)->call.sizes[i], sizeof expected_);                              \
        assert_memory_equal((request)->call.values[i], expected_, sizeof expected_);               \
    } while (0)

static void
named(struct request *request, const struct txn_input *input)
{
    request_begin(request, REQUEST_NAMED, &txn_statements[input->type]);
    txn_encode(request, input);
}

static void
new_order_sends_three_arrays(void **state)
{
    struct request request;
    const struct txn_input input = {
        .type = TXN_NEW_ORDER,
        .of.new_order = {.warehouse = 300,
                         .district = 7,
                         .customer = 2999,
                         .lines_count = 2,
                         .lines = {{.item = 1, .supply_warehouse = 2, .quantity = 3},
                                   {.item = 100001, .supply_warehouse = 300, .quantity = 10}}}};

    (void)state;
    named(&request, &input);
    assert_string_equal(request.call.statement, "new_order");
    assert_int_equal(request.call.count, 6);
    EXPECT(&request, 0, 0, 0, 1, 0x2c);
    EXPECT(&request, 1, 0, 7);
    EXPECT(&request, 2, 0, 0, 0x0b, (char)0xb7);
    EXPECT(&request, 3, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 23, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 4, 0,
           0, 0, 1, 0, 0, 0, 4, 0, 1, (char)0x86, (char)0xa1);
    EXPECT(&request, 4, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 23, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 4, 0,
           0, 0, 2, 0, 0, 0, 4, 0, 0, 1, 0x2c);
    EXPECT(&request, 5, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 21, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 0,
           3, 0, 0, 0, 2, 0, 10);
}

static void
the_largest_order_fits(void **state)
{
    struct request request;
    struct txn_input input = {.type = TXN_NEW_ORDER,
                              .of.new_order = {.warehouse = 1, .lines_count = 15}};

    (void)state;
    named(&request, &input);
    assert_int_equal(request.call.sizes[3], 20 + 15 * 8);
    assert_int_equal(request.call.sizes[5], 20 + 15 * 6);
}

static void
payment_by_name_has_a_null_number(void **state)
{
    struct request request;
    const struct txn_input input = {.type = TXN_PAYMENT,
                                    .of.payment = {.warehouse = 1,
                                                   .district = 2,
                                                   .customer = {.warehouse = 3,
                                                                .district = 4,
                                                                .last_name = "BARBARBAR",
                                                                .last_name_length = 9},
                                                   .amount_cents = 1234}};

    (void)state;
    named(&request, &input);
    assert_string_equal(request.call.statement, "payment");
    assert_int_equal(request.call.count, 7);
    EXPECT(&request, 0, 0, 0, 0, 1);
    EXPECT(&request, 1, 0, 2);
    EXPECT(&request, 2, 0, 0, 0, 3);
    EXPECT(&request, 3, 0, 4);
    assert_null(request.call.values[4]);
    EXPECT(&request, 5, 'B', 'A', 'R', 'B', 'A', 'R', 'B', 'A', 'R');
    EXPECT(&request, 6, 0, 2, 0, 0, 0, 0, 0, 2, 0, 12, 0x0d, 0x48);
}

static void
order_status_by_number_has_a_null_name(void **state)
{
    struct request request;
    const struct txn_input input = {
        .type = TXN_ORDER_STATUS, .of.order_status = {.warehouse = 9, .district = 10, .number = 5}};

    (void)state;
    named(&request, &input);
    assert_string_equal(request.call.statement, "order_status");
    assert_int_equal(request.call.count, 4);
    EXPECT(&request, 0, 0, 0, 0, 9);
    EXPECT(&request, 1, 0, 10);
    EXPECT(&request, 2, 0, 0, 0, 5);
    assert_null(request.call.values[3]);
}

static void
delivery_and_stock_level_are_short(void **state)
{
    struct request request;
    const struct txn_input delivery = {.type = TXN_DELIVERY,
                                       .of.delivery = {.warehouse = 2, .carrier = 8}};
    const struct txn_input stock = {
        .type = TXN_STOCK_LEVEL,
        .of.stock_level = {.warehouse = 2, .district = 3, .threshold = 15}};

    (void)state;
    named(&request, &delivery);
    assert_int_equal(request.call.count, 2);
    EXPECT(&request, 0, 0, 0, 0, 2);
    EXPECT(&request, 1, 0, 8);
    named(&request, &stock);
    assert_string_equal(request.call.statement, "stock_level");
    assert_int_equal(request.call.count, 3);
    EXPECT(&request, 1, 0, 3);
    EXPECT(&request, 2, 0, 15);
}

static void
probes(void **state)
{
    static const char *const names[] = {"lookup", "insert_history", "nothing"};

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct request request;
        const struct txn_input input = {.type = (enum txn_type)((int)TXN_LOOKUP + i),
                                        .of.probe = {2, 3, 300}};
        named(&request, &input);
        assert_string_equal(request.call.statement, names[i]);
        assert_string_equal(txn_routines[input.type], names[i]);
        assert_int_equal(request.call.count, i == 2 ? 1 : 3);
        EXPECT(&request, 0, 0, 0, 0, 2);
        if (i == 2)
            continue;
        EXPECT(&request, 1, 0, 3);
        EXPECT(&request, 2, 0, 0, 1, 0x2c);
    }
}

/* Placeholders and types of each statement agree with what is encoded. */
static void
statements_take_what_is_encoded(void **state)
{
    const struct txn_input inputs[TXN_TYPES] = {
        {.type = TXN_NEW_ORDER, .of.new_order.lines_count = 5},
        {.type = TXN_PAYMENT},
        {.type = TXN_ORDER_STATUS},
        {.type = TXN_DELIVERY},
        {.type = TXN_STOCK_LEVEL},
        {.type = TXN_LOOKUP},
        {.type = TXN_INSERT},
        {.type = TXN_NULL}};

    (void)state;
    for (int type = 0; type < TXN_TYPES; type++) {
        struct request request;
        char placeholder[4] = {'$', (char)('0' + txn_statements[type].count), ')', '\0'};
        named(&request, &inputs[type]);
        assert_int_equal(request.call.count, txn_statements[type].count);
        assert_non_null(strstr(txn_statements[type].sql, placeholder));
        for (int i = 0; i < request.call.count; i++)
            if (txn_statements[type].types[i] == WIRE_INT4 && request.call.values[i])
                assert_int_equal(request.call.sizes[i], 4);
            else if (txn_statements[type].types[i] == WIRE_INT2)
                assert_int_equal(request.call.sizes[i], 2);
    }
}

static void
by_call(void **state)
{
    struct arena arena = {0};

    (void)state;
    assert_string_equal(txn_call_sql(&arena, TXN_DELIVERY),
                        "CALL ordermill.call_delivery($1, $2, NULL, NULL, NULL)");
    assert_string_equal(txn_call_sql(&arena, TXN_STOCK_LEVEL),
                        "CALL ordermill.call_stock_level($1, $2, $3, NULL)");
    arena_free(&arena);
}

static void
literal(struct request *request, const struct txn_statement *statement,
        const struct txn_input *input)
{
    request_begin(request, REQUEST_LITERALS, statement);
    txn_encode(request, input);
}

/* What the simple protocol sends, to the letter. */
static void
literals_stand_in_the_statement(void **state)
{
    const struct txn_input order = {
        .type = TXN_NEW_ORDER,
        .of.new_order = {.warehouse = 300,
                         .district = 7,
                         .customer = 2999,
                         .lines_count = 2,
                         .lines = {{.item = 1, .supply_warehouse = 2, .quantity = 3},
                                   {.item = 100001, .supply_warehouse = 300, .quantity = 10}}}};
    const struct txn_input payment = {.type = TXN_PAYMENT,
                                      .of.payment = {.warehouse = 1,
                                                     .district = 2,
                                                     .customer = {.warehouse = 3,
                                                                  .district = 4,
                                                                  .last_name = "O'B\\",
                                                                  .last_name_length = 4},
                                                     .amount_cents = 500005}};
    struct request request;
    struct txn_statement statement = txn_statements[TXN_NEW_ORDER];
    char sql[REQUEST_SQL_MAX];

    (void)state;
    literal(&request, &statement, &order);
    request_write_sql(&request, sql);
    assert_string_equal(sql, "SELECT * FROM ordermill.new_order('300', '7', '2999', "
                             "'{1,100001}', '{2,300}', '{3,10}')");
    /* A schema's name is not looked into. */
    statement.sql = "CALL \"$1\"\"$2\".call_payment($1, $2, $3, $4, $5, $6, $7, NULL)";
    literal(&request, &statement, &payment);
    request_write_sql(&request, sql);
    assert_string_equal(sql, "CALL \"$1\"\"$2\".call_payment('1', '2', '3', '4', NULL, "
                             "E'O''B\\\\', '5000.05', NULL)");
}

static void
the_longest_statement_fits(void **state)
{
    struct txn_input input = {.type = TXN_PAYMENT,
                              .of.payment = {.warehouse = 100000,
                                             .customer = {.warehouse = 100000,
                                                          .last_name = "\\\\\\\\\\\\\\\\"
                                                                       "\\\\\\\\\\\\\\\\",
                                                          .last_name_length = 16},
                                             .amount_cents = 500000}};
    struct arena arena = {0};
    struct request request;
    struct txn_statement statement = txn_statements[TXN_PAYMENT];
    char sql[REQUEST_SQL_MAX], schema[64];

    (void)state;
    memset(schema, '"', 63);
    schema[63] = '\0';
    statement.sql = sql_for_schema(&arena, txn_call_sql(&arena, TXN_PAYMENT), schema);
    literal(&request, &statement, &input);
    request_write_sql(&request, sql);
    input = (struct txn_input){.type = TXN_NEW_ORDER,
                               .of.new_order = {.warehouse = 100000, .lines_count = 15}};
    for (int i = 0; i < 15; i++)
        input.of.new_order.lines[i] = (struct order_line_input){100001, 100000, 10};
    statement.sql = sql_for_schema(&arena, txn_call_sql(&arena, TXN_NEW_ORDER), schema);
    literal(&request, &statement, &input);
    request_write_sql(&request, sql);
    assert_int_equal(strlen(strchr(sql, '(')), strlen("('100000', '0', '0', '{}', '{}', '{}')") +
                                                   15 * 6 + 14 + 15 * 6 + 14 + 15 * 2 + 14 +
                                                   13 * strlen(", NULL"));
    arena_free(&arena);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_order_sends_three_arrays),
        cmocka_unit_test(the_largest_order_fits),
        cmocka_unit_test(payment_by_name_has_a_null_number),
        cmocka_unit_test(order_status_by_number_has_a_null_name),
        cmocka_unit_test(delivery_and_stock_level_are_short),
        cmocka_unit_test(probes),
        cmocka_unit_test(statements_take_what_is_encoded),
        cmocka_unit_test(by_call),
        cmocka_unit_test(literals_stand_in_the_statement),
        cmocka_unit_test(the_longest_statement_fits),
    };

    return cmocka_run_group_tests_name("txn", tests, NULL, NULL);
}
