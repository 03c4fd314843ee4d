/* The sections of report.html that show what was measured. */
#include <math.h>
#include <string.h>

#include "common/units.h"
#include "reports/charts_parts.h"
#include "reports/fits.h"
#include "reports/html_parts.h"
#include "reports/tables.h"

static struct table *
make(struct html *html, table_fn *build)
{
    return build(html->run, html->analysis, html->arena);
}

/* One table for each curve, or the only one, below the charts of a section, if any. */
static void
put_by_curve(struct html *html, const char *section, table_fn *build, const char *caption,
             const char *missing)
{
    const struct analysis *all = html->analysis;

    if (section)
        html_charts_of(html, section, NULL);
    for (int i = 0; i < all->curves_count || i == 0; i++) {
        struct analysis part = *all;
        if (all->curves_count > 1) {
            part.levels = &all->levels[all->curves[i].first];
            part.levels_count = all->curves[i].count;
            html_subheading(html, all->curves[i].title);
            if (section)
                html_charts_of(html, section, all->curves[i].title);
        }
        html_table(html, build(html->run, &part, html->arena), caption, missing);
    }
}

/* A parameter at its bound has no standard error to stand beside it. */
static void
put_parameters(struct buf *out, const struct analysis_curve *curve)
{
    const struct stats_usl *usl = &curve->usl;

    buf_printf(out, "Universal Scalability Law: &#955; %.1f &#177; %.1f, &#963; %.5f", usl->lambda,
               usl->lambda_se, usl->sigma);
    if (usl->sigma_se > 0)
        buf_printf(out, " &#177; %.5f", usl->sigma_se);
    buf_printf(out, ", &#954; %.3g", usl->kappa);
    if (usl->kappa_se > 0)
        buf_printf(out, " &#177; %.2g", usl->kappa_se);
    buf_printf(out, " (standard errors), fitted up to %.0f virtual users.%s ", curve->usl_most,
               fits_bounds(usl));
}

static void
put_usl(struct html *html, const struct analysis_curve *curve)
{
    const struct stats_usl *usl = &curve->usl;
    const char *rate = step_rate_name(html->analysis->levels[curve->first].steps[0]);
    char nopm[UNITS_TEXT_SIZE], low[UNITS_TEXT_SIZE], high[UNITS_TEXT_SIZE];

    if (curve->count < 2)
        return;
    buf_puts(html->out, "<p>");
    if (usl->fitted)
        put_parameters(html->out, curve);
    if (usl->claimed)
        buf_printf(html->out,
                   "It puts the peak at %.0f virtual users (95 %% interval %.1f to %.1f), %s %s "
                   "(%s to %s); residuals %.1f %%.</p>\n",
                   usl->n_star, usl->n_star_interval.low, usl->n_star_interval.high,
                   units_count(nopm, llround(usl->x_star)), rate,
                   units_count(low, llround(usl->x_star_interval.low)),
                   units_count(high, llround(usl->x_star_interval.high)), 100 * usl->residual_rms);
    else
        buf_printf(html->out, "The scalability law claims no peak: %s.</p>\n", usl->reason);
    struct buf fits = {0};
    fits_text(curve, &fits);
    if (fits.length > 0)
        html_paragraph(html, arena_strdup(html->arena, buf_text(&fits)));
    buf_free(&fits);
}

void
html_levels(struct html *html)
{
    const struct analysis *analysis = html->analysis;

    html_heading(html, "profile", "Performance profile", NULL);
    if (analysis->levels_count == 0)
        html_paragraph(html, "Not available: no step was completed.");
    html_charts_of(html, "profile", NULL);
    for (int i = 0; i < analysis->curves_count; i++) {
        const struct analysis_curve *curve = &analysis->curves[i];
        const struct step *step = analysis->levels[curve->first].steps[0];
        if (analysis->curves_count > 1) {
            html_subheading(html, curve->title);
            html_charts_of(html, "profile", curve->title);
        }
        put_usl(html, curve);
        html_table(
            html, tables_profile(analysis, i, html->arena),
            arena_printf(html->arena,
                         "Each level: mean of its runs, Student\xe2\x80\x99s t interval over "
                         "runs, response times of %s pooled over its runs.",
                         txn_titles[step_main_type(step)]),
            "");
    }
}

void
html_warehouses(struct html *html)
{
    html_heading(html, "warehouses", "Curves by warehouses", NULL);
    html_charts(html, "warehouses");
    if (html->analysis->levels_count == 0)
        html_paragraph(html, "Not available: no step was completed.");
}

