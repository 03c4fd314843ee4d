/* The warnings, each a function that adds its sentence or does not. */
#include "reports/warnings.h"

#include <stdio.h>
#include <string.h>

#include "common/units.h"

#define WARNINGS_MAX 32
#define CV_MAX       0.05
#define HINTS_MAX    3

struct notes {
    struct analysis *analysis;
    const struct run *run;
    struct arena *arena;
};

static void __attribute__((format(printf, 2, 3))) warn(struct notes *notes, const char *format, ...)
{
    char text[512];
    va_list ap;

    must(notes->analysis->warnings_count < WARNINGS_MAX);
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    notes->analysis->warnings[notes->analysis->warnings_count++] = arena_strdup(notes->arena, text);
}

static const struct analysis_level *
peak_of(const struct notes *notes)
{
    return notes->analysis->peak < 0 ? NULL : &notes->analysis->levels[notes->analysis->peak];
}

static void
unfinished_run(struct notes *notes)
{
    const struct run *run = notes->run;

    if (run->status == STEP_INTERRUPTED)
        warn(notes, "The run was interrupted: %d of %d planned steps are here.", run->steps_count,
             run->steps_planned);
    else if (run->steps_count < run->steps_planned)
        warn(notes, "The run did not reach its end: %d of %d planned steps are here.",
             run->steps_count, run->steps_planned);
    int skipped = 0;
    for (int i = 0; i < run->steps_count; i++)
        skipped += run->steps[i].status == STEP_SKIPPED;
    if (notes->analysis->steps_excluded > skipped)
        warn(notes,
             "%d of %d steps failed or were interrupted; they are listed, and are in no mean.",
             notes->analysis->steps_excluded - skipped, run->steps_count);
}

static void
not_precise(struct notes *notes)
{
    int asked = 0, missed = 0;

    for (int i = 0; i < notes->run->steps_count; i++) {
        const struct step *step = &notes->run->steps[i];
        if (step->status != STEP_COMPLETE || step->precision == 0)
            continue;
        asked++;
        missed += step->precision_reached < 0 || step->precision_reached > step->precision;
    }
    if (missed > 0)
        warn(notes,
             "%d of %d windows ended at their longest, before NOPM was known as precisely as asked "
             "for.",
             missed, asked);
}

static void
void_levels(struct notes *notes)
{
    int fallen = 0;

    for (int i = 0; i < notes->analysis->levels_count; i++)
        fallen += !notes->analysis->levels[i].stands;
    if (fallen > 0)
        warn(notes,
             "%d of %d levels are void (errors, or counts that differ) and cannot be the peak.",
             fallen, notes->analysis->levels_count);
}

static void
connections_lost(struct notes *notes)
{
    int outages = 0, zero_s = 0;

    for (int i = 0; i < notes->run->steps_count; i++) {
        const struct step *step = &notes->run->steps[i];
        outages += step->outages_count;
        for (int k = 0; k < step->outages_count; k++)
            zero_s += step->outages[k].zero_s;
    }
    if (outages > 0)
        warn(notes,
             "Connections were lost in %d outage%s, with %d second%s without a new-order in all; "
             "what ran then has an unknown outcome.",
             outages, outages == 1 ? "" : "s", zero_s, zero_s == 1 ? "" : "s");
}

static void
sessions_left(struct notes *notes)
{
    const struct step *first = NULL;
    int steps = 0;

    for (int i = 0; i < notes->run->steps_count; i++) {
        const struct step *step = &notes->run->steps[i];
        if (step->sessions_left <= 0)
            continue;
        first = first ? first : step;
        steps++;
    }
    if (steps > 0)
        warn(notes,
             "%d step%s left sessions on the server, which work on beside the next ones; the first "
             "is step %d, with process %s.",
             steps, steps == 1 ? "" : "s", first->number, first->sessions_left_named);
}

