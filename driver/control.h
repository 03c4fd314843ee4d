/* The driver's own connection beside those of the virtual users: what must be true before a level
 * begins, and the order counters before and after. */
#ifndef ORDERMILL_DRIVER_CONTROL_H
#define ORDERMILL_DRIVER_CONTROL_H

#include "common/build.h"
#include "driver/driver.h"

struct control {
    struct pg_target *target; /* for the virtual users too: carries the isolation level */
    struct pg *pg;
    struct build_info build;
    char isolation[32]; /* of its sessions, as the server confirmed it */
};

/* Connects and checks that a level with these options could run (see driver_preflight). */
MUST_CHECK bool control_open(struct control *control, const struct driver_options *options,
                             struct err *err);
void control_close(struct control *control);

/* sum(d_next_o_id): the orders ever placed, plus a constant. */
MUST_CHECK bool control_orders(struct control *control, const char *schema, int64_t *orders,
                               struct err *err);

#endif
