/* The sections of report.html that show what was measured. */
#include "reports/html_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "common/units.h"
#include "reports/charts.h"
#include "reports/escape.h"

#define ERROR_SUMS_MAX 64
#define COLUMNS(array) (array), sizeof(array) / sizeof(array)[0]

typedef bool chart_fn(const struct analysis *, const struct analysis_curve *, struct buf *,
                      struct err *);

/* A chart, or the reason why there is none: said once, at the first. */
static void
put_chart(struct html *html, const char *caption, bool drawn, const struct buf *svg, bool scroll)
{
    if (drawn) {
        buf_puts(html->out, "<figure><figcaption>");
        buf_puts(html->out, caption);
        buf_printf(html->out, "</figcaption><div%s>\n%s</div></figure>\n",
                   scroll ? " class=\"scroll-chart\"" : "", buf_text(svg));
    }
}

static void
chart_missing(struct html *html, const struct err *err)
{
    if (html->missing->code != ERR_NONE)
        return;
    *html->missing = *err;
    buf_puts(html->out, "<p class=\"note missing\">No chart: ");
    escape_html(html->out, err->message);
    if (err->hint[0]) {
        buf_puts(html->out, "; ");
        escape_html(html->out, err->hint);
    }
    buf_puts(html->out, ".</p>\n");
}

static void
curve_title(struct html *html, const struct analysis_curve *curve)
{
    if (html->analysis->curves_count == 1)
        return;
    buf_puts(html->out, "<h3>");
    escape_html(html->out, curve->title);
    buf_puts(html->out, "</h3>\n");
}

static void
put_charts(struct html *html, chart_fn *draw, const char *caption)
{
    for (int i = 0; i < html->analysis->curves_count; i++) {
        const struct analysis_curve *curve = &html->analysis->curves[i];
        struct buf svg = {0};
        struct err err;

        curve_title(html, curve);
        bool drawn = draw(html->analysis, curve, &svg, &err);
        put_chart(html, caption, drawn, &svg, true);
        if (!drawn)
            chart_missing(html, &err);
        buf_free(&svg);
    }
}

static void
put_usl(struct html *html, const struct analysis_curve *curve)
{
    const struct stats_usl *usl = &curve->usl;
    char nopm[UNITS_TEXT_SIZE];

    if (curve->count < 2)
        return;
    buf_puts(html->out, "<p>");
    if (usl->fitted)
        buf_printf(html->out,
                   "Universal Scalability Law: &#955; %.1f &#177; %.1f, &#963; %.5f &#177; %.5f, "
                   "&#954; %.3g &#177; %.2g (standard errors), fitted up to %.0f virtual users. ",
                   usl->lambda, usl->lambda_se, usl->sigma, usl->sigma_se, usl->kappa,
                   usl->kappa_se, curve->usl_most);
    if (usl->claimed)
        buf_printf(html->out, "It puts the peak at %.0f virtual users, %s NOPM.</p>\n", usl->n_star,
                   units_count(nopm, llround(stats_usl_value(usl, usl->n_star))));
    else
        buf_printf(html->out, "The scalability law claims no peak: %s.</p>\n", usl->reason);
}

static void
level_row(struct html *html, int index)
{
    const struct analysis_level *level = &html->analysis->levels[index];
    const struct hist *response = &level->transactions[TXN_NEW_ORDER].response;
    char low[UNITS_TEXT_SIZE], high[UNITS_TEXT_SIZE];

    html_row(html, !level->stands ? "void" : index == html->analysis->peak ? "best" : NULL);
    html_cell(html, "%d", level->virtual_users);
    html_cell(html, "%d", level->runs);
    html_count(html, (int64_t)level->nopm_mean);
    if (level->nopm_interval.valid)
        html_cell(html, "%s&#8201;&#8211;&#8201;%s",
                  units_count(low, llround(level->nopm_interval.low)),
                  units_count(high, llround(level->nopm_interval.high)));
    else
        html_cell(html, "one run");
    html_cell(html, level->runs > 1 ? "%.1f&#8201;%%" : "&#8211;", 100 * level->nopm_cv);
    html_count(html, (int64_t)level->tpm_mean);
    html_duration(html, hist_percentile_us(response, 0.50));
    html_duration(html, hist_percentile_us(response, 0.90));
    html_duration(html, hist_percentile_us(response, 0.95));
    html_duration(html, hist_percentile_us(response, 0.99));
    html_count(html, (int64_t)(analysis_outcomes(level, OUTCOME_FAILED) +
                               analysis_outcomes(level, OUTCOME_LOST)));
    html_cell(html, "%.0f&#8201;%%", 100 * level->client_cpu);
    html_row_end(html);
}

