/* The sections of report.html that say why the figures can be believed, and how to attack them. */
#include <string.h>

#include "reports/again.h"
#include "reports/departures.h"
#include "reports/escape.h"
#include "reports/html_parts.h"
#include "reports/tables.h"

static struct table *
make(struct html *html, table_fn *build)
{
    return build(html->run, html->analysis, html->arena);
}

void
html_consistency(struct html *html)
{
    const struct check_result *check = &html->run->check;

    html_heading(html, "consistency", "Consistency of the data",
                 "The twelve conditions of clause 3.3.2 and the rows of every warehouse, over the "
                 "whole database.");
    if (check->done)
        html_paragraph(html, arena_printf(html->arena, "Checked %s.", check->moment));
    html_table(html, make(html, tables_conditions), "Each condition, and what broke it.",
               "Not tested: the check did not run.");
}

void
html_inputs(struct html *html)
{
    html_heading(html, "inputs", "Mix and inputs against their limits",
                 "All complete steps together. A share fails only where its exact confidence "
                 "limits lie wholly outside the allowed range.");
    html_table(html, make(html, tables_inputs), "Each share, its limits, and what is allowed.", "");
}

void
html_findings(struct html *html)
{
    html_heading(html, "findings", "What the doctor found",
                 "What may spoil a measurement, as it was when the run began.");
    html_table(html, make(html, tables_findings), "Findings, the worst first.",
               "No finding is stored: nothing was found, or nobody looked.");
}

static void
put_facts(struct html *html, const char *group, const char *caption)
{
    struct buf nothing = {0};

    buf_printf(&nothing, "%s: not available; nothing was recorded.", caption);
    html_table(html, tables_facts(html->run, group, html->arena), caption, buf_text(&nothing));
    buf_free(&nothing);
}

void
html_environment(struct html *html)
{
    html_heading(html, "environment", "Environment", NULL);
    put_facts(html, "server", "Server");
    put_facts(html, "database", "Database");
    put_facts(html, "client", "Client");
    put_facts(html, "kit", "Kit");
    html_details(html, "Every setting of the kit, and where its value came from",
                 make(html, tables_options));
}

void
html_settings(struct html *html)
{
    html_heading(html, "settings", "Server settings",
                 "Every setting that is not PostgreSQL&#8217;s default, and the durability "
                 "switches, as the server reported them.");
    put_facts(html, "setting", "Settings");
}

/* A text of several lines as it stands. */
static void
put_lines(struct html *html, const char *text)
{
    buf_puts(html->out, "<pre>");
    while (*text) {
        size_t length = strcspn(text, "\n");
        struct buf line = {0};
        buf_append(&line, text, length);
        escape_html(html->out, buf_text(&line));
        buf_putc(html->out, '\n');
        buf_free(&line);
        text += length + (text[length] == '\n');
    }
    buf_puts(html->out, "</pre>\n");
}

void
html_again(struct html *html)
{
    struct buf commands = {0};

    html_heading(html, "again", "How to run it again", NULL);
    again_commands(html->run, &commands);
    put_lines(html, buf_text(&commands));
    buf_free(&commands);
    if (html->run->fingerprint && html->run->fingerprint[0])
        html_paragraph(html, arena_printf(html->arena,
                                          "Fingerprint of the profile and of every setting: %s.",
                                          html->run->fingerprint));
    buf_puts(html->out, "<p class=\"note\">Raw data (every second, every histogram, every "
                        "setting) are in run.sqlite beside this file; <code>ordermill report "
                        "RUN --format csv</code> writes every table and every second.</p>\n");
    if (html->run->profile[0] == '\0')
        return;
    buf_puts(html->out, "<p>The profile:</p>\n");
    put_lines(html, html->run->profile);
}

void
html_departures(struct html *html)
{
    html_heading(html, "departures", "Departures from the standard", NULL);
    html_paragraph(html, departures_disclaimer);
    html_table(html, make(html, tables_departures), "Every departure, and its effect.", "");
}

void
html_glossary(struct html *html)
{
    static const char *const words[][2] = {
        {"NOPM", "New-orders per minute: committed New-Order transactions in the measured window, "
                 "divided by its real length."},
        {"TPM", "Transactions per minute: all five types, committed or rolled back as intended."},
        {"Virtual user", "One session that sends its next transaction as soon as the last one was "
                         "answered."},
        {"Warehouse", "The unit of size of the database, about 100 MB; each virtual user has a "
                      "home warehouse."},
        {"p95", "95 of 100 transactions were answered within this time."},
        {"95 % interval", "If the runs were repeated many times in the same way, 95 of 100 such "
                          "intervals would hold the true mean. It needs at least two runs. What "
                          "another load of the database, another start of the server or another "
                          "day would change is not in it."},
        {"Peak",
         "The highest of several means, and so a little too high by chance; its interval is "
         "that of its level alone."},
        {"CV", "Coefficient of variation: standard deviation of the runs over their mean."},
        {"PASS, FAIL, NOT TESTED", "FAIL: the rule was broken. NOT TESTED: the data do not bear a "
                                   "judgement; it is no hidden pass."},
    };

    html_heading(html, "glossary", "Words", NULL);
    buf_puts(html->out, "<dl class=\"glossary\">\n");
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        buf_printf(html->out, "<dt>%s</dt><dd>%s</dd>\n", words[i][0], words[i][1]);
    buf_puts(html->out, "</dl>\n");
    html_subheading(html, "How the verdicts are reached");
    buf_puts(html->out, "<dl class=\"glossary\">\n");
    for (int i = 0; i < VERDICTS; i++) {
        buf_printf(html->out, "<dt>%s</dt><dd>", verdict_names[i]);
        escape_html(html->out, html->analysis->verdicts[i].rule);
        buf_puts(html->out, "</dd>\n");
    }
    buf_puts(html->out, "</dl>\n");
}
