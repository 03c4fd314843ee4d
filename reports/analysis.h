/* What the steps of a run say together: levels, peak, scalability, warnings, verdicts. Pure; every
 * renderer shows this same analysis.
 *
 * The independent unit is the run, not the second: means, deviations and intervals are over the
 * repeats of a level, percentiles come from the pooled histograms of its repeats. Steps that failed
 * or were interrupted are listed and excluded. */
#ifndef ORDERMILL_REPORTS_ANALYSIS_H
#define ORDERMILL_REPORTS_ANALYSIS_H

#include "common/inputs.h"
#include "common/stats_fit.h"
#include "common/stats_usl.h"
#include "common/verdict.h"

#define ANALYSIS_LEVEL 0.95 /* of every interval */

struct analysis_level {
    int curve;                 /* index */
    const char *configuration; /* analysis_label */
    int warehouses, virtual_users;
    const struct step **steps; /* the complete ones, in the order in which they ran */
    int runs;
    double *nopm; /* of each, as all of these; TPM where the mix has no new-order (step_rate) */
    double nopm_mean, nopm_sd;
    double nopm_cv; /* sd / mean */
    struct stats_interval nopm_interval;
    double tpm_mean;
    double client_cpu;                        /* share of the driver's cores, mean */
    struct txn_stats transactions[TXN_TYPES]; /* pooled */
    struct hist lag;                          /* pooled */
    bool latency_holds;       /* every type within the limits of its 90th percentile */
    enum steady_state steady; /* the worst of its runs: DRIFTING, TOO SHORT, STEADY */
    int outlier;     /* index of a run that stands apart from the others (Grubbs); -1: none */
    size_t clusters; /* runs in the lower of two clusters that they fall into; 0: they do not */
    bool stands;     /* no run of it has a FAIL for errors or for the driver's count */
};

/* Straight lines through the runs of a curve; see fits.h. */
enum fit_kind { FIT_RESPONSE, FIT_DRIVER_CPU, FIT_SERVER_CPU, FITS };

/* Levels that differ in virtual users alone: one line of a chart. */
struct analysis_curve {
    const char *title; /* what tells it from the others */
    int first, count;  /* of its levels */
    /* Indexes of levels; -1: there is none. */
    int peak, within_limits; /* as below, of its own levels */
    struct stats_usl usl;
    double usl_most; /* the largest load it was fitted to */
    struct stats_line fits[FITS];
};

struct analysis {
    struct analysis_level *levels; /* by curve, then virtual users */
    int levels_count;
    struct analysis_curve *curves; /* as planned */
    int curves_count;
    int steps_excluded; /* failed, interrupted or skipped */
    /* Indexes of levels; -1: there is none. */
    int peak;                          /* highest mean of the levels that stand; NOPM, if any */
    int within_limits;                 /* the same, of those within the latency limits too */
    struct stats_usl usl;              /* that of the peak's curve */
    double usl_most;                   /* the largest load it was fitted to */
    bool inputs_judged;                /* the mix was the standard one throughout */
    struct input_check inputs[INPUTS]; /* over all complete steps together */
    const char **warnings;
    int warnings_count;
    struct verdict verdicts[VERDICTS];
};

/* The headline, or the one within the limits, for what it is: the highest of some levels, of which
 * `rivals` (itself included) might as well have been it. 0 and no interval: there is no such
 * headline. The interval allows for the choice, see stats_highest_interval; that of the level
 * itself, as in the table of levels, holds for a level that was named before it was measured. */
struct analysis_headline {
    size_t rivals;
    struct stats_interval interval;
};
struct analysis_headline analysis_headline(const struct analysis *analysis, bool within_limits);
struct analysis_headline analysis_curve_headline(const struct analysis *analysis,
                                                 const struct analysis_curve *curve,
                                                 bool within_limits);
/* "95 % interval 1,900 to 2,100, mean of 3 runs, chosen among 2 levels that are not told apart", or
 * why there is none. */
void analysis_headline_text(const struct analysis *analysis, bool within_limits, struct buf *out);

/* All but fits and warnings, which are made from it: analysis_make of analyse.h does the whole. */
void analysis_levels(struct analysis *analysis, const struct run *run, struct arena *arena);

/* What tells the curve of a step from the others, beside warehouses: "old, lookup"; the
 * configuration where the plan has no name for it; "" where there is nothing to tell. */
const char *analysis_label(const struct step *step);
/* What the curve of a step is called: "10 warehouses", "1 warehouse, big buffers", or as the plan
 * has it. */
const char *analysis_curve_title(const struct step *step, struct arena *arena);
/* The share (0..1) of virtual users that have to share their home warehouse when homes are spread
 * evenly. */
double analysis_collisions(int virtual_users, int warehouses);
/* How many curves are measured by the same rate as the one of this level, itself included. */
int analysis_rivals(const struct analysis *analysis, const struct analysis_level *level);
uint64_t analysis_outcomes(const struct analysis_level *level, enum outcome outcome);
/* In one level, of all types. */
uint64_t analysis_retries(const struct analysis_level *level);

#endif