void
html_levels(struct html *html)
{
    static const struct column columns[] = {{"virtual users", false},
                                            {"runs", false},
                                            {"NOPM, mean", false},
                                            {"95&#160;% interval", false},
                                            {"CV", false},
                                            {"TPM", false},
                                            {"p50", false},
                                            {"p90", false},
                                            {"p95", false},
                                            {"p99", false},
                                            {"errors", false},
                                            {"driver CPU", false}};
    const struct analysis *analysis = html->analysis;

    html_heading(html, "profile", "Performance profile", NULL);
    put_charts(html, charts_curve, "New-orders per minute against virtual users.");
    for (int k = 0; k < analysis->curves_count; k++) {
        const struct analysis_curve *curve = &analysis->curves[k];
        curve_title(html, curve);
        put_usl(html, curve);
        html_table(html,
                   "Each level: mean of its runs, Student&#8217;s t interval over runs, "
                   "response times of New-Order pooled over its runs.",
                   COLUMNS(columns));
        for (int i = curve->first; i < curve->first + curve->count; i++)
            level_row(html, i);
        html_table_end(html);
    }
}

static void
latency_rows(struct html *html, const struct analysis_level *level)
{
    bool first = true;

    for (int type = 0; type < TXN_TYPES; type++) {
        const struct txn_stats *stats = &level->transactions[type];
        const struct hist *response = &stats->response;
        if (response->count == 0)
            continue;
        html_row(html, first ? "first" : NULL);
        first = false;
        html_cell(html, "%d", level->virtual_users);
        html_word(html, txn_titles[type]);
        html_count(html, (int64_t)response->count);
        html_duration(html, llround(hist_mean_us(response)));
        html_duration(html, hist_percentile_us(response, 0.50));
        html_duration(html, hist_percentile_us(response, 0.90));
        html_duration(html, hist_percentile_us(response, 0.95));
        html_duration(html, hist_percentile_us(response, 0.99));
        html_duration(html, hist_percentile_us(response, 0.999));
        html_duration(html, response->max_us);
        html_duration(html, hist_percentile_us(&stats->service, 0.95));
        html_cell(html, "p%g %g s", 100 * step_limit_share(level->steps[0], type),
                  (double)step_limit_us(level->steps[0], type) / 1e6);
        html_outcome(html, response->count < VERDICT_LATENCY_COUNT_MIN ? VERDICT_NOT_TESTED
                           : verdict_latency_holds(level->steps[0], type, response) ? VERDICT_PASS
                                                                                    : VERDICT_FAIL);
        html_row_end(html);
    }
}

void
html_latency(struct html *html)
{
    static const struct column columns[] = {
        {"virtual users", false}, {"transaction", true}, {"count", false},       {"mean", false},
        {"p50", false},           {"p90", false},        {"p95", false},         {"p99", false},
        {"p99.9", false},         {"max", false},        {"service p95", false}, {"limit", false},
        {"verdict", true}};

    html_heading(html, "latency", "Response times",
                 "From the moment a transaction was ready to the last byte of its answer, retries "
                 "included. Percentiles come from pooled histograms (error below 1&#160;%), never "
                 "from averages of percentiles.");
    put_charts(html, charts_latency,
               "Percentiles of the New-Order response against virtual users.");
    for (int k = 0; k < html->analysis->curves_count; k++) {
        const struct analysis_curve *curve = &html->analysis->curves[k];
        curve_title(html, curve);
        html_table(html, NULL, COLUMNS(columns));
        for (int i = curve->first; i < curve->first + curve->count; i++)
            latency_rows(html, &html->analysis->levels[i]);
        html_table_end(html);
    }
}

