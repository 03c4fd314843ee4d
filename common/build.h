/* What the kit has built in a schema, read from its bookkeeping tables (schemas/bookkeeping.sql).
 * Every command reads this first and explains what it finds. Only reads; the loader writes. */
#ifndef ORDERMILL_COMMON_BUILD_H
#define ORDERMILL_COMMON_BUILD_H

#include "common/pg.h"
#include "common/procedures.h"

/* Rises with every change of tables, keys or bookkeeping that an older kit's data do not have. */
#define BUILD_LAYOUT_VERSION 2

enum build_phase {
    BUILD_DDL,
    BUILD_DATA,
    BUILD_INDEXES,
    BUILD_FOREIGN_KEYS,
    BUILD_PROCEDURES,
    BUILD_ANALYZE,
    BUILD_CHECK,
    BUILD_PHASES
};
/* "ddl" "data" "indexes" "foreign-keys" "procedures" "analyze" "check": --only, ordermill_phase,
 * JSON. */
extern const char *const build_phase_names[BUILD_PHASES];

enum build_state {
    BUILD_NO_SCHEMA,    /* no such schema */
    BUILD_EMPTY,        /* the schema is there and holds nothing */
    BUILD_FOREIGN,      /* it holds objects, and not the kit's marker */
    BUILD_OTHER_LAYOUT, /* built by a kit of another layout version */
    BUILD_UNFINISHED,   /* data or indexes are missing, or a crash has emptied the tables */
    BUILD_COMPLETE,     /* data and indexes are there; of procedures see procedures_current */
};

struct build_info {
    enum build_state state;
    bool read_only;      /* server in recovery, or default_transaction_read_only */
    bool in_recovery;    /* which of the two */
    bool schema_created; /* by the kit, so that drop may remove it */
    char found[160];     /* BUILD_FOREIGN: the first few objects, "a, b, c and 4 more" */

    /* From here on only where there is a marker. */
    char kit_version[32];
    int layout_version;
    int warehouses;
    int64_t seed;
    int c_load;
    int64_t loaded_at_us;      /* since 1970 UTC: stands in every date of the population */
    bool phases[BUILD_PHASES]; /* complete */
    double elapsed_s[BUILD_PHASES];
    int warehouses_loaded;         /* committed */
    bool unlogged;                 /* tables without log, */
    bool emptied;                  /* whose rows a crash of the server took */
    bool procedures_current;       /* all are there, and made from this kit's sources */
    enum procedure_set procedures; /* which set, if current */
    char procedure_missing[64];    /* one that was installed and is gone, or "" */
};

MUST_CHECK bool build_read(struct pg *pg, const char *schema, struct build_info *info,
                           struct err *err);

enum build_purpose {
    BUILD_FOR_LOAD,       /* any state, writable */
    BUILD_FOR_DROP,       /* a marker of any layout, writable */
    BUILD_FOR_CHECK,      /* complete data and indexes; may be read-only */
    BUILD_FOR_RUN,        /* complete, procedures of this kit, writable */
    BUILD_FOR_STATEMENTS, /* complete, writable; procedures are of no account */
};

/* build_read, and an error with a hint when what is there does not serve the purpose. */
MUST_CHECK bool build_require(struct pg *pg, const char *schema, enum build_purpose purpose,
                              struct build_info *info, struct err *err);

/* Whether the kit's marker is there, of whatever layout. */
bool build_is_ours(const struct build_info *info);
/* Makes an error, with a hint, of a state that does not serve; returns false. */
bool build_refuse(struct pg *pg, const char *schema, const struct build_info *info,
                  struct err *err);

/* Which load it was, as one line that no other load gives: "2 warehouses, seed 42, loaded
 * 2026-03-01T12:34:56.123456Z". For what has a marker of this layout. */
void build_identity(const struct build_info *info, char *text, size_t size);

/* One clear line on what is there: `schema "x" holds 3 of 10 warehouses, unfinished`. */
void build_describe(const struct build_info *info, const char *schema, char *text, size_t size);

#endif
