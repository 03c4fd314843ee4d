/* Numbered tasks worked off by several threads, each with a connection of its own. The first
 * failure, or a signal, stops all of them. */
#ifndef ORDERMILL_LOADER_TEAM_H
#define ORDERMILL_LOADER_TEAM_H

#include "common/pg.h"
#include "loader/schedule.h"

struct team;

struct team_plan {
    const struct pg_target *target;
    const char *purpose; /* of the connections: "load" */
    int jobs;            /* threads at most; never more than tasks */
    int tasks;
    /* Does task 0..tasks-1. A long one looks at team_stopping now and then and gives up when it is
     * set: what it then returns does not count. */
    bool (*task)(struct team *team, struct pg *pg, int task, void *context, struct err *err);
    void *context;
    /* Called by the thread that called team_run, about ten times a second. Without it a progress
     * line counts the tasks that are done, if `doing` says what they are: "building the indexes".
     */
    void (*progress)(void *context);
    const char *doing;
    /* With `doing`: what each task weighs, in any unit, or NULL. The line then tells the time of
     * arrival, on a server of so many cores; 0: one for each thread. */
    const struct schedule_task *work;
    int cores;
    /* With `work`: a query for what the server is at, or NULL. A connection of its own asks it some
     * times a second, and `note` tells the schedule what the rows mean. Its failure is nobody
     * else's. */
    const char *watch;
    void (*note)(void *context, const struct pg_rows *rows, struct schedule *schedule,
                 int64_t now_us);
};

/* Returns when every thread has ended. On a signal what the server still does is cancelled, and err
 * says so. Ends within a few seconds of the stop even when the server does not answer. */
MUST_CHECK bool team_run(const struct team_plan *plan, struct err *err);
bool team_stopping(const struct team *team);

/* One task on one connection: work that may wait long for the server, for a lock perhaps, and must
 * end on a signal all the same. */
MUST_CHECK bool team_run_one(const struct pg_target *target, const char *purpose,
                             bool (*work)(struct pg *pg, void *context, struct err *err),
                             void *context, struct err *err);

/* Lifts the limits that role, database or server put on the length of statements and
 * transactions, for this session: building and checking take the time they take. */
MUST_CHECK bool team_lift_limits(struct pg *pg, struct err *err);

#endif
