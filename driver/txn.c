/* Owns the parameter lists of the procedures. */
#include "driver/txn.h"

#include <stddef.h>
#include <string.h>

#include "common/buf.h"
#include "driver/reply.h"
#include "driver/wire_text.h"

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

static void
begin(struct txn_request *request, enum txn_type type, enum txn_format format,
      const char *statement)
{
    request->type = type;
    request->format = format;
    request->call = (struct pg_call){
        .statement = statement, .values = request->values, .sizes = request->sizes};
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
add_int(struct txn_request *request, char *at, enum wire_type type, int value)
{
    char *from = at;

    if (request->format == TXN_BINARY)
        return add(request, from,
                   type == WIRE_INT4 ? wire_put_int4(at, value) : wire_put_int2(at, value));
    *at++ = '\'';
    at = wire_put_decimal(at, value);
    *at++ = '\'';
    return add(request, from, at);
}

static char *
add_int4(struct txn_request *request, char *at, int value)
{
    return add_int(request, at, WIRE_INT4, value);
}

static char *
add_int2(struct txn_request *request, char *at, int value)
{
    return add_int(request, at, WIRE_INT2, value);
}

/* An array of one member of the lines, the int at `offset`. */
static char *
add_lines(struct txn_request *request, char *at, enum wire_type element,
          const struct new_order_input *order, size_t offset)
{
    char *from = at;

    if (request->format == TXN_BINARY)
        at = wire_put_array_head(at, element, order->lines_count);
    else
        *at++ = '\'';
    for (int i = 0; i < order->lines_count; i++) {
        int value;
        memcpy(&value, (const char *)&order->lines[i] + offset, sizeof value);
        if (request->format == TXN_BINARY) {
            at = element == WIRE_INT4 ? wire_put_element_int4(at, value)
                                      : wire_put_element_int2(at, value);
        } else {
            *at++ = i == 0 ? '{' : ',';
            at = wire_put_decimal(at, value);
        }
    }
    if (request->format == TXN_LITERALS) {
        *at++ = '}';
        *at++ = '\'';
    }
    return add(request, from, at);
}

static void
encode_new_order(struct txn_request *request, const struct new_order_input *order)
{
    char *at = request->bytes;

    at = add_int4(request, at, order->warehouse);
    at = add_int2(request, at, order->district);
    at = add_int4(request, at, order->customer);
    at = add_lines(request, at, WIRE_INT4, order, offsetof(struct order_line_input, item));
    at = add_lines(request, at, WIRE_INT4, order,
                   offsetof(struct order_line_input, supply_warehouse));
    add_lines(request, at, WIRE_INT2, order, offsetof(struct order_line_input, quantity));
}

/* Two parameters: the number and the name, one of them null. */
static char *
add_customer(struct txn_request *request, char *at, const struct customer_input *customer)
{
    const char *name = customer->last_name;
    int length = customer->last_name_length;

    if (customer->number != 0)
        return add_null(request, add_int4(request, at, customer->number));
    at = add_null(request, at);
    if (request->format == TXN_LITERALS)
        return add(request, at, wire_put_literal(at, name, length));
    memcpy(at, name, (size_t)length);
    return add(request, at, at + length);
}

static void
encode_payment(struct txn_request *request, const struct payment_input *payment)
{
    char *at = request->bytes;

    at = add_int4(request, at, payment->warehouse);
    at = add_int2(request, at, payment->district);
    at = add_int4(request, at, payment->customer.warehouse);
    at = add_int2(request, at, payment->customer.district);
    at = add_customer(request, at, &payment->customer);
    add(request, at,
        request->format == TXN_BINARY ? wire_put_cents(at, payment->amount_cents)
                                      : wire_put_cents_literal(at, payment->amount_cents));
}

static void
encode_order_status(struct txn_request *request, const struct customer_input *customer)
{
    char *at = add_int4(request, request->bytes, customer->warehouse);

    at = add_int2(request, at, customer->district);
    add_customer(request, at, customer);
}

static void
encode_delivery(struct txn_request *request, const struct delivery_input *delivery)
{
    char *at = add_int4(request, request->bytes, delivery->warehouse);

    add_int2(request, at, delivery->carrier);
}

static void
encode_stock_level(struct txn_request *request, const struct stock_level_input *stock)
{
    char *at = add_int4(request, request->bytes, stock->warehouse);

    at = add_int2(request, at, stock->district);
    add_int2(request, at, stock->threshold);
}

void
txn_encode(struct txn_request *request, const struct txn_input *input, enum txn_format format)
{
    must(input->type < TXN_TYPES);
    begin(request, input->type, format, txn_statements[input->type].name);
    switch (input->type) {
    case TXN_NEW_ORDER: encode_new_order(request, &input->of.new_order); break;
    case TXN_PAYMENT: encode_payment(request, &input->of.payment); break;
    case TXN_ORDER_STATUS: encode_order_status(request, &input->of.order_status); break;
    case TXN_DELIVERY: encode_delivery(request, &input->of.delivery); break;
    case TXN_STOCK_LEVEL: encode_stock_level(request, &input->of.stock_level); break;
    case TXN_TYPES: break;
    }
}

void
txn_encode_nothing(struct txn_request *request, const struct txn_input *input,
                   enum txn_format format)
{
    begin(request, input->type, format, txn_nothing.name);
    /* Every input begins with the warehouse; calibration deals stock-level alone. */
    must(input->type == TXN_STOCK_LEVEL);
    add_int4(request, request->bytes, input->of.stock_level.warehouse);
}

/* Which parameter stands at `at`, or 0; there are at most nine. */
static int
parameter_at(const char *at, const struct txn_request *request)
{
    int number = at[0] == '$' ? at[1] - '0' : 0;

    return number >= 1 && number <= request->call.count ? number : 0;
}

void
txn_write_sql(char sql[TXN_SQL_MAX], const struct txn_statement *statement,
              const struct txn_request *request)
{
    bool in_name = false; /* of the schema, in which a $1 is none of ours */
    size_t length = 0;

    must(request->format == TXN_LITERALS);
    for (const char *from = statement->sql; *from; from++) {
        const char *piece = from;
        size_t size = 1;
        in_name ^= *from == '"';
        int number = in_name ? 0 : parameter_at(from, request);
        if (number > 0) {
            piece = request->values[number - 1];
            size = piece ? (size_t)request->sizes[number - 1] : strlen("NULL");
            piece = piece ? piece : "NULL";
            from++;
        }
        must(length + size < TXN_SQL_MAX);
        memcpy(sql + length, piece, size);
        length += size;
    }
    sql[length] = '\0';
}
