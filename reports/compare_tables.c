/* One row for each thing compared. */
#include "reports/compare_tables.h"

#include <math.h>
#include <string.h>

#include "common/clock.h"
#include "reports/product.h"

#define COLUMNS(array) (array), sizeof(array) / sizeof(array)[0]

static const char *
letter(int index, struct arena *arena)
{
    return arena_printf(arena, "%c", 'A' + index);
}

static void
put_headline(struct table *table, const struct analysis *analysis, bool within_limits)
{
    int index = within_limits ? analysis->within_limits : analysis->peak;

    if (index < 0) {
        for (int i = 0; i < 4; i++)
            table_none(table, i ? "" : "none");
        return;
    }
    const struct analysis_level *level = &analysis->levels[index];
    struct stats_interval interval = analysis_headline(analysis, within_limits).interval;
    table_rate(table, level->nopm_mean);
    if (interval.valid) {
        table_bound(table, interval.low);
        table_bound(table, interval.high);
    } else {
        table_none(table, level->runs == 1 ? "one run" : "two runs");
        table_none(table, "");
    }
    table_count(table, level->virtual_users);
}

struct table *
compare_table_runs(const struct compare *compare, struct arena *arena)
{
    static const struct table_column columns[] = {
        {"letter", "run", COLUMN_LEFT, 0, NULL},
        {"folder", "folder", COLUMN_LEFT, 0, NULL},
        {"started_at", "started", COLUMN_LEFT, 0, NULL},
        {"server", "server", COLUMN_LEFT, 0, NULL},
        {"limits_nopm", "within limits", 0, 0, NULL},
        {"limits_low", "95 % interval", 0, 0, NULL},
        {"limits_high", "95 % interval", COLUMN_UPPER, 0, NULL},
        {"limits_virtual_users", "at virtual users", COLUMN_PLAIN, 0, NULL},
        {"peak_nopm", "peak", 0, 0, NULL},
        {"peak_low", "95 % interval", 0, 0, NULL},
        {"peak_high", "95 % interval", COLUMN_UPPER, 0, NULL},
        {"peak_virtual_users", "at virtual users", COLUMN_PLAIN, 0, NULL},
    };
    struct table *table =
        table_make(arena, "runs", "run", COLUMNS(columns), (size_t)compare->count);

    for (int i = 0; i < compare->count; i++) {
        const struct compare_run *run = &compare->runs[i];
        char started[CLOCK_TEXT_SIZE];
        table_row(table, NULL);
        table_word(table, letter(i, arena));
        table_text(table, run->folder);
        table_word(table, arena_strdup(arena, clock_iso(started, run->run->started_wall_us)));
        if (product_of(run->run, arena))
            table_text(table, product_of(run->run, arena));
        else
            table_none(table, "not recorded");
        put_headline(table, run->analysis, true);
        put_headline(table, run->analysis, false);
    }
    return table;
}

static void
put_limits(struct table *table, struct stats_interval interval)
{
    if (interval.valid) {
        table_real(table, interval.low);
        table_real(table, interval.high);
    } else {
        table_none(table, "\xe2\x80\x93");
        table_none(table, "");
    }
}

static void
put_ratio(struct table *table, const struct compare_ratio *ratio)
{
    if (isnan(ratio->ratio))
        table_none(table, "\xe2\x80\x93");
    else
        table_real(table, ratio->ratio);
    put_limits(table, ratio->interval);
    put_limits(table, ratio->bootstrap);
    table_word(table, ratio->words);
    if (ratio->detectable > 0)
        table_real(table, 100 * ratio->detectable);
    else
        table_none(table, "\xe2\x80\x93");
}

static void
put_nopm(struct table *table, double nopm)
{
    if (isnan(nopm))
        table_none(table, "none");
    else
        table_rate(table, nopm);
}

#define BOOTSTRAP_LOW "bootstrap_low"
#define RATIO_COLUMNS                                                                              \
    {"ratio", "ratio", 0, 3, NULL}, {"low", "95 % interval", 0, 3, NULL},                          \
        {"high", "95 % interval", COLUMN_UPPER, 3, NULL},                                          \
        {BOOTSTRAP_LOW, "by resampling", 0, 3, NULL},                                              \
        {"bootstrap_high", "by resampling", COLUMN_UPPER, 3, NULL},                                \
        {"words", "shown", COLUMN_LEFT, 0, NULL},                                                  \
    {                                                                                              \
        "detectable_percent", "detectable", 0, 1, "%"                                              \
    }

static bool
any_bootstrap(const struct comparison *pair)
{
    bool any = pair->peak.bootstrap.valid || pair->within_limits.bootstrap.valid;

    for (int i = 0; i < pair->levels_count; i++)
        any = any || pair->levels[i].nopm.bootstrap.valid;
    for (int i = 0; i < COSTS; i++)
        any = any || pair->costs[i].bootstrap.valid;
    return any;
}

/* A copy of the columns; people see what resampling says only where it says something. */
static struct table_column *
ratio_columns(const struct table_column *columns, size_t count, const struct comparison *pair,
              struct arena *arena)
{
    struct table_column *made = arena_array(arena, count, sizeof *made);

    memcpy(made, columns, count * sizeof *made);
    for (size_t i = 0; i < count; i++)
        if (strcmp(made[i].name, BOOTSTRAP_LOW) == 0 && !any_bootstrap(pair))
            made[i].flags |= COLUMN_RAW;
    return made;
}

static void
put_headline_row(struct table *table, const char *name, const struct compare_ratio *ratio)
{
    table_row(table, "best");
    table_word(table, name);
    table_none(table, "");
    table_none(table, "");
    put_nopm(table, ratio->base);
    put_nopm(table, ratio->other);
    put_ratio(table, ratio);
    table_none(table, "");
    table_none(table, "");
}

