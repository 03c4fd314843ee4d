/* Owns the layout of report.txt. Foreign text passes through escape_line. */
#include "reports/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "common/load_text.h"
#include "common/percentile.h"
#include "common/units.h"
#include "reports/again.h"
#include "reports/departures.h"
#include "reports/escape.h"
#include "reports/fits.h"
#include "reports/text_parts.h"

#define BAR_COLUMNS 44

/* How it was loaded, and the efficiency where the pace was the standard's. */
static void
put_load(const struct analysis_level *level, struct buf *out)
{
    struct buf load = {0};

    load_text(&load, level->steps[0]);
    text_wrap(out, 0, 2, buf_text(&load));
    buf_clear(&load);
    call_text(&load, level->steps[0]);
    text_wrap(out, 0, 2, buf_text(&load));
    if (step_efficiency(level->steps[0]) >= 0)
        buf_printf(out, "efficiency %.1f %% of the %.2f NOPM for each warehouse at that pace\n",
                   100 * level->nopm_mean / (NOPM_PER_WAREHOUSE * level->warehouses),
                   NOPM_PER_WAREHOUSE);
    buf_clear(&load);
    load_homes_text(&load, level->steps[0]);
    if (load.length > 0) {
        buf_puts(out, "home warehouses: ");
        text_wrap(out, 17, 2, buf_text(&load));
    }
    buf_free(&load);
}

/* One headline in a line, and its interval below. */
static void
put_headline(const struct analysis *analysis, bool within_limits, struct buf *out)
{
    const struct analysis_level *level =
        &analysis->levels[within_limits ? analysis->within_limits : analysis->peak];
    char rate[UNITS_TEXT_SIZE];
    struct buf interval = {0};

    buf_printf(out, "%s %s at %d virtual user%s on %d warehouse%s (%s)\n",
               units_rate(rate, level->nopm_mean), step_rate_name(level->steps[0]),
               level->virtual_users, level->virtual_users == 1 ? "" : "s", level->warehouses,
               level->warehouses == 1 ? "" : "s", steady_names[level->steady]);
    analysis_headline_text(analysis, within_limits, &interval);
    text_wrap(out, 0, 2, buf_text(&interval));
    buf_free(&interval);
}

/* Which of the two headlines comes first, and the other. */
static void
put_headlines(const struct analysis *analysis, struct buf *out)
{
    const struct analysis_level *peak = &analysis->levels[analysis->peak], *first = peak;
    char p95[UNITS_TEXT_SIZE], tpm[UNITS_TEXT_SIZE];

    if (analysis->within_limits >= 0)
        first = &analysis->levels[analysis->within_limits];
    put_headline(analysis, analysis->within_limits >= 0, out);
    if (analysis_rivals(analysis, first) > 1) {
        buf_printf(out, "the highest of %d curves: ", analysis_rivals(analysis, first));
        escape_line(out, analysis->curves[first->curve].title, TEXT_COLUMNS - 30);
        buf_puts(out, "\n");
    }
    enum txn_type type = step_main_type(first->steps[0]);
    buf_printf(out, "%s response p95 %s, %s TPM\n", txn_titles[type],
               units_duration(p95, hist_percentile_us(&first->transactions[type].response, 0.95)),
               units_rate(tpm, first->tpm_mean));
    put_load(first, out);
    if (analysis->within_limits < 0)
        buf_puts(out, "this is the peak, whatever the response times: no level is within the "
                      "latency\n  limits\n");
    else if (first != peak) {
        buf_puts(out, "this is the highest within every latency limit; the peak, whatever the "
                      "response\n  times: ");
        put_headline(analysis, false, out);
    }
}

static void
put_top(const struct run *run, const struct analysis *analysis, struct buf *out)
{
    char started[CLOCK_TEXT_SIZE];

    buf_puts(out, "Ordermill report: ");
    escape_line(out, run->name, TEXT_COLUMNS - 18);
    buf_printf(out, "\nstarted %s, kit ", clock_iso(started, run->started_wall_us));
    escape_line(out, run->kit_version, 40);
    buf_puts(out, "\n\n");
    if (analysis->peak < 0)
        buf_puts(out, "No valid result: no level was measured without errors and with counts that\n"
                      "agree.\n");
    else
        put_headlines(analysis, out);
}

