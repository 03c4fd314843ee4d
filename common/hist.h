/* A log-linear histogram of durations: 1 us to over 24 hours, relative error below 1/128, fixed
 * size, mergeable. Values under 128 us are exact; above, every power of two has 128 buckets.
 * A value past the last bucket is counted there, and min, max and sum stay exact (the sum ends at
 * INT64_MAX). Source of the layout: HdrHistogram (Tene). */
#ifndef ORDERMILL_COMMON_HIST_H
#define ORDERMILL_COMMON_HIST_H

#include <stdint.h>

#include "common/buf.h"

#define HIST_SUB_BITS 7
#define HIST_OCTAVES  32 /* up to 2^39 us: over six days */
#define HIST_BUCKETS  ((HIST_OCTAVES + 1) << HIST_SUB_BITS)

struct hist {
    uint64_t count;
    int64_t min_us; /* valid when count > 0 */
    int64_t max_us;
    int64_t sum_us;
    uint64_t buckets[HIST_BUCKETS];
};

void hist_clear(struct hist *hist);
void hist_record(struct hist *hist, int64_t value_us); /* negative counts as 0 */
void hist_merge(struct hist *into, const struct hist *from);
/* The smallest recorded value such that at least fraction (0..1) of all values are no greater, or,
 * within the error, a little more: the upper end of its bucket. The first and the last value come
 * out exactly; never more than max_us. 0 when empty. */
int64_t hist_percentile_us(const struct hist *hist, double fraction);
/* The recorded value of that rank, from 1 to count, lies between the two: the ends of its bucket,
 * or exact for the first and the last. */
void hist_rank_us(const struct hist *hist, uint64_t rank, int64_t *low_us, int64_t *high_us);
double hist_mean_us(const struct hist *hist); /* 0 when empty */
/* Lowest value of bucket i, and the first value above it. */
int64_t hist_bucket_low_us(int bucket);
int64_t hist_bucket_end_us(int bucket);

/* A compact form for storage, independent of byte order. */
void hist_encode(const struct hist *hist, struct buf *out);
MUST_CHECK bool hist_decode(struct hist *hist, const void *data, size_t size, struct err *err);

#endif
