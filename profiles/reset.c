/* Owns what happens to the database between two steps. */
#include "profiles/reset.h"

#include <string.h>

#include "common/clock.h"
#include "common/interrupt.h"

#define PAUSE_US 100000

static void
add_event(struct reset *reset, const char *what, int64_t begun_us, int64_t bytes,
          const char *detail)
{
    must(reset->count < RESET_EVENTS_MAX);
    reset->events[reset->count++] = (struct event){.what = what,
                                                   .elapsed_us = clock_monotonic_us() - begun_us,
                                                   .bytes = bytes,
                                                   .detail = detail};
}

/* Sessions of the kit that work, or did: what a step before has left, or another ordermill. */
static bool
wait_until_alone(struct pg *pg, int64_t limit_us, struct err *err)
{
    static const char sql[] = "SELECT count(*) FROM pg_stat_activity"
                              " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                              " AND application_name LIKE 'ordermill %'";
    int64_t end_us = clock_monotonic_us() + limit_us;
    int64_t sessions = 0;

    while (pg_query_int(pg, sql, &sessions, err)) {
        if (sessions == 0)
            return true;
        if (interrupt_check(err))
            return false;
        if (clock_monotonic_us() > end_us)
            return err_set(
                err, ERR_SERVER, "%lld other session%s of ordermill in this database after %lld s",
                (long long)sessions, sessions == 1 ? "" : "s", (long long)(limit_us / 1000000));
        clock_sleep_us(PAUSE_US);
    }
    return false;
}

/* Whoever vacuums or analyzes a table holds this lock on it, and locks are there for every role to
 * see, unlike what other sessions run. */
static bool
count_vacuums(struct pg *pg, const char *schema, int64_t *count, struct err *err)
{
    struct pg_rows *rows =
        pg_query(pg,
                 "SELECT count(*) FROM pg_locks AS l JOIN pg_class AS c ON c.oid = l.relation"
                 " WHERE l.mode = 'ShareUpdateExclusiveLock' AND l.granted"
                 " AND l.pid <> pg_backend_pid() AND l.database ="
                 " (SELECT oid FROM pg_database WHERE datname = current_database())"
                 " AND c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1)",
                 1, &schema, err);

    if (!rows)
        return false;
    *count = pg_value_int(rows, 0, 0);
    pg_rows_free(rows);
    return true;
}

static bool
wait_for_autovacuum(struct pg *pg, const struct reset_options *options, struct reset *reset,
                    struct err *err)
{
    int64_t begun_us = clock_monotonic_us(), count = 0;
    bool waited = false;

    while (count_vacuums(pg, options->schema, &count, err)) {
        bool given_up = clock_monotonic_us() - begun_us >= options->autovacuum_wait_us;
        if (count == 0 || given_up) {
            if (waited || count > 0)
                add_event(reset, "autovacuum", begun_us, -1, count > 0 ? "still at work" : "");
            return true;
        }
        if (interrupt_check(err))
            return false;
        waited = true;
        clock_sleep_us(PAUSE_US);
    }
    return false;
}

static bool
read_size(struct pg *pg, const char *schema, int64_t *bytes, struct err *err)
{
    struct pg_rows *rows =
        pg_query(pg,
                 "SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class"
                 " WHERE relkind IN ('r', 'm') AND relnamespace ="
                 " (SELECT oid FROM pg_namespace WHERE nspname = $1)",
                 1, &schema, err);

    if (!rows)
        return false;
    *bytes = pg_value_int(rows, 0, 0);
    pg_rows_free(rows);
    return true;
}

/* Tables of other owners would be skipped with a warning that nobody reads. */
static bool
vacuum(struct pg *pg, const struct reset_options *options, struct arena *arena, struct reset *reset,
       struct err *err)
{
    int64_t begun_us = clock_monotonic_us(), bytes = -1;
    struct pg_rows *rows =
        pg_query(pg,
                 "SELECT string_agg(format('%I.%I', $1::text, relname), ', ' ORDER BY relname)"
                 " FILTER (WHERE owned), count(*) FILTER (WHERE NOT owned) FROM (SELECT relname,"
                 " pg_has_role(relowner, 'USAGE') AS owned FROM pg_class"
                 " WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace ="
                 " (SELECT oid FROM pg_namespace WHERE nspname = $1)) AS tables",
                 1, &options->schema, err);

    if (!rows)
        return false;
    const char *detail = "";
    if (pg_value_int(rows, 0, 1) > 0)
        detail = arena_printf(arena, "%s tables belong to another role, and were left out",
                              pg_value(rows, 0, 1));
    bool ok = pg_is_null(rows, 0, 0) || pg_execf(pg, err, "VACUUM %s", pg_value(rows, 0, 0));
    pg_rows_free(rows);
    int64_t vacuumed_us = clock_monotonic_us() - begun_us;
    ok = ok && read_size(pg, options->schema, &bytes, err);
    if (ok) {
        add_event(reset, "vacuum", begun_us, bytes, detail);
        reset->events[reset->count - 1].elapsed_us = vacuumed_us;
    }
    return ok || err_prefix(err, "vacuum");
}

bool
reset_checkpoint(struct pg *pg, struct arena *arena, struct reset *reset, struct err *err)
{
    int64_t begun_us = clock_monotonic_us();

    if (pg_exec(pg, "CHECKPOINT", err)) {
        add_event(reset, "checkpoint", begun_us, -1, "");
        return true;
    }
    if (err->code != ERR_SERVER || !err->sqlstate[0])
        return err_prefix(err, "checkpoint");
    add_event(reset, "checkpoint", begun_us, -1, arena_printf(arena, "refused: %s", err->message));
    reset->events[reset->count - 1].elapsed_us = -1;
    return true;
}

bool
reset_database(struct pg *pg, const struct reset_options *options, struct arena *arena,
               struct reset *reset, struct err *err)
{
    *reset = (struct reset){0};
    return wait_until_alone(pg, options->sessions_limit_us, err) &&
           (!options->vacuums ||
            (wait_for_autovacuum(pg, options, reset, err) &&
             vacuum(pg, options, arena, reset, err) && reset_checkpoint(pg, arena, reset, err)));
}
