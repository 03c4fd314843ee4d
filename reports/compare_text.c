/* The text of a comparison. Foreign text passes through escape_line. */
#include "reports/compare_forms.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/units.h"
#include "reports/compare_tables.h"
#include "reports/departures.h"
#include "reports/escape.h"
#include "reports/text_parts.h"

void
compare_sentence(const struct compare_ratio *ratio, char letter, struct buf *out)
{
    if (isnan(ratio->ratio)) {
        buf_puts(out, "not available");
        return;
    }
    buf_printf(out, "%.3f", ratio->ratio);
    if (!ratio->interval.valid) {
        buf_puts(out, "; " COMPARE_FEW_RUNS " of a level, so no interval, and nothing is decided");
        return;
    }
    /* Of chosen ones it holds as often as 95 % or more: docs/statistics.md says how often. */
    bool chosen = ratio->base_rivals > 1 || ratio->other_rivals > 1;
    buf_printf(out, " (%s95 %% interval %.3f to %.3f%s): ", chosen ? "at least " : "",
               ratio->interval.low, ratio->interval.high,
               chosen ? ", which allows for the choice of the highest" : "");
    if (ratio->interval.low > 1 || ratio->interval.high < 1)
        buf_printf(out, "%c is %s than A", letter, ratio->words);
    else
        buf_puts(out, "no difference shown");
    if (ratio->detectable > 0)
        buf_printf(out, "; a difference of %.1f %% would have been shown four times in five",
                   100 * ratio->detectable);
    if (ratio->bootstrap.valid)
        buf_printf(out, "; by resampling the interval is %.3f to %.3f", ratio->bootstrap.low,
                   ratio->bootstrap.high);
}

static void
put_sentence(struct buf *out, const char *name, const struct compare_ratio *ratio, char letter,
             int decimals)
{
    struct buf text = {0};

    buf_printf(&text, "%s: ", name);
    if (!isnan(ratio->ratio))
        buf_printf(&text, "%.*f against %.*f, ratio ", decimals, ratio->other, decimals,
                   ratio->base);
    compare_sentence(ratio, letter, &text);
    text_wrap(out, 0, 2, buf_text(&text));
    buf_free(&text);
}

static void
put_list(struct buf *out, const char *const *texts, int count)
{
    for (int i = 0; i < count; i++) {
        buf_puts(out, "- ");
        text_wrap(out, 2, 2, texts[i]);
    }
}

static void
put_level(const struct compare_level *level, struct buf *out)
{
    char base[UNITS_TEXT_SIZE], other[UNITS_TEXT_SIZE];

    buf_printf(out, "%5d %5d %10s %10s %7.3f", level->warehouses, level->virtual_users,
               units_rate(base, level->nopm.base), units_rate(other, level->nopm.other),
               level->nopm.ratio);
    if (level->nopm.interval.valid)
        buf_printf(out, "   %.3f - %.3f", level->nopm.interval.low, level->nopm.interval.high);
    else
        buf_printf(out, " %15s", "-");
    /* The words for a level that was measured once or twice are too long for a line. */
    buf_printf(out, "  %s\n", level->nopm.interval.valid ? level->nopm.words : "too few runs");
}

/* Curve by curve, each under its name where there are several. */
static void
put_levels(const struct comparison *pair, const char *rate, char letter, struct buf *out)
{
    char of_base[16];

    snprintf(of_base, sizeof of_base, "%s of A", strlen(rate) > 4 ? "rate" : rate);
    for (int i = 0; i < pair->levels_count; i++) {
        const struct compare_level *level = &pair->levels[i];
        if (i == 0)
            buf_printf(out, "%5s %5s %10s %10c %7s %15s\n", "wh", "VUs", of_base, letter, "ratio",
                       "95 % interval");
        if (level->title[0] && (i == 0 || strcmp(level->title, level[-1].title) != 0)) {
            escape_line(out, level->title, 80);
            buf_putc(out, '\n');
        }
        put_level(level, out);
    }
}