static void
put_verdicts(const struct analysis *analysis, struct buf *out)
{
    text_heading(out, "Verdicts");
    for (int i = 0; i < VERDICTS; i++) {
        const struct verdict *verdict = &analysis->verdicts[i];
        buf_printf(out, "%-12s %-11s", verdict_names[i], verdict_outcome_names[verdict->outcome]);
        text_wrap(out, 24, 24, verdict->figure);
    }
}

/* What each verdict is held against. */
static void
put_rules(const struct analysis *analysis, struct buf *out)
{
    text_heading(out, "The rules of the verdicts");
    for (int i = 0; i < VERDICTS; i++) {
        buf_printf(out, "%-13s", verdict_names[i]);
        text_wrap(out, 13, 13, analysis->verdicts[i].rule);
    }
}

static void
put_warnings(const struct analysis *analysis, struct buf *out)
{
    if (analysis->warnings_count == 0)
        return;
    text_heading(out, "Warnings");
    for (int i = 0; i < analysis->warnings_count; i++) {
        buf_puts(out, "- ");
        text_wrap(out, 2, 2, analysis->warnings[i]);
    }
}

static void
put_level(const struct analysis_level *level, struct buf *out)
{
    const struct hist *response = &level->transactions[step_main_type(level->steps[0])].response;
    char nopm[UNITS_TEXT_SIZE], low[UNITS_TEXT_SIZE], high[UNITS_TEXT_SIZE];
    char p50[UNITS_TEXT_SIZE], p95[UNITS_TEXT_SIZE], p99[UNITS_TEXT_SIZE];
    char interval[2 * UNITS_TEXT_SIZE] = "-";

    if (level->nopm_interval.valid)
        snprintf(interval, sizeof interval, "%s-%s",
                 units_count(low, llround(level->nopm_interval.low)),
                 units_count(high, llround(level->nopm_interval.high)));
    buf_printf(out, "%5d %4d %11s %19s %10s %7s %7s %7s\n", level->virtual_users, level->runs,
               units_rate(nopm, level->nopm_mean), interval, steady_names[level->steady],
               units_duration(p50, hist_percentile_us(response, 0.50)),
               units_duration(p95, hist_percentile_us(response, 0.95)),
               units_duration(p99, hist_percentile_us(response, 0.99)));
}

/* The type whose response times stand beside the levels. */
static const char *
main_title(const struct analysis *analysis)
{
    enum txn_type first = TXN_NEW_ORDER;

    for (int i = 0; i < analysis->levels_count; i++) {
        enum txn_type type = step_main_type(analysis->levels[i].steps[0]);
        if (i > 0 && type != first)
            return "New-Order, or of the probe";
        first = type;
    }
    return txn_titles[first];
}

static void
put_levels(const struct analysis *analysis, struct buf *out)
{
    text_heading(out, "Performance profile");
    for (int i = 0; i < analysis->levels_count; i++) {
        const struct analysis_level *level = &analysis->levels[i];
        if (i == 0 || level->curve != level[-1].curve) {
            buf_puts(out, i ? "\n" : "");
            escape_line(out, analysis->curves[level->curve].title, TEXT_COLUMNS);
            buf_printf(out, "\n%5s %4s %11s %19s %10s %7s %7s %7s\n", "VUs", "runs",
                       step_rate_name(level->steps[0]), "95 % interval", "steady?", "p50", "p95",
                       "p99");
        }
        put_level(level, out);
    }
    struct buf note = {0};
    buf_printf(&note, "p50 to p99: response of %s, pooled over the runs of a level",
               main_title(analysis));
    text_wrap(out, 0, 2, buf_text(&note));
    buf_free(&note);
}

