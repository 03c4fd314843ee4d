/* How a step's load was made, in words: the same in the text of a run and in the reports. */
#ifndef ORDERMILL_COMMON_LOAD_TEXT_H
#define ORDERMILL_COMMON_LOAD_TEXT_H

#include "common/buf.h"
#include "common/result.h"

/* One sentence without an end: "80 terminals at the standard's pace share 40 sessions, home
 * warehouses are dealt out in turn, types by weights". */
/* Who enters transactions: "virtual user" or "terminal"; and who has a session: the same, or
 * "session" where fewer are shared, or others have some too. */
const char *load_who(const struct step *step);
const char *load_holder(const struct step *step);

/* The shares of the least and the most active home warehouse, and of the one in the middle, and
 * what they mean; nothing where no new-order was committed, or the numbers are not known. */
void load_homes_text(struct buf *out, const struct step *step);
void load_text(struct buf *out, const struct step *step);
/* What ran and how it was called: mix, procedures or statements, protocol, isolation level; and
 * that a mix without new-orders has no NOPM. Names are as they were stored. */
void call_text(struct buf *out, const struct step *step);

#endif
