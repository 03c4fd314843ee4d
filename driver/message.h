/* Messages of PostgreSQL's protocol 3.0, as far as a call of a prepared statement needs them: one
 * to the server, and the heads and bodies of those that come back. Every length is checked against
 * what is there. Pure; does not allocate. */
#ifndef ORDERMILL_DRIVER_MESSAGE_H
#define ORDERMILL_DRIVER_MESSAGE_H

#include "driver/request.h"
#include "driver/wire.h"

/* Bind, Execute and Sync around a request's values: 64 for the name, 12 for each value. */
#define MESSAGE_CALL_MAX (sizeof((struct request *)0)->bytes + 192)

/* Writes the three at `to`; returns where they end. The statement must be a named one. */
char *message_put_call(char *to, const struct pg_call *call);

enum message_type {
    MESSAGE_PARSE_DONE = '1',
    MESSAGE_BIND_DONE = '2',
    MESSAGE_CLOSE_DONE = '3',
    MESSAGE_NOTIFICATION = 'A',
    MESSAGE_COMPLETE = 'C',
    MESSAGE_ROW = 'D',
    MESSAGE_ERROR = 'E',
    MESSAGE_EMPTY = 'I',
    MESSAGE_NOTICE = 'N',
    MESSAGE_PARAMETER = 'S',
    MESSAGE_ROW_DESCRIPTION = 'T',
    MESSAGE_READY = 'Z',
    MESSAGE_NO_DATA = 'n',
};

#define MESSAGE_HEAD 5
/* The bytes of the whole message, head included, of which at least MESSAGE_HEAD stand at `head`;
 * 0 when no message can have that length: the two sides have lost each other. */
size_t message_size(const char *head);

/* What stands in a body. */
struct message {
    enum message_type type;
    const char *body;
    size_t size;
};

/* A field of an error or a notice by its letter ('C' the SQLSTATE, 'M' the primary message, 'D'
 * the detail, 'H' the hint, 'S' the severity), "" when absent or cut off. */
const char *message_field(const struct message *message, char letter);

/* The values of a row, at most `max` of them; the others are passed over. Gives how many the row
 * has. False when its lengths are not those of its body. */
MUST_CHECK bool message_row(const char *body, size_t size, struct wire_value *values, int max,
                            int *columns);

#endif
