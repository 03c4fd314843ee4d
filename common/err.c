/* Owns struct err, the memory of secrets and the scrubbing of messages, and the ends of the process
 * that no caller can handle. Does not print errors: log_error does. */
#include "common/err.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/buf.h"

#define SECRETS_MAX       16
#define SECRET_LENGTH_MIN 3
#define MASKS_GROW_BY     64
static const char mask[] = "***";

/* Longest first, so that a secret which is part of another does not leave the rest of it. */
static char *secrets[SECRETS_MAX];
static size_t secret_count;

void
err_secret(const char *secret)
{
    if (!secret || strlen(secret) < SECRET_LENGTH_MIN || secret_count == SECRETS_MAX)
        return;
    size_t at = 0;
    while (at < secret_count && strlen(secrets[at]) >= strlen(secret)) {
        if (strcmp(secrets[at], secret) == 0)
            return;
        at++;
    }
    memmove(secrets + at + 1, secrets + at, (secret_count - at) * sizeof *secrets);
    secrets[at] = must_strdup(secret);
    secret_count++;
}

/* Puts the mask in place of begin..end; the tail is cut when it no longer fits. Returns where the
 * text goes on. */
static char *
replace(char *text, size_t size, char *begin, char *end)
{
    size_t room = size - (size_t)(begin - text) - 1;
    size_t mask_length = sizeof mask - 1 < room ? sizeof mask - 1 : room;
    size_t tail = strlen(end);

    if (tail > room - mask_length)
        tail = room - mask_length;
    memmove(begin + mask_length, end, tail);
    memcpy(begin, mask, mask_length);
    begin[mask_length + tail] = '\0';
    return begin + mask_length;
}

static void
scrub_secrets(char *text, size_t size)
{
    for (size_t i = 0; i < secret_count; i++) {
        char *found = strstr(text, secrets[i]);
        while (found) {
            char *rest = replace(text, size, found, found + strlen(secrets[i]));
            found = strstr(rest, secrets[i]);
        }
    }
}

/* Where the value that begins at p ends: by libpq's rules a backslash escapes the next character
 * and single quotes may hold spaces. An unclosed quote hides all that follows. */
static char *
value_end(char *p)
{
    char quote = *p == '\'' || (*p == '"' && strchr(p + 1, '"')) ? *p : '\0';

    if (quote)
        p++;
    while (*p && (quote ? *p != quote : !isspace((unsigned char)*p)))
        p += *p == '\\' && p[1] ? 2 : 1;
    return quote && *p ? p + 1 : p;
}

/* How long `name` is that stands at p, 0 where it does not. libpq decodes the keywords of a URI,
 * too: "pass%77ord" is one. */
static size_t
name_length(const char *p, const char *name)
{
    const char *begin = p;

    for (; *name; name++) {
        char digits[3] = {0};
        int c = tolower((unsigned char)*p);
        if (*p == '%' && isxdigit((unsigned char)p[1]) && isxdigit((unsigned char)p[2])) {
            memcpy(digits, p + 1, 2);
            c = tolower((int)strtol(digits, NULL, 16));
            p += 2;
        }
        if (c != *name)
            return 0;
        p++;
    }
    return (size_t)(p - begin);
}

/* Behind the next name of a secret at or after p; NULL: there is none. */
static char *
next_name_end(char *p)
{
    static const char *const names[] = {"password", "client_secret"};

    for (; *p; p++)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (name_length(p, names[i]) > 0)
                return p + name_length(p, names[i]);
    return NULL;
}

static void
scrub_assignments(char *text, size_t size)
{
    for (char *p = text; (p = next_name_end(p));) {
        char *value = p + strspn(p, " \t");
        if (*value != '=')
            continue;
        value++;
        value += strspn(value, " \t");
        if (*value)
            p = replace(text, size, value, value_end(value));
    }
}

static char *
last_at(char *begin, const char *end)
{
    for (char *p = begin + (end - begin); p > begin; p--) {
        if (p[-1] == '@')
            return p - 1;
    }
    return NULL;
}

/* The '@' behind the password of the URI whose authority begins at p. A raw '@', '?' or '/' in a
 * password is an error that people make, and then libpq quotes the URI: the last '@' counts, and
 * when the part before '/' has no '@' and no port, '/' is taken for a part of the password. */
static char *
uri_password_end(char *p)
{
    char *token_end = p + strcspn(p, " \t\r\n");
    char *slash = p + strcspn(p, "/ \t\r\n");
    char *first = memchr(p, '@', (size_t)(slash - p));

    if (first) {
        char *query = memchr(first, '?', (size_t)(slash - first));
        return last_at(p, query ? query : slash);
    }
    char *colon = memchr(p, ':', (size_t)(slash - p));
    bool has_port = colon && colon + 1 + strspn(colon + 1, "0123456789") == slash;
    return colon && !has_port ? last_at(p, token_end) : NULL;
}

static void
scrub_uris(char *text, size_t size)
{
    for (char *p = text; (p = strstr(p, "://"));) {
        p += strlen("://");
        char *end = uri_password_end(p);
        char *colon = end ? memchr(p, ':', (size_t)(end - p)) : NULL;
        if (colon)
            p = replace(text, size, colon + 1, end);
    }
}

