/* Owns the byte layouts. numeric: int16 digits, weight, sign, decimals, then digits of base 10000.
 * Arrays: int32 dimensions, null flag, element oid, count, lower bound, then length and bytes of
 * each element. */
#include "driver/wire.h"

#include <endian.h>
#include <string.h>

#include "driver/wire_text.h"

#define NUMERIC_BASE     10000
#define NUMERIC_HEAD     8
#define NUMERIC_POSITIVE 0x0000
#define NUMERIC_NEGATIVE 0x4000
#define SCALE_MAX        18

char *
wire_put_int2(char *to, int value)
{
    uint16_t raw = htobe16((uint16_t)value);

    memcpy(to, &raw, sizeof raw);
    return to + sizeof raw;
}

char *
wire_put_int4(char *to, int value)
{
    uint32_t raw = htobe32((uint32_t)value);

    memcpy(to, &raw, sizeof raw);
    return to + sizeof raw;
}

char *
wire_put_cents(char *to, int cents)
{
    int whole = cents / 100, fraction = cents % 100 * 100;

    must(cents >= 0 && whole < NUMERIC_BASE * 100);
    bool two = whole >= NUMERIC_BASE;
    to = wire_put_int2(to, 1 + two + (fraction > 0));
    to = wire_put_int2(to, two);
    to = wire_put_int2(to, NUMERIC_POSITIVE);
    to = wire_put_int2(to, 2);
    if (two)
        to = wire_put_int2(to, whole / NUMERIC_BASE);
    to = wire_put_int2(to, whole % NUMERIC_BASE);
    return fraction > 0 ? wire_put_int2(to, fraction) : to;
}

char *
wire_put_array_head(char *to, enum wire_type element, int count)
{
    to = wire_put_int4(to, 1);
    to = wire_put_int4(to, 0);
    to = wire_put_int4(to, (int)element);
    to = wire_put_int4(to, count);
    return wire_put_int4(to, 1);
}

char *
wire_put_element_int2(char *to, int value)
{
    return wire_put_int2(wire_put_int4(to, 2), value);
}

char *
wire_put_element_int4(char *to, int value)
{
    return wire_put_int4(wire_put_int4(to, 4), value);
}

static int
get_int2(const char *from)
{
    uint16_t raw;

    memcpy(&raw, from, sizeof raw);
    return (int16_t)be16toh(raw);
}

static int
get_int4(const char *from)
{
    uint32_t raw;

    memcpy(&raw, from, sizeof raw);
    return (int32_t)be32toh(raw);
}

bool
wire_get_int(struct wire_value value, int *number)
{
    if (value.text)
        return wire_text_int(value, number);
    if (value.size == 4)
        *number = get_int4(value.data);
    else if (value.size == 2)
        *number = get_int2(value.data);
    else
        return false;
    return true;
}

/* Adds digit * 10^exponent; a negative exponent must not cut anything off. */
static bool
add_digit(int64_t *sum, int digit, int exponent)
{
    int64_t term = digit;

    if (digit == 0)
        return true;
    if (exponent > SCALE_MAX || exponent < -SCALE_MAX)
        return false;
    for (; exponent > 0; exponent--)
        if (__builtin_mul_overflow(term, 10, &term))
            return false;
    for (; exponent < 0; exponent++) {
        if (term % 10 != 0)
            return false;
        term /= 10;
    }
    return !__builtin_add_overflow(*sum, term, sum);
}

bool
wire_get_numeric(struct wire_value value, int scale, int64_t *number)
{
    int64_t sum = 0;

    if (value.text)
        return wire_text_numeric(value, scale, number);
    if (value.size < NUMERIC_HEAD)
        return false;
    int digits = get_int2(value.data), weight = get_int2(value.data + 2);
    int sign = get_int2(value.data + 4);
    if (digits < 0 || value.size != NUMERIC_HEAD + 2 * digits ||
        (sign != NUMERIC_POSITIVE && sign != NUMERIC_NEGATIVE))
        return false;
    for (int i = 0; i < digits; i++) {
        int digit = get_int2(value.data + NUMERIC_HEAD + 2 * i);
        if (digit < 0 || digit >= NUMERIC_BASE || !add_digit(&sum, digit, 4 * (weight - i) + scale))
            return false;
    }
    *number = sign == NUMERIC_NEGATIVE ? -sum : sum;
    return true;
}

bool
wire_get_array(struct wire_value value, struct wire_array *array)
{
    enum { EMPTY_HEAD = 12 };

    if (value.text)
        return wire_text_array(value, array);
    *array = (struct wire_array){0};
    if (value.size < EMPTY_HEAD)
        return false;
    int dimensions = get_int4(value.data);
    if (dimensions == 0)
        return value.size == EMPTY_HEAD;
    if (dimensions != 1 || value.size < WIRE_ARRAY_HEAD)
        return false;
    array->count = array->left = get_int4(value.data + 12);
    array->next = value.data + WIRE_ARRAY_HEAD;
    array->end = value.data + value.size;
    /* Walked once here, so that wire_next can trust every length. */
    struct wire_array walk = *array;
    for (int i = 0; i < array->count; i++) {
        if (walk.end - walk.next < 4)
            return false;
        int size = get_int4(walk.next);
        walk.next += 4;
        if (size < -1 || walk.end - walk.next < (size > 0 ? size : 0))
            return false;
        walk.next += size > 0 ? size : 0;
    }
    return array->count > 0 && walk.next == walk.end;
}

bool
wire_next(struct wire_array *array, struct wire_value *element)
{
    if (array->text)
        return wire_text_next(array, element);
    if (array->left == 0)
        return false;
    array->left--;
    *element = (struct wire_value){.data = array->next + 4, .size = get_int4(array->next)};
    array->next += 4 + (element->size > 0 ? element->size : 0);
    return true;
}