void
html_latency(struct html *html)
{
    html_heading(html, "latency", "Response times",
                 "From the moment a transaction was ready to the last byte of its answer, retries "
                 "included. Percentiles come from pooled histograms (error below 1&#160;%), never "
                 "from averages of percentiles.");
    put_by_curve(html, "latency", tables_latency, "Response times by level and transaction.",
                 "Not available: no step was completed.");
    html_table(
        html, make(html, tables_deferred),
        "Deferred deliveries (clause 2.7.2), from being queued to being done: 90 % are to be "
        "done within 80 s.",
        "Deferred deliveries: not available; none were deferred.");
}

void
html_distribution(struct html *html)
{
    html_heading(html, "distribution", "Distributions",
                 "Response times from 0 to four times the 90th percentile (clause 5.6.1), of the "
                 "level with the highest throughput; think times from 0 to four times their mean "
                 "(5.6.3).");
    html_charts(html, "distribution");
    html_charts(html, "think");
    if (html->analysis->levels_count == 0)
        html_paragraph(html, "Not available: no step was completed.");
}

void
html_time(struct html *html)
{
    html_heading(html, "time", "Throughput over time",
                 "New-orders per minute (transactions, where the mix has none), second by second, "
                 "each run a line (clause 5.6.4). The shaded part is the ramp-up, which is not "
                 "measured; its clock starts when the "
                 "last virtual user runs. The measured window is from its edge to the end. A short "
                 "thick stroke at the top: a checkpoint of the server began. A thick line at the "
                 "foot: connections were lost, and not yet made anew. Point at a line to see which "
                 "run it is.");
    html_charts(html, "time");
    html_table(html, make(html, tables_steady),
               "Whether each step held still: where its warm-up ended (MSER-5), and two tests on "
               "batch means, with their limits.",
               "");
    if (html->analysis->levels_count == 0)
        html_paragraph(html, "Not available: no step was completed.");
}

void
html_waits(struct html *html)
{
    html_heading(html, "waits", "What sessions waited for",
                 "Sampled ten times a second in the measured window, the sessions of this kit "
                 "alone. The database time is the sum over sessions of the time in which they "
                 "were active.");
    html_charts(html, "waits");
    if (html->analysis->levels_count == 0)
        html_paragraph(html, "Not available: no step was completed.");
    html_details(html, "The same as a table", make(html, tables_waits));
}

void
html_cores(struct html *html)
{
    html_heading(html, "cores", "Cores", NULL);
    html_charts(html, "cores");
    if (html->analysis->levels_count == 0)
        html_paragraph(html, "Not available: no step was completed.");
}

void
html_io(struct html *html)
{
    html_heading(html, "io", "Disks and log",
                 "Means over the measured window, of the curve with the highest throughput.");
    html_charts(html, "io");
    put_by_curve(html, NULL, tables_resources, "What each level took from the machines.",
                 "Not available: no step was completed.");
}

void
html_errors(struct html *html)
{
    html_heading(html, "errors", "Errors and retries",
                 "Every transaction ends as exactly one of: committed, rolled back as intended "
                 "(1&#160;% of New-Order), failed, or lost (the connection went, the outcome is "
                 "unknown). A retry keeps its input and its start.");
    put_by_curve(html, NULL, tables_errors, "How the transactions of each level ended.",
                 "Not available: no step was completed.");
    html_table(html, make(html, tables_outages),
               "Outages, from the first connection lost until all are back, counted from the "
               "moment when the last virtual user ran.",
               "No connection was lost.");
    html_table(html, make(html, tables_messages),
               "Every SQLSTATE seen over all steps, those that a retry cured included.",
               "The server reported no error at all.");
}

void
html_steps(struct html *html)
{
    html_heading(
        html, "steps", "Every step",
        "In the order in which they ran. New-orders are counted from a step&#8217;s very "
        "first transaction: by the driver as committed, by the database as growth of its "
        "order counters. The two must be equal but for transactions that were lost, and so "
        "must what the verdict on consistency covers besides.");
    html_table(html, make(html, tables_steps), "Every step of the run.",
               "Not available: no step was stored.");
    html_table(html, make(html, tables_journal),
               "What else happened in the course of the run, and how large tables and indexes were "
               "then.",
               "What else happened: not available; nothing was recorded.");
}
