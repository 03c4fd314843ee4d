/* The time of arrival of tasks; see schedule.h. The pace is that of all that is known to be done,
 * over the core time spent on it: weights are right in the mean more than each by itself, so that
 * of the latest half alone foretold worse. What the clock tells of a part comes from the pace and
 * says nothing of it. */
#include "loader/schedule.h"

#include <stdlib.h>

/* What nobody knows more of is never taken for done. */
#define ALMOST 0.95
/* Core time before anything is told. */
enum { SETTLED_US = 500000 };

struct item {
    enum { WAITING, RUNNING, ENDED } state;
    const struct schedule_part *parts;
    int parts_count;
    double weight; /* of all parts */
    bool noted;
    int part; /* it is at this one, of which this share is known to be done */
    double part_done;
    double core_us; /* core time spent on it since that was known */
    double done;    /* weight, at the last look */
};

/* A task as it is worked off in thought. */
struct slot {
    const struct item *item;
    int part;
    double left;  /* weight of the part */
    double cores; /* that it has */
};

struct schedule {
    int count, workers, cores;
    struct item *items;
    struct slot *slots; /* of each worker, to count with */
    double weight, done;
    double known, known_us; /* weight that is known to be done, and the core time it took */
    int64_t now_us;         /* up to which core time is dealt out */
    double rate;            /* weight per second of a core, at the last look */
};

struct schedule *
schedule_new(int count, int workers, int cores, const struct schedule_task *tasks)
{
    struct schedule *schedule = must_calloc(1, sizeof *schedule);

    must(workers > 0 && cores > 0);
    schedule->count = count;
    schedule->workers = workers;
    schedule->cores = cores;
    schedule->items = must_calloc((size_t)count + 1, sizeof *schedule->items);
    schedule->slots = must_calloc((size_t)workers, sizeof *schedule->slots);
    for (int i = 0; i < count; i++) {
        struct item *item = &schedule->items[i];

        must(tasks[i].count > 0);
        item->parts = tasks[i].parts;
        item->parts_count = tasks[i].count;
        for (int k = 0; k < item->parts_count; k++) {
            must(item->parts[k].weight > 0 && item->parts[k].width > 0);
            item->weight += item->parts[k].weight;
        }
        schedule->weight += item->weight;
    }
    return schedule;
}

void
schedule_free(struct schedule *schedule)
{
    if (!schedule)
        return;
    free(schedule->items);
    free(schedule->slots);
    free(schedule);
}

/* --- cores ------------------------------------------------------------------------------------ */

/* Deals out the cores: what a narrow part leaves of its share goes to the others. */
static void
share_cores(const struct schedule *schedule, int slots_count)
{
    double left = schedule->cores, share = 0;
    int open = slots_count, before;

    for (int i = 0; i < slots_count; i++)
        schedule->slots[i].cores = 0;
    do {
        before = open;
        share = open > 0 ? left / open : 0;
        for (int i = 0; i < slots_count; i++) {
            struct slot *slot = &schedule->slots[i];
            int width = slot->item->parts[slot->part].width;

            if (slot->cores > 0 || width > share)
                continue;
            slot->cores = width;
            left -= width;
            open--;
        }
    } while (open > 0 && open < before);
    for (int i = 0; i < slots_count; i++) {
        if (schedule->slots[i].cores <= 0)
            schedule->slots[i].cores = share;
    }
}

/* The tasks at work, each at the part that is known. */
static int
fill_slots(const struct schedule *schedule)
{
    int count = 0;

    for (int i = 0; i < schedule->count && count < schedule->workers; i++) {
        const struct item *item = &schedule->items[i];

        if (item->state == RUNNING)
            schedule->slots[count++] = (struct slot){.item = item, .part = item->part};
    }
    return count;
}

/* The core time since the last call. */
static void
spend(struct schedule *schedule, int64_t now_us)
{
    int count = fill_slots(schedule);

    share_cores(schedule, count);
    for (int i = 0; i < count; i++) {
        struct item *item = &schedule->items[schedule->slots[i].item - schedule->items];
        item->core_us += (double)(now_us - schedule->now_us) * schedule->slots[i].cores;
    }
    schedule->now_us = now_us;
}

/* --- what is known ---------------------------------------------------------------------------- */

static double
weight_up_to(const struct item *item, int part, double done)
{
    double weight = part < item->parts_count ? item->parts[part].weight * done : 0;

    for (int k = 0; k < part; k++)
        weight += item->parts[k].weight;
    return weight;
}

