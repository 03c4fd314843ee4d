/* Owns the preflight: everything that would otherwise fail in every virtual user at once. */
#include "driver/control.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/interrupt.h"
#include "common/log.h"
#include "common/patience.h"
#include "common/pg_wait.h"
#include "common/session_settings.h"
#include "common/sql.h"
#include "common/units.h"
#include "driver/backends.h"
#include "driver/procfs.h"
#include "driver/reconnect.h"
#include "driver/rights.h"

/* Standard streams, event loops, the control connection, and what libraries keep open. */
#define DESCRIPTORS_SPARE 600
#define ROUND_TRIPS       21 /* odd, so that one is in the middle */

#define PREFLIGHT_US          INT64_C(20000000) /* each answer: a few rows of the catalogs */
#define ANSWER_US             INT64_C(5000000)
#define SUMS_US               INT64_C(60000000)
#define SUMS_PER_WAREHOUSE_US INT64_C(2000000)
#define HURRIED_US            INT64_C(2000000)
#define SLOTS_TRIES           5
#define SLOTS_PAUSE_US        100000
#define LEFT_US               INT64_C(5000000)
#define LEFT_HURRIED_US       INT64_C(500000)

/* Of paced terminals, unless asked otherwise: at the standard's pace a thousand of them enter 48
 * transactions a second, a hundred sessions can answer thousands. */
#define PACED_SESSIONS 100

static bool
ask_for_settings(struct control *control, const struct driver_options *options, struct err *err)
{
    const char *text = options->session_settings, *name, *value;
    struct arena arena = {0};

    if (!text)
        return true;
    bool ok = session_settings_check(text, err);
    while (ok && session_settings_next(&text, &arena, &name, &value, err))
        pg_target_option(control->target, name, value);
    arena_free(&arena);
    return ok;
}

/* What a role may set it may set for its sessions; all else is somebody else's to change. */
static void
hint_settings(const struct driver_options *options, struct err *err)
{
    const char *text = options->session_settings, *name, *value;
    struct arena arena = {0};
    struct err ignored;

    while (text && session_settings_next(&text, &arena, &name, &value, &ignored))
        if (strstr(err->message, name)) {
            err_hint(err, "sessions ask for what their role may set; the kit alters no role, "
                          "database or server, but a hook before the step can");
            break;
        }
    arena_free(&arena);
}

static bool
connect_to(struct control *control, const struct driver_options *options, struct err *err)
{
    control->target = pg_target_new(options->settings, err);
    if (!control->target)
        return false;
    if (options->isolation)
        pg_target_option(control->target, "default_transaction_isolation", options->isolation);
    /* The statements of the procedures look rows up by key: no value of a parameter makes another
     * plan better, and planning anew costs more than it saves (docs/procedures.md). */
    pg_target_option(control->target, "plan_cache_mode", "force_generic_plan");
    if (!ask_for_settings(control, options, err))
        return false;
    control->purpose = options->nothing ? "calibrate control" : "run control";
    control->pg = pg_connect(control->target, control->purpose, err);
    /* Where nobody leads this process with limits of his own, as the autopilot does. */
    if (control->pg && patience_until_us(clock_monotonic_us()) == INT64_MAX)
        pg_answer_within(control->pg, PREFLIGHT_US);
    if (!control->pg)
        hint_settings(options, err);
    return control->pg != NULL;
}

/* A connection pooler may drop what was asked for at connection start. */
static bool
read_isolation(struct control *control, const struct driver_options *options, struct err *err)
{
    struct pg_rows *rows = pg_query(control->pg, "SHOW transaction_isolation", 0, NULL, err);

    if (!rows)
        return false;
    snprintf(control->isolation, sizeof control->isolation, "%s", pg_value(rows, 0, 0));
    pg_rows_free(rows);
    if (!options->isolation || strcmp(options->isolation, control->isolation) == 0)
        return true;
    return err_set(err, ERR_SERVER,
                   "the server gives sessions the isolation level \"%s\", not \"%s\" as asked",
                   control->isolation, options->isolation);
}

