/* Owns the columns of the plain statements, and how they make up what a terminal shows. */
#include "driver/reply_statements.h"

#include <stdio.h>
#include <string.h>

enum { HEAD_COLUMNS = 7, LINE_COLUMNS = 6, DELIVERED_COLUMNS = 2, FOUND_COLUMNS = 1 };
enum { WAREHOUSE_COLUMNS = 5, DISTRICT_COLUMNS = 5, CUSTOMER_COLUMNS = 17 };

struct wire_value *
reply_parts_add(struct reply_parts *parts, int rows, int columns)
{
    struct reply_part *part = &parts->parts[parts->count < REPLY_PARTS_MAX ? parts->count : 0];
    bool fits = parts->count < REPLY_PARTS_MAX && columns > 0 &&
                rows <= (REPLY_VALUES_MAX - parts->used) / columns;
    struct wire_value *values = &parts->values[parts->used];

    parts->count++;
    if (parts->count > REPLY_PARTS_MAX)
        return NULL;
    *part = (struct reply_part){rows, columns, fits ? values : NULL};
    if (!fits)
        return NULL;
    parts->used += rows * columns;
    return values;
}

static bool
check_part(const struct reply_parts *parts, int i, const char *what, int rows, int columns,
           struct reply_facts *facts)
{
    const struct reply_part *part = &parts->parts[i];

    if (i >= parts->count || i >= REPLY_PARTS_MAX)
        return reply_problem(facts, "%s gave no answer", what);
    if (part->rows != rows || !part->values)
        return reply_problem(facts, "%s returned %d rows instead of %d", what, part->rows, rows);
    if (part->columns != columns)
        return reply_problem(facts, "%s returned %d columns instead of %d", what, part->columns,
                             columns);
    return true;
}

/* --- new-order -------------------------------------------------------------------------------- */

static bool
check_head(const struct reply_parts *parts, int *o_id, struct reply_facts *facts)
{
    const struct wire_value *head = parts->values;
    int64_t share;

    if (!check_part(parts, 0, "new_order", 1, HEAD_COLUMNS, facts))
        return false;
    for (int i = 0; i < HEAD_COLUMNS; i++)
        if (head[i].size < 0)
            return reply_problem(facts, "new_order: column %d is null", i + 1);
    if (!wire_get_int(head[0], o_id) || *o_id < 1)
        return reply_problem(facts, "new_order: no order number");
    for (int i = 4; i < HEAD_COLUMNS; i++)
        if (!reply_get_share(head[i], &share))
            return reply_problem(facts, "new_order %d: column %d is no discount or tax", *o_id,
                                 i + 1);
    return true;
}

/* A line that was entered, and not seen yet. */
static bool
check_line(const struct new_order_input *order, const struct wire_value *line, bool *seen)
{
    int number;
    int64_t amount_cents;

    if (!wire_get_int(line[0], &number) || number < 1 || number > order->lines_count ||
        seen[number])
        return false;
    seen[number] = true;
    for (int i = 1; i < LINE_COLUMNS; i++)
        if (line[i].size < 0)
            return false;
    return line[3].size == 1 &&
           reply_get_amount(line[4], line[5], order->lines[number - 1].quantity, &amount_cents);
}

static bool
check_new_order(const struct new_order_input *order, const struct reply_parts *parts,
                struct reply_facts *facts)
{
    bool seen[ORDER_LINES_MAX + 1] = {false};
    int o_id, lines = 0;

    if (order->rolls_back)
        return reply_problem(facts, "new_order accepted item %d, which does not exist",
                             UNUSED_ITEM);
    if (!check_head(parts, &o_id, facts))
        return false;
    for (int i = 1; i < parts->count && i < REPLY_PARTS_MAX; i++) {
        const struct reply_part *part = &parts->parts[i];
        if (!check_part(parts, i, "order_lines", part->rows, LINE_COLUMNS, facts))
            return false;
        for (int row = 0; row < part->rows; row++)
            if (!check_line(order, part->values + (size_t)row * LINE_COLUMNS, seen))
                return reply_problem(facts,
                                     "new_order %d: a line is not as it was entered, or its "
                                     "amount not quantity times price",
                                     o_id);
        lines += part->rows;
    }
    if (lines != order->lines_count)
        return reply_problem(facts, "new_order %d: %d lines of %d", o_id, lines,
                             order->lines_count);
    return true;
}

