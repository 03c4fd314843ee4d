/* The statements that make tables, indexes and foreign keys, as the options want them: the files
 * of schemas/, with clauses for tablespaces, fillfactors and partitions put in. Pure. */
#ifndef ORDERMILL_LOADER_LAYOUT_H
#define ORDERMILL_LOADER_LAYOUT_H

#include "loader/options.h"

/* CREATE TABLE statements for the nine tables and their partitions, each ended by ";\n". Partition
 * i of a table is named TABLE_p<i>; by range it holds an equal share of the warehouses. */
char *layout_tables(struct arena *arena, const char *schema, const struct options *options,
                    int warehouses);

/* Statements that can be done in parallel, gathered by table because those of one table would wait
 * for each other's locks; the largest tables come first. */
struct layout_task {
    const char *table;
    const char **names;      /* of the indexes or constraints */
    const char **statements; /* without a semicolon */
    int count;
};
int layout_indexes(struct arena *arena, const char *schema, const struct options *options,
                   struct layout_task **tasks);
int layout_foreign_keys(struct arena *arena, const char *schema, struct layout_task **tasks);
/* Says in the record of the options that they are there. */
#define LAYOUT_FOREIGN_KEYS_NOTE                                                                   \
    "UPDATE ordermill.ordermill_build SET options = options || '{\"foreign-keys\": \"true\"}'"

#endif