static void
know(struct schedule *schedule, struct item *item, int part, double done)
{
    if (part < item->part || (part == item->part && done <= item->part_done))
        return;
    schedule->known +=
        weight_up_to(item, part, done) - weight_up_to(item, item->part, item->part_done);
    schedule->known_us += item->core_us;
    item->core_us = 0;
    item->part = part;
    item->part_done = done;
}

void
schedule_begin(struct schedule *schedule, int task, int64_t now_us)
{
    spend(schedule, now_us);
    schedule->items[task].state = RUNNING;
}

void
schedule_end(struct schedule *schedule, int task, int64_t now_us)
{
    struct item *item = &schedule->items[task];

    must(item->state == RUNNING);
    spend(schedule, now_us);
    know(schedule, item, item->parts_count, 0);
    item->state = ENDED;
}

bool
schedule_is_running(const struct schedule *schedule, int task)
{
    return schedule->items[task].state == RUNNING;
}

void
schedule_note(struct schedule *schedule, int task, int64_t now_us, int part, double done)
{
    struct item *item = &schedule->items[task];

    must(part >= 0 && part < item->parts_count);
    spend(schedule, now_us);
    item->noted = true;
    know(schedule, item, part, done < 1 ? done : 1);
}

/* --- what the clock adds ---------------------------------------------------------------------- */

/* Where a running task is by now. */
static struct slot
reckon(const struct schedule *schedule, const struct item *item)
{
    struct slot slot = {.item = item, .part = item->part};
    double ahead = schedule->rate * item->core_us / 1e6, most;

    slot.left = item->parts[slot.part].weight * (1 - item->part_done);
    if (!item->noted && ahead > item->weight * ALMOST)
        ahead = item->weight * ALMOST;
    while (!item->noted && ahead > slot.left && slot.part + 1 < item->parts_count) {
        ahead -= slot.left;
        slot.left = item->parts[++slot.part].weight;
    }
    most = slot.left * ALMOST;
    slot.left -= ahead < most ? ahead : most;
    return slot;
}

void
schedule_look(struct schedule *schedule, int64_t now_us)
{
    double done = 0;

    spend(schedule, now_us);
    schedule->rate =
        schedule->known_us < SETTLED_US ? 0 : schedule->known / schedule->known_us * 1e6;
    for (int i = 0; i < schedule->count; i++) {
        struct item *item = &schedule->items[i];

        if (item->state == RUNNING) {
            struct slot slot = reckon(schedule, item);
            double by_now = weight_up_to(item, slot.part + 1, 0) - slot.left;
            item->done = by_now > item->done ? by_now : item->done;
        } else if (item->state == ENDED)
            item->done = item->weight;
        done += item->done;
    }
    schedule->done = done;
}

double
schedule_done(const struct schedule *schedule)
{
    return schedule->done / schedule->weight;
}

/* --- what is left ----------------------------------------------------------------------------- */

/* Until the next part ends, which it then does. Returns the time it takes, in weight of one core.
 */
static double
work_on(const struct schedule *schedule, int *slots_count)
{
    double step = -1;

    share_cores(schedule, *slots_count);
    for (int i = 0; i < *slots_count; i++) {
        double takes = schedule->slots[i].left / schedule->slots[i].cores;
        step = step < 0 || takes < step ? takes : step;
    }
    for (int i = *slots_count - 1; i >= 0; i--) {
        struct slot *slot = &schedule->slots[i];
        bool ends = slot->left / slot->cores <= step * (1 + 1e-9);

        slot->left -= step * slot->cores;
        if (!ends)
            continue;
        if (++slot->part < slot->item->parts_count)
            slot->left = slot->item->parts[slot->part].weight;
        else
            *slot = schedule->slots[--*slots_count];
    }
    return step;
}

bool
schedule_left_us(const struct schedule *schedule, int64_t *left_us)
{
    int slots_count = fill_slots(schedule), next = 0;
    double weight = 0;

    if (schedule->rate <= 0)
        return false;
    for (int i = 0; i < slots_count; i++)
        schedule->slots[i] = reckon(schedule, schedule->slots[i].item);
    while (true) {
        for (; next < schedule->count && slots_count < schedule->workers; next++) {
            const struct item *item = &schedule->items[next];
            if (item->state == WAITING)
                schedule->slots[slots_count++] =
                    (struct slot){.item = item, .left = item->parts[0].weight};
        }
        if (slots_count == 0)
            break;
        weight += work_on(schedule, &slots_count);
    }
    *left_us = (int64_t)(weight / schedule->rate * 1e6 + 0.5);
    return true;
}
