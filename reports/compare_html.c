/* comparison.html: as report.html one file that needs nothing else. */
#include "reports/compare_forms.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reports/charts_compare.h"
#include "reports/compare_tables.h"
#include "reports/departures.h"
#include "reports/escape.h"
#include "reports/html_parts.h"

static void
put_texts(struct html *html, const char *class_name, const char *title, const char *const *texts,
          int count)
{
    if (count == 0)
        return;
    buf_printf(html->out, "<div class=\"%s\"><b>%s</b><ul>\n", class_name, title);
    for (int i = 0; i < count; i++) {
        buf_puts(html->out, "<li>");
        escape_html(html->out, texts[i]);
        buf_puts(html->out, "</li>\n");
    }
    buf_puts(html->out, "</ul></div>\n");
}

static void
put_ratio(struct html *html, const char *name, const struct compare_ratio *ratio, char letter)
{
    buf_printf(html->out, "<div><p class=\"name\">%s</p><p class=\"headline\">", name);
    if (isnan(ratio->ratio))
        buf_puts(html->out, "none");
    else
        buf_printf(html->out, "%.3f <small>%c over A</small>", ratio->ratio, letter);
    buf_puts(html->out, "</p>\n<p class=\"interval\">");
    struct buf sentence = {0};
    compare_sentence(ratio, letter, &sentence);
    escape_html(html->out, buf_text(&sentence));
    buf_free(&sentence);
    buf_puts(html->out, "</p></div>\n");
}

static void
put_verdict(struct html *html, bool holds)
{
    buf_printf(html->out,
               "<ul class=\"verdicts\"><li class=\"%s\"><b>comparable <span>%s</span></b>"
               "<p>%s</p></li></ul>\n",
               html_outcome_class(holds ? VERDICT_PASS : VERDICT_FAIL),
               verdict_outcome_names[holds ? VERDICT_PASS : VERDICT_FAIL], compare_rule);
}

static void
put_pair(struct html *html, const struct compare *compare, int index)
{
    const struct comparison *pair = &compare->pairs[index];
    char letter = (char)('A' + index);

    buf_printf(html->out, "<h2 id=\"pair-%c\">%c against A</h2>\n", letter, letter);
    put_verdict(html, compare_is_comparable(pair));
    put_texts(html, "warnings", "No ratio is given, because:", pair->reasons, pair->reasons_count);
    if (compare_is_comparable(pair)) {
        buf_puts(html->out, "<div class=\"headlines\">\n");
        put_ratio(html, "Highest within every latency limit", &pair->within_limits, letter);
        put_ratio(html, "Peak, whatever the response times", &pair->peak, letter);
        buf_puts(html->out, "</div>\n");
    }
    put_texts(html, "warnings", "Beware:", pair->warnings, pair->warnings_count);
    html_table(html, compare_table_ratios(compare, index, html->arena),
               "Headlines, and every load that both measured and that stands in both. The interval "
               "is of the ratio; a difference as large as the one called detectable would have "
               "been shown four times in five.",
               "No ratio: the runs are not comparable.");
    html_table(html, compare_table_costs(compare, index, html->arena),
               "What a new-order costs, each run at its own peak. The log holds whole pages after "
               "each checkpoint, so it depends on how long ago the last one was, and on the load.",
               "No costs: the runs are not comparable.");
}

static void
put_differences(struct html *html, const struct compare *compare)
{
    html_heading(html, "differences", "What differs",
                 "Version, settings, hosts, schema, workload and kit, as each run recorded them. A "
                 "state is what a run found or left, and no part of the configuration.");
    if (compare->same_configuration)
        html_paragraph(html, "The same configuration: nothing of what was recorded differs.");
    html_table(html, compare_table_differences(compare, html->arena), "Everything that differs.",
               "There is no difference at all.");
}

static void
put_header(struct html *html, const struct compare *compare)
{
    buf_puts(html->out, "<header id=\"headline\"><p class=\"kicker\">Ordermill comparison</p>\n"
                        "<h1>Comparison of ");
    buf_printf(html->out, "%d runs</h1>\n", compare->count);
    html_table(html, compare_table_runs(compare, html->arena),
               arena_printf(html->arena, "The runs, in %s; every ratio is over run A.",
                            compare_rate_name(compare)),
               "");
    html_charts(html, "profiles");
    buf_puts(html->out, "</header>\n<main>\n");
}

static void
put_stated(struct html *html, const struct compare *compare)
{
    const struct table *stated = compare_table_stated(compare, html->arena);

    if (stated->rows_count == 0)
        return;
    html_heading(html, "stated", "Cost and energy, by the user&#8217;s figures",
                 "The kit did not measure what is in this table: whoever made the comparison "
                 "stated cost per hour and power, and the kit divided them by the peak.");
    html_table(html, stated, "For a thousand new-orders at the peak.", "");
}

static void
put_method(struct html *html)
{
    html_heading(html, "method", "How to read this", NULL);
    html_paragraph(html, "A ratio is the mean of a run over the mean of A. Its 95 % interval is "
                         "Welch\xe2\x80\x99s on the logarithm, over the repeats of a level. Beside "
                         "it, from five repeats each, stands one by resampling the repeats, "
                         "which leans on no distribution; where the two differ much, the "
                         "repeats are too few or not alike. Where the interval holds 1, the data "
                         "show no difference; that is no proof "
                         "that there is none, and the column beside it says how large one would "
                         "have had to be. Each interval stands for itself: of twenty, one misses "
                         "by chance. Repeats of one run share one load of the database and one "
                         "start of the server, and what those change is in no interval. The peak "
                         "is the highest of several means and so a little "
                         "too high, in every run alike.");
    html_paragraph(html, departures_disclaimer);
}

void
compare_html(const struct compare *compare, struct buf *out, struct err *missing)
{
    struct arena arena = {0};
    struct charts charts;
    struct err why = {.code = ERR_NONE};
    struct html html = {.out = out, .charts = &charts, .arena = &arena, .missing = &why};

    charts_compare(&charts, compare, &arena);
    if (!charts_draw(&charts, &why))
        must(why.code != ERR_NONE);
    html_head(out, "Ordermill comparison");
    put_header(&html, compare);
    for (int i = 1; i < compare->count; i++)
        put_pair(&html, compare, i);
    put_stated(&html, compare);
    put_differences(&html, compare);
    put_method(&html);
    buf_puts(out, "</main>\n</body>\n</html>\n");
    if (missing)
        *missing = why;
    charts_free(&charts);
    arena_free(&arena);
}
