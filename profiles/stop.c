/* The rules. What became of a step, the autopilot tells. */
#include "profiles/stop.h"

/* The runs of one level taken together. */
struct level {
    int virtual_users, runs, over_limits;
    double nopm_sum;
};

static double
mean(const struct level *level)
{
    return level->runs > 0 ? level->nopm_sum / level->runs : 0;
}

static struct level
level_of(const struct stop_result *results, int count, int curve, int virtual_users)
{
    struct level level = {.virtual_users = virtual_users};

    for (int i = 0; i < count; i++) {
        const struct stop_result *result = &results[i];
        if (!result->valid || result->curve != curve || result->virtual_users != virtual_users)
            continue;
        level.runs++;
        level.over_limits += result->over_limits;
        level.nopm_sum += result->nopm;
    }
    return level;
}

const char *
stop_reason(const struct settings *settings, const struct stop_result *results, int count,
            const struct plan_step *step, struct arena *arena)
{
    double share = settings_is_set(settings, SET_STOP_BELOW_PEAK)
                       ? settings_share(settings, SET_STOP_BELOW_PEAK)
                       : 0;
    struct level best = {0}, highest = {0};

    for (int i = 0; i < count; i++) {
        if (!results[i].valid || results[i].curve != step->curve ||
            results[i].virtual_users >= step->virtual_users)
            continue;
        struct level level = level_of(results, count, step->curve, results[i].virtual_users);
        if (settings_flag(settings, SET_STOP_OVER_LIMITS) && 2 * level.over_limits > level.runs)
            return arena_printf(arena, "%d virtual user%s: over the response-time limits",
                                level.virtual_users, level.virtual_users == 1 ? "" : "s");
        if (mean(&level) > mean(&best))
            best = level;
        if (level.virtual_users > highest.virtual_users)
            highest = level;
    }
    if (highest.runs == 0 || mean(&highest) >= share * mean(&best))
        return NULL;
    return arena_printf(arena, "NOPM fell to %.0f %% of that of %d virtual user%s at %d",
                        100 * mean(&highest) / mean(&best), best.virtual_users,
                        best.virtual_users == 1 ? "" : "s", highest.virtual_users);
}
