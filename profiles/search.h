/* A ladder that is not a list: the search for the knee decides which load comes next. Pure: what
 * has been measured so far decides, so that a run that goes on finds the same steps again.
 *
 * Each curve of the plan has a search of its own, one after the other. The plan holds room for all
 * steps that may be needed, and shrinks when a search ends before. */
#ifndef ORDERMILL_PROFILES_SEARCH_H
#define ORDERMILL_PROFILES_SEARCH_H

#include "common/result.h"
#include "profiles/knee.h"
#include "profiles/plan.h"

#define SEARCH_MOST        1000 /* virtual users, where the profile names no levels */
#define SEARCH_REPEATS_MAX 6    /* of any level, where the profile asks for no repeats */
#define SEARCH_REPEATS_MIN 3    /* of a headline */

struct search {
    bool on;      /* else the plan is a list, and nothing here does anything, unless it */
    bool repeats; /* has the steps of an earlier search: none is decided, what they show is said */
    struct knee_options options;
    int *most;                   /* virtual users of each curve, options.most at first */
    bool most_is_asked;          /* by the profile */
    struct knee_result *results; /* of the current curve */
    int count;
    int curve;              /* index of the current one */
    const char *who, *unit; /* of the last result: "virtual user"; "NOPM", or "TPM" */
    uint64_t seed;
};

/* Takes the settings; with search=knee the steps of the plan become room for it. From the lowest
 * level of the ladder to its highest, 1 to 1000 where the profile has no ladder; repeats, from 2
 * on, are the most for any level. */
void search_begin(struct search *search, struct plan *plan, struct arena *arena,
                  const struct settings *settings);
/* Appends what a dry run says of it. */
void search_text(const struct search *search, const struct plan *plan, const char *name,
                 struct buf *out);
/* No step of that curve is to have more virtual users: what the server has room for. Before the
 * first one of it. */
void search_limit(struct search *search, int curve, int most);
/* The plan holds the steps of a search of before, curve after curve, as they are to be run again.
 */
void search_repeat(struct search *search);
/* What comes next: fills the step at this index of the plan, or makes the plan end there. Where the
 * search of a curve ends, appends what it found to `outcome`, as search_outcome has it. */
void search_decide(struct search *search, struct plan *plan, int next, struct buf *outcome);
/* Appends what the search on the current curve has found so far: its two headlines, how sure they
 * are, and why it ended; nothing where it has no result. */
void search_outcome(const struct search *search, const struct plan *plan, struct buf *out);
/* A step of the current curve was measured, or failed. */
void search_take(struct search *search, const struct step *step);

#endif
