/* What the states of the autopilot do. For autopilot.c alone. */
#ifndef ORDERMILL_PROFILES_AUTOPILOT_STATES_H
#define ORDERMILL_PROFILES_AUTOPILOT_STATES_H

#include "common/store.h"
#include "driver/driver.h"
#include "profiles/autopilot.h"
#include "profiles/live.h"
#include "profiles/plan.h"

/* What one run of the autopilot knows. */
struct autopilot {
    struct settings *settings;
    const struct profile *profile;
    struct arena arena; /* of the whole run */
    struct plan plan;
    struct live live;

    const char *folder;
    bool folder_made;
    struct store *store; /* NULL before PREPARE is through */

    int next;                /* index of the next step in the plan */
    struct arena step_arena; /* of the current step */
    struct step *step;
    int steps_stored, steps_measured; /* of which driver_step said more than an error */
    struct err step_failure;          /* why the first step that could not begin did not */

    struct check_result check;
    bool reported;      /* the reports are written */
    struct err failure; /* the first error of a state */
};

autopilot_function autopilot_prepare, autopilot_build, autopilot_environment, autopilot_decide,
    autopilot_reset, autopilot_step, autopilot_store, autopilot_check, autopilot_report;

#endif
