/* Owns the reading of SQL text as far as the kit needs it: where a quote, a comment or a statement
 * ends. Checks no syntax and talks to no server. Standard-conforming strings are assumed. */
#include "common/sql.h"

#include <ctype.h>
#include <string.h>

#include "common/buf.h"
#include "common/embedded.h"

#define QUALIFIER  "ordermill"
#define SCHEMA_MAX 63

const char *
sql_source(const char *path)
{
    const char *text = embedded_text(path);

    must(text != NULL);
    return text;
}

const char *
sql_path(const char *prefix, size_t i)
{
    for (size_t at = 0; at < embedded_files_count; at++) {
        const char *path = embedded_files[at].path;
        if (strncmp(path, prefix, strlen(prefix)) == 0 && i-- == 0)
            return path;
    }
    return NULL;
}

/* ---- tokens ---- */

enum token {
    TOKEN_END,
    TOKEN_SPACE,
    TOKEN_COMMENT,
    TOKEN_QUOTED, /* a string or a quoted identifier */
    TOKEN_DOLLAR, /* $tag$, where a dollar-quoted string begins or ends */
    TOKEN_WORD,
    TOKEN_OTHER, /* one character */
};

static bool
begins_word(char c)
{
    return isalpha((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static const char *
word_end(const char *p)
{
    while (begins_word(*p) || isdigit((unsigned char)*p) || *p == '$')
        p++;
    return p;
}

/* p stands on the opening quote. A doubled quote shows up as two quoted tokens in a row, which
 * serves as well. */
static const char *
quoted_end(const char *p, bool escapes)
{
    char quote = *p++;

    while (*p && *p != quote)
        p += escapes && *p == '\\' && p[1] ? 2 : 1;
    return *p ? p + 1 : p;
}

/* Block comments nest. */
static const char *
block_comment_end(const char *p)
{
    int depth = 0;

    while (*p) {
        if (p[0] == '/' && p[1] == '*') {
            depth++;
            p += 2;
        } else if (p[0] == '*' && p[1] == '/') {
            p += 2;
            if (--depth == 0)
                break;
        } else {
            p++;
        }
    }
    return p;
}

/* The end of a $tag$ that begins at p, or NULL: $1 is a parameter. */
static const char *
dollar_end(const char *p)
{
    const char *end = p + 1;

    if (begins_word(*end)) {
        while (begins_word(*end) || isdigit((unsigned char)*end))
            end++;
    }
    return *end == '$' ? end + 1 : NULL;
}

static enum token
next_token(const char *p, const char **end)
{
    *end = p + 1;
    if (*p == '\0') {
        *end = p;
        return TOKEN_END;
    }
    if (isspace((unsigned char)*p))
        return TOKEN_SPACE;
    if (p[0] == '-' && p[1] == '-') {
        *end = p + strcspn(p, "\n");
        return TOKEN_COMMENT;
    }
    if (p[0] == '/' && p[1] == '*') {
        *end = block_comment_end(p);
        return TOKEN_COMMENT;
    }
    bool escapes = (*p == 'e' || *p == 'E') && p[1] == '\'';
    if (escapes || *p == '\'' || *p == '"') {
        *end = quoted_end(escapes ? p + 1 : p, escapes);
        return TOKEN_QUOTED;
    }
    if (*p == '$' && dollar_end(p)) {
        *end = dollar_end(p);
        return TOKEN_DOLLAR;
    }
    if (begins_word(*p) || isdigit((unsigned char)*p)) {
        *end = word_end(p);
        return TOKEN_WORD;
    }
    return TOKEN_OTHER;
}

static bool
token_is(const char *token, const char *end, const char *text)
{
    return (size_t)(end - token) == strlen(text) && memcmp(token, text, strlen(text)) == 0;
}

/* ---- the text for one schema ---- */

static void
put_identifier(struct buf *out, const char *name)
{
    buf_putc(out, '"');
    for (; *name; name++) {
        if (*name == '"')
            buf_putc(out, '"');
        buf_putc(out, *name);
    }
    buf_putc(out, '"');
}

/* As psql does, a name without a value stays as it stands. */
static const char *
find_variable(const char *const *variables, const char *name, const char *end)
{
    for (; variables && variables[0]; variables += 2) {
        if (!token_is(name, end, variables[0]))
            continue;
        must(variables[1][0] && variables[1][strspn(variables[1], "0123456789")] == '\0');
        return variables[1];
    }
    return NULL;
}

/* Whether the dollar-quoted string that is open (NULL: none) goes on after this token. */
static const char *
dollar_open_after(const char *open, const char *token, const char *end)
{
    if (!open)
        return token;
    size_t length = (size_t)(end - token);
    return strncmp(open, token, length) == 0 ? NULL : open;
}

char *
sql_substitute(struct arena *arena, const char *sql, const char *schema,
               const char *const *variables)
{
    struct buf out = {0};
    const char *open = NULL; /* the tag of the dollar-quoted string we are in */
    const char *end;
    char before = ' ';
    enum token token;

    for (const char *p = sql; (token = next_token(p, &end)) != TOKEN_END; p = end) {
        const char *value = NULL;

        if (token == TOKEN_DOLLAR)
            open = dollar_open_after(open, p, end);
        else if (token == TOKEN_OTHER && *p == ':' && before != ':' && !open && begins_word(*end))
            value = find_variable(variables, end, word_end(end));

        if (value) {
            buf_puts(&out, value);
            end = word_end(end);
        } else if (token == TOKEN_WORD && *end == '.' && before != '.' &&
                   token_is(p, end, QUALIFIER)) {
            put_identifier(&out, schema);
        } else {
            buf_append(&out, p, (size_t)(end - p));
        }
        before = end[-1];
    }
    char *text = arena_strdup(arena, buf_text(&out));
    buf_free(&out);
    return text;
}

char *
sql_text(struct arena *arena, const char *path, const char *schema, const char *const *variables)
{
    return sql_substitute(arena, sql_source(path), schema, variables);
}

char *
sql_for_schema(struct arena *arena, const char *sql, const char *schema)
{
    return sql_substitute(arena, sql, schema, NULL);
}

/* ---- statements ---- */

/* The end of a dollar-quoted string whose opening tag is tag..body. */
static const char *
dollar_string_end(struct arena *arena, const char *tag, const char *body)
{
    char *closing = arena_printf(arena, "%.*s", (int)(body - tag), tag);
    const char *found = strstr(body, closing);

    return found ? found + strlen(closing) : body + strlen(body);
}

/* Finds the next statement at or after p: from its first token to its last, without comments
 * around it and without the semicolon. Returns where to go on, or NULL when there is none. */
static const char *
next_statement(struct arena *arena, const char *p, const char **first, const char **last)
{
    const char *end;
    enum token token;

    *first = NULL;
    for (; (token = next_token(p, &end)) != TOKEN_END; p = end) {
        if (token == TOKEN_SPACE || token == TOKEN_COMMENT)
            continue;
        if (token == TOKEN_OTHER && *p == ';') {
            if (*first)
                return end;
            continue;
        }
        if (token == TOKEN_DOLLAR)
            end = dollar_string_end(arena, p, end);
        if (!*first)
            *first = p;
        *last = end;
    }
    return *first ? p : NULL;
}

size_t
sql_split(struct arena *arena, const char *script, char ***statements)
{
    const char *first, *last;
    size_t count = 0, i = 0;

    for (const char *p = script; (p = next_statement(arena, p, &first, &last));)
        count++;
    *statements = arena_array(arena, count, sizeof **statements);
    for (const char *p = script; (p = next_statement(arena, p, &first, &last));)
        (*statements)[i++] = arena_printf(arena, "%.*s", (int)(last - first), first);
    return count;
}

bool
sql_check_schema(const char *schema, struct err *err)
{
    if (schema[0] == '\0')
        return err_set(err, ERR_USAGE, "the name of the schema is empty");
    if (strlen(schema) > SCHEMA_MAX)
        return err_set(err, ERR_USAGE, "schema \"%s\" is longer than %d bytes", schema, SCHEMA_MAX);
    if (strncmp(schema, "pg_", 3) == 0)
        return err_set(err, ERR_USAGE, "schema \"%s\": the server keeps names in pg_ for itself",
                       schema);
    for (const char *p = schema; *p; p++) {
        if (*p == '$' || iscntrl((unsigned char)*p))
            return err_set(err, ERR_USAGE, "schema \"%s\" contains a %s", schema,
                           *p == '$' ? "dollar sign" : "control character");
    }
    return true;
}
