/* The list of departures from the standard, and the sentence every report carries. */
#ifndef ORDERMILL_REPORTS_DEPARTURES_H
#define ORDERMILL_REPORTS_DEPARTURES_H

#include <stddef.h>

struct departure {
    const char *clauses, *what, *effect; /* effect may be "" */
};

extern const struct departure departures[];
extern const size_t departures_count;

/* The TPC's own wording for derived work (TPC Policies 8.1.5). */
extern const char departures_disclaimer[];

#endif
