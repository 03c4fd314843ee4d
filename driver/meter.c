/* Owns the counters of a worker. Does not know what a second is, nor which phase runs. */
#include "driver/meter.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "common/inputs.h"

/* The kinds past the table's end are counted together in its last place. */
#define OTHER_KINDS "other"

struct meter *
meter_new(void)
{
    struct meter *meter = must_calloc(1, sizeof *meter);

    meter_half_clear(&meter->halves[0]);
    meter_half_clear(&meter->halves[1]);
    meter->active = &meter->halves[0];
    meter->flip_at_us = INT64_MAX;
    return meter;
}

void
meter_free(struct meter *meter)
{
    free(meter);
}

void
meter_start(struct meter *meter)
{
    meter->started++;
    meter->in_flight++;
}

static void
count_skips(struct input_stats *inputs, int districts)
{
    inputs->districts_skipped += (uint64_t)districts;
    inputs->deliveries_skipping += districts > 0;
}

void
meter_end(struct meter *meter, const struct meter_event *event)
{
    struct meter_half *half = meter->active;
    struct txn_stats *stats = &half->transactions[event->input->type];

    must(meter->in_flight > 0);
    meter->in_flight--;
    meter->ended[event->outcome]++;
    if (event->committed)
        terminal_add_growth(meter->counted, event->input);
    else if (event->outcome == OUTCOME_LOST)
        terminal_add_growth(meter->uncertain, event->input);
    stats->outcomes[event->outcome]++;
    if (!event->queued)
        terminal_count(&half->inputs, event->input);
    count_skips(&half->inputs, event->districts_skipped);
    if (event->outcome == OUTCOME_COMMITTED || event->outcome == OUTCOME_ROLLED_BACK) {
        hist_record(&stats->response, event->done_us - event->due_us);
        hist_record(&stats->service, event->done_us - event->sent_us);
        int64_t able_us = event->due_us > event->free_us ? event->due_us : event->free_us;
        hist_record(&half->queue, able_us - event->due_us);
        hist_record(&half->lag, event->first_sent_us - able_us);
    }
}

void
meter_retry(struct meter *meter, enum txn_type type)
{
    meter->active->transactions[type].retries++;
}

static struct error_count *
find_error(struct meter_half *half, const char *sqlstate)
{
    for (int i = 0; i < half->errors_count; i++)
        if (strcmp(half->errors[i].sqlstate, sqlstate) == 0)
            return &half->errors[i];
    if (half->errors_count == ERROR_KINDS_MAX)
        return &half->errors[ERROR_KINDS_MAX - 1];
    if (half->errors_count == ERROR_KINDS_MAX - 1)
        sqlstate = OTHER_KINDS;
    struct error_count *error = &half->errors[half->errors_count++];
    *error = (struct error_count){0};
    snprintf(error->sqlstate, sizeof error->sqlstate, "%s", sqlstate);
    return error;
}

static void
count_error(struct meter_half *half, const char *sqlstate, const char *message, uint64_t count)
{
    struct error_count *error = find_error(half, sqlstate);

    if (error->count == 0)
        snprintf(error->message, sizeof error->message, "%s", message);
    error->count += count;
}

void
meter_error(struct meter *meter, const char *sqlstate, const char *message)
{
    count_error(meter->active, sqlstate, message, 1);
}

void
meter_think(struct meter *meter, enum txn_type after, int64_t think_us)
{
    struct pace_stats *pace = &meter->active->pace;

    pace->thinks[after]++;
    pace->think_us[after] += think_us;
    hist_record(&pace->think[after], think_us);
}

void
meter_keying(struct meter *meter, enum txn_type before, int64_t keying_us)
{
    meter->active->pace.keyings[before]++;
    meter->active->pace.keying_us[before] += keying_us;
}

void
meter_skipped(struct meter *meter)
{
    meter->active->skipped++;
}

void
meter_delivered(struct meter *meter, int districts_skipped)
{
    meter->active->inputs.deliveries++;
    count_skips(&meter->active->inputs, districts_skipped);
}

bool
meter_take_request(struct meter *meter)
{
    if (meter->flip_at_us != INT64_MAX ||
        atomic_load_explicit(&meter->asked, memory_order_acquire) == atomic_load(&meter->done))
        return false;
    meter->flip_at_us = atomic_load(&meter->asked_at_us);
    meter->last = atomic_load(&meter->asked_last);
    return true;
}

void
meter_flip(struct meter *meter, uint64_t in_flight, uint64_t virtual_users, uint64_t waiting)
{
    uint64_t ended = 0;

    for (int i = 0; i < OUTCOMES; i++)
        ended += meter->ended[i];
    must(meter->started == ended + meter->in_flight);
    must(meter->in_flight == in_flight);
    meter->active->in_flight = in_flight;
    meter->active->virtual_users = virtual_users;
    meter->active->waiting = waiting;
    meter->active->end_us = meter->flip_at_us;
    meter->active = &meter->halves[meter->active == meter->halves];
    meter->flip_at_us = INT64_MAX;
    atomic_fetch_add_explicit(&meter->done, 1, memory_order_release);
}

void
meter_ask(struct meter *meter, int64_t at_us, bool last)
{
    must(meter_answered(meter));
    atomic_store(&meter->asked_at_us, at_us);
    atomic_store(&meter->asked_last, last);
    atomic_fetch_add_explicit(&meter->asked, 1, memory_order_release);
}

bool
meter_answered(const struct meter *meter)
{
    return atomic_load(&meter->asked) == atomic_load_explicit(&meter->done, memory_order_acquire);
}

struct meter_half *
meter_closed(struct meter *meter)
{
    must(meter_answered(meter));
    /* The first flip closed half 0, the second half 1, and so on. */
    return &meter->halves[(atomic_load(&meter->done) + 1) % 2];
}

static void
merge_pace(struct pace_stats *into, const struct pace_stats *from)
{
    for (int type = 0; type < TXN_TYPES; type++) {
        into->keyings[type] += from->keyings[type];
        into->keying_us[type] += from->keying_us[type];
        into->thinks[type] += from->thinks[type];
        into->think_us[type] += from->think_us[type];
        hist_merge(&into->think[type], &from->think[type]);
    }
}

void
meter_half_merge(struct meter_half *into, const struct meter_half *from)
{
    for (int type = 0; type < TXN_TYPES; type++) {
        struct txn_stats *to = &into->transactions[type];
        const struct txn_stats *stats = &from->transactions[type];
        for (int i = 0; i < OUTCOMES; i++)
            to->outcomes[i] += stats->outcomes[i];
        to->retries += stats->retries;
        hist_merge(&to->response, &stats->response);
        hist_merge(&to->service, &stats->service);
    }
    inputs_merge(&into->inputs, &from->inputs);
    hist_merge(&into->lag, &from->lag);
    hist_merge(&into->queue, &from->queue);
    merge_pace(&into->pace, &from->pace);
    into->skipped += from->skipped;
    for (int i = 0; i < from->errors_count; i++)
        count_error(into, from->errors[i].sqlstate, from->errors[i].message, from->errors[i].count);
    into->in_flight += from->in_flight;
    into->virtual_users += from->virtual_users;
    into->waiting += from->waiting;
    into->end_us = from->end_us;
}

void
meter_half_clear(struct meter_half *half)
{
    memset(half, 0, sizeof *half);
    for (int type = 0; type < TXN_TYPES; type++) {
        hist_clear(&half->transactions[type].response);
        hist_clear(&half->transactions[type].service);
        hist_clear(&half->pace.think[type]);
    }
    hist_clear(&half->lag);
    hist_clear(&half->queue);
}
