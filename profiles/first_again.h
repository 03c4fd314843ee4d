/* The first level once more at the end of an ascending ladder: what has changed meanwhile, caches,
 * bloat, a machine that is throttled, shows as a difference between the two. Where levels are
 * shuffled or interleaved, repeats show that already. Pure. */
#ifndef ORDERMILL_PROFILES_FIRST_AGAIN_H
#define ORDERMILL_PROFILES_FIRST_AGAIN_H

#include "common/result.h"
#include "profiles/plan.h"

/* Appends the step to a plan of several levels in ascending order, unless the settings say no; of
 * several curves it is the first level of the first one. It counts as one more repeat of its level.
 * Returns whether it did. */
bool first_again_plan(struct plan *plan, struct arena *arena, const struct settings *settings);

/* "1 virtual user: 10,200 NOPM in step 1, 9,800 in step 22: 0.961 of it". Both complete. */
void first_again_text(const struct step *first, const struct step *last, struct buf *out);

#endif
