/* An emulated terminal: what its user enters, transaction after transaction (TPC-C 2.4.1 to 2.8.1).
 * All of it comes from the terminal's own random stream, so terminal 7 of a run enters the same
 * whatever the number of terminals and threads. Pure. */
#ifndef ORDERMILL_DRIVER_TERMINAL_H
#define ORDERMILL_DRIVER_TERMINAL_H

#include <stdbool.h>

#include "common/result.h"
#include "driver/deck.h"

/* What all terminals of a run have in common. */
struct terminal_rules {
    int warehouses;
    struct nurand_constants constants;
    int mix[TXN_TYPES]; /* weights of 100, or mix_deck */
    enum home home;
};

struct terminal {
    struct rng rng;
    int warehouse;    /* its home; of the latest transaction where homes are drawn anew */
    uint8_t district; /* of its stock-level, constant (2.8.1.1) */
    struct deck deck;
};

struct order_line_input {
    int item; /* UNUSED_ITEM in the last line of an order that is to be rolled back */
    int supply_warehouse;
    int quantity;
};

struct new_order_input {
    int warehouse, district, customer;
    bool rolls_back; /* 2.4.1.4 */
    int lines_count, remote_lines;
    struct order_line_input lines[ORDER_LINES_MAX]; /* by supply warehouse and item */
};

/* A customer by number, or by name where number is 0. */
struct customer_input {
    int warehouse, district;
    int number;
    int last_name_length;
    char last_name[LAST_NAME_SIZE];
};

struct payment_input {
    int warehouse, district;
    struct customer_input customer;
    int amount_cents;
};

struct delivery_input {
    int warehouse, carrier;
};

struct stock_level_input {
    int warehouse, district, threshold;
};

/* Of the probes; null needs the warehouse alone. */
struct probe_input {
    int warehouse, district, customer;
};

struct txn_input {
    enum txn_type type;
    union {
        struct new_order_input new_order;
        struct payment_input payment;
        struct customer_input order_status;
        struct delivery_input delivery;
        struct stock_level_input stock_level;
        struct probe_input probe;
    } of;
};

/* index: from 0, among all terminals of the run. Where homes are spread they go round: terminal i
 * has warehouse i mod warehouses + 1, and ten terminals of a warehouse have ten districts. */
void terminal_init(struct terminal *terminal, const struct terminal_rules *rules, uint64_t seed,
                   uint64_t index);

/* Chooses the type of the next transaction. */
enum txn_type terminal_deal(struct terminal *terminal, const struct terminal_rules *rules);
/* The same, when the type was chosen in another way. */
void terminal_take(struct terminal *terminal, const struct terminal_rules *rules,
                   enum txn_type type);
/* Enters the inputs of input->type. */
void terminal_enter(struct terminal *terminal, const struct terminal_rules *rules,
                    struct txn_input *input);

/* Adds what was entered to the statistics that 5.5.1.5 judges. */
void terminal_count(struct input_stats *stats, const struct txn_input *input);

/* Adds what the transaction leaves behind in the database when it commits. */
void terminal_add_growth(int64_t growth[GROWTHS], const struct txn_input *input);

#endif
