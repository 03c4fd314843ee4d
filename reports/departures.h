/* The list of departures from the standard, and the sentence every report carries. */
#ifndef ORDERMILL_REPORTS_DEPARTURES_H
#define ORDERMILL_REPORTS_DEPARTURES_H

#include <stddef.h>

#include "common/result.h"

enum departure_of {
    DEPARTURE_ALWAYS,
    DEPARTURE_UNPACED,  /* not at the standard's pace with ten terminals per warehouse */
    DEPARTURE_DIRECT,   /* not where deliveries were deferred... */
    DEPARTURE_DEFERRED, /* ...and there alone */
    DEPARTURE_INSERT,   /* only where the probe that inserts was run */
    /* Only where it was asked for. */
    DEPARTURE_HOMES,
    DEPARTURE_OPEN,
    DEPARTURE_MIX,
    DEPARTURE_LIMITS,
    DEPARTURE_WEIGHTS,   /* not where the mix is dealt from a deck of cards */
    DEPARTURE_ISOLATION, /* not where all was serializable */
};

struct departure {
    const char *clauses, *what, *effect; /* effect may be "" */
    enum departure_of of;                /* which steps */
};

extern const struct departure departures[];
extern const size_t departures_count;

/* Whether it is one of this run. */
bool departure_holds(const struct departure *departure, const struct run *run);

/* The TPC's own wording for derived work (TPC Policies 8.1.5). */
extern const char departures_disclaimer[];

#endif
