/* What the numbers of a run mean. Written by the driver, kept by the store, read by the reports;
 * the only thing that passes between them. */
#ifndef ORDERMILL_COMMON_RESULT_H
#define ORDERMILL_COMMON_RESULT_H

#include "common/arena.h"
#include "common/hist.h"
#include "common/metric.h"
#include "common/workload.h"

/* How one transaction ended. Retries are not outcomes: a transaction that was retried ends as one
 * of these. started = committed + rolled back + failed + lost + in flight. */
enum outcome {
    OUTCOME_COMMITTED,
    OUTCOME_ROLLED_BACK, /* the intended rollback of new-order (2.4.1.4) */
    OUTCOME_FAILED,      /* an error of the server, or retries exhausted */
    OUTCOME_LOST,        /* the connection went while it ran: whether it committed is unknown */
    OUTCOMES
};
extern const char *const outcome_names[OUTCOMES]; /* "committed", "rolled_back", ... */

/* The phases of a step. */
enum phase { PHASE_CONNECT, PHASE_RAMP_UP, PHASE_MEASURE, PHASE_DRAIN, PHASES };
extern const char *const phase_names[PHASES];

/* One transaction type within the measured window: transactions that ended inside it. */
struct txn_stats {
    uint64_t outcomes[OUTCOMES];
    uint64_t retries;     /* 40001 and 40P01, each time */
    struct hist response; /* committed and rolled back (5.2.5.3): from ready to answered */
    struct hist service;  /* the same: from sent to answered, last try */
};

/* What the inputs of the measured window were, to be judged by 5.5.1.5. */
struct input_stats {
    uint64_t new_orders, rollbacks_intended, order_lines, remote_lines;
    uint64_t lines_per_order[ORDER_LINES_MAX + 1]; /* new-orders by number of lines */
    uint64_t payments, payments_remote, payments_by_name;
    uint64_t order_status, order_status_by_name;
    uint64_t deliveries, districts_skipped; /* districts without a new order */
    uint64_t deliveries_skipping;           /* deliveries with at least one of them */
};

/* Deliveries that were queued within the window and carried out later (2.7.2), in the window or in
 * the drain after it. queued = done + failed + lost + left. A terminal's delivery transaction ends
 * with the queueing, and is counted as committed then. */
struct deferred_stats {
    uint64_t queued, done, failed, lost;
    uint64_t left;         /* that had not begun when the level ended */
    uint64_t in_time;      /* done within DELIVERY_LIMIT_US of being queued */
    uint64_t waiting_most; /* waiting or running at the end of any second of the window */
    struct hist latency;   /* of those done: from queued to done */
};

/* Where a terminal's home warehouse comes from. */
enum home {
    HOME_SPREAD, /* dealt out in turn: as many terminals for every warehouse */
    HOME_FIXED,  /* drawn at random, once per terminal */
    HOME_ANY,    /* drawn at random for every transaction */
    HOMES
};
extern const char *const home_names[HOMES];

/* What makes transactions begin. */
enum arrivals {
    ARRIVALS_CLOSED,  /* the end of the terminal's previous one, and its pacing */
    ARRIVALS_POISSON, /* a clock, whatever has ended: open load */
    ARRIVALS_REGULAR,
    ARRIVALS
};
extern const char *const arrivals_names[ARRIVALS];

/* The waits of paced terminals that were drawn within the window. */
struct pace_stats {
    uint64_t keyings[TXN_TYPES], thinks[TXN_TYPES];
    int64_t keying_us[TXN_TYPES], think_us[TXN_TYPES]; /* sums */
    struct hist think[TXN_TYPES];                      /* by the type before it; for 5.6.3 */
};

/* One second of a step, by the time at which transactions ended. */
struct second {
    int32_t at_s; /* since the last virtual user ran; negative while connecting */
    enum phase phase;
    uint32_t virtual_users; /* alive */
    uint32_t in_flight;     /* at its end */
    uint32_t waiting;       /* ready, and without a session, at its end */
    uint32_t outcomes[TXN_TYPES][OUTCOMES];
    uint32_t retries;
    int64_t new_order_p95_us; /* response; 0 when none ended */
};

