/* Owns the width of report.txt, and the form of its headings. */
#include "reports/text_parts.h"

#include <string.h>

#include "reports/escape.h"
#include "reports/text.h"

void
text_wrap(struct buf *out, size_t column, size_t indent, const char *text)
{
    bool first = true;

    while (*(text += strspn(text, " \n"))) {
        size_t length = strcspn(text, " \n");
        struct buf word = {0};

        buf_append(&word, text, length);
        size_t columns = escape_columns(buf_text(&word));
        if (!first && column + 1 + columns > TEXT_COLUMNS) {
            buf_printf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (!first) {
            buf_putc(out, ' ');
            column++;
        }
        size_t room = TEXT_COLUMNS - column;
        escape_line(out, buf_text(&word), room);
        column += columns < room ? columns : room;
        buf_free(&word);
        text += length;
        first = false;
    }
    buf_putc(out, '\n');
}

void
text_heading(struct buf *out, const char *title)
{
    buf_printf(out, "\n%s\n", title);
    for (const char *c = title; *c; c++)
        buf_putc(out, '-');
    buf_putc(out, '\n');
}
