/* Runs a whole profile unattended: builds what is missing, measures step after step, checks, and
 * reports. It is a table of states; what each state does is in autopilot_states.c.
 *
 * What was measured is on disk before the next step begins. A step that fails is recorded with its
 * reason, and the ladder goes on. SIGINT and SIGTERM end the current step, and what there is by
 * then is reported, labelled as partial. */
#ifndef ORDERMILL_PROFILES_AUTOPILOT_H
#define ORDERMILL_PROFILES_AUTOPILOT_H

#include "common/cli.h"
#include "profiles/profile.h"

enum autopilot_state {
    AUTOPILOT_PREPARE,
    AUTOPILOT_BUILD,
    AUTOPILOT_ENVIRONMENT,
    AUTOPILOT_DECIDE,
    AUTOPILOT_RESET,
    AUTOPILOT_STEP,
    AUTOPILOT_STORE,
    AUTOPILOT_CHECK,
    AUTOPILOT_REPORT,
    AUTOPILOT_END,
    AUTOPILOT_STATES
};

struct autopilot;
/* True leads to on_ok, false to on_fail; an error in err is kept for the end, the first one wins.
 */
typedef bool autopilot_function(struct autopilot *autopilot, struct err *err);

/* What a state's limit of time is made of, beside the setting "patience". */
enum autopilot_work {
    AUTOPILOT_WORK_STEP = 1,       /* the planned time of a step, and 0.1 s for each virtual user */
    AUTOPILOT_WORK_WAREHOUSES = 2, /* 5 s for each warehouse */
    AUTOPILOT_WORK_SERVER = 4,     /* the setting "wait-for-server" */
    AUTOPILOT_WORK_VACUUM = 8,     /* the setting "autovacuum-wait" */
};

struct autopilot_row {
    enum autopilot_state state, on_ok, on_fail;
    const char *name;
    bool in_journal;
    unsigned work;                /* of enum autopilot_work */
    autopilot_function *function; /* NULL: END */
    const char *comment;          /* what it does, and what waits it has limits for */
};
extern const struct autopilot_row autopilot_table[AUTOPILOT_STATES];

/* How long a state may take, in microseconds, on so many warehouses. Past it every wait for the
 * server ends with an error, and the state has failed; what cannot be ended that way ends the
 * process (watchdog.h). */
struct plan;
int64_t autopilot_limit_us(const struct autopilot_row *row, const struct settings *settings,
                           const struct plan *plan, int warehouses, int virtual_users);

/* Runs the profile with these settings into the folder that --output names, or a new one; prints
 * the summary, or with --json the document, on stdout. `server_stays`: a run that is broken off can
 * be resumed later, and is told how. Returns the exit status: 0; 1 a verdict is
 * FAIL; 6 the data are inconsistent; 130, 143 interrupted; else that of the error, which is
 * printed. */
int autopilot_run(struct settings *settings, const struct profile *profile, bool server_stays);

/* Goes on with the run in this folder, with the step after the last one that is stored; what was
 * interrupted is measured anew. Profile and settings come from the store: a profile (`path`, NULL
 * for none) or a --set must agree with it. Refuses a folder of a complete run, of another version
 * of the kit, of another load of the schema, or that another process uses. Exit status as above. */
int autopilot_resume(struct settings *settings, const char *folder, const char *path);

/* Repeats the run in this folder, which stays as it is, in a new one: the same profile, settings,
 * seed and steps. Says in the end, level by level, whether the result was reproduced. Exit status
 * as above. */
int autopilot_again(struct settings *settings, const char *folder);

extern const struct command autopilot_command;
extern const struct command plan_command;
extern const struct command demo_command;

#endif
