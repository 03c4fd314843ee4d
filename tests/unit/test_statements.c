/* Which plain statements make up a transaction, in what trips, and with what parameters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/buf.h"
#include "common/sql.h"
#include "driver/statements.h"

static struct txn_statement statements[STATEMENTS];

/* The statements of all trips as they would be written for the simple protocol, one a line; "|"
 * ends a trip. */
static void
sends(const struct txn_input *input, int customer, const char *expected)
{
    struct statements_cursor cursor = {.customer = customer};
    struct txn_statement shown[STATEMENTS];
    struct request request;
    char sql[REQUEST_SQL_MAX];
    struct buf text = {0};

    for (int i = 0; i < STATEMENTS; i++) {
        shown[i] = statements[i];
        shown[i].sql = "$1 $2 $3 $4 $5 $6";
    }
    while (!statements_are_sent(&cursor, input)) {
        enum statement statement;
        while ((statement = statements_next(&cursor, input, shown, &request, REQUEST_LITERALS)) !=
               STATEMENTS) {
            assert_int_equal(request.call.count, statements[statement].count);
            request_write_sql(&request, sql);
            *strchrnul(sql, '$') = '\0';
            buf_printf(&text, "%s %s\n", statements[statement].name, sql);
        }
        buf_puts(&text, "|\n");
    }
    assert_int_equal(statements_next(&cursor, input, shown, &request, REQUEST_LITERALS),
                     STATEMENTS);
    assert_string_equal(buf_text(&text), expected);
    buf_free(&text);
}

static void
an_order_goes_by_supply_warehouse(void **state)
{
    struct txn_input input = {
        .type = TXN_NEW_ORDER,
        .of.new_order = {
            .warehouse = 2,
            .district = 7,
            .customer = 30,
            .lines_count = 6,
            .remote_lines = 1,
            .lines = {{5, 1, 9}, {3, 2, 1}, {4, 2, 2}, {4, 2, 3}, {8, 2, 4}, {100001, 2, 5}}}};

    (void)state;
    sends(&input, 0,
          "begin \n"
          "new_order '2' '7' '30' '6' '0' \n"
          "order_lines '2' '7' '1' '{1}' '{5}' '{9}'\n"
          "order_lines '2' '7' '2' '{2,3}' '{3,4}' '{1,2}'\n"
          "order_lines '2' '7' '2' '{4,5,6}' '{4,8,100001}' '{3,4,5}'\n"
          "commit \n|\n");
    input.of.new_order.remote_lines = 0;
    input.of.new_order.lines_count = 1;
    sends(&input, 0,
          "begin \nnew_order '2' '7' '30' '1' '1' \n"
          "order_lines '2' '7' '1' '{1}' '{5}' '{9}'\ncommit \n|\n");
}

static void
a_payment_of_another_warehouse_takes_two_trips(void **state)
{
    struct txn_input input = {
        .type = TXN_PAYMENT,
        .of.payment = {.warehouse = 1,
                       .district = 2,
                       .customer = {.warehouse = 1, .district = 3, .number = 4},
                       .amount_cents = 12345}};

    (void)state;
    sends(&input, 0,
          "begin \npayment_warehouse '1' '123.45' \npayment_district '1' '2' '123.45' \n"
          "payment_home '1' '2' '3' '4' NULL '123.45'\ncommit \n|\n");
    input.of.payment.customer.warehouse = 9;
    input.of.payment.customer.number = 0;
    memcpy(input.of.payment.customer.last_name, "BAR", 4);
    input.of.payment.customer.last_name_length = 3;
    sends(&input, 77,
          "begin \npayment_find '9' '3' NULL 'BAR' \n|\n"
          "payment_warehouse '1' '123.45' \npayment_district '1' '2' '123.45' \n"
          "payment_remote '9' '3' '77' '1' '2' '123.45'\n"
          "payment_history '1' '2' '9' '3' '77' '123.45'\ncommit \n|\n");
}

static void
the_others(void **state)
{
    const struct txn_input delivery = {.type = TXN_DELIVERY, .of.delivery = {4, 9}};
    const struct txn_input stock = {.type = TXN_STOCK_LEVEL, .of.stock_level = {1, 2, 15}};
    const struct txn_input status = {
        .type = TXN_ORDER_STATUS, .of.order_status = {.warehouse = 1, .district = 2, .number = 3}};

    (void)state;
    sends(&delivery, 0,
          "begin \ndelivery '4' '1' '9' \ndelivery '4' '2' '9' \ndelivery '4' '3' '9' \n"
          "delivery '4' '4' '9' \ndelivery '4' '5' '9' \ndelivery '4' '6' '9' \n"
          "delivery '4' '7' '9' \ndelivery '4' '8' '9' \ndelivery '4' '9' '9' \n"
          "delivery '4' '10' '9' \ncommit \n|\n");
    sends(&stock, 0, "stock_level '1' '2' '15' \n|\n");
    sends(&status, 0, "order_status '1' '2' '3' NULL \n|\n");
}

static void
probes(void **state)
{
    struct txn_input input = {.type = TXN_LOOKUP, .of.probe = {2, 3, 77}};

    (void)state;
    sends(&input, 0, "lookup '2' '3' '77' \n|\n");
    input.type = TXN_INSERT;
    sends(&input, 0, "insert_history '2' '3' '77' \n|\n");
    input.type = TXN_NULL;
    sends(&input, 0, "nothing '2' \n|\n");
}

/* What the file declares, in SQL's names of the types. */
static void
files_declare_what_is_sent(void **state)
{
    static const struct {
        uint32_t oid;
        const char *name;
    } types[] = {
        {WIRE_INT2, "smallint"},   {WIRE_INT4, "integer"},          {WIRE_TEXT, "text"},
        {WIRE_NUMERIC, "numeric"}, {WIRE_INT2_ARRAY, "smallint[]"}, {WIRE_INT4_ARRAY, "integer[]"}};
    struct arena arena = {0};

    (void)state;
    for (int i = STATEMENT_NEW_ORDER; i < STATEMENTS; i++) {
        char head[256], path[128];
        snprintf(head, sizeof head, "PREPARE %s (", statements[i].name);
        for (int parameter = 0; parameter < statements[i].count; parameter++)
            for (size_t type = 0; type < sizeof types / sizeof *types; type++)
                if (types[type].oid == statements[i].types[parameter])
                    snprintf(head + strlen(head), sizeof head - strlen(head), "%s%s",
                             parameter ? ", " : "", types[type].name);
        snprintf(head + strlen(head), sizeof head - strlen(head), ") AS\n");
        snprintf(path, sizeof path, "procedures/statements/%s.sql", statements[i].name);
        assert_non_null(strstr(sql_source(path), head));
        assert_non_null(strstr(sql_source(path), statements[i].sql));
        assert_null(strstr(statements[i].sql, "PREPARE"));
        assert_null(strchr(statements[i].sql, ';'));
    }
    arena_free(&arena);
}

static int
set_up(void **state)
{
    static struct arena arena;

    (void)state;
    for (int i = 0; i < STATEMENTS; i++)
        statements[i] = statements_get(&arena, (enum statement)i);
    return 0;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_order_goes_by_supply_warehouse),
        cmocka_unit_test(a_payment_of_another_warehouse_takes_two_trips),
        cmocka_unit_test(the_others),
        cmocka_unit_test(probes),
        cmocka_unit_test(files_declare_what_is_sent),
    };

    return cmocka_run_group_tests_name("statements", tests, set_up, NULL);
}
