/* How the tables are laid out and the indexes are built: what the options of load say about it,
 * and the record of that in ordermill_build, which later commands follow and reports show. */
#ifndef ORDERMILL_LOADER_OPTIONS_H
#define ORDERMILL_LOADER_OPTIONS_H

#include "common/pg.h"

/* The nine tables, the largest first. */
enum { OPTIONS_TABLES = 9 };
extern const char *const options_tables[OPTIONS_TABLES];

struct options {
    const char *tablespace, *index_tablespace; /* NULL: the database's own */
    int fillfactors[OPTIONS_TABLES];           /* 0: as it stands in schemas/tables.sql */
    int partitions;                            /* of each big table; 1: none */
    bool by_hash;                              /* else by range */
    bool foreign_keys, unlogged;
    int64_t maintenance_memory; /* bytes; 0: as the server has it */
    int index_workers;          /* -1: as the server has it */
};

/* Refuses, with ERR_USAGE, what does not fit together; `warehouses` is INT_MAX where their number
 * is not known. Texts stay the settings'. */
MUST_CHECK bool options_from(const struct settings *settings, int warehouses,
                             struct options *options, struct err *err);

/* What the record of a fresh load holds: a JSON object of option names and values. */
char *options_record(struct arena *arena, const struct settings *settings);

/* Fills `recalled`, which the caller has initialized, with what the schema was begun with. An
 * option given on the command line must agree, but for those that only say how the indexes are
 * built: they count from now on, and the record follows. */
MUST_CHECK bool options_recall(struct pg *pg, const char *schema, const struct settings *asked,
                               struct settings *recalled, struct err *err);

/* Adds to the record who brought the rows: a load of warehouses `first` to `last` over so many
 * connections. Reports show it, nothing follows it. */
MUST_CHECK bool options_note_load(struct pg *pg, const char *schema, int first, int last, int jobs,
                                  struct err *err);

/* For sessions that build indexes: SET statements, or "". */
char *options_index_session(struct arena *arena, const struct options *options);
/* The same for checking the references. Its settings end with OPTIONS_FOREIGN_KEYS_RESET. */
char *options_foreign_key_session(struct arena *arena, const struct options *options);
#define OPTIONS_FOREIGN_KEYS_RESET                                                                 \
    "RESET enable_mergejoin; RESET enable_nestloop; RESET enable_indexscan;"                       \
    " RESET enable_indexonlyscan; RESET enable_bitmapscan; RESET jit;\n"

#endif
