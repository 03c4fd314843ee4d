/* Owns the list and the question. */
#include "driver/backends.h"

#include <stdlib.h>

#include "common/clock.h"

#define FIRST_CAPACITY 64
#define PAUSE_US       20000 /* a backend takes a moment to end */
#define PAUSE_MOST_US  500000
#define NAMED_MAX      10

void
backends_init(struct backends *backends)
{
    *backends = (struct backends){0};
    pthread_mutex_init(&backends->lock, NULL);
}

void
backends_free(struct backends *backends)
{
    pthread_mutex_destroy(&backends->lock);
    free(backends->pids);
}

void
backends_add(struct backends *backends, const struct pg *pg)
{
    pthread_mutex_lock(&backends->lock);
    if (backends->count == backends->capacity) {
        backends->capacity = backends->capacity > 0 ? 2 * backends->capacity : FIRST_CAPACITY;
        backends->pids =
            must_realloc(backends->pids, (size_t)backends->capacity * sizeof *backends->pids);
    }
    backends->pids[backends->count++] = pg_backend_pid(pg);
    pthread_mutex_unlock(&backends->lock);
}

/* A number may have been given to somebody else's session since: the name tells. */
static void
put_question(const struct backends *backends, struct buf *sql)
{
    buf_puts(sql, "SELECT pid, coalesce(state, 'unknown'),"
                  " coalesce(extract(epoch FROM clock_timestamp() - state_change), 0)::bigint"
                  " FROM pg_stat_activity WHERE application_name LIKE 'ordermill %'"
                  " AND pid = ANY ('{");
    for (int i = 0; i < backends->count; i++)
        buf_printf(sql, "%s%d", i ? "," : "", backends->pids[i]);
    buf_puts(sql, "}'::int[]) ORDER BY pid");
}

static void
put_sessions(const struct pg_rows *rows, struct buf *out)
{
    int count = pg_rows_count(rows);

    for (int i = 0; i < count && i < NAMED_MAX; i++)
        buf_printf(out, "%s%s (%s for %s s)", i ? ", " : "", pg_value(rows, i, 0),
                   pg_value(rows, i, 1), pg_value(rows, i, 2));
    if (count > NAMED_MAX)
        buf_printf(out, ", and %d more", count - NAMED_MAX);
}

/* A pooler gives its clients numbers of its own, which say nothing about the server. */
static bool
knows_numbers(struct pg *pg, const struct pg_wait *wait, struct err *err)
{
    const struct pg_rows *rows = pg_wait_query(pg, "SELECT pg_backend_pid()", wait, err);

    return rows && (pg_value_int(rows, 0, 0) == pg_backend_pid(pg) ||
                    err_set(err, ERR_SERVER,
                            "behind a connection pooler, which gives sessions numbers of its own"));
}

bool
backends_left(const struct backends *backends, struct pg *pg, const struct pg_wait *wait,
              int64_t patience_us, int *left, struct buf *out, struct err *err)
{
    int64_t end_us = clock_monotonic_us() + patience_us;
    const struct pg_rows *rows;
    struct buf sql = {0};

    *left = 0;
    if (backends->count == 0)
        return true;
    if (!knows_numbers(pg, wait, err))
        return false;
    put_question(backends, &sql);
    for (int64_t pause_us = PAUSE_US;; pause_us *= pause_us < PAUSE_MOST_US ? 2 : 1) {
        rows = pg_wait_query(pg, buf_text(&sql), wait, err);
        if (!rows || pg_rows_count(rows) == 0 || clock_monotonic_us() + pause_us > end_us)
            break;
        clock_sleep_us(pause_us);
    }
    buf_free(&sql);
    if (!rows)
        return false;
    *left = pg_rows_count(rows);
    put_sessions(rows, out);
    return true;
}
