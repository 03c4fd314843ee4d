/* Threads that share a counter of tasks; see team.h. Knows nothing of what the tasks do. */
#include "loader/team.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#include "common/clock.h"
#include "common/interrupt.h"
#include "common/log.h"
#include "common/units.h"

/* How long the threads may take to notice a cancel before their sockets are shut. */
/* Counting thousands of tasks through takes a while: the line is made anew when a hundredth of the
 * time has passed. */
enum { SHOW_SHARE = 100 };
enum { PATIENCE_US = 2000000, PROGRESS_US = 100000, QUIET_US = 1000000 };
/* The first look of the watch, and how many moments lie between the later ones. */
enum { WATCH_FIRST = 5, WATCH_EVERY = 2, HALF_SECOND_US = 500000 /* what is left, rounded */ };

struct worker {
    struct team *team;
    struct pg *pg; /* set by its thread under the lock, closed after all threads have ended */
    pthread_t thread;
};

struct team {
    const struct team_plan *plan;
    struct worker *workers;
    int workers_count;
    int threads_count; /* the workers, and the watch after them */
    atomic_int next_task, tasks_done;
    int64_t started_us, show_next_us;
    atomic_bool stopping;

    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    struct schedule *schedule; /* NULL: the tasks have no weights */
    int running;               /* threads */
    int working;               /* of these, workers */
    bool failed;
    struct err err; /* the first failure */
};

bool
team_stopping(const struct team *team)
{
    return atomic_load_explicit(&team->stopping, memory_order_relaxed);
}

bool
team_lift_limits(struct pg *pg, struct err *err)
{
    return pg_exec(pg,
                   "SELECT set_config(name, '0', false) FROM pg_settings WHERE name IN"
                   " ('statement_timeout', 'lock_timeout', 'transaction_timeout',"
                   "  'idle_in_transaction_session_timeout', 'idle_session_timeout')",
                   err);
}

/* Holding the lock: waits for a change, at most until the next look at progress and signals. */
static void
wait_a_moment(struct team *team)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += PROGRESS_US * 1000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    pthread_cond_timedwait(&team->changed, &team->lock, &until);
}

/* --- in the threads --------------------------------------------------------------------------- */

static void
fail(struct team *team, const struct err *err)
{
    pthread_mutex_lock(&team->lock);
    if (!team->failed && !team->stopping) {
        team->failed = true;
        team->err = *err;
    }
    atomic_store(&team->stopping, true);
    pthread_cond_broadcast(&team->changed);
    pthread_mutex_unlock(&team->lock);
}

static bool
do_task(struct team *team, struct pg *pg, int task, struct err *err)
{
    if (team->schedule) {
        pthread_mutex_lock(&team->lock);
        schedule_begin(team->schedule, task, clock_monotonic_us());
        pthread_mutex_unlock(&team->lock);
    }
    if (!team->plan->task(team, pg, task, team->plan->context, err))
        return false;
    atomic_fetch_add(&team->tasks_done, 1);
    if (team->schedule) {
        pthread_mutex_lock(&team->lock);
        schedule_end(team->schedule, task, clock_monotonic_us());
        pthread_mutex_unlock(&team->lock);
    }
    return true;
}

static bool
work_off(struct worker *worker, struct err *err)
{
    struct team *team = worker->team;
    struct pg *pg = pg_connect(team->plan->target, team->plan->purpose, err);

    pthread_mutex_lock(&team->lock);
    worker->pg = pg;
    pthread_mutex_unlock(&team->lock);
    if (!pg || !team_lift_limits(pg, err))
        return false;
    while (!team_stopping(team)) {
        int task = atomic_fetch_add(&team->next_task, 1);

        if (task >= team->plan->tasks)
            return true;
        if (!do_task(team, pg, task, err))
            return false;
    }
    return true;
}

static void *
worker_main(void *argument)
{
    struct worker *worker = argument;
    struct team *team = worker->team;
    struct err err = {0};

    if (!work_off(worker, &err))
        fail(team, &err);
    pthread_mutex_lock(&team->lock);
    team->working--;
    team->running--;
    pthread_cond_broadcast(&team->changed);
    pthread_mutex_unlock(&team->lock);
    return NULL;
}