/* The same of what the user asked for. Of a setting with a dot the server knows no source. */
static bool
check_settings(struct control *control, const struct driver_options *options, struct err *err)
{
    static const char sql[] = "SELECT setting FROM pg_settings"
                              " WHERE lower(name) = lower($1) AND source <> 'client'";
    const char *text = options->session_settings, *name, *value;
    struct arena arena = {0};
    bool ok = true;

    while (ok && text && session_settings_next(&text, &arena, &name, &value, err)) {
        struct pg_rows *rows = pg_query(control->pg, sql, 1, &name, err);
        ok = rows != NULL;
        if (ok && pg_rows_count(rows) > 0) {
            ok = err_set(err, ERR_SERVER, "the server gives sessions %s = %s, not \"%s\" as asked",
                         name, pg_value(rows, 0, 0), value);
            hint_settings(options, err);
        }
        pg_rows_free(rows);
    }
    arena_free(&arena);
    return ok;
}

static bool
sends_statements(const struct driver_options *options)
{
    return strcmp(options->call, "statements") == 0;
}

static bool
check_procedures(const struct control *control, const struct driver_options *options,
                 struct err *err)
{
    const char *installed = procedure_set_names[control->build.procedures];

    if (sends_statements(options) || !options->procedures ||
        strcmp(options->procedures, installed) == 0)
        return true;
    (void)err_set(err, ERR_SERVER, "schema \"%s\" has the %s procedures, not the %s ones as asked",
                  options->schema, installed, options->procedures);
    err_hint(err, "ordermill load --schema '%s' --only procedures --procedures %s installs them",
             options->schema, options->procedures);
    return false;
}

/* How many more connections this role may open, and which limit says so. The slots kept back for
 * superusers and for privileged roles do not count for anybody else. */
static const char slots_sql[] =
    "SELECT * FROM (SELECT"
    " current_setting('max_connections')::int"
    " - CASE WHEN r.rolsuper THEN 0"
    "        ELSE current_setting('superuser_reserved_connections')::int"
    "           + coalesce(current_setting('reserved_connections', true)::int, 0) END"
    " - (SELECT count(*) FROM pg_stat_activity"
    "     WHERE coalesce(backend_type, 'client backend') = 'client backend') AS free,"
    " 'max_connections ' || current_setting('max_connections') AS what"
    " FROM pg_roles AS r WHERE r.rolname = current_user"
    " UNION ALL SELECT"
    " r.rolconnlimit - (SELECT count(*) FROM pg_stat_activity WHERE usename = current_user),"
    " 'CONNECTION LIMIT ' || r.rolconnlimit || ' of the role'"
    " FROM pg_roles AS r"
    " WHERE r.rolname = current_user AND r.rolconnlimit >= 0 AND NOT r.rolsuper"
    " UNION ALL SELECT"
    " d.datconnlimit - (SELECT count(*) FROM pg_stat_activity WHERE datid = d.oid),"
    " 'CONNECTION LIMIT ' || d.datconnlimit || ' of the database'"
    " FROM pg_database AS d, pg_roles AS r"
    " WHERE d.datname = current_database() AND d.datconnlimit >= 0"
    " AND r.rolname = current_user AND NOT r.rolsuper) AS limits"
    " ORDER BY free LIMIT 1";

/* How many connections are free, and by which limit (in the rows, where there is one): INT_MAX
 * where nothing is known of a limit. What this process has just closed may still count on the
 * server, so that too few are asked for again. */
static bool
free_slots(struct control *control, int needed, int *slots, struct pg_rows **rows, struct err *err)
{
    for (int left = SLOTS_TRIES;; left--) {
        *rows = pg_query(control->pg, slots_sql, 0, NULL, err);
        if (!*rows)
            return false;
        int64_t found = pg_rows_count(*rows) > 0 ? pg_value_int(*rows, 0, 0) : INT_MAX;
        *slots = found < 0 ? 0 : (int)found;
        if (*slots >= needed || left == 1)
            return true;
        pg_rows_free(*rows);
        clock_sleep_us(SLOTS_PAUSE_US);
    }
}

