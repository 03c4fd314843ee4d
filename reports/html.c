/* The frame of report.html, its first screen, and the forms that the sections share. */
#include "reports/html.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "common/embedded.h"
#include "common/load_text.h"
#include "common/units.h"
#include "reports/departures.h"
#include "reports/escape.h"
#include "reports/html_parts.h"

/* ---- forms ---- */

void
html_heading(struct html *html, const char *id, const char *title, const char *note)
{
    buf_printf(html->out, "<h2 id=\"%s\">%s</h2>\n", id, title);
    if (note)
        buf_printf(html->out, "<p class=\"note\">%s</p>\n", note);
}

void
html_table(struct html *html, const char *caption, const struct column *columns, size_t count)
{
    if (caption)
        buf_printf(html->out, "<p class=\"note\">%s</p>\n", caption);
    buf_puts(html->out, "<div class=\"wide\"><table><thead><tr>");
    for (size_t i = 0; i < count; i++)
        buf_printf(html->out, "<th scope=\"col\"%s>%s</th>", columns[i].text ? " class=\"l\"" : "",
                   columns[i].title);
    buf_puts(html->out, "</tr></thead>\n<tbody>\n");
}

void
html_table_end(struct html *html)
{
    buf_puts(html->out, "</tbody></table></div>\n");
}

void
html_row(struct html *html, const char *class_name)
{
    if (class_name)
        buf_printf(html->out, "<tr class=\"%s\">", class_name);
    else
        buf_puts(html->out, "<tr>");
}

void
html_row_end(struct html *html)
{
    buf_puts(html->out, "</tr>\n");
}

void
html_text(struct html *html, const char *text)
{
    buf_puts(html->out, "<td class=\"l\">");
    escape_html(html->out, text);
    buf_puts(html->out, "</td>");
}

void
html_word(struct html *html, const char *text)
{
    buf_puts(html->out, "<td class=\"w\">");
    escape_html(html->out, text);
    buf_puts(html->out, "</td>");
}

void
html_cell(struct html *html, const char *format, ...)
{
    va_list ap;

    buf_puts(html->out, "<td>");
    va_start(ap, format);
    buf_printfv(html->out, format, ap);
    va_end(ap);
    buf_puts(html->out, "</td>");
}

void
html_count(struct html *html, int64_t count)
{
    char text[UNITS_TEXT_SIZE];
    html_cell(html, "%s", units_count(text, count));
}

void
html_duration(struct html *html, int64_t us)
{
    char text[UNITS_TEXT_SIZE];
    html_cell(html, "%s", units_duration(text, us));
}

static const char *
outcome_class(enum verdict_outcome outcome)
{
    switch (outcome) {
    case VERDICT_PASS: return "pass";
    case VERDICT_FAIL: return "fail";
    case VERDICT_NOT_TESTED: break;
    }
    return "untested";
}

void
html_outcome(struct html *html, enum verdict_outcome outcome)
{
    buf_printf(html->out, "<td class=\"%s\">%s</td>", outcome_class(outcome),
               verdict_outcome_names[outcome]);
}

/* ---- the first screen ---- */

static void
figure(struct html *html, const char *name, const char *value, const char *below)
{
    buf_printf(html->out, "<div><dt>%s</dt><dd>", name);
    escape_html(html->out, value);
    if (below) {
        buf_puts(html->out, "<small>");
        escape_html(html->out, below);
        buf_puts(html->out, "</small>");
    }
    buf_puts(html->out, "</dd></div>\n");
}

static void
put_load(struct html *html, const struct analysis_level *level)
{
    buf_puts(html->out, "<p>");
    load_text(html->out, level->steps[0]);
    if (step_efficiency(level->steps[0]) >= 0)
        buf_printf(
            html->out, "; efficiency %.1f %% of the %.2f NOPM for each warehouse at that pace",
            100 * level->nopm_mean / (NOPM_PER_WAREHOUSE * level->warehouses), NOPM_PER_WAREHOUSE);
    buf_puts(html->out, "</p>\n");
}

static void
put_interval(struct html *html, const struct analysis_level *level)
{
    char low[UNITS_TEXT_SIZE], high[UNITS_TEXT_SIZE];

    buf_puts(html->out, "<p class=\"interval\">");
    if (level->nopm_interval.valid)
        buf_printf(html->out, "95 %% interval %s to %s, mean of %d runs",
                   units_count(low, llround(level->nopm_interval.low)),
                   units_count(high, llround(level->nopm_interval.high)), level->runs);
    else
        buf_puts(html->out, "one run, so no interval");
    buf_printf(html->out, ", at %d virtual user%s on %d warehouse%s</p>\n", level->virtual_users,
               level->virtual_users == 1 ? "" : "s", level->warehouses,
               level->warehouses == 1 ? "" : "s");
    put_load(html, level);
}

static void
put_capacity(struct html *html)
{
    const struct analysis *analysis = html->analysis;
    char nopm[UNITS_TEXT_SIZE], below[64];

    if (analysis->within_limits < 0) {
        figure(html, "Highest within latency limits", "none", NULL);
        return;
    }
    const struct analysis_level *level = &analysis->levels[analysis->within_limits];
    snprintf(below, sizeof below, "NOPM at %d virtual user%s", level->virtual_users,
             level->virtual_users == 1 ? "" : "s");
    figure(html, "Highest within latency limits", units_rate(nopm, level->nopm_mean), below);
}

