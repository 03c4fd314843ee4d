/* Owns what is done to texts around the server, without libpq: its messages, numbers in
 * text form, and quoting. */
#include "common/pg_text.h"

#include <stdlib.h>
#include <string.h>

#include "common/pg.h"

void
pg_one_line(const char *message, char *text, size_t size)
{
    size_t length = 0;
    while (*message == ' ' || *message == '\n')
        message++;
    for (; *message && length + 3 < size; message++) {
        if (*message != '\n') {
            text[length++] = *message == '\t' ? ' ' : *message;
            continue;
        }
        while (message[1] == '\n' || message[1] == '\t' || message[1] == ' ')
            message++;
        if (message[1]) {
            text[length++] = ';';
            text[length++] = ' ';
        }
    }
    text[length] = '\0';
}

/* Where a piece ends cannot be seen: it may hold quotes itself, and the message may be cut. */
void
pg_put_unquoted(struct buf *out, const char *text)
{
    static const char *const known[] = {
        "missing \"=\" after ",
        "end of string reached when looking for matching \"]\" in IPv6 host address in URI: "};
    size_t length = strcspn(text, "\"");

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strncmp(text, known[i], strlen(known[i])) == 0)
            length = strlen(known[i]);
    buf_append(out, text, length);
    if (text[length])
        buf_puts(out, "\"...\"");
}

void
pg_drop_repetition(char *text)
{
    size_t half = strlen(text) / 2;
    if (half > 1 && strncmp(text + half - 1, "; ", 2) == 0 &&
        strncmp(text, text + half + 1, half - 1) == 0 && strlen(text) == 2 * half)
        text[half - 1] = '\0';
}

bool
pg_code_ends_session(const char *sqlstate)
{
    return !*sqlstate || strncmp(sqlstate, "57P0", 4) == 0 || strncmp(sqlstate, "08", 2) == 0;
}

/* --- values ---------------------------------------------------------------------------------- */

int64_t
pg_value_int(const struct pg_rows *rows, int row, int column)
{
    char *end = NULL;
    const char *text = pg_value(rows, row, column);
    long long value = strtoll(text, &end, 10);
    must(*text && !*end);
    return value;
}

double
pg_value_real(const struct pg_rows *rows, int row, int column)
{
    char *end = NULL;
    const char *text = pg_value(rows, row, column);
    double value = strtod(text, &end);
    must(*text && !*end);
    return value;
}

/* --- quoting ---------------------------------------------------------------------------------- */

/* Written here and not asked of libpq, which needs a connection for it: identifiers and literals
 * are UTF-8 and standard_conforming_strings has been the default since PostgreSQL 9.1; a literal
 * with a backslash is written in the E form, which means the same under either setting. */
static char *
quote(struct arena *arena, const char *prefix, char mark, const char *text)
{
    char *quoted = arena_alloc(arena, strlen(prefix) + 2 * strlen(text) + 3);
    char *to = quoted;
    bool escapes = *prefix != '\0';
    while (*prefix)
        *to++ = *prefix++;
    *to++ = mark;
    for (; *text; text++) {
        if (*text == mark || (escapes && *text == '\\'))
            *to++ = *text;
        *to++ = *text;
    }
    *to = mark;
    return quoted;
}

char *
pg_quote_identifier(struct arena *arena, const char *name)
{
    return quote(arena, "", '"', name);
}

char *
pg_quote_literal(struct arena *arena, const char *text)
{
    return quote(arena, strchr(text, '\\') ? "E" : "", '\'', text);
}
