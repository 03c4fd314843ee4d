/* Whether the mix and the inputs of a window were what the standard asks for: its limits (5.2.3,
 * 5.5.1.5, 5.5.1.6) against what was counted. Pure.
 *
 * A window is a sample. A share is judged by its exact (Clopper-Pearson) interval: it is outside
 * only when the whole interval is. At 99.99 % a sound step is blamed by chance less than once in a
 * thousand. */
#ifndef ORDERMILL_COMMON_INPUTS_H
#define ORDERMILL_COMMON_INPUTS_H

#include "common/result.h"

#define INPUTS_LEVEL 0.9999

enum input_kind {
    INPUT_MIX_PAYMENT,
    INPUT_MIX_ORDER_STATUS,
    INPUT_MIX_DELIVERY,
    INPUT_MIX_STOCK_LEVEL,
    INPUT_ROLLBACKS,
    INPUT_LINES_MEAN,
    INPUT_LINES_UNIFORM,
    INPUT_REMOTE_LINES,
    INPUT_REMOTE_PAYMENTS,
    INPUT_PAYMENTS_BY_NAME,
    INPUT_ORDER_STATUS_BY_NAME,
    INPUT_DELIVERIES_SKIPPING,
    INPUTS
};

struct input_check {
    const char *name;   /* "share of payment" */
    const char *clause; /* of the standard */
    const char *unit;   /* "%", "lines", "p-value" */
    double limit_low, limit_high;
    bool judged;        /* false: nothing to judge, see reason */
    const char *reason; /* why it was not judged, or "" */
    double measured;
    bool has_interval;
    double low, high; /* of the measured value */
    bool within;      /* valid when judged */
};

/* All of them, in the order of the enum; shares in percent. */
void inputs_check(const struct step *step, struct input_check checks[INPUTS]);

/* Adds up the counts of inputs alone. */
void inputs_merge(struct input_stats *into, const struct input_stats *from);

/* Adds what `from` counted to `into` (zeroed before the first), so that several steps can be judged
 * as one. Only what is judged here is added. */
void inputs_add(struct step *into, const struct step *from);

#endif
