/* What terminals enter, against the distributions of TPC-C 2.4.1 to 2.8.1. Shares are judged by
 * chi-square at a level that a sound generator fails once in a thousand; seeds are fixed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/stats.h"
#include "driver/terminal.h"

enum { SAMPLE = 200000 };
#define P_LEAST 0.001

static struct terminal_rules
rules_for(int warehouses, enum txn_type only)
{
    struct terminal_rules rules = {.warehouses = warehouses, .constants = {100, 500, 5000}};

    rules.mix[only] = 100;
    return rules;
}

static void
enter(struct terminal *terminal, const struct terminal_rules *rules, struct txn_input *input)
{
    input->type = terminal_deal(terminal, rules);
    terminal_enter(terminal, rules, input);
}

/* p-value of `hits` in `trials` under a share. */
static double
share_p(double hits, double trials, double share)
{
    double yes = trials * share, no = trials * (1 - share);

    return stats_chi_square_p((hits - yes) * (hits - yes) / yes + (hits - yes) * (hits - yes) / no,
                              1);
}

/* p-value of counts under equal chances. */
static double
uniform_p(const int *counts, int cells)
{
    double total = 0, statistic = 0;

    for (int i = 0; i < cells; i++)
        total += counts[i];
    for (int i = 0; i < cells; i++)
        statistic += (counts[i] - total / cells) * (counts[i] - total / cells) / (total / cells);
    return stats_chi_square_p(statistic, cells - 1);
}

static void
new_orders_are_as_2_4_1_asks(void **state)
{
    struct terminal_rules rules = rules_for(10, TXN_NEW_ORDER);
    struct terminal terminal;
    struct txn_input input;
    int sizes[11] = {0}, districts[10] = {0}, quantities[10] = {0}, suppliers[10] = {0};
    int rollbacks = 0, lines = 0, remote = 0;

    (void)state;
    terminal_init(&terminal, &rules, 42, 3);
    for (int i = 0; i < SAMPLE; i++) {
        enter(&terminal, &rules, &input);
        const struct new_order_input *order = &input.of.new_order;
        int remote_here = 0;
        assert_int_equal(order->warehouse, 4);
        assert_in_range(order->customer, 1, 3000);
        assert_in_range(order->lines_count, 5, 15);
        sizes[order->lines_count - 5]++;
        districts[order->district - 1]++;
        rollbacks += order->rolls_back;
        for (int line = 0; line < order->lines_count; line++) {
            quantities[order->lines[line].quantity - 1]++;
            suppliers[order->lines[line].supply_warehouse - 1]++;
            remote_here += order->lines[line].supply_warehouse != 4;
        }
        assert_int_equal(order->remote_lines, remote_here);
        lines += order->lines_count;
        remote += remote_here;
    }
    assert_true(share_p(rollbacks, SAMPLE, 0.01) > P_LEAST);
    assert_true(share_p(remote, lines, 0.01) > P_LEAST);
    assert_true(uniform_p(sizes, 11) > P_LEAST);
    assert_true(uniform_p(districts, 10) > P_LEAST);
    assert_true(uniform_p(quantities, 10) > P_LEAST);
    suppliers[3] = suppliers[9]; /* home is another matter; the nine others are alike */
    assert_true(uniform_p(suppliers, 9) > P_LEAST);
}

static void
lines_are_sorted_and_the_unused_item_is_last(void **state)
{
    struct terminal_rules rules = rules_for(10, TXN_NEW_ORDER);
    struct terminal terminal;
    struct txn_input input;

    (void)state;
    terminal_init(&terminal, &rules, 1, 0);
    for (int i = 0; i < 20000; i++) {
        enter(&terminal, &rules, &input);
        const struct new_order_input *order = &input.of.new_order;
        int sorted = order->rolls_back ? order->lines_count - 1 : order->lines_count;
        for (int line = 0; line < sorted; line++) {
            const struct order_line_input *at = &order->lines[line];
            assert_in_range(at->item, 1, 100000);
            assert_true(
                line == 0 || at[-1].supply_warehouse < at->supply_warehouse ||
                (at[-1].supply_warehouse == at->supply_warehouse && at[-1].item <= at->item));
        }
        if (order->rolls_back)
            assert_int_equal(order->lines[order->lines_count - 1].item, 100001);
    }
}

static void
payments_are_as_2_5_1_asks(void **state)
{
    struct terminal_rules rules = rules_for(10, TXN_PAYMENT);
    struct terminal terminal;
    struct txn_input input;
    int remote = 0, by_name = 0, districts[10] = {0}, others[10] = {0}, amounts[10] = {0};

    (void)state;
    terminal_init(&terminal, &rules, 42, 9);
    for (int i = 0; i < SAMPLE; i++) {
        enter(&terminal, &rules, &input);
        const struct payment_input *payment = &input.of.payment;
        assert_int_equal(payment->warehouse, 10);
        assert_in_range(payment->amount_cents, 100, 500000);
        amounts[(payment->amount_cents - 100) / 50000 % 10]++;
        districts[payment->district - 1]++;
        if (payment->customer.warehouse != 10) {
            remote++;
            others[payment->customer.warehouse - 1]++;
        } else {
            assert_int_equal(payment->customer.district, payment->district);
        }
        by_name += payment->customer.number == 0;
        assert_true((payment->customer.number == 0) == (payment->customer.last_name_length > 0));
    }
    assert_true(share_p(remote, SAMPLE, 0.15) > P_LEAST);
    assert_true(share_p(by_name, SAMPLE, 0.60) > P_LEAST);
    assert_true(uniform_p(districts, 10) > P_LEAST);
    assert_true(uniform_p(others, 9) > P_LEAST);
    assert_true(uniform_p(amounts, 10) > P_LEAST);
}