static void
put_pair(const struct compare *compare, int index, struct arena *arena, struct buf *out)
{
    const struct comparison *pair = &compare->pairs[index];
    const char *rate = compare_rate_name(compare);
    char letter = (char)('A' + index);

    text_heading(out, arena_printf(arena, "%c against A", letter));
    if (!compare_is_comparable(pair)) {
        buf_puts(out, "comparable: FAIL; no ratio is given, because:\n");
        put_list(out, pair->reasons, pair->reasons_count);
    } else
        buf_puts(out, "comparable: PASS\n");
    buf_puts(out, "rule: ");
    text_wrap(out, 6, 6, compare_rule);
    if (!compare_is_comparable(pair))
        return;
    put_sentence(out, "peaks", &pair->peak, letter, 0);
    put_sentence(out, "highest within latency limits", &pair->within_limits, letter, 0);
    if (pair->warnings_count > 0)
        buf_puts(out, "beware:\n");
    put_list(out, pair->warnings, pair->warnings_count);
    buf_putc(out, '\n');
    put_levels(pair, rate, letter, out);
    for (int i = 0; i < COSTS; i++)
        put_sentence(out, compare_cost_titles[i], &pair->costs[i], letter, 1);
    text_wrap(out, 0, 0,
              "(each at its own peak; the log holds whole pages after each checkpoint, so it "
              "depends on how long ago the last one was, and on the load)");
}

static void
put_differences(const struct compare *compare, struct buf *out)
{
    text_heading(out, "What differs");
    if (compare->same_configuration)
        buf_puts(out, "Nothing of what was recorded: the same configuration.\n");
    for (int i = 0; i < compare->differences_count; i++) {
        const struct difference *difference = &compare->differences[i];
        escape_line(out, difference->is_state ? "state" : difference->kind, 12);
        buf_puts(out, ": ");
        escape_line(out, difference->name, 60);
        buf_putc(out, '\n');
        for (int run = 0; run < compare->count; run++) {
            buf_printf(out, "  %c  ", 'A' + run);
            text_wrap(out, 5, 5,
                      difference->values[run] ? difference->values[run] : "not recorded");
        }
    }
}

static void
put_stated(const struct compare *compare, struct buf *out)
{
    text_heading(out, "For a thousand new-orders, by the figures that the user states");
    for (int i = 0; i < compare->count; i++) {
        const struct compare_run *run = &compare->runs[i];
        buf_printf(out, "  %c  ", 'A' + i);
        if (!isnan(compare_money(run)))
            buf_printf(out, "%.6f at %g an hour  ", compare_money(run), run->cost_per_hour);
        if (!isnan(compare_energy(run)))
            buf_printf(out, "%.4f Wh at %g W", compare_energy(run), run->watts);
        buf_putc(out, '\n');
    }
}

void
compare_text(const struct compare *compare, struct buf *out)
{
    struct arena arena = {0};
    const struct table *runs = compare_table_runs(compare, &arena);

    buf_puts(out, "Ordermill comparison; every ratio is over run A\n\n");
    for (int i = 0; i < compare->count; i++) {
        struct buf line = {0};
        buf_printf(&line, "%s, ", compare->runs[i].folder);
        table_cell_text(runs, i, 3, &line);
        buf_puts(&line, ", started ");
        table_cell_text(runs, i, 2, &line);
        if (compare->runs[i].analysis->peak >= 0) {
            buf_puts(&line, ", peak ");
            table_cell_text(runs, i, 8, &line);
            const struct analysis *analysis = compare->runs[i].analysis;
            buf_printf(&line, " %s at ", step_rate_name(analysis->levels[analysis->peak].steps[0]));
            table_cell_text(runs, i, 11, &line);
            buf_puts(&line, " virtual users (");
            table_cell_text(runs, i, 9, &line);
            if (analysis_headline(analysis, false).interval.valid) {
                buf_puts(&line, " to ");
                table_cell_text(runs, i, 10, &line);
            }
            buf_putc(&line, ')');
        }
        buf_printf(out, "%c  ", 'A' + i);
        text_wrap(out, 3, 3, buf_text(&line));
        buf_free(&line);
    }
    for (int i = 1; i < compare->count; i++)
        put_pair(compare, i, &arena, out);
    if (compare_table_stated(compare, &arena)->rows_count > 0)
        put_stated(compare, out);
    put_differences(compare, out);
    buf_putc(out, '\n');
    text_wrap(out, 0, 0, departures_disclaimer);
    arena_free(&arena);
}
