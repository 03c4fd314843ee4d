/* The sections of report.txt that stand in files of their own, and what they share. For text*.c. */
#ifndef ORDERMILL_REPORTS_TEXT_PARTS_H
#define ORDERMILL_REPORTS_TEXT_PARTS_H

#include "common/buf.h"
#include "common/result.h"

/* Appends text in lines of at most 80 columns; the first goes on where the line stands (at column
 * `column`), the others begin at `indent`. A word that is longer than a line is cut. */
void text_wrap(struct buf *out, size_t column, size_t indent, const char *text);
void text_heading(struct buf *out, const char *title);

/* What was seen beside the load, step by step; what the doctor found. Nothing where there is
 * nothing. */
void text_metrics(const struct run *run, struct buf *out);
void text_findings(const struct run *run, struct buf *out);
/* Vacuums and checkpoints between the steps, and where the run was broken off. */
void text_course(const struct run *run, struct buf *out);

#endif