#define ERROR_KINDS_MAX 32
struct error_count {
    char sqlstate[6];  /* "00000" where the server gave none */
    char message[256]; /* the first one seen */
    uint64_t count;
};

/* What committed transactions leave behind in sums that the database keeps. */
enum growth {
    GROWTH_NEW_ORDERS,   /* sum(d_next_o_id) */
    GROWTH_ORDER_LINES,  /* sum(s_order_cnt) */
    GROWTH_REMOTE_LINES, /* sum(s_remote_cnt) */
    GROWTH_QUANTITY,     /* sum(s_ytd) */
    GROWTH_PAYMENTS,     /* rows of history: payments, and what the insert probe adds */
    GROWTH_PAID_CENTS,   /* sum(d_ytd), in cents */
    GROWTHS
};
extern const char *const growth_names[GROWTHS]; /* "new_orders", ... */

/* A time in which sessions were missing: from the first loss until all that were lost have been
 * made anew. Times count from the moment when the last virtual user ran. */
#define OUTAGES_MAX              16
#define OUTAGE_OPEN              INT64_MIN /* not over at the end */
#define OUTAGE_NOT_SEEN          (-1)
#define OUTAGE_LEVEL_SECONDS_MIN 3  /* whole seconds before it that make a level to return to... */
#define OUTAGE_LEVEL_SECONDS_MAX 10 /* ...of which the last ones count */
#define OUTAGE_RECOVERED_SHARE   0.95
struct outage {
    int64_t start_us, end_us;
    int losses;          /* of connections */
    int zero_s;          /* seconds without a committed new-order */
    int64_t recovery_us; /* from its start to the first of three seconds that together had 95 % of
                            the former new-orders per second; OUTAGE_NOT_SEEN */
};

enum step_status {
    STEP_COMPLETE,
    STEP_FAILED,
    STEP_INTERRUPTED,
    STEP_SKIPPED, /* never begun, by a rule of the profile */
    STEP_STATUSES
};
extern const char *const step_status_names[STEP_STATUSES];

struct step {
    int number;        /* from 1, in the order in which they ran */
    int virtual_users; /* or terminals, where they are paced */
    int sessions;      /* that they share; as many as virtual users unless fewer were asked for */
    int delivery_sessions; /* besides, that carry out deferred deliveries; 0: none are deferred */
    int threads, warehouses;
    int repeat; /* from 1 */
    /* Steps with the same curve differ in virtual users and repeat alone. */
    int curve;                 /* from 1; 0: there is no profile */
    const char *curve_name;    /* "old, 10 warehouses, lookup"; "" when there is only one */
    const char *server;        /* its name in the profile; "" when that names none */
    const char *configuration; /* "" when there is only one */
    uint64_t seed;
    struct nurand_constants constants;
    int c_load;
    int mix[TXN_TYPES];   /* weights of 100, or the cards of mix_deck */
    const char *mix_name; /* as it was asked for: "standard", "45,43,4,4,4" */
    enum home home;
    enum arrivals arrivals;
    double pacing;           /* factor of keying and think times; 0: none */
    int64_t rate_per_minute; /* of an open load; 0 else */
    const char *procedures;  /* which set: "default", "classic"; "none" for statements */
    const char *call;        /* "functions", "procedures", "statements" */
    const char *protocol;    /* "prepared", "extended", "simple" */
    const char *isolation;   /* as the server confirmed it */

    /* What response times were held against: see step_limit_us. */
    double limit_percentile;      /* 0: 90 */
    int64_t limits_us[TXN_TYPES]; /* 0: the standard's */

    enum step_status status;
    const char *reason; /* why it failed or was interrupted, else "" */

    int64_t started_wall_us;
    int64_t ramp_up_us, measure_us; /* as asked for */
    double precision; /* asked for: half the 95 % interval of NOPM as a share of it; 0: none */
    double precision_reached; /* of the window; -1: not known or not asked for */
    int64_t measure_most_us;  /* how long the window could become */
    int64_t elapsed_us;       /* the measured window, as it really was */
    double failed_share_max;  /* of any type, above which the step is invalid */
    int64_t transactions_max; /* a limit for the window; 0: none */
    bool cut;                 /* that limit, and not the time, ended it */

