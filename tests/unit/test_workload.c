/* Mix, last names, NURand and its constants, against the clauses and worked examples of TPC-C. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/workload.h"

static void
last_names(void **state)
{
    char name[LAST_NAME_SIZE];

    (void)state;
    assert_int_equal(workload_last_name(371, name), 13); /* the example of 4.3.2.3 */
    assert_string_equal(name, "PRICALLYOUGHT");
    workload_last_name(40, name);
    assert_string_equal(name, "BARPRESBAR");
    workload_last_name(0, name);
    assert_string_equal(name, "BARBARBAR");
    workload_last_name(999, name);
    assert_string_equal(name, "EINGEINGEING");
    assert_int_equal(workload_last_name(777, name), 15); /* the longest */
    assert_string_equal(name, "CALLYCALLYCALLY");
}

static void
mix(void **state)
{
    int sum = 0;

    (void)state;
    for (int i = 0; i < TXN_TYPES; i++) {
        sum += mix_standard[i];
        assert_true(mix_standard[i] >= mix_minimum_percent[i]);
        assert_non_null(txn_names[i]);
        assert_non_null(txn_titles[i]);
    }
    assert_int_equal(sum, 100);
    assert_int_equal(mix_minimum_percent[TXN_PAYMENT], 43);
    assert_int_equal(response_limit_us[TXN_NEW_ORDER], 5000000);
    assert_int_equal(response_limit_us[TXN_STOCK_LEVEL], 20000000);
}

static void
c_delta(void **state)
{
    (void)state;
    for (int delta = 0; delta <= 255; delta++) {
        bool valid = delta >= 65 && delta <= 119 && delta != 96 && delta != 112;

        assert_int_equal(workload_c_delta_valid(0, delta), valid);
        assert_int_equal(workload_c_delta_valid(delta, 0), valid);
    }
    for (int c_load = 0; c_load <= 255; c_load++) {
        struct nurand_constants run = workload_run_constants(7, c_load);

        assert_true(workload_c_delta_valid(c_load, run.c_last));
        assert_in_range(run.c_last, 0, 255);
        assert_in_range(run.customer_id, 0, 1023);
        assert_in_range(run.item_id, 0, 8191);
    }
}

static void
c_load_follows_the_seed(void **state)
{
    bool seen[256] = {false};
    int distinct = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 5000; seed++) {
        int c_load = workload_c_load(seed);

        assert_in_range(c_load, 0, 255);
        assert_int_equal(workload_c_load(seed), c_load);
        distinct += !seen[c_load];
        seen[c_load] = true;
    }
    assert_int_equal(distinct, 256);
}

/* P(bit k of (random(0,A) | random(0,B))) with A = 255 = 2^8-1 and B = 255: each bit is set with
 * probability 3/4, so value v of popcount p has probability 3^p / 4^8. */
static void
nurand_distribution(void **state)
{
    enum { DRAWS = 400000, C = 100 };
    static int counts[256];
    struct rng rng;
    double chi_square = 0;

    (void)state;
    rng_seed(&rng, 42, RNG_TERMINAL, 1);
    memset(counts, 0, sizeof counts);
    for (int i = 0; i < DRAWS; i++) {
        int64_t value = workload_nurand(&rng, 255, 0, 255, C);

        assert_in_range(value, 0, 255);
        counts[value]++;
    }
    for (int v = 0; v < 256; v++) {
        double expected = DRAWS / 65536.0;

        for (int bit = 0; bit < 8; bit++)
            expected *= v >> bit & 1 ? 3 : 1;
        double difference = counts[(v + C) % 256] - expected;
        chi_square += difference * difference / expected;
    }
    /* 255 degrees of freedom: 330.5 is the 99.9 % point. */
    assert_true(chi_square < 330.5);
}

static void
nurand_range(void **state)
{
    struct rng rng;
    int64_t lowest = INT64_MAX, highest = 0;

    (void)state;
    rng_seed(&rng, 42, RNG_TERMINAL, 2);
    for (int i = 0; i < 300000; i++) {
        int64_t value = workload_nurand(&rng, 1023, 1, 3000, 259);

        assert_in_range(value, 1, 3000);
        lowest = value < lowest ? value : lowest;
        highest = value > highest ? value : highest;
    }
    assert_true(lowest <= 5);
    assert_true(highest >= 2995);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(last_names),
        cmocka_unit_test(mix),
        cmocka_unit_test(c_delta),
        cmocka_unit_test(c_load_follows_the_seed),
        cmocka_unit_test(nurand_distribution),
        cmocka_unit_test(nurand_range),
    };
    return cmocka_run_group_tests_name("workload", tests, NULL, NULL);
}