bool
reply_check_parts_rollback(const struct reply_parts *parts, char *detail, size_t size,
                           struct reply_facts *facts)
{
    const struct wire_value *last = &parts->values[2], *credit = &parts->values[3];
    int o_id;

    if (!check_head(parts, &o_id, facts))
        return false;
    snprintf(detail, size, "o_id=%d c_last=%.*s c_credit=%.*s", o_id, last->size, last->data,
             credit->size, credit->data);
    return reply_check_rollback(detail, facts);
}

/* --- the others ------------------------------------------------------------------------------- */

/* In the order of the function's columns: his number first, then where he paid, then he. */
static bool
check_payment(const struct txn_input *input, const struct reply_parts *parts,
              struct reply_facts *facts)
{
    const struct wire_value *from = parts->values;
    struct reply reply = {.rows = 1, .columns = reply_columns[TXN_PAYMENT]};

    if (!check_part(parts, 0, "payment_warehouse", 1, WAREHOUSE_COLUMNS, facts) ||
        !check_part(parts, 1, "payment_district", 1, DISTRICT_COLUMNS, facts) ||
        !check_part(parts, 2, "payment_home or payment_remote", 1, CUSTOMER_COLUMNS, facts))
        return false;
    reply.values[0] = from[WAREHOUSE_COLUMNS + DISTRICT_COLUMNS];
    for (int i = 0; i < WAREHOUSE_COLUMNS + DISTRICT_COLUMNS; i++)
        reply.values[1 + i] = from[i];
    for (int i = WAREHOUSE_COLUMNS + DISTRICT_COLUMNS + 1; i < reply.columns; i++)
        reply.values[i] = from[i];
    return reply_check(input, &reply, facts);
}

static bool
check_delivery(const struct reply_parts *parts, struct reply_facts *facts)
{
    if (parts->count != DISTRICTS_PER_WAREHOUSE)
        return reply_problem(facts, "delivery: %d districts instead of %d", parts->count,
                             DISTRICTS_PER_WAREHOUSE);
    for (int i = 0; i < parts->count; i++) {
        const struct reply_part *part = &parts->parts[i];
        int *o_id = &facts->orders[i];
        *o_id = 0;
        if (part->rows == 0) {
            facts->districts_skipped++;
            continue;
        }
        if (!check_part(parts, i, "delivery", 1, DELIVERED_COLUMNS, facts))
            return false;
        if (!wire_get_int(part->values[0], o_id) || *o_id < 1 || part->values[1].size < 0)
            return reply_problem(facts, "delivery: a malformed order number, or no date");
    }
    return true;
}

static bool
check_row(const struct txn_input *input, const struct reply_parts *parts, struct reply_facts *facts)
{
    struct reply reply = {.rows = 1, .columns = reply_columns[input->type]};

    if (!check_part(parts, 0, txn_routines[input->type], 1, reply.columns, facts))
        return false;
    memcpy(reply.values, parts->values, (size_t)reply.columns * sizeof *reply.values);
    return reply_check(input, &reply, facts);
}

bool
reply_check_parts(const struct txn_input *input, const struct reply_parts *parts,
                  struct reply_facts *facts)
{
    facts->districts_skipped = 0;
    switch (input->type) {
    case TXN_NEW_ORDER: return check_new_order(&input->of.new_order, parts, facts);
    case TXN_PAYMENT: return check_payment(input, parts, facts);
    case TXN_DELIVERY: return check_delivery(parts, facts);
    case TXN_ORDER_STATUS:
    case TXN_STOCK_LEVEL:
    case TXN_LOOKUP:
    case TXN_INSERT:
    case TXN_NULL: return check_row(input, parts, facts);
    case TXN_TYPES: break;
    }
    must(!"a type of transaction");
    return false;
}

int
reply_customer_found(const struct reply_parts *parts)
{
    struct reply_facts ignored;
    int number = 0;

    if (!check_part(parts, 0, "payment_find", 1, FOUND_COLUMNS, &ignored) ||
        !wire_get_int(parts->values[0], &number) || number < 1)
        return 0;
    return number;
}
