/* The binary COPY format (PostgreSQL manual, COPY, "Binary Format"), written into a buf: the
 * signature, then tuples of length-prefixed fields in network byte order, then the trailer.
 * No libpq here; pure and tested without a server. A binary parameter of a
 * statement is such a field without its first four bytes, the length. */
#ifndef ORDERMILL_COMMON_PGCOPY_H
#define ORDERMILL_COMMON_PGCOPY_H

#include <stdint.h>

#include "common/buf.h"

void pgcopy_begin(struct buf *out);
void pgcopy_tuple(struct buf *out, int fields);
void pgcopy_null(struct buf *out);
void pgcopy_int2(struct buf *out, int16_t value);
void pgcopy_int4(struct buf *out, int32_t value);
void pgcopy_int8(struct buf *out, int64_t value);
void pgcopy_text(struct buf *out, const char *text, size_t length);
/* value / 10^scale as numeric with that display scale: pgcopy_numeric(out, 1234, 2) is 12.34.
 * scale 0..18. */
void pgcopy_numeric(struct buf *out, int64_t value, int scale);
/* Microseconds since 1970-01-01 UTC. */
void pgcopy_timestamptz(struct buf *out, int64_t wall_us);
void pgcopy_end(struct buf *out);

#endif
