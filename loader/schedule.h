/* When tasks of unlike size, which several workers take in their order, will all be done. Pure: the
 * caller tells the time, and locks.
 *
 * A task is done in parts, one after the other, and the tasks at work share the server's cores:
 * each has the same share, but no more than the processes of its part can use. How much work a core
 * does in a second is found out on the way; the time left is then that of the workers taking up
 * what is left, so that a large task at the end counts as what it is: it has the cores for itself,
 * if it can use them. */
#ifndef ORDERMILL_LOADER_SCHEDULE_H
#define ORDERMILL_LOADER_SCHEDULE_H

#include <stdint.h>

#include "common/err.h"

struct schedule_part {
    double weight; /* above 0: the time it takes one core, in any unit */
    int width;     /* at least 1: cores it can use */
};
struct schedule_task {
    const struct schedule_part *parts;
    int count; /* at least 1 */
};

struct schedule;

/* The tasks must outlive it. At least one worker and one core. */
struct schedule *schedule_new(int count, int workers, int cores, const struct schedule_task *tasks);
void schedule_free(struct schedule *schedule); /* NULL is fine */

void schedule_begin(struct schedule *schedule, int task, int64_t now_us);
void schedule_end(struct schedule *schedule, int task, int64_t now_us);
bool schedule_is_running(const struct schedule *schedule, int task);
/* A running task is at this part, of which the share `done`, 0 to 1, is known to be done. From
 * there to the part's end the clock tells. Without any note the clock tells all. */
void schedule_note(struct schedule *schedule, int task, int64_t now_us, int part, double done);

/* Takes stock; call it a few times a second, the following count from then. */
void schedule_look(struct schedule *schedule, int64_t now_us);
/* Share of all that is done, 0 to 1. Never less than before. */
double schedule_done(const struct schedule *schedule);
/* Time left; false as long as it cannot be told. */
MUST_CHECK bool schedule_left_us(const struct schedule *schedule, int64_t *left_us);

#endif
