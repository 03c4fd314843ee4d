/* Owns how foreign text enters a report; nothing foreign is appended any other way. */
#include "reports/escape.h"

#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd"
#define ELLIPSIS    "\xe2\x80\xa6"

/* The length of the well-formed UTF-8 character at text (RFC 3629), or 0. Control characters count
 * as none: neither XML nor a terminal should get them. */
static size_t
character(const unsigned char *text)
{
    unsigned char c = text[0], second = text[1];
    size_t length = c < 0x80                 ? 1
                    : c >= 0xc2 && c <= 0xdf ? 2
                    : (c & 0xf0) == 0xe0     ? 3
                    : c >= 0xf0 && c <= 0xf4 ? 4
                                             : 0;

    if (length <= 1)
        return c >= 0x20 && c != 0x7f ? length : 0;
    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (c == 0xe0 && second < 0xa0) || (c == 0xf0 && second < 0x90);
    bool surrogate = c == 0xed && second > 0x9f;
    bool beyond = c == 0xf4 && second > 0x8f;
    bool control = c == 0xc2 && second < 0xa0;
    bool nothing = c == 0xef && second == 0xbf && text[2] >= 0xbe; /* U+FFFE, U+FFFF */
    return overlong || surrogate || beyond || control || nothing ? 0 : length;
}

static const char *
entity(char c)
{
    switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    default: return NULL;
    }
}

void
escape_html(struct buf *out, const char *text)
{
    while (*text) {
        size_t length = character((const unsigned char *)text);
        if (length == 0)
            buf_puts(out, *text == '\n' || *text == '\t' ? " " : REPLACEMENT);
        else if (entity(*text))
            buf_puts(out, entity(*text));
        else
            buf_append(out, text, length);
        text += length ? length : 1;
    }
}

void
escape_line(struct buf *out, const char *text, size_t columns)
{
    size_t whole = escape_columns(text), used = 0;
    size_t keep = whole <= columns ? whole : columns > 0 ? columns - 1 : 0;

    for (; used < keep; used++) {
        size_t length = character((const unsigned char *)text);
        if (length == 0)
            buf_puts(out, *text == '\n' || *text == '\t' ? " " : REPLACEMENT);
        else
            buf_append(out, text, length);
        text += length ? length : 1;
    }
    if (whole > columns && columns > 0)
        buf_puts(out, ELLIPSIS);
}

size_t
escape_columns(const char *text)
{
    size_t columns = 0;

    for (; *text; columns++) {
        size_t length = character((const unsigned char *)text);
        text += length ? length : 1;
    }
    return columns;
}
