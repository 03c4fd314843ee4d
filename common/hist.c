/* Owns the buckets of a latency histogram and their stored form. Knows nothing of transactions or
 * of time but microseconds. */
#include "common/hist.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define SUB_BUCKETS (1 << HIST_SUB_BITS)

static int
bucket_of(int64_t value_us)
{
    if (value_us < SUB_BUCKETS)
        return (int)value_us;
    int octave = 63 - __builtin_clzll((unsigned long long)value_us) - HIST_SUB_BITS;
    if (octave >= HIST_OCTAVES)
        return HIST_BUCKETS - 1;
    /* The shifted value lies in SUB_BUCKETS .. 2 * SUB_BUCKETS - 1. */
    return octave * SUB_BUCKETS + (int)(value_us >> octave);
}

int64_t
hist_bucket_low_us(int bucket)
{
    must(bucket >= 0 && bucket < HIST_BUCKETS);
    if (bucket < SUB_BUCKETS)
        return bucket;
    int octave = bucket / SUB_BUCKETS - 1;
    return (int64_t)(bucket % SUB_BUCKETS + SUB_BUCKETS) << octave;
}

int64_t
hist_bucket_end_us(int bucket)
{
    must(bucket >= 0 && bucket < HIST_BUCKETS);
    int octave = bucket < SUB_BUCKETS ? 0 : bucket / SUB_BUCKETS - 1;
    return hist_bucket_low_us(bucket) + (INT64_C(1) << octave);
}

void
hist_clear(struct hist *hist)
{
    memset(hist, 0, sizeof *hist);
}

