/* result.xml: every table of the report with raw numbers, as reports/result.xsd describes it. Pure.
 * Elements and attributes are promises: add, never rename; a change of meaning raises the version.
 */
#ifndef ORDERMILL_REPORTS_RESULT_XML_H
#define ORDERMILL_REPORTS_RESULT_XML_H

#include "reports/analysis.h"

#define RESULT_SCHEMA_VERSION 1 /* of result.xml and of the JSON document */

void result_xml(const struct run *run, const struct analysis *analysis, struct buf *out);

#endif
