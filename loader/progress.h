/* How far a phase is, and when it will be done. Pure. */
#ifndef ORDERMILL_LOADER_PROGRESS_H
#define ORDERMILL_LOADER_PROGRESS_H

#include <stdint.h>

#include "common/err.h"

/* Work is counted in any unit that takes about the same time throughout: bytes, parts. The rate is
 * that of the latest half of what has passed, so that a slow start or a change of pace does not
 * weigh for hours, and neither does a moment. */
enum { PROGRESS_MARKS = 64 };
struct progress {
    double total;
    int64_t started_us;
    int64_t mark_every_us; /* doubled whenever the marks are full */
    int marks_count;
    struct {
        int64_t at_us;
        double done;
    } marks[PROGRESS_MARKS];
};

void progress_start(struct progress *progress, double total, int64_t now_us);
/* Takes note of what is done now; call it a few times a second. */
void progress_note(struct progress *progress, double done, int64_t now_us);
/* Units per second over the latest half; 0 as long as there is nothing to tell it from. */
double progress_rate(const struct progress *progress, double done, int64_t now_us);
/* Time left from now; false as long as it cannot be told. */
MUST_CHECK bool progress_left_us(const struct progress *progress, double done, int64_t now_us,
                                 int64_t *left_us);

#endif
