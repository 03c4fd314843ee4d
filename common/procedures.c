/* Owns which files make a set, and how a function becomes a procedure. Does not install anything.
 */
#include "common/procedures.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/buf.h"
#include "common/sql.h"
#include "common/workload.h"

const char *const procedure_set_names[PROCEDURE_SETS] = {"default", "classic"};

enum procedure_set
procedures_find(const char *name)
{
    int set = 0;

    while (set < PROCEDURE_SETS && strcmp(name, procedure_set_names[set]) != 0)
        set++;
    must(set < PROCEDURE_SETS);
    return (enum procedure_set)set;
}

/* --- the CALL form ---------------------------------------------------------------------------- */

static bool
begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Whether `at` is NAME. where the body names a parameter of its own, not schema.NAME. */
static bool
is_qualifier(const char *sql, const char *at, const char *name)
{
    size_t length = strlen(name);
    char before = at == sql ? ' ' : at[-1];

    return strncmp(at, name, length) == 0 && at[length] == '.' && before != '.' && before != '_' &&
           !isalnum((unsigned char)before);
}

char *
procedures_call_form(struct arena *arena, const char *sql, const char *name)
{
    static const char stable[] = "\nSTABLE\n";
    const char *head = arena_printf(arena, "FUNCTION ordermill.%s(", name);
    const char *at = sql;
    struct buf out = {0};

    while (*at) {
        if (begins_with(at, head)) {
            buf_printf(&out, "PROCEDURE ordermill.call_%s(", name);
            at += strlen(head);
        } else if (begins_with(at, stable)) {
            at += strlen(stable) - 1;
        } else {
            if (is_qualifier(sql, at, name))
                buf_puts(&out, "call_");
            buf_putc(&out, *at++);
        }
    }
    char *text = arena_strdup(arena, buf_text(&out));
    buf_free(&out);
    return text;
}

/* --- scripts ---------------------------------------------------------------------------------- */

static void
add_folder(struct buf *script, const char *folder)
{
    const char *path;

    for (size_t i = 0; (path = sql_path(folder, i)); i++)
        buf_printf(script, "\n%s", sql_source(path));
}

char *
procedures_create_sql(struct arena *arena, enum procedure_set set)
{
    const char *folder = arena_printf(arena, "procedures/%s/", procedure_set_names[set]);
    static const char probes[] = "procedures/probes/";
    struct buf script = {0};

    add_folder(&script, folder);
    add_folder(&script, probes);
    for (int type = 0; type < TXN_TYPES; type++) {
        const char *path = arena_printf(arena, "%s%s.sql", type < TXN_STANDARD ? folder : probes,
                                        txn_routines[type]);
        buf_printf(&script, "\n%s",
                   procedures_call_form(arena, sql_source(path), txn_routines[type]));
    }
    char *text = arena_strdup(arena, buf_text(&script));
    buf_free(&script);
    return text;
}

const char *
procedures_drop_sql(void)
{
    return sql_source("procedures/drop.sql");
}

/* FNV-1a (Fowler, Noll and Vo), 64 bits: it need only tell one source from another. */
static uint64_t
hash_text(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash;
}

void
procedures_stamp(enum procedure_set set, char stamp[PROCEDURES_STAMP_SIZE])
{
    struct arena arena = {0};
    uint64_t hash = hash_text(UINT64_C(0xcbf29ce484222325), procedures_create_sql(&arena, set));

    hash = hash_text(hash, procedures_drop_sql());
    snprintf(stamp, PROCEDURES_STAMP_SIZE, "%016" PRIx64, hash);
    arena_free(&arena);
}
