/* Runs checks/NN_*.sql over ranges of warehouses; see check.h. What the conditions are stands in
 * those files alone: their first line "-- NAME: ..." names them, their rows are the violations. */
#include "loader/check.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "common/buf.h"
#include "common/clock.h"
#include "common/log.h"
#include "common/sql.h"
#include "loader/loader.h"
#include "loader/team.h"

/* Condition numbers, the costly ones first so that none of them is left to the end. */
static const int order[CHECK_CONDITIONS] = {10, 12, 7, 6, 4, 5, 11, 2, 9, 8, 3, 1};

/* More warehouses at once would only make the server's hash tables spill. */
enum { RANGE_MAX = 50, EXAMPLES_PRINTED = 3, QUIET_US = 1000000 };

struct check {
    const char *schema;
    int warehouses, range; /* of one task */
    int ranges;
    struct arena *arena; /* under the lock, as is the result */
    struct check_result *result;
    pthread_mutex_t lock;
    atomic_int tasks_done;
    int64_t started_us;
};

static const char *
condition_path(int number)
{
    const char *path = sql_path("checks/", (size_t)(number - 1));
    char prefix[32];

    snprintf(prefix, sizeof prefix, "checks/%02d_", number);
    must(path != NULL && strncmp(path, prefix, strlen(prefix)) == 0);
    return path;
}

