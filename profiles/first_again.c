/* Owns the last step of an ascending ladder. */
#include "profiles/first_again.h"

#include <string.h>

#include "common/load_text.h"
#include "common/units.h"

static bool
same_level(const struct plan_step *a, const struct plan_step *b)
{
    return a->curve == b->curve && a->virtual_users == b->virtual_users;
}

bool
first_again_plan(struct plan *plan, struct arena *arena, const struct settings *settings)
{
    bool wanted = settings_flag(settings, SET_REPEAT_FIRST) &&
                  strcmp(settings_choice(settings, SET_ORDER), "ascending") == 0;

    if (!wanted || plan->count == 0 || same_level(&plan->steps[0], &plan->steps[plan->count - 1]))
        return false;
    struct plan_step *steps = arena_array(arena, (size_t)plan->count + 1, sizeof *steps);
    memcpy(steps, plan->steps, (size_t)plan->count * sizeof *steps);
    struct plan_step *last = &steps[plan->count];
    *last = steps[0];
    for (int i = 0; i < plan->count; i++)
        if (same_level(&steps[i], last) && steps[i].repeat >= last->repeat)
            last->repeat = steps[i].repeat + 1;
    last->number = plan->count + 1;
    last->seed = plan_seed(last->curve, last->virtual_users, last->repeat,
                           (uint64_t)settings_int(settings, SET_SEED));
    plan->steps = steps;
    plan->count++;
    plan->total_us += plan->step_us;
    return true;
}

void
first_again_text(const struct step *first, const struct step *last, struct buf *out)
{
    char then[UNITS_TEXT_SIZE], now[UNITS_TEXT_SIZE];

    buf_printf(out, "%d %s%s: %s %s in step %d, %s in step %d", first->virtual_users,
               load_who(first), first->virtual_users == 1 ? "" : "s",
               units_rate(then, step_rate(first)), step_rate_name(first), first->number,
               units_rate(now, step_rate(last)), last->number);
    if (step_rate(first) > 0)
        buf_printf(out, ": %.3f of it", step_rate(last) / step_rate(first));
}
