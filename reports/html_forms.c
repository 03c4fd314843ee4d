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

#define LONG_NAME 14 /* letters: a longer name of a row gets more room on a telephone */

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
says_nothing(const struct cell *cell)
{
    return (cell->kind == CELL_NONE || cell->kind == CELL_TEXT || cell->kind == CELL_WORD) &&
           cell->text[0] == '\0';
}

/* Which columns people see: neither those for programs, nor those with nothing in any row. */
static const bool *
shown_columns(const struct table *table, struct arena *arena)
{
    bool *shown = arena_array(arena, (size_t)table->columns_count, sizeof *shown);

    for (int column = 0; column < table->columns_count; column++) {
        int row = 0;
        while (row < table->rows_count && says_nothing(table_cell(table, row, column)))
            row++;
        shown[column] = row < table->rows_count &&
                        !(table->columns[column].flags & (COLUMN_RAW | COLUMN_UPPER));
    }
    return shown;
}

/* is_name: it tells the row from the others. */
static void
put_cell(struct html *html, const struct table *table, int row, int column, bool is_name)
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
    const char *tag = is_name ? "th" : "td";
    buf_printf(html->out, "<%s%s", tag, is_name ? " scope=\"row\"" : "");
    const char *length = is_name && text.length > LONG_NAME ? " long" : "";
    if (class_name)
        buf_printf(html->out, " class=\"%s%s\"", class_name, length);
    buf_puts(html->out, ">");
    escape_html(html->out, buf_text(&text));
    buf_printf(html->out, "</%s>", tag);
    buf_free(&text);
}

static void
put_row(struct html *html, const struct table *table, int row, const bool *shown)
{
    bool first = true;

    if (table->row_classes[row])
        buf_printf(html->out, "<tr class=\"%s\">", table->row_classes[row]);
    else
        buf_puts(html->out, "<tr>");
    for (int column = 0; column < table->columns_count; column++) {
        if (!shown[column])
            continue;
        put_cell(html, table, row, column, first);
        first = false;
    }
    buf_puts(html->out, "</tr>\n");
}

/* A percent sign stays with its number. */
static const char *
unbroken(struct arena *arena, const char *title)
{
    const char *percent = strstr(title, " %");

    return percent ? arena_printf(arena, "%.*s\u00a0%s", (int)(percent - title), title, percent + 1)
                   : title;
}

static void
put_head(struct html *html, const struct table *table, const bool *shown)
{
    buf_puts(html->out, "<thead><tr>");
    for (int column = 0; column < table->columns_count; column++)
        if (shown[column]) {
            buf_printf(html->out, "<th scope=\"col\"%s>",
                       table->columns[column].flags & COLUMN_LEFT ? " class=\"l\"" : "");
            element(html, "", unbroken(html->arena, table->columns[column].title), "</th>");
        }
    buf_puts(html->out, "</tr></thead>\n<tbody>\n");
}

void
html_table(struct html *html, const struct table *table, const char *caption, const char *nothing)
{
    if (table->rows_count == 0) {
        html_paragraph(html, nothing);
        return;
    }
    /* The frame takes the focus, so that it can be scrolled by keys. */
    buf_puts(html->out, "<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"");
    escape_html(html->out, caption);
    buf_puts(html->out, "\"><table><caption>");
    element(html, "", caption, "</caption>");
    const bool *shown = shown_columns(table, html->arena);
    put_head(html, table, shown);
    for (int row = 0; row < table->rows_count; row++)
        put_row(html, table, row, shown);
    buf_puts(html->out, "</tbody></table></div>\n");
}

void
html_details(struct html *html, const char *summary, const struct table *table)
{
    if (table->rows_count == 0)
        return;
    element(html, "<details><summary>", summary, "</summary>\n");
    html_table(html, table, summary, "");
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
put_chart(struct html *html, const struct chart *chart, bool headed)
{
    if (headed && chart->group)
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

/* Charts beside each other stand in a grid. */
static void
put_charts(struct html *html, const struct chart *const *some, int count, bool headed)
{
    bool in_grid = false;

    for (int i = 0; i < count; i++) {
        bool grid = some[i]->plot.svg && !some[i]->is_wide;
        if (grid != in_grid)
            buf_puts(html->out, grid ? "<div class=\"grid\">\n" : "</div>\n");
        in_grid = grid;
        if (!some[i]->plot.svg)
            put_missing(html);
        else
            put_chart(html, some[i], headed);
    }
    if (in_grid)
        buf_puts(html->out, "</div>\n");
}

static void
put_section(struct html *html, const char *section, bool of_all, const char *title)
{
    const struct charts *charts = html->charts;
    const struct chart **some = arena_array(html->arena, (size_t)charts->count + 1, sizeof *some);
    int count = 0;

    for (int i = 0; i < charts->count; i++) {
        const struct chart *chart = &charts->charts[i];
        if (strcmp(chart->section, section) == 0 && !chart->absent &&
            (of_all || chart->group == title))
            some[count++] = chart;
    }
    put_charts(html, some, count, of_all);
    for (int i = 0; i < charts->count && (of_all || !title); i++)
        if (strcmp(charts->charts[i].section, section) == 0 && charts->charts[i].absent)
            put_absent(html, &charts->charts[i]);
}

void
html_charts(struct html *html, const char *section)
{
    put_section(html, section, true, NULL);
}

void
html_charts_of(struct html *html, const char *section, const char *title)
{
    put_section(html, section, false, title);
}
