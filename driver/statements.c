/* Owns the order of the statements and where a round trip ends. */
#include "driver/statements.h"

#include <string.h>

#include "common/sql.h"
#include "driver/txn.h"

static const struct txn_statement kinds[STATEMENTS] = {
    [STATEMENT_BEGIN] = {"begin", "BEGIN", 0, {0}},
    [STATEMENT_COMMIT] = {"commit", "COMMIT", 0, {0}},
    [STATEMENT_ROLLBACK] = {"rollback", "ROLLBACK", 0, {0}},
    [STATEMENT_NEW_ORDER] = {"new_order",
                             NULL,
                             5,
                             {WIRE_INT4, WIRE_INT2, WIRE_INT4, WIRE_INT2, WIRE_INT2}},
    [STATEMENT_ORDER_LINES] = {"order_lines",
                               NULL,
                               6,
                               {WIRE_INT4, WIRE_INT2, WIRE_INT4, WIRE_INT2_ARRAY, WIRE_INT4_ARRAY,
                                WIRE_INT2_ARRAY}},
    [STATEMENT_PAYMENT_WAREHOUSE] = {"payment_warehouse", NULL, 2, {WIRE_INT4, WIRE_NUMERIC}},
    [STATEMENT_PAYMENT_DISTRICT] = {"payment_district",
                                    NULL,
                                    3,
                                    {WIRE_INT4, WIRE_INT2, WIRE_NUMERIC}},
    [STATEMENT_PAYMENT_HOME] = {"payment_home",
                                NULL,
                                6,
                                {WIRE_INT4, WIRE_INT2, WIRE_INT2, WIRE_INT4, WIRE_TEXT,
                                 WIRE_NUMERIC}},
    [STATEMENT_PAYMENT_FIND] = {"payment_find",
                                NULL,
                                4,
                                {WIRE_INT4, WIRE_INT2, WIRE_INT4, WIRE_TEXT}},
    [STATEMENT_PAYMENT_REMOTE] = {"payment_remote",
                                  NULL,
                                  6,
                                  {WIRE_INT4, WIRE_INT2, WIRE_INT4, WIRE_INT4, WIRE_INT2,
                                   WIRE_NUMERIC}},
    [STATEMENT_PAYMENT_HISTORY] = {"payment_history",
                                   NULL,
                                   6,
                                   {WIRE_INT4, WIRE_INT2, WIRE_INT4, WIRE_INT2, WIRE_INT4,
                                    WIRE_NUMERIC}},
    [STATEMENT_ORDER_STATUS] = {"order_status",
                                NULL,
                                4,
                                {WIRE_INT4, WIRE_INT2, WIRE_INT4, WIRE_TEXT}},
    [STATEMENT_DELIVERY] = {"delivery", NULL, 3, {WIRE_INT4, WIRE_INT2, WIRE_INT2}},
    [STATEMENT_STOCK_LEVEL] = {"stock_level", NULL, 3, {WIRE_INT4, WIRE_INT2, WIRE_INT2}},
    [STATEMENT_LOOKUP] = {"lookup", NULL, 3, {WIRE_INT4, WIRE_INT2, WIRE_INT4}},
    [STATEMENT_INSERT_HISTORY] = {"insert_history", NULL, 3, {WIRE_INT4, WIRE_INT2, WIRE_INT4}},
    [STATEMENT_NOTHING] = {"nothing", NULL, 1, {WIRE_INT4}},
};

/* A file holds one PREPARE, so that psql can run it; the protocol has a message of its own for
 * that. */
struct txn_statement
statements_get(struct arena *arena, enum statement statement)
{
    static const char head[] = ") AS\n";
    struct txn_statement made = kinds[statement];
    char **statements;

    if (made.sql)
        return made;
    const char *path = arena_printf(arena, "procedures/statements/%s.sql", made.name);
    size_t count = sql_split(arena, sql_source(path), &statements);
    must(count == 1 && strncmp(statements[0], "PREPARE ", 8) == 0);
    made.sql = strstr(statements[0], head);
    must(made.sql);
    made.sql += strlen(head);
    return made;
}

/* --- the lists -------------------------------------------------------------------------------- */

#define TRIP STATEMENTS       /* ends here */
#define DONE (STATEMENTS + 1) /* and so does the transaction */

static const int lists[TXN_TYPES][5] = {
    [TXN_NEW_ORDER] = {STATEMENT_BEGIN, STATEMENT_NEW_ORDER, STATEMENT_ORDER_LINES,
                       STATEMENT_COMMIT, DONE},
    [TXN_ORDER_STATUS] = {STATEMENT_ORDER_STATUS, DONE},
    [TXN_DELIVERY] = {STATEMENT_BEGIN, STATEMENT_DELIVERY, STATEMENT_COMMIT, DONE},
    [TXN_STOCK_LEVEL] = {STATEMENT_STOCK_LEVEL, DONE},
    [TXN_LOOKUP] = {STATEMENT_LOOKUP, DONE},
    [TXN_INSERT] = {STATEMENT_INSERT_HISTORY, DONE},
    [TXN_NULL] = {STATEMENT_NOTHING, DONE},
};
static const int home_payment[] = {STATEMENT_BEGIN,
                                   STATEMENT_PAYMENT_WAREHOUSE,
                                   STATEMENT_PAYMENT_DISTRICT,
                                   STATEMENT_PAYMENT_HOME,
                                   STATEMENT_COMMIT,
                                   DONE};
