/* The order of the steps. Levels are sorted first, so that the order of a ladder in the file does
 * not matter where an order is asked for. */
#include "profiles/plan.h"

#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "common/units.h"

/* Connecting, draining, verifying and storing: a round allowance, so that the time of arrival is
 * not systematically early. */
#define STEP_EXTRA_US 2000000

static int
compare_levels(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return x < y ? -1 : x > y;
}

static void
shuffle(struct plan_step *steps, int count, uint64_t seed)
{
    struct rng rng;

    rng_seed(&rng, seed, RNG_SCHEDULE, 0);
    for (int i = count - 1; i > 0; i--) {
        int j = (int)rng_range(&rng, 0, i);
        struct plan_step step = steps[i];
        steps[i] = steps[j];
        steps[j] = step;
    }
}

/* Repeats are counted by the order in which they run. */
static void
number_steps(struct plan *plan)
{
    for (int i = 0; i < plan->count; i++) {
        plan->steps[i].number = i + 1;
        plan->steps[i].repeat = 1;
        for (int j = 0; j < i; j++)
            plan->steps[i].repeat += plan->steps[j].virtual_users == plan->steps[i].virtual_users;
    }
}

void
plan_make(struct plan *plan, struct arena *arena, const struct settings *settings)
{
    int64_t levels[SETTINGS_LIST_MAX];
    const int64_t *ladder;
    int levels_count = settings_list(settings, SET_LADDER, &ladder);
    int repeats = (int)settings_int(settings, SET_REPEATS);
    const char *order = settings_choice(settings, SET_ORDER);
    bool interleaved = strcmp(order, "interleaved") == 0;

    memcpy(levels, ladder, (size_t)levels_count * sizeof *levels);
    qsort(levels, (size_t)levels_count, sizeof *levels, compare_levels);
    *plan = (struct plan){.count = levels_count * repeats};
    plan->steps = arena_array(arena, (size_t)plan->count, sizeof *plan->steps);
    for (int i = 0; i < plan->count; i++) {
        int level = interleaved ? i % levels_count : i / repeats;
        plan->steps[i].virtual_users = (int)levels[level];
    }
    if (strcmp(order, "random") == 0)
        shuffle(plan->steps, plan->count, (uint64_t)settings_int(settings, SET_SEED));
    number_steps(plan);
    plan->ramp_up_us = settings_us(settings, SET_RAMP_UP);
    plan->measure_us = settings_us(settings, SET_MEASURE);
    plan->step_us = plan->ramp_up_us + plan->measure_us + STEP_EXTRA_US;
    plan->total_us = plan->step_us * plan->count;
}

void
plan_text(const struct plan *plan, const char *name, struct buf *out)
{
    char total[UNITS_TEXT_SIZE], ramp_up[UNITS_TEXT_SIZE], measure[UNITS_TEXT_SIZE];

    buf_printf(out, "profile %s: %d step%s of %s ramp-up and %s measurement\n\n", name, plan->count,
               plan->count == 1 ? "" : "s", units_exact_duration(ramp_up, plan->ramp_up_us),
               units_exact_duration(measure, plan->measure_us));
    buf_puts(out, " step  virtual users  repeat\n");
    for (int i = 0; i < plan->count; i++)
        buf_printf(out, "%5d  %13d  %6d\n", plan->steps[i].number, plan->steps[i].virtual_users,
                   plan->steps[i].repeat);
    buf_printf(out,
               "\nabout %s for the steps; building the warehouses, checking and reporting come on "
               "top\n",
               units_duration(total, plan->total_us));
}

void
plan_json(const struct plan *plan, const char *name, struct buf *out)
{
    struct json json;

    json_begin(&json, out);
    json_object(&json, NULL);
    json_string(&json, "profile", name);
    json_array(&json, "steps");
    for (int i = 0; i < plan->count; i++) {
        json_object(&json, NULL);
        json_int(&json, "step", plan->steps[i].number);
        json_int(&json, "virtual_users", plan->steps[i].virtual_users);
        json_int(&json, "repeat", plan->steps[i].repeat);
        json_object_end(&json);
    }
    json_array_end(&json);
    json_real(&json, "ramp_up_s", (double)plan->ramp_up_us / 1e6, 6);
    json_real(&json, "measure_s", (double)plan->measure_us / 1e6, 6);
    json_real(&json, "total_s", (double)plan->total_us / 1e6, 0);
    json_object_end(&json);
    json_end(&json);
}

uint64_t
plan_seed(int virtual_users, int repeat, uint64_t seed)
{
    return (seed + 1000 * (uint64_t)virtual_users + (uint64_t)repeat - 1) & INT64_MAX;
}