    struct txn_stats transactions[TXN_TYPES];
    struct input_stats inputs;
    /* What a response time has before its service time: from ready to the first moment at which
     * there was a session, and from there to sent, which is the driver's own doing. */
    struct hist queue, lag;
    struct error_count errors[ERROR_KINDS_MAX]; /* retried ones included */
    int errors_count;
    uint64_t unfinished;   /* still running when the window closed */
    uint64_t waiting;      /* ready, and without a session, when the window closed */
    uint64_t waiting_most; /* at the end of any second of the window */
    uint64_t skipped;      /* arrivals of an open load that found the backlog full */
    struct pace_stats pace;
    struct deferred_stats deferred;
    int virtual_users_lost;             /* that did not live to the end */
    int connections_lost;               /* those that were made anew included */
    struct outage outages[OUTAGES_MAX]; /* the last possible one spans all later ones */
    int outages_count;
    /* Of the level's sessions those that were on the server still, five seconds after its end, or
     * half a one after an interruption; -1: not known, as behind a connection pooler. */
    int sessions_left;
    const char *sessions_left_named; /* "4711 (active for 12 s), ...", the first ten; "": none */

    /* Since the very first transaction: what the driver saw commit, what lost transactions may have
     * committed besides, and by how much the database's own sums grew (-1: not known). */
    int64_t counted[GROWTHS], uncertain[GROWTHS], grown[GROWTHS];
    int stock_quantity_min, stock_quantity_max; /* afterwards; 0: not looked at */

    /* The same new-orders by home warehouse: those of the least active one, of the one in the
     * middle (the lower one, of an even number), and of the most active one. */
    uint64_t home_new_orders_least, home_new_orders_median, home_new_orders_most;

    int64_t client_user_us, client_system_us; /* CPU of this process over the window */
    int client_cores;                         /* that it may use; 0: not known */
    int64_t client_wait_us; /* of all its threads: able to run, but without a core; -1: not known */
    double client_busy_percent, client_steal_percent; /* of the whole host; -1: not known */
    int64_t rtt_before_us, rtt_after_us; /* median round trip of an empty query, outside all load;
                                            -1: not known */

    struct second *seconds;
    int seconds_count;

    struct metric *metrics; /* none where they were not asked for */
    int metrics_count;
};

void step_growth_unknown(struct step *step); /* nothing is known of the database's sums */
/* Whether the database's sum grew by what the driver counted, give or take what lost transactions
 * may have done; also when it is not known. */
bool step_growth_agrees(const struct step *step, enum growth growth);
/* The limit of a type (5.2.5.7, unless the user set another), and the share (0.9) of its response
 * times that must keep it. */
int64_t step_limit_us(const struct step *step, enum txn_type type);
double step_limit_share(const struct step *step, enum txn_type type);
/* Whether they differ in virtual users and repeat alone; in repeat alone. */
bool step_same_curve(const struct step *a, const struct step *b);
bool step_same_level(const struct step *a, const struct step *b);
/* Committed new-orders per minute of elapsed time; of no meaning where the mix has none. */
double step_nopm(const struct step *step);
bool step_has_nopm(const struct step *step);
/* What a level is measured by: NOPM, or TPM where the mix has no new-order; and which it is. */
double step_rate(const struct step *step);
const char *step_rate_name(const struct step *step);
/* Whose response times stand for the level's: New-Order, or the most frequent type of the mix. */
enum txn_type step_main_type(const struct step *step);
/* Whether this type is one of the workload's, or the probe that ran: others are not worth a row. */
bool step_shows(const struct step *step, enum txn_type type);
double step_tpm(const struct step *step); /* all types, committed and rolled back */
uint64_t step_outcomes(const struct step *step, enum outcome outcome); /* over all types */
uint64_t step_ended(const struct step *step);                          /* all types, all outcomes */
/* Of the type of which most failed or were lost; which one is told where `type` is not NULL. */
double txn_failed_share(const struct txn_stats transactions[TXN_TYPES], enum txn_type *type);
uint64_t step_retries(const struct step *step); /* all types */
/* The same of a step, deferred deliveries that failed or were lost included. */
double step_failed_share(const struct step *step, enum txn_type *type);
/* NOPM as a share of what the standard's pacing allows at most; negative where pacing, terminals or
 * arrivals are not the standard's. */
