/* Owns the distributions of the inputs. Does not know how they reach the server. */
#include "driver/terminal.h"

#include "common/err.h"

static int
pick(struct rng *rng, int low, int high)
{
    return (int)rng_range(rng, low, high);
}

void
terminal_init(struct terminal *terminal, const struct terminal_rules *rules, uint64_t seed,
              uint64_t index)
{
    uint64_t warehouses = (uint64_t)rules->warehouses;

    rng_seed(&terminal->rng, seed, RNG_TERMINAL, index);
    terminal->warehouse = (int)(index % warehouses) + 1;
    if (rules->home == HOME_FIXED)
        terminal->warehouse = pick(&terminal->rng, 1, rules->warehouses);
    terminal->district = (uint8_t)(index / warehouses % DISTRICTS_PER_WAREHOUSE + 1);
    terminal->deck = (struct deck){0};
}

enum txn_type
terminal_deal(struct terminal *terminal, const struct terminal_rules *rules)
{
    return mix_is_deck(rules->mix) ? deck_draw(&terminal->deck, &terminal->rng)
                                   : deck_deal(rules->mix, &terminal->rng);
}

void
terminal_take(struct terminal *terminal, const struct terminal_rules *rules, enum txn_type type)
{
    if (mix_is_deck(rules->mix))
        deck_take(&terminal->deck, type);
}

/* Uniform over the warehouses other than home; home where there is no other. */
static int
other_warehouse(struct rng *rng, int warehouses, int home)
{
    if (warehouses == 1)
        return home;
    int warehouse = pick(rng, 1, warehouses - 1);
    return warehouse < home ? warehouse : warehouse + 1;
}

static int
customer_number(struct rng *rng, const struct terminal_rules *rules)
{
    return (int)workload_nurand(rng, 1023, 1, CUSTOMERS_PER_DISTRICT, rules->constants.customer_id);
}

static struct order_line_input
enter_line(struct rng *rng, const struct terminal_rules *rules, int home)
{
    struct order_line_input line;

    line.item = (int)workload_nurand(rng, 8191, 1, ITEMS, rules->constants.item_id);
    line.supply_warehouse =
        rng_percent(rng, 1) ? other_warehouse(rng, rules->warehouses, home) : home;
    line.quantity = pick(rng, 1, 10);
    return line;
}

static bool
comes_before(const struct order_line_input *a, const struct order_line_input *b)
{
    if (a->supply_warehouse != b->supply_warehouse)
        return a->supply_warehouse < b->supply_warehouse;
    return a->item < b->item;
}

/* Every order takes its stock rows in the same order, so that no two wait for each other in a
 * circle; 2.3.1 leaves the order of operations free. At most 15 lines: insertion is quickest. */
static void
sort_lines(struct order_line_input *lines, int count)
{
    for (int i = 1; i < count; i++) {
        struct order_line_input line = lines[i];
        int at = i;
        for (; at > 0 && comes_before(&line, &lines[at - 1]); at--)
            lines[at] = lines[at - 1];
        lines[at] = line;
    }
}

static void
enter_new_order(struct terminal *terminal, const struct terminal_rules *rules,
                struct new_order_input *order)
{
    struct rng *rng = &terminal->rng;

    order->warehouse = terminal->warehouse;
    order->district = pick(rng, 1, DISTRICTS_PER_WAREHOUSE);
    order->customer = customer_number(rng, rules);
    order->lines_count = pick(rng, ORDER_LINES_MIN, ORDER_LINES_MAX);
    order->rolls_back = rng_percent(rng, 1);
    order->remote_lines = 0;
    for (int i = 0; i < order->lines_count; i++) {
        order->lines[i] = enter_line(rng, rules, terminal->warehouse);
        order->remote_lines += order->lines[i].supply_warehouse != terminal->warehouse;
    }
    /* The unused item is the last one entered (2.4.1.5) and stays last. */
    int sorted = order->rolls_back ? order->lines_count - 1 : order->lines_count;
    sort_lines(order->lines, sorted);
    if (order->rolls_back)
        order->lines[order->lines_count - 1].item = UNUSED_ITEM;
}

/* 60 of 100 by last name (2.5.1.2, 2.6.1.2). */
static void
enter_customer(struct rng *rng, const struct terminal_rules *rules, struct customer_input *customer)
{
    customer->number = 0;
    customer->last_name_length = 0;
    if (rng_percent(rng, 60)) {
        int name = (int)workload_nurand(rng, 255, 0, LAST_NAMES - 1, rules->constants.c_last);
        customer->last_name_length = workload_last_name(name, customer->last_name);
    } else {
        customer->number = customer_number(rng, rules);
    }
}

