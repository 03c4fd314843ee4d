/* Owns the choice of the transaction type. Does not own its inputs. */
#include "driver/deck.h"

#include "common/err.h"

enum txn_type
deck_deal(const int weights[TXN_TYPES], struct rng *rng)
{
    int64_t sum = 0;

    for (int type = 0; type < TXN_TYPES; type++)
        sum += weights[type];
    int64_t left = rng_range(rng, 1, sum);
    for (int type = 0; type < TXN_TYPES; type++) {
        left -= weights[type];
        if (left <= 0)
            return (enum txn_type)type;
    }
    must(!"the weights reach their sum");
    return TXN_NEW_ORDER;
}

static void
begin_pass(struct deck *deck)
{
    int left = 0;

    for (int type = 0; type < TXN_TYPES; type++)
        left += deck->left[type];
    for (int type = 0; left == 0 && type < TXN_TYPES; type++)
        deck->left[type] = (uint8_t)mix_deck[type];
}

enum txn_type
deck_draw(struct deck *deck, struct rng *rng)
{
    int weights[TXN_TYPES];

    begin_pass(deck);
    for (int type = 0; type < TXN_TYPES; type++)
        weights[type] = deck->left[type];
    enum txn_type type = deck_deal(weights, rng);
    deck->left[type]--;
    return type;
}

void
deck_take(struct deck *deck, enum txn_type type)
{
    begin_pass(deck);
    must(deck->left[type] > 0);
    deck->left[type]--;
}
