/* Owns the growth of byte buffers. Capacity doubles; the NUL behind the data is kept at all times
 * and not counted in length. */
#include "common/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CAPACITY_MIN 64

static void
grow(struct buf *buf, size_t extra)
{
    size_t needed, capacity;

    must(!__builtin_add_overflow(buf->length, extra, &needed));
    must(!__builtin_add_overflow(needed, 1, &needed));
    must(!__builtin_mul_overflow(buf->capacity, 2, &capacity));
    if (capacity < CAPACITY_MIN)
        capacity = CAPACITY_MIN;
    if (capacity < needed)
        capacity = needed;
    buf->data = must_realloc(buf->data, capacity);
    buf->capacity = capacity;
}

char *
buf_reserve(struct buf *buf, size_t extra)
{
    /* No overflow: length < capacity, or both are 0. */
    if (buf->capacity - buf->length <= extra)
        grow(buf, extra);
    return buf->data + buf->length;
}

void
buf_append(struct buf *buf, const void *data, size_t length)
{
    char *to = buf_reserve(buf, length);

    if (length > 0)
        memcpy(to, data, length);
    to[length] = '\0';
    buf->length += length;
}

void
buf_puts(struct buf *buf, const char *text)
{
    buf_append(buf, text, strlen(text));
}

void
buf_putc(struct buf *buf, char c)
{
    char *to = buf_reserve(buf, 1);

    to[0] = c;
    to[1] = '\0';
    buf->length++;
}

void
buf_printfv(struct buf *buf, const char *format, va_list ap)
{
    va_list again;
    char *to = buf_reserve(buf, 0);
    size_t room = buf->capacity - buf->length;

    va_copy(again, ap);
    int length = vsnprintf(to, room, format, ap);
    must(length >= 0);
    if ((size_t)length >= room) {
        to = buf_reserve(buf, (size_t)length);
        must(vsnprintf(to, (size_t)length + 1, format, again) == length);
    }
    va_end(again);
    buf->length += (size_t)length;
}

void
buf_printf(struct buf *buf, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    buf_printfv(buf, format, ap);
    va_end(ap);
}

void
buf_clear(struct buf *buf)
{
    buf->length = 0;
    if (buf->data)
        buf->data[0] = '\0';
}

const char *
buf_text(const struct buf *buf)
{
    return buf->data ? buf->data : "";
}

void
buf_free(struct buf *buf)
{
    free(buf->data);
    *buf = (struct buf){0};
}
