/* The notation of a ladder: "1 2 4", "1..8", "8..64/8", "1..256 x2", in any mixture. Pure. */
#ifndef ORDERMILL_COMMON_LADDER_H
#define ORDERMILL_COMMON_LADDER_H

#include <stdint.h>

#include "common/err.h"

/* Numbers from `minimum` to `maximum`, at most `room` of them, in the order in which they stand. A
 * range A..B goes up by 1, A..B/S by S, A..B xF by the factor F of 1.01 to 1000, rounded, by one at
 * least; A and B are always in it. Items are separated by blanks or commas. ERR_USAGE. */
MUST_CHECK bool ladder_parse(const char *text, int64_t minimum, int64_t maximum, int64_t *values,
                             int room, int *count, struct err *err);

#endif
