/* Owns the table of states, the walk through it, and how the run ends. */
#include "profiles/autopilot.h"

#include <stdio.h>

#include "common/clock.h"
#include "common/fs.h"
#include "common/interrupt.h"
#include "common/log.h"
#include "common/patience.h"
#include "common/verdict.h"
#include "loader/loader.h"
#include "profiles/autopilot_states.h"
#include "profiles/first_again.h"
#include "profiles/run_folder.h"
#include "profiles/watchdog.h"
#include "reports/reports.h"

#define USER_US      INT64_C(100000)  /* that a session may take to connect */
#define WAREHOUSE_US INT64_C(5000000) /* far above what vacuum or check take */

#define STEP_WORK       AUTOPILOT_WORK_STEP
#define WAREHOUSES_WORK AUTOPILOT_WORK_WAREHOUSES
#define SERVER_WORK     AUTOPILOT_WORK_SERVER
#define VACUUM_WORK     AUTOPILOT_WORK_VACUUM

#define ROW(state, ok, fail, function, name, journal, work, comment)                               \
    [AUTOPILOT_##state] = {AUTOPILOT_##state, AUTOPILOT_##ok, AUTOPILOT_##fail, name,              \
                           journal,           work,           function,         comment}

const struct autopilot_row autopilot_table[AUTOPILOT_STATES] = {
    ROW(PREPARE, BUILD, END, autopilot_prepare, "prepare", false, 0,
        "make the run folder and its store; waits for nothing but the disk"),
    ROW(BUILD, ENVIRONMENT, END, autopilot_build, "build", true, 0,
        "load the warehouses unless they are there, which has a limit of its own"),
    ROW(ENVIRONMENT, DECIDE, END, autopilot_environment, "environment", true, 0,
        "see that the largest step could run, record where it will: a few queries"),
    ROW(DECIDE, RESET, CHECK, autopilot_decide, "decide", false, 0,
        "is a step left, do failures leave a reason to go on, and has nobody interrupted?"),
    ROW(RESET, STEP, STORE, autopilot_reset, "reset", true,
        SERVER_WORK | WAREHOUSES_WORK | VACUUM_WORK,
        "wait for the server, at most 60 s for sessions of the kit, for autovacuum; vacuum"),
    ROW(STEP, STORE, STORE, autopilot_step, "step", true, STEP_WORK,
        "measure one level: connect, ramp-up, window, a bounded drain, the database's sums"),
    ROW(STORE, DECIDE, REPORT, autopilot_store, "store", false, 0,
        "write the step to the store: the disk, and 10 s for a reader of the store"),
    ROW(CHECK, REPORT, REPORT, autopilot_check, "check", true, SERVER_WORK | WAREHOUSES_WORK,
        "the twelve consistency conditions, not after an interrupt"),
    ROW(REPORT, END, END, autopilot_report, "report", true, 0,
        "close the run and write the reports: the disk, and 30 s for a hanging gnuplot"),
    ROW(END, END, END, NULL, "end", false, 0, "nothing"),
};

int64_t
autopilot_limit_us(const struct autopilot_row *row, const struct settings *settings,
                   const struct plan *plan, int warehouses, int virtual_users)
{
    int64_t limit_us = settings_us(settings, SET_PATIENCE);

    if (row->work & AUTOPILOT_WORK_STEP)
        limit_us += plan->step_us + USER_US * virtual_users;
    if (row->work & AUTOPILOT_WORK_WAREHOUSES)
        limit_us += WAREHOUSE_US * warehouses;
    if (row->work & AUTOPILOT_WORK_SERVER)
        limit_us += settings_us(settings, SET_WAIT_FOR_SERVER);
    if (row->work & AUTOPILOT_WORK_VACUUM)
        limit_us += settings_us(settings, SET_AUTOVACUUM_WAIT);
    return limit_us;
}

void
autopilot_keep_limit(const char *what, int64_t limit_us)
{
    int64_t until_us = clock_monotonic_us() + limit_us;

    patience_limit(until_us);
    watchdog_watch(what, until_us);
}

void
autopilot_note(struct autopilot *autopilot, const struct event *event)
{
    struct event dated = *event;
    struct err err;

    dated.wall_us = clock_wall_us();
    if (!store_put_event(autopilot->store, &dated, &err))
        log_detail("journal: %s", err.message);
}

/* So that a run that is broken off can tell where it was. */
static void
note_state(struct autopilot *autopilot, const struct autopilot_row *row)
{
    bool about_step = row->state == AUTOPILOT_RESET || row->state == AUTOPILOT_STEP;

    if (row->in_journal && autopilot->store && !interrupt_signal())
        autopilot_note(autopilot, &(struct event){.step = about_step ? autopilot->step->number : 0,
                                                  .what = row->name,
                                                  .elapsed_us = -1,
                                                  .bytes = -1,
                                                  .detail = ""});
}

static int64_t
state_limit_us(const struct autopilot *autopilot, const struct autopilot_row *row)
{
    return autopilot_limit_us(row, autopilot->settings, &autopilot->plan, autopilot->warehouses,
                              autopilot->step ? autopilot->step->virtual_users : 0);
}

