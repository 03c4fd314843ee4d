/* Owns the generator and the naming of its streams. Distributions beyond the uniform belong to
 * those who need them. */
#include "common/rng.h"

#include "common/err.h"

#define GOLDEN UINT64_C(0x9E3779B97F4A7C15)

/* The finaliser of SplitMix64 (Steele, Lea and Flood 2014, variant 13 of Stafford's mixers). */
static uint64_t
mix64(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static uint64_t
rotate_left(uint64_t x, int bits)
{
    return (x << bits) | (x >> (64 - bits));
}

/* Each part of the name goes through the mixer before the next is added: neighbouring seeds,
 * purposes and indexes end in unrelated states, and no two parts can cancel out. */
void
rng_seed(struct rng *rng, uint64_t seed, enum rng_purpose purpose, uint64_t index)
{
    uint64_t name = mix64(seed + GOLDEN);

    name = mix64((name ^ (uint64_t)purpose) + GOLDEN);
    name = mix64((name ^ index) + GOLDEN);
    for (int i = 0; i < 4; i++) {
        name += GOLDEN;
        rng->state[i] = mix64(name);
    }
}

uint64_t
rng_next(struct rng *rng)
{
    uint64_t *s = rng->state;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

/* Lemire 2019, "Fast Random Integer Generation in an Interval": the high half of a 128-bit product,
 * drawing again when the low half falls into the part that would favour some results. */
int64_t
rng_range(struct rng *rng, int64_t low, int64_t high)
{
    must(low <= high);
    uint64_t span = (uint64_t)high - (uint64_t)low + 1;
    if (span == 0) /* all of int64_t */
        return (int64_t)rng_next(rng);

    unsigned __int128 product = (unsigned __int128)rng_next(rng) * span;
    if ((uint64_t)product < span) {
        uint64_t unfair = (0 - span) % span;
        while ((uint64_t)product < unfair)
            product = (unsigned __int128)rng_next(rng) * span;
    }
    return (int64_t)((uint64_t)low + (uint64_t)(product >> 64));
}

double
rng_real(struct rng *rng)
{
    return (double)(rng_next(rng) >> 11) * 0x1p-53;
}

int
rng_percent(struct rng *rng, int percent)
{
    return rng_range(rng, 1, 100) <= percent;
}
