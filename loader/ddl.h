/* What the loader creates and removes in the database, besides the rows. Only what the kit itself
 * made is ever removed, object by object, never with CASCADE. */
#ifndef ORDERMILL_LOADER_DDL_H
#define ORDERMILL_LOADER_DDL_H

#include "common/build.h"

/* Schema (only if it is missing), tables, bookkeeping and the row of what was asked for, in one
 * transaction. Of info, everything but the phases is read. */
MUST_CHECK bool ddl_create(struct pg *pg, const char *schema, const struct build_info *info,
                           struct err *err);

/* Installs the procedures, in one transaction with the record that they are there. */
MUST_CHECK bool ddl_procedures(struct pg *pg, const char *schema, struct err *err);

/* Records a phase as complete. */
MUST_CHECK bool ddl_record_phase(struct pg *pg, const char *schema, enum build_phase phase,
                                 double elapsed_s, const char *detail, struct err *err);

/* Removes procedures, tables and bookkeeping, in one transaction; the schema too when the kit made
 * it and nothing else is in it: *schema_dropped tells. The caller has checked the marker. */
MUST_CHECK bool ddl_drop(struct pg *pg, const char *schema, const struct build_info *info,
                         bool *schema_dropped, struct err *err);

/* The statements of schemas/indexes.sql that are still to do, gathered by table: statements of one
 * table would wait for each other's locks. The largest tables come first. */
struct ddl_index_task {
    const char *table;
    const char **names; /* of the indexes */
    const char **statements;
    int count;
};
int ddl_index_tasks(struct arena *arena, const char *schema, struct ddl_index_task **tasks);
/* Builds those that do not exist yet. */
MUST_CHECK bool ddl_build_indexes(struct pg *pg, const char *schema,
                                  const struct ddl_index_task *task, struct err *err);

/* The nine tables, the largest first; NULL past the last. */
extern const char *const ddl_tables[];

#endif
