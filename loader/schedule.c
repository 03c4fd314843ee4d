/* The time of arrival of tasks; see schedule.h. The pace is that of what is known to be done, over
 * the time that workers spent on it, by the rule of progress.h: that of the latest half. What the
 * clock tells of a task comes from the pace and says nothing of it. */
#include "loader/schedule.h"

#include <stdlib.h>
#include <string.h>

#include "loader/progress.h"

/* A task that nobody knows more of is never taken for done. */
#define ALMOST 0.95

struct item {
    enum { WAITING, RUNNING, ENDED } state;
    double weight;
    double done; /* share, at the last look */
    bool noted;
    double low, high; /* of the last note */
    int64_t begun_us, noted_us;
};

struct schedule {
    int count, workers;
    struct item *items;
    double *loads; /* of each worker, to count with */
    double weight, done;
    double rate;          /* weight per second of a worker, at the last look */
    double ended_weight;  /* of tasks that have ended, */
    int64_t ended_us;     /* and the time that workers took for them */
    struct progress pace; /* weight over such time */
};

struct schedule *
schedule_new(int count, int workers, const double *weights)
{
    struct schedule *schedule = must_calloc(1, sizeof *schedule);

    must(workers > 0);
    schedule->count = count;
    schedule->workers = workers;
    schedule->items = must_calloc((size_t)count + 1, sizeof *schedule->items);
    schedule->loads = must_calloc((size_t)workers, sizeof *schedule->loads);
    for (int i = 0; i < count; i++) {
        must(weights[i] > 0);
        schedule->items[i].weight = weights[i];
        schedule->weight += weights[i];
    }
    progress_start(&schedule->pace, schedule->weight, 0);
    return schedule;
}

void
schedule_free(struct schedule *schedule)
{
    if (!schedule)
        return;
    free(schedule->items);
    free(schedule->loads);
    free(schedule);
}

void
schedule_begin(struct schedule *schedule, int task, int64_t now_us)
{
    struct item *item = &schedule->items[task];

    item->state = RUNNING;
    item->begun_us = item->noted_us = now_us;
    item->high = ALMOST;
}

void
schedule_end(struct schedule *schedule, int task, int64_t now_us)
{
    struct item *item = &schedule->items[task];

    must(item->state == RUNNING);
    item->state = ENDED;
    item->done = 1;
    schedule->ended_weight += item->weight;
    schedule->ended_us += now_us - item->begun_us;
}

bool
schedule_is_running(const struct schedule *schedule, int task)
{
    return schedule->items[task].state == RUNNING;
}

void
schedule_note(struct schedule *schedule, int task, int64_t now_us, double low, double high)
{
    struct item *item = &schedule->items[task];

    high = high < ALMOST ? high : ALMOST;
    if (item->noted && low == item->low && high == item->high)
        return; /* the clock goes on from when it was noted first */
    item->noted = true;
    item->low = low;
    item->high = high;
    item->noted_us = now_us;
}

static double
share_done(const struct schedule *schedule, const struct item *item, int64_t now_us)
{
    double by_clock = schedule->rate * (double)(now_us - item->noted_us) / 1e6 / item->weight;
    double share = item->low + by_clock;

    if (share > item->high)
        share = item->high > item->low ? item->high : item->low;
    return share > item->done ? share : item->done;
}

void
schedule_look(struct schedule *schedule, int64_t now_us)
{
    int64_t known_us = schedule->ended_us;
    double known = schedule->ended_weight;

    schedule->done = schedule->ended_weight;
    for (int i = 0; i < schedule->count; i++) {
        struct item *item = &schedule->items[i];

        if (item->state != RUNNING)
            continue;
        item->done = share_done(schedule, item, now_us);
        schedule->done += item->weight * item->done;
        known += item->noted ? item->weight * item->low : 0;
        known_us += item->noted ? item->noted_us - item->begun_us : 0;
    }
    progress_note(&schedule->pace, known, known_us);
    schedule->rate = progress_rate(&schedule->pace, known, known_us);
}

double
schedule_done(const struct schedule *schedule)
{
    return schedule->done / schedule->weight;
}

/* The worker that will be free first. */
static double *
first_free(const struct schedule *schedule)
{
    double *first = schedule->loads;

    for (int i = 1; i < schedule->workers; i++) {
        if (schedule->loads[i] < *first)
            first = &schedule->loads[i];
    }
    return first;
}

bool
schedule_left_us(const struct schedule *schedule, int64_t *left_us)
{
    double most = 0;

    if (schedule->rate <= 0)
        return false;
    memset(schedule->loads, 0, (size_t)schedule->workers * sizeof *schedule->loads);
    for (int state = RUNNING; state >= WAITING; state--) {
        for (int i = 0; i < schedule->count; i++) {
            const struct item *item = &schedule->items[i];
            if ((int)item->state != state)
                continue;
            double *load = first_free(schedule);
            *load += item->weight * (1 - item->done);
            most = *load > most ? *load : most;
        }
    }
    *left_us = (int64_t)(most / schedule->rate * 1e6 + 0.5);
    return true;
}