/* Of the levels that are measured by the same rate as this one. */
static double
highest_mean(const struct analysis *analysis, const struct analysis_level *like)
{
    double most = 0;

    for (int i = 0; i < analysis->levels_count; i++)
        if (step_has_nopm(analysis->levels[i].steps[0]) == step_has_nopm(like->steps[0]))
            most = fmax(most, analysis->levels[i].nopm_mean);
    return most;
}

static void
put_bars(const struct analysis *analysis, struct buf *out)
{
    for (int i = 0; i < analysis->levels_count; i++) {
        const struct analysis_level *level = &analysis->levels[i];
        char nopm[UNITS_TEXT_SIZE];
        double most = highest_mean(analysis, level);
        int columns = most > 0 ? (int)lround(BAR_COLUMNS * level->nopm_mean / most) : 0;

        if (i == 0 || level->curve != level[-1].curve) {
            buf_puts(out, "\n");
            if (analysis->curves_count > 1) {
                escape_line(out, analysis->curves[level->curve].title, TEXT_COLUMNS);
                buf_puts(out, "\n");
            }
            buf_printf(out, "  VUs %s\n", step_rate_name(level->steps[0]));
        }

        buf_printf(out, "%5d |", level->virtual_users);
        for (int column = 0; column < columns; column++)
            buf_putc(out, '#');
        buf_printf(out, " %s%s%s\n", units_rate(nopm, level->nopm_mean),
                   i == analysis->peak ? "  peak" : "", level->stands ? "" : "  void");
    }
}

static void
put_usl(const struct analysis *analysis, struct buf *out)
{
    if (analysis->levels_count < 2)
        return;
    for (int i = 0; i < analysis->curves_count; i++) {
        const struct stats_usl *usl = &analysis->curves[i].usl;
        const char *rate = step_rate_name(analysis->levels[analysis->curves[i].first].steps[0]);
        struct buf text = {0};
        if (analysis->curves_count > 1)
            buf_printf(&text, "%s: ", analysis->curves[i].title);
        if (usl->claimed)
            buf_printf(&text,
                       "Scalability law: peak at %.0f virtual users (95 %% interval %.1f to %.1f), "
                       "%.0f %s (%.0f to %.0f); sigma %.4f +- %.2g, kappa %.3g +- %.2g; "
                       "residuals %.1f %%.%s",
                       usl->n_star, usl->n_star_interval.low, usl->n_star_interval.high,
                       usl->x_star, rate, usl->x_star_interval.low, usl->x_star_interval.high,
                       usl->sigma, usl->sigma_se, usl->kappa, usl->kappa_se,
                       100 * usl->residual_rms, fits_bounds(usl));
        else
            buf_printf(&text, "Scalability law: no peak claimed: %s.", usl->reason);
        buf_putc(out, '\n');
        text_wrap(out, 0, 0, buf_text(&text));
        buf_clear(&text);
        fits_text(&analysis->curves[i], &text);
        if (text.length > 0)
            text_wrap(out, 0, 0, buf_text(&text));
        buf_free(&text);
    }
}

/* With how much certainty the count of responses gives their percentiles. */
static void
put_percentile_limits(const struct analysis_level *level, struct buf *out)
{
    enum txn_type type = step_main_type(level->steps[0]);
    static const double fractions[] = {0.50, 0.95, 0.99};
    struct buf text = {0};

    buf_printf(&text, "95 %% limits of %s:", txn_titles[type]);
    for (int i = 0; i < 3; i++) {
        struct percentile found = percentile_of(&level->transactions[type].response, fractions[i]);
        char low[UNITS_TEXT_SIZE], high[UNITS_TEXT_SIZE];
        buf_printf(&text, "%s p%.0f ", i ? "," : "", 100 * fractions[i]);
        if (found.low_us < 0 || found.high_us < 0)
            buf_puts(&text, "not known");
        else
            buf_printf(&text, "%s to %s", units_duration(low, found.low_us),
                       units_duration(high, found.high_us));
    }
    text_wrap(out, 0, 2, buf_text(&text));
    buf_free(&text);
}