/* Whether the workers still work, so many moments later. */
static bool
wait_to_watch(struct team *team, int moments)
{
    pthread_mutex_lock(&team->lock);
    for (int i = 0; i < moments && team->working > 0 && !team_stopping(team); i++)
        wait_a_moment(team);
    bool working = team->working > 0 && !team_stopping(team);
    pthread_mutex_unlock(&team->lock);
    return working;
}

/* Only when it is needed: most phases of a small load are over before. */
static struct pg *
connect_watch(struct worker *watch, struct err *err)
{
    struct team *team = watch->team;
    struct pg *pg = pg_connect(team->plan->target, team->plan->purpose, err);

    pthread_mutex_lock(&team->lock);
    watch->pg = pg;
    pthread_mutex_unlock(&team->lock);
    return pg;
}

static void *
watch_main(void *argument)
{
    struct worker *watch = argument;
    struct team *team = watch->team;
    struct err err = {0};
    bool ok = true;

    while (ok && wait_to_watch(team, watch->pg ? WATCH_EVERY : WATCH_FIRST)) {
        struct pg *pg = watch->pg ? watch->pg : connect_watch(watch, &err);
        struct pg_rows *rows = pg ? pg_query(pg, team->plan->watch, 0, NULL, &err) : NULL;

        ok = rows != NULL;
        if (ok) {
            pthread_mutex_lock(&team->lock);
            team->plan->note(team->plan->context, rows, team->schedule, clock_monotonic_us());
            pthread_mutex_unlock(&team->lock);
        }
        pg_rows_free(rows);
    }
    if (!ok && !team_stopping(team))
        log_detail("no progress of the server is known: %s", err.message);
    pthread_mutex_lock(&team->lock);
    team->running--;
    pthread_cond_broadcast(&team->changed);
    pthread_mutex_unlock(&team->lock);
    return NULL;
}

/* --- in the calling thread -------------------------------------------------------------------- */

static void
start(struct team *team)
{
    team->running = team->threads_count;
    team->working = team->workers_count;
    for (int i = 0; i < team->threads_count; i++) {
        struct worker *worker = &team->workers[i];

        worker->team = team;
        must(pthread_create(&worker->thread, NULL,
                            i < team->workers_count ? worker_main : watch_main, worker) == 0);
    }
}

/* What the server runs for us is cancelled by a thread of its own, because a server that hangs may
 * not answer that request either. */
static void *
cancel_all(void *argument)
{
    struct team *team = argument;

    for (int i = 0; i < team->threads_count; i++) {
        pthread_mutex_lock(&team->lock);
        struct pg *pg = team->workers[i].pg;
        pthread_mutex_unlock(&team->lock);
        if (pg)
            pg_cancel(pg);
    }
    return NULL;
}

static void
shut_sockets(struct team *team)
{
    for (int i = 0; i < team->threads_count; i++) {
        if (team->workers[i].pg && pg_socket(team->workers[i].pg) >= 0)
            shutdown(pg_socket(team->workers[i].pg), SHUT_RDWR);
    }
}

/* Holding the lock, after the stop. Returns whether the cancelling thread has ended too. */
static bool
end_stopped(struct team *team)
{
    int64_t patience_ends_us = clock_monotonic_us() + PATIENCE_US;
    bool shut = false;
    pthread_t canceller;

    must(pthread_create(&canceller, NULL, cancel_all, team) == 0);
    while (team->running > 0) {
        wait_a_moment(team);
        if (!shut && clock_monotonic_us() > patience_ends_us) {
            shut_sockets(team);
            shut = true;
        }
    }
    struct timespec now;
    pthread_mutex_unlock(&team->lock);
    clock_gettime(CLOCK_REALTIME, &now);
    now.tv_sec++;
    bool ended = pthread_timedjoin_np(canceller, NULL, &now) == 0;
    if (!ended)
        pthread_detach(canceller);
    pthread_mutex_lock(&team->lock);
    return ended;
}