static const char *
condition_name(struct arena *arena, int number)
{
    static const char mark[] = "-- NAME: ";
    const char *source = sql_source(condition_path(number));

    must(strncmp(source, mark, strlen(mark)) == 0);
    source += strlen(mark);
    return arena_printf(arena, "%.*s", (int)strcspn(source, "\n"), source);
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
keep(struct check *check, int number, const struct pg_rows *rows, double elapsed_s)
{
    struct check_condition *condition = &check->result->conditions[number - 1];

    pthread_mutex_lock(&check->lock);
    condition->elapsed_s += elapsed_s;
    if (pg_rows_count(rows) > 0)
        condition->violations += pg_value_int(rows, 0, pg_column_index(rows, "violations"));
    for (int row = 0; row < pg_rows_count(rows); row++)
        keep_example(check, condition, rows, row);
    pthread_mutex_unlock(&check->lock);
}

/* The conditions join large sets on all columns of their keys, which the planner takes for very
 * selective: with the statistics of a single warehouse it chose merge joins on part of the key, and
 * took seconds where hash joins, linear whatever the statistics, take tenths. */
static const char session[] = "SET enable_mergejoin = off; SET enable_nestloop = off;"
                              "SET work_mem = '64MB'; SET jit = off";

static bool
check_range(struct team *team, struct pg *pg, int task, void *context, struct err *err)
{
    struct check *check = context;
    int number = order[task / check->ranges];
    int first = task % check->ranges * check->range + 1;
    int last =
        first + check->range - 1 < check->warehouses ? first + check->range - 1 : check->warehouses;
    struct arena arena = {0};
    const char *variables[] = {"first_warehouse", arena_printf(&arena, "%d", first),
                               "last_warehouse", arena_printf(&arena, "%d", last), NULL};
    const char *sql = sql_text(&arena, condition_path(number), check->schema, variables);
    int64_t started_us = clock_monotonic_us();
    struct pg_rows *rows = pg_exec(pg, session, err) ? pg_query(pg, sql, 0, NULL, err) : NULL;

    (void)team;
    if (rows)
        keep(check, number, rows, (double)(clock_monotonic_us() - started_us) / 1e6);
    else
        err_prefix(err, "condition %d", number);
    pg_rows_free(rows);
    arena_free(&arena);
    atomic_fetch_add(&check->tasks_done, 1);
    return rows != NULL;
}

/* --- all of them ------------------------------------------------------------------------------ */

static void
show_progress(void *context)
{
    struct check *check = context;

    if (clock_monotonic_us() - check->started_us < QUIET_US)
        return;
    log_progress("checking: %d of %d parts", atomic_load(&check->tasks_done),
                 CHECK_CONDITIONS * check->ranges);
}

bool
check_run(const struct pg_target *target, const char *schema, int warehouses, int jobs,
          const char *moment, struct arena *arena, struct check_result *result, struct err *err)
{
    struct check check = {.schema = schema,
                          .warehouses = warehouses,
                          .arena = arena,
                          .result = result,
                          .started_us = clock_monotonic_us()};

    *result = (struct check_result){.moment = arena_strdup(arena, moment)};
    for (int number = 1; number <= CHECK_CONDITIONS; number++)
        result->conditions[number - 1].name = condition_name(arena, number);
    check.range = (warehouses + jobs - 1) / jobs;
    if (check.range > RANGE_MAX)
        check.range = RANGE_MAX;
    check.ranges = (warehouses + check.range - 1) / check.range;
    pthread_mutex_init(&check.lock, NULL);
    result->done = team_run(&(struct team_plan){.target = target,
                                                .purpose = "check",
                                                .jobs = jobs,
                                                .tasks = CHECK_CONDITIONS * check.ranges,
                                                .task = check_range,
                                                .context = &check,
                                                .progress = show_progress},
                            err);
    pthread_mutex_destroy(&check.lock);
    log_progress_end();
    for (int i = 0; i < CHECK_CONDITIONS; i++)
        result->conditions[i].tested = result->done;
    return result->done;
}

bool
loader_check(const struct settings *settings, const char *moment, struct arena *arena,
             struct check_result *result, struct err *err)
{
    const char *schema = settings_text(settings, SET_SCHEMA);
    struct pg_target *target;
    struct build_info info;
    bool ok = false;

    *result = (struct check_result){.done = false};
    if (!sql_check_schema(schema, err) || !(target = pg_target_new(settings, err)))
        return false;
    struct pg *pg = pg_connect(target, "check", err);
    if (pg && build_require(pg, schema, BUILD_FOR_CHECK, &info, err))
        ok = check_run(target, schema, info.warehouses, loader_jobs(settings), moment, arena,
                       result, err);
    pg_close(pg);
    pg_target_free(target);
    return ok;
}

int64_t
loader_violations(const struct check_result *result)
{
    int64_t sum = 0;

    for (int i = 0; i < CHECK_CONDITIONS; i++)
        sum += result->conditions[i].violations;
    return sum;
}

/* --- what people see -------------------------------------------------------------------------- */

static void
print_example(const struct check_example *example, struct buf *out)
{
    buf_printf(out, "       warehouse %d", example->warehouse);
    if (example->district > 0)
        buf_printf(out, ", district %d", example->district);
    if (example->detail[0])
        buf_printf(out, ", %s", example->detail);
    buf_printf(out, ": expected %s, found %s\n", example->expected, example->found);
}

void
check_print(const struct check_result *result, struct buf *out)
{
    for (int i = 0; i < CHECK_CONDITIONS; i++) {
        const struct check_condition *condition = &result->conditions[i];
        int shown = condition->examples_count < EXAMPLES_PRINTED ? condition->examples_count
                                                                 : EXAMPLES_PRINTED;

        buf_printf(out, "%s  %2d  %s\n",
                   !condition->tested          ? "NOT TESTED"
                   : condition->violations > 0 ? "FAIL"
                                               : "PASS",
                   i + 1, condition->name);
        for (int k = 0; k < shown; k++)
            print_example(&condition->examples[k], out);
        if (condition->violations > shown)
            buf_printf(out, "       and %" PRId64 " more\n", condition->violations - shown);
    }
}

bool
check_judge(const struct check_result *result, struct err *err)
{
    int64_t violations = loader_violations(result);
    int broken = 0, first = 0;

    for (int i = CHECK_CONDITIONS; i-- > 0;) {
        if (result->conditions[i].violations > 0) {
            broken++;
            first = i;
        }
    }
    if (broken == 0)
        return true;
    return err_set(err, ERR_INCONSISTENT,
                   "%d of the %d consistency conditions are broken, %" PRId64
                   " times in all; the first is %d: %s",
                   broken, CHECK_CONDITIONS, violations, first + 1, result->conditions[first].name);
}