static void
no_repeats(struct notes *notes)
{
    int single = 0;

    for (int i = 0; i < notes->analysis->levels_count; i++)
        single += notes->analysis->levels[i].runs == 1;
    if (single > 0)
        warn(notes,
             "%s measured once only: there is no interval, and how far a second run would differ "
             "is not known.",
             single == notes->analysis->levels_count ? "Every level was" : "Some levels were");
}

static void
scatter(struct notes *notes)
{
    const struct analysis_level *worst = NULL;

    for (int i = 0; i < notes->analysis->levels_count; i++) {
        const struct analysis_level *level = &notes->analysis->levels[i];
        if (level->nopm_cv > CV_MAX && (!worst || level->nopm_cv > worst->nopm_cv))
            worst = level;
    }
    if (worst)
        warn(notes,
             "Repeats scatter: at %d virtual user%s the coefficient of variation is %.1f %%, over "
             "5 %%. Such scatter is usually a fault of the set-up.",
             worst->virtual_users, worst->virtual_users == 1 ? "" : "s", 100 * worst->nopm_cv);
}

static void
hint(struct notes *notes, const struct analysis_level *level)
{
    const char *s = level->virtual_users == 1 ? "" : "s";

    if (level->clusters > 0)
        warn(notes,
             "At %d virtual user%s the runs fall into two clusters, %d below and %d above: "
             "something "
             "changed between them, and the mean is of neither.",
             level->virtual_users, s, (int)level->clusters, level->runs - (int)level->clusters);
    else
        warn(notes,
             "At %d virtual user%s run %d of %d stands apart from the others (Grubbs, 1 %%); it is "
             "kept in the mean.",
             level->virtual_users, s, level->outlier + 1, level->runs);
}

/* Hints, for chance makes one of a hundred sound levels look so. */
static void
stand_apart(struct notes *notes)
{
    int found = 0;

    for (int i = 0; i < notes->analysis->levels_count; i++) {
        const struct analysis_level *level = &notes->analysis->levels[i];
        if ((level->clusters > 0 || level->outlier >= 0) && found++ < HINTS_MAX)
            hint(notes, level);
    }
    if (found > HINTS_MAX)
        warn(notes, "At %d more levels runs stand apart or fall into two clusters.",
             found - HINTS_MAX);
}

static void
peak_at_the_end(struct notes *notes)
{
    const struct analysis_level *peak = peak_of(notes);

    if (!peak || notes->analysis->levels_count < 2)
        return;
    for (int i = 0; i < notes->analysis->levels_count; i++)
        if (notes->analysis->levels[i].virtual_users > peak->virtual_users)
            return;
    warn(notes,
         "The highest throughput was at the largest load measured (%d virtual user%s): the true "
         "peak may lie beyond.",
         peak->virtual_users, peak->virtual_users == 1 ? "" : "s");
}

static void
peak_not_distinct(struct notes *notes)
{
    const struct analysis_level *peak = peak_of(notes);

    if (!peak || peak->runs < 2)
        return;
    size_t rivals = analysis_headline(notes->analysis, false).rivals;
    if (rivals > 1)
        warn(notes,
             "The peak, at %d virtual users, is not told apart from %zu other level%s: which of "
             "them is "
             "highest is not decided.",
             peak->virtual_users, rivals - 1, rivals == 2 ? "" : "s");
}

static void
beyond_limits(struct notes *notes)
{
    const struct analysis_level *peak = peak_of(notes);

    if (peak && !peak->latency_holds)
        warn(notes, "At the peak the response times break their limits: that throughput is no "
                    "capacity.");
}

static void
collisions(struct notes *notes)
{
    const struct analysis_level *worst = NULL;

    for (int i = 0; i < notes->analysis->levels_count; i++) {
        const struct analysis_level *level = &notes->analysis->levels[i];
        if (level->steps[0]->pacing == 0 && level->virtual_users > level->warehouses &&
            (!worst || level->virtual_users > worst->virtual_users))
            worst = level;
    }
    if (worst)
        warn(notes,
             "More virtual users (up to %d) than warehouses (%d): %.0f %% of them share their home "
             "warehouse and wait for each other's row locks.",
             worst->virtual_users, worst->warehouses,
             100 * analysis_collisions(worst->virtual_users, worst->warehouses));
}