static void
order_status_asks_for_60_of_100_by_name(void **state)
{
    struct terminal_rules rules = rules_for(3, TXN_ORDER_STATUS);
    struct terminal terminal;
    struct txn_input input;
    int by_name = 0;

    (void)state;
    terminal_init(&terminal, &rules, 42, 1);
    for (int i = 0; i < SAMPLE; i++) {
        enter(&terminal, &rules, &input);
        assert_int_equal(input.of.order_status.warehouse, 2);
        by_name += input.of.order_status.number == 0;
    }
    assert_true(share_p(by_name, SAMPLE, 0.60) > P_LEAST);
}

static void
delivery_and_stock_level_stay_at_home(void **state)
{
    struct terminal_rules rules = rules_for(2, TXN_DELIVERY);
    struct terminal terminal;
    struct txn_input input;
    int carriers[10] = {0}, thresholds[11] = {0};

    (void)state;
    terminal_init(&terminal, &rules, 42, 5); /* the sixth: warehouse 2, third district */
    for (int i = 0; i < 20000; i++) {
        enter(&terminal, &rules, &input);
        assert_int_equal(input.of.delivery.warehouse, 2);
        carriers[input.of.delivery.carrier - 1]++;
    }
    rules = rules_for(2, TXN_STOCK_LEVEL);
    for (int i = 0; i < 20000; i++) {
        enter(&terminal, &rules, &input);
        assert_int_equal(input.of.stock_level.warehouse, 2);
        assert_int_equal(input.of.stock_level.district, 3);
        thresholds[input.of.stock_level.threshold - 10]++;
    }
    assert_true(uniform_p(carriers, 10) > P_LEAST);
    assert_true(uniform_p(thresholds, 11) > P_LEAST);
}

static void
one_warehouse_has_nothing_remote(void **state)
{
    struct terminal_rules rules = {.warehouses = 1, .mix = {50, 50, 0, 0, 0}};
    struct terminal terminal;
    struct txn_input input;
    struct input_stats stats = {0};

    (void)state;
    terminal_init(&terminal, &rules, 42, 0);
    for (int i = 0; i < 20000; i++) {
        enter(&terminal, &rules, &input);
        terminal_count(&stats, &input);
        if (input.type == TXN_NEW_ORDER)
            for (int line = 0; line < input.of.new_order.lines_count; line++)
                assert_int_equal(input.of.new_order.lines[line].supply_warehouse, 1);
        else
            assert_int_equal(input.of.payment.customer.warehouse, 1);
    }
    assert_int_equal(stats.remote_lines, 0);
    assert_int_equal(stats.payments_remote, 0);
    assert_int_equal(stats.new_orders + stats.payments, 20000);
}

static void
terminals_spread_evenly_over_warehouses(void **state)
{
    struct terminal_rules rules = rules_for(3, TXN_NEW_ORDER);
    const int homes[7] = {1, 2, 3, 1, 2, 3, 1};

    (void)state;
    for (int i = 0; i < 7; i++) {
        struct terminal terminal;
        terminal_init(&terminal, &rules, 42, (uint64_t)i);
        assert_int_equal(terminal.warehouse, homes[i]);
    }
}

/* Interleaving two terminals, as one thread does, changes nothing in what either enters. */
static void
a_terminal_enters_the_same_whoever_else_runs(void **state)
{
    struct terminal_rules rules = {.warehouses = 5, .mix = {45, 43, 4, 4, 4}};
    struct terminal alone, together[2];
    struct txn_input left, right, other;

    (void)state;
    terminal_init(&alone, &rules, 7, 11);
    terminal_init(&together[0], &rules, 7, 11);
    terminal_init(&together[1], &rules, 7, 12);
    for (int i = 0; i < 1000; i++) {
        memset(&left, 0, sizeof left);
        memset(&right, 0, sizeof right);
        enter(&alone, &rules, &left);
        enter(&together[1], &rules, &other);
        enter(&together[0], &rules, &right);
        assert_memory_equal(&left, &right, sizeof left);
    }
}

static void
another_seed_or_index_enters_something_else(void **state)
{
    struct terminal_rules rules = rules_for(5, TXN_PAYMENT);
    const struct {
        uint64_t seed, index;
    } names[3] = {{7, 0}, {8, 0}, {7, 5}};
    int64_t sums[3] = {0};

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct terminal terminal;
        struct txn_input input;
        terminal_init(&terminal, &rules, names[i].seed, names[i].index);
        for (int j = 0; j < 100; j++) {
            enter(&terminal, &rules, &input);
            sums[i] += input.of.payment.amount_cents;
        }
    }
    assert_true(sums[0] != sums[1] && sums[0] != sums[2] && sums[1] != sums[2]);
}

