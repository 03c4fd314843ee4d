/* Random streams that can be named. A stream is a pure function of (seed, purpose, index), so any
 * warehouse or terminal can be generated alone, in any order, by any number of workers, and comes
 * out the same. Generator: xoshiro256** (Blackman and Vigna 2018) seeded through SplitMix64. */
#ifndef ORDERMILL_COMMON_RNG_H
#define ORDERMILL_COMMON_RNG_H

#include <stdint.h>

struct rng {
    uint64_t state[4];
};

/* What a stream is for; part of its name. Append only: the numbers decide the data. */
enum rng_purpose {
    RNG_CONSTANTS = 1, /* the C of NURand, at load and at run */
    RNG_ITEM,
    RNG_WAREHOUSE,
    RNG_DISTRICT,
    RNG_CUSTOMER,
    RNG_HISTORY,
    RNG_ORDER,
    RNG_STOCK,
    RNG_TERMINAL,
    RNG_BOOTSTRAP,
    RNG_SCHEDULE,
    RNG_PACE,     /* think times */
    RNG_ARRIVALS, /* of an open load */
};

void rng_seed(struct rng *rng, uint64_t seed, enum rng_purpose purpose, uint64_t index);
uint64_t rng_next(struct rng *rng);
/* Uniform over low..high inclusive, without modulo bias. low <= high. */
int64_t rng_range(struct rng *rng, int64_t low, int64_t high);
/* Uniform in [0, 1), 53 bits. */
double rng_real(struct rng *rng);
/* True with probability percent/100. */
int rng_percent(struct rng *rng, int percent);

#endif
