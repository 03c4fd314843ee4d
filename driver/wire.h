/* PostgreSQL's binary formats of the types that the procedures take and give: integers, numeric,
 * text, and arrays of them. Writing never allocates; reading checks every length, and takes the
 * text formats as well (wire_text.h). Pure. */
#ifndef ORDERMILL_DRIVER_WIRE_H
#define ORDERMILL_DRIVER_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

enum wire_type { /* type oids; they are fixed in every PostgreSQL */
                 WIRE_INT2 = 21,
                 WIRE_INT4 = 23,
                 WIRE_TEXT = 25,
                 WIRE_INT2_ARRAY = 1005,
                 WIRE_INT4_ARRAY = 1007,
                 WIRE_NUMERIC = 1700,
};

/* Each writes at `to` and returns the end of what it wrote. */
char *wire_put_int2(char *to, int value);
char *wire_put_int4(char *to, int value);
char *wire_put_cents(char *to, int cents); /* numeric with two decimals; 0 <= cents < 10^8 */
char *wire_put_array_head(char *to, enum wire_type element, int count); /* elements follow */
#define WIRE_NUMERIC_MAX  12
#define WIRE_ARRAY_HEAD   20
#define WIRE_ARRAY_MAX(n) (WIRE_ARRAY_HEAD + (n)*8) /* of int4 */
char *wire_put_element_int2(char *to, int value);
char *wire_put_element_int4(char *to, int value);

/* A value as it came. */
struct wire_value {
    const char *data;
    int size;  /* -1: null */
    bool text; /* in the text format */
};

/* All return false when the bytes are not such a value, a null included. */
MUST_CHECK bool wire_get_int(struct wire_value value, int *number); /* int2 or int4 */
/* numeric, times 10^scale; false too for NaN, for more decimals than that, and past 63 bits. */
MUST_CHECK bool wire_get_numeric(struct wire_value value, int scale, int64_t *number);

/* One-dimensional arrays, element after element. */
struct wire_array {
    const char *next, *end;
    int count; /* of elements; 0 for the empty array */
    int left;
    bool text;
};
MUST_CHECK bool wire_get_array(struct wire_value value, struct wire_array *array);
/* The next element; false at the end. A null has size -1. An element in the text format that was
 * quoted comes without its quotes, its backslashes as they are. */
bool wire_next(struct wire_array *array, struct wire_value *element);

#endif