static void
walk(struct autopilot *autopilot, enum autopilot_state state)
{
    while (state != AUTOPILOT_END) {
        const struct autopilot_row *row = &autopilot_table[state];
        struct err err = {0};

        note_state(autopilot, row);
        int64_t limit_us = state_limit_us(autopilot, row);
        int64_t until_us = clock_monotonic_us() + limit_us;
        autopilot_keep_limit(row->name, limit_us);
        bool ok = row->function(autopilot, &err);

        must(row->state == state);
        if (!ok && err.code != ERR_NONE && autopilot->failure.code == ERR_NONE) {
            if (clock_monotonic_us() > until_us)
                err_prefix(&err, "%s", row->name);
            autopilot->failure = err;
        }
        state = ok ? row->on_ok : row->on_fail;
    }
    patience_limit(0);
    log_progress_end();
}

/* Even where the reports could not be written, on a full disk, the summary is printed. */
static bool
print_results(const struct autopilot *autopilot, struct err *err)
{
    bool as_json = settings_flag(autopilot->settings, SET_JSON);
    struct arena arena = {0};
    struct buf text = {0}, again = {0};
    bool ok = as_json ? reports_json(autopilot->folder.path, &text, err)
                      : reports_text(autopilot->folder.path, &text, err);

    if (ok && autopilot->again && !autopilot_reproduction(autopilot, &again, err))
        log_warning("%s", err->message);
    if (ok) {
        fputs(buf_text(&text), stdout);
        if (as_json && again.length > 0)
            log_info("%s", buf_text(&again) + 1);
        else
            fputs(buf_text(&again), stdout);
        if (autopilot->reported && !as_json)
            printf("\nreport: %s\nother forms (JSON, XML, CSV, charts): ordermill report \"%s\" "
                   "-o DIR\n",
                   fs_join(&arena, autopilot->folder.path, "report.html"), autopilot->folder.path);
        ok = cli_finish_output(err);
    }
    buf_free(&text);
    buf_free(&again);
    arena_free(&arena);
    return ok;
}

/* The exit status where nothing went wrong on the way: what the results themselves say. */
static int
judge(struct autopilot *autopilot)
{
    struct verdict verdicts[VERDICTS];
    struct arena arena = {0};
    struct run run;
    struct err err = {0};
    int status = ERR_NONE;

    if (autopilot->steps_measured == 0)
        return log_error(&autopilot->step_failure);
    if (!store_read(autopilot->store, &arena, &run, &err)) {
        status = log_error(&err);
    } else {
        verdict_run(&run, verdicts);
        if (loader_violations(&run.check) > 0)
            status = ERR_INCONSISTENT;
        else if (verdict_any_failed(verdicts))
            status = ERR_VERDICT;
    }
    arena_free(&arena);
    return status;
}

/* Results first, then what went wrong. */
static int
finish(struct autopilot *autopilot)
{
    struct err err = {0};
    bool printed = autopilot->steps_stored == 0 || print_results(autopilot, &err);

    if (interrupt_check(&autopilot->failure) || autopilot->failure.code != ERR_NONE) {
        if (autopilot->store && (autopilot->steps_stored > 0 || autopilot->earlier) &&
            !autopilot->failure.hint[0] && !autopilot->server_goes)
            err_hint(&autopilot->failure, "\"ordermill autopilot --resume %s\" goes on",
                     autopilot->folder.path);
        return log_error(&autopilot->failure);
    }
    return printed ? judge(autopilot) : log_error(&err);
}

void
autopilot_plan(struct autopilot *autopilot)
{
    plan_make(&autopilot->plan, &autopilot->arena, autopilot->settings, autopilot->profile);
    search_begin(&autopilot->search, &autopilot->plan, &autopilot->arena, autopilot->settings);
    autopilot->first_again =
        !autopilot->search.on &&
        first_again_plan(&autopilot->plan, &autopilot->arena, autopilot->settings);
    live_init(&autopilot->live, &autopilot->plan, autopilot->profile->name);
}

int
autopilot_fly(struct autopilot *autopilot, enum autopilot_state from)
{
    struct err err = {0};

    watchdog_start();
    walk(autopilot, from);
    /* What was measured is measured: the worst is a machine that is not as it was before. */
    if (!autopilot_hook(autopilot, HOOK_AFTER_RUN, &err))
        log_warning("%s", err.message);
    autopilot_drop_copies(autopilot);
    patience_limit(0);
    int status = finish(autopilot);
    store_close(autopilot->store);
    if (autopilot->store && autopilot->steps_stored == 0 && !autopilot->earlier &&
        !autopilot->hook_failed)
        run_folder_discard(&autopilot->folder);
    run_folder_close(&autopilot->folder);
    watchdog_stop();
    arena_free(&autopilot->step_arena);
    arena_free(&autopilot->arena);
    return status;
}

int
autopilot_run(struct settings *settings, const struct profile *profile, bool server_stays)
{
    struct autopilot autopilot = {
        .settings = settings, .profile = profile, .server_goes = !server_stays};
    struct err err = {0};

    if (!hooks_allowed(settings, profile, &err))
        return log_error(&err);
    autopilot_plan(&autopilot);
    return autopilot_fly(&autopilot, AUTOPILOT_PREPARE);
}
