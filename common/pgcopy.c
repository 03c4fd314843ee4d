/* Owns the bytes of PostgreSQL's binary COPY format and of the types the kit's tables have. Writes
 * into memory only. */
#include "common/pgcopy.h"

#include <string.h>

#define NUMERIC_POSITIVE 0x0000
#define NUMERIC_NEGATIVE 0x4000
#define SCALE_MAX        18
/* 2000-01-01 00:00 UTC, where the server's timestamps begin. */
#define SERVER_EPOCH_US (INT64_C(946684800) * 1000000)

static const int64_t powers_of_ten[SCALE_MAX + 1] = {
    INT64_C(1),
    INT64_C(10),
    INT64_C(100),
    INT64_C(1000),
    INT64_C(10000),
    INT64_C(100000),
    INT64_C(1000000),
    INT64_C(10000000),
    INT64_C(100000000),
    INT64_C(1000000000),
    INT64_C(10000000000),
    INT64_C(100000000000),
    INT64_C(1000000000000),
    INT64_C(10000000000000),
    INT64_C(100000000000000),
    INT64_C(1000000000000000),
    INT64_C(10000000000000000),
    INT64_C(100000000000000000),
    INT64_C(1000000000000000000),
};

static inline char *
put16(char *to, uint16_t value)
{
    value = __builtin_bswap16(value);
    memcpy(to, &value, sizeof value);
    return to + sizeof value;
}

static inline char *
put32(char *to, uint32_t value)
{
    value = __builtin_bswap32(value);
    memcpy(to, &value, sizeof value);
    return to + sizeof value;
}

static inline char *
put64(char *to, uint64_t value)
{
    value = __builtin_bswap64(value);
    memcpy(to, &value, sizeof value);
    return to + sizeof value;
}

/* Room for size bytes; the call is left out where the buffer has it already. */
static inline char *
open_room(struct buf *out, size_t size)
{
    return out->capacity - out->length > size ? out->data + out->length : buf_reserve(out, size);
}

static inline void
close_room(struct buf *out, char *end)
{
    *end = '\0';
    out->length = (size_t)(end - out->data);
}

void
pgcopy_begin(struct buf *out)
{
    static const char signature[11] = "PGCOPY\n\377\r\n";

    buf_append(out, signature, sizeof signature);
    char *to = open_room(out, 8);
    to = put32(to, 0);             /* flags */
    close_room(out, put32(to, 0)); /* length of the header's extension */
}

void
pgcopy_tuple(struct buf *out, int fields)
{
    close_room(out, put16(open_room(out, 2), (uint16_t)fields));
}

void
pgcopy_end(struct buf *out)
{
    pgcopy_tuple(out, -1);
}

void
pgcopy_null(struct buf *out)
{
    close_room(out, put32(open_room(out, 4), UINT32_MAX));
}

void
pgcopy_int2(struct buf *out, int16_t value)
{
    char *to = put32(open_room(out, 6), 2);

    close_room(out, put16(to, (uint16_t)value));
}

void
pgcopy_int4(struct buf *out, int32_t value)
{
    char *to = put32(open_room(out, 8), 4);

    close_room(out, put32(to, (uint32_t)value));
}

void
pgcopy_int8(struct buf *out, int64_t value)
{
    char *to = put32(open_room(out, 12), 8);

    close_room(out, put64(to, (uint64_t)value));
}

void
pgcopy_timestamptz(struct buf *out, int64_t wall_us)
{
    pgcopy_int8(out, wall_us - SERVER_EPOCH_US);
}

void
pgcopy_text(struct buf *out, const char *text, size_t length)
{
    must(length <= INT32_MAX);
    char *to = put32(open_room(out, length + 4), (uint32_t)length);
    if (length > 0)
        memcpy(to, text, length);
    close_room(out, to + length);
}

/* A numeric is a list of digits to the base of 10000. The weight tells the first digit's power, so
 * zero digits at either end are left out. They are filled in from the last to the first; at most 5
 * stand before the decimal point and 5 behind it. */
struct digits {
    uint16_t digit[10];
    int first, end; /* those that count: digit[first..end) */
};

static void
prepend(struct digits *digits, unsigned digit)
{
    digits->digit[--digits->first] = (uint16_t)digit;
    if (digit == 0 && digits->first + 1 == digits->end)
        digits->end--;
}

void
pgcopy_numeric(struct buf *out, int64_t value, int scale)
{
    must(scale >= 0 && scale <= SCALE_MAX);
    uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    struct digits digits = {.first = 10, .end = 10};
    int partial = scale % 4; /* decimals in the last digit, when it is not full */
    int fraction_digits = (scale + 3) / 4;

    if (partial > 0) {
        uint64_t power = (uint64_t)powers_of_ten[partial];
        prepend(&digits, (unsigned)(magnitude % power * (uint64_t)powers_of_ten[4 - partial]));
        magnitude /= power;
    }
    for (int i = 0; i < scale / 4; i++, magnitude /= 10000)
        prepend(&digits, (unsigned)(magnitude % 10000));
    for (; magnitude > 0; magnitude /= 10000)
        prepend(&digits, (unsigned)(magnitude % 10000));
    int weight = 10 - digits.first - fraction_digits - 1;
    while (digits.first < digits.end && digits.digit[digits.first] == 0) {
        digits.first++;
        weight--;
    }

    int count = digits.end - digits.first;
    char *to = open_room(out, 12 + 2 * (size_t)count);
    to = put32(to, 8 + 2 * (uint32_t)count);
    to = put16(to, (uint16_t)count);
    to = put16(to, count > 0 ? (uint16_t)weight : 0);
    to = put16(to, value < 0 ? NUMERIC_NEGATIVE : NUMERIC_POSITIVE);
    to = put16(to, (uint16_t)scale);
    for (int i = digits.first; i < digits.end; i++)
        to = put16(to, digits.digit[i]);
    close_room(out, to);
}
