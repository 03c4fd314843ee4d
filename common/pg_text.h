/* Texts as libpq gives them, made into the kit's: one line, without secrets. Pure. */
#ifndef ORDERMILL_COMMON_PG_TEXT_H
#define ORDERMILL_COMMON_PG_TEXT_H

#include "common/buf.h"

/* libpq's messages have several lines, indented and ended by a newline; ours have one. */
void pg_one_line(const char *message, char *text, size_t size);
/* Leaves out what a message about a malformed connection string quotes of it, from the first quote
 * on: a piece may be the password, and hold quotes itself. */
void pg_put_unquoted(struct buf *out, const char *text);
/* Whether an error with this SQLSTATE means that the session has ended. After a backend was killed
 * there may be none at all. */
bool pg_code_ends_session(const char *sqlstate);
/* libpq tries with TLS and then without, and gives the same answer of the server twice. */
void pg_drop_repetition(char *text);

#endif
