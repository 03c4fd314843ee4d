/* Turns departures.def into a table. */
#include "reports/departures.h"

const struct departure departures[] = {
#define DEPARTURE(clauses, what, effect)          {clauses, what, effect, DEPARTURE_ALWAYS},
#define UNPACED_DEPARTURE(clauses, what, effect)  {clauses, what, effect, DEPARTURE_UNPACED},
#define DIRECT_DEPARTURE(clauses, what, effect)   {clauses, what, effect, DEPARTURE_DIRECT},
#define DEFERRED_DEPARTURE(clauses, what, effect) {clauses, what, effect, DEPARTURE_DEFERRED},
#include "reports/departures.def"
#undef DEPARTURE
#undef UNPACED_DEPARTURE
#undef DIRECT_DEPARTURE
#undef DEFERRED_DEPARTURE
};
const size_t departures_count = sizeof departures / sizeof departures[0];

static bool
holds_of_step(const struct departure *departure, const struct step *step)
{
    switch (departure->of) {
    case DEPARTURE_ALWAYS: return true;
    case DEPARTURE_UNPACED: return step_efficiency(step) < 0;
    case DEPARTURE_DIRECT: return step->delivery_sessions == 0;
    case DEPARTURE_DEFERRED: return step->delivery_sessions > 0;
    }
    return true;
}

bool
departure_holds(const struct departure *departure, const struct run *run)
{
    for (int i = 0; i < run->steps_count; i++)
        if (holds_of_step(departure, &run->steps[i]))
            return true;
    return run->steps_count == 0 && departure->of != DEPARTURE_DEFERRED;
}

const char departures_disclaimer[] =
    "This workload is derived from the TPC-C Benchmark and is not comparable to published TPC-C "
    "Benchmark results, as this implementation does not comply with all requirements of the TPC-C "
    "Benchmark.";
