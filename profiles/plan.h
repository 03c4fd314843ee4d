/* From settings to the list of steps and the time they take. Pure.
 *
 * A profile asks for a matrix: servers, numbers of warehouses, configurations, mixes, ways to call,
 * and virtual users. A curve is one combination of all but the virtual users; a level is a curve
 * with a number of virtual users; a step is a level once. */
#ifndef ORDERMILL_PROFILES_PLAN_H
#define ORDERMILL_PROFILES_PLAN_H

#include "common/buf.h"
#include "common/json.h"
#include "profiles/profile.h"

#define PLAN_STEPS_MAX  10000
#define PLAN_CURVES_MAX 256

struct plan_step {
    int number; /* from 1, in the order in which they run */
    int virtual_users;
    int repeat; /* from 1, within its level */
    int curve;  /* index */
    uint64_t seed;
};

/* What NULL stands for is as the settings say. */
struct plan_curve {
    const char *name; /* what tells it from the others: "old, 10 warehouses, lookup"; "": nothing */
    const struct profile_server *server;
    const struct profile_configuration *configuration;
    const char *warehouses, *mix, *call;
    int database; /* index of the first curve with the same server and warehouses */
};

struct plan {
    struct plan_step *steps; /* in the arena given to plan_make */
    int count;
    struct plan_curve *curves; /* at least one */
    int curves_count;
    int64_t ramp_up_us, measure_us; /* of each step */
    int64_t measure_most_us;        /* the same, or more where a precision is asked for */
    int64_t
        step_us; /* of each step at most, with an allowance for connecting, draining, verifying */
    int64_t total_us; /* of all steps; building, checking and reporting come on top */
    bool at_most;     /* a search may end before, or a window */
};

/* ascending: curve after curve, in each level after level with its repeats; interleaved: all levels
 * of all curves once per repeat; random: all of it shuffled, the same for the same seed. The
 * profile (NULL: without servers and configurations) must live as long as the plan. More than
 * PLAN_STEPS_MAX steps or PLAN_CURVES_MAX curves must not be asked for: see plan_size. */
void plan_make(struct plan *plan, struct arena *arena, const struct settings *settings,
               const struct profile *profile);
/* How many steps and curves that would be; with a search at most so many. */
void plan_size(const struct settings *settings, const struct profile *profile, int64_t *steps,
               int64_t *curves);

/* What the database of a curve is built and checked with: its server, warehouses and schema. Where
 * warehouses are swept, those of N lie in the schema "NAME_wN". Texts stay those of `settings` and
 * of the plan; settings_free what was made. */
MUST_CHECK bool plan_database_settings(const struct plan *plan, int curve,
                                       const struct settings *settings, struct settings *out,
                                       struct err *err);
/* What a step runs with: all of its curve, its virtual users (as terminals) and its seed. */
MUST_CHECK bool plan_step_settings(const struct plan *plan, const struct plan_step *step,
                                   const struct settings *settings, struct settings *out,
                                   struct err *err);

/* The seed of the inputs of one step: seed + 2,000,000,000 curve + 1000 virtual users + repeat - 1,
 * curves counted from 0, so that neither the order of the steps nor the other levels decide it, and
 * no two steps of a profile draw the same inputs. (If they did, their mix could not be judged
 * together: a sample would count twice.) */
uint64_t plan_seed(int curve, int virtual_users, int repeat, uint64_t seed);

/* Appends the plan for people, or as
 * {"profile","curves":[{...}],"steps":[{...}],"ramp_up_s","measure_s","total_s"}. */
void plan_text(const struct plan *plan, const char *name, struct buf *out);
void plan_json(const struct plan *plan, const char *name, struct buf *out);
/* The same as members of an object within another document. */
void plan_put(const struct plan *plan, const char *name, struct json *json);

#endif
