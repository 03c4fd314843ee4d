/* Owns the rules of the search. What a step is, and whether it counts, the caller says. */
#include "profiles/knee.h"

#include <math.h>
#include <stdlib.h>

#include "common/err.h"
#include "common/stats_sample.h"

#define GROWTH_MIN    0.015 /* less is no growth, however quiet the system */
#define SHOULDER      0.02  /* a neighbour that is lower by more leaves room for a higher one */
#define ROOM          0.03 /* a curve that may rise by more between two levels is looked at there */
#define GAP_MAX       1.5  /* the best level has neighbours at least this near, as a factor */
#define SECOND_PEAK   0.25 /* other peaks this near to the best are refined too */
#define NO_GROWTH_MAX 2    /* doublings in a row */

const char *const knee_phase_names[] = {"double", "peak", "limits", "repeat", "done"};

/* All runs of one load. A level without a valid run has a mean of 0. */
struct level {
    int virtual_users;
    int steps, runs, within; /* steps: failed ones too */
    double sum, squares, mean;
    bool meets_limits; /* most of its runs do */
};

struct search {
    const struct knee_options *options;
    struct level levels[KNEE_STEPS_MAX]; /* by virtual users */
    int count;
    double noise;
    double noise_freedom; /* degrees, the assumed ones included */
};

/* ---- what is known ---- */

static int
compare_levels(const void *a, const void *b)
{
    return ((const struct level *)a)->virtual_users - ((const struct level *)b)->virtual_users;
}

static struct level *
find(struct search *search, int virtual_users)
{
    for (int i = 0; i < search->count; i++)
        if (search->levels[i].virtual_users == virtual_users)
            return &search->levels[i];
    return NULL;
}

/* Relative scatter of one run, pooled over all levels. The assumption counts as repeats do, so that
 * two runs that are alike by chance do not make the system quiet. */
static void
estimate_noise(struct search *search)
{
    double freedom = KNEE_NOISE_RUNS;
    double squares = freedom * KNEE_NOISE * KNEE_NOISE;

    for (int i = 0; i < search->count; i++) {
        const struct level *level = &search->levels[i];
        if (level->runs < 2)
            continue;
        double spread = level->squares - level->runs * level->mean * level->mean;
        squares += fmax(0, spread) / (level->mean * level->mean);
        freedom += level->runs - 1;
    }
    search->noise = sqrt(squares / freedom);
    search->noise_freedom = freedom;
}

static void
collect(struct search *search, const struct knee_options *options,
        const struct knee_result *results, int count)
{
    must(options->first >= 1 && options->most >= options->first);
    must(count >= 0 && count <= KNEE_STEPS_MAX && options->steps_max <= KNEE_STEPS_MAX);
    search->options = options;
    search->count = 0;
    for (int i = 0; i < count; i++) {
        const struct knee_result *result = &results[i];
        struct level *level = find(search, result->virtual_users);
        if (!level) {
            level = &search->levels[search->count++];
            *level = (struct level){.virtual_users = result->virtual_users};
        }
        level->steps++;
        if (!result->valid || !(result->rate > 0))
            continue;
        level->runs++;
        level->within += result->within_limits;
        level->sum += result->rate;
        level->squares += result->rate * result->rate;
        level->mean = level->sum / level->runs;
    }
    for (int i = 0; i < search->count; i++) {
        struct level *level = &search->levels[i];
        level->meets_limits = 2 * level->within > level->runs;
    }
    qsort(search->levels, (size_t)search->count, sizeof *search->levels, compare_levels);
    estimate_noise(search);
}

static bool
may_be_best(const struct level *level, bool within_limits)
{
    return level->runs > 0 && (!within_limits || level->meets_limits);
}

/* The highest mean, of those within the limits where so asked; NULL: there is none. */
static const struct level *
best_of(const struct search *search, bool within_limits)
{
    const struct level *best = NULL;

    for (int i = 0; i < search->count; i++) {
        const struct level *level = &search->levels[i];
        if (may_be_best(level, within_limits) && (!best || level->mean > best->mean))
            best = level;
    }
    return best;
}

/* A difference of two single runs that chance alone often makes. */
static double
blur(const struct search *search, double at_least)
{
    return fmax(at_least, sqrt(2) * search->noise);
}

/* By how much a level may be better than the best one, at 95 %. */
static double
advantage(const struct search *search, const struct level *level, const struct level *best)
{
    double error = search->noise * sqrt(1.0 / level->runs + 1.0 / best->runs);

    return level->mean / best->mean - 1 + stats_two_sided_t(0.95, search->noise_freedom) * error;
}

/* ---- doubling ---- */

/* The next load of the doubling ladder, or 0 when throughput has stopped growing. Growth is against
 * the last level that grew, so that a slow rise counts too; but while it rises out of a valley, the
 * doubling goes on. */
