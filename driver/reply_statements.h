/* What plain statements give back, checked as reply.h checks what the procedures do. Here the
 * client puts the parts together: lines of an order, districts of a delivery, the order's total.
 * Pure. */
#ifndef ORDERMILL_DRIVER_REPLY_STATEMENTS_H
#define ORDERMILL_DRIVER_REPLY_STATEMENTS_H

#include "driver/reply.h"

/* The rows of all statements of a round trip that give any, in the order of sending. */
enum { REPLY_PARTS_MAX = 1 + ORDER_LINES_MAX, REPLY_VALUES_MAX = 128 };
struct reply_part {
    int rows, columns;
    const struct wire_value *values; /* row after row; NULL: there were too many */
};
struct reply_parts {
    int count;
    struct reply_part parts[REPLY_PARTS_MAX];
    int used;
    struct wire_value values[REPLY_VALUES_MAX];
};

/* Adds a part of that size; returns where its values go, or NULL where there are too many. */
struct wire_value *reply_parts_add(struct reply_parts *parts, int rows, int columns);

/* Of the last trip of a transaction that was committed. */
MUST_CHECK bool reply_check_parts(const struct txn_input *input, const struct reply_parts *parts,
                                  struct reply_facts *facts);
/* Of an intended rollback: whether what came before the unused item was refused holds what the
 * terminal still shows (2.4.3.4); writes that as the function's DETAIL has it. */
MUST_CHECK bool reply_check_parts_rollback(const struct reply_parts *parts, char *detail,
                                           size_t size, struct reply_facts *facts);
/* The number of the customer, which the first trip of a remote payment asked for; 0: nobody. */
int reply_customer_found(const struct reply_parts *parts);

#endif
