/* Owns the parameter lists of the procedures. */
#include "driver/txn.h"

#include <stddef.h>

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
    [TXN_LOOKUP] = {"lookup",
                    "SELECT * FROM ordermill.lookup($1, $2, $3)",
                    3,
                    {WIRE_INT4, WIRE_INT2, WIRE_INT4}},
    [TXN_INSERT] = {"insert_history",
                    "SELECT * FROM ordermill.insert_history($1, $2, $3)",
                    3,
                    {WIRE_INT4, WIRE_INT2, WIRE_INT4}},
    [TXN_NULL] = {"nothing", "SELECT * FROM ordermill.nothing($1)", 1, {WIRE_INT4}},
};

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

static void
encode_lines(struct request *request, enum wire_type element, const struct new_order_input *order,
             size_t offset)
{
    request_array(request, element, (const char *)order->lines + offset, sizeof *order->lines,
                  order->lines_count);
}

static void
encode_new_order(struct request *request, const struct new_order_input *order)
{
    request_int4(request, order->warehouse);
    request_int2(request, order->district);
    request_int4(request, order->customer);
    encode_lines(request, WIRE_INT4, order, offsetof(struct order_line_input, item));
    encode_lines(request, WIRE_INT4, order, offsetof(struct order_line_input, supply_warehouse));
    encode_lines(request, WIRE_INT2, order, offsetof(struct order_line_input, quantity));
}

static void
encode_payment(struct request *request, const struct payment_input *payment)
{
    request_int4(request, payment->warehouse);
    request_int2(request, payment->district);
    request_int4(request, payment->customer.warehouse);
    request_int2(request, payment->customer.district);
    request_customer(request, &payment->customer);
    request_cents(request, payment->amount_cents);
}

static void
encode_order_status(struct request *request, const struct customer_input *customer)
{
    request_int4(request, customer->warehouse);
    request_int2(request, customer->district);
    request_customer(request, customer);
}

static void
encode_delivery(struct request *request, const struct delivery_input *delivery)
{
    request_int4(request, delivery->warehouse);
    request_int2(request, delivery->carrier);
}

static void
encode_stock_level(struct request *request, const struct stock_level_input *stock)
{
    request_int4(request, stock->warehouse);
    request_int2(request, stock->district);
    request_int2(request, stock->threshold);
}

static void
encode_probe(struct request *request, const struct probe_input *probe)
{
    request_int4(request, probe->warehouse);
    request_int2(request, probe->district);
    request_int4(request, probe->customer);
}

void
txn_encode(struct request *request, const struct txn_input *input)
{
    switch (input->type) {
    case TXN_NEW_ORDER: encode_new_order(request, &input->of.new_order); break;
    case TXN_PAYMENT: encode_payment(request, &input->of.payment); break;
    case TXN_ORDER_STATUS: encode_order_status(request, &input->of.order_status); break;
    case TXN_DELIVERY: encode_delivery(request, &input->of.delivery); break;
    case TXN_STOCK_LEVEL: encode_stock_level(request, &input->of.stock_level); break;
    case TXN_LOOKUP:
    case TXN_INSERT: encode_probe(request, &input->of.probe); break;
    case TXN_NULL: request_int4(request, input->of.probe.warehouse); break;
    case TXN_TYPES: must(!"a type of transaction");
    }
}
