/* The search for the knee: from what was measured so far, which load to measure next, or that the
 * search is over. Pure and without memory: the same results give the same answer, so a search that
 * was broken off goes on from the stored steps, and can be replayed.
 *
 * DOUBLE     1, 2, 4, ... virtual users, until two doublings in a row bring no growth beyond noise
 * PEAK       geometric midpoints beside the highest levels, until their neighbours are hardly lower
 * LIMITS     the same between the highest load that meets the response-time limits and the next
 *            one that does not, where the best of those that meet them is not near the peak
 * REPEAT     the best levels again, until the interval of each rival against the best lies below
 *            it, or leaves no room for KNEE_INDIFFERENCE, or the repeats or the steps run out
 *
 * On curves that bend one way the levels next to the peak bound what may lie between them, which is
 * why the refinement may end; a second, narrow peak between two doublings is not seen. */
#ifndef ORDERMILL_PROFILES_KNEE_H
#define ORDERMILL_PROFILES_KNEE_H

#include "common/stats.h"

#define KNEE_STEPS_MAX    500
#define KNEE_INDIFFERENCE 0.03 /* a rival that cannot be that much better is no rival */
#define KNEE_RESOLUTION   1.03 /* loads nearer to each other than this factor are not parted */
#define KNEE_NOISE        0.02 /* of one step, relative: what is assumed before repeats tell... */
#define KNEE_NOISE_RUNS   3    /* ...and how many repeats it takes to outweigh that */

enum knee_phase { KNEE_DOUBLE, KNEE_PEAK, KNEE_LIMITS, KNEE_REPEAT, KNEE_DONE };
extern const char *const knee_phase_names[]; /* "double", "peak", "limits", "repeat", "done" */

struct knee_options {
    int first, most;              /* virtual users: where to begin, and the most allowed */
    int steps_max;                /* the budget, at most KNEE_STEPS_MAX */
    int repeats_min, repeats_max; /* runs of a headline, and of any level */
};

struct knee_result {
    int virtual_users;
    bool valid;         /* false: the step failed, or its errors or counts void it */
    double rate;        /* NOPM, or TPM where the mix has no new-order */
    bool within_limits; /* of response times */
};

struct knee_next {
    enum knee_phase phase; /* KNEE_DONE: no step left */
    int virtual_users;
    int repeat; /* from 1 */
};
struct knee_next knee_next(const struct knee_options *options, const struct knee_result *results,
                           int count);

struct knee_headline {
    int virtual_users; /* 0: there is none */
    int runs;
    double rate;                    /* mean */
    size_t rivals;                  /* levels, itself included, that are not told apart from it */
    struct stats_interval interval; /* 95 %, which allows for the choice: stats_highest_interval */
    int rival; /* virtual users of the level that may be better by KNEE_INDIFFERENCE; 0: none */
};
struct knee_outcome {
    struct knee_headline peak, within_limits;
    bool grows_at_the_end; /* the peak is at the largest load that could be tried */
    bool budget_ended;     /* the search would have gone on */
    double noise;          /* of one step, relative: assumed and measured together */
};
struct knee_outcome knee_outcome(const struct knee_options *options,
                                 const struct knee_result *results, int count);

#endif
