/* The first screen: what a manager reads in a minute. Two headlines with their intervals, the row
 * of verdicts, one chart, and what to beware of. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "common/load_text.h"
#include "common/units.h"
#include "reports/departures.h"
#include "reports/escape.h"
#include "reports/html_parts.h"
#include "reports/product.h"

/* "Ordermill report: NAME" and where and when it ran. */
static void
put_kicker(struct html *html)
{
    const struct environment *environment = &html->run->environment;
    const char *server = product_of(html->run, html->arena);
    const char *database = environment_find(environment, "database", "name");
    char started[CLOCK_TEXT_SIZE];

    buf_puts(html->out, "<p class=\"kicker\">Ordermill report: <b>");
    escape_html(html->out, html->run->name);
    buf_printf(html->out, "</b>, started %s", clock_iso(started, html->run->started_wall_us));
    if (server) {
        buf_puts(html->out, "<br/>");
        escape_html(html->out, server);
    }
    if (database) {
        buf_puts(html->out, ", database ");
        escape_html(html->out, database);
    }
    buf_puts(html->out, "</p>\n");
}

static void
put_interval(struct html *html, const struct analysis_level *level, bool within_limits)
{
    buf_puts(html->out, "<p class=\"interval\">");
    analysis_headline_text(html->analysis, within_limits, html->out);
    buf_printf(html->out, ", at %d virtual user%s on %d warehouse%s", level->virtual_users,
               level->virtual_users == 1 ? "" : "s", level->warehouses,
               level->warehouses == 1 ? "" : "s");
    if (analysis_rivals(html->analysis, level) > 1) {
        buf_printf(html->out,
                   "; the highest of %d curves: ", analysis_rivals(html->analysis, level));
        escape_html(html->out, html->analysis->curves[level->curve].title);
    }
    buf_puts(html->out, "</p>\n");
}

static void
put_headline(struct html *html, const char *tag, const char *name, bool within_limits)
{
    int index = within_limits ? html->analysis->within_limits : html->analysis->peak;
    char nopm[UNITS_TEXT_SIZE];

    buf_printf(html->out, "<div><p class=\"name\">%s</p>", name);
    if (index < 0) {
        buf_printf(html->out,
                   "<%s class=\"headline\">none</%s>\n<p class=\"interval\">No level that stands "
                   "keeps the limits of every transaction.</p></div>\n",
                   tag, tag);
        return;
    }
    const struct analysis_level *level = &html->analysis->levels[index];
    buf_printf(html->out, "<%s class=\"headline\">%s <small>%s</small></%s>\n", tag,
               units_rate(nopm, level->nopm_mean), step_rate_name(level->steps[0]), tag);
    put_interval(html, level, within_limits);
    buf_puts(html->out, "</div>\n");
}

static void
figure(struct html *html, const char *name, const char *value, const char *below)
{
    buf_printf(html->out, "<div><dt>%s</dt><dd>%s<small>%s</small></dd></div>\n", name, value,
               below);
}

static void
put_figures(struct html *html, const struct analysis_level *level, const char *where)
{
    enum txn_type type = step_main_type(level->steps[0]);
    const struct hist *response = &level->transactions[type].response;
    char text[UNITS_TEXT_SIZE], cpu[32], p50[48], p95[48];
    struct buf homes = {0}, called = {0};

    buf_puts(html->out, "<dl class=\"figures\">\n");
    snprintf(p50, sizeof p50, "%s response, p50", txn_titles[type]);
    snprintf(p95, sizeof p95, "%s response, p95", txn_titles[type]);
    figure(html, p50, units_duration(text, hist_percentile_us(response, 0.50)), where);
    figure(html, p95, units_duration(text, hist_percentile_us(response, 0.95)), where);
    figure(html, "Transactions per minute", units_rate(text, level->tpm_mean),
           type < TXN_STANDARD ? "all five types" : "of the probe");
    snprintf(cpu, sizeof cpu, "%.1f %%", 100 * level->client_cpu);
    figure(html, "Driver&#8217;s own CPU", cpu, "of its threads");
    buf_puts(html->out, "</dl>\n<p class=\"note\">");
    load_text(html->out, level->steps[0]);
    if (step_efficiency(level->steps[0]) >= 0)
        buf_printf(
            html->out, "; efficiency %.1f %% of the %.2f NOPM for each warehouse at that pace",
            100 * level->nopm_mean / (NOPM_PER_WAREHOUSE * level->warehouses), NOPM_PER_WAREHOUSE);
    load_homes_text(&homes, level->steps[0]);
    if (homes.length > 0)
        buf_printf(html->out, "; of the home warehouses %s", buf_text(&homes));
    buf_free(&homes);
    buf_puts(html->out, "; ");
    call_text(&called, level->steps[0]);
    escape_html(html->out, buf_text(&called));
    buf_free(&called);
    buf_puts(html->out, ". NOPM: new-orders committed per minute.</p>\n");
}

static void
put_headlines(struct html *html)
{
    const struct analysis *analysis = html->analysis;
    bool same = analysis->peak == analysis->within_limits;

    if (analysis->peak < 0) {
        buf_puts(html->out, "<h1 class=\"headline\">No valid result</h1>\n<p class=\"interval\">No "
                            "level was measured without errors and with counts that "
                            "agree.</p>\n");
        return;
    }
    buf_puts(html->out, "<div class=\"headlines\">\n");
    put_headline(html, "h1",
                 same ? "Highest throughput, within every latency limit"
                      : "Highest within every latency limit",
                 true);
    if (!same)
        put_headline(html, "p", "Peak, whatever the response times", false);
    buf_puts(html->out, "</div>\n");
    bool within = analysis->within_limits >= 0;
    put_figures(html, &analysis->levels[within ? analysis->within_limits : analysis->peak],
                within ? "at the first headline" : "at the peak");
}

static void
put_verdicts(struct html *html)
{
    buf_puts(html->out, "<ul class=\"verdicts\" id=\"verdicts\">\n");
    for (int i = 0; i < VERDICTS; i++) {
        const struct verdict *verdict = &html->analysis->verdicts[i];
        buf_printf(html->out, "<li class=\"%s\"><b>%s <span>%s</span></b><p title=\"",
                   html_outcome_class(verdict->outcome), verdict_names[i],
                   verdict_outcome_names[verdict->outcome]);
        escape_html(html->out, verdict->rule);
        buf_puts(html->out, "\">");
        escape_html(html->out, verdict->figure);
        buf_puts(html->out, "</p></li>\n");
    }
    buf_puts(html->out, "</ul>\n");
}

static void
put_warnings(struct html *html)
{
    if (html->analysis->warnings_count == 0)
        return;
    buf_puts(html->out, "<div class=\"warnings\" id=\"warnings\"><b>Beware:</b><ul>\n");
    for (int i = 0; i < html->analysis->warnings_count; i++) {
        buf_puts(html->out, "<li>");
        escape_html(html->out, html->analysis->warnings[i]);
        buf_puts(html->out, "</li>\n");
    }
    buf_puts(html->out, "</ul></div>\n");
}

void
html_summary(struct html *html)
{
    buf_puts(html->out, "<header id=\"headline\">\n");
    put_kicker(html);
    put_headlines(html);
    put_verdicts(html);
    html_charts(html, "headline");
    put_warnings(html);
    buf_printf(html->out, "<p class=\"disclaimer\">%s</p>\n</header>\n", departures_disclaimer);
}
