/* Texts that came from outside (names, settings, messages of the server) made fit for a report.
 * Pure. Bytes that are no UTF-8 and control characters become U+FFFD in either form. */
#ifndef ORDERMILL_REPORTS_ESCAPE_H
#define ORDERMILL_REPORTS_ESCAPE_H

#include "common/buf.h"

/* Appends as HTML (and XML) text or attribute value: & < > " ' are replaced. */
void escape_html(struct buf *out, const char *text);
/* Appends on one line, at most `columns` characters, the last being "…" where text was cut. */
void escape_line(struct buf *out, const char *text, size_t columns);
/* Characters, not bytes. */
size_t escape_columns(const char *text);

#endif
