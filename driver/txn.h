/* How a transaction reaches the server: the prepared statements, and the inputs as their binary
 * parameters. Pure; does not allocate. What comes back is read in reply.h. */
#ifndef ORDERMILL_DRIVER_TXN_H
#define ORDERMILL_DRIVER_TXN_H

#include "common/pg.h"
#include "driver/terminal.h"
#include "driver/wire.h"

#define TXN_PARAMETERS_MAX 7

/* One prepared statement, written for the schema "ordermill" (see sql_for_schema). */
struct txn_statement {
    const char *name;
    const char *sql;
    int count;
    uint32_t types[TXN_PARAMETERS_MAX];
};

extern const struct txn_statement txn_statements[TXN_TYPES];
/* The same transaction by CALL of the procedure that procedures.h makes of the function; written
 * for the schema "ordermill" too. */
char *txn_call_sql(struct arena *arena, enum txn_type type);
/* The function that does nothing, in place of all five: calibration. */
extern const struct txn_statement txn_nothing;

enum txn_format {
    TXN_BINARY,   /* parameters of the extended protocol */
    TXN_LITERALS, /* quoted, for a statement of the simple one */
};

/* The parameters of one call. Pointers lead into the struct itself: it cannot be copied. */
struct txn_request {
    enum txn_type type;
    enum txn_format format;
    struct pg_call call;
    const char *values[TXN_PARAMETERS_MAX];
    int sizes[TXN_PARAMETERS_MAX];
    char bytes[WIRE_ARRAY_MAX(ORDER_LINES_MAX) * 3 + 64];
};

void txn_encode(struct txn_request *request, const struct txn_input *input, enum txn_format format);
void txn_encode_nothing(struct txn_request *request, const struct txn_input *input,
                        enum txn_format format);

/* The statement with its parameters $1... replaced by the request's literals. */
#define TXN_SQL_MAX 2048
void txn_write_sql(char sql[TXN_SQL_MAX], const struct txn_statement *statement,
                   const struct txn_request *request);

#endif
