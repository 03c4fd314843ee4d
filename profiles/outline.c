/* Owns what a dry run and a plan say of the steps. */
#include "profiles/outline.h"

#include "profiles/first_again.h"

void
outline_make(struct outline *outline, struct arena *arena, const struct settings *settings,
             const struct profile *profile)
{
    plan_make(&outline->plan, arena, settings, profile);
    search_begin(&outline->search, &outline->plan, arena, settings);
    if (outline->search.on)
        outline->plan.count = 0; /* which steps there will be, the search decides */
    else
        (void)first_again_plan(&outline->plan, arena, settings);
}

int
outline_virtual_users(const struct outline *outline)
{
    const struct plan *plan = &outline->plan;
    int most = outline->search.on ? outline->search.options.most : 0;

    for (int i = 0; i < plan->count; i++)
        most = plan->steps[i].virtual_users > most ? plan->steps[i].virtual_users : most;
    return most;
}

void
outline_text(const struct outline *outline, const char *name, struct buf *out)
{
    if (outline->search.on)
        search_text(&outline->search, &outline->plan, name, out);
    else
        plan_text(&outline->plan, name, out);
}
