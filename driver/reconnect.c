/* Owns the schedule of tries. Does not connect, and knows no timer. */
#include "driver/reconnect.h"

void
reconnect_begin(struct reconnect *reconnect, int64_t now_us, int64_t patience_us)
{
    if (reconnect->active)
        return;
    *reconnect = (struct reconnect){.active = true, .end_us = now_us + patience_us};
}

bool
reconnect_next(struct reconnect *reconnect, struct rng *jitter, int64_t now_us, int64_t *due_us)
{
    int doublings = reconnect->tries < RECONNECT_DOUBLINGS ? reconnect->tries : RECONNECT_DOUBLINGS;
    int64_t pause_us = (int64_t)RECONNECT_PAUSE_US << doublings;

    *due_us = now_us + rng_range(jitter, pause_us / 2, pause_us + pause_us / 2);
    if (*due_us >= reconnect->end_us)
        return false;
    reconnect->tries++;
    return true;
}

void
reconnect_done(struct reconnect *reconnect)
{
    reconnect->active = false;
}
