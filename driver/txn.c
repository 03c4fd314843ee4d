/* Owns the parameter lists of the procedures. */
#include "driver/txn.h"

#include <string.h>

#include "common/buf.h"
#include "driver/reply.h"

const struct txn_statement txn_statements[TXN_TYPES] = {
    [TXN_NEW_ORDER] = {"new_order",
                       "SELECT * FROM ordermill.new_order($1, $2, $3, $4, $5, $6)",
                       6,
                       {WIRE_INT4, WIRE_INT2, WIRE_INT4, WIRE_INT4_ARRAY, WIRE_INT4_ARRAY,
                        WIRE_INT2_ARRAY}},
    [TXN_PAYMENT] = {"payment",
                     "SELECT * FROM ordermill.payment($1, $2, $3, $4, $5, $6, $7)",
                     7,
                     {WIRE_INT4, WIRE_INT2, WIRE_INT4, WIRE_INT2, WIRE_INT4, WIRE_TEXT,
                      WIRE_NUMERIC}},
    [TXN_ORDER_STATUS] = {"order_status",
                          "SELECT * FROM ordermill.order_status($1, $2, $3, $4)",
                          4,
                          {WIRE_INT4, WIRE_INT2, WIRE_INT4, WIRE_TEXT}},
    [TXN_DELIVERY] = {"delivery",
                      "SELECT * FROM ordermill.delivery($1, $2)",
                      2,
                      {WIRE_INT4, WIRE_INT2}},
    [TXN_STOCK_LEVEL] = {"stock_level",
                         "SELECT * FROM ordermill.stock_level($1, $2, $3)",
                         3,
                         {WIRE_INT4, WIRE_INT2, WIRE_INT2}},
};

const struct txn_statement txn_nothing = {
    "nothing", "SELECT * FROM ordermill.nothing($1)", 1, {WIRE_INT4}};

/* The procedures take a place for each result as well. */
char *
txn_call_sql(struct arena *arena, enum txn_type type)
{
    const struct txn_statement *function = &txn_statements[type];
    struct buf sql = {0};

    buf_printf(&sql, "CALL ordermill.call_%s(", function->name);
    for (int i = 1; i <= function->count; i++)
        buf_printf(&sql, "$%d, ", i);
    for (int i = 1; i <= reply_columns[type]; i++)
        buf_puts(&sql, i == 1 ? "NULL" : ", NULL");
    buf_putc(&sql, ')');
    char *text = arena_strdup(arena, buf_text(&sql));
    buf_free(&sql);
    return text;
}

static char *
begin(struct txn_request *request, enum txn_type type, const char *statement)
{
    request->type = type;
    request->call = (struct pg_call){
        .statement = statement, .values = request->values, .sizes = request->sizes};
    return request->bytes;
}

/* The next parameter begins at `from` and ends at `to`. */
static char *
add(struct txn_request *request, const char *from, char *to)
{
    must(request->call.count < TXN_PARAMETERS_MAX);
    must(to <= request->bytes + sizeof request->bytes);
    request->values[request->call.count] = from;
    request->sizes[request->call.count++] = (int)(to - from);
    return to;
}

static char *
add_null(struct txn_request *request, char *at)
{
    add(request, at, at);
    request->values[request->call.count - 1] = NULL;
    return at;
}

static char *
add_int4(struct txn_request *request, char *at, int value)
{
    return add(request, at, wire_put_int4(at, value));
}

static char *
add_int2(struct txn_request *request, char *at, int value)
{
    return add(request, at, wire_put_int2(at, value));
}

static void
encode_new_order(struct txn_request *request, const struct new_order_input *order)
{
    char *at = begin(request, TXN_NEW_ORDER, txn_statements[TXN_NEW_ORDER].name);
    char *from;

    at = add_int4(request, at, order->warehouse);
    at = add_int2(request, at, order->district);
    at = add_int4(request, at, order->customer);
    from = at;
    at = wire_put_array_head(at, WIRE_INT4, order->lines_count);
    for (int i = 0; i < order->lines_count; i++)
        at = wire_put_element_int4(at, order->lines[i].item);
    from = at = add(request, from, at);
    at = wire_put_array_head(at, WIRE_INT4, order->lines_count);
    for (int i = 0; i < order->lines_count; i++)
        at = wire_put_element_int4(at, order->lines[i].supply_warehouse);
    from = at = add(request, from, at);
    at = wire_put_array_head(at, WIRE_INT2, order->lines_count);
    for (int i = 0; i < order->lines_count; i++)
        at = wire_put_element_int2(at, order->lines[i].quantity);
    add(request, from, at);
}

/* Two parameters: the number and the name, one of them null. */
static char *
add_customer(struct txn_request *request, char *at, const struct customer_input *customer)
{
    if (customer->number != 0)
        return add_null(request, add_int4(request, at, customer->number));
    at = add_null(request, at);
    memcpy(at, customer->last_name, (size_t)customer->last_name_length);
    return add(request, at, at + customer->last_name_length);
}

static void
encode_payment(struct txn_request *request, const struct payment_input *payment)
{
    char *at = begin(request, TXN_PAYMENT, txn_statements[TXN_PAYMENT].name);

    at = add_int4(request, at, payment->warehouse);
    at = add_int2(request, at, payment->district);
    at = add_int4(request, at, payment->customer.warehouse);
    at = add_int2(request, at, payment->customer.district);
    at = add_customer(request, at, &payment->customer);
    add(request, at, wire_put_cents(at, payment->amount_cents));
}

static void
encode_order_status(struct txn_request *request, const struct customer_input *customer)
{
    char *at = begin(request, TXN_ORDER_STATUS, txn_statements[TXN_ORDER_STATUS].name);

    at = add_int4(request, at, customer->warehouse);
    at = add_int2(request, at, customer->district);
    add_customer(request, at, customer);
}

static void
encode_delivery(struct txn_request *request, const struct delivery_input *delivery)
{
    char *at = begin(request, TXN_DELIVERY, txn_statements[TXN_DELIVERY].name);

    at = add_int4(request, at, delivery->warehouse);
    add_int2(request, at, delivery->carrier);
}

static void
encode_stock_level(struct txn_request *request, const struct stock_level_input *stock)
{
    char *at = begin(request, TXN_STOCK_LEVEL, txn_statements[TXN_STOCK_LEVEL].name);

    at = add_int4(request, at, stock->warehouse);
    at = add_int2(request, at, stock->district);
    add_int2(request, at, stock->threshold);
}

void
txn_encode(struct txn_request *request, const struct txn_input *input)
{
    switch (input->type) {
    case TXN_NEW_ORDER: encode_new_order(request, &input->of.new_order); break;
    case TXN_PAYMENT: encode_payment(request, &input->of.payment); break;
    case TXN_ORDER_STATUS: encode_order_status(request, &input->of.order_status); break;
    case TXN_DELIVERY: encode_delivery(request, &input->of.delivery); break;
    case TXN_STOCK_LEVEL: encode_stock_level(request, &input->of.stock_level); break;
    case TXN_TYPES: must(!"a type of transaction");
    }
}

void
txn_encode_nothing(struct txn_request *request, const struct txn_input *input)
{
    char *at = begin(request, input->type, txn_nothing.name);

    /* Every input begins with the warehouse; calibration deals stock-level alone. */
    must(input->type == TXN_STOCK_LEVEL);
    add_int4(request, at, input->of.stock_level.warehouse);
}
