/* Owns the distributions of the waits. Does not know who waits. */
#include "driver/pace.h"

#include <math.h>

#include "driver/deck.h"

#define LOOKS_MAX 1000 /* each ends the search with a probability of about one in six */

static int64_t
scaled(double factor, double us)
{
    return llround(factor * us);
}

int64_t
pace_keying_us(double factor, enum txn_type type)
{
    return scaled(factor, (double)keying_time_us[type]);
}

int64_t
pace_think_us(double factor, enum txn_type type, struct rng *rng)
{
    double mean_us = (double)think_time_us[type];
    double drawn_us = -log1p(-rng_real(rng)) * mean_us;

    return scaled(factor, fmin(drawn_us, THINK_CUT * mean_us));
}

static int64_t
longest_wait_us(void)
{
    int64_t think_us = 0, keying_us = 0;

    for (int type = 0; type < TXN_TYPES; type++) {
        think_us = think_time_us[type] > think_us ? think_time_us[type] : think_us;
        keying_us = keying_time_us[type] > keying_us ? keying_time_us[type] : keying_us;
    }
    return THINK_CUT * think_us + keying_us;
}

/* Who looks in at a random moment meets a long wait more often than a short one, in proportion to
 * its length, and somewhere within it. */
struct pace_start
pace_start(double factor, const int mix[TXN_TYPES], struct rng *rng)
{
    double longest_us = (double)longest_wait_us();
    struct pace_start start;
    double wait_us;
    int looks = 0;

    do {
        start.type = deck_deal(mix, rng);
        wait_us =
            (double)(pace_think_us(1, deck_deal(mix, rng), rng) + pace_keying_us(1, start.type));
    } while (rng_real(rng) * longest_us >= wait_us && ++looks < LOOKS_MAX);
    start.wait_us = scaled(factor, rng_real(rng) * wait_us);
    return start;
}
