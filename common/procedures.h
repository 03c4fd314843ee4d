/* The sets of stored procedures, as scripts written for schema "ordermill" (see sql_for_schema). A
 * set gives each transaction two forms of the same body: a function, and a procedure for CALL,
 * which is made from the function's text. The probes come with every set. Pure. */
#ifndef ORDERMILL_COMMON_PROCEDURES_H
#define ORDERMILL_COMMON_PROCEDURES_H

#include "common/arena.h"

enum procedure_set {
    PROCEDURES_DEFAULT, /* set-based: the fastest */
    PROCEDURES_CLASSIC, /* row by row */
    PROCEDURE_SETS
};
/* "default", "classic": the folders of procedures/, --procedures. */
extern const char *const procedure_set_names[PROCEDURE_SETS];
/* By name; must be one. */
enum procedure_set procedures_find(const char *name);

/* All CREATE statements of a set. */
char *procedures_create_sql(struct arena *arena, enum procedure_set set);
/* A DROP ... IF EXISTS for each object of any set, with its signature. */
const char *procedures_drop_sql(void);

#define PROCEDURES_STAMP_SIZE 17
/* A hash of both scripts, hexadecimal: tells one version of a set from another. */
void procedures_stamp(enum procedure_set set, char stamp[PROCEDURES_STAMP_SIZE]);

/* The CALL form of a function: named call_NAME, without what only a function may declare. */
char *procedures_call_form(struct arena *arena, const char *sql, const char *name);

#endif
