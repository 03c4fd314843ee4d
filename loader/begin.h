/* Where a load begins: from nothing, or into what is there. Decides from the settings and the
 * bookkeeping, and explains what it refuses. */
#ifndef ORDERMILL_LOADER_BEGIN_H
#define ORDERMILL_LOADER_BEGIN_H

#include "loader/ddl.h"
#include "loader/loader.h"

/* One load, from its settings to its report. */
struct load {
    const struct settings *settings; /* what is asked now */
    struct settings recalled;        /* what the schema was begun with */
    const char *schema;
    enum build_phase only; /* BUILD_PHASES: all */
    bool shared;           /* a range of warehouses was given: other hosts load the others */
    int first, last;       /* warehouses whose data this load is about */
    struct pg_target *target;
    struct build_info info;
    struct options options;
    const char *record; /* of the options; see options_record */
    int jobs;
    const char *refused[OPTIONS_TABLES]; /* tables that this role may not vacuum, or NULL */
    struct arena *arena;
    struct loader_report *report;
};

/* Fills only, shared, first, last, info, options and record. Drops what --replace says. What does
 * not fit together is refused, with ERR_USAGE, before it connects. */
MUST_CHECK bool begin_load(struct load *load, struct err *err);

/* The set of procedures that is asked for, else the one that is there, else the default. */
enum procedure_set load_procedure_set(const struct load *load);

/* A fresh load into an empty schema, without a look at any server. */
MUST_CHECK bool begin_on_paper(struct load *load, struct err *err);

#endif
