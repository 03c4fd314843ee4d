/* Turns departures.def into a table. */
#include "reports/departures.h"

const struct departure departures[] = {
#define DEPARTURE(clauses, what, effect) {clauses, what, effect},
#include "reports/departures.def"
#undef DEPARTURE
};
const size_t departures_count = sizeof departures / sizeof departures[0];

const char departures_disclaimer[] =
    "This workload is derived from the TPC-C Benchmark and is not comparable to published TPC-C "
    "Benchmark results, as this implementation does not comply with all requirements of the TPC-C "
    "Benchmark.";
