/* Owns the result columns of the procedures, by position. Checks every figure that can be computed
 * again from the rest: it costs under a microsecond and catches a procedure that computes wrongly
 * while it still commits. */
#include "driver/reply.h"

#include <stdio.h>
#include <string.h>

enum { NEW_ORDER_COLUMNS = 13, PAYMENT_COLUMNS = 27, ORDER_STATUS_COLUMNS = 13 };
enum { DELIVERY_COLUMNS = 3, STOCK_LEVEL_COLUMNS = 1 };
enum { LOOKUP_COLUMNS = 5, INSERT_COLUMNS = 1, NULL_COLUMNS = 1 };
const int reply_columns[TXN_TYPES] = {NEW_ORDER_COLUMNS, PAYMENT_COLUMNS,     ORDER_STATUS_COLUMNS,
                                      DELIVERY_COLUMNS,  STOCK_LEVEL_COLUMNS, LOOKUP_COLUMNS,
                                      INSERT_COLUMNS,    NULL_COLUMNS};
enum { RECENT_ORDERS = 20 };
enum { PRICE_CENTS_MAX = 10000 }; /* 4.3.3.1 */

bool
reply_problem(struct reply_facts *facts, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    vsnprintf(facts->problem, sizeof facts->problem, format, ap);
    va_end(ap);
    return false;
}

static bool
check_shape(const struct reply *reply, const char *procedure, int columns,
            struct reply_facts *facts)
{
    if (reply->rows != 1)
        return reply_problem(facts, "%s returned %d rows instead of 1", procedure, reply->rows);
    if (reply->columns != columns)
        return reply_problem(facts, "%s returned %d columns instead of %d", procedure,
                             reply->columns, columns);
    return true;
}

/* An array of `count` elements, nulls among them only where allowed. */
static bool
open_array(struct wire_value value, int count, bool nulls, struct wire_array *array)
{
    struct wire_value element;

    if (!wire_get_array(value, array) || array->count != count)
        return false;
    for (struct wire_array walk = *array; !nulls && wire_next(&walk, &element);)
        if (element.size < 0)
            return false;
    return true;
}

bool
reply_get_amount(struct wire_value price, struct wire_value amount, int quantity,
                 int64_t *amount_cents)
{
    int64_t price_cents;

    return wire_get_numeric(price, 2, &price_cents) && wire_get_numeric(amount, 2, amount_cents) &&
           price_cents >= 0 && price_cents <= PRICE_CENTS_MAX &&
           *amount_cents == price_cents * quantity;
}

/* Each amount is quantity times price; gives their sum. */
static bool
sum_lines(const struct new_order_input *order, struct wire_array prices, struct wire_array amounts,
          int64_t *sum_cents)
{
    struct wire_value price, amount;
    int64_t amount_cents;

    *sum_cents = 0;
    for (int i = 0; i < order->lines_count; i++) {
        if (!wire_next(&prices, &price) || !wire_next(&amounts, &amount) ||
            !reply_get_amount(price, amount, order->lines[i].quantity, &amount_cents))
            return false;
        *sum_cents += amount_cents;
    }
    return true;
}

/* Discounts and taxes are shares: numeric(4,4), not negative. */
bool
reply_get_share(struct wire_value value, int64_t *share)
{
    return wire_get_numeric(value, 4, share) && *share >= 0 && *share < 10000;
}

/* total = sum * (1 - discount) * (1 + w_tax + d_tax), exactly (2.4.2.2). */
static bool
total_is_right(const struct reply *reply, int64_t sum_cents)
{
    int64_t discount, w_tax, d_tax, total;

    return reply_get_share(reply->values[4], &discount) &&
           reply_get_share(reply->values[5], &w_tax) && reply_get_share(reply->values[6], &d_tax) &&
           wire_get_numeric(reply->values[7], 10, &total) &&
           total == sum_cents * (10000 - discount) * (10000 + w_tax + d_tax);
}

