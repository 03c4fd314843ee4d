/* Owns how a list of values becomes bytes. Does not know what they mean. */
#include "driver/request.h"

#include <string.h>

#include "driver/wire_text.h"

void
request_begin(struct request *request, enum request_format format,
              const struct txn_statement *statement)
{
    request->format = format;
    request->used = 0;
    request->call = (struct pg_call){.statement = format == REQUEST_NAMED ? statement->name : NULL,
                                     .sql = statement->sql,
                                     .types = statement->types,
                                     .values = request->values,
                                     .sizes = request->sizes};
}

static char *
free_space(struct request *request)
{
    return request->bytes + request->used;
}

/* The next parameter ends at `to`. */
static void
add(struct request *request, const char *to)
{
    const char *from = free_space(request);

    must(request->call.count < REQUEST_VALUES_MAX);
    must(to <= request->bytes + sizeof request->bytes);
    request->values[request->call.count] = from;
    request->sizes[request->call.count++] = (int)(to - from);
    request->used += (size_t)(to - from);
}

void
request_null(struct request *request)
{
    add(request, free_space(request));
    request->values[request->call.count - 1] = NULL;
}

static void
add_decimal(struct request *request, int value)
{
    char *at = free_space(request);

    *at++ = '\'';
    at = wire_put_decimal(at, value);
    *at++ = '\'';
    add(request, at);
}

void
request_int4(struct request *request, int value)
{
    if (request->format == REQUEST_LITERALS)
        add_decimal(request, value);
    else
        add(request, wire_put_int4(free_space(request), value));
}

void
request_int2(struct request *request, int value)
{
    if (request->format == REQUEST_LITERALS)
        add_decimal(request, value);
    else
        add(request, wire_put_int2(free_space(request), value));
}

void
request_text(struct request *request, const char *text, int length)
{
    char *at = free_space(request);

    if (request->format == REQUEST_LITERALS) {
        add(request, wire_put_literal(at, text, length));
        return;
    }
    memcpy(at, text, (size_t)length);
    add(request, at + length);
}

void
request_cents(struct request *request, int cents)
{
    char *at = free_space(request);

    add(request, request->format == REQUEST_LITERALS ? wire_put_cents_literal(at, cents)
                                                     : wire_put_cents(at, cents));
}

void
request_customer(struct request *request, const struct customer_input *customer)
{
    if (customer->number != 0) {
        request_int4(request, customer->number);
        request_null(request);
    } else {
        request_null(request);
        request_text(request, customer->last_name, customer->last_name_length);
    }
}

static int
value_at(const void *values, size_t stride, int i)
{
    int value;

    memcpy(&value, (const char *)values + (size_t)i * stride, sizeof value);
    return value;
}

void
request_array(struct request *request, enum wire_type element, const void *values, size_t stride,
              int count)
{
    bool literal = request->format == REQUEST_LITERALS;
    char *at = free_space(request);

    if (literal)
        *at++ = '\'';
    else
        at = wire_put_array_head(at, element, count);
    for (int i = 0; i < count; i++) {
        int value = value_at(values, stride, i);
        if (literal) {
            *at++ = i == 0 ? '{' : ',';
            at = wire_put_decimal(at, value);
        } else {
            at = element == WIRE_INT4 ? wire_put_element_int4(at, value)
                                      : wire_put_element_int2(at, value);
        }
    }
    if (literal) {
        *at++ = '}';
        *at++ = '\'';
    }
    add(request, at);
}

/* Which parameter stands at `at`, or 0; there are at most nine. */
static int
parameter_at(const char *at, const struct request *request)
{
    int number = at[0] == '$' ? at[1] - '0' : 0;

    return number >= 1 && number <= request->call.count ? number : 0;
}

void
request_write_sql(const struct request *request, char sql[REQUEST_SQL_MAX])
{
    bool in_name = false; /* of the schema, in which a $1 is none of ours */
    size_t length = 0;

    must(request->format == REQUEST_LITERALS);
    for (const char *from = request->call.sql; *from; from++) {
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
        must(length + size < REQUEST_SQL_MAX);
        memcpy(sql + length, piece, size);
        length += size;
    }
    sql[length] = '\0';
}