static void
put_latency(const struct analysis *analysis, struct buf *out)
{
    if (analysis->peak < 0)
        return;
    const struct analysis_level *peak = &analysis->levels[analysis->peak];
    text_heading(out, "Response times at the peak");
    buf_printf(out, "%-13s %11s %8s %8s %8s %8s %8s %7s\n", "", "count", "mean", "p90", "p95",
               "p99", "max", "limit");
    for (int type = 0; type < TXN_TYPES; type++) {
        const struct hist *response = &peak->transactions[type].response;
        char count[UNITS_TEXT_SIZE], texts[6][UNITS_TEXT_SIZE];
        if (response->count == 0)
            continue;
        buf_printf(out, "%-13s %11s %8s %8s %8s %8s %8s %7s\n", txn_titles[type],
                   units_count(count, (int64_t)response->count),
                   units_duration(texts[0], llround(hist_mean_us(response))),
                   units_duration(texts[1], hist_percentile_us(response, 0.90)),
                   units_duration(texts[2], hist_percentile_us(response, 0.95)),
                   units_duration(texts[3], hist_percentile_us(response, 0.99)),
                   units_duration(texts[4], response->max_us),
                   step_limit_us(peak->steps[0], type) > 0
                       ? units_exact_duration(texts[5], step_limit_us(peak->steps[0], type))
                       : "-");
    }
    put_percentile_limits(peak, out);
}

static void
put_excluded(const struct run *run, struct buf *out)
{
    bool any = false;

    for (int i = 0; i < run->steps_count; i++) {
        const struct step *step = &run->steps[i];
        char line[512];
        if (step->status == STEP_COMPLETE)
            continue;
        if (!any)
            text_heading(out, "Steps in no mean");
        any = true;
        snprintf(line, sizeof line, "step %d (%s%s%d VUs, repeat %d) %s: %s", step->number,
                 step->curve_name ? step->curve_name : "",
                 step->curve_name && step->curve_name[0] ? ", " : "", step->virtual_users,
                 step->repeat, step_status_names[step->status], step->reason);
        text_wrap(out, 0, 2, line);
    }
}

static void
put_environment(const struct run *run, struct buf *out)
{
    static const char *const groups[][2] = {{"server", "Server"},
                                            {"database", "Database"},
                                            {"client", "Client"},
                                            {"kit", "Kit"},
                                            {"setting", "Server settings"}};

    for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++) {
        bool any = false;
        for (int i = 0; i < run->environment.count; i++) {
            const struct fact *fact = &run->environment.facts[i];
            if (strcmp(fact->group, groups[g][0]) != 0)
                continue;
            if (!any)
                text_heading(out, groups[g][1]);
            any = true;
            size_t columns = escape_columns(fact->name);
            escape_line(out, fact->name, 34);
            buf_printf(out, "%*s", columns < 36 ? (int)(36 - columns) : 1, "");
            text_wrap(out, columns < 36 ? 36 : 35, 36, fact->value);
        }
    }
}

static void
put_departures(const struct run *run, struct buf *out)
{
    text_heading(out, "Departures from the standard");
    text_wrap(out, 0, 0, departures_disclaimer);
    buf_putc(out, '\n');
    for (size_t i = 0; i < departures_count; i++) {
        if (!departure_holds(&departures[i], run))
            continue;
        buf_printf(out, "- %s: ", departures[i].clauses);
        text_wrap(out, 4 + strlen(departures[i].clauses), 2, departures[i].what);
    }
}

void
text_report(const struct run *run, const struct analysis *analysis, struct buf *out)
{
    put_top(run, analysis, out);
    put_verdicts(analysis, out);
    put_warnings(analysis, out);
    put_rules(analysis, out);
    put_levels(analysis, out);
    put_bars(analysis, out);
    put_usl(analysis, out);
    put_latency(analysis, out);
    text_metrics(run, out);
    put_excluded(run, out);
    text_course(run, out);
    text_findings(run, out);
    put_environment(run, out);
    text_heading(out, "How to run it again");
    again_commands(run, out);
    put_departures(run, out);
}
