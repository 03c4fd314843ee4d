/* The sections of report.html that say why the figures can be believed, and how to attack them. */
#include "reports/html_parts.h"

#include <stdio.h>
#include <string.h>

#include "common/units.h"
#include "reports/again.h"
#include "reports/departures.h"
#include "reports/escape.h"

#define COLUMNS(array) (array), sizeof(array) / sizeof(array)[0]

static void
put_examples(struct html *html, const struct check_condition *condition)
{
    buf_puts(html->out, "<td class=\"l\">");
    for (int i = 0; i < condition->examples_count; i++) {
        const struct check_example *example = &condition->examples[i];
        buf_puts(html->out, i ? "<br/>" : "");
        if (example->warehouse)
            buf_printf(html->out, "warehouse %d ", example->warehouse);
        if (example->district)
            buf_printf(html->out, "district %d ", example->district);
        escape_html(html->out, example->detail ? example->detail : "");
        buf_puts(html->out, ": expected ");
        escape_html(html->out, example->expected ? example->expected : "nothing");
        buf_puts(html->out, ", found ");
        escape_html(html->out, example->found ? example->found : "nothing");
    }
    buf_puts(html->out, "</td>");
}

void
html_consistency(struct html *html)
{
    static const struct column columns[] = {{"no.", false},
                                            {"condition", true},
                                            {"verdict", true},
                                            {"violations", false},
                                            {"examples", true}};
    const struct check_result *check = &html->run->check;

    html_heading(html, "consistency", "Consistency of the data",
                 "The twelve conditions of clause 3.3.2 and the rows of every warehouse, over the "
                 "whole database.");
    if (!check->done) {
        buf_puts(html->out, "<p>Not tested: the check did not run.</p>\n");
        return;
    }
    buf_puts(html->out, "<p>Checked ");
    escape_html(html->out, check->moment);
    buf_puts(html->out, ".</p>\n");
    html_table(html, NULL, COLUMNS(columns));
    for (int i = 0; i < CHECK_TESTS; i++) {
        const struct check_condition *condition = &check->conditions[i];
        html_row(html, NULL);
        if (i < CHECK_CONDITIONS)
            html_cell(html, "%d", i + 1);
        else
            html_cell(html, "%s", "");
        html_text(html, condition->name ? condition->name : "");
        html_outcome(html, !condition->tested          ? VERDICT_NOT_TESTED
                           : condition->violations > 0 ? VERDICT_FAIL
                                                       : VERDICT_PASS);
        html_count(html, condition->violations);
        put_examples(html, condition);
        html_row_end(html);
    }
    html_table_end(html);
}

static void
input_row(struct html *html, const struct input_check *check)
{
    html_row(html, NULL);
    html_text(html, check->name);
    html_word(html, check->clause);
    if (!check->judged) {
        html_cell(html, "&#8211;");
        html_cell(html, "&#8211;");
    } else {
        if (strcmp(check->unit, "p-value") == 0)
            html_cell(html, "p = %.4g", check->measured);
        else
            html_cell(html, "%.4g&#8201;%s", check->measured, check->unit);
        if (check->has_interval)
            html_cell(html, "%.4g&#8201;&#8211;&#8201;%.4g", check->low, check->high);
        else
            html_cell(html, "&#8211;");
    }
    html_cell(html, "%g&#8201;&#8211;&#8201;%g", check->limit_low, check->limit_high);
    if (check->judged && html->analysis->inputs_judged)
        html_outcome(html, check->within ? VERDICT_PASS : VERDICT_FAIL);
    else
        html_text(html, check->judged ? "not the standard mix" : check->reason);
    html_row_end(html);
}

void
html_inputs(struct html *html)
{
    static const struct column columns[] = {{"input", true},     {"clause", true},
                                            {"measured", false}, {"99.99&#160;% limits", false},
                                            {"allowed", false},  {"verdict", true}};

    html_heading(html, "inputs", "Mix and inputs against their limits",
                 "All complete steps together. A share fails only where its exact confidence "
                 "limits lie wholly outside the allowed range.");
    html_table(html, NULL, COLUMNS(columns));
    for (int i = 0; i < INPUTS; i++)
        input_row(html, &html->analysis->inputs[i]);
    html_table_end(html);
}

