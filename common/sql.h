/* The SQL files of schemas/, procedures/ and checks/, which the build turns into strings. */
#ifndef ORDERMILL_COMMON_SQL_H
#define ORDERMILL_COMMON_SQL_H

#include "common/arena.h"

/* The file's text as it stands in the source, by its path ("schemas/tables.sql"); must exist. */
const char *sql_source(const char *path);
/* The i-th path that begins with prefix, in order of name; NULL past the last. */
const char *sql_path(const char *prefix, size_t i);

/* The file made for one schema: the qualifier of each ordermill.NAME becomes the quoted schema,
 * each psql variable :name (outside :: casts) the value given for it in `variables` (name, value,
 * name, value, ..., NULL). Integers only: values must consist of digits; a name without a value
 * stays. Strings, quoted identifiers and comments stay as they are. Dollar-quoted bodies are code:
 * their qualifiers are replaced, but as in psql no variables. */
char *sql_text(struct arena *arena, const char *path, const char *schema,
               const char *const *variables);
/* The same for SQL that is written in C. */
char *sql_substitute(struct arena *arena, const char *sql, const char *schema,
                     const char *const *variables);
/* Without variables. */
char *sql_for_schema(struct arena *arena, const char *sql, const char *schema);

/* Splits a script into its statements (quotes, dollar quotes and comments respected; BEGIN ATOMIC
 * bodies are not). A statement comes without its semicolon and the comments around it; empty ones
 * are dropped. Returns the number; *statements is an arena array. */
size_t sql_split(struct arena *arena, const char *script, char ***statements);

/* False when the name cannot be used as a schema: empty, over 63 bytes, reserved (pg_), or with a
 * character that would end the procedures' dollar quotes or a line. Code ERR_USAGE. */
MUST_CHECK bool sql_check_schema(const char *schema, struct err *err);

#endif
