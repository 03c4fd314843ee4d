/* The matrix and the order of the steps. Levels are sorted first, so that the order of a ladder in
 * the file does not matter where an order is asked for. */
#include "profiles/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/rng.h"

/* Connecting, draining, verifying and storing: a round allowance, so that the time of arrival is
 * not systematically early. */
#define STEP_EXTRA_US 2000000

/* --- curves ----------------------------------------------------------------------------------- */

/* What a profile goes through, the slowest first. A dimension that it does not name has one value,
 * which is NULL. */
struct matrix {
    const struct profile_server *servers;
    const struct profile_configuration *configurations;
    const char *warehouses[SETTINGS_LIST_MAX], *mixes[SETTINGS_LIST_MAX], *calls[SETTINGS_LIST_MAX];
    int servers_count, warehouses_count, configurations_count, mixes_count, calls_count;
};

static int
at_least_one(int count)
{
    return count > 0 ? count : 1;
}

static void
read_matrix(struct matrix *matrix, struct arena *arena, const struct settings *settings,
            const struct profile *profile)
{
    *matrix = (struct matrix){0};
    if (profile) {
        matrix->servers = profile->servers;
        matrix->servers_count = profile->servers_count;
        matrix->configurations = profile->configurations;
        matrix->configurations_count = profile->configurations_count;
    }
    matrix->warehouses_count =
        settings_sweep(settings, SET_SWEEP_WAREHOUSES, arena, matrix->warehouses);
    matrix->mixes_count = settings_sweep(settings, SET_SWEEP_MIX, arena, matrix->mixes);
    matrix->calls_count = settings_sweep(settings, SET_SWEEP_CALL, arena, matrix->calls);
}

static int64_t
curves_of(const struct matrix *matrix)
{
    return (int64_t)at_least_one(matrix->servers_count) * at_least_one(matrix->warehouses_count) *
           at_least_one(matrix->configurations_count) * at_least_one(matrix->mixes_count) *
           at_least_one(matrix->calls_count);
}

void
plan_size(const struct settings *settings, const struct profile *profile, int64_t *steps,
          int64_t *curves)
{
    struct arena arena = {0};
    struct matrix matrix;
    const int64_t *ladder;

    read_matrix(&matrix, &arena, settings, profile);
    *curves = curves_of(&matrix);
    *steps = *curves * settings_list(settings, SET_LADDER, &ladder) *
             settings_int(settings, SET_REPEATS);
    int64_t searched = strcmp(settings_choice(settings, SET_SEARCH), "knee") == 0
                           ? *curves * settings_int(settings, SET_SEARCH_STEPS)
                           : 0;
    if (searched > *steps)
        *steps = searched;
    arena_free(&arena);
}

/* The dimensions with more than one value. */
static const char *
curve_name(struct arena *arena, const struct matrix *matrix, const struct plan_curve *curve)
{
    const char *parts[5];
    int count = 0;
    struct buf name = {0};

    if (matrix->servers_count > 1)
        parts[count++] = curve->server->name;
    if (matrix->warehouses_count > 1)
        parts[count++] = arena_printf(arena, "%s warehouse%s", curve->warehouses,
                                      strcmp(curve->warehouses, "1") == 0 ? "" : "s");
    if (matrix->configurations_count > 1)
        parts[count++] = curve->configuration->name;
    if (matrix->mixes_count > 1)
        parts[count++] = curve->mix;
    if (matrix->calls_count > 1)
        parts[count++] = curve->call;
    for (int i = 0; i < count; i++)
        buf_printf(&name, "%s%s", i ? ", " : "", parts[i]);
    const char *text = arena_strdup(arena, buf_text(&name));
    buf_free(&name);
    return text;
}

/* The value of this curve in a dimension, the fastest first; the rest of the index stays. */
static int
take(int *index, int count)
{
    int value = *index % at_least_one(count);

    *index /= at_least_one(count);
    return value;
}

static void
make_curves(struct plan *plan, struct arena *arena, const struct settings *settings,
            const struct profile *profile)
{
    struct matrix matrix;

    read_matrix(&matrix, arena, settings, profile);
    must(curves_of(&matrix) <= PLAN_CURVES_MAX);
    plan->curves_count = (int)curves_of(&matrix);
    plan->curves = arena_array(arena, (size_t)plan->curves_count, sizeof *plan->curves);
    for (int i = 0; i < plan->curves_count; i++) {
        struct plan_curve *curve = &plan->curves[i];
        int rest = i;

        curve->call = matrix.calls[take(&rest, matrix.calls_count)];
        curve->mix = matrix.mixes[take(&rest, matrix.mixes_count)];
        int configuration = take(&rest, matrix.configurations_count);
        curve->warehouses = matrix.warehouses[take(&rest, matrix.warehouses_count)];
        if (matrix.configurations_count > 0)
            curve->configuration = &matrix.configurations[configuration];
        if (matrix.servers_count > 0)
            curve->server = &matrix.servers[rest];
        curve->name = curve_name(arena, &matrix, curve);
    }
    for (int i = 0; i < plan->curves_count; i++) {
        struct plan_curve *curve = &plan->curves[i];
        curve->database = 0;
        while (plan->curves[curve->database].server != curve->server ||
               plan->curves[curve->database].warehouses != curve->warehouses)
            curve->database++;
    }
}

/* --- steps ------------------------------------------------------------------------------------ */

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

/* Repeats are counted by the order in which they run. Until then `repeat` is the index of the
 * level among the sorted ones. */