static int
double_next(struct search *search)
{
    const struct knee_options *options = search->options;
    double grown = 0, before = 0;
    int stalled = 0;

    for (int load = options->first;; load = load > options->most / 2 ? options->most : 2 * load) {
        const struct level *level = find(search, load);
        if (!level)
            return load;
        if (level->mean > grown * (1 + blur(search, GROWTH_MIN))) {
            grown = level->mean;
            stalled = 0;
        } else if (++stalled >= NO_GROWTH_MAX &&
                   level->mean <= before * (1 + blur(search, GROWTH_MIN))) {
            return 0;
        }
        if (load == options->most)
            return 0;
        before = level->mean;
    }
}

/* ---- refining ---- */

/* The load between two others, or 0 where they are too near to each other. */
static int
between(int low, int high)
{
    int middle = (int)lround(sqrt((double)low * high));

    if (high - low < 2 || (double)high / low <= KNEE_RESOLUTION)
        return 0;
    return middle <= low ? low + 1 : middle >= high ? high - 1 : middle;
}

static bool
is_shoulder(const struct search *search, const struct level *side, const struct level *top)
{
    return side->mean < top->mean * (1 - blur(search, SHOULDER));
}

static double
slope_between(const struct level *low, const struct level *high)
{
    return (high->mean - low->mean) / (high->virtual_users - low->virtual_users);
}

/* How high a curve that bends one way can rise between the levels at index and index + 1: to where
 * the line through the two levels before meets the line through the two behind. 0: not known. */
static double
room_above(const struct search *search, int index)
{
    const struct level *low = &search->levels[index], *high = low + 1;

    if (index < 1 || index + 2 >= search->count)
        return 0;
    double rise = slope_between(low - 1, low), fall = slope_between(high, high + 1);
    double gap = high->virtual_users - low->virtual_users;
    if (rise <= 0 || fall >= 0)
        return 0;
    double at = (high->mean - low->mean - fall * gap) / (rise - fall);
    return at > 0 && at < gap ? low->mean + rise * at : 0;
}

/* The load between the levels at index and index + 1, one of which is `top`, where a higher
 * throughput may hide there: the gap is wide, its other side is steep, or its surroundings are. */
static int
look_between(const struct search *search, int index, const struct level *top)
{
    const struct level *low = &search->levels[index], *high = low + 1;

    if ((double)high->virtual_users / low->virtual_users > GAP_MAX ||
        is_shoulder(search, top == low ? high : low, top) ||
        room_above(search, index) > top->mean * (1 + blur(search, ROOM)))
        return between(low->virtual_users, high->virtual_users);
    return 0;
}

/* Throughput that rises into a level on the line through the two levels before leaves nothing
 * between: a curve that bends one way stays below that line. */
static bool
rises_straight(const struct search *search, int index)
{
    const struct level *level = &search->levels[index];

    if (index < 2 || level[-1].mean <= level[-2].mean)
        return false;
    double reach = level[-1].mean + slope_between(level - 2, level - 1) *
                                        (level->virtual_users - level[-1].virtual_users);
    return reach < level->mean * (1 + blur(search, SHOULDER));
}

/* The lower neighbour first: what is found there may close the other side. */
static int
refine_level(const struct search *search, int index)
{
    const struct level *level = &search->levels[index];
    int load = 0;

    if (index > 0 && !rises_straight(search, index))
        load = look_between(search, index - 1, level);
    if (load == 0 && index + 1 < search->count)
        load = look_between(search, index, level);
    return load;
}

/* Nearly as high as the best level, and parted from it by a valley. */
static bool
is_second_peak(const struct search *search, const struct level *level, const struct level *best)
{
    if (level->mean < best->mean * (1 - SECOND_PEAK))
        return false;
    for (const struct level *at = level; at != best; at += best > level ? 1 : -1) {
        if (at->mean > level->mean)
            return false; /* the slope of the best one, or of another peak */
        if (is_shoulder(search, at, level))
            return true;
    }
    return false;
}

/* Beside the best level, then beside other peaks. */
static int
peak_next(const struct search *search)
{
    const struct level *best = best_of(search, false);

    if (!best)
        return 0;
    int load = refine_level(search, (int)(best - search->levels));
    for (int i = 0; load == 0 && i < search->count; i++) {
        if (is_second_peak(search, &search->levels[i], best))
            load = refine_level(search, i);
    }
    return load;
}

/* Between the highest load within the limits and the next one, unless what lies between can hardly
 * be better than the best that is known. */
static int
limits_next(const struct search *search)
{
    const struct level *best = best_of(search, true);
    int last = -1;

    for (int i = 0; i < search->count; i++)
        if (search->levels[i].meets_limits)
            last = i;
    if (!best || last + 1 >= search->count)
        return 0;
    const struct level *beyond = &search->levels[last + 1];
    /* What lies between can be no better than both ends but by chance. */
    double room = beyond->mean > search->levels[last].mean
                      ? advantage(search, beyond, best)
                      : advantage(search, &search->levels[last], best);
    if (beyond->runs > 0 && room < KNEE_INDIFFERENCE)
        return 0;
    return between(search->levels[last].virtual_users, beyond->virtual_users);
}

