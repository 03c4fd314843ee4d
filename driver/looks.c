/* Owns the list of what is looked at. How: hostfiles.c's and pgstat.c's; when: the sampler's; what
 * follows from it: series.c's. */
#include "driver/looks.h"

#include <stdlib.h>

#include "common/clock.h"

#define WAITS_NUMBER 63 /* of its prepared statement; the views have theirs from 0 */

static const char *const look_names[LOOK_KINDS] = {"waits", "server", "driver_host", "server_host"};

void
looks_init(struct looks *looks, const struct sampler_rules *rules, int stop)
{
    *looks = (struct looks){.schema = rules->schema, .set = series_new(rules->interval_us / 2)};
    looks->monitor =
        (struct monitor){.target = rules->target, .stop = stop, .prepares = rules->prepares};
    looks->driver_host.source = METRIC_DRIVER_HOST;
    looks->server_host.source = METRIC_SERVER_HOST;
}

void
looks_free(struct looks *looks)
{
    monitor_close(&looks->monitor);
    series_free(looks->set);
    hostfiles_free(&looks->driver_host);
    hostfiles_free(&looks->server_host);
    arena_free(&looks->arena);
}

/* --- the server ------------------------------------------------------------------------------- */

/* Columns are texts of the answer, which the next question takes away. */
static bool
plan_views(struct looks *looks)
{
    const struct pg_rows *rows = monitor_ask(&looks->monitor, MONITOR_ONCE, pgstat_columns_sql);
    int count = rows ? pg_rows_count(rows) : 0;
    struct arena *arena = &looks->arena;
    struct pgstat_column *columns = arena_array(arena, (size_t)count + 1, sizeof *columns);

    for (int i = 0; i < count; i++)
        columns[i] = (struct pgstat_column){arena_strdup(arena, pg_value(rows, i, 0)),
                                            arena_strdup(arena, pg_value(rows, i, 1)),
                                            arena_strdup(arena, pg_value(rows, i, 2))};
    if (rows)
        pgstat_plan(looks->queries, arena, columns, count, looks->schema, looks->set);
    return rows != NULL;
}

/* Whoever takes the last connection must not take it a second time, when virtual users that lost
 * theirs want it back. */
static void
look_for_spare(struct monitor *monitor)
{
    const struct pg_rows *rows =
        monitor_ask(monitor, MONITOR_ONCE,
                    "SELECT (current_setting('max_connections')::int"
                    " - current_setting('superuser_reserved_connections')::int"
                    " - (SELECT count(*) FROM pg_stat_activity"
                    "  WHERE coalesce(backend_type, 'client backend') = 'client backend'))::text");

    monitor->once = rows && pg_rows_count(rows) == 1 && strtol(pg_value(rows, 0, 0), NULL, 10) <= 0;
}

static void
all_missing(struct looks *looks, const char *reason)
{
    struct series_key key = {METRIC_SERVER, "wait", "", "sessions", METRIC_RATE, 1};

    series_missing(looks->set, &key, reason);
    for (int i = 0; (key.name = pgstat_metric(i)); i++)
        series_missing(looks->set, &key, reason);
}

/* Whether there is a session, and it is known what to ask. */
static bool
server_ready(struct looks *looks)
{
    struct monitor *monitor = &looks->monitor;
    struct series_key host = {METRIC_SERVER_HOST, "cpu_busy", "", "percent", METRIC_SHARE, 1};

    if (!monitor_ready(monitor, clock_monotonic_us())) {
        if (!looks->planned)
            all_missing(looks, monitor->why);
        return false;
    }
    if (looks->planned)
        return true;
    look_for_spare(monitor);
    looks->here = hostfiles_server_is_here(monitor);
    if (looks->here)
        series_missing(looks->set, &host, "the server is on the driver's host");
    looks->planned = plan_views(looks);
    if (!looks->planned)
        all_missing(looks, monitor->why);
    return looks->planned && monitor->pg;
}

