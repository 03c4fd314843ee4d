/* The time of arrival; see progress.h. Keeps evenly spaced marks of the way, and drops every other
 * one when there is no room. */
#include "loader/progress.h"

enum { MARK_EVERY_US = 250000, SETTLED_US = 500000 };

void
progress_start(struct progress *progress, double total, int64_t now_us)
{
    *progress = (struct progress){
        .total = total, .started_us = now_us, .mark_every_us = MARK_EVERY_US, .marks_count = 1};
    progress->marks[0].at_us = now_us;
}

static void
thin_out(struct progress *progress)
{
    for (int i = 0; i < PROGRESS_MARKS / 2; i++)
        progress->marks[i] = progress->marks[2 * i];
    progress->marks_count = PROGRESS_MARKS / 2;
    progress->mark_every_us *= 2;
}

void
progress_note(struct progress *progress, double done, int64_t now_us)
{
    int64_t last_us = progress->marks[progress->marks_count - 1].at_us;

    if (now_us - last_us < progress->mark_every_us)
        return;
    if (progress->marks_count == PROGRESS_MARKS)
        thin_out(progress);
    progress->marks[progress->marks_count].at_us = now_us;
    progress->marks[progress->marks_count++].done = done;
}

double
progress_rate(const struct progress *progress, double done, int64_t now_us)
{
    int64_t middle_us = progress->started_us + (now_us - progress->started_us) / 2;
    int from = 0;

    while (from + 1 < progress->marks_count && progress->marks[from + 1].at_us <= middle_us)
        from++;
    int64_t elapsed_us = now_us - progress->marks[from].at_us;
    if (now_us - progress->started_us < SETTLED_US || elapsed_us <= 0)
        return 0;
    return (done - progress->marks[from].done) * 1e6 / (double)elapsed_us;
}

bool
progress_left_us(const struct progress *progress, double done, int64_t now_us, int64_t *left_us)
{
    double rate = progress_rate(progress, done, now_us);

    if (rate <= 0)
        return false;
    *left_us = done < progress->total ? (int64_t)((progress->total - done) / rate * 1e6 + 0.5) : 0;
    return true;
}