static bool
check_new_order(const struct new_order_input *order, const struct reply *reply,
                struct reply_facts *facts)
{
    struct wire_array names, quantities, prices, amounts;
    int64_t sum_cents;
    int o_id;

    if (!check_shape(reply, "new_order", NEW_ORDER_COLUMNS, facts))
        return false;
    if (order->rolls_back)
        return reply_problem(facts, "new_order accepted item %d, which does not exist",
                             UNUSED_ITEM);
    for (int i = 0; i < NEW_ORDER_COLUMNS; i++)
        if (reply->values[i].size < 0)
            return reply_problem(facts, "new_order: column %d is null", i + 1);
    if (!wire_get_int(reply->values[0], &o_id) || o_id < 1)
        return reply_problem(facts, "new_order: no order number");
    if (!open_array(reply->values[8], order->lines_count, false, &names) ||
        !open_array(reply->values[9], order->lines_count, false, &quantities) ||
        reply->values[10].size != order->lines_count ||
        !open_array(reply->values[11], order->lines_count, false, &prices) ||
        !open_array(reply->values[12], order->lines_count, false, &amounts))
        return reply_problem(facts,
                             "new_order: not every array has one element for each of %d lines",
                             order->lines_count);
    if (!sum_lines(order, prices, amounts, &sum_cents))
        return reply_problem(facts, "new_order %d: an amount is not quantity times price", o_id);
    if (!total_is_right(reply, sum_cents))
        return reply_problem(facts, "new_order %d: the total does not follow from its parts", o_id);
    return true;
}

/* The customer that was asked for, by number or by name. */
static bool
is_customer(const struct customer_input *customer, struct wire_value number, struct wire_value name)
{
    int c_id;

    if (!wire_get_int(number, &c_id) || c_id < 1 || name.size < 1)
        return false;
    if (customer->number != 0)
        return c_id == customer->number;
    return name.size == customer->last_name_length &&
           memcmp(name.data, customer->last_name, (size_t)name.size) == 0;
}

static bool
check_payment(const struct payment_input *payment, const struct reply *reply,
              struct reply_facts *facts)
{
    enum { C_LAST = 13, C_DATA = 25 };

    if (!check_shape(reply, "payment", PAYMENT_COLUMNS, facts))
        return false;
    for (int i = 0; i < PAYMENT_COLUMNS; i++)
        if (reply->values[i].size < 0 && i != C_DATA)
            return reply_problem(facts, "payment: column %d is null", i + 1);
    if (!is_customer(&payment->customer, reply->values[0], reply->values[C_LAST]))
        return reply_problem(facts, "payment: another customer than asked for");
    return true;
}

/* An order has its number, date, 5 to 15 lines and as many of each array; none has nothing. */
static bool
check_last_order(const struct reply *reply)
{
    struct wire_array items, other;
    int o_id, count;

    if (!wire_get_array(reply->values[8], &items))
        return false;
    count = items.count;
    for (int i = 8; i < ORDER_STATUS_COLUMNS; i++)
        if (!open_array(reply->values[i], count, i == 12, &other))
            return false;
    if (reply->values[5].size < 0)
        return count == 0;
    return wire_get_int(reply->values[5], &o_id) && o_id > 0 && reply->values[6].size > 0 &&
           count >= ORDER_LINES_MIN && count <= ORDER_LINES_MAX;
}

static bool
check_order_status(const struct customer_input *customer, const struct reply *reply,
                   struct reply_facts *facts)
{
    if (!check_shape(reply, "order_status", ORDER_STATUS_COLUMNS, facts))
        return false;
    for (int i = 0; i < 5; i++)
        if (reply->values[i].size < 0)
            return reply_problem(facts, "order_status: column %d is null", i + 1);
    if (!is_customer(customer, reply->values[0], reply->values[3]))
        return reply_problem(facts, "order_status: another customer than asked for");
    if (!check_last_order(reply))
        return reply_problem(facts, "order_status: the order and its lines do not belong together");
    return true;
}