static const int remote_payment[] = {STATEMENT_BEGIN,
                                     STATEMENT_PAYMENT_FIND,
                                     TRIP,
                                     STATEMENT_PAYMENT_WAREHOUSE,
                                     STATEMENT_PAYMENT_DISTRICT,
                                     STATEMENT_PAYMENT_REMOTE,
                                     STATEMENT_PAYMENT_HISTORY,
                                     STATEMENT_COMMIT,
                                     DONE};

static const int *
list_of(const struct txn_input *input)
{
    if (input->type != TXN_PAYMENT)
        return lists[input->type];
    return input->of.payment.customer.warehouse == input->of.payment.warehouse ? home_payment
                                                                               : remote_payment;
}

bool
statements_are_sent(const struct statements_cursor *cursor, const struct txn_input *input)
{
    return list_of(input)[cursor->step] == DONE;
}

/* --- parameters ------------------------------------------------------------------------------- */

static void
encode_order(const struct new_order_input *order, struct request *request)
{
    request_int4(request, order->warehouse);
    request_int2(request, order->district);
    request_int4(request, order->customer);
    request_int2(request, order->lines_count);
    request_int2(request, order->remote_lines == 0);
}

/* How many lines from `first` on come from one warehouse, each item above the one before. */
static int
run_length(const struct new_order_input *order, int first)
{
    const struct order_line_input *lines = order->lines;
    int end = first + 1;

    while (end < order->lines_count &&
           lines[end].supply_warehouse == lines[first].supply_warehouse &&
           lines[end].item > lines[end - 1].item)
        end++;
    return end - first;
}

/* Returns how many lines these are. */
static int
encode_lines(const struct new_order_input *order, int first, struct request *request)
{
    const struct order_line_input *line = &order->lines[first];
    int count = run_length(order, first), numbers[ORDER_LINES_MAX];

    for (int i = 0; i < count; i++)
        numbers[i] = first + i + 1;
    request_int4(request, order->warehouse);
    request_int2(request, order->district);
    request_int4(request, line->supply_warehouse);
    request_array(request, WIRE_INT2, numbers, sizeof *numbers, count);
    request_array(request, WIRE_INT4, &line->item, sizeof *line, count);
    request_array(request, WIRE_INT2, &line->quantity, sizeof *line, count);
    return count;
}

static void
encode_payment(const struct payment_input *payment, enum statement statement, int number,
               struct request *request)
{
    const struct customer_input *customer = &payment->customer;
    bool at_customer = statement == STATEMENT_PAYMENT_FIND || statement == STATEMENT_PAYMENT_REMOTE;

    request_int4(request, at_customer ? customer->warehouse : payment->warehouse);
    if (statement != STATEMENT_PAYMENT_WAREHOUSE)
        request_int2(request, at_customer ? customer->district : payment->district);
    if (statement == STATEMENT_PAYMENT_HOME)
        request_int2(request, customer->district);
    if (statement == STATEMENT_PAYMENT_HOME || statement == STATEMENT_PAYMENT_FIND)
        request_customer(request, customer);
    if (statement == STATEMENT_PAYMENT_REMOTE) {
        request_int4(request, number);
        request_int4(request, payment->warehouse);
        request_int2(request, payment->district);
    }
    if (statement == STATEMENT_PAYMENT_HISTORY) {
        request_int4(request, customer->warehouse);
        request_int2(request, customer->district);
        request_int4(request, number);
    }
    if (statement != STATEMENT_PAYMENT_FIND)
        request_cents(request, payment->amount_cents);
}

/* Whether the same statement follows once more. */
static bool
encode(struct statements_cursor *cursor, const struct txn_input *input, enum statement statement,
       struct request *request)
{
    switch (statement) {
    case STATEMENT_BEGIN:
    case STATEMENT_COMMIT:
    case STATEMENT_ROLLBACK: break;
    case STATEMENT_NEW_ORDER: encode_order(&input->of.new_order, request); break;
    case STATEMENT_ORDER_LINES:
        cursor->repeat += encode_lines(&input->of.new_order, cursor->repeat, request);
        return cursor->repeat < input->of.new_order.lines_count;
    case STATEMENT_PAYMENT_WAREHOUSE:
    case STATEMENT_PAYMENT_DISTRICT:
    case STATEMENT_PAYMENT_HOME:
    case STATEMENT_PAYMENT_FIND:
    case STATEMENT_PAYMENT_REMOTE:
    case STATEMENT_PAYMENT_HISTORY:
        encode_payment(&input->of.payment, statement, cursor->customer, request);
        break;
    case STATEMENT_ORDER_STATUS:
    case STATEMENT_STOCK_LEVEL:
    case STATEMENT_LOOKUP:
    case STATEMENT_INSERT_HISTORY:
    case STATEMENT_NOTHING: txn_encode(request, input); break;
    case STATEMENT_DELIVERY:
        request_int4(request, input->of.delivery.warehouse);
        request_int2(request, ++cursor->repeat);
        request_int2(request, input->of.delivery.carrier);
        return cursor->repeat < DISTRICTS_PER_WAREHOUSE;
    case STATEMENTS: break;
    }
    return false;
}

enum statement
statements_next(struct statements_cursor *cursor, const struct txn_input *input,
                const struct txn_statement statements[STATEMENTS], struct request *request,
                enum request_format format)
{
    int statement = list_of(input)[cursor->step];

    if (statement == DONE)
        return STATEMENTS;
    if (statement == TRIP) {
        cursor->step++;
        return STATEMENTS;
    }
    request_begin(request, format, &statements[statement]);
    if (!encode(cursor, input, (enum statement)statement, request))
        cursor->step++;
    return (enum statement)statement;
}
