/* Owns the waiting. What is sent and received is pg_async.c's. */
#include "common/pg_wait.h"

#include <errno.h>
#include <poll.h>

#include "common/clock.h"
#include "common/interrupt.h"
#include "common/patience.h"
#include "common/units.h"

#define PAUSE_MS_MAX 1000 /* so that a far end needs no care for the range of poll's timeout */

/* Until the socket is ready for what the state says. */
static bool
wait_for(const struct pg *pg, enum pg_state state, const struct pg_wait *wait, int64_t end_us,
         struct err *err)
{
    short events = state == PG_WRITE ? POLLOUT : POLLIN;
    char patience[UNITS_TEXT_SIZE];

    for (;;) {
        struct pollfd both[] = {
            {.fd = pg_socket(pg), .events = events},
            {.fd = wait->heeds_signals ? interrupt_descriptor() : -1, .events = POLLIN}};
        int64_t left_us = end_us - clock_monotonic_us();
        if (wait->heeds_signals && interrupt_check(err))
            return false;
        /* The limit of the whole process counts here too. */
        if (patience_lost(end_us - wait->patience_us, err))
            return false;
        if (left_us <= 0)
            return err_set(err, ERR_CONNECTION, "no answer in %s",
                           units_exact_duration(patience, wait->patience_us));
        int64_t left_ms = left_us / 1000 + 1;
        int ready = poll(both, 2, left_ms < PAUSE_MS_MAX ? (int)left_ms : PAUSE_MS_MAX);
        if (ready < 0 && errno != EINTR)
            return err_set(err, ERR_LOCAL, "cannot wait for the server");
        if (ready > 0 && both[0].revents)
            return true;
    }
}

struct pg *
pg_wait_connect(const struct pg_target *target, const char *purpose, const struct pg_wait *wait,
                struct err *err)
{
    int64_t end_us = clock_monotonic_us() + wait->patience_us;
    struct pg *pg = pg_connect_start(target, purpose, err);
    enum pg_state state = PG_WRITE; /* as libpq has it */

    while (pg && state != PG_DONE) {
        state = wait_for(pg, state, wait, end_us, err) ? pg_connect_step(pg, err) : PG_FAILED;
        if (state == PG_FAILED) {
            pg_close(pg);
            return NULL;
        }
    }
    return pg;
}

const struct pg_rows *
pg_wait_query(struct pg *pg, const char *sql, const struct pg_wait *wait, struct err *err)
{
    int64_t end_us = clock_monotonic_us() + wait->patience_us;
    enum pg_state state = pg_send_sql(pg, sql, err);
    char message[sizeof err->message];

    while (state == PG_WRITE || state == PG_READ) {
        bool flushes = state == PG_WRITE;
        if (!wait_for(pg, state, wait, end_us, err))
            return NULL;
        if (flushes)
            state = pg_flush(pg, err);
        else
            state = pg_receive(pg, err);
    }
    const struct pg_rows *rows = state == PG_DONE ? pg_answer(pg) : NULL;
    if (state != PG_DONE || (rows && pg_rows_ok(rows)))
        return rows;
    if (rows)
        pg_rows_message(rows, message, sizeof message);
    (void)err_set(err, ERR_SERVER, "%s", rows ? message : "no answer");
    return NULL;
}
