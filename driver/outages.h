/* The outages of a level: when sessions were missing, and what that did to the rate. Pure: whoever
 * watches the sessions tells how many are missing, and when. */
#ifndef ORDERMILL_DRIVER_OUTAGES_H
#define ORDERMILL_DRIVER_OUTAGES_H

#include "common/result.h"

struct outages {
    struct outage list[OUTAGES_MAX]; /* times of the caller's clock until they are measured */
    int count;
    bool open;  /* the last one */
    int losses; /* as told last */
};

/* So many sessions are missing now, and so many were lost so far; a loss that was made good between
 * two looks is an outage too. */
void outages_look(struct outages *outages, int64_t now_us, int missing, int losses);

/* Moves the times to `origin_us` and reads from the rows of the level what each outage cost. `rows`
 * may be of any phase. */
void outages_measure(struct outages *outages, int64_t origin_us, const struct second *rows,
                     int rows_count);

#endif
