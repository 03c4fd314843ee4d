/* Finds in the log of initdb or postgres the line that says what went wrong. */
#ifndef ORDERMILL_SERVER_SERVER_LOG_H
#define ORDERMILL_SERVER_SERVER_LOG_H

#include <stddef.h>

/* Writes into reason the last line that tells of a failure ("FATAL: ...", "initdb: error: ..."),
 * without time stamp and process number, else the last line that is not empty, else "its log is
 * empty". Looks at the last 16 kB of the file. */
void server_log_reason(const char *path, char *reason, size_t size);

#endif
