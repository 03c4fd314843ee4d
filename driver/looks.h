/* Everything that the sampler looks at: the driver's host, the server, and its host. Used by one
 * thread. What cannot be had is said to be missing, and nothing here fails. */
#ifndef ORDERMILL_DRIVER_LOOKS_H
#define ORDERMILL_DRIVER_LOOKS_H

#include "driver/hostfiles.h"
#include "driver/monitor.h"
#include "driver/pgstat.h"
#include "driver/sampler.h"

enum look_kind { LOOK_WAITS, LOOK_SERVER, LOOK_DRIVER_HOST, LOOK_SERVER_HOST, LOOK_KINDS };

struct looks {
    const char *schema;
    struct series_set *set;
    struct arena arena;
    struct monitor monitor;
    bool planned, here; /* views are known; the server is on this machine */
    struct pgstat_query queries[PGSTAT_VIEWS];
    bool failed[PGSTAT_VIEWS];
    int64_t answered_us[PGSTAT_VIEWS];
    struct pgstat_waits waits;
    bool waits_failed;
    struct hostfiles driver_host, server_host;
    int64_t spent_us[LOOK_KINDS], count[LOOK_KINDS];
};

/* The target and the schema must outlive it; `stop` is a descriptor that ends every wait. */
void looks_init(struct looks *looks, const struct sampler_rules *rules, int stop);
void looks_free(struct looks *looks);

/* At what the sessions stand. */
void looks_waits(struct looks *looks);
/* At the rest; at what is costly where `seldom`, at all there is at an edge of the window. cpu_us:
 * what the looking thread has used so far. */
void looks_all(struct looks *looks, bool seldom, bool edge, int64_t cpu_us);

#endif
