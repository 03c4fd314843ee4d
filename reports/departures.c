/* Turns departures.def into a table. */
#include "reports/departures.h"

#include <math.h>
#include <string.h>

const struct departure departures[] = {
#define DEPARTURE(of, clauses, what, effect) {clauses, what, effect, DEPARTURE_##of},
#include "reports/departures.def"
#undef DEPARTURE
};
const size_t departures_count = sizeof departures / sizeof departures[0];

static bool
is_standard_mix(const struct step *step)
{
    return mix_is_deck(step->mix) || memcmp(step->mix, mix_standard, sizeof step->mix) == 0;
}

static bool
has_other_limits(const struct step *step)
{
    bool other = false;

    for (int type = 0; type < TXN_STANDARD; type++)
        other = other || step_limit_us(step, (enum txn_type)type) != response_limit_us[type] ||
                fabs(step_limit_share(step, (enum txn_type)type) - RESPONSE_LIMIT_SHARE) > 1e-9;
    return other;
}

static bool
holds_of_step(const struct departure *departure, const struct step *step)
{
    switch (departure->of) {
    case DEPARTURE_ALWAYS: return true;
    case DEPARTURE_UNPACED: return step_efficiency(step) < 0;
    case DEPARTURE_DIRECT: return step->delivery_sessions == 0;
    case DEPARTURE_DEFERRED: return step->delivery_sessions > 0;
    case DEPARTURE_INSERT: return step->mix[TXN_INSERT] > 0;
    case DEPARTURE_HOMES: return step->home != HOME_SPREAD;
    case DEPARTURE_OPEN: return step->arrivals != ARRIVALS_CLOSED;
    case DEPARTURE_WEIGHTS: return !mix_is_deck(step->mix);
    case DEPARTURE_MIX: return !is_standard_mix(step);
    case DEPARTURE_LIMITS: return has_other_limits(step);
    case DEPARTURE_ISOLATION:
        return !step->isolation || strcmp(step->isolation, "serializable") != 0;
    }
    return true;
}

bool
departure_holds(const struct departure *departure, const struct run *run)
{
    const struct step nothing_asked = {.isolation = ""};

    for (int i = 0; i < run->steps_count; i++)
        if (holds_of_step(departure, &run->steps[i]))
            return true;
    return run->steps_count == 0 && holds_of_step(departure, &nothing_asked);
}

const char departures_disclaimer[] =
    "This workload is derived from the TPC-C Benchmark and is not comparable to published TPC-C "
    "Benchmark results, as this implementation does not comply with all requirements of the TPC-C "
    "Benchmark.";
