/* Which transaction comes next: by the weights of the mix, or from a shuffled deck of cards (TPC-C
 * 5.2.4.1, 5.2.4.2). Pure. */
#ifndef ORDERMILL_DRIVER_DECK_H
#define ORDERMILL_DRIVER_DECK_H

#include "common/workload.h"

/* weights: at least one above 0, none negative. */
enum txn_type deck_deal(const int weights[TXN_TYPES], struct rng *rng);

/* The cards that a terminal still holds; none: the next draw begins a new pass. */
struct deck {
    uint8_t left[TXN_TYPES];
};
/* Draws one of the cards left, each equally likely: as if the deck had been shuffled before. */
enum txn_type deck_draw(struct deck *deck, struct rng *rng);
/* Takes out a card of this type, dealt in another way. */
void deck_take(struct deck *deck, enum txn_type type);

#endif
