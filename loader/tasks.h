/* The statements that follow when the tables are full, apart by table and partition, so that they
 * can be spread over connections: indexes, foreign keys, vacuum. Pure. */
#ifndef ORDERMILL_LOADER_TASKS_H
#define ORDERMILL_LOADER_TASKS_H

#include "loader/options.h"

/* Statements on one relation, since they would wait for each other's locks. The tasks of the
 * largest tables come first. */
struct table_task {
    const char *table;    /* of options_tables */
    const char *relation; /* that table, or one of its partitions */
    const char **names;   /* of the indexes or constraints; NULL for VACUUM and ANALYZE */
    const char **wholes;  /* of a partition's: their names on the whole table, which stand for them
                           * where they exist; else NULL */
    const char **statements; /* without a semicolon */
    int count;
};
/* Indexes, of each partition by itself. */
int tasks_indexes(struct arena *arena, const char *schema, const struct options *options,
                  struct table_task **tasks);
/* Those of partitioned tables as a whole, which take in what their partitions have: after them. */
int tasks_whole_indexes(struct arena *arena, const char *schema, const struct options *options,
                        struct table_task **tasks);
/* References from a partitioned table without log to a table without log are declared partition by
 * partition: the whole counts as logged, and may not refer to it. */
int tasks_foreign_keys(struct arena *arena, const char *schema, const struct options *options,
                       struct table_task **tasks);
/* VACUUM, of each partition by itself, with ANALYZE of what is not one. */
int tasks_vacuum(struct arena *arena, const char *schema, const struct options *options,
                 struct table_task **tasks);
/* ANALYZE of partitioned tables, which includes their partitions: after that. */
int tasks_analyze(struct arena *arena, const char *schema, const struct options *options,
                  struct table_task **tasks);
/* Says in the record of the options that they are there. */
#define TASKS_FOREIGN_KEYS_NOTE                                                                    \
    "UPDATE ordermill.ordermill_build SET options = options || '{\"foreign-keys\": \"true\"}'"

#endif