struct table *
compare_table_ratios(const struct compare *compare, int index, struct arena *arena)
{
    static const struct table_column columns[] = {
        {"what", "what", COLUMN_LEFT, 0, NULL},
        {"warehouses", "ware\xc2\xadhouses", COLUMN_PLAIN, 0, NULL},
        {"virtual_users", "virtual users", COLUMN_PLAIN, 0, NULL},
        {"base_nopm", "A", 0, 0, NULL},
        {"other_nopm", "other", 0, 0, NULL},
        RATIO_COLUMNS,
        {"base_p95_us", "p95 of A", 0, 0, NULL},
        {"other_p95_us", "p95", 0, 0, NULL},
    };
    const struct comparison *pair = &compare->pairs[index];
    size_t count = sizeof columns / sizeof columns[0];
    struct table_column *own = ratio_columns(columns, count, pair, arena);
    const char *rate = compare_rate_name(compare);
    own[3].title = arena_printf(arena, "%s of A", rate);
    own[4].title = arena_printf(arena, "%s of %c", rate, 'A' + index);
    own[count - 1].title = arena_printf(arena, "p95 of %c", 'A' + index);
    struct table *table =
        table_make(arena, "ratios", "ratio", own, count, (size_t)pair->levels_count + 2);

    if (!compare_is_comparable(pair))
        return table;
    put_headline_row(table, "peak", &pair->peak);
    put_headline_row(table, "within limits", &pair->within_limits);
    for (int i = 0; i < pair->levels_count; i++) {
        const struct compare_level *level = &pair->levels[i];
        table_row(table, NULL);
        table_word(table, level->title[0] ? level->title : "level");
        table_count(table, level->warehouses);
        table_count(table, level->virtual_users);
        table_rate(table, level->nopm.base);
        table_rate(table, level->nopm.other);
        put_ratio(table, &level->nopm);
        table_us(table, llround(level->p95.base));
        table_us(table, llround(level->p95.other));
    }
    return table;
}

struct table *
compare_table_costs(const struct compare *compare, int index, struct arena *arena)
{
    static const struct table_column columns[] = {
        {"what", "what", COLUMN_LEFT, 0, NULL},
        {"base", "A", 0, 1, NULL},
        {"other", "other", 0, 1, NULL},
        RATIO_COLUMNS,
    };
    const struct comparison *pair = &compare->pairs[index];
    size_t count = sizeof columns / sizeof columns[0];
    struct table_column *own = ratio_columns(columns, count, pair, arena);
    own[2].title = arena_printf(arena, "%c", 'A' + index);
    struct table *table = table_make(arena, "costs", "cost", own, count, COSTS);

    for (int i = 0; i < COSTS && compare_is_comparable(pair); i++) {
        const struct compare_ratio *cost = &pair->costs[i];
        table_row(table, NULL);
        table_word(table, compare_cost_titles[i]);
        if (isnan(cost->base))
            table_none(table, "not available");
        else
            table_real(table, cost->base);
        if (isnan(cost->other))
            table_none(table, "not available");
        else
            table_real(table, cost->other);
        put_ratio(table, cost);
    }
    return table;
}

static void
put_stated(struct table *table, double value)
{
    if (isnan(value))
        table_none(table, "not stated");
    else
        table_real(table, value);
}

struct table *
compare_table_stated(const struct compare *compare, struct arena *arena)
{
    static const struct table_column columns[] = {
        {"letter", "run", COLUMN_LEFT, 0, NULL},
        {"cost_per_hour", "cost per hour, as stated", 0, 4, NULL},
        {"cost_per_1000", "cost per 1,000 new-orders", 0, 6, NULL},
        {"watts", "watts, as stated", 0, 1, NULL},
        {"wh_per_1000", "Wh per 1,000 new-orders", 0, 4, NULL},
    };
    struct table *table =
        table_make(arena, "stated", "run", COLUMNS(columns), (size_t)compare->count);
    bool any = false;

    for (int i = 0; i < compare->count; i++)
        any = any || !isnan(compare->runs[i].cost_per_hour) || !isnan(compare->runs[i].watts);
    for (int i = 0; i < compare->count && any; i++) {
        const struct compare_run *run = &compare->runs[i];
        table_row(table, NULL);
        table_word(table, letter(i, arena));
        put_stated(table, run->cost_per_hour);
        put_stated(table, compare_money(run));
        put_stated(table, run->watts);
        put_stated(table, compare_energy(run));
    }
    return table;
}

struct table *
compare_table_differences(const struct compare *compare, struct arena *arena)
{
    size_t columns_count = 2 + (size_t)compare->count;
    struct table_column *columns = arena_array(arena, columns_count, sizeof *columns);

    columns[0] = (struct table_column){"name", "name", COLUMN_LEFT, 0, NULL};
    columns[1] = (struct table_column){"kind", "kind", COLUMN_LEFT, 0, NULL};
    for (int i = 0; i < compare->count; i++)
        columns[2 + i] =
            (struct table_column){letter(i, arena), letter(i, arena), COLUMN_LEFT, 0, NULL};
    struct table *table = table_make(arena, "differences", "difference", columns, columns_count,
                                     (size_t)compare->differences_count);
    for (int i = 0; i < compare->differences_count; i++) {
        const struct difference *difference = &compare->differences[i];
        table_row(table, NULL);
        table_word(table, difference->name);
        table_word(table, difference->is_state ? "state" : difference->kind);
        for (int run = 0; run < compare->count; run++)
            if (difference->values[run])
                table_text(table, difference->values[run]);
            else
                table_none(table, "not recorded");
    }
    return table;
}
