/* How long a terminal waits between its transactions (TPC-C 5.2.5): a constant keying time before,
 * a think time after, negative exponential and cut at ten times its mean. Pure. */
#ifndef ORDERMILL_DRIVER_PACE_H
#define ORDERMILL_DRIVER_PACE_H

#include "common/workload.h"

/* factor: of all waits; 1 is the standard's. */
int64_t pace_keying_us(double factor, enum txn_type type);
int64_t pace_think_us(double factor, enum txn_type type, struct rng *rng);

/* How long a terminal waits that has been at work for ever when it is first looked at, and what it
 * enters then. Terminals begun so arrive evenly from the first second on, at the rate and with the
 * mix that they keep, and not in waves. */
struct pace_start {
    int64_t wait_us;
    enum txn_type type;
};
struct pace_start pace_start(double factor, const int mix[TXN_TYPES], struct rng *rng);

#endif