static bool
check_slots(struct control *control, struct err *err)
{
    struct pg_rows *rows;
    int slots;

    if (!free_slots(control, control->connections, &slots, &rows, err))
        return false;
    bool enough = slots >= control->connections;
    if (!enough) {
        (void)err_set(err, ERR_SERVER,
                      "%d %s need as many connections, but the server has only %s free for this "
                      "role (%s)",
                      control->connections, control->holders, pg_value(rows, 0, 0),
                      pg_value(rows, 0, 1));
        err_hint(err, "raise the limit, end other sessions, or use fewer %s", control->holders);
    }
    pg_rows_free(rows);
    return enough;
}

/* A session needs one descriptor here. The soft limit is often 1024 while the hard one is far
 * higher; raising it within the hard limit is every program's right. */
static bool
raise_descriptors(const struct control *control, struct err *err)
{
    struct rlimit limit;
    rlim_t needed = (rlim_t)control->connections + DESCRIPTORS_SPARE;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed)
        return true;
    if (limit.rlim_max >= needed) {
        limit.rlim_cur = needed;
        if (setrlimit(RLIMIT_NOFILE, &limit) == 0)
            return true;
    }
    (void)err_set(err, ERR_LOCAL,
                  "%d %s need %llu file descriptors, but this process may have only %llu",
                  control->connections, control->holders, (unsigned long long)needed,
                  (unsigned long long)limit.rlim_max);
    err_hint(err, "raise the limit (ulimit -Hn), or use fewer %s", control->holders);
    return false;
}

#define METRICS_LEAST_US 100000

static bool
check_call(const struct driver_options *options, struct err *err)
{
    if (!sends_statements(options))
        return true;
    if (options->procedures)
        return err_set(err, ERR_USAGE,
                       "the %s procedures are not called where plain statements are sent "
                       "(--call statements)",
                       options->procedures);
    if (strcmp(options->protocol, "simple") != 0)
        return true;
    (void)err_set(err, ERR_USAGE,
                  "plain statements go in pipelines, which the simple protocol "
                  "does not have");
    err_hint(err, "with --call statements, --protocol prepared or extended");
    return false;
}

static bool
check_load(const struct driver_options *options, struct err *err)
{
    enum txn_type probe = mix_probe(options->mix);

    if (probe < TXN_TYPES && options->pacing > 0)
        return err_set(err, ERR_USAGE, "the probe \"%s\" has no keying and think times",
                       txn_names[probe]);
    char text[UNITS_TEXT_SIZE];

    if (options->metrics_us > 0 && options->metrics_us < METRICS_LEAST_US) {
        (void)err_set(err, ERR_USAGE, "metrics: \"%s\" is below 100ms",
                      units_exact_duration(text, options->metrics_us));
        err_hint(err, "0s looks at nothing");
        return false;
    }
    if (options->delivery_file && !options->deferred) {
        (void)err_set(err, ERR_USAGE,
                      "a file of deliveries is written when they are deferred only");
        err_hint(err, "add --delivery deferred");
        return false;
    }
    if (options->arrivals == ARRIVALS_CLOSED || options->pacing == 0)
        return true;
    (void)err_set(err, ERR_USAGE, "a rate and pacing exclude each other");
    err_hint(err, "with a rate the clock decides when transactions begin, with pacing the "
                  "terminals do");
    return false;
}

static void
size_up(struct control *control, const struct driver_options *options)
{
    int most = options->sessions;

    control->terminals = options->virtual_users > 0
                             ? options->virtual_users
                             : TERMINALS_PER_WAREHOUSE * control->build.warehouses;
    if (most == 0)
        most = options->pacing > 0 ? PACED_SESSIONS : control->terminals;
    control->sessions = most < control->terminals ? most : control->terminals;
    control->threads = options->threads > 0 ? options->threads : procfs_cores();
    if (control->threads > control->sessions)
        control->threads = control->sessions;
    control->deliverers = options->deferred ? options->delivery_sessions : 0;
    if (options->deferred && control->deliverers < control->threads)
        control->deliverers = control->threads;
    control->connections = control->sessions + control->deliverers;
    control->holders = options->pacing > 0 ? "terminals" : "virtual users";
    if (control->connections != control->terminals)
        control->holders = "sessions";
}

