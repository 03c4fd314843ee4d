/* Which transaction comes next, by the weights of the mix (TPC-C 5.2.4.1: weighted choice). Pure.
 */
#ifndef ORDERMILL_DRIVER_DECK_H
#define ORDERMILL_DRIVER_DECK_H

#include "common/workload.h"

/* weights: of 100 in all, none negative. */
enum txn_type deck_deal(const int weights[TXN_TYPES], struct rng *rng);

#endif
