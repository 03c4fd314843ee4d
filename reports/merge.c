/* Which runs belong together is decided first, then steps are added up one by one. */
#include "reports/merge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/inputs.h"

/* ---- what belongs together ---- */

static bool
differ(struct err *err, const char *const *folders, int index, const char *what)
{
    return err_set(err, ERR_USAGE, "\"%s\" and \"%s\" are not of one run: %s differ", folders[0],
                   folders[index], what);
}

/* When the window opened, by the wall clock of the load host. The first second is the one before
 * which nothing was counted. */
static int64_t
window_start_us(const struct step *step)
{
    int64_t connecting_s = step->seconds_count > 0 ? -(int64_t)step->seconds[0].at_s : 0;

    return step->started_wall_us + connecting_s * 1000000 + step->ramp_up_us;
}

static bool
same_text(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

/* NULL: they belong together. */
static const char *
step_difference(const struct step *a, const struct step *b)
{
    int64_t apart_us = llabs(window_start_us(a) - window_start_us(b));
    int64_t allowed_us = a->measure_us * MERGE_APART_PERCENT / 100;

    if (a->number != b->number || a->repeat != b->repeat || a->warehouses != b->warehouses ||
        !same_text(a->configuration, b->configuration))
        return "their steps";
    if (memcmp(a->mix, b->mix, sizeof a->mix) != 0 || a->home != b->home ||
        a->arrivals != b->arrivals || a->pacing < b->pacing || a->pacing > b->pacing)
        return "mix, pacing, arrivals or homes";
    if (!same_text(a->procedures, b->procedures) || !same_text(a->call, b->call) ||
        !same_text(a->protocol, b->protocol) || !same_text(a->isolation, b->isolation))
        return "procedures, call, protocol or isolation";
    if (a->measure_us != b->measure_us || a->ramp_up_us != b->ramp_up_us)
        return "ramp-up or window";
    if (apart_us > (allowed_us > MERGE_APART_US ? allowed_us : MERGE_APART_US))
        return "the times of their windows";
    return NULL;
}

static bool
belongs(const struct run *runs, const char *const *folders, int index, struct err *err)
{
    static const char *const facts[][2] = {
        {"server", "version"}, {"database", "name"}, {"database", "schema"}};
    const struct run *first = &runs[0], *other = &runs[index];

    if (!same_text(first->kit_version, other->kit_version))
        return differ(err, folders, index, "the versions of the kit");
    if (!same_text(first->profile, other->profile))
        return differ(err, folders, index, "their profiles");
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
        if (!same_text(environment_find(&first->environment, facts[i][0], facts[i][1]),
                       environment_find(&other->environment, facts[i][0], facts[i][1])))
            return differ(err, folders, index, facts[i][1]);
    if (first->steps_count != other->steps_count)
        return differ(err, folders, index, "numbers of steps");
    for (int i = 0; i < first->steps_count; i++) {
        const char *what = step_difference(&first->steps[i], &other->steps[i]);
        if (what)
            return differ(err, folders, index, what);
    }
    return true;
}

/* The same folder given twice would count everything twice. */
static bool
is_twice(const struct run *a, const struct run *b)
{
    return a->started_wall_us == b->started_wall_us &&
           same_text(environment_find(&a->environment, "client", "host"),
                     environment_find(&b->environment, "client", "host"));
}

/* ---- adding up ---- */

static void
add_transactions(struct step *into, const struct step *from)
{
    for (int type = 0; type < TXN_TYPES; type++) {
        struct txn_stats *sum = &into->transactions[type];
        const struct txn_stats *one = &from->transactions[type];
        for (int outcome = 0; outcome < OUTCOMES; outcome++)
            sum->outcomes[outcome] += one->outcomes[outcome];
        sum->retries += one->retries;
        hist_merge(&sum->response, &one->response);
        hist_merge(&sum->service, &one->service);
        into->pace.keyings[type] += from->pace.keyings[type];
        into->pace.thinks[type] += from->pace.thinks[type];
        into->pace.keying_us[type] += from->pace.keying_us[type];
        into->pace.think_us[type] += from->pace.think_us[type];
        hist_merge(&into->pace.think[type], &from->pace.think[type]);
    }
    hist_merge(&into->queue, &from->queue);
    hist_merge(&into->lag, &from->lag);
    inputs_merge(&into->inputs, &from->inputs);
}

static void
add_deferred(struct step *into, const struct step *from)
{
    struct deferred_stats *sum = &into->deferred;
    const struct deferred_stats *one = &from->deferred;

    into->delivery_sessions += from->delivery_sessions;
    sum->queued += one->queued;
    sum->done += one->done;
    sum->failed += one->failed;
    sum->lost += one->lost;
    sum->left += one->left;
    sum->in_time += one->in_time;
    sum->waiting_most += one->waiting_most;
    hist_merge(&sum->latency, &one->latency);
}

static void
add_errors(struct step *into, const struct step *from)
{
    for (int i = 0; i < from->errors_count; i++) {
        const struct error_count *error = &from->errors[i];
        int at = 0;
        while (at < into->errors_count &&
               (strcmp(into->errors[at].sqlstate, error->sqlstate) != 0 ||
                strcmp(into->errors[at].message, error->message) != 0))
            at++;
        if (at < into->errors_count)
            into->errors[at].count += error->count;
        else if (at < ERROR_KINDS_MAX)
            into->errors[into->errors_count++] = *error;
        else
            into->errors[ERROR_KINDS_MAX - 1].count += error->count;
    }
    for (int i = 0; i < from->outages_count && into->outages_count < OUTAGES_MAX; i++)
        into->outages[into->outages_count++] = from->outages[i];
}

/* By the wall clock, to whole seconds; seconds that only one of them has stay as they are. */
static void
add_seconds(struct step *into, const struct step *from)
{
    int64_t apart_us =
        (window_start_us(from) - from->ramp_up_us) - (window_start_us(into) - into->ramp_up_us);
    int shift_s = (int)llround((double)apart_us / 1e6);

    for (int i = 0, k = 0; i < from->seconds_count; i++) {
        const struct second *one = &from->seconds[i];
        while (k < into->seconds_count && into->seconds[k].at_s < one->at_s + shift_s)
            k++;
        if (k == into->seconds_count || into->seconds[k].at_s != one->at_s + shift_s)
            continue;
        struct second *sum = &into->seconds[k];
        sum->virtual_users += one->virtual_users;
        sum->in_flight += one->in_flight;
        sum->waiting += one->waiting;
        sum->retries += one->retries;
        if (one->new_order_p95_us > sum->new_order_p95_us)
            sum->new_order_p95_us = one->new_order_p95_us;
        for (int type = 0; type < TXN_TYPES; type++)
            for (int outcome = 0; outcome < OUTCOMES; outcome++)
                sum->outcomes[type][outcome] += one->outcomes[type][outcome];
    }
}

static void
add_client(struct step *into, const struct step *from)
{
    bool wait_known = into->client_wait_us >= 0 && from->client_wait_us >= 0;

    into->threads += from->threads;
    into->client_user_us += from->client_user_us;
    into->client_system_us += from->client_system_us;
    into->client_cores = into->client_cores > 0 && from->client_cores > 0
                             ? into->client_cores + from->client_cores
                             : 0;
    into->client_wait_us = wait_known ? into->client_wait_us + from->client_wait_us : -1;
    /* The busiest of the hosts speaks for them. */
    into->client_busy_percent = fmax(into->client_busy_percent, from->client_busy_percent);
    into->client_steal_percent = fmax(into->client_steal_percent, from->client_steal_percent);
    if (from->rtt_before_us > into->rtt_before_us)
        into->rtt_before_us = from->rtt_before_us;
    if (from->rtt_after_us > into->rtt_after_us)
        into->rtt_after_us = from->rtt_after_us;
}

static void
add_state(struct step *into, const struct step *from)
{
    if (into->status == STEP_COMPLETE && from->status != STEP_COMPLETE) {
        into->status = from->status;
        into->reason = from->reason;
    }
    if (from->stock_quantity_max > 0 && into->stock_quantity_max > 0 &&
        from->stock_quantity_min < into->stock_quantity_min)
        into->stock_quantity_min = from->stock_quantity_min;
    if (from->stock_quantity_max > into->stock_quantity_max)
        into->stock_quantity_max = from->stock_quantity_max;
    for (int i = 0; i < GROWTHS; i++) {
        into->counted[i] += from->counted[i];
        into->uncertain[i] += from->uncertain[i];
        into->grown[i] = -1;
    }
    into->home_new_orders_least = into->home_new_orders_median = into->home_new_orders_most = 0;
}

/* Whose they are does not matter; what one folder does not know another may. */
static void
add_left(struct step *into, const struct step *from)
{
    if (from->sessions_left < 0)
        return;
    if (into->sessions_left <= 0)
        into->sessions_left_named = from->sessions_left_named;
    into->sessions_left = from->sessions_left + (into->sessions_left > 0 ? into->sessions_left : 0);
}

static void
add_step(struct step *into, const struct step *from)
{
    double nopm = step_nopm(into) + step_nopm(from);

    add_seconds(into, from); /* first: it needs the times of both */
    add_transactions(into, from);
    add_deferred(into, from);
    add_errors(into, from);
    add_client(into, from);
    add_state(into, from);
    add_left(into, from);
    into->virtual_users += from->virtual_users;
    into->sessions += from->sessions;
    into->rate_per_minute += from->rate_per_minute;
    into->unfinished += from->unfinished;
    into->waiting += from->waiting;
    into->waiting_most += from->waiting_most;
    into->skipped += from->skipped;
    into->virtual_users_lost += from->virtual_users_lost;
    into->connections_lost += from->connections_lost;
    /* The sum of the rates, though windows differ by microseconds. */
    if (nopm > 0)
        into->elapsed_us = llround(
            60e6 * (double)into->transactions[TXN_NEW_ORDER].outcomes[OUTCOME_COMMITTED] / nopm);
}

/* What is the server's alone is in every folder, and is taken from the first. */
static void
keep_server_metrics(struct step *step, struct arena *arena)
{
    struct metric *kept = arena_array(arena, (size_t)step->metrics_count + 1, sizeof *kept);
    int count = 0;

    for (int i = 0; i < step->metrics_count; i++)
        if (step->metrics[i].source == METRIC_SERVER ||
            step->metrics[i].source == METRIC_SERVER_HOST)
            kept[count++] = step->metrics[i];
    step->metrics = kept;
    step->metrics_count = count;
}

static void
copy_first(struct run *merged, const struct run *first, struct arena *arena)
{
    *merged = *first;
    merged->steps = arena_array(arena, (size_t)first->steps_count + 1, sizeof *merged->steps);
    for (int i = 0; i < first->steps_count; i++) {
        struct step *step = &merged->steps[i];
        *step = first->steps[i];
        step->seconds = arena_array(arena, (size_t)step->seconds_count + 1, sizeof *step->seconds);
        if (step->seconds_count > 0)
            memcpy(step->seconds, first->steps[i].seconds,
                   (size_t)step->seconds_count * sizeof *step->seconds);
        keep_server_metrics(step, arena);
    }
}

/* The load hosts' own facts, each with the number of its host. */
static void
add_environment(struct run *merged, const struct run *runs, int count, struct arena *arena)
{
    const struct environment *first = &runs[0].environment;

    merged->environment =
        (struct environment){.findings = first->findings, .findings_count = first->findings_count};
    environment_add(&merged->environment, arena, "client", "load hosts",
                    arena_printf(arena, "%d", count), "");
    for (int i = 0; i < count; i++)
        for (int k = 0; k < runs[i].environment.count; k++) {
            const struct fact *fact = &runs[i].environment.facts[k];
            bool is_client = strcmp(fact->group, "client") == 0;
            if (i > 0 && !is_client)
                continue;
            environment_add(&merged->environment, arena, fact->group,
                            is_client ? arena_printf(arena, "%s, load host %d", fact->name, i + 1)
                                      : fact->name,
                            fact->value, fact->detail);
        }
}

bool
merge_runs(const struct run *runs, const char *const *folders, int count, struct run *merged,
           struct arena *arena, struct err *err)
{
    must(count >= 2 && count <= MERGE_RUNS_MAX);
    for (int i = 1; i < count; i++) {
        for (int k = 0; k < i; k++)
            if (is_twice(&runs[k], &runs[i]))
                return err_set(err, ERR_USAGE, "\"%s\" and \"%s\" are the same run of one host",
                               folders[k], folders[i]);
        if (!belongs(runs, folders, i, err))
            return false;
    }
    copy_first(merged, &runs[0], arena);
    add_environment(merged, runs, count, arena);
    for (int i = 1; i < count; i++) {
        for (int k = 0; k < merged->steps_count; k++)
            add_step(&merged->steps[k], &runs[i].steps[k]);
        if (runs[i].ended_wall_us > merged->ended_wall_us)
            merged->ended_wall_us = runs[i].ended_wall_us;
        if (runs[i].status != STEP_COMPLETE && merged->status == STEP_COMPLETE)
            merged->status = runs[i].status;
        if (runs[i].check.done && !merged->check.done)
            merged->check = runs[i].check;
    }
    return true;
}