bool
control_open(struct control *control, const struct driver_options *options, struct err *err)
{
    enum build_purpose purpose = sends_statements(options) ? BUILD_FOR_STATEMENTS : BUILD_FOR_RUN;

    *control = (struct control){0};
    size_up(control, options);
    bool ok = check_load(options, err) && check_call(options, err) &&
              raise_descriptors(control, err) && connect_to(control, options, err) &&
              build_require(control->pg, options->schema, purpose, &control->build, err);
    if (ok)
        size_up(control, options); /* once more: only now the number of warehouses is known */
    if (ok && raise_descriptors(control, err) && check_procedures(control, options, err) &&
        rights_check(control->pg, options, err) && read_isolation(control, options, err) &&
        check_settings(control, options, err) && check_slots(control, err)) {
        pg_answer_within(control->pg, 0);
        return true;
    }
    control_close(control);
    return false;
}

bool
driver_preflight(const struct driver_options *options, struct err *err)
{
    struct control control;

    if (!control_open(&control, options, err))
        return false;
    control_close(&control);
    return true;
}

/* This process may have too few descriptors: a limit like that of the server. The sampler needs a
 * connection too. */
bool
driver_room(const struct driver_options *options, int *virtual_users, struct err *err)
{
    struct driver_options one = *options;
    struct control control;
    struct rlimit limit;
    struct pg_rows *rows;
    int slots;

    one.virtual_users = 1;
    if (!control_open(&control, &one, err))
        return false;
    size_up(&control, options);
    bool ok = free_slots(&control, control.connections + 1, &slots, &rows, err);
    if (ok)
        pg_rows_free(rows);
    control_close(&control);
    if (!ok)
        return false;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_max < (rlim_t)INT_MAX &&
        (int)limit.rlim_max - DESCRIPTORS_SPARE < slots)
        slots = (int)limit.rlim_max - DESCRIPTORS_SPARE;
    if (options->metrics_us > 0 && slots > 0 && slots < INT_MAX)
        slots--;
    *virtual_users = control.terminals;
    if (control.connections > slots)
        *virtual_users = slots > control.deliverers ? slots - control.deliverers : 0;
    return true;
}

void
control_close(struct control *control)
{
    pg_close(control->pg);
    pg_target_free(control->target);
    control->pg = NULL;
    control->target = NULL;
}

static struct pg_wait
wait_of(const struct control *control, int64_t patience_us)
{
    return (struct pg_wait){.patience_us = control->hurried ? HURRIED_US : patience_us,
                            .heeds_signals = !control->hurried};
}

bool
control_again(struct control *control, int64_t patience_us, struct err *err)
{
    int64_t begun_us = clock_monotonic_us();
    int64_t end_us = begun_us + (control->hurried ? 0 : patience_us);
    const struct pg_wait wait = wait_of(control, ANSWER_US);

    if (control->pg && pg_wait_query(control->pg, "SELECT 1", &wait, err))
        return true;
    pg_close(control->pg);
    control->pg = NULL;
    for (int64_t pause_us = RECONNECT_PAUSE_US;; pause_us *= pause_us < 1000000 ? 2 : 1) {
        if (wait.heeds_signals && interrupt_check(err))
            return false;
        control->pg = pg_wait_connect(control->target, control->purpose, &wait, err);
        if (control->pg)
            return true;
        if (patience_lost(begun_us, err) || clock_monotonic_us() + pause_us > end_us)
            return false;
        clock_sleep_us(pause_us);
    }
}