/* Sums end at the largest number rather than wrap. */
static int64_t
add_saturated(int64_t a, int64_t b)
{
    int64_t sum;

    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

void
hist_record(struct hist *hist, int64_t value_us)
{
    if (value_us < 0)
        value_us = 0;
    if (hist->count == 0 || value_us < hist->min_us)
        hist->min_us = value_us;
    if (hist->count == 0 || value_us > hist->max_us)
        hist->max_us = value_us;
    hist->count++;
    hist->sum_us = add_saturated(hist->sum_us, value_us);
    hist->buckets[bucket_of(value_us)]++;
}

void
hist_merge(struct hist *into, const struct hist *from)
{
    if (from->count == 0)
        return;
    if (into->count == 0 || from->min_us < into->min_us)
        into->min_us = from->min_us;
    if (into->count == 0 || from->max_us > into->max_us)
        into->max_us = from->max_us;
    into->count += from->count;
    into->sum_us = add_saturated(into->sum_us, from->sum_us);
    for (int i = 0; i < HIST_BUCKETS; i++)
        into->buckets[i] += from->buckets[i];
}

/* The rank, from 1, of the value that a fraction asks for. 0.07 * 100 is a little over 7 in binary:
 * what lies within rounding error of a whole number is that number. */
static uint64_t
rank_of(uint64_t count, double fraction)
{
    double exact = fraction * (double)count;
    double rank = ceil(exact - exact * 4 * DBL_EPSILON);

    if (!(rank > 1))
        return 1;
    return rank < (double)count ? (uint64_t)rank : count;
}

int64_t
hist_percentile_us(const struct hist *hist, double fraction)
{
    int64_t low_us, high_us;

    if (hist->count == 0)
        return 0;
    hist_rank_us(hist, rank_of(hist->count, fraction), &low_us, &high_us);
    return high_us;
}

void
hist_rank_us(const struct hist *hist, uint64_t rank, int64_t *low_us, int64_t *high_us)
{
    int bucket = 0;

    must(rank >= 1 && rank <= hist->count);
    if (rank == 1 || rank == hist->count) {
        *low_us = *high_us = rank == 1 ? hist->min_us : hist->max_us;
        return;
    }
    uint64_t seen = hist->buckets[0];
    while (seen < rank && bucket < HIST_BUCKETS - 1)
        seen += hist->buckets[++bucket];
    /* The last bucket also holds what lies past it, of which only max_us is known. */
    int64_t end_us = bucket < HIST_BUCKETS - 1 ? hist_bucket_end_us(bucket) - 1 : hist->max_us;
    int64_t start_us = hist_bucket_low_us(bucket);
    *high_us = end_us < hist->max_us ? end_us : hist->max_us;
    *low_us = start_us > hist->min_us ? start_us : hist->min_us;
}

double
hist_mean_us(const struct hist *hist)
{
    return hist->count ? (double)hist->sum_us / (double)hist->count : 0;
}

/* ---- the stored form ----
 * Version byte; then as varints (7 bits per byte, lowest first, high bit: more follow): count, min,
 * max, sum; then for each bucket that is not empty the distance to the one before and its count. */

#define FORMAT_VERSION 1

static void
put_varint(struct buf *out, uint64_t value)
{
    while (value >= 0x80) {
        buf_putc(out, (char)(value | 0x80));
        value >>= 7;
    }
    buf_putc(out, (char)value);
}

void
hist_encode(const struct hist *hist, struct buf *out)
{
    int last = -1;

    buf_putc(out, FORMAT_VERSION);
    put_varint(out, hist->count);
    if (hist->count == 0)
        return;
    put_varint(out, (uint64_t)hist->min_us);
    put_varint(out, (uint64_t)hist->max_us);
    put_varint(out, (uint64_t)hist->sum_us);
    for (int i = 0; i < HIST_BUCKETS; i++) {
        if (hist->buckets[i] == 0)
            continue;
        put_varint(out, (uint64_t)(i - last));
        put_varint(out, hist->buckets[i]);
        last = i;
    }
}

struct reader {
    const unsigned char *next, *end;
    bool failed;
};

static uint64_t
get_varint(struct reader *reader)
{
    uint64_t value = 0;

    for (int shift = 0; shift < 64 && reader->next < reader->end; shift += 7) {
        uint64_t byte = *reader->next++;
        if (shift == 63 && byte > 1)
            break;
        value |= (byte & 0x7F) << shift;
        if (byte < 0x80)
            return value;
    }
    reader->failed = true;
    return 0;
}

static int64_t
get_us(struct reader *reader)
{
    uint64_t value = get_varint(reader);

    if (value > INT64_MAX)
        reader->failed = true;
    return (int64_t)value;
}

/* Reads the buckets up to the end; false when they are malformed or do not add up to the count. */
static bool
get_buckets(struct reader *reader, struct hist *hist)
{
    uint64_t left = hist->count;
    int last = -1;

    while (!reader->failed && reader->next < reader->end) {
        uint64_t distance = get_varint(reader);
        uint64_t count = get_varint(reader);
        if (reader->failed || distance == 0 || distance > (uint64_t)(HIST_BUCKETS - 1 - last) ||
            count == 0 || count > left)
            return false;
        last += (int)distance;
        hist->buckets[last] = count;
        left -= count;
    }
    return !reader->failed && left == 0;
}

/* Whether min, max and sum can belong to the buckets. */
static bool
is_plausible(const struct hist *hist)
{
    int first = 0, last = HIST_BUCKETS - 1;

    while (hist->buckets[first] == 0)
        first++;
    while (hist->buckets[last] == 0)
        last--;
    __int128 sum_min = (__int128)hist->min_us * hist->count;
    __int128 sum_max = (__int128)hist->max_us * hist->count;
    return hist->min_us <= hist->max_us && bucket_of(hist->min_us) == first &&
           bucket_of(hist->max_us) == last && hist->sum_us <= sum_max &&
           (hist->sum_us >= sum_min || hist->sum_us == INT64_MAX);
}

bool
hist_decode(struct hist *hist, const void *data, size_t size, struct err *err)
{
    struct reader reader = {.next = data, .end = (const unsigned char *)data + size};

    hist_clear(hist);
    if (size == 0 || *reader.next++ != FORMAT_VERSION)
        return err_set(err, ERR_LOCAL, "stored histogram: unknown version or empty");
    hist->count = get_varint(&reader);
    if (hist->count > 0) {
        hist->min_us = get_us(&reader);
        hist->max_us = get_us(&reader);
        hist->sum_us = get_us(&reader);
    }
    if (!get_buckets(&reader, hist) || (hist->count > 0 && !is_plausible(hist))) {
        hist_clear(hist);
        return err_set(err, ERR_LOCAL, "stored histogram: %zu bytes are malformed", size);
    }
    return true;
}
