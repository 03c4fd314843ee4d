/* Owns the waiting of the sampler's session. What is asked is the sampler's. */
#include "driver/monitor.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "common/clock.h"

#define CONNECT_US       5000000
#define CONNECT_AGAIN_US 3000000
#define PREPARED_MAX     64

static void
give_up(struct monitor *monitor, const char *why)
{
    snprintf(monitor->why, sizeof monitor->why, "%.*s", (int)sizeof monitor->why - 1, why);
    pg_close(monitor->pg);
    monitor->pg = NULL;
    monitor->again_us = clock_monotonic_us() + CONNECT_AGAIN_US;
}

/* Waits until the socket is as the state wants it. False: too late, or it is time to end. */
static bool
wait_for(struct monitor *monitor, enum pg_state state, int64_t end_us)
{
    struct pollfd both[] = {{.fd = pg_socket(monitor->pg), .events = POLLIN},
                            {.fd = monitor->stop, .events = POLLIN}};
    int64_t left_us = end_us - clock_monotonic_us();

    if (state == PG_WRITE)
        both[0].events |= POLLOUT;
    int ready = left_us > 0 ? poll(both, 2, (int)(left_us / 1000) + 1) : 0;
    monitor->stopped = monitor->stopped || (ready > 0 && both[1].revents);
    if (ready > 0 && !monitor->stopped)
        return true;
    give_up(monitor, monitor->stopped ? "the step ended" : "no answer in time");
    return false;
}

static bool
finish_connecting(struct monitor *monitor)
{
    int64_t end_us = clock_monotonic_us() + CONNECT_US;
    enum pg_state state = PG_WRITE;
    struct err err;

    while (state != PG_DONE) {
        if (!wait_for(monitor, state, end_us))
            return false;
        state = pg_connect_step(monitor->pg, &err);
        if (state == PG_FAILED) {
            give_up(monitor, err.message);
            return false;
        }
    }
    return true;
}

/* Never in the way of others: no wait for a lock, no long statement, no workers. */
static const char manners_sql[] = "SELECT set_config('statement_timeout', '5s', false),"
                                  " set_config('lock_timeout', '100ms', false),"
                                  " set_config('default_transaction_isolation',"
                                  "  'read committed', false),"
                                  " set_config('max_parallel_workers_per_gather', '0', false),"
                                  " set_config('jit', 'off', false)";

bool
monitor_ready(struct monitor *monitor, int64_t now_us)
{
    struct err err;

    if (monitor->pg)
        return true;
    if (monitor->stopped || now_us < monitor->again_us || (monitor->once && monitor->again_us > 0))
        return false;
    monitor->prepared = 0;
    monitor->pg = pg_connect_start(monitor->target, MONITOR_PURPOSE, &err);
    if (!monitor->pg) {
        give_up(monitor, err.message);
        return false;
    }
    return finish_connecting(monitor) &&
           (monitor_ask(monitor, MONITOR_ONCE, manners_sql) || monitor->pg);
}

/* Sees a request that was sent to its end; where sending failed, err says why. */
static bool
await(struct monitor *monitor, enum pg_state state, struct err *err)
{
    int64_t end_us = clock_monotonic_us() + MONITOR_ANSWER_US;

    while (state != PG_DONE && state != PG_FAILED) {
        if (!wait_for(monitor, state, end_us))
            return false;
        if (state == PG_WRITE)
            state = pg_flush(monitor->pg, err);
        if (state == PG_READ)
            state = pg_receive(monitor->pg, err);
    }
    if (state == PG_FAILED) {
        give_up(monitor, err->message);
        return false;
    }
    const struct pg_rows *rows = pg_answer(monitor->pg);
    if (rows && pg_rows_ok(rows))
        return true;
    if (rows)
        pg_rows_message(rows, monitor->why, sizeof monitor->why);
    else
        snprintf(monitor->why, sizeof monitor->why, "no answer");
    return false;
}

/* The name under which the statement is prepared; NULL where it is not. */
static const char *
prepare(struct monitor *monitor, int number, const char *sql, char name[16])
{
    struct err err = {.message = ""};

    if (!monitor->prepares || number < 0 || number >= PREPARED_MAX)
        return NULL;
    snprintf(name, 16, "metrics%d", number);
    if (monitor->prepared >> number & 1)
        return name;
    if (!await(monitor, pg_send_prepare(monitor->pg, name, sql, 0, NULL, &err), &err))
        return NULL;
    monitor->prepared |= UINT64_C(1) << number;
    return name;
}

const struct pg_rows *
monitor_ask(struct monitor *monitor, int number, const char *sql)
{
    char name[16];
    struct pg_call call = {.sql = sql};
    struct err err = {.message = ""};

    call.statement = prepare(monitor, number, sql, name);
    if (!monitor->pg || !await(monitor, pg_send_call(monitor->pg, &call, &err), &err))
        return NULL;
    return pg_answer(monitor->pg);
}

void
monitor_close(struct monitor *monitor)
{
    pg_close(monitor->pg);
    monitor->pg = NULL;
}

const char *
monitor_value(const void *rows, int row, int column)
{
    return pg_is_null(rows, row, column) ? NULL : pg_value(rows, row, column);
}
