/* Owns the verdict on a run that was made again. */
#include "profiles/reproduce.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/stats_sample.h"
#include "common/units.h"

static bool
same_level(const struct step *a, const struct step *b)
{
    return a->curve == b->curve && a->virtual_users == b->virtual_users;
}

/* What the complete steps of a level were measured by. */
static int
collect(const struct run *run, const struct step *like, double *values)
{
    int count = 0;

    for (int i = 0; i < run->steps_count; i++) {
        const struct step *step = &run->steps[i];
        if (step->status == STEP_COMPLETE && same_level(step, like))
            values[count++] = step_rate(step);
    }
    return count;
}

static enum reproduced
judge(const struct reproduce_level *level)
{
    const struct stats_interval *interval = &level->interval;

    if (level->then_runs == 0 || level->now_runs == 0)
        return REPRODUCE_MISSING;
    if (!interval->valid)
        return REPRODUCE_FEW;
    if (interval->low > 1 || interval->high < 1)
        return REPRODUCE_DIFFERS;
    if (interval->low < 1 - REPRODUCE_WIDTH || interval->high > 1 / (1 - REPRODUCE_WIDTH))
        return REPRODUCE_WIDE;
    return REPRODUCED;
}

static void
compare_level(struct reproduce_level *level, const struct run *then, const struct run *now,
              const struct step *like)
{
    struct arena arena = {0};
    double *old = arena_array(&arena, (size_t)then->steps_count + 1, sizeof *old);
    double *new = arena_array(&arena, (size_t)now->steps_count + 1, sizeof *new);

    *level = (struct reproduce_level){.curve = like->curve_name ? like->curve_name : "",
                                      .curve_number = like->curve,
                                      .virtual_users = like->virtual_users,
                                      .unit = step_rate_name(like),
                                      .then_runs = collect(then, like, old),
                                      .now_runs = collect(now, like, new)};
    if (level->then_runs > 0)
        level->then = stats_mean(old, (size_t)level->then_runs);
    if (level->now_runs > 0)
        level->now = stats_mean(new, (size_t)level->now_runs);
    if (level->then > 0 && level->now > 0) {
        level->ratio = level->now / level->then;
        level->interval = stats_ratio_interval(new, (size_t)level->now_runs, old,
                                               (size_t)level->then_runs, REPRODUCE_LEVEL);
    }
    level->verdict = judge(level);
    arena_free(&arena);
}

static bool
is_first_of_level(const struct run *runs[2], int which, int index)
{
    const struct step *step = &runs[which]->steps[index];

    for (int r = 0; r <= which; r++) {
        int end = r < which ? runs[r]->steps_count : index;
        for (int i = 0; i < end; i++)
            if (same_level(&runs[r]->steps[i], step))
                return false;
    }
    return true;
}

static int
compare_levels(const void *a, const void *b)
{
    const struct reproduce_level *x = a, *y = b;

    if (x->curve_number != y->curve_number)
        return x->curve_number < y->curve_number ? -1 : 1;
    return x->virtual_users < y->virtual_users ? -1 : x->virtual_users > y->virtual_users;
}

void
reproduce_compare(struct reproduction *reproduction, const struct run *then, const struct run *now,
                  struct arena *arena)
{
    const struct run *runs[2] = {then, now};
    size_t most = (size_t)then->steps_count + (size_t)now->steps_count;

    *reproduction = (struct reproduction){
        .levels = arena_array(arena, most, sizeof *reproduction->levels), .reproduced = true};
    for (int r = 0; r < 2; r++) {
        for (int i = 0; i < runs[r]->steps_count; i++) {
            struct reproduce_level *level = &reproduction->levels[reproduction->count];
            if (!is_first_of_level(runs, r, i))
                continue;
            compare_level(level, then, now, &runs[r]->steps[i]);
            reproduction->reproduced &= level->verdict == REPRODUCED;
            reproduction->count++;
        }
    }
    reproduction->reproduced &= reproduction->count > 0;
    qsort(reproduction->levels, (size_t)reproduction->count, sizeof *reproduction->levels,
          compare_levels);
}

static void
put_head(const char *unit, struct buf *out)
{
    buf_printf(out, "%6s %6s then %7s now %6s  %-13s\n", "VUs", unit, unit, "ratio",
               "95 % interval");
}

static void
put_level(const struct reproduce_level *level, struct buf *out)
{
    static const char *const words[] = {[REPRODUCED] = "holds 1",
                                        [REPRODUCE_DIFFERS] = "differs",
                                        [REPRODUCE_WIDE] = "too wide to tell",
                                        [REPRODUCE_FEW] = "under three runs",
                                        [REPRODUCE_MISSING] = "in one of the runs only"};
    char then[UNITS_TEXT_SIZE], now[UNITS_TEXT_SIZE], interval[48] = "-", ratio[24] = "-";

    if (level->ratio > 0)
        snprintf(ratio, sizeof ratio, "%.3f", level->ratio);
    if (level->interval.valid)
        snprintf(interval, sizeof interval, "%.3f-%.3f", level->interval.low, level->interval.high);
    buf_printf(out, "%6d %11s %11s %6s  %-13s  %s", level->virtual_users,
               level->then > 0 ? units_rate(then, level->then) : "-",
               level->now > 0 ? units_rate(now, level->now) : "-", ratio, interval,
               words[level->verdict]);
    if (level->curve[0])
        buf_printf(out, "; %s", level->curve);
    buf_putc(out, '\n');
}

void
reproduce_text(const struct reproduction *reproduction, const char *folder, struct buf *out)
{
    int held = 0, differ = 0;

    buf_printf(out, "\nAgain: this run against the one in %s\n", folder);
    for (int i = 0; i < reproduction->count; i++) {
        if (i == 0 || strcmp(reproduction->levels[i].unit, reproduction->levels[i - 1].unit) != 0)
            put_head(reproduction->levels[i].unit, out);
        put_level(&reproduction->levels[i], out);
        held += reproduction->levels[i].verdict == REPRODUCED;
        differ += reproduction->levels[i].verdict == REPRODUCE_DIFFERS;
    }
    if (reproduction->reproduced)
        buf_printf(out,
                   "reproduced: every interval holds 1, and none reaches further than %.0f %%\n",
                   100 * REPRODUCE_WIDTH);
    else
        buf_printf(out, "not shown to be reproduced: %d of %d levels are, %d differ\n", held,
                   reproduction->count, differ);
}
