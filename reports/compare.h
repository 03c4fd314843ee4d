/* Two systems or more against the first of them: ratios with intervals, what each order costs, and
 * every difference in configuration. Pure.
 *
 * A ratio is another run's mean over that of the first, with its interval on the logarithm (Welch).
 * Where the interval holds 1 the data show no difference, and nothing here says "faster". Where the
 * runs did not do the same work there is no ratio at all, only the reasons. */
#ifndef ORDERMILL_REPORTS_COMPARE_H
#define ORDERMILL_REPORTS_COMPARE_H

#include "reports/analysis.h"

#define COMPARE_RUNS_MAX 8
#define COMPARE_POWER    0.80 /* of the smallest difference that would have been shown */

struct compare_run {
    const char *folder;
    const struct run *run;
    const struct analysis *analysis;
    double cost_per_hour, watts; /* as the user states them; NAN: not stated */
};

struct compare_ratio {
    double base, other; /* means; NAN: one of them has no such figure */
    int base_runs, other_runs;
    double ratio; /* NAN where there is none */
    struct stats_interval interval;
    struct stats_interval bootstrap; /* the same by resampling, as a check; from five runs each */
    double detectable; /* relative difference that would have been shown; 0: not known */
    size_t base_rivals, other_rivals; /* among which the two were chosen; 1: they were not */
    /* "higher", "lower", "no difference shown", "fewer than three runs, so no interval", ... */
    const char *words;
};
#define COMPARE_FEW_RUNS "fewer than three runs"

struct compare_level {
    const char *title; /* of its curve; "" where there is one only */
    int warehouses, virtual_users;
    struct compare_ratio nopm; /* TPM where the mix has no new-order */
    struct compare_ratio p95;  /* of the response of New-Order, or of the probe; no interval */
};

enum compare_cost {
    COST_CLIENT_CPU, /* microseconds of the driver per new-order */
    COST_SERVER_CPU, /* of the server's whole host */
    COST_WAL,        /* bytes per new-order */
    COST_ENERGY,     /* joules of the server's host per new-order, as read */
    COSTS
};
extern const char *const compare_cost_names[COSTS];
extern const char *const compare_cost_titles[COSTS];

#define COMPARE_REASONS_MAX 16
struct comparison {
    const char *reasons[COMPARE_REASONS_MAX]; /* why they are not comparable */
    int reasons_count;
    const char *warnings[COMPARE_REASONS_MAX];
    int warnings_count;
    struct compare_ratio peak, within_limits; /* the two headlines */
    struct compare_level *levels;
    int levels_count;
    struct compare_ratio costs[COSTS]; /* each at its own peak */
};

struct difference {
    const char *kind; /* "setting", "server", "workload", ... */
    const char *name;
    const char *values[COMPARE_RUNS_MAX]; /* NULL: not recorded */
    bool is_state; /* what a run finds or leaves, as a size: not of the configuration */
};

struct compare {
    const struct compare_run *runs;
    int count;
    struct comparison pairs[COMPARE_RUNS_MAX]; /* of run i against run 0; [0] is not used */
    struct difference *differences;
    int differences_count;
    bool same_configuration; /* nothing differs but states */
};

/* At least two runs. Everything made lies in the arena. */
void compare_make(struct compare *compare, const struct compare_run *runs, int count,
                  struct arena *arena);
bool compare_is_comparable(const struct comparison *pair);
extern const char compare_rule[]; /* by which that is judged, in words */
/* What the levels of the first run are measured by: "NOPM", "TPM" or "NOPM or TPM". */
const char *compare_rate_name(const struct compare *compare);
/* Whether levels of two runs did the same work, their virtual users apart. by_name: one of the runs
 * has several curves. */
bool compare_matches(const struct analysis_level *level, const struct analysis_level *like,
                     bool by_name);

enum compare_decision { DECISION_HOLDS, DECISION_UNDER, DECISION_UNDECIDED };
/* UNDER only when the whole interval of a ratio of the peaks lies under `least`, HOLDS when all
 * intervals lie at or over it. */
enum compare_decision compare_decide(const struct compare *compare, double least);

/* Money, or watt-hours, for a thousand new-orders at the peak; NAN: not stated. */
double compare_money(const struct compare_run *run);
double compare_energy(const struct compare_run *run);

/* compare_differences.c */
void compare_differences(struct compare *compare, struct arena *arena);
/* What the steps of a run have in common or not, as text: "10, 100". */
const char *compare_workload(const struct run *run, const char *name, struct arena *arena);

#endif