double step_efficiency(const struct step *step);
/* Whether home warehouses had the same work: none is off the mean by over 10 %, or by four times
 * the root of the mean where that is more, which is what chance does at most. */
bool step_homes_even(const struct step *step);
#define HOMES_OFF_MAX 0.10
double step_client_cpu_us(const struct step *step); /* per transaction that ended; 0 when none */

/* A named fact of the environment, in the order in which reports show it. */
struct fact {
    const char *group; /* "server", "setting", "client", "database", "kit" */
    const char *name;
    const char *value;  /* with its unit, where it has one */
    const char *detail; /* a setting's source, or "" */
};

/* What the doctor found that may spoil a measurement, as it was when the run began. */
enum severity {
    SEVERITY_NOTE,    /* worth knowing when results are compared */
    SEVERITY_CAUTION, /* may move the result */
    SEVERITY_SPOILS,  /* the result says little about the system */
    SEVERITIES
};
extern const char *const severity_names[SEVERITIES]; /* "note", "caution", "spoils" */
struct finding {
    enum severity severity;
    const char *name; /* of the check: "governor" */
    const char *seen; /* with values and where */
    const char *why;  /* it matters */
    const char *mend; /* the command that mends it, or what to do; "" where nothing does */
};
#define FINDINGS_MAX 64

struct environment {
    struct fact *facts;
    int count, capacity;
    struct finding *findings; /* the worst first */
    int findings_count;
};
/* Appends; texts are copied into the arena. */
void environment_add(struct environment *environment, struct arena *arena, const char *group,
                     const char *name, const char *value, const char *detail);
/* Adds those findings of another database's environment that this one has not, but for those about
 * the driver's host, which is the same; they are said to be about `name`. The worst stay first; at
 * most FINDINGS_MAX. */
void environment_add_findings(struct environment *environment, struct arena *arena,
                              const struct environment *other, const char *name);
const char *environment_find(const struct environment *environment, const char *group,
                             const char *name); /* NULL: no such fact */

/* One consistency condition as checked. */
#define CHECK_CONDITIONS 12
#define CHECK_EXAMPLES   10
/* Beside the twelve: whether every warehouse has its rows, at conditions[CHECK_COUNTS - 1]. */
#define CHECK_COUNTS 13
#define CHECK_TESTS  13
struct check_example {
    int warehouse, district; /* 0: none */
    const char *detail, *expected, *found;
};
struct check_condition {
    const char *name;
    bool tested;
    int64_t violations;
    struct check_example examples[CHECK_EXAMPLES];
    int examples_count;
    double elapsed_s; /* of the statements that tested it, which may have tested others too */
};
struct check_result {
    bool done;
    const char *moment;                             /* "after load", "after the last step" */
    struct check_condition conditions[CHECK_TESTS]; /* condition n is at n - 1 */
};

/* What the run was asked for, setting by setting. */
struct run_setting {
    const char *name, *value;
    const char *source; /* "default", "profile", "option" */
};

/* Something that happened in the course of a run, beside its steps. */
struct event {
    int64_t wall_us;
    int step;           /* about which one; 0: none */
    const char *what;   /* a word or two: "vacuum", "resumed" */
    int64_t elapsed_us; /* -1: it took no time that counts */
    int64_t bytes;      /* of the kit's tables and indexes afterwards; -1: not looked at */
    const char *detail; /* "" where there is no more to say */
};

/* All of a run folder. */
struct run {
    const char *name, *kit_version;
    const char *profile;     /* its XML text, "" for a single run */
    const char *fingerprint; /* of profile and settings, as they were at the start */
    const char *build;       /* which load it measures, see build_identity; "" until known */
    int64_t started_wall_us, ended_wall_us; /* 0: not ended */
    enum step_status status;
    struct environment environment;
    struct step *steps;
    int steps_count, steps_planned;
    struct check_result check;
    struct run_setting *settings; /* in the order of settings.def */
    int settings_count;
    struct event *journal;
    int journal_count;
};

#endif
