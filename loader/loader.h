/* What the loader does for others: the whole load, and the whole check. */
#ifndef ORDERMILL_LOADER_LOADER_H
#define ORDERMILL_LOADER_LOADER_H

#include "common/build.h"
#include "common/result.h"

/* Wall time of each phase, and what it took. A phase that did not run has 0. */
struct loader_report {
    int warehouses, jobs;
    double elapsed_s;
    double phase_s[BUILD_PHASES];
    int64_t rows, bytes; /* sent by this load; a resumed load counts its own part */
    double client_cpu_s; /* of this process, user and system */
    double client_user_s;
    struct check_result check; /* done is false when the check did not run */
};

/* Builds what the settings ask for: warehouses, jobs, seed, schema, replace, resume, only. Says how
 * it goes on stderr. The texts of report->check live in the arena. A broken condition is
 * ERR_INCONSISTENT, with the report filled. */
MUST_CHECK bool loader_load(const struct settings *settings, struct arena *arena,
                            struct loader_report *report, struct err *err);

/* All twelve conditions over parallel connections; result->moment is a copy of `moment`. True when
 * all were tested, whether they hold or not: see loader_violations. */
MUST_CHECK bool loader_check(const struct settings *settings, const char *moment,
                             struct arena *arena, struct check_result *result, struct err *err);
int64_t loader_violations(const struct check_result *result);

/* Connections for loading and checking: --jobs, or one per core of this machine, at most 8. */
int loader_jobs(const struct settings *settings);

#endif