void
html_time(struct html *html)
{
    html_heading(html, "time", "Throughput over time",
                 "New-orders per minute, second by second, each run a line. The shaded part is the "
                 "ramp-up, which is not measured; its clock starts when the last virtual user "
                 "runs.");
    buf_puts(html->out, "<div class=\"grid\">\n");
    for (int i = 0; i < html->analysis->levels_count; i++) {
        const struct analysis_level *level = &html->analysis->levels[i];
        struct buf svg = {0};
        struct err err;
        struct buf caption = {0};

        buf_printf(&caption, "%d virtual user%s, ", level->virtual_users,
                   level->virtual_users == 1 ? "" : "s");
        escape_html(&caption, html->analysis->curves[level->curve].title);
        bool drawn = charts_time(html->analysis, i, &svg, &err);
        put_chart(html, buf_text(&caption), drawn, &svg, false);
        buf_free(&caption);
        if (!drawn)
            chart_missing(html, &err);
        buf_free(&svg);
    }
    buf_puts(html->out, "</div>\n");
}

/* One SQLSTATE with one message, over all steps. */
struct error_sum {
    const struct error_count *error;
    uint64_t count;
    int steps;
};

static int
sum_errors(const struct run *run, struct error_sum sums[ERROR_SUMS_MAX])
{
    int count = 0;

    for (int i = 0; i < run->steps_count; i++)
        for (int j = 0; j < run->steps[i].errors_count; j++) {
            const struct error_count *error = &run->steps[i].errors[j];
            int at = 0;
            while (at < count && (strcmp(sums[at].error->sqlstate, error->sqlstate) != 0 ||
                                  strcmp(sums[at].error->message, error->message) != 0))
                at++;
            if (at == ERROR_SUMS_MAX)
                continue;
            if (at == count)
                sums[count++] = (struct error_sum){.error = error};
            sums[at].count += error->count;
            sums[at].steps++;
        }
    return count;
}

static void
error_messages(struct html *html)
{
    static const struct column columns[] = {
        {"SQLSTATE", true}, {"count", false}, {"steps", false}, {"message", true}};
    struct error_sum sums[ERROR_SUMS_MAX];
    int count = sum_errors(html->run, sums);

    if (count == 0) {
        buf_puts(html->out, "<p>The server reported no error at all.</p>\n");
        return;
    }
    html_table(html, "Every SQLSTATE seen over all steps, those that a retry cured included.",
               COLUMNS(columns));
    for (int i = 0; i < count; i++) {
        html_row(html, NULL);
        html_word(html, sums[i].error->sqlstate);
        html_count(html, (int64_t)sums[i].count);
        html_cell(html, "%d", sums[i].steps);
        html_text(html, sums[i].error->message);
        html_row_end(html);
    }
    html_table_end(html);
}

static void
outage_row(struct html *html, const struct step *step, const struct outage *outage)
{
    html_row(html, NULL);
    html_cell(html, "%d", step->number);
    html_cell(html, "%d", step->virtual_users);
    html_cell(html, "%.1f&#8201;s", (double)outage->start_us / 1e6);
    if (outage->end_us == OUTAGE_OPEN)
        html_cell(html, "not over");
    else
        html_cell(html, "%.1f&#8201;s", (double)outage->end_us / 1e6);
    html_cell(html, "%d", outage->losses);
    html_cell(html, "%d&#8201;s", outage->zero_s);
    if (outage->recovery_us == OUTAGE_NOT_SEEN)
        html_cell(html, "not seen");
    else
        html_cell(html, "%.1f&#8201;s", (double)outage->recovery_us / 1e6);
    html_row_end(html);
}

static void
outages(struct html *html)
{
    static const struct column columns[] = {{"step", false},
                                            {"virtual users", false},
                                            {"from", false},
                                            {"to", false},
                                            {"connections lost", false},
                                            {"without a new-order", false},
                                            {"back at 95&#160;% after", false}};
    bool any = false;

    for (int i = 0; i < html->run->steps_count; i++) {
        const struct step *step = &html->run->steps[i];
        for (int k = 0; k < step->outages_count; k++) {
            if (!any)
                html_table(html,
                           "Outages, from the first connection lost until all are back, counted "
                           "from the moment when the last virtual user ran.",
                           COLUMNS(columns));
            any = true;
            outage_row(html, step, &step->outages[k]);
        }
    }
    if (any)
        html_table_end(html);
}

