/* What the workload is, in numbers: cardinalities, mix, names, non-uniform choice. Facts are from
 * the TPC-C standard, revision 5.11, by clause. Pure. */
#ifndef ORDERMILL_COMMON_WORKLOAD_H
#define ORDERMILL_COMMON_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "common/rng.h"

/* The five of the workload, and three probes, each of which makes a mix by itself. */
enum txn_type {
    TXN_NEW_ORDER,
    TXN_PAYMENT,
    TXN_ORDER_STATUS,
    TXN_DELIVERY,
    TXN_STOCK_LEVEL,
    TXN_LOOKUP, /* a customer by primary key */
    TXN_INSERT, /* a row of history, of no money */
    TXN_NULL,   /* nothing */
    TXN_TYPES
};
#define TXN_STANDARD TXN_LOOKUP /* the five are those below */

extern const char *const txn_names[TXN_TYPES];    /* "new_order": JSON, store */
extern const char *const txn_titles[TXN_TYPES];   /* "New-Order": for people */
extern const char *const txn_routines[TXN_TYPES]; /* functions, files: "new_order", "nothing" */

enum {
    DISTRICTS_PER_WAREHOUSE = 10,   /* 1.2.1 */
    TERMINALS_PER_WAREHOUSE = 10,   /* 4.2.2 */
    CUSTOMERS_PER_DISTRICT = 3000,  /* 1.2.1 */
    ORDERS_PER_DISTRICT = 3000,     /* 4.3.3.1 */
    NEW_ORDERS_PER_DISTRICT = 900,  /* 4.3.3.1: the last 900 orders */
    FIRST_UNDELIVERED_ORDER = 2101, /* 4.3.3.1 */
    ITEMS = 100000,                 /* 1.2.1; stock has as many rows per warehouse */
    UNUSED_ITEM = ITEMS + 1,        /* 2.4.1.5: the number of no item */
    ORDER_LINES_MIN = 5,            /* 2.4.1.3 */
    ORDER_LINES_MAX = 15,
    /* What s_quantity can be: it begins in 10..100 (4.3.3.1), an order takes 1 to 10, and 91 is
     * added where less than 10 would be left (2.4.2.2), that is to 0..9, which gives 91..100. */
    STOCK_QUANTITY_MIN = 10,
    STOCK_QUANTITY_MAX = 100,
    LAST_NAMES = 1000,   /* 4.3.2.3 */
    LAST_NAME_SIZE = 17, /* c_last is varchar(16) */
};

/* Least share of the mix in percent (5.2.3), 0 for new-order; and the weights of "standard". */
extern const int mix_minimum_percent[TXN_TYPES];
extern const int mix_standard[TXN_TYPES];
/* The 23 cards of a deck (5.2.4.2), in place of weights of 100. */
extern const int mix_deck[TXN_TYPES];
bool mix_is_deck(const int mix[TXN_TYPES]);
extern const int mix_read_only[TXN_TYPES]; /* "read-only": order-status and stock-level alone */
/* The probe that the mix consists of, or TXN_TYPES. */
enum txn_type mix_probe(const int mix[TXN_TYPES]);
/* Limit on the 90th percentile of the response time (5.2.5.7); 0: none, of a probe. */
extern const int64_t response_limit_us[TXN_TYPES];
#define RESPONSE_LIMIT_SHARE 0.9
/* Least keying time, constant, and least mean think time (5.2.5.7); think times are negative
 * exponential and may be cut at ten times their mean (5.2.5.4). Probes have none. */
extern const int64_t keying_time_us[TXN_TYPES];
extern const int64_t think_time_us[TXN_TYPES];
#define THINK_CUT 10
/* Deferred deliveries: nine in ten are carried out within that time of being queued (2.7.2). */
#define DELIVERY_LIMIT_US    INT64_C(80000000)
#define DELIVERY_IN_TIME_MIN 0.9
/* With the standard's mix and waits, and no time to respond, ten terminals enter as many new-orders
 * a minute (4.1.3). */
#define NOPM_PER_WAREHOUSE 12.86

/* Non-uniform choice over low..high (2.1.6); a is 255, 1023 or 8191; c the run-time constant. */
int64_t workload_nurand(struct rng *rng, int64_t a, int64_t low, int64_t high, int64_t c);

/* The constants C of one population or one run (2.1.6.1). */
struct nurand_constants {
    int c_last;      /* 0..255 */
    int customer_id; /* 0..1023 */
    int item_id;     /* 0..8191 */
};

/* C-Load: any value 0..255, drawn from the seed. */
int workload_c_load(uint64_t seed);
/* The constants of a run against data loaded with c_load: |C-Load - C-Run| in 65..119, not 96 and
 * not 112. */
struct nurand_constants workload_run_constants(uint64_t seed, int c_load);
/* Whether that rule holds. */
bool workload_c_delta_valid(int c_load, int c_run);

/* The last name of number 0..999: three syllables (4.3.2.3). Returns its length. */
int workload_last_name(int number, char name[LAST_NAME_SIZE]);

#endif
