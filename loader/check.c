/* Runs checks/NN_*.sql over ranges of warehouses; see check.h. What the conditions are stands in
 * those files alone: their first line "-- NAME: ..." names them, their rows are the violations. */
#include "loader/check.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/buf.h"
#include "common/clock.h"
#include "common/log.h"
#include "common/sql.h"
#include "loader/team.h"

/* Conditions that read the same rows are tested by one statement, so that a large table is scanned
 * once: their files begin with the same WITH, which is taken once, and their SELECTs are united.
 * The costly scans come first, so that none of them is left to the end. */
struct scan {
    int conditions[CHECK_TESTS]; /* 0 ends the list */
    bool whole; /* in one piece: history has no index by which a range could be found */
    int weight; /* share of the time, measured: for the time of arrival */
};

static const struct scan full_scans[] = {
    {{9, 8}, true, 1},
    {{4, 6, 7, 10, 12}, false, 90},
    {{CHECK_COUNTS}, false, 8},
    {{5}, false, 3},
    {{11}, false, 1},
    {{2}, false, 1},
    {{3}, false, 1},
    {{1}, true, 0},
};
/* Condition 4 alone needs only the index of the order lines. */
static const struct scan fast_scans[] = {
    {{4}, false, 10}, {{CHECK_COUNTS}, false, 8}, {{2}, false, 1}, {{3}, false, 1}, {{1}, true, 0},
};

#define LENGTH(array) (int)(sizeof(array) / sizeof *(array))

/* Small enough for the server's hash tables to stay in memory, and for the time of arrival, which
 * is told from what has ended. */
enum { RANGE_MAX = 5 };

struct check {
    const struct check_request *request;
    struct task {
        const struct scan *scan;
        int first, last; /* warehouses */
    } * tasks;
    int tasks_count;
    struct schedule_task *work;  /* the tasks, */
    struct schedule_part *parts; /* of one part each */
    struct arena *arena;         /* under the lock, as is the result */
    struct check_result *result;
    pthread_mutex_t lock;
};

static const char *
test_source(int number)
{
    const char *path =
        number == CHECK_COUNTS ? "checks/counts.sql" : sql_path("checks/", (size_t)(number - 1));
    char prefix[32];

    snprintf(prefix, sizeof prefix, "checks/%02d_", number);
    must(path != NULL && (number == CHECK_COUNTS || strncmp(path, prefix, strlen(prefix)) == 0));
    return sql_source(path);
}

static const char *
test_name(struct arena *arena, int number)
{
    static const char mark[] = "-- NAME: ";
    const char *source = test_source(number);

    must(strncmp(source, mark, strlen(mark)) == 0);
    source += strlen(mark);
    return arena_printf(arena, "%.*s", (int)strcspn(source, "\n"), source);
}

/* One statement for all conditions of a scan: the WITH that their files share, and their SELECTs
 * united, each with its number before its columns. */
static char *
scan_statement(struct arena *arena, const struct scan *scan)
{
    struct buf sql = {0};

    for (int i = 0; scan->conditions[i] > 0; i++) {
        const char *source = test_source(scan->conditions[i]);
        const char *with = strstr(source, "\nWITH ");
        const char *select = strstr(source, "\nSELECT ");
        const char *end = strrchr(source, ';');

        must(select && end && select < end);
        if (i == 0)
            buf_printf(&sql, "%.*s", with ? (int)(select - with) : 0, with ? with : "");
        else
            must(with && strncmp(buf_text(&sql), with, (size_t)(select - with)) == 0);
        buf_printf(&sql, "\n%sSELECT %d AS condition, * FROM (%.*s) AS c%d",
                   i > 0 ? "UNION ALL " : "", scan->conditions[i], (int)(end - select), select,
                   scan->conditions[i]);
    }
    char *text = arena_strdup(arena, buf_text(&sql));
    buf_free(&sql);
    return text;
}

/* --- one task --------------------------------------------------------------------------------- */

/* Tasks end in any order; the examples are kept in the order of their warehouses. */
static void
keep_example(struct check *check, struct check_condition *condition, const struct pg_rows *rows,
             int row)
{
    int warehouse = (int)pg_value_int(rows, row, pg_column_index(rows, "warehouse"));
    int district_column = pg_column_index(rows, "district");
    int at = condition->examples_count;

    while (at > 0 && condition->examples[at - 1].warehouse > warehouse)
        at--;
    if (at == CHECK_EXAMPLES)
        return;
    int moved = condition->examples_count - at;
    if (condition->examples_count == CHECK_EXAMPLES)
        moved--;
    else
        condition->examples_count++;
    memmove(&condition->examples[at + 1], &condition->examples[at],
            (size_t)moved * sizeof condition->examples[0]);
    condition->examples[at] = (struct check_example){
        .warehouse = warehouse,
        .district = pg_is_null(rows, row, district_column)
                        ? 0
                        : (int)pg_value_int(rows, row, district_column),
        .detail = arena_strdup(check->arena, pg_value(rows, row, pg_column_index(rows, "detail"))),
        .expected =
            arena_strdup(check->arena, pg_value(rows, row, pg_column_index(rows, "expected"))),
        .found = arena_strdup(check->arena, pg_value(rows, row, pg_column_index(rows, "found"))),
    };
}

