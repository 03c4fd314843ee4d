/* Owns the text forms: digits, quoting, and the braces of arrays. */
#include "driver/wire_text.h"

#include <limits.h>
#include <string.h>

char *
wire_put_decimal(char *to, int value)
{
    char digits[12];
    int count = 0;
    unsigned left = value < 0 ? 0U - (unsigned)value : (unsigned)value;

    if (value < 0)
        *to++ = '-';
    do
        digits[count++] = (char)('0' + left % 10);
    while (left /= 10);
    while (count > 0)
        *to++ = digits[--count];
    return to;
}

char *
wire_put_cents_literal(char *to, int cents)
{
    must(cents >= 0 && cents < 100000000);
    *to++ = '\'';
    to = wire_put_decimal(to, cents / 100);
    *to++ = '.';
    *to++ = (char)('0' + cents / 10 % 10);
    *to++ = (char)('0' + cents % 10);
    *to++ = '\'';
    return to;
}

char *
wire_put_literal(char *to, const char *text, int length)
{
    if (memchr(text, '\\', (size_t)length))
        *to++ = 'E';
    *to++ = '\'';
    for (int i = 0; i < length; i++) {
        if (text[i] == '\'' || text[i] == '\\')
            *to++ = text[i];
        *to++ = text[i];
    }
    *to++ = '\'';
    return to;
}

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool
wire_text_numeric(struct wire_value value, int scale, int64_t *number)
{
    bool negative = value.size > 0 && value.data[0] == '-', fraction = false;
    int64_t sum = 0;

    if (value.size <= negative || !is_digit(value.data[negative]) ||
        !is_digit(value.data[value.size - 1]))
        return false;
    for (int i = negative; i < value.size; i++) {
        char c = value.data[i];
        if (c == '.' && !fraction) {
            fraction = true;
            continue;
        }
        if (!is_digit(c))
            return false;
        if (fraction && scale-- == 0) {
            /* No place is left: zeros alone may follow. */
            scale = 0;
            if (c != '0')
                return false;
            continue;
        }
        if (__builtin_mul_overflow(sum, 10, &sum) || __builtin_add_overflow(sum, c - '0', &sum))
            return false;
    }
    for (; scale > 0; scale--)
        if (__builtin_mul_overflow(sum, 10, &sum))
            return false;
    *number = negative ? -sum : sum;
    return true;
}

bool
wire_text_int(struct wire_value value, int *number)
{
    int64_t wide;

    if (value.size < 1 || memchr(value.data, '.', (size_t)value.size) ||
        !wire_text_numeric(value, 0, &wide) || wide < INT_MIN || wide > INT_MAX)
        return false;
    *number = (int)wide;
    return true;
}

/* The end of the element that begins at `at`, or NULL: quoted, or a bare word. */
static const char *
end_of_element(const char *at, const char *end)
{
    if (at < end && *at == '"') {
        for (at++; at < end && *at != '"'; at++)
            at += *at == '\\';
        return at < end ? at + 1 : NULL;
    }
    const char *from = at;
    while (at < end && !strchr(",{}\"\\", *at))
        at++;
    return at > from ? at : NULL;
}

/* One dimension, without bounds written out. */
bool
wire_text_array(struct wire_value value, struct wire_array *array)
{
    *array = (struct wire_array){.text = true};
    if (value.size < 2 || value.data[0] != '{' || value.data[value.size - 1] != '}')
        return false;
    const char *at = array->next = value.data + 1;
    const char *end = array->end = value.data + value.size - 1;
    if (at == end)
        return true;
    /* Walked once here, so that wire_text_next can trust every element. */
    for (;; at++) {
        at = end_of_element(at, end);
        if (!at)
            return false;
        array->left = ++array->count;
        if (at == end)
            return true;
        if (*at != ',')
            return false;
    }
}

bool
wire_text_next(struct wire_array *array, struct wire_value *element)
{
    if (array->left == 0)
        return false;
    array->left--;
    const char *from = array->next, *to = end_of_element(from, array->end);
    bool quoted = *from == '"';
    *element = (struct wire_value){
        .data = from + quoted, .size = (int)(to - from) - 2 * quoted, .text = true};
    if (!quoted && element->size == 4 && memcmp(from, "NULL", 4) == 0)
        element->size = -1;
    array->next = to + (to < array->end);
    return true;
}