static void
error_row(struct html *html, const struct analysis_level *level)
{
    int64_t unfinished = 0, users_lost = 0;

    for (int i = 0; i < level->runs; i++) {
        unfinished += (int64_t)level->steps[i]->unfinished;
        users_lost += level->steps[i]->virtual_users_lost;
    }
    html_row(html, NULL);
    html_cell(html, "%d", level->virtual_users);
    for (int outcome = 0; outcome < OUTCOMES; outcome++)
        html_count(html, (int64_t)analysis_outcomes(level, outcome));
    html_count(html, (int64_t)analysis_retries(level));
    html_count(html, unfinished);
    html_count(html, users_lost);
    html_row_end(html);
}

void
html_errors(struct html *html)
{
    static const struct column columns[] = {{"virtual users", false},
                                            {"committed", false},
                                            {"rolled back as intended", false},
                                            {"failed", false},
                                            {"lost", false},
                                            {"retries", false},
                                            {"running when the window closed", false},
                                            {"virtual users lost", false}};

    html_heading(html, "errors", "Errors and retries",
                 "Every transaction ends as exactly one of: committed, rolled back as intended "
                 "(1&#160;% of New-Order), failed, or lost (the connection went, the outcome is "
                 "unknown). A retry keeps its input and its start.");
    for (int k = 0; k < html->analysis->curves_count; k++) {
        const struct analysis_curve *curve = &html->analysis->curves[k];
        curve_title(html, curve);
        html_table(html, NULL, COLUMNS(columns));
        for (int i = curve->first; i < curve->first + curve->count; i++)
            error_row(html, &html->analysis->levels[i]);
        html_table_end(html);
    }
    outages(html);
    error_messages(html);
}

static void
step_row(struct html *html, const struct step *step)
{
    char started[CLOCK_TEXT_SIZE];

    bool equal = true;
    for (int i = 0; i < GROWTHS; i++)
        equal = equal && step_growth_agrees(step, i);

    html_row(html, step->status == STEP_COMPLETE && equal ? NULL : "void");
    html_cell(html, "%d", step->number);
    if (html->analysis->curves_count > 1)
        html_word(html, step->curve_name);
    html_cell(html, "%d", step->virtual_users);
    html_cell(html, "%d", step->repeat);
    html_word(html, clock_iso(started, step->started_wall_us));
    html_duration(html, step->ramp_up_us);
    html_cell(html, "%.3f s", (double)step->elapsed_us / 1e6);
    html_count(html, (int64_t)step_nopm(step));
    html_count(html, (int64_t)step_tpm(step));
    html_count(html, step->counted[GROWTH_NEW_ORDERS]);
    if (step->grown[GROWTH_NEW_ORDERS] >= 0)
        html_count(html, step->grown[GROWTH_NEW_ORDERS]);
    else
        html_cell(html, "not known");
    buf_puts(html->out, "<td class=\"l\">");
    buf_puts(html->out, step_status_names[step->status]);
    if (step->reason[0]) {
        buf_puts(html->out, ": ");
        escape_html(html->out, step->reason);
    }
    buf_puts(html->out, "</td>");
    html_row_end(html);
}

void
html_steps(struct html *html)
{
    static const struct column columns[] = {{"step", false},
                                            {"curve", true},
                                            {"virtual users", false},
                                            {"repeat", false},
                                            {"started", true},
                                            {"ramp-up", false},
                                            {"window", false},
                                            {"NOPM", false},
                                            {"TPM", false},
                                            {"new-orders, driver", false},
                                            {"new-orders, database", false},
                                            {"status", true}};

    html_heading(html, "steps", "Every step",
                 "In the order in which they ran. New-orders are counted from a step&#8217;s very "
                 "first transaction: by the driver as committed, by the database as growth of its "
                 "order counters. The two must be equal, and so must what the verdict on "
                 "consistency covers besides.");
    struct column shown[sizeof columns / sizeof *columns];
    size_t count = 0;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (i != 1 || html->analysis->curves_count > 1)
            shown[count++] = columns[i];
    html_table(html, NULL, shown, count);
    for (int i = 0; i < html->run->steps_count; i++)
        step_row(html, &html->run->steps[i]);
    html_table_end(html);
}
