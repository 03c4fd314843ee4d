/* Owns the arithmetic of sampling. What is sampled, how and when, is others' affair. */
#include "driver/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct series {
    struct metric metric; /* its texts live in the set's arena; figures are filled in at the end */
    double scale;
    bool fed, seen; /* has a reading; the reading before the next one is known */
    struct series_reading last;
    int64_t last_us;

    int64_t window_us;          /* time inside the window that readings span */
    double top, bottom, levels; /* growth inside it; sum of levels */

    struct metric_point *points;
    int points_count;
    int merge;    /* so many intervals make a point */
    int pending;  /* of the next one */
    double total; /* of the pending values */
};

struct series_set {
    struct arena arena;
    struct series *list;
    int count, capacity;
    int cursor; /* behind the series found last: the next one is likely here */
    int dropped;
    int64_t least_us;
    bool open;
    int64_t opened_us;
};

struct series_set *
series_new(int64_t least_us)
{
    struct series_set *set = must_calloc(1, sizeof *set);

    set->least_us = least_us;
    return set;
}

void
series_free(struct series_set *set)
{
    if (!set)
        return;
    for (int i = 0; i < set->count; i++)
        free(set->list[i].points);
    free(set->list);
    arena_free(&set->arena);
    free(set);
}

/* --- finding ---------------------------------------------------------------------------------- */

static bool
is_of(const struct series *series, const struct series_key *key)
{
    return series->metric.source == key->source && strcmp(series->metric.name, key->name) == 0 &&
           strcmp(series->metric.instance, key->instance) == 0;
}

static struct series *
find(struct series_set *set, const struct series_key *key)
{
    for (int i = 0; i < set->count; i++) {
        int at = (set->cursor + i) % set->count;
        if (is_of(&set->list[at], key)) {
            set->cursor = at + 1;
            return &set->list[at];
        }
    }
    return NULL;
}

/* NULL: there are too many. */
static struct series *
find_or_add(struct series_set *set, const struct series_key *key)
{
    struct series *series = find(set, key);

    if (series)
        return series;
    if (set->count == METRICS_MAX) {
        set->dropped++;
        return NULL;
    }
    if (set->count == set->capacity) {
        set->capacity = set->capacity ? 2 * set->capacity : 128;
        set->list = must_realloc(set->list, (size_t)set->capacity * sizeof *set->list);
    }
    series = &set->list[set->count++];
    *series = (struct series){.scale = key->scale, .merge = 1};
    series->metric = (struct metric){.source = key->source,
                                     .name = arena_strdup(&set->arena, key->name),
                                     .instance = arena_strdup(&set->arena, key->instance),
                                     .unit = arena_strdup(&set->arena, key->unit),
                                     .kind = key->kind,
                                     .missing = ""};
    set->cursor = set->count;
    return series;
}

/* --- points ----------------------------------------------------------------------------------- */

static void
halve_points(struct series *series)
{
    series->points_count /= 2;
    for (int i = 0; i < series->points_count; i++) {
        const struct metric_point *pair = &series->points[2 * i];
        series->points[i] =
            (struct metric_point){pair[1].at_us, (pair[0].value + pair[1].value) / 2};
    }
    series->merge *= 2;
}

static void
add_point(struct series *series, int64_t at_us, double value)
{
    series->total += value;
    if (++series->pending < series->merge)
        return;
    if (!series->points)
        series->points = must_calloc(METRIC_POINTS_MAX, sizeof *series->points);
    series->points[series->points_count++] =
        (struct metric_point){at_us, series->total / series->pending};
    series->pending = 0;
    series->total = 0;
    if (series->points_count == METRIC_POINTS_MAX)
        halve_points(series);
}

/* --- feeding ---------------------------------------------------------------------------------- */

static double
growth(double before, double now, bool anew)
{
    return anew ? now : now - before;
}

static void
count_sample(struct series *series, double value)
{
    struct metric *metric = &series->metric;

    metric->min = metric->samples == 0 ? value : fmin(metric->min, value);
    metric->max = metric->samples == 0 ? value : fmax(metric->max, value);
    metric->last = value;
    metric->samples++;
}

/* A counter that was born inside the window was zero from its beginning. */
static void
start_at_zero(const struct series_set *set, struct series *series, int64_t since_us, int64_t epoch)
{
    series->last = (struct series_reading){.epoch = epoch};
    series->last_us = since_us;
    series->seen = true;
    if (set->open && since_us > set->opened_us) {
        series->window_us = since_us - set->opened_us;
        if (series->metric.kind == METRIC_RATE)
            count_sample(series, 0);
    }
}

