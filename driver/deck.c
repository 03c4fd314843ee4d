/* Owns the choice of the transaction type. Does not own its inputs. */
#include "driver/deck.h"

#include "common/err.h"

enum txn_type
deck_deal(const int weights[TXN_TYPES], struct rng *rng)
{
    int64_t left = rng_range(rng, 1, 100);

    for (int type = 0; type < TXN_TYPES; type++) {
        left -= weights[type];
        if (left <= 0)
            return (enum txn_type)type;
    }
    must(!"the weights sum to 100");
    return TXN_NEW_ORDER;
}
