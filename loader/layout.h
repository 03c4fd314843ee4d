/* The statements that make the tables as the options want them: schemas/tables.sql, with clauses
 * for tablespaces, fillfactors and partitions put in. Pure. */
#ifndef ORDERMILL_LOADER_LAYOUT_H
#define ORDERMILL_LOADER_LAYOUT_H

#include "loader/options.h"

/* CREATE TABLE statements for the nine tables and their partitions, each ended by ";\n". Partition
 * i of a table is named TABLE_p<i>; by range it holds an equal share of the warehouses. */
char *layout_tables(struct arena *arena, const char *schema, const struct options *options,
                    int warehouses);

/* Whether the table has partitions with these options. */
bool layout_is_partitioned(const char *table, const struct options *options);
/* Whether a statement of schemas/ is about this table: the first that it names is this one. */
bool layout_is_about(const char *statement, const char *table);

#endif