static void
number_steps(struct plan *plan, int levels_count, uint64_t seed)
{
    struct arena arena = {0};
    int *seen =
        arena_array(&arena, (size_t)plan->curves_count * (size_t)levels_count, sizeof *seen);

    for (int i = 0; i < plan->count; i++) {
        struct plan_step *step = &plan->steps[i];
        step->number = i + 1;
        step->repeat = ++seen[step->curve * levels_count + step->repeat];
        step->seed = plan_seed(step->curve, step->virtual_users, step->repeat, seed);
    }
    arena_free(&arena);
}

static void
make_steps(struct plan *plan, struct arena *arena, const struct settings *settings)
{
    int64_t levels[SETTINGS_LIST_MAX];
    const int64_t *ladder;
    int levels_count = settings_list(settings, SET_LADDER, &ladder);
    int repeats = (int)settings_int(settings, SET_REPEATS);
    uint64_t seed = (uint64_t)settings_int(settings, SET_SEED);
    const char *order = settings_choice(settings, SET_ORDER);
    bool interleaved = strcmp(order, "interleaved") == 0;

    must((int64_t)levels_count * repeats * plan->curves_count <= PLAN_STEPS_MAX);
    memcpy(levels, ladder, (size_t)levels_count * sizeof *levels);
    qsort(levels, (size_t)levels_count, sizeof *levels, compare_levels);
    plan->count = levels_count * repeats * plan->curves_count;
    plan->steps = arena_array(arena, (size_t)plan->count, sizeof *plan->steps);
    for (int i = 0; i < plan->count; i++) {
        /* The index of the level over all curves. */
        int level = interleaved ? i % (levels_count * plan->curves_count) : i / repeats;
        plan->steps[i].curve = level / levels_count;
        plan->steps[i].repeat = level % levels_count;
        plan->steps[i].virtual_users = (int)levels[level % levels_count];
    }
    if (strcmp(order, "random") == 0)
        shuffle(plan->steps, plan->count, seed);
    number_steps(plan, levels_count, seed);
}

void
plan_make(struct plan *plan, struct arena *arena, const struct settings *settings,
          const struct profile *profile)
{
    *plan = (struct plan){0};
    make_curves(plan, arena, settings, profile);
    make_steps(plan, arena, settings);
    plan->ramp_up_us = settings_us(settings, SET_RAMP_UP);
    plan->measure_us = settings_us(settings, SET_MEASURE);
    plan->measure_most_us = plan->measure_us;
    if (settings_is_set(settings, SET_PRECISION) && settings_share(settings, SET_PRECISION) > 0 &&
        settings_is_set(settings, SET_MEASURE_MOST))
        plan->measure_most_us = settings_us(settings, SET_MEASURE_MOST);
    plan->step_us = plan->ramp_up_us + plan->measure_most_us + STEP_EXTRA_US;
    plan->total_us = plan->step_us * plan->count;
    plan->at_most = plan->measure_most_us > plan->measure_us;
}

uint64_t
plan_seed(int curve, int virtual_users, int repeat, uint64_t seed)
{
    return (seed + UINT64_C(2000000000) * (uint64_t)curve + 1000 * (uint64_t)virtual_users +
            (uint64_t)repeat - 1) &
           INT64_MAX;
}

/* --- the settings of a curve, of a step --------------------------------------------------------*/

static bool
override(struct settings *out, enum setting_id id, const char *text, struct err *err)
{
    return !text || settings_set(out, id, text, SETTING_OPTION, err);
}

bool
plan_database_settings(const struct plan *plan, int curve, const struct settings *settings,
                       struct settings *out, struct err *err)
{
    const struct plan_curve *of = &plan->curves[curve];
    bool ok = true;

    settings_copy(out, settings);
    for (int i = 0; of->server && i < PROFILE_SERVER_VALUES; i++)
        ok = ok && override(out, (enum setting_id)(SET_HOST + i), of->server->values[i], err);
    if (of->warehouses)
        ok = ok && override(out, SET_WAREHOUSES, of->warehouses, err) &&
             override(out, SET_SCHEMA,
                      arena_printf(&out->arena, "%s_w%s", settings_text(out, SET_SCHEMA),
                                   of->warehouses),
                      err);
    return ok;
}

/* What the profile asks for in every session, then what the configuration does. */
static const char *
session_settings(struct settings *out, const struct profile_configuration *configuration)
{
    const char *of_all = settings_text(out, SET_SESSION_SETTINGS);

    if (!configuration || !configuration->session_settings)
        return NULL;
    return of_all ? arena_printf(&out->arena, "%s;%s", of_all, configuration->session_settings)
                  : configuration->session_settings;
}

bool
plan_step_settings(const struct plan *plan, const struct plan_step *step,
                   const struct settings *settings, struct settings *out, struct err *err)
{
    const struct plan_curve *curve = &plan->curves[step->curve];
    char users[UNITS_TEXT_SIZE], seed[UNITS_TEXT_SIZE];

    return plan_database_settings(plan, step->curve, settings, out, err) &&
           override(out, SET_MIX, curve->mix, err) && override(out, SET_CALL, curve->call, err) &&
           override(out, SET_SESSION_SETTINGS, session_settings(out, curve->configuration), err) &&
           override(out, SET_TERMINALS, units_exact_int(users, step->virtual_users), err) &&
           override(out, SET_SEED, units_exact_int(seed, (int64_t)step->seed), err);
}
