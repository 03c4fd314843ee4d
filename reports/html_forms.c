/* Headings, tables and charts as HTML. Nothing foreign is appended but through escape_html. */
#include <string.h>

#include "common/embedded.h"
#include "reports/escape.h"
#include "reports/html_parts.h"

void
html_head(struct buf *out, const char *title)
{
    const char *css = embedded_text("reports/report.css");

    must(css);
    buf_puts(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                  "<title>");
    escape_html(out, title);
    buf_puts(out, "</title>\n<style>\n");
    buf_puts(out, css);
    buf_puts(out, "</style>\n</head>\n<body>\n");
}

void
html_heading(struct html *html, const char *id, const char *title, const char *note_markup)
{
    buf_printf(html->out, "<h2 id=\"%s\">%s</h2>\n", id, title);
    if (note_markup)
        buf_printf(html->out, "<p class=\"note\">%s</p>\n", note_markup);
}

static void
element(struct html *html, const char *open, const char *text, const char *close)
{
    buf_puts(html->out, open);
    escape_html(html->out, text);
    buf_puts(html->out, close);
}

void
html_subheading(struct html *html, const char *title)
{
    element(html, "<h3>", title, "</h3>\n");
}

void
html_paragraph(struct html *html, const char *text)
{
    element(html, "<p>", text, "</p>\n");
}

static void
put_note(struct html *html, const char *text)
{
    element(html, "<p class=\"note\">", text, "</p>\n");
}

const char *
html_outcome_class(enum verdict_outcome outcome)
{
    switch (outcome) {
    case VERDICT_PASS: return "pass";
    case VERDICT_FAIL: return "fail";
    case VERDICT_NOT_TESTED: break;
    }
    return "untested";
}

/* ---- tables ---- */

static const char *
cell_class(const struct table *table, const struct cell *cell, int column)
{
    switch (cell->kind) {
    case CELL_OUTCOME: return html_outcome_class((enum verdict_outcome)cell->count);
    case CELL_TEXT: return "l";
    case CELL_WORD: return table->columns[column].flags & COLUMN_LEFT ? "w" : NULL;
    default: return table->columns[column].flags & COLUMN_LEFT ? "w" : NULL;
    }
}

static bool
is_shown(const struct table *table, int column)
{
    return !(table->columns[column].flags & (COLUMN_RAW | COLUMN_UPPER));
}

static void
put_cell(struct html *html, const struct table *table, int row, int column)
{
    const struct cell *cell = table_cell(table, row, column);
    const char *class_name = cell_class(table, cell, column);
    struct buf text = {0};

    table_cell_text(table, row, column, &text);
    if (column + 1 < table->columns_count && table->columns[column + 1].flags & COLUMN_UPPER &&
        table_cell(table, row, column + 1)->kind != CELL_NONE) {
        /* No dash beside a sign. */
        buf_puts(&text,
                 strchr(buf_text(&text), '-') ? " to " : "\xe2\x80\x89\xe2\x80\x93\xe2\x80\x89");
        table_cell_text(table, row, column + 1, &text);
    }
    if (class_name)
        buf_printf(html->out, "<td class=\"%s\">", class_name);
    else
        buf_puts(html->out, "<td>");
    element(html, "", buf_text(&text), "</td>");
    buf_free(&text);
}

static void
put_head(struct html *html, const struct table *table)
{
    buf_puts(html->out, "<thead><tr>");
    for (int column = 0; column < table->columns_count; column++)
        if (is_shown(table, column)) {
            buf_printf(html->out, "<th scope=\"col\"%s>",
                       table->columns[column].flags & COLUMN_LEFT ? " class=\"l\"" : "");
            element(html, "", table->columns[column].title, "</th>");
        }
    buf_puts(html->out, "</tr></thead>\n<tbody>\n");
}

void
html_table(struct html *html, const struct table *table, const char *caption, int first, int count,
           const char *nothing)
{
    int end = count < 0 ? table->rows_count : first + count;

    if (first >= end) {
        html_paragraph(html, nothing);
        return;
    }
    /* The frame takes the focus, so that it can be scrolled by keys. */
    buf_puts(html->out, "<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"");
    escape_html(html->out, caption);
    buf_puts(html->out, "\"><table><caption>");
    element(html, "", caption, "</caption>");
    put_head(html, table);
    for (int row = first; row < end; row++) {
        if (table->row_classes[row])
            buf_printf(html->out, "<tr class=\"%s\">", table->row_classes[row]);
        else
            buf_puts(html->out, "<tr>");
        for (int column = 0; column < table->columns_count; column++)
            if (is_shown(table, column))
                put_cell(html, table, row, column);
        buf_puts(html->out, "</tr>\n");
    }
    buf_puts(html->out, "</tbody></table></div>\n");
}

void
html_details(struct html *html, const char *summary, const struct table *table)
{
    if (table->rows_count == 0)
        return;
    element(html, "<details><summary>", summary, "</summary>\n");
    html_table(html, table, summary, 0, -1, "");
    buf_puts(html->out, "</details>\n");
}

/* ---- charts ---- */

static void
put_missing(struct html *html)
{
    if (html->missing_said)
        return;
    html->missing_said = true;
    buf_puts(html->out, "<p class=\"note missing\">No chart: ");
    escape_html(html->out, html->missing->message);
    if (html->missing->hint[0]) {
        buf_puts(html->out, "; ");
        escape_html(html->out, html->missing->hint);
    }
    buf_puts(html->out, ".</p>\n");
}

static void
put_chart(struct html *html, const struct chart *chart)
{
    if (chart->group)
        html_subheading(html, chart->group);
    buf_puts(html->out, "<figure>");
    element(html, "<figcaption>", chart->caption, "</figcaption>");
    /* As for tables: what scrolls takes the focus, and has a name then. */
    if (chart->is_wide) {
        buf_puts(html->out,
                 "<div class=\"scroll-chart\" role=\"region\" tabindex=\"0\" aria-label=\"");
        escape_html(html->out, chart->caption);
        buf_puts(html->out, "\">\n");
    } else {
        buf_puts(html->out, "<div>\n");
    }
    buf_puts(html->out, chart->plot.svg);
    buf_puts(html->out, "</div></figure>\n");
}

static void
put_absent(struct html *html, const struct chart *chart)
{
    struct buf text = {0};

    buf_printf(&text, "%s: not available; %s.", chart->caption, chart->absent);
    put_note(html, buf_text(&text));
    buf_free(&text);
}

void
html_charts(struct html *html, const char *section)
{
    const struct charts *charts = html->charts;
    bool in_grid = false;

    for (int i = 0; i < charts->count; i++) {
        const struct chart *chart = &charts->charts[i];
        if (strcmp(chart->section, section) != 0 || chart->absent)
            continue;
        bool grid = chart->plot.svg && !chart->is_wide;
        if (grid != in_grid)
            buf_puts(html->out, grid ? "<div class=\"grid\">\n" : "</div>\n");
        in_grid = grid;
        if (chart->plot.svg)
            put_chart(html, chart);
        else
            put_missing(html);
    }
    if (in_grid)
        buf_puts(html->out, "</div>\n");
    for (int i = 0; i < charts->count; i++)
        if (strcmp(charts->charts[i].section, section) == 0 && charts->charts[i].absent)
            put_absent(html, &charts->charts[i]);
}
