/* The choice of the transaction type: its shares, by chi-square, and the weights of 0 and 100. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/stats.h"
#include "driver/deck.h"

enum { DEALS = 200000 };

static void
shares_follow_the_weights(void **state)
{
    const int weights[TXN_TYPES] = {45, 43, 4, 4, 4};
    int dealt[TXN_TYPES] = {0};
    double statistic = 0;
    struct rng rng;

    (void)state;
    rng_seed(&rng, 42, RNG_TERMINAL, 0);
    for (int i = 0; i < DEALS; i++)
        dealt[deck_deal(weights, &rng)]++;
    for (int type = 0; type < TXN_STANDARD; type++) {
        double expected = DEALS * weights[type] / 100.0;
        statistic += (dealt[type] - expected) * (dealt[type] - expected) / expected;
    }
    assert_true(stats_chi_square_p(statistic, TXN_STANDARD - 1) > 0.001);
}

static void
a_weight_of_zero_is_never_dealt(void **state)
{
    const int weights[TXN_TYPES] = {0, 50, 0, 50, 0};
    struct rng rng;

    (void)state;
    rng_seed(&rng, 7, RNG_TERMINAL, 0);
    for (int i = 0; i < 10000; i++) {
        enum txn_type type = deck_deal(weights, &rng);
        assert_true(type == TXN_PAYMENT || type == TXN_DELIVERY);
    }
}

static void
a_weight_of_hundred_is_always_dealt(void **state)
{
    const int weights[TXN_TYPES] = {0, 0, 0, 0, 100};
    struct rng rng;

    (void)state;
    rng_seed(&rng, 7, RNG_TERMINAL, 0);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(deck_deal(weights, &rng), TXN_STOCK_LEVEL);
}

/* 10, 10, 1, 1 and 1 of 23 (5.2.4.2), whatever was taken in another way before. */
static void
each_pass_of_a_deck_has_its_cards(void **state)
{
    struct deck deck = {0};
    struct rng rng;

    (void)state;
    rng_seed(&rng, 7, RNG_TERMINAL, 0);
    for (int pass = 0; pass < 1000; pass++) {
        int dealt[TXN_TYPES] = {0};
        deck_take(&deck, TXN_DELIVERY);
        dealt[TXN_DELIVERY]++;
        for (int i = 1; i < 23; i++)
            dealt[deck_draw(&deck, &rng)]++;
        assert_int_equal(dealt[TXN_NEW_ORDER], 10);
        assert_int_equal(dealt[TXN_PAYMENT], 10);
        assert_int_equal(dealt[TXN_ORDER_STATUS], 1);
        assert_int_equal(dealt[TXN_DELIVERY], 1);
        assert_int_equal(dealt[TXN_STOCK_LEVEL], 1);
    }
}

/* In a shuffled deck the single stock-level is as likely at any of the 23 places. */
static void
a_deck_is_shuffled(void **state)
{
    enum { PASSES = 23000 };
    int places[23] = {0};
    double statistic = 0;
    struct deck deck = {0};
    struct rng rng;

    (void)state;
    rng_seed(&rng, 43, RNG_TERMINAL, 0);
    for (int i = 0; i < 23 * PASSES; i++)
        places[i % 23] += deck_draw(&deck, &rng) == TXN_STOCK_LEVEL;
    for (int i = 0; i < 23; i++)
        statistic += (places[i] - PASSES / 23.0) * (places[i] - PASSES / 23.0) / (PASSES / 23.0);
    assert_true(stats_chi_square_p(statistic, 22) > 0.001);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_follow_the_weights),
        cmocka_unit_test(a_weight_of_zero_is_never_dealt),
        cmocka_unit_test(a_weight_of_hundred_is_always_dealt),
        cmocka_unit_test(each_pass_of_a_deck_has_its_cards),
        cmocka_unit_test(a_deck_is_shuffled),
    };

    return cmocka_run_group_tests_name("deck", tests, NULL, NULL);
}
