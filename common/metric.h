/* What was seen beside the load while a step ran: figures of the two hosts, of the server, and of
 * the sampler that looked. Written by the driver, kept by the store, read by the reports.
 *
 * A metric is a source, a name and, where there are several of a kind, an instance: driver_host
 * cpu_user cpu3, server wait LWLock:WALWrite. Its figures are those of the measured window alone;
 * its points span the whole step, ready to be drawn. docs/run-store.md lists the names. */
#ifndef ORDERMILL_COMMON_METRIC_H
#define ORDERMILL_COMMON_METRIC_H

#include <stdint.h>

enum metric_source {
    METRIC_DRIVER_HOST,
    METRIC_SERVER_HOST, /* where it is another machine */
    METRIC_SERVER,
    METRIC_SAMPLER, /* what looking costs */
    METRIC_SOURCES
};
extern const char *const metric_source_names[METRIC_SOURCES]; /* "driver_host", ... */

enum metric_kind {
    METRIC_LEVEL, /* a state: memory free, sessions */
    METRIC_RATE,  /* a counter: its growth per second; the unit is that of the counter */
    METRIC_SHARE, /* the growth of one counter over that of another */
    METRIC_KINDS
};
extern const char *const metric_kind_names[METRIC_KINDS]; /* "level", "rate", "share" */

/* At most so many metrics of a step, so many of them with points, and so many points each: when
 * these are full, neighbours become one, their mean. */
#define METRICS_MAX         4096
#define METRICS_POINTED_MAX 256
#define METRIC_POINTS_MAX   600

/* The end of the interval that the value is about, since the last virtual user ran. */
struct metric_point {
    int64_t at_us;
    double value;
};

struct metric {
    enum metric_source source;
    const char *name;     /* "cpu_user" */
    const char *instance; /* "cpu3", "sda", "LWLock:WALWrite"; "" where there is only one */
    const char *unit;     /* "percent", "bytes", "ms"; of a rate: that of `total`, per second */
    enum metric_kind kind;
    int samples;           /* looks inside the window; 0: no figures, `missing` says why */
    double mean, min, max; /* of the window: the whole growth over the whole time; of its samples */
    double first, last;    /* a level at the ends of the window; 0 for others */
    double total;          /* growth of the counter (of a share: the one on top); 0 for levels */
    int resets;            /* how often the counter began anew: what it lost is not in total */
    const char *missing;   /* "" or why it could not be had */
    struct metric_point *points; /* none where it never changed, or there is no room */
    int points_count;
};

/* NULL: no such metric, or one without figures. */
const struct metric *metric_find(const struct metric *metrics, int count, enum metric_source source,
                                 const char *name, const char *instance);

#endif
