/* The tables of a run's report. Pure; what they hold lives in the arena, the run or the analysis.
 */
#ifndef ORDERMILL_REPORTS_TABLES_H
#define ORDERMILL_REPORTS_TABLES_H

#include "reports/analysis.h"
#include "reports/table.h"

typedef struct table *table_fn(const struct run *run, const struct analysis *analysis,
                               struct arena *arena);

/* tables_figures.c: a row per level, per level and type, per level, per step, per step that
 * deferred deliveries. */
table_fn tables_levels, tables_latency, tables_errors, tables_steps, tables_deferred, tables_steady;
/* The levels of one curve as people read them: by what they are measured by, and with the response
 * times of the type that does (tables_levels keeps to New-Order, so that a column means one thing).
 */
struct table *tables_profile(const struct analysis *analysis, int curve, struct arena *arena);
/* tables_fits.c: a row per curve and straight line. */
table_fn tables_fits;
/* tables_proof.c: verdicts, every SQLSTATE, every outage, conditions, inputs, facts, departures. */
table_fn tables_verdicts, tables_messages, tables_outages, tables_conditions, tables_inputs,
    tables_environment, tables_departures;
/* tables_server.c: a row per level, per level and wait, what the doctor found. */
table_fn tables_resources, tables_waits, tables_findings;
/* tables_course.c: what the kit was told, what happened beside the steps. */
table_fn tables_options, tables_journal;
/* The facts of one group of the environment. */
struct table *tables_facts(const struct run *run, const char *group, struct arena *arena);

/* All of them, in the order of result.xml; ends with NULL. */
extern table_fn *const tables_all[];

#endif
