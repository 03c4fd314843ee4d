/* A comparison as a page, as text of 80 columns, and as one JSON document. */
#ifndef ORDERMILL_REPORTS_COMPARE_FORMS_H
#define ORDERMILL_REPORTS_COMPARE_FORMS_H

#include "reports/compare.h"

#define COMPARE_SCHEMA_VERSION 1 /* of the JSON */

/* `missing` as in html_report. */
void compare_html(const struct compare *compare, struct buf *out, struct err *missing);
void compare_text(const struct compare *compare, struct buf *out);
void compare_json(const struct compare *compare, struct buf *out);

/* One sentence on a ratio, for people: "1.034 (95 % interval 1.012 to 1.057): B is higher". */
void compare_sentence(const struct compare_ratio *ratio, char letter, struct buf *out);

#endif