static void
short_windows(struct notes *notes)
{
    int64_t shortest_us = INT64_MAX;

    for (int i = 0; i < notes->analysis->levels_count; i++)
        for (int j = 0; j < notes->analysis->levels[i].runs; j++)
            if (notes->analysis->levels[i].steps[j]->elapsed_us < shortest_us)
                shortest_us = notes->analysis->levels[i].steps[j]->elapsed_us;
    int64_t cycle_s = verdict_checkpoint_cycle_s(notes->run);
    if (notes->analysis->levels_count > 0 && shortest_us < cycle_s * 1000000) {
        char window[UNITS_TEXT_SIZE];
        warn(notes,
             "The window (%s) is shorter than a checkpoint cycle (%lld s): write-back and "
             "full-page images are only partly in it. The standard asks for two hours.",
             units_duration(window, shortest_us), (long long)cycle_s);
    }
}

static void
cut_windows(struct notes *notes)
{
    const struct run *run = notes->run;
    int cut = 0;

    for (int i = 0; i < run->steps_count; i++)
        cut += run->steps[i].cut;
    if (cut > 0)
        warn(notes,
             "%d of %d steps were cut short by a limit on transactions: their windows are shorter "
             "than asked for, each by another amount.",
             cut, run->steps_count);
}

static void
uneven_homes(struct notes *notes)
{
    const struct run *run = notes->run;
    int uneven = 0;

    for (int i = 0; i < run->steps_count; i++)
        uneven += run->steps[i].home_new_orders_most > 0 && !step_homes_even(&run->steps[i]);
    if (uneven > 0)
        warn(notes,
             "In %d of %d steps some home warehouses had more work than others, by more than 10 %% "
             "and than chance: figures per warehouse are means of unlike ones.",
             uneven, run->steps_count);
}

static void
durability_off(struct notes *notes)
{
    static const char damage[] = "this server may lose or damage data that it said was safe";
    static const char *const settings[][2] = {
        {"fsync", damage},
        {"full_page_writes", damage},
        {"synchronous_commit",
         "a crash of this server may take back what it had just said was committed"}};

    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        const char *value = environment_find(&notes->run->environment, "setting", settings[i][0]);
        if (value && strcmp(value, "off") == 0)
            warn(notes, "%s is off: %s.", settings[i][0], settings[i][1]);
    }
}

static void
unlogged_tables(struct notes *notes)
{
    const char *unlogged = environment_find(&notes->run->environment, "database", "unlogged");

    if (unlogged && strcmp(unlogged, "true") == 0)
        warn(notes, "The tables are unlogged: what was committed does not survive a crash, and the "
                    "figures are not comparable with those of logged tables.");
}

static void
same_host(struct notes *notes)
{
    const char *local = environment_find(&notes->run->environment, "server", "local");

    if (local && strcmp(local, "yes") == 0)
        warn(notes, "Driver and server ran on the same machine and took processor time from each "
                    "other.");
}

void
warnings_make(struct analysis *analysis, const struct run *run, struct arena *arena)
{
    static void (*const all[])(struct notes *) = {
        unfinished_run, not_precise,     void_levels,       connections_lost, sessions_left,
        beyond_limits,  durability_off,  unlogged_tables,   no_repeats,       scatter,
        stand_apart,    collisions,      short_windows,     cut_windows,      uneven_homes,
        same_host,      peak_at_the_end, peak_not_distinct,
    };
    struct notes notes = {.analysis = analysis, .run = run, .arena = arena};

    analysis->warnings = arena_array(arena, WARNINGS_MAX, sizeof *analysis->warnings);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        all[i](&notes);
}