static int
compare_us(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

int64_t
control_round_trip_us(struct control *control)
{
    const struct pg_wait wait = wait_of(control, ANSWER_US);
    int64_t trips_us[ROUND_TRIPS];
    struct err ignored;

    for (int i = 0; i < ROUND_TRIPS; i++) {
        int64_t start_us = clock_monotonic_us();
        if (!pg_wait_query(control->pg, ";", &wait, &ignored))
            return -1;
        trips_us[i] = clock_monotonic_us() - start_us;
    }
    qsort(trips_us, ROUND_TRIPS, sizeof *trips_us, compare_us);
    return trips_us[ROUND_TRIPS / 2];
}

static const struct pg_rows *
query_row(struct control *control, const char *schema, const char *sql, int64_t patience_us,
          struct err *err)
{
    const struct pg_wait wait = wait_of(control, patience_us);
    struct arena arena = {0};
    const struct pg_rows *rows =
        pg_wait_query(control->pg, sql_for_schema(&arena, sql, schema), &wait, err);

    arena_free(&arena);
    return rows;
}

static bool
read_district_sums(struct control *control, const char *schema, struct control_sums *sums,
                   struct err *err)
{
    const struct pg_rows *rows =
        query_row(control, schema,
                  "SELECT coalesce(sum(d_next_o_id), 0)::bigint,"
                  " (coalesce(sum(d_ytd), 0) * 100)::bigint FROM ordermill.district",
                  SUMS_US, err);

    if (!rows)
        return false;
    sums->sums[GROWTH_NEW_ORDERS] = pg_value_int(rows, 0, 0);
    sums->sums[GROWTH_PAID_CENTS] = pg_value_int(rows, 0, 1);
    return true;
}

static bool
read_stock_sums(struct control *control, const char *schema, struct control_sums *sums,
                struct err *err)
{
    int64_t patience_us = SUMS_US + SUMS_PER_WAREHOUSE_US * control->build.warehouses;
    const struct pg_rows *rows =
        query_row(control, schema,
                  "SELECT coalesce(sum(s_order_cnt), 0)::bigint,"
                  " coalesce(sum(s_remote_cnt), 0)::bigint, coalesce(sum(s_ytd), 0)::bigint,"
                  " coalesce(min(s_quantity), 0), coalesce(max(s_quantity), 0),"
                  " (SELECT count(*) FROM ordermill.history) FROM ordermill.stock",
                  patience_us, err);

    if (!rows)
        return false;
    sums->sums[GROWTH_ORDER_LINES] = pg_value_int(rows, 0, 0);
    sums->sums[GROWTH_REMOTE_LINES] = pg_value_int(rows, 0, 1);
    sums->sums[GROWTH_QUANTITY] = pg_value_int(rows, 0, 2);
    sums->stock_quantity_min = (int)pg_value_int(rows, 0, 3);
    sums->stock_quantity_max = (int)pg_value_int(rows, 0, 4);
    sums->sums[GROWTH_PAYMENTS] = pg_value_int(rows, 0, 5);
    return true;
}

bool
control_read_sums(struct control *control, const char *schema, bool all, struct control_sums *sums,
                  struct err *err)
{
    for (int i = 0; i < GROWTHS; i++)
        sums->sums[i] = -1;
    sums->stock_quantity_min = sums->stock_quantity_max = 0;
    return read_district_sums(control, schema, sums, err) &&
           (!all || read_stock_sums(control, schema, sums, err));
}

int
control_see_left(struct control *control, const struct backends *backends, struct buf *named)
{
    const struct pg_wait wait = wait_of(control, ANSWER_US);
    struct err err;
    int left = 0;

    if (!control->pg)
        return -1;
    if (!backends_left(backends, control->pg, &wait, control->hurried ? LEFT_HURRIED_US : LEFT_US,
                       &left, named, &err)) {
        log_detail("whether sessions are left on the server could not be seen: %s", err.message);
        return -1;
    }
    if (left > 0)
        log_warning("%d session%s of this level %s still on the server: process %s", left,
                    left == 1 ? "" : "s", left == 1 ? "is" : "are", buf_text(named));
    return left;
}
