/* The sections of report.html, and the few forms they are made of. Private to html*.c. */
#ifndef ORDERMILL_REPORTS_HTML_PARTS_H
#define ORDERMILL_REPORTS_HTML_PARTS_H

#include "reports/analysis.h"
#include "reports/charts.h"
#include "reports/table.h"

struct html {
    struct buf *out;
    const struct run *run;
    const struct analysis *analysis;
    const struct charts *charts;
    struct arena *arena;
    const struct err *missing; /* why no chart could be drawn; code ERR_NONE: all are there */
    bool missing_said;
};

/* html_forms.c. Texts are escaped unless they are called markup. */
void html_head(struct buf *out, const char *title); /* up to <body> */
void html_heading(struct html *html, const char *id, const char *title, const char *note_markup);
void html_subheading(struct html *html, const char *title);
void html_paragraph(struct html *html, const char *text);
/* In a frame that scrolls by itself; what stands first in a row is its name. Says `nothing` in
 * place of an empty table. */
void html_table(struct html *html, const struct table *table, const char *caption,
                const char *nothing);
/* A table that is there for whoever opens it, and for those who cannot see the chart above it. Not
 * on paper. Nothing where it has no rows. */
void html_details(struct html *html, const char *summary, const struct table *table);
/* All charts of a section, or why they are not available. */
void html_charts(struct html *html, const char *section);
/* Those of one curve, by its title, without a heading; NULL: those of none. */
void html_charts_of(struct html *html, const char *section, const char *title);
const char *html_outcome_class(enum verdict_outcome outcome);

/* html_summary.c: the first screen. */
void html_summary(struct html *html);
/* html_figures.c */
void html_levels(struct html *html);
void html_latency(struct html *html);
void html_distribution(struct html *html);
void html_time(struct html *html);
void html_warehouses(struct html *html);
void html_waits(struct html *html);
void html_cores(struct html *html);
void html_io(struct html *html);
void html_errors(struct html *html);
void html_steps(struct html *html);
/* html_proof.c */
void html_consistency(struct html *html);
void html_inputs(struct html *html);
void html_findings(struct html *html);
void html_environment(struct html *html);
void html_settings(struct html *html);
void html_again(struct html *html);
void html_departures(struct html *html);
void html_glossary(struct html *html);

#endif