static void
look_at_view(struct looks *looks, int view)
{
    const struct pgstat_query *query = &looks->queries[view];
    const struct pg_rows *rows = monitor_ask(&looks->monitor, view, query->sql);
    int64_t now_us = clock_monotonic_us();

    if (rows) {
        pgstat_feed(query, looks->set, now_us, looks->answered_us[view], rows, pg_rows_count(rows),
                    monitor_value);
        looks->answered_us[view] = now_us;
    } else if (looks->monitor.pg) {
        /* The question is wrong for this server, or this role: it will be next time, too. */
        looks->failed[view] = true;
        pgstat_failed(query, looks->set, looks->monitor.why);
    }
}

static void
look_at_server(struct looks *looks, bool seldom, bool edge)
{
    for (int view = 0; view < PGSTAT_VIEWS && looks->monitor.pg; view++) {
        const struct pgstat_query *query = &looks->queries[view];
        bool due =
            query->level == PGSTAT_EVERY || (query->level == PGSTAT_SELDOM && seldom) || edge;
        if (due && query->sql && !looks->failed[view])
            look_at_view(looks, view);
    }
}

void
looks_waits(struct looks *looks)
{
    struct series_key key = {METRIC_SERVER, "wait", "", "sessions", METRIC_RATE, 1};
    int64_t begun_us = clock_monotonic_us();

    if (looks->waits_failed || !server_ready(looks))
        return;
    const struct pg_rows *rows = monitor_ask(&looks->monitor, WAITS_NUMBER, pgstat_waits_sql);
    int64_t now_us = clock_monotonic_us();
    if (rows) {
        pgstat_waits_look(&looks->waits, now_us, rows, pg_rows_count(rows), monitor_value);
    } else if (looks->monitor.pg) {
        looks->waits_failed = true;
        series_missing(looks->set, &key, looks->monitor.why);
    }
    looks->spent_us[LOOK_WAITS] += now_us - begun_us;
    looks->count[LOOK_WAITS]++;
}

/* --- what looking costs ----------------------------------------------------------------------- */

static void
feed_cost(struct looks *looks, int64_t cpu_us, int64_t at_us)
{
    struct series_key cpu = {METRIC_SAMPLER, "cpu", "driver", "percent", METRIC_SHARE, 100};
    struct series_reading reading = {.top = (double)cpu_us, .bottom = (double)at_us};

    series_feed(looks->set, &cpu, at_us, &reading);
    if (looks->here && looks->monitor.pg) {
        int pid = pg_backend_pid(looks->monitor.pg);
        int64_t used_us = hostfiles_process_cpu_us(pid);
        cpu.instance = "server";
        reading.top = (double)used_us;
        reading.epoch = pid;
        if (used_us >= 0)
            series_feed(looks->set, &cpu, at_us, &reading);
    }
    for (int i = 0; i < LOOK_KINDS; i++) {
        struct series_key time = {METRIC_SAMPLER, "look_time",  look_names[i],
                                  "ms",           METRIC_SHARE, 1};
        if (looks->count[i] > 0)
            series_feed(looks->set, &time, at_us,
                        &(struct series_reading){.top = (double)looks->spent_us[i] / 1000,
                                                 .bottom = (double)looks->count[i]});
    }
}

/* --- looking ---------------------------------------------------------------------------------- */

static void
count_look(struct looks *looks, enum look_kind kind, int64_t begun_us)
{
    looks->spent_us[kind] += clock_monotonic_us() - begun_us;
    looks->count[kind]++;
}

void
looks_all(struct looks *looks, bool seldom, bool edge, int64_t cpu_us)
{
    int64_t begun_us = clock_monotonic_us();

    hostfiles_look(&looks->driver_host, looks->set, seldom, begun_us);
    count_look(looks, LOOK_DRIVER_HOST, begun_us);
    if (server_ready(looks)) {
        begun_us = clock_monotonic_us();
        pgstat_waits_feed(&looks->waits, looks->set, begun_us);
        look_at_server(looks, seldom, edge);
        count_look(looks, LOOK_SERVER, begun_us);
        begun_us = clock_monotonic_us();
        if (!looks->here && looks->monitor.pg) {
            hostfiles_look_remote(&looks->server_host, &looks->monitor, looks->set, seldom,
                                  begun_us);
            count_look(looks, LOOK_SERVER_HOST, begun_us);
        }
    }
    feed_cost(looks, cpu_us, clock_monotonic_us());
    hostfiles_cores(&looks->driver_host, looks->set, begun_us);
    hostfiles_cores(&looks->server_host, looks->set, begun_us);
}
