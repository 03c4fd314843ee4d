/* Turns departures.def into a table. */
#include "reports/departures.h"

const struct departure departures[] = {
#define DEPARTURE(clauses, what, effect)         {clauses, what, effect, false},
#define UNPACED_DEPARTURE(clauses, what, effect) {clauses, what, effect, true},
#include "reports/departures.def"
#undef DEPARTURE
#undef UNPACED_DEPARTURE
};
const size_t departures_count = sizeof departures / sizeof departures[0];

bool
departure_holds(const struct departure *departure, const struct run *run)
{
    for (int i = 0; i < run->steps_count; i++)
        if (step_efficiency(&run->steps[i]) < 0)
            return true;
    return !departure->unpaced_only || run->steps_count == 0;
}

const char departures_disclaimer[] =
    "This workload is derived from the TPC-C Benchmark and is not comparable to published TPC-C "
    "Benchmark results, as this implementation does not comply with all requirements of the TPC-C "
    "Benchmark.";
