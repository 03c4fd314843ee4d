/* Reads one run at a time and keeps only what a line needs of it. */
#include "reports/list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/fs.h"
#include "common/json.h"
#include "common/units.h"
#include "reports/compare.h"
#include "reports/escape.h"
#include "reports/open.h"
#include "reports/product.h"
#include "reports/text.h"
#include "reports/text_parts.h"

#define LIST_MAX 100000

struct headline {
    double rate; /* TPM where the mix has no new-order */
    struct stats_interval interval;
    int virtual_users;
};

struct entry {
    const char *folder;
    const char *trouble; /* why it cannot be read, or NULL */
    const char *name, *server, *warehouses, *status;
    int64_t started_wall_us;
    bool has_peak, has_limits, has_nopm;
    struct headline peak, within_limits;
    bool same; /* the peak is within the limits */
    int steps;
    enum verdict_outcome verdicts[VERDICTS];
};

static struct headline
headline_of(const struct analysis *analysis, bool within_limits)
{
    const struct analysis_level *level =
        &analysis->levels[within_limits ? analysis->within_limits : analysis->peak];

    return (struct headline){level->nopm_mean, analysis_headline(analysis, within_limits).interval,
                             level->virtual_users};
}

static void
fill(struct entry *entry, const char *path, struct arena *arena)
{
    struct arena own = {0};
    struct run run;
    struct analysis analysis;
    struct err err;

    if (!reports_open(path, &own, &run, &analysis, &err)) {
        entry->trouble = arena_strdup(arena, err.message);
        arena_free(&own);
        return;
    }
    entry->name = arena_strdup(arena, run.name);
    entry->server = product_of(&run, arena);
    if (!entry->server)
        entry->server = "server not recorded";
    entry->warehouses = run.steps_count > 0 ? compare_workload(&run, "warehouses", arena) : "none";
    entry->status = step_status_names[run.status];
    entry->started_wall_us = run.started_wall_us;
    entry->steps = run.steps_count;
    if (analysis.peak >= 0) {
        entry->has_peak = true;
        entry->has_nopm = step_has_nopm(analysis.levels[analysis.peak].steps[0]);
        entry->peak = headline_of(&analysis, false);
    }
    if (analysis.within_limits >= 0) {
        entry->has_limits = true;
        entry->within_limits = headline_of(&analysis, true);
    }
    entry->same = analysis.peak == analysis.within_limits;
    for (int i = 0; i < VERDICTS; i++)
        entry->verdicts[i] = analysis.verdicts[i].outcome;
    arena_free(&own);
}

static int
compare_entries(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;

    if (a->started_wall_us != b->started_wall_us)
        return a->started_wall_us < b->started_wall_us ? -1 : 1;
    return strcmp(a->folder, b->folder);
}

static void
put_verdicts(struct buf *out, const struct entry *entry, enum verdict_outcome outcome)
{
    bool any = false;

    for (int i = 0; i < VERDICTS; i++)
        if (entry->verdicts[i] == outcome) {
            buf_printf(out, "%s%s", any ? ", " : "", verdict_names[i]);
            any = true;
        }
    if (any)
        buf_printf(out, ": %s; ", verdict_outcome_names[outcome]);
}

static void
put_headline(struct buf *out, const struct headline *headline, bool has_nopm)
{
    char rate[UNITS_TEXT_SIZE], low[UNITS_TEXT_SIZE], high[UNITS_TEXT_SIZE];

    buf_printf(out, "%s %s at %d virtual users", units_rate(rate, headline->rate),
               has_nopm ? "NOPM" : "TPM", headline->virtual_users);
    if (headline->interval.valid)
        buf_printf(out, " (%s to %s)", units_count(low, llround(headline->interval.low)),
                   units_count(high, llround(headline->interval.high)));
}

static void
put_headlines(struct buf *out, const struct entry *entry)
{
    if (!entry->has_peak) {
        buf_puts(out, "no valid result");
        return;
    }
    if (entry->has_limits)
        put_headline(out, &entry->within_limits, entry->has_nopm);
    else
        buf_puts(out, "no level within the latency limits");
    if (!entry->same) {
        buf_puts(out, "; peak ");
        put_headline(out, &entry->peak, entry->has_nopm);
    }
}

