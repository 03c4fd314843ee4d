/* The same types in the text formats of the simple protocol: values as quoted literals on the way
 * there, as PostgreSQL prints them on the way back. Behind wire.h for reading. Writing never
 * allocates, and quotes whatever it is given. Pure. */
#ifndef ORDERMILL_DRIVER_WIRE_TEXT_H
#define ORDERMILL_DRIVER_WIRE_TEXT_H

#include "driver/wire.h"

/* Each writes at `to` and returns the end of what it wrote. */
char *wire_put_decimal(char *to, int value); /* bare: the digits alone */
/* '12.30'; 0 <= cents < 10^8. */
char *wire_put_cents_literal(char *to, int cents);
/* 'text', or E'te\\xt' where it holds a backslash, so that standard_conforming_strings is of no
 * account; at most WIRE_LITERAL_MAX(length) bytes. */
char *wire_put_literal(char *to, const char *text, int length);
#define WIRE_LITERAL_MAX(length) (2 * (length) + 3)

/* For wire.c: see wire_get_int, wire_get_numeric, wire_get_array and wire_next. */
MUST_CHECK bool wire_text_int(struct wire_value value, int *number);
MUST_CHECK bool wire_text_numeric(struct wire_value value, int scale, int64_t *number);
MUST_CHECK bool wire_text_array(struct wire_value value, struct wire_array *array);
MUST_CHECK bool wire_text_next(struct wire_array *array, struct wire_value *element);

#endif
