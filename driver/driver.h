/* What the driver does for the commands above it: one load level, and a description of where it
 * ran. Everything else under driver/ is its own affair.
 *
 * A load level opens one session per virtual user, runs the mix through a warm-up, a measured
 * window and a bounded drain, and proves from the database's own order counters that it counted
 * right. It installs nothing and loads nothing. */
#ifndef ORDERMILL_DRIVER_DRIVER_H
#define ORDERMILL_DRIVER_DRIVER_H

#include "common/result.h"
#include "common/settings.h"

/* The state of a running level, given once a second from the thread that called driver_step. */
struct driver_progress {
    enum phase phase;
    int64_t elapsed_us;          /* since this phase began */
    int64_t planned_us;          /* its length; 0 where it has none (connecting, draining) */
    int virtual_users;           /* alive now */
    const char *who;             /* they are: "virtual user", "terminal" */
    double nopm, tpm;            /* of the last second; nopm negative: no new-order in the mix */
    int64_t new_order_p95_us;    /* response, of the last second; 0 when none ended */
    uint64_t failed;             /* failed and lost, since the first transaction */
    const struct second *latest; /* NULL before the first */
};
typedef void driver_progress_fn(void *context, const struct driver_progress *progress);

/* What is held against the database's own sums before and after a level. The counters of the
 * districts cost nothing. Full reads stock and history through, twice: auto does so up to a size at
 * which that takes about a second. */
enum driver_verify { DRIVER_VERIFY_AUTO, DRIVER_VERIFY_COUNTERS, DRIVER_VERIFY_FULL };
enum { DRIVER_VERIFY_AUTO_WAREHOUSES = 20 };

struct driver_options {
    const struct settings *settings; /* where to connect; must outlive the call */
    const char *schema;
    const char *isolation;  /* "read committed", ...; NULL leaves the server's default */
    const char *procedures; /* the set that must be installed: "default", "classic"; NULL: any */
    const char *call;       /* "functions", "procedures", "statements" */
    const char *protocol;   /* "prepared", "extended", "simple" */
    const char *session_settings; /* "NAME=VALUE; ..." that every session asks for; NULL: none */
    int virtual_users; /* or terminals, where they are paced; 0: ten for each warehouse */
    int sessions;      /* that they share, at most; 0: one each, of paced terminals at most 100 */
    double pacing;     /* factor of keying and think times; 0: none */
    enum home home;
    enum arrivals arrivals;
    int64_t rate_per_minute;   /* of an open load */
    bool deferred;             /* deliveries are queued, and carried out by sessions of their own */
    int delivery_sessions;     /* so many, and at least one for each thread; 0: just these */
    const char *delivery_file; /* their result file; NULL: none */
    int threads;               /* 0: one per core of this machine, never more than sessions */
    int64_t ramp_up_us, measure_us;
    double precision;        /* measure on until half the 95 % interval of NOPM is that share of it;
                                0: no longer than measure_us */
    int64_t measure_most_us; /* then, at most */
    int64_t reconnect_us; /* how long a virtual user tries after its connection went; 0: not at all
                           */
    bool keep_going;      /* to the end of an invalid level */
    double failed_share_max;  /* above it a level is invalid, see txn_failed_share */
    int64_t transactions_max; /* ended in the window, whose end that second is then; 0: no limit */
    int mix[TXN_TYPES];
    const char *mix_name;         /* as asked for */
    double limit_percentile;      /* that the limits hold for: 90 */
    int64_t limits_us[TXN_TYPES]; /* 0: the standard's */
    uint64_t seed;
    enum driver_verify verify;
    int64_t metrics_us; /* how often to look at hosts and server; 0: not at all */
    bool alone;         /* no report follows that tells what the tables are: it is said at once */
    bool nothing;       /* calibration: sessions are called so, no table is read through */
    driver_progress_fn *progress; /* or NULL */
    void *progress_context;
};

/* Fills options from the settings that `run` takes; progress is left NULL. Texts are not copied. */
void driver_options_from(struct driver_options *options, const struct settings *settings);

/* Whether a level could run: the schema complete and of this version, its procedures installed,
 * the server writable, connection slots free for all virtual users. Starts nothing. */
MUST_CHECK bool driver_preflight(const struct driver_options *options, struct err *err);

/* How many of the virtual users (or terminals) that the options name could be connected now: all of
 * them, or as many as the server and this process have connections left; 0: not one. The rest is as
 * in driver_preflight. */
MUST_CHECK bool driver_room(const struct driver_options *options, int *virtual_users,
                            struct err *err);

/* Runs one level, driver_preflight first. False when nothing was measured because it could not
 * begin; else true, and step->status tells whether it is complete, failed or interrupted (reason
 * in step->reason). Fills all of step but number, repeat and what tells its curve, which stay as
 * they are; its texts and seconds live in the arena. SIGINT and SIGTERM end it within 5 s. */
MUST_CHECK bool driver_step(const struct driver_options *options, struct arena *arena,
                            struct step *step, struct err *err);

/* Appends the facts of server, settings, database, client and kit. */
MUST_CHECK bool driver_environment(const struct driver_options *options, struct arena *arena,
                                   struct environment *environment, struct err *err);

#endif
