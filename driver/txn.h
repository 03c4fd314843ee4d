/* How a transaction reaches the server as one call of a function or a procedure: the statements,
 * and the inputs as their parameters. Pure; does not allocate. What comes back is read in reply.h.
 */
#ifndef ORDERMILL_DRIVER_TXN_H
#define ORDERMILL_DRIVER_TXN_H

#include "driver/request.h"

extern const struct txn_statement txn_statements[TXN_TYPES];
/* The same transaction by CALL of the procedure that procedures.h makes of the function; written
 * for the schema "ordermill" too. */
char *txn_call_sql(struct arena *arena, enum txn_type type);
/* Adds the parameters of the input's own statement. */
void txn_encode(struct request *request, const struct txn_input *input);

#endif
