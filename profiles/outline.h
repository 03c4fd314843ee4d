/* What a profile will do, as it can be told before it begins: the steps of its list, with the first
 * level once more at its end, or the bounds of its search. Pure. */
#ifndef ORDERMILL_PROFILES_OUTLINE_H
#define ORDERMILL_PROFILES_OUTLINE_H

#include "profiles/search.h"

struct outline {
    struct plan plan; /* without steps where a search decides on them; its total is the most then */
    struct search search;
};

/* All in memory of the arena; profile and settings must live as long. */
void outline_make(struct outline *outline, struct arena *arena, const struct settings *settings,
                  const struct profile *profile);
/* The highest load that may come. */
int outline_virtual_users(const struct outline *outline);
/* Appends it for people. As JSON the plan is plan_put's. */
void outline_text(const struct outline *outline, const char *name, struct buf *out);

#endif