static void
put_figures(struct html *html, const struct analysis_level *peak)
{
    char text[UNITS_TEXT_SIZE], cpu[32];

    if (!peak)
        return;
    buf_puts(html->out, "<dl class=\"figures\">\n");
    const struct hist *response = &peak->transactions[TXN_NEW_ORDER].response;
    put_capacity(html);
    figure(html, "New-Order response, p95",
           units_duration(text, hist_percentile_us(response, 0.95)), "at the peak");
    figure(html, "Transactions per minute", units_rate(text, peak->tpm_mean),
           "all five types, at the peak");
    snprintf(cpu, sizeof cpu, "%.0f %%", 100 * peak->client_cpu);
    figure(html, "Driver's own CPU", cpu, "of its threads, at the peak");
    buf_puts(html->out, "</dl>\n");
}

static void
put_verdicts(struct html *html)
{
    buf_puts(html->out, "<ul class=\"verdicts\" id=\"verdicts\">\n");
    for (int i = 0; i < VERDICTS; i++) {
        const struct verdict *verdict = &html->analysis->verdicts[i];
        buf_printf(html->out, "<li class=\"%s\"><b>%s <span>%s</span></b><p title=\"",
                   outcome_class(verdict->outcome), verdict_names[i],
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
    buf_puts(html->out, "<ul class=\"warnings\" id=\"warnings\">\n");
    for (int i = 0; i < html->analysis->warnings_count; i++) {
        buf_puts(html->out, "<li>");
        escape_html(html->out, html->analysis->warnings[i]);
        buf_puts(html->out, "</li>\n");
    }
    buf_puts(html->out, "</ul>\n");
}

/* "Ordermill report: NAME" and where and when it ran. */
static void
put_kicker(struct html *html)
{
    const struct environment *environment = &html->run->environment;
    const char *server = environment_find(environment, "server", "version");
    const char *database = environment_find(environment, "database", "name");
    char started[CLOCK_TEXT_SIZE];

    buf_puts(html->out, "<p class=\"kicker\">Ordermill report: <b>");
    escape_html(html->out, html->run->name);
    buf_printf(html->out, "</b>, started %s", clock_iso(started, html->run->started_wall_us));
    if (server) {
        struct buf product = {0};
        /* Without the compiler: "PostgreSQL 15.1 on x86_64..., compiled by ..." */
        const char *on = strstr(server, " on ");
        buf_append(&product, server, on ? (size_t)(on - server) : strlen(server));
        buf_puts(html->out, "<br/>");
        escape_html(html->out, buf_text(&product));
        buf_free(&product);
    }
    if (database) {
        buf_puts(html->out, ", database ");
        escape_html(html->out, database);
    }
    buf_puts(html->out, "</p>\n");
}

static void
put_first_screen(struct html *html)
{
    const struct analysis *analysis = html->analysis;
    const struct analysis_level *peak =
        analysis->peak >= 0 ? &analysis->levels[analysis->peak] : NULL;
    char nopm[UNITS_TEXT_SIZE];

    buf_puts(html->out, "<header id=\"headline\">\n");
    put_kicker(html);
    if (peak) {
        buf_printf(html->out, "<h1 class=\"headline\">%s <small>NOPM</small></h1>\n",
                   units_rate(nopm, peak->nopm_mean));
        put_interval(html, peak);
        buf_puts(html->out, "<p class=\"note\">NOPM: new-orders committed per minute, at the load "
                            "level with the highest mean.</p>\n");
    } else {
        buf_puts(html->out, "<h1 class=\"headline\">No valid result</h1>\n<p class=\"interval\">No "
                            "level was measured without errors and with counts that "
                            "agree.</p>\n");
    }
    put_figures(html, peak);
    put_verdicts(html);
    put_warnings(html);
    buf_printf(html->out, "<p class=\"disclaimer\">%s</p>\n</header>\n", departures_disclaimer);
}

static void
put_head(struct html *html)
{
    const char *css = embedded_text("reports/report.css");

    must(css);
    buf_puts(html->out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                        "<meta name=\"viewport\" content=\"width=device-width, "
                        "initial-scale=1\"/>\n<title>Ordermill report: ");
    escape_html(html->out, html->run->name);
    buf_puts(html->out, "</title>\n<style>\n");
    buf_puts(html->out, css);
    buf_puts(html->out, "</style>\n</head>\n<body>\n");
}

void
html_report(const struct run *run, const struct analysis *analysis, struct buf *out,
            struct err *missing)
{
    static void (*const sections[])(struct html * html) = {
        html_levels, html_latency,     html_time,  html_errors,     html_steps,    html_consistency,
        html_inputs, html_environment, html_again, html_departures, html_glossary,
    };
    struct err ignored;
    struct html html = {
        .out = out, .run = run, .analysis = analysis, .missing = missing ? missing : &ignored};

    html.missing->code = ERR_NONE;
    put_head(&html);
    put_first_screen(&html);
    buf_puts(out, "<main>\n");
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
        sections[i](&html);
    buf_puts(out, "</main>\n</body>\n</html>\n");
}
