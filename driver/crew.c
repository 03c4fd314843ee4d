/* Owns the list of workers. Does not know about phases. */
#include "driver/crew.h"

#include <stdlib.h>

bool
crew_start(struct crew *crew, const struct worker_rules *rules, int threads, struct err *err)
{
    *crew = (struct crew){.workers = must_calloc((size_t)threads, sizeof(struct worker *))};
    for (int i = 0; i < threads; i++) {
        crew->workers[i] = worker_new(rules, i, threads, err);
        crew->count += crew->workers[i] != NULL;
        if (!crew->workers[i] || !worker_start(crew->workers[i], err)) {
            crew_join(crew);
            crew_free(crew);
            return false;
        }
    }
    return true;
}

struct worker_state
crew_look(const struct crew *crew)
{
    struct worker_state sum = {0};

    for (int i = 0; i < crew->count; i++) {
        struct worker_state state = worker_look(crew->workers[i]);
        sum.running += state.running;
        sum.out += state.out;
        sum.losses += state.losses;
        sum.lost += state.lost;
        sum.ended += state.ended;
        sum.ended_deliverers += state.ended_deliverers;
        sum.deliveries += state.deliveries;
    }
    return sum;
}

bool
crew_first_error(const struct crew *crew, struct err *err)
{
    for (int i = 0; i < crew->count; i++)
        if (worker_first_error(crew->workers[i], err))
            return true;
    return false;
}

void
crew_ask(struct crew *crew, int64_t at_us, bool last)
{
    for (int i = 0; i < crew->count; i++)
        worker_ask(crew->workers[i], at_us, last);
}

bool
crew_answered(const struct crew *crew)
{
    for (int i = 0; i < crew->count; i++)
        if (!meter_answered(worker_meter(crew->workers[i])))
            return false;
    return true;
}

void
crew_collect(struct crew *crew, struct meter_half *sum)
{
    meter_half_clear(sum);
    for (int i = 0; i < crew->count; i++) {
        struct meter_half *half = meter_closed(worker_meter(crew->workers[i]));
        meter_half_merge(sum, half);
        meter_half_clear(half);
    }
}

void
crew_take_records(struct crew *crew, int64_t before_us, crew_record_fn *take, void *context)
{
    struct deferred_record record;

    for (int i = 0; i < crew->count; i++) {
        struct deferred *deferred = worker_deferred(crew->workers[i]);
        while (deferred && deferred_take(deferred, before_us, &record))
            take(context, &record);
    }
}

uint64_t
crew_deliveries_left(const struct crew *crew, int64_t since_us)
{
    uint64_t left = 0;

    must(crew->joined);
    for (int i = 0; i < crew->count; i++) {
        const struct deferred *deferred = worker_deferred(crew->workers[i]);
        left += deferred ? deferred_left(deferred, since_us) : 0;
    }
    return left;
}

void
crew_cancel(struct crew *crew)
{
    for (int i = 0; i < crew->count; i++)
        worker_cancel(crew->workers[i]);
}

void
crew_abandon(struct crew *crew)
{
    for (int i = 0; i < crew->count; i++)
        worker_abandon(crew->workers[i]);
}

void
crew_join(struct crew *crew)
{
    for (int i = 0; i < crew->count && !crew->joined; i++)
        worker_join(crew->workers[i]);
    crew->joined = true;
}

void
crew_collect_rest(const struct crew *crew, struct meter_half *sum)
{
    must(crew->joined);
    meter_half_clear(sum);
    for (int i = 0; i < crew->count; i++)
        meter_half_merge(sum, worker_meter(crew->workers[i])->active);
}

void
crew_growth(const struct crew *crew, int64_t counted[GROWTHS], int64_t uncertain[GROWTHS])
{
    must(crew->joined);
    for (int i = 0; i < crew->count; i++) {
        const struct meter *meter = worker_meter(crew->workers[i]);

        for (int k = 0; k < GROWTHS; k++) {
            counted[k] += meter->counted[k];
            uncertain[k] += meter->uncertain[k];
        }
    }
}

static int
compare_counts(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

void
crew_home_new_orders(const struct crew *crew, int warehouses, uint64_t *sums)
{
    must(crew->joined);
    for (int warehouse = 0; warehouse < warehouses; warehouse++) {
        sums[warehouse] = 0;
        for (int i = 0; i < crew->count; i++)
            sums[warehouse] += worker_home_new_orders(crew->workers[i])[warehouse];
    }
    qsort(sums, (size_t)warehouses, sizeof *sums, compare_counts);
}

void
crew_free(struct crew *crew)
{
    must(crew->joined);
    for (int i = 0; i < crew->count; i++)
        worker_free(crew->workers[i]);
    free(crew->workers);
    *crew = (struct crew){0};
}