static void
feed_counter(const struct series_set *set, struct series *series, int64_t at_us,
             const struct series_reading *reading)
{
    bool share = series->metric.kind == METRIC_SHARE;
    bool anew = reading->epoch != series->last.epoch || reading->top < series->last.top ||
                (share && reading->bottom < series->last.bottom);
    double top = growth(series->last.top, reading->top, anew);
    double bottom = growth(series->last.bottom, reading->bottom, anew);
    int64_t span_us = at_us - series->last_us;

    if (span_us <= 0)
        return;
    double over = share ? bottom : (double)span_us / 1e6;
    double value = over > 0 ? series->scale * top / over : 0;
    if (set->open) {
        series->metric.resets += anew;
        series->window_us += span_us;
        series->top += top;
        series->bottom += bottom;
    }
    if (over <= 0 || span_us < set->least_us)
        return;
    if (set->open)
        count_sample(series, value);
    add_point(series, at_us, value);
}

void
series_feed(struct series_set *set, const struct series_key *key, int64_t at_us,
            const struct series_reading *reading)
{
    struct series *series = find_or_add(set, key);

    if (!series || !isfinite(reading->top) || !isfinite(reading->bottom))
        return;
    series->fed = true;
    if (key->kind == METRIC_LEVEL) {
        double value = key->scale * reading->top;
        if (set->open) {
            series->levels += value;
            count_sample(series, value);
        } else if (series->metric.samples == 0) {
            series->metric.first = value; /* the last one before the window */
        }
        add_point(series, at_us, value);
    } else {
        if (!series->seen && reading->since_us > 0)
            start_at_zero(set, series, reading->since_us, reading->epoch);
        if (series->seen)
            feed_counter(set, series, at_us, reading);
    }
    if (series->seen && at_us <= series->last_us)
        return;
    series->last = *reading;
    series->last_us = at_us;
    series->seen = true;
}

void
series_missing(struct series_set *set, const struct series_key *key, const char *reason)
{
    struct series *series = find_or_add(set, key);

    if (series && (!series->metric.missing[0] || strcmp(series->metric.missing, reason) != 0))
        series->metric.missing = arena_strdup(&set->arena, reason);
}

void
series_window(struct series_set *set, bool open, int64_t at_us)
{
    set->open = open;
    if (open)
        set->opened_us = at_us;
}

/* --- taking ----------------------------------------------------------------------------------- */

static void
finish(const struct series *series, struct metric *metric)
{
    *metric = series->metric;
    bool brief = metric->samples == 0 && series->window_us > 0 &&
                 (metric->kind == METRIC_RATE || series->bottom > 0);
    metric->samples += brief;
    if (series->fed && metric->samples == 0 && !metric->missing[0])
        metric->missing = "nothing of it in the measured window";
    if (metric->samples == 0)
        return;
    metric->missing = "";
    if (metric->kind == METRIC_LEVEL) {
        metric->mean = series->levels / metric->samples;
        return;
    }
    metric->first = metric->last = 0;
    if (metric->kind == METRIC_RATE) {
        metric->total = series->scale * series->top;
        metric->mean = series->window_us > 0 ? metric->total * 1e6 / (double)series->window_us : 0;
    } else {
        metric->total = series->top;
        metric->mean = series->bottom > 0 ? series->scale * series->top / series->bottom : 0;
    }
    if (brief)
        metric->min = metric->max = metric->mean;
}

static bool
never_changed(const struct series *series)
{
    for (int i = 1; i < series->points_count; i++)
        if (series->points[i].value != series->points[0].value)
            return false;
    return true;
}

static void
take_points(const struct series *series, struct arena *arena, int64_t origin_us,
            struct metric *metric)
{
    if (never_changed(series))
        return;
    metric->points_count = series->points_count;
    metric->points = arena_array(arena, (size_t)series->points_count, sizeof *metric->points);
    for (int i = 0; i < series->points_count; i++)
        metric->points[i] =
            (struct metric_point){series->points[i].at_us - origin_us, series->points[i].value};
}

static void
copy_texts(struct arena *arena, struct metric *metric)
{
    metric->name = arena_strdup(arena, metric->name);
    metric->instance = arena_strdup(arena, metric->instance);
    metric->unit = arena_strdup(arena, metric->unit);
    metric->missing = arena_strdup(arena, metric->missing);
}

struct metric *
series_take(const struct series_set *set, struct arena *arena, int64_t origin_us, int *count)
{
    struct metric *metrics = arena_array(arena, (size_t)set->count + 1, sizeof *metrics);
    int taken = 0, pointed = 0;

    for (int with_figures = 1; with_figures >= 0; with_figures--) {
        for (int i = 0; i < set->count; i++) {
            const struct series *series = &set->list[i];
            struct metric *metric = &metrics[taken];
            finish(series, metric);
            if ((metric->samples > 0) != with_figures)
                continue;
            taken++;
            copy_texts(arena, metric);
            if (with_figures && pointed < METRICS_POINTED_MAX)
                take_points(series, arena, origin_us, metric);
            pointed += metric->points_count > 0;
        }
    }
    if (set->dropped > 0)
        metrics[taken++] =
            (struct metric){.source = METRIC_SAMPLER,
                            .name = "metrics",
                            .instance = "",
                            .unit = "metrics",
                            .missing = arena_printf(arena, "there are more than %d", METRICS_MAX)};
    *count = taken;
    return metrics;
}
