/* What the procedures give back, checked against what was entered: the terminal would have to show
 * it, so it must be there and add up. Pure. */
#ifndef ORDERMILL_DRIVER_REPLY_H
#define ORDERMILL_DRIVER_REPLY_H

#include "driver/terminal.h"
#include "driver/wire.h"

#define REPLY_COLUMNS_MAX 28

/* Stands where an SQLSTATE would, when the server reported success but its answer is wrong. */
#define REPLY_WRONG "OM900"
/* The intended rollback of new-order. */
#define REPLY_ROLLED_BACK "OM001"

/* How many columns the answer of a procedure has. */
extern const int reply_columns[TXN_TYPES];

struct reply {
    int rows, columns;
    struct wire_value values[REPLY_COLUMNS_MAX]; /* of the only row */
};

struct reply_facts {
    int districts_skipped; /* of delivery, as the next one: the order of each district, 0: none */
    int orders[DISTRICTS_PER_WAREHOUSE];
    char problem[160]; /* when the check fails */
};

/* Whether the answer is what the procedure promises for this input. */
MUST_CHECK bool reply_check(const struct txn_input *input, const struct reply *reply,
                            struct reply_facts *facts);
/* Says what is wrong; false. */
bool reply_problem(struct reply_facts *facts, const char *format, ...) PRINTF_LIKE(2, 3);
/* A discount or a tax: numeric(4,4), not negative; in 1/10,000. */
MUST_CHECK bool reply_get_share(struct wire_value value, int64_t *share);
/* Whether a line's amount is quantity times price, and the price possible; gives the amount. */
MUST_CHECK bool reply_get_amount(struct wire_value price, struct wire_value amount, int quantity,
                                 int64_t *amount_cents);

/* Whether the DETAIL of an intended rollback holds what the terminal still shows (2.4.3.4). */
MUST_CHECK bool reply_check_rollback(const char *detail, struct reply_facts *facts);

#endif