/* Holding the lock. Parts take very different times: without weights nobody knows when it will be
 * done. */
static void
show_parts(struct team *team)
{
    int64_t now_us = clock_monotonic_us(), left_us;
    int done = (int)atomic_load(&team->tasks_done);
    char time[UNITS_TEXT_SIZE];

    if (team->schedule)
        schedule_look(team->schedule, now_us);
    if (now_us - team->started_us < QUIET_US || now_us < team->show_next_us)
        return;
    team->show_next_us = now_us + (now_us - team->started_us) / SHOW_SHARE;
    if (team->schedule && schedule_left_us(team->schedule, &left_us))
        log_progress("%s: %d of %d parts, %.0f %%, done in %s", team->plan->doing, done,
                     team->plan->tasks, 100 * schedule_done(team->schedule),
                     units_clock(time, left_us + HALF_SECOND_US));
    else
        log_progress("%s: %d of %d parts, %s so far", team->plan->doing, done, team->plan->tasks,
                     units_clock(time, now_us - team->started_us));
}

static void
show_progress(struct team *team)
{
    if (team->plan->progress)
        team->plan->progress(team->plan->context);
    else if (team->plan->doing)
        show_parts(team);
}

/* Returns whether nothing uses the team any more. */
static bool
supervise(struct team *team)
{
    bool ended = true;
    struct err err;

    pthread_mutex_lock(&team->lock);
    while (team->running > 0) {
        wait_a_moment(team);
        show_progress(team);
        if (!team_stopping(team) && interrupt_check(&err)) {
            team->failed = true;
            team->err = err;
            atomic_store(&team->stopping, true);
        }
        if (team_stopping(team) && team->running > 0)
            ended = end_stopped(team);
    }
    pthread_mutex_unlock(&team->lock);
    return ended;
}

bool
team_run(const struct team_plan *plan, struct err *err)
{
    struct team *team = must_calloc(1, sizeof *team);

    team->plan = plan;
    team->started_us = clock_monotonic_us();
    team->workers_count = plan->jobs < plan->tasks ? plan->jobs : plan->tasks;
    team->threads_count = team->workers_count + (plan->watch && plan->work);
    if (plan->work && team->workers_count > 0)
        team->schedule =
            schedule_new(plan->tasks, team->workers_count,
                         plan->cores > 0 ? plan->cores : team->workers_count, plan->work);
    team->workers = must_calloc((size_t)team->workers_count + 1, sizeof *team->workers);
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->changed, NULL);
    start(team);
    bool ended = supervise(team);
    if (plan->doing)
        log_progress_end();
    bool ok = !team->failed;
    if (!ok)
        *err = team->err;
    for (int i = 0; i < team->threads_count; i++)
        must(pthread_join(team->workers[i].thread, NULL) == 0);
    if (!ended) /* a cancel request still waits for the server, and holds on to all this */
        return ok;
    for (int i = 0; i < team->threads_count; i++)
        pg_close(team->workers[i].pg);
    pthread_mutex_destroy(&team->lock);
    pthread_cond_destroy(&team->changed);
    schedule_free(team->schedule);
    free(team->workers);
    free(team);
    return ok;
}

struct single {
    bool (*work)(struct pg *pg, void *context, struct err *err);
    void *context;
};

static bool
single_task(struct team *team, struct pg *pg, int task, void *context, struct err *err)
{
    struct single *single = context;

    (void)team;
    (void)task;
    return single->work(pg, single->context, err);
}

bool
team_run_one(const struct pg_target *target, const char *purpose,
             bool (*work)(struct pg *pg, void *context, struct err *err), void *context,
             struct err *err)
{
    struct single single = {.work = work, .context = context};

    return team_run(&(struct team_plan){.target = target,
                                        .purpose = purpose,
                                        .jobs = 1,
                                        .tasks = 1,
                                        .task = single_task,
                                        .context = &single},
                    err);
}
