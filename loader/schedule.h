/* When tasks of unlike size, which several workers take in their order, will all be done. Pure: the
 * caller tells the time, and locks.
 *
 * A task's weight says what share of the time it takes. How much work a worker does in a second is
 * found out on the way; the time left is then that of the workers taking up what is left, so that a
 * large task at the end, which only one of them can work at, counts as what it is. */
#ifndef ORDERMILL_LOADER_SCHEDULE_H
#define ORDERMILL_LOADER_SCHEDULE_H

#include <stdint.h>

#include "common/err.h"

struct schedule;

/* Weights above 0, in any unit; copied. At least one worker. */
struct schedule *schedule_new(int count, int workers, const double *weights);
void schedule_free(struct schedule *schedule); /* NULL is fine */

void schedule_begin(struct schedule *schedule, int task, int64_t now_us);
void schedule_end(struct schedule *schedule, int task, int64_t now_us);
bool schedule_is_running(const struct schedule *schedule, int task);
/* Of a running task, so much is done as the server knows, 0 to 1: at least `low`. The share between
 * `low` and `high` it cannot see; there the clock tells. Without any note the clock tells all. */
void schedule_note(struct schedule *schedule, int task, int64_t now_us, double low, double high);

/* Takes stock; call it a few times a second, the following count from then. */
void schedule_look(struct schedule *schedule, int64_t now_us);
/* Share of all that is done, 0 to 1. Never less than before. */
double schedule_done(const struct schedule *schedule);
/* Time left; false as long as it cannot be told. */
MUST_CHECK bool schedule_left_us(const struct schedule *schedule, int64_t *left_us);

#endif
