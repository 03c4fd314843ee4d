/* What the loader creates and removes in the database, besides the rows. Only what the kit itself
 * made is ever removed, object by object, never with CASCADE. */
#ifndef ORDERMILL_LOADER_DDL_H
#define ORDERMILL_LOADER_DDL_H

#include "common/build.h"
#include "loader/tasks.h"

/* What ddl_create makes of a schema. Of info, everything but the phases is read. */
struct ddl_plan {
    const char *schema;
    const struct build_info *info;
    const struct options *options;
    const char *record; /* see options_record */
    bool shared;        /* other loaders may be about to make the same */
};
/* Schema (only if it is missing), tables, bookkeeping and the row of what was asked for, in one
 * transaction. Where a shared plan finds that another loader came first, nothing is made and
 * *created is false. */
MUST_CHECK bool ddl_create(struct pg *pg, const struct ddl_plan *plan, bool *created,
                           struct err *err);
/* The statements of it, without the schema and the record of the phase. */
char *ddl_create_sql(struct arena *arena, const struct ddl_plan *plan);
/* CREATE statements of all procedures of a set, and before them the DROPs of older ones. */
char *ddl_procedures_sql(struct arena *arena, const char *schema, enum procedure_set set);

/* Installs the procedures, in one transaction with the record that they are there. */
MUST_CHECK bool ddl_procedures(struct pg *pg, const char *schema, enum procedure_set set,
                               struct err *err);

/* Takes back the record of the data, where a crash has emptied tables without log
 * (build_info.emptied); other loaders may be about to do the same. Fills info anew. */
MUST_CHECK bool ddl_forget_data(struct pg *pg, const char *schema, struct build_info *info,
                                struct err *err);

/* Records a phase as complete. */
MUST_CHECK bool ddl_record_phase(struct pg *pg, const char *schema, enum build_phase phase,
                                 double elapsed_s, const char *detail, struct err *err);

/* Removes procedures, tables and bookkeeping, in one transaction; the schema too when the kit made
 * it and nothing else is in it: *schema_dropped tells. The caller has checked the marker. */
MUST_CHECK bool ddl_drop(struct pg *pg, const char *schema, const struct build_info *info,
                         bool *schema_dropped, struct err *err);

/* Does the statements of a task, but those whose index or constraint exists. */
MUST_CHECK bool ddl_run_task(struct pg *pg, const char *schema, const struct table_task *task,
                             struct err *err);
/* Whether this role may vacuum and analyze the table. */
MUST_CHECK bool ddl_may_vacuum(struct pg *pg, const char *schema, const char *table,
                               bool *permitted, struct err *err);

#endif