static bool
check_delivery(const struct reply *reply, struct reply_facts *facts)
{
    struct wire_array orders;
    struct wire_value order;
    int skipped, nulls = 0, district = 0;

    if (!check_shape(reply, "delivery", DELIVERY_COLUMNS, facts))
        return false;
    if (!open_array(reply->values[0], DISTRICTS_PER_WAREHOUSE, true, &orders))
        return reply_problem(facts, "delivery: not one order number for each district");
    while (wire_next(&orders, &order)) {
        int *o_id = &facts->orders[district++];
        *o_id = 0;
        if (order.size >= 0 && (!wire_get_int(order, o_id) || *o_id < 1))
            return reply_problem(facts, "delivery: a malformed order number");
        nulls += order.size < 0;
    }
    if (!wire_get_int(reply->values[2], &skipped) || skipped != nulls)
        return reply_problem(
            facts, "delivery: %d districts without an order, but reported otherwise", nulls);
    if (reply->values[1].size < 0)
        return reply_problem(facts, "delivery: no date");
    facts->districts_skipped = skipped;
    return true;
}

static bool
check_stock_level(const struct reply *reply, struct reply_facts *facts)
{
    int low;

    if (!check_shape(reply, "stock_level", STOCK_LEVEL_COLUMNS, facts))
        return false;
    if (!wire_get_int(reply->values[0], &low) || low < 0 || low > RECENT_ORDERS * ORDER_LINES_MAX)
        return reply_problem(facts, "stock_level: not a number of items");
    return true;
}

static bool
check_lookup(const struct probe_input *probe, const struct reply *reply, struct reply_facts *facts)
{
    int c_id;

    if (!check_shape(reply, "lookup", LOOKUP_COLUMNS, facts))
        return false;
    for (int i = 0; i < LOOKUP_COLUMNS; i++)
        if (reply->values[i].size < 0)
            return reply_problem(facts, "lookup: column %d is null", i + 1);
    if (!wire_get_int(reply->values[0], &c_id) || c_id != probe->customer)
        return reply_problem(facts, "lookup: another customer than asked for");
    return true;
}

static bool
check_insert(const struct reply *reply, struct reply_facts *facts)
{
    if (!check_shape(reply, "insert_history", INSERT_COLUMNS, facts))
        return false;
    return reply->values[0].size > 0 || reply_problem(facts, "insert_history: no date");
}

static bool
check_null(const struct probe_input *probe, const struct reply *reply, struct reply_facts *facts)
{
    int given;

    if (!check_shape(reply, "nothing", NULL_COLUMNS, facts))
        return false;
    if (!wire_get_int(reply->values[0], &given) || given != probe->warehouse)
        return reply_problem(facts, "nothing: did not give back its argument");
    return true;
}

bool
reply_check(const struct txn_input *input, const struct reply *reply, struct reply_facts *facts)
{
    facts->districts_skipped = 0;
    switch (input->type) {
    case TXN_NEW_ORDER: return check_new_order(&input->of.new_order, reply, facts);
    case TXN_PAYMENT: return check_payment(&input->of.payment, reply, facts);
    case TXN_ORDER_STATUS: return check_order_status(&input->of.order_status, reply, facts);
    case TXN_DELIVERY: return check_delivery(reply, facts);
    case TXN_STOCK_LEVEL: return check_stock_level(reply, facts);
    case TXN_LOOKUP: return check_lookup(&input->of.probe, reply, facts);
    case TXN_INSERT: return check_insert(reply, facts);
    case TXN_NULL: return check_null(&input->of.probe, reply, facts);
    case TXN_TYPES: break;
    }
    must(!"a type of transaction");
    return false;
}

bool
reply_check_rollback(const char *detail, struct reply_facts *facts)
{
    int o_id = 0;
    char last[LAST_NAME_SIZE], credit[3];

    if (sscanf(detail, "o_id=%9d c_last=%16s c_credit=%2s", &o_id, last, credit) != 3 || o_id < 1)
        return reply_problem(
            facts, "new_order: a rollback without order, name and credit: \"%.60s\"", detail);
    return true;
}