static void
keep(struct check *check, const struct scan *scan, const struct pg_rows *rows, double elapsed_s)
{
    int number_column = pg_column_index(rows, "condition");
    int violations_column = pg_column_index(rows, "violations");
    int last = 0;

    pthread_mutex_lock(&check->lock);
    for (int i = 0; scan->conditions[i] > 0; i++)
        check->result->conditions[scan->conditions[i] - 1].elapsed_s += elapsed_s;
    for (int row = 0; row < pg_rows_count(rows); row++) {
        int number = (int)pg_value_int(rows, row, number_column);
        struct check_condition *condition = &check->result->conditions[number - 1];

        /* The rows of a condition stand together, and each says how many there are in all. */
        if (number != last)
            condition->violations += pg_value_int(rows, row, violations_column);
        last = number;
        keep_example(check, condition, rows, row);
    }
    pthread_mutex_unlock(&check->lock);
}

/* The conditions join large sets on all columns of their keys, which the planner takes for very
 * selective: with the statistics of a single warehouse it chose merge joins on part of the key, and
 * took seconds where hash joins, linear whatever the statistics, take tenths. A range of warehouses
 * lies together on the disk, as the load has written it: index scans of it read little else. */
static const char session[] = "SET enable_mergejoin = off; SET enable_nestloop = off;"
                              " SET random_page_cost = 1.1; SET work_mem = '64MB'; SET jit = off";

static bool
check_range(struct team *team, struct pg *pg, int number, void *context, struct err *err)
{
    struct check *check = context;
    const struct task *task = &check->tasks[number];
    struct arena arena = {0};
    const char *variables[] = {"first_warehouse",
                               arena_printf(&arena, "%d", task->first),
                               "last_warehouse",
                               arena_printf(&arena, "%d", task->last),
                               "after_load",
                               check->request->after_load ? "1" : "0",
                               NULL};
    const char *sql = sql_substitute(&arena, scan_statement(&arena, task->scan),
                                     check->request->schema, variables);
    int64_t started_us = clock_monotonic_us();
    struct pg_rows *rows = pg_exec(pg, session, err) ? pg_query(pg, sql, 0, NULL, err) : NULL;

    (void)team;
    if (rows)
        keep(check, task->scan, rows, (double)(clock_monotonic_us() - started_us) / 1e6);
    else
        err_prefix(err, "condition %d, warehouses %d to %d", task->scan->conditions[0], task->first,
                   task->last);
    pg_rows_free(rows);
    arena_free(&arena);
    return rows != NULL;
}

/* --- all of them ------------------------------------------------------------------------------ */

/* As many ranges as keep all connections busy to the end, of almost the same size. */
static void
plan_tasks(struct check *check, const struct scan *scans, int scans_count)
{
    int warehouses = check->request->warehouses, jobs = check->request->jobs;
    int rounds = (warehouses + jobs * RANGE_MAX - 1) / (jobs * RANGE_MAX);
    int ranges = jobs * rounds < warehouses ? jobs * rounds : warehouses;

    check->tasks = must_calloc((size_t)(scans_count * ranges), sizeof *check->tasks);
    check->work = must_calloc((size_t)(scans_count * ranges), sizeof *check->work);
    check->parts = must_calloc((size_t)(scans_count * ranges), sizeof *check->parts);
    for (int i = 0; i < scans_count; i++) {
        int pieces = scans[i].whole ? 1 : ranges;

        for (int k = 0; k < pieces; k++) {
            struct task *task = &check->tasks[check->tasks_count];

            *task = (struct task){.scan = &scans[i],
                                  .first = (int)((int64_t)warehouses * k / pieces) + 1,
                                  .last = (int)((int64_t)warehouses * (k + 1) / pieces)};
            struct schedule_part *part = &check->parts[check->tasks_count];
            *part = (struct schedule_part){
                0.1 + (double)scans[i].weight * (task->last - task->first + 1), 1};
            check->work[check->tasks_count++] = (struct schedule_task){part, 1};
        }
        for (int k = 0; scans[i].conditions[k] > 0; k++)
            check->result->conditions[scans[i].conditions[k] - 1].tested = true;
    }
    log_detail("checking in ranges of at most %d warehouses; %s",
               (warehouses + ranges - 1) / ranges, session);
}

bool
check_run(const struct check_request *request, struct arena *arena, struct check_result *result,
          struct err *err)
{
    struct check check = {.request = request, .arena = arena, .result = result};

    *result = (struct check_result){.moment = arena_strdup(arena, request->moment)};
    for (int number = 1; number <= CHECK_TESTS; number++)
        result->conditions[number - 1].name = test_name(arena, number);
    if (request->fast)
        plan_tasks(&check, fast_scans, LENGTH(fast_scans));
    else
        plan_tasks(&check, full_scans, LENGTH(full_scans));
    pthread_mutex_init(&check.lock, NULL);
    result->done = team_run(&(struct team_plan){.target = request->target,
                                                .purpose = "check",
                                                .jobs = request->jobs,
                                                .tasks = check.tasks_count,
                                                .task = check_range,
                                                .context = &check,
                                                .doing = "checking",
                                                .work = check.work},
                            err);
    pthread_mutex_destroy(&check.lock);
    free(check.tasks);
    free(check.work);
    free(check.parts);
    for (int i = 0; i < CHECK_TESTS; i++)
        result->conditions[i].tested = result->conditions[i].tested && result->done;
    return result->done;
}
