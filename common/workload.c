/* The workload in numbers; see workload.h. Clause numbers are those of TPC-C 5.11. */
#include "common/workload.h"

#include <stdlib.h>
#include <string.h>

#include "common/err.h"

const char *const txn_names[TXN_TYPES] = {"new_order",   "payment", "order_status", "delivery",
                                          "stock_level", "lookup",  "insert",       "null"};
const char *const txn_titles[TXN_TYPES] = {"New-Order",   "Payment", "Order-Status", "Delivery",
                                           "Stock-Level", "Lookup",  "Insert",       "Null"};
const char *const txn_routines[TXN_TYPES] = {"new_order",   "payment", "order_status",   "delivery",
                                             "stock_level", "lookup",  "insert_history", "nothing"};

const int mix_minimum_percent[TXN_TYPES] = {0, 43, 4, 4, 4};
const int mix_standard[TXN_TYPES] = {45, 43, 4, 4, 4};
const int mix_read_only[TXN_TYPES] = {0, 0, 50, 0, 50};
const int64_t response_limit_us[TXN_TYPES] = {5000000, 5000000, 5000000, 5000000, 20000000};
const int mix_deck[TXN_TYPES] = {10, 10, 1, 1, 1};
const int64_t keying_time_us[TXN_TYPES] = {18000000, 3000000, 2000000, 2000000, 2000000};
const int64_t think_time_us[TXN_TYPES] = {12000000, 12000000, 10000000, 5000000, 5000000};

/* Streams of RNG_CONSTANTS: the load and the run draw independently (4.3.3.1). */
enum { CONSTANTS_LOAD, CONSTANTS_RUN };

bool
mix_is_deck(const int mix[TXN_TYPES])
{
    return memcmp(mix, mix_deck, sizeof mix_deck) == 0;
}

enum txn_type
mix_probe(const int mix[TXN_TYPES])
{
    int type = TXN_STANDARD;

    while (type < TXN_TYPES && mix[type] == 0)
        type++;
    return (enum txn_type)type;
}

int64_t
workload_nurand(struct rng *rng, int64_t a, int64_t low, int64_t high, int64_t c)
{
    int64_t left = rng_range(rng, 0, a);
    int64_t right = rng_range(rng, low, high);

    return ((left | right) + c) % (high - low + 1) + low;
}

int
workload_c_load(uint64_t seed)
{
    struct rng rng;

    rng_seed(&rng, seed, RNG_CONSTANTS, CONSTANTS_LOAD);
    return (int)rng_range(&rng, 0, 255);
}

bool
workload_c_delta_valid(int c_load, int c_run)
{
    int delta = abs(c_load - c_run);

    return delta >= 65 && delta <= 119 && delta != 96 && delta != 112;
}

struct nurand_constants
workload_run_constants(uint64_t seed, int c_load)
{
    struct nurand_constants constants;
    struct rng rng;

    must(c_load >= 0 && c_load <= 255);
    rng_seed(&rng, seed, RNG_CONSTANTS, CONSTANTS_RUN);
    /* At least 53 of the 256 values are valid for any c_load, so this ends soon. */
    do
        constants.c_last = (int)rng_range(&rng, 0, 255);
    while (!workload_c_delta_valid(c_load, constants.c_last));
    constants.customer_id = (int)rng_range(&rng, 0, 1023);
    constants.item_id = (int)rng_range(&rng, 0, 8191);
    return constants;
}

int
workload_last_name(int number, char name[LAST_NAME_SIZE])
{
    static const char *const syllables[10] = {"BAR", "OUGHT", "ABLE",  "PRI",   "PRES",
                                              "ESE", "ANTI",  "CALLY", "ATION", "EING"};
    const int digits[3] = {number / 100, number / 10 % 10, number % 10};
    size_t length = 0;

    must(number >= 0 && number < LAST_NAMES);
    for (int i = 0; i < 3; i++) {
        size_t size = strlen(syllables[digits[i]]);

        memcpy(name + length, syllables[digits[i]], size);
        length += size;
    }
    name[length] = '\0';
    return (int)length;
}