static void
put_text(const struct entry *entry, struct buf *out)
{
    char text[CLOCK_TEXT_SIZE];
    struct buf line = {0};

    if (entry->trouble) {
        escape_line(out, entry->folder, TEXT_COLUMNS);
        buf_puts(out, "\n  ");
        text_wrap(out, 2, 2, entry->trouble);
        return;
    }
    buf_printf(out, "%s  ", clock_iso(text, entry->started_wall_us));
    escape_line(out, entry->folder, TEXT_COLUMNS - 22);
    buf_printf(&line, "%s; warehouses %s; %d step%s; %s: ", entry->server, entry->warehouses,
               entry->steps, entry->steps == 1 ? "" : "s", entry->status);
    put_headlines(&line, entry);
    buf_puts(out, "\n  ");
    text_wrap(out, 2, 2, buf_text(&line));
    buf_clear(&line);
    put_verdicts(&line, entry, VERDICT_FAIL);
    put_verdicts(&line, entry, VERDICT_NOT_TESTED);
    put_verdicts(&line, entry, VERDICT_PASS);
    must(line.length > 2);
    line.data[line.length - 2] = '\0';
    buf_puts(out, "  ");
    text_wrap(out, 2, 2, buf_text(&line));
    buf_free(&line);
}

/* NULL: there is none. */
static void
put_nopm(struct json *json, const char *key, const char *interval_key, const struct headline *of)
{
    bool known = of && of->interval.valid;

    json_real(json, key, of ? of->rate : NAN, 1);
    json_array(json, interval_key);
    json_real(json, NULL, known ? of->interval.low : NAN, 1);
    json_real(json, NULL, known ? of->interval.high : NAN, 1);
    json_array_end(json);
}

static void
put_json(const struct entry *entry, struct json *json)
{
    bool limits = entry->has_nopm && entry->has_limits;
    char started[CLOCK_TEXT_SIZE];

    json_object(json, NULL);
    json_string(json, "folder", entry->folder);
    json_string(json, "trouble", entry->trouble);
    if (!entry->trouble) {
        json_string(json, "name", entry->name);
        json_string(json, "started_at", clock_iso(started, entry->started_wall_us));
        json_string(json, "server", entry->server);
        json_string(json, "warehouses", entry->warehouses);
        json_int(json, "steps", entry->steps);
        json_string(json, "status", entry->status);
        put_nopm(json, "peak_nopm", "peak_nopm_ci95", entry->has_nopm ? &entry->peak : NULL);
        json_real(json, "peak_tpm", entry->has_peak && !entry->has_nopm ? entry->peak.rate : NAN,
                  1);
        json_int(json, "peak_virtual_users", entry->peak.virtual_users);
        put_nopm(json, "limits_nopm", "limits_nopm_ci95", limits ? &entry->within_limits : NULL);
        json_int(json, "limits_virtual_users", entry->within_limits.virtual_users);
        json_object(json, "verdicts");
        for (int i = 0; i < VERDICTS; i++)
            json_string(json, verdict_names[i], verdict_outcome_names[entry->verdicts[i]]);
        json_object_end(json);
    }
    json_object_end(json);
}

bool
list_runs(const char *folder, bool json, struct buf *out, struct err *err)
{
    struct arena arena = {0};
    const char **names = NULL;
    int count = 0, kept = 0;

    if (!fs_list(&arena, folder, LIST_MAX, &names, &count, err)) {
        arena_free(&arena);
        return false;
    }
    struct entry *entries = arena_array(&arena, (size_t)count + 1, sizeof *entries);
    for (int i = 0; i < count; i++) {
        const char *path = fs_join(&arena, folder, names[i]);
        if (!fs_exists(fs_join(&arena, path, "run.sqlite")))
            continue;
        entries[kept].folder = path;
        fill(&entries[kept++], path, &arena);
    }
    qsort(entries, (size_t)kept, sizeof *entries, compare_entries);
    if (json) {
        struct json document;
        json_begin(&document, out);
        json_object(&document, NULL);
        json_array(&document, "runs");
        for (int i = 0; i < kept; i++)
            put_json(&entries[i], &document);
        json_array_end(&document);
        json_object_end(&document);
        json_end(&document);
    } else {
        for (int i = 0; i < kept; i++)
            put_text(&entries[i], out);
        if (kept == 0)
            buf_puts(out, "no run there\n");
    }
    arena_free(&arena);
    return true;
}