/* ---- repeating ---- */

/* The level that may be better by most, and by KNEE_INDIFFERENCE at least; NULL: there is none. */
static const struct level *
rival_of(const struct search *search, const struct level *best, bool within_limits)
{
    const struct level *rival = NULL;

    for (int i = 0; i < search->count; i++) {
        const struct level *level = &search->levels[i];
        if (level == best || level->runs == 0 || (within_limits && !level->meets_limits))
            continue;
        if (advantage(search, level, best) < KNEE_INDIFFERENCE)
            continue;
        if (!rival || advantage(search, level, best) > advantage(search, rival, best))
            rival = level;
    }
    return rival;
}

static int
repeat_next(const struct search *search, bool within_limits)
{
    const struct knee_options *options = search->options;
    const struct level *best = best_of(search, within_limits);

    if (!best)
        return 0;
    if (best->steps < options->repeats_min)
        return best->virtual_users;
    const struct level *rival = rival_of(search, best, within_limits);
    if (!rival)
        return 0;
    const struct level *fewer = best->steps < rival->steps ? best : rival;
    return fewer->steps < options->repeats_max ? fewer->virtual_users : 0;
}

/* ---- all together ---- */

static struct knee_next
choose(struct search *search)
{
    struct knee_next next = {.phase = KNEE_DOUBLE, .virtual_users = double_next(search)};

    if (next.virtual_users == 0)
        next = (struct knee_next){.phase = KNEE_PEAK, .virtual_users = peak_next(search)};
    if (next.virtual_users == 0)
        next = (struct knee_next){.phase = KNEE_LIMITS, .virtual_users = limits_next(search)};
    if (next.virtual_users == 0)
        next =
            (struct knee_next){.phase = KNEE_REPEAT, .virtual_users = repeat_next(search, false)};
    if (next.virtual_users == 0)
        next.virtual_users = repeat_next(search, true);
    if (next.virtual_users == 0)
        return (struct knee_next){.phase = KNEE_DONE};
    const struct level *level = find(search, next.virtual_users);
    next.repeat = level ? level->steps + 1 : 1;
    return next;
}

struct knee_next
knee_next(const struct knee_options *options, const struct knee_result *results, int count)
{
    struct knee_next done = {.phase = KNEE_DONE};

    if (count >= options->steps_max)
        return done;
    struct search *search = must_calloc(1, sizeof *search);
    collect(search, options, results, count);
    struct knee_next next = choose(search);
    free(search);
    return next;
}

/* The runs of a level, into `values`, which has room for them. */
static struct stats_runs
runs_of(const struct level *level, const struct knee_result *results, int count, double *values)
{
    size_t runs = 0;

    for (int i = 0; i < count; i++)
        if (results[i].virtual_users == level->virtual_users && results[i].valid &&
            results[i].rate > 0)
            values[runs++] = results[i].rate;
    return (struct stats_runs){values, runs};
}

static struct knee_headline
headline(const struct search *search, bool within_limits, const struct knee_result *results,
         int count)
{
    const struct level *best = best_of(search, within_limits);
    struct stats_runs levels[KNEE_STEPS_MAX];
    double values[KNEE_STEPS_MAX];
    size_t candidates = 0, own = 0, used = 0;

    if (!best)
        return (struct knee_headline){0};
    for (int i = 0; i < search->count; i++) {
        const struct level *level = &search->levels[i];
        if (!may_be_best(level, within_limits))
            continue;
        if (level == best)
            own = candidates;
        levels[candidates] = runs_of(level, results, count, values + used);
        used += levels[candidates++].count;
    }
    size_t rivals = stats_rivals(levels, candidates, own, 0.95);
    const struct level *rival = rival_of(search, best, within_limits);
    return (struct knee_headline){
        .virtual_users = best->virtual_users,
        .runs = best->runs,
        .rate = best->mean,
        .rivals = rivals,
        .interval = stats_highest_interval(levels[own].values, levels[own].count, rivals, 0.95),
        .rival = rival ? rival->virtual_users : 0};
}

struct knee_outcome
knee_outcome(const struct knee_options *options, const struct knee_result *results, int count)
{
    struct search *search = must_calloc(1, sizeof *search);
    struct knee_outcome outcome;

    collect(search, options, results, count);
    const struct level *best = best_of(search, false);
    outcome = (struct knee_outcome){
        .peak = headline(search, false, results, count),
        .within_limits = headline(search, true, results, count),
        .grows_at_the_end = best && best == &search->levels[search->count - 1],
        .budget_ended = count >= options->steps_max && choose(search).phase != KNEE_DONE,
        .noise = search->noise,
    };
    free(search);
    return outcome;
}
