/* A transaction as plain statements that the client sends itself, several in one round trip
 * (--call statements): which ones, in what order, with what parameters. The texts are those of
 * procedures/statements/. Pure; does not allocate on the way of a transaction.
 *
 *   New-Order       BEGIN, head, lines (a call for each supply warehouse), COMMIT
 *   Payment         BEGIN, warehouse, district, customer and history, COMMIT
 *     by a customer of another warehouse, in two trips:
 *                   BEGIN, his number | warehouse, district, customer, history, COMMIT
 *   Delivery        BEGIN, ten districts, COMMIT
 *   Order-Status, Stock-Level, the probes
 *                   one statement, which is a transaction by itself
 *
 * COMMIT goes along with what it commits: a statement that finds something missing fails, the
 * server then passes over all that follows in the trip, and a ROLLBACK is sent. */
#ifndef ORDERMILL_DRIVER_STATEMENTS_H
#define ORDERMILL_DRIVER_STATEMENTS_H

#include "driver/request.h"

enum statement {
    STATEMENT_BEGIN,
    STATEMENT_COMMIT,
    STATEMENT_ROLLBACK,
    STATEMENT_NEW_ORDER,
    STATEMENT_ORDER_LINES,
    STATEMENT_PAYMENT_WAREHOUSE,
    STATEMENT_PAYMENT_DISTRICT,
    STATEMENT_PAYMENT_HOME,
    STATEMENT_PAYMENT_FIND,
    STATEMENT_PAYMENT_REMOTE,
    STATEMENT_PAYMENT_HISTORY,
    STATEMENT_ORDER_STATUS,
    STATEMENT_DELIVERY,
    STATEMENT_STOCK_LEVEL,
    STATEMENT_LOOKUP,
    STATEMENT_INSERT_HISTORY,
    STATEMENT_NOTHING,
    STATEMENTS
};

/* Name, parameters and text of one, for the schema "ordermill"; the text is cut out of its file. */
struct txn_statement statements_get(struct arena *arena, enum statement statement);

/* BEGIN, COMMIT, and the most that come between: each line of an order by itself. */
#define STATEMENTS_TRIP_MAX (3 + ORDER_LINES_MAX)

/* How far a transaction has come; zeroed at its beginning. */
struct statements_cursor {
    int step;     /* in the list of its statements */
    int repeat;   /* lines or districts already done */
    int customer; /* of a remote payment: what the first trip found, to be set before the second */
};

/* The next statement of this trip; its parameters are then in `request`, whose format is the
 * caller's. STATEMENTS at the end of a trip; the next call begins another unless all is sent. */
enum statement statements_next(struct statements_cursor *cursor, const struct txn_input *input,
                               const struct txn_statement statements[STATEMENTS],
                               struct request *request, enum request_format format);
/* Whether all statements have been sent: what is not answered now may have been committed. */
bool statements_are_sent(const struct statements_cursor *cursor, const struct txn_input *input);

#endif