static void
put_facts(struct html *html, const char *group, const char *caption, bool with_detail)
{
    static const struct column columns[] = {{"name", true}, {"value", true}, {"source", true}};
    const struct environment *environment = &html->run->environment;
    bool any = false;

    for (int i = 0; i < environment->count; i++) {
        const struct fact *fact = &environment->facts[i];
        if (strcmp(fact->group, group) != 0)
            continue;
        if (!any) {
            if (!with_detail)
                buf_printf(html->out, "<h3>%s</h3>\n", caption);
            html_table(html, NULL, columns, with_detail ? 3 : 2);
        }
        any = true;
        html_row(html, NULL);
        html_word(html, fact->name);
        html_text(html, fact->value);
        if (with_detail)
            html_text(html, fact->detail);
        html_row_end(html);
    }
    if (any)
        html_table_end(html);
    else
        buf_printf(html->out, "<p class=\"note\">%s: nothing was recorded.</p>\n", caption);
}

void
html_environment(struct html *html)
{
    html_heading(html, "environment", "Environment", NULL);
    put_facts(html, "server", "Server", false);
    put_facts(html, "database", "Database", false);
    put_facts(html, "client", "Client", false);
    put_facts(html, "kit", "Kit", false);
    html_heading(html, "settings", "Server settings",
                 "Every setting that is not PostgreSQL&#8217;s default, and the durability "
                 "switches, as the server reported them.");
    put_facts(html, "setting", "Settings", true);
}

void
html_again(struct html *html)
{
    struct buf commands = {0};

    html_heading(html, "again", "How to run it again", NULL);
    again_commands(html->run, &commands);
    buf_puts(html->out, "<pre>");
    for (char *line = commands.data, *end; line && *line; line = end) {
        end = strchr(line, '\n');
        must(end);
        *end++ = '\0';
        escape_html(html->out, line);
        buf_putc(html->out, '\n');
    }
    buf_puts(html->out, "</pre>\n");
    buf_free(&commands);
    buf_puts(html->out, "<p class=\"note\">Raw data (every second, every histogram, every "
                        "setting) are in run.sqlite beside this file.</p>\n");
    if (html->run->profile[0] == '\0')
        return;
    buf_puts(html->out, "<p>The profile:</p>\n<pre>");
    for (const char *line = html->run->profile; *line;) {
        struct buf one = {0};
        size_t length = strcspn(line, "\n");
        buf_append(&one, line, length);
        escape_html(html->out, buf_text(&one));
        buf_putc(html->out, '\n');
        buf_free(&one);
        line += length + (line[length] == '\n');
    }
    buf_puts(html->out, "</pre>\n");
}

void
html_departures(struct html *html)
{
    static const struct column columns[] = {
        {"clause", true}, {"what differs", true}, {"effect", true}};

    html_heading(html, "departures", "Departures from the standard", NULL);
    buf_printf(html->out, "<p>%s</p>\n", departures_disclaimer);
    html_table(html, NULL, COLUMNS(columns));
    for (size_t i = 0; i < departures_count; i++) {
        if (!departure_holds(&departures[i], html->run))
            continue;
        html_row(html, NULL);
        html_word(html, departures[i].clauses);
        html_text(html, departures[i].what);
        html_text(html, departures[i].effect);
        html_row_end(html);
    }
    html_table_end(html);
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
        {"95 % interval", "If the whole measurement were repeated many times, 95 of 100 such "
                          "intervals would hold the true mean. It needs at least two runs."},
        {"CV", "Coefficient of variation: standard deviation of the runs over their mean."},
        {"PASS, FAIL, NOT TESTED", "FAIL: the rule was broken. NOT TESTED: the data do not bear a "
                                   "judgement; it is no hidden pass."},
    };

    html_heading(html, "glossary", "Words", NULL);
    buf_puts(html->out, "<dl class=\"glossary\">\n");
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        buf_printf(html->out, "<dt>%s</dt><dd>%s</dd>\n", words[i][0], words[i][1]);
    buf_puts(html->out, "</dl>\n");
    buf_puts(html->out, "<h3>How the verdicts are reached</h3>\n<dl class=\"glossary\">\n");
    for (int i = 0; i < VERDICTS; i++) {
        buf_printf(html->out, "<dt>%s</dt><dd>", verdict_names[i]);
        escape_html(html->out, html->analysis->verdicts[i].rule);
        buf_puts(html->out, "</dd>\n");
    }
    buf_puts(html->out, "</dl>\n");
}
