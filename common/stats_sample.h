/* What a few runs say: ratios of two systems, the smallest difference that could
 * have been seen, values that stand apart, and one run cut into batches. Pure.
 *
 * The values are those of independent runs, but for stats_batch_means, which is for the seconds of
 * one run. */
#ifndef ORDERMILL_COMMON_STATS_SAMPLE_H
#define ORDERMILL_COMMON_STATS_SAMPLE_H

#include "common/rng.h"
#include "common/stats.h"

/* sd / mean; 0 where the mean is not positive. */
double stats_cv(const double *values, size_t count);

/* Mean of a over mean of b, with variances that may differ: Welch's interval (1947, with
 * Satterthwaite's degrees of freedom, 1946) on the logarithm, whose variance is the sum of the
 * squared coefficients of variation over the counts. The ratio turned over has the interval turned
 * over. Needs STATS_RATIO_MIN values each, and positive means: of two values nobody can tell how
 * far they spread, and where the other sample spreads more the interval would hold too rarely. */
#define STATS_RATIO_MIN 3
struct stats_interval stats_ratio_interval(const double *a, size_t a_count, const double *b,
                                           size_t b_count, double level);

/* The highest mean of several levels is too high by chance, the more so the more of them might have
 * been it. How many might: the highest itself, and those that Welch's interval of the difference
 * does not part from it; a level of one run is taken to scatter like the highest. Two runs part it
 * from none. */
struct stats_runs {
    const double *values;
    size_t count;
};
size_t stats_rivals(const struct stats_runs *levels, size_t count, size_t highest, double level);
/* The interval of the mean of a level that was chosen for its height among so many rivals, itself
 * included. One of several was chosen for being too high, hardly ever for being too low: all that
 * the level leaves to err is shared among the rivals below (Bonferroni), half of it stays above.
 * With one rival it is stats_mean_interval. Invalid where two runs are to tell more than
 * STATS_RIVALS_OF_TWO rivals: they do not. */
#define STATS_RIVALS_OF_TWO 3
struct stats_interval stats_highest_interval(const double *values, size_t count, size_t rivals,
                                             double level);
/* That of the ratio of two such means, a over b: where the one had more rivals than the other, what
 * is left to err on its side is shared in that proportion. */
struct stats_interval stats_highest_ratio_interval(const double *a, size_t a_count, size_t a_rivals,
                                                   const double *b, size_t b_count, size_t b_rivals,
                                                   double level);

/* The same by resampling (Efron 1979), as a check that leans on no distribution: percentiles of
 * 4,000 ratios of resampled means, further out than the level says, as small samples need (the
 * expanded percentile interval; Hesterberg 2015). Needs STATS_BOOTSTRAP_MIN values each. The same
 * seed gives the same interval. */
#define STATS_BOOTSTRAP_MIN 5
struct stats_interval stats_ratio_bootstrap(const double *a, size_t a_count, const double *b,
                                            size_t b_count, double level, uint64_t seed);

/* The smallest true difference of two means that Welch's interval at `level` would show with
 * probability `power`, for counts of values with one standard deviation, of which sd is an estimate
 * with so many degrees of freedom (INFINITY: it is known): 0 where a count is below
 * STATS_RATIO_MIN. By integration over what samples of those counts may be like, to within 1 %. */
double stats_detectable(double sd, double freedom, size_t a_count, size_t b_count, double level,
                        double power);

/* The value that Grubbs' test (1969, two-sided, 1 %) calls an outlier, by its index; -1: none.
 * Needs three values. */
int stats_outlier(const double *values, size_t count);

/* Where the values fall into two clusters: how many lie in the lower one; 0 where they do not. The
 * best split in two is held against the best splits of normal samples (Engelman and Hartigan 1969),
 * of which one in a hundred is as good; two values at least in each. Needs four values, at most
 * STATS_CLUSTERS_MAX. */
#define STATS_CLUSTERS_MAX 64
size_t stats_two_clusters(const double *values, size_t count);

/* Means of `batches` equal batches of a series, the leading rest left out; the interval of the mean
 * is Student's t over them, widened by sqrt((1 + r) / (1 - r)) with r their lag-1 correlation freed
 * of its bias, kept within 0 to 0.9. */
#define STATS_BATCHES_MAX 100
struct stats_batches {
    bool valid; /* eight batches at least, and a value in each */
    int batches;
    size_t size; /* values of one */
    double mean, lag1;
    struct stats_interval interval;
};
struct stats_batches stats_batch_means(const double *values, size_t count, int batches,
                                       double level);

#endif
