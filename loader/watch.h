/* What the statements of tasks weigh in time, and what the server's progress views say of those
 * that it is at. Weights are nanoseconds of a core of the machine where they were measured: only
 * their ratios count. */
#ifndef ORDERMILL_LOADER_WATCH_H
#define ORDERMILL_LOADER_WATCH_H

#include "common/pg.h"
#include "loader/schedule.h"
#include "loader/tasks.h"

/* Tasks with their weights, for as long as they are worked off. The caller fills what comes first.
 */
struct watch {
    const char *schema;
    int warehouses;
    struct table_task *tasks;
    int count;
    const struct options *options; /* how indexes are built */

    int64_t *heap_bytes; /* of each task's relation, as the server has it */
    bool *partitioned;   /* whether that has partitions */
    int cores;           /* of the server, or 0 where they are not known */
    int64_t memory;      /* for building an index */
    int workers;         /* at most, for building one */
    /* Of each task: of indexes three parts for each, reading the table, sorting, writing; of
     * foreign keys one for each; of VACUUM (ANALYZE) three: the first, the sample, what comes of
     * it. */
    struct schedule_task *work;
};

/* Asks for the sizes and settings. All lives in the arena. */
MUST_CHECK bool watch_begin(struct watch *watch, struct pg *pg, struct arena *arena,
                            struct err *err);
/* Each fills the work. Pure. */
void watch_weigh_indexes(struct watch *watch, struct arena *arena);
void watch_weigh_foreign_keys(struct watch *watch, struct arena *arena);
void watch_weigh_vacuum(struct watch *watch, struct arena *arena);

/* Queries for what is going on in the schema, and what their rows mean for the schedule of the
 * tasks. */
const char *watch_indexes_sql(struct arena *arena, const char *schema);
const char *watch_foreign_keys_sql(struct arena *arena, const char *schema);
const char *watch_vacuum_sql(struct arena *arena, const char *schema);
void watch_note_indexes(const struct watch *watch, const struct pg_rows *rows,
                        struct schedule *schedule, int64_t now_us);
void watch_note_foreign_keys(const struct watch *watch, const struct pg_rows *rows,
                             struct schedule *schedule, int64_t now_us);
void watch_note_vacuum(const struct watch *watch, const struct pg_rows *rows,
                       struct schedule *schedule, int64_t now_us);

#endif