/* What libpq quotes when it could not take a connection string apart may be a piece of the
 * password: a '/' in a URI's makes its beginning the port. */
static void
scrub_quoted(char *text, size_t size)
{
    static const struct {
        const char *before;
        const char *after; /* NULL: up to the last quote of the text */
    } phrases[] = {
        {"percent-encoded token: \"", NULL},
        {"percent-encoded value: \"", NULL},
        {"missing \"=\" after \"", NULL},
        {"separator \"=\" in URI query parameter: \"", NULL},
        {"invalid integer value \"", "\" for connection option \"port\""},
        {"invalid port number: \"", NULL},
    };

    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++) {
        char *begin = strstr(text, phrases[i].before);
        if (!begin)
            continue;
        begin += strlen(phrases[i].before);
        char *end = phrases[i].after ? strstr(begin, phrases[i].after) : strrchr(begin, '"');
        if (end || !phrases[i].after)
            replace(text, size, begin, end ? end : begin + strlen(begin));
    }
}

/* A raw '@' in a URI's password moves the rest of the password into what libpq takes for the host.
 * No host name contains '@'; the folder of a socket may begin with it. */
static void
scrub_hosts(char *text, size_t size)
{
    static const char *const phrases[] = {"host name \"", "server at \""};

    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++) {
        for (char *p = text; (p = strstr(p, phrases[i]));) {
            p += strlen(phrases[i]);
            char *at = last_at(p, p + strcspn(p, " \n"));
            if (at && at > p)
                p = replace(text, size, p, at);
        }
    }
}

void
err_scrub(char *text, size_t size)
{
    must(size > strlen(text));
    scrub_secrets(text, size);
    scrub_assignments(text, size);
    scrub_uris(text, size);
    scrub_quoted(text, size);
    scrub_hosts(text, size);
}

void
err_scrub_buf(struct buf *text)
{
    buf_reserve(text, MASKS_GROW_BY);
    err_scrub(text->data, text->capacity);
    text->length = strlen(text->data);
}

/* One line without control characters: server messages reach a terminal. */
static void
flatten(char *text)
{
    size_t length = strlen(text);

    while (length > 0 && isspace((unsigned char)text[length - 1]))
        text[--length] = '\0';
    for (char *p = text; *p; p++) {
        if (*p == '\n' || *p == '\r' || *p == '\t')
            *p = ' ';
        else if (iscntrl((unsigned char)*p))
            *p = '?';
    }
}

/* Copies what fits, without cutting a UTF-8 character in two. */
static void
copy_cut(char *to, size_t size, const char *from)
{
    size_t length = strlen(from);

    if (length >= size) {
        length = size - 1;
        while (length > 0 && ((unsigned char)from[length] & 0xC0) == 0x80)
            length--;
    }
    memcpy(to, from, length);
    to[length] = '\0';
}

/* Scrubs the whole text before it is cut: a secret across the cut would no longer be recognised. */
static void
format_clean(char *to, size_t size, const char *format, va_list ap)
{
    struct buf text = {0};

    buf_printfv(&text, format, ap);
    err_scrub_buf(&text);
    flatten(text.data);
    copy_cut(to, size, text.data);
    buf_free(&text);
}

bool
err_set(struct err *err, enum err_code code, const char *format, ...)
{
    va_list ap;

    must(code != ERR_NONE);
    va_start(ap, format);
    format_clean(err->message, sizeof err->message, format, ap);
    va_end(ap);
    err->code = code;
    err->sqlstate[0] = '\0';
    err->hint[0] = '\0';
    return false;
}

void
err_hint(struct err *err, const char *format, ...)
{
    va_list ap;

    must(err->code != ERR_NONE);
    va_start(ap, format);
    format_clean(err->hint, sizeof err->hint, format, ap);
    va_end(ap);
}

bool
err_prefix(struct err *err, const char *format, ...)
{
    struct buf text = {0};
    va_list ap;

    must(err->code != ERR_NONE);
    va_start(ap, format);
    buf_printfv(&text, format, ap);
    va_end(ap);
    buf_printf(&text, ": %s", err->message);
    err_scrub_buf(&text);
    flatten(text.data);
    copy_cut(err->message, sizeof err->message, text.data);
    buf_free(&text);
    return false;
}

void
err_must_failed(const char *condition, const char *file, int line)
{
    fprintf(stderr, "ordermill: internal error: %s:%d: %s does not hold\n", file, line, condition);
    abort();
}

static _Noreturn void
out_of_memory(size_t size)
{
    fprintf(stderr, "ordermill: out of memory: %zu bytes asked for\n", size);
    exit(ERR_LOCAL);
}

void *
must_malloc(size_t size)
{
    void *pointer = malloc(size ? size : 1);

    if (!pointer)
        out_of_memory(size);
    return pointer;
}

void *
must_calloc(size_t count, size_t size)
{
    void *pointer = calloc(count ? count : 1, size ? size : 1);

    if (!pointer)
        out_of_memory(count * size);
    return pointer;
}

void *
must_realloc(void *pointer, size_t size)
{
    void *moved = realloc(pointer, size ? size : 1);

    if (!moved)
        out_of_memory(size);
    return moved;
}

char *
must_strdup(const char *text)
{
    size_t size = strlen(text) + 1;

    return memcpy(must_malloc(size), text, size);
}
