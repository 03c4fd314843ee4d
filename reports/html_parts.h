/* The sections of report.html, and the few forms they are made of. Private to html*.c. */
#ifndef ORDERMILL_REPORTS_HTML_PARTS_H
#define ORDERMILL_REPORTS_HTML_PARTS_H

#include "reports/analysis.h"

struct html {
    struct buf *out;
    const struct run *run;
    const struct analysis *analysis;
    struct err *missing; /* why charts are missing; code ERR_NONE: none is */
};

/* A column of a table: its heading, and whether it holds text (left) or figures (right). */
struct column {
    const char *title;
    bool text;
};

void html_heading(struct html *html, const char *id, const char *title, const char *note);
/* note may be NULL; a table is a frame that scrolls by itself. */
void html_table(struct html *html, const char *caption, const struct column *columns, size_t count);
void html_table_end(struct html *html);
void html_row(struct html *html, const char *class_name); /* or NULL */
void html_row_end(struct html *html);
void html_text(struct html *html, const char *text); /* escaped cell, left, may wrap */
void html_word(struct html *html, const char *text); /* the same, on one line */
void html_cell(struct html *html, const char *format, ...) PRINTF_LIKE(2, 3); /* figures */
void html_count(struct html *html, int64_t count);                            /* 1,234 */
void html_duration(struct html *html, int64_t us);                            /* 12.3ms */
void html_outcome(struct html *html, enum verdict_outcome outcome);

/* html_figures.c: levels, latency, time, errors, steps. */
void html_levels(struct html *html);
void html_latency(struct html *html);
void html_time(struct html *html);
void html_errors(struct html *html);
void html_steps(struct html *html);
/* html_proof.c: consistency, inputs, environment, repeating, departures, glossary. */
void html_consistency(struct html *html);
void html_inputs(struct html *html);
void html_environment(struct html *html);
void html_again(struct html *html);
void html_departures(struct html *html);
void html_glossary(struct html *html);

#endif