static void
enter_payment(struct terminal *terminal, const struct terminal_rules *rules,
              struct payment_input *payment)
{
    struct rng *rng = &terminal->rng;

    payment->warehouse = terminal->warehouse;
    payment->district = pick(rng, 1, DISTRICTS_PER_WAREHOUSE);
    payment->customer.warehouse = payment->warehouse;
    payment->customer.district = payment->district;
    if (rng_percent(rng, 15) && rules->warehouses > 1) {
        payment->customer.warehouse = other_warehouse(rng, rules->warehouses, terminal->warehouse);
        payment->customer.district = pick(rng, 1, DISTRICTS_PER_WAREHOUSE);
    }
    enter_customer(rng, rules, &payment->customer);
    payment->amount_cents = pick(rng, 100, 500000);
}

static void
enter_order_status(struct terminal *terminal, const struct terminal_rules *rules,
                   struct customer_input *customer)
{
    customer->warehouse = terminal->warehouse;
    customer->district = pick(&terminal->rng, 1, DISTRICTS_PER_WAREHOUSE);
    enter_customer(&terminal->rng, rules, customer);
}

static void
enter_probe(struct terminal *terminal, const struct terminal_rules *rules,
            struct probe_input *probe)
{
    probe->warehouse = terminal->warehouse;
    probe->district = pick(&terminal->rng, 1, DISTRICTS_PER_WAREHOUSE);
    probe->customer = customer_number(&terminal->rng, rules);
}

void
terminal_enter(struct terminal *terminal, const struct terminal_rules *rules,
               struct txn_input *input)
{
    if (rules->home == HOME_ANY)
        terminal->warehouse = pick(&terminal->rng, 1, rules->warehouses);
    switch (input->type) {
    case TXN_NEW_ORDER: enter_new_order(terminal, rules, &input->of.new_order); break;
    case TXN_PAYMENT: enter_payment(terminal, rules, &input->of.payment); break;
    case TXN_ORDER_STATUS: enter_order_status(terminal, rules, &input->of.order_status); break;
    case TXN_DELIVERY:
        input->of.delivery.warehouse = terminal->warehouse;
        input->of.delivery.carrier = pick(&terminal->rng, 1, 10);
        break;
    case TXN_STOCK_LEVEL:
        input->of.stock_level.warehouse = terminal->warehouse;
        input->of.stock_level.district = terminal->district;
        input->of.stock_level.threshold = pick(&terminal->rng, 10, 20);
        break;
    case TXN_LOOKUP:
    case TXN_INSERT:
    case TXN_NULL: enter_probe(terminal, rules, &input->of.probe); break;
    case TXN_TYPES: must(!"a type of transaction");
    }
}

void
terminal_count(struct input_stats *stats, const struct txn_input *input)
{
    switch (input->type) {
    case TXN_NEW_ORDER:
        stats->new_orders++;
        stats->rollbacks_intended += input->of.new_order.rolls_back;
        stats->order_lines += (uint64_t)input->of.new_order.lines_count;
        stats->remote_lines += (uint64_t)input->of.new_order.remote_lines;
        stats->lines_per_order[input->of.new_order.lines_count]++;
        break;
    case TXN_PAYMENT:
        stats->payments++;
        stats->payments_remote +=
            input->of.payment.customer.warehouse != input->of.payment.warehouse;
        stats->payments_by_name += input->of.payment.customer.number == 0;
        break;
    case TXN_ORDER_STATUS:
        stats->order_status++;
        stats->order_status_by_name += input->of.order_status.number == 0;
        break;
    case TXN_DELIVERY: stats->deliveries++; break;
    case TXN_STOCK_LEVEL:
    case TXN_LOOKUP:
    case TXN_INSERT:
    case TXN_NULL:
    case TXN_TYPES: break;
    }
}

void
terminal_add_growth(int64_t growth[GROWTHS], const struct txn_input *input)
{
    const struct new_order_input *order = &input->of.new_order;

    if (input->type == TXN_INSERT) {
        growth[GROWTH_PAYMENTS]++; /* a row of history, and no amount */
    } else if (input->type == TXN_PAYMENT) {
        growth[GROWTH_PAYMENTS]++;
        growth[GROWTH_PAID_CENTS] += input->of.payment.amount_cents;
    } else if (input->type == TXN_NEW_ORDER && !order->rolls_back) {
        growth[GROWTH_NEW_ORDERS]++;
        growth[GROWTH_ORDER_LINES] += order->lines_count;
        growth[GROWTH_REMOTE_LINES] += order->remote_lines;
        for (int i = 0; i < order->lines_count; i++)
            growth[GROWTH_QUANTITY] += order->lines[i].quantity;
    }
}
