/* What spoils measurements: facts in, findings out. Pure; gathering the facts is doctor_host.c's
 * and doctor_server.c's. Every check is a row of one table; docs/doctor.md says what each looks at,
 * and a test proves that it names them all. */
#ifndef ORDERMILL_DRIVER_DOCTOR_H
#define ORDERMILL_DRIVER_DOCTOR_H

#include "common/result.h"
#include "driver/engine.h"

#define DOCTOR_TEXT 64
enum { DOCTOR_UNKNOWN = -1 };

/* Numbers are DOCTOR_UNKNOWN and texts empty where they are not known. */
struct host_facts {
    bool known;
    const char *where;   /* "driver's host" */
    int present, online; /* processors */
    int allowed;         /* that this program, of a server its session, may run on */
    double quota;        /* processors' worth of time that its control group may use */
    bool virtual;        /* the processors are lent by a hypervisor */
    int governed;        /* with a governor that is told */
    int slow_governed;   /* of them with another one than performance; `governor` is the first's */
    char governor[DOCTOR_TEXT];
    int saving; /* processors with an energy preference or bias toward saving; `preference` tells */
    char preference[DOCTOR_TEXT];
    int smt;                                   /* 1: several threads share a core */
    char huge_pages[DOCTOR_TEXT];              /* transparent ones: "always", "madvise", "never" */
    int64_t huge_total_bytes, huge_free_bytes; /* explicit ones */
    int64_t memory_bytes, swap_used_bytes;
    char clock_source[DOCTOR_TEXT], clock_sources[DOCTOR_TEXT]; /* in use; to be had */
    double busy_percent, steal_percent;                         /* while nothing was measured yet */
    /* Single-core speed, millions of steps of a loop of our own in a second of processor time, or,
     * of a server on another host, of the clock: the best of several rounds, and how far the median
     * was below it. */
    double speed, speed_spread_percent;
    bool speed_by_clock;
};

struct server_facts {
    bool known, local, same_host;
    char why[256]; /* not known */
    struct engine engine;
    int64_t rtt_us, bytes_per_s;  /* of the connection: an empty round trip, a large answer */
    char role[DOCTOR_TEXT];       /* quoted, as a GRANT takes it */
    char filesystem[DOCTOR_TEXT]; /* that holds the data: "ext4", "tmpfs" */
    int64_t shared_buffers_bytes, max_wal_size_bytes, data_bytes; /* data: of the kit's schema */
    int fsync, full_page_writes, autovacuum, track_counts, jit, checksums, assertions; /* 0, 1 */
    char synchronous_commit[DOCTOR_TEXT], huge_pages[DOCTOR_TEXT];
    char huge_pages_status[DOCTOR_TEXT]; /* of 17 and later: what it came to */
    int64_t huge_pages_needed;
    char synchronous_standbys[DOCTOR_TEXT], log_statement[DOCTOR_TEXT];
    int64_t log_duration_ms;               /* log_min_duration_statement; -1 is off, as unknown */
    char optimisation[DOCTOR_TEXT];        /* of the server's build: "-O2", "none" */
    int in_recovery, standbys, idle_slots; /* slots that nobody reads */
    int other_active, other_open,
        hidden;                   /* sessions that are not ours; open: idle in a transaction */
    int prepared;                 /* transactions */
    int unlogged, unvacuumed;     /* tables of the schema; with autovacuum switched off */
    char unvacuumed_resets[1024]; /* the commands that switch it on again */
    int tables, unanalyzed;       /* of the schema; never analyzed, or most of whose rows changed */
};

struct doctor_facts {
    struct host_facts driver_host, server_host; /* the second where it is another one */
    struct server_facts server;
    bool optimised, sanitized; /* this program */
};

/* All hosts and the server unknown. */
void doctor_facts_init(struct doctor_facts *facts);

/* The findings, the worst first, at most FINDINGS_MAX; returns how many. */
int doctor_findings(const struct doctor_facts *facts, struct arena *arena,
                    struct finding findings[FINDINGS_MAX]);
/* The name of the i-th check, NULL past the last. */
const char *doctor_check_name(int i);

#endif
