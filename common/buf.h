/* A growing byte buffer, always followed by a NUL. `struct buf b = {0};` is empty. */
#ifndef ORDERMILL_COMMON_BUF_H
#define ORDERMILL_COMMON_BUF_H

#include <stdarg.h>
#include <stdint.h>

#include "common/err.h"

struct buf {
    char *data; /* NULL until something was appended */
    size_t length;
    size_t capacity;
};

void buf_append(struct buf *buf, const void *data, size_t length);
void buf_puts(struct buf *buf, const char *text);
void buf_putc(struct buf *buf, char c);
void buf_printf(struct buf *buf, const char *format, ...) PRINTF_LIKE(2, 3);
void buf_printfv(struct buf *buf, const char *format, va_list ap) PRINTF_LIKE(2, 0);
/* Makes room for `extra` more bytes and returns where they begin; the caller advances length. */
char *buf_reserve(struct buf *buf, size_t extra);
void buf_clear(struct buf *buf);             /* length 0, memory kept */
const char *buf_text(const struct buf *buf); /* never NULL */
void buf_free(struct buf *buf);

#endif
