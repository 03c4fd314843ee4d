/* The driver's own connection beside those of the virtual users: what must be true before a level
 * begins, and the order counters before and after. */
#ifndef ORDERMILL_DRIVER_CONTROL_H
#define ORDERMILL_DRIVER_CONTROL_H

#include "common/buf.h"
#include "common/build.h"
#include "driver/driver.h"

struct control {
    struct pg_target *target; /* for the virtual users too: carries the isolation level */
    struct pg *pg;
    const char *purpose;
    struct build_info build;
    int terminals, sessions; /* as the options and the number of warehouses decide */
    int threads;             /* never more than sessions */
    int deliverers;          /* sessions for deferred deliveries, besides */
    int connections;         /* all of these */
    const char *holders;     /* who has one: "virtual users", "terminals", "sessions" */
    char isolation[32];      /* of its sessions, as the server confirmed it */
    bool hurried;            /* what is asked below has two seconds each: a signal has come */
};

/* Connects and checks that a level with these options could run (see driver_preflight). Each answer
 * has 20 seconds, or what whoever leads the process allows. */
MUST_CHECK bool control_open(struct control *control, const struct driver_options *options,
                             struct err *err);
void control_close(struct control *control);

/* What follows ends whatever the server does, and with a signal unless hurried: an answer has five
 * seconds, sums a minute, and two seconds more for each warehouse where they are read in full. */

/* Connects again, within so many microseconds and at least once, where the connection has gone
 * meanwhile or gives no answer: a server that was restarted, a firewall that forgets what is idle.
 */
MUST_CHECK bool control_again(struct control *control, int64_t patience_us, struct err *err);

/* Median round trip of an empty query on this connection; -1 when it cannot be had. */
int64_t control_round_trip_us(struct control *control);

/* The database's own sums, of which a level's growth is the difference (see enum growth). Those
 * that are kept per district are always read; stock and history only when all are wanted, since
 * that reads both tables through: without, they are -1. */
struct control_sums {
    int64_t sums[GROWTHS];
    int stock_quantity_min, stock_quantity_max;
};
MUST_CHECK bool control_read_sums(struct control *control, const char *schema, bool all,
                                  struct control_sums *sums, struct err *err);

/* How many of these sessions are still on the server, five seconds after the end of a level (half a
 * one where hurried); -1: it could not be seen. Those that are go to `named` and to stderr. */
struct backends;
int control_see_left(struct control *control, const struct backends *backends, struct buf *named);

#endif
