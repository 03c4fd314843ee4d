/* Whether throughput held still over a window, and where the warm-up before it ended. Pure.
 *
 * Neighbouring seconds resemble each other, so they are no independent values: the tests look at
 * the means of batches, and widen their intervals by what correlation the batches have left. Two
 * straight lines through the batch means tell drift: one over time, one from half to half. The
 * warm-up is cut by MSER-5 (White; Hoad and Robinson): of all places in the first half, the one
 * that leaves the smallest standard error of the mean of what follows, in steps of five seconds. */
#ifndef ORDERMILL_COMMON_STEADY_H
#define ORDERMILL_COMMON_STEADY_H

#include "common/result.h"
#include "common/stats_fit.h"
#include "common/stats_sample.h"

#define STEADY_SECONDS_MIN 30
/* What batches of a shorter window tell of their own scatter is too little for an interval to hold
 * as often as it says: two minutes, of which two seconds may be shared with the phases beside them.
 */
#define STEADY_INTERVALS_SECONDS_MIN 118
#define STEADY_BATCHES               20   /* ten for windows under a minute */
#define STEADY_TREND_MAX             0.10 /* change over the window against its mean */
#define STEADY_HALVES_MAX            0.05 /* second half against the first, and the mean */
#define STEADY_CHANGE_SEEN           0.20 /* a trend that a steady window must exclude */
#define STEADY_LEVEL                 0.975 /* of each interval, so that both tests together err in 5 % */
#define STEADY_LATE_EFFECT           0.01 /* of a late warm-up on the mean of the window */
/* In so many cases at most is what drifts called STEADY, or what is steady DRIFTING: measured on
 * made-up series by the tests, docs/statistics.md has them all, and where this ends. */
#define STEADY_ERROR_PERCENT 5

enum steady_state { STEADY_TOO_SHORT, STEADY_STEADY, STEADY_DRIFTING };
extern const char *const steady_names[]; /* "TOO SHORT", "STEADY", "DRIFTING" */

/* What the server did meanwhile, from elsewhere. */
struct steady_facts {
    int checkpoints;            /* that began inside the window; -1: not available */
    int autovacuums;            /* runs that ended inside the window; -1: not available */
    int64_t checkpoint_cycle_s; /* checkpoint_timeout */
};

struct steady {
    enum steady_state state;
    int seconds;   /* whole ones inside the window */
    bool tested;   /* enough of them, and some throughput; else only warm_up_s may be known */
    int ramp_up_s; /* as it really was */
    int warm_up_s; /* as found, from when the last virtual user ran; -1: no end of it found */
    bool late;     /* it reaches into the window, and moved the mean by over STEADY_LATE_EFFECT */
    double late_effect; /* on the mean of the window; 0 unless late */
    /* Of new-orders per second against their mean, with STEADY_LEVEL intervals; these are invalid,
     * and so are the batches', below STEADY_INTERVALS_SECONDS_MIN. */
    double trend;  /* change over the whole window */
    double halves; /* second half less first */
    struct stats_interval trend_interval, halves_interval;
    /* Of new-orders per second: how well this run's mean is known. No interval where the window
     * ended because its scatter looked small (a precision): that would hold too rarely. */
    struct stats_batches batches;
    double lag1;        /* correlation of neighbouring batch means about the trend */
    bool cycle_covered; /* a checkpoint inside, or where that is not known, a window of a whole
                           cycle */
    struct steady_facts facts;
};

/* `rates`: new-orders of each whole second from when the last virtual user ran; the window begins
 * at index `window_first` and ends with them. */
struct steady steady_of_series(const double *rates, int count, int window_first,
                               const struct steady_facts *facts);
struct steady steady_of_step(const struct step *step, const struct steady_facts *facts);

/* The number of seconds to cut from the start of a series, a multiple of five; -1 where the best
 * cut is not in its first half: then no end of the warm-up was seen. Needs 20 values, else -1. */
int steady_mser5(const double *rates, int count);

#endif
