/* The parameters of one statement, as bytes: binary ones for the extended protocol, or literals for
 * the simple one. Pure; does not allocate. */
#ifndef ORDERMILL_DRIVER_REQUEST_H
#define ORDERMILL_DRIVER_REQUEST_H

#include "common/pg.h"
#include "driver/terminal.h"
#include "driver/wire.h"

#define REQUEST_VALUES_MAX 7

/* A statement, written for the schema "ordermill" (see sql_for_schema) or made for another. */
struct txn_statement {
    const char *name;
    const char *sql;
    int count;
    uint32_t types[REQUEST_VALUES_MAX];
};

enum request_format {
    REQUEST_NAMED,    /* the statement is prepared */
    REQUEST_CARRIED,  /* it comes along, to be parsed */
    REQUEST_LITERALS, /* the values are quoted, for request_write_sql */
};

/* Pointers lead into the struct itself: it cannot be copied. */
struct request {
    enum request_format format;
    struct pg_call call;
    const char *values[REQUEST_VALUES_MAX];
    int sizes[REQUEST_VALUES_MAX];
    size_t used;
    char bytes[WIRE_ARRAY_MAX(ORDER_LINES_MAX) * 3 + 64];
};

/* Without parameters; the statement must stay. Each of the others adds the next one. */
void request_begin(struct request *request, enum request_format format,
                   const struct txn_statement *statement);
void request_null(struct request *request);
void request_int4(struct request *request, int value);
void request_int2(struct request *request, int value);
void request_text(struct request *request, const char *text, int length);
void request_cents(struct request *request, int cents); /* numeric */
/* Number and last name, one of them null. */
void request_customer(struct request *request, const struct customer_input *customer);
/* An array of int4 or int2 (`element`) out of `count` structs of `stride` bytes, each with its int
 * at `values`. */
void request_array(struct request *request, enum wire_type element, const void *values,
                   size_t stride, int count);

/* The statement with its parameters $1... replaced by the request's literals. */
#define REQUEST_SQL_MAX 2048
void request_write_sql(const struct request *request, char sql[REQUEST_SQL_MAX]);

#endif
