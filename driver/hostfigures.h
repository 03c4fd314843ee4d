/* What the files of a Linux host say, as metrics: text in, readings out. Pure; the same for the
 * driver's own host and for a server's, whose files come through a session. A file that is cut
 * short, or is something else, gives the readings that can be made out of it. */
#ifndef ORDERMILL_DRIVER_HOSTFIGURES_H
#define ORDERMILL_DRIVER_HOSTFIGURES_H

#include "driver/series.h"

#define HOST_CORES_MAX 256

/* In the order of the metrics. */
enum host_file {
    HOST_STAT,
    HOST_MEMINFO,
    HOST_VMSTAT,
    HOST_DISKSTATS,
    HOST_NET_DEV,
    HOST_NET_SNMP,
    HOST_PRESSURE_CPU,
    HOST_PRESSURE_IO,
    HOST_PRESSURE_MEMORY,
    HOST_ENERGY_0, /* one for each package */
    HOST_ENERGY_1,
    HOST_ENERGY_2,
    HOST_ENERGY_3,
    HOST_CPUINFO,
    HOST_FREQUENCY, /* of the first processor, in kHz: /proc/cpuinfo names none on many machines */
    HOST_GOVERNOR,  /* of the first processor */
    HOST_FILES
};

struct host_file_spec {
    const char *path;
    bool seldom;        /* costly to read: every ten seconds */
    bool one_of_many;   /* nobody misses it */
    const char *metric; /* what is missing without it, the first of them */
};
extern const struct host_file_spec host_files[HOST_FILES];

/* Feeds what the file says. */
void host_figures(struct series_set *set, enum metric_source source, enum host_file file,
                  const char *text, int64_t at_us);
/* The processors of HOST_STAT one by one, at most HOST_CORES_MAX: apart, so that they come last. */
void host_figures_cores(struct series_set *set, enum metric_source source, const char *stat_text,
                        int64_t at_us);

#endif