static void
growth_of_an_input(void **state)
{
    int64_t growth[GROWTHS] = {0};
    struct txn_input input = {.type = TXN_NEW_ORDER};
    (void)state;

    input.of.new_order = (struct new_order_input){
        .lines_count = 3, .remote_lines = 1, .lines = {{1, 1, 10}, {2, 1, 1}, {3, 2, 5}}};
    terminal_add_growth(growth, &input);
    terminal_add_growth(growth, &input);
    input.of.new_order.rolls_back = true;
    terminal_add_growth(growth, &input);
    input.type = TXN_PAYMENT;
    input.of.payment = (struct payment_input){.amount_cents = 123456};
    terminal_add_growth(growth, &input);
    input.type = TXN_DELIVERY;
    terminal_add_growth(growth, &input);
    assert_int_equal(growth[GROWTH_NEW_ORDERS], 2);
    assert_int_equal(growth[GROWTH_ORDER_LINES], 6);
    assert_int_equal(growth[GROWTH_REMOTE_LINES], 2);
    assert_int_equal(growth[GROWTH_QUANTITY], 32);
    assert_int_equal(growth[GROWTH_PAYMENTS], 1);
    assert_int_equal(growth[GROWTH_PAID_CENTS], 123456);
}

/* Probes are of the home warehouse; customers as those of an order (2.4.1.2, 2.1.6). */
static void
probes_stay_at_home(void **state)
{
    const struct terminal_rules rules = rules_for(10, TXN_INSERT);
    struct terminal terminal;
    struct txn_input input;
    int districts[10] = {0};
    int64_t growth[GROWTHS] = {0};

    (void)state;
    terminal_init(&terminal, &rules, 42, 3);
    for (int i = 0; i < 10000; i++) {
        enter(&terminal, &rules, &input);
        assert_int_equal(input.type, TXN_INSERT);
        assert_int_equal(input.of.probe.warehouse, 4);
        assert_in_range(input.of.probe.district, 1, 10);
        assert_in_range(input.of.probe.customer, 1, 3000);
        districts[input.of.probe.district - 1]++;
        terminal_add_growth(growth, &input);
    }
    assert_true(uniform_p(districts, 10) > P_LEAST);
    for (int i = 0; i < GROWTHS; i++)
        assert_int_equal(growth[i], i == GROWTH_PAYMENTS ? 10000 : 0);
}

/* Where a terminal's stock-levels go: its home, again and again, or all warehouses. */
static void
count_homes(enum home home, uint64_t index, int counts[5])
{
    struct terminal_rules rules = rules_for(5, TXN_STOCK_LEVEL);
    struct terminal terminal;
    struct txn_input input;

    rules.home = home;
    memset(counts, 0, 5 * sizeof *counts);
    terminal_init(&terminal, &rules, 42, index);
    for (int i = 0; i < 10000; i++) {
        enter(&terminal, &rules, &input);
        assert_in_range(input.of.stock_level.warehouse, 1, 5);
        counts[input.of.stock_level.warehouse - 1]++;
    }
}

static void
homes_are_spread_fixed_or_any(void **state)
{
    int counts[5], drawn[5] = {0};

    (void)state;
    count_homes(HOME_SPREAD, 8, counts);
    assert_int_equal(counts[3], 10000); /* 8 mod 5 + 1 */
    count_homes(HOME_ANY, 8, counts);
    assert_true(uniform_p(counts, 5) > P_LEAST);
    for (uint64_t index = 0; index < 100; index++) {
        int homes = 0;
        count_homes(HOME_FIXED, index, counts);
        for (int i = 0; i < 5; i++) {
            homes += counts[i] == 10000;
            drawn[i] += counts[i] == 10000;
        }
        assert_int_equal(homes, 1);
    }
    assert_true(uniform_p(drawn, 5) > P_LEAST);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_orders_are_as_2_4_1_asks),
        cmocka_unit_test(growth_of_an_input),
        cmocka_unit_test(lines_are_sorted_and_the_unused_item_is_last),
        cmocka_unit_test(payments_are_as_2_5_1_asks),
        cmocka_unit_test(order_status_asks_for_60_of_100_by_name),
        cmocka_unit_test(delivery_and_stock_level_stay_at_home),
        cmocka_unit_test(one_warehouse_has_nothing_remote),
        cmocka_unit_test(terminals_spread_evenly_over_warehouses),
        cmocka_unit_test(a_terminal_enters_the_same_whoever_else_runs),
        cmocka_unit_test(another_seed_or_index_enters_something_else),
        cmocka_unit_test(probes_stay_at_home),
        cmocka_unit_test(homes_are_spread_fixed_or_any),
    };

    return cmocka_run_group_tests_name("terminal", tests, NULL, NULL);
}
