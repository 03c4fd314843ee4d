/* What the states of the autopilot do. For the autopilot's own files. */
#ifndef ORDERMILL_PROFILES_AUTOPILOT_STATES_H
#define ORDERMILL_PROFILES_AUTOPILOT_STATES_H

#include "common/pg.h"
#include "common/store.h"
#include "driver/driver.h"
#include "profiles/autopilot.h"
#include "profiles/hooks.h"
#include "profiles/live.h"
#include "profiles/plan.h"
#include "profiles/run_folder.h"
#include "profiles/search.h"
#include "profiles/stop.h"
#include "profiles/template.h"

/* What one run of the autopilot knows. */
struct autopilot {
    struct settings *settings;
    const struct profile *profile;
    struct arena arena; /* of the whole run */
    struct plan plan;
    struct search search;
    struct live live;

    struct run_folder folder;
    struct store *store;       /* NULL before PREPARE is through */
    const struct run *earlier; /* what the store held when the run was resumed; NULL: a new run */

    struct template *templates; /* of the databases of the plan, by index of their first curve;
                                   NULL without reset=template */
    bool first_again;           /* the last step repeats the first level: the two are compared */
    struct step *first;         /* a copy of step 1, without its texts; NULL: it is not complete */
    bool server_goes;           /* with the run, as that of the demo does: no way to go on */
    const char *again;          /* folder of the run that this one repeats; NULL: none */
    const struct run *then;     /* what is in it */

    int warehouses;                  /* of the largest database; 0 before BUILD is through */
    int next;                        /* index of the next step in the plan */
    const struct plan_step *planned; /* the current one */
    struct arena step_arena;         /* of the current step */
    struct step *step;
    int steps_stored, steps_measured; /* of which driver_step said more than an error */
    int steps_here;                   /* stored by this process */
    int failures;                     /* steps that failed, in a row */
    struct err step_failure;          /* why the first step that could not begin did not */

    bool hooks_of_step, hooks_of_run; /* those before it have begun, those after it are due */
    bool hook_failed;                 /* what it printed is in the folder */

    struct stop_result *results; /* of the steps so far; NULL: none */
    int results_count;

    struct check_result check;
    bool reported;      /* the reports are written */
    struct err failure; /* the first error of a state */
};

autopilot_function autopilot_prepare, autopilot_build, autopilot_environment, autopilot_decide,
    autopilot_reset, autopilot_step, autopilot_store, autopilot_check, autopilot_report;

/* Runs the hooks of that moment, about the current step; those after it only when those before it
 * have begun, whatever became of it. */
MUST_CHECK bool autopilot_hook(struct autopilot *autopilot, enum hook_moment moment,
                               struct err *err);
/* Keeps what the rules for leaving levels out want to know of a step that is stored. */
void autopilot_remember(struct autopilot *autopilot, const struct step *step);
/* Whether the current step need not be measured; then its status and reason say so. */
bool autopilot_left_out(struct autopilot *autopilot);
/* The consistency conditions on all databases of the plan, in one result; its texts live as long as
 * the run. */
MUST_CHECK bool autopilot_check_all(struct autopilot *autopilot, const char *moment,
                                    struct check_result *all, struct err *err);
/* The same where the profile wants it before the first step, and on the database of the current one
 * after it: true when there is nothing to check, or nothing wrong. */
MUST_CHECK bool autopilot_check_before(struct autopilot *autopilot, struct err *err);
MUST_CHECK bool autopilot_check_step(struct autopilot *autopilot, struct err *err);

#define AUTOPILOT_ENDED "complete" /* the last event of a run that has its reports */

#define AUTOPILOT_SEARCH       "search" /* the event whose detail is what a search has found */
#define AUTOPILOT_SEARCH_LIMIT "search limit" /* and the one that says how far it may go */
#define AUTOPILOT_LIMIT_TEXT   "curve %d: at most %d virtual users" /* how its detail begins */
/* Says it and writes it to the journal, once; "" is nothing. */
void autopilot_note_search(struct autopilot *autopilot, const char *outcome);

/* Drops the copies of reset=template, if there are any and the run is over. */
void autopilot_drop_copies(struct autopilot *autopilot);
/* That of this curve's database; NULL without reset=template. */
struct template *autopilot_template(const struct autopilot *autopilot, int curve);
/* Remembers step 1, to compare the last one with it. */
void autopilot_keep_first(struct autopilot *autopilot, const struct step *step);
/* Makes plan, search and live from settings and profile. */
void autopilot_plan(struct autopilot *autopilot);

/* Reads the run of an autopilot from a folder; ERR_LOCAL where it is none. */
MUST_CHECK bool autopilot_recall_run(const char *folder, struct arena *arena, struct run *run,
                                     struct err *err);
/* Makes this run, planned already, a repetition of that one, which has to live as long. */
void autopilot_take_again(struct autopilot *autopilot, const struct run *then, const char *folder);
/* The current step as the run that this one repeats has it; NULL: it has none. */
const struct step *autopilot_step_then(const struct autopilot *autopilot);
/* How far its searches may go is what that run saw when it began. */
void autopilot_take_limits(struct autopilot *autopilot, const struct run *run);
/* Appends what both say together, and writes it into "again.txt" of the folder. */
MUST_CHECK bool autopilot_reproduction(const struct autopilot *autopilot, struct buf *out,
                                       struct err *err);

#define AUTOPILOT_AGAIN "again" /* the event whose detail is the folder of the run repeated */

/* Appends to the journal of the run, about step `step` (0: none); the clock is read here. What
 * cannot be written is only said with -v: the next step that cannot be stored ends the run. */
void autopilot_note(struct autopilot *autopilot, const struct event *event);

/* Connects, with the patience of "wait-for-server": a server that is restarted, by whomever, comes
 * back. */
MUST_CHECK struct pg *autopilot_connect(struct autopilot *autopilot, const struct pg_target *target,
                                        struct err *err);

/* From now on this may take so long: every wait for the server then ends with an error. */
void autopilot_keep_limit(const char *what, int64_t limit_us);

/* Runs the table from this state on, and ends the run: prints, lets go of the folder, and returns
 * the exit status. The plan and live are made, as is what the states before would have made. */
int autopilot_fly(struct autopilot *autopilot, enum autopilot_state from);

#endif
