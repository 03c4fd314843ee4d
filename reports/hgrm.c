/* Owns the steps of the percentiles: five lines for each halving of the distance to 100 %, as the
 * readers of the format expect. */
#include "reports/hgrm.h"

#include <math.h>

/* Deviation from the mean, each value taken as the middle of its bucket. */
static double
deviation_us(const struct hist *hist)
{
    double mean = hist_mean_us(hist), sum = 0;

    for (int i = 0; i < HIST_BUCKETS; i++) {
        if (hist->buckets[i] == 0)
            continue;
        double middle = (double)(hist_bucket_low_us(i) + hist_bucket_end_us(i) - 1) / 2;
        sum += (double)hist->buckets[i] * (middle - mean) * (middle - mean);
    }
    return hist->count > 0 ? sqrt(sum / (double)hist->count) : 0;
}

void
hgrm_write(const struct hist *hist, struct buf *out)
{
    double percent = 0;
    uint64_t below = 0;
    int bucket = 0;

    buf_printf(out, "%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount",
               "1/(1-Percentile)");
    while (hist->count > 0 && below < hist->count) {
        int64_t value_us = hist_percentile_us(hist, percent / 100);
        while (bucket < HIST_BUCKETS && hist_bucket_low_us(bucket) <= value_us)
            below += hist->buckets[bucket++];
        if (below == hist->count)
            break;
        buf_printf(out, "%12.3f %14.12f %10llu %14.2f\n", (double)value_us / 1000, percent / 100,
                   (unsigned long long)below, 1 / (1 - percent / 100));
        double halvings = floor(log2(100 / (100 - percent))) + 1;
        percent += 100 / (HGRM_TICKS_PER_HALF * pow(2, halvings));
    }
    if (hist->count > 0)
        buf_printf(out, "%12.3f %14.12f %10llu\n", (double)hist->max_us / 1000, 1.0,
                   (unsigned long long)hist->count);
    buf_printf(out,
               "#[Mean    = %12.3f, StdDeviation   = %12.3f]\n"
               "#[Max     = %12.3f, Total count    = %12llu]\n"
               "#[Buckets = %12d, SubBuckets     = %12d]\n",
               hist_mean_us(hist) / 1000, deviation_us(hist) / 1000,
               hist->count > 0 ? (double)hist->max_us / 1000 : 0, (unsigned long long)hist->count,
               HIST_OCTAVES, 1 << HIST_SUB_BITS);
}
