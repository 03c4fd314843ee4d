/* What the kit says to the person at the terminal: all of it on stderr; results go to stdout.
 * Levels: -q leaves warnings and errors, -v adds detail. Every line is scrubbed of secrets.
 * Safe to call from any thread. */
#ifndef ORDERMILL_COMMON_LOG_H
#define ORDERMILL_COMMON_LOG_H

#include "common/err.h"

enum log_level { LOG_QUIET, LOG_NORMAL, LOG_VERBOSE };

void log_init(enum log_level level);
enum log_level log_level(void);

void log_detail(const char *format, ...) PRINTF_LIKE(1, 2);
void log_info(const char *format, ...) PRINTF_LIKE(1, 2);
void log_warning(const char *format, ...) PRINTF_LIKE(1, 2);

/* Prints "ordermill: MESSAGE" and "hint: HINT" (with -v also the SQLSTATE); returns the exit status
 * for err. */
int log_error(const struct err *err);

/* One line that is redrawn in place on a terminal, at most ten times a second; on anything else
 * a plain line at most every ten seconds. log_progress_end clears or finishes it; any other log
 * line does so by itself. */
void log_progress(const char *format, ...) PRINTF_LIKE(1, 2);
void log_progress_end(void);

/* The same with several lines, parted by newlines, on a terminal alone: log lines appear above
 * them. A terminal that was made narrower meanwhile is reckoned with. Nothing about the terminal is
 * changed but where its cursor stands, so that there is nothing to restore. */
void log_block(const char *lines);

/* Of the terminal; 80 and 24 where it does not say. */
void log_terminal_size(int *width, int *height);

/* Whether stderr is a terminal that can redraw a line. */
bool log_is_terminal(void);

#endif
