/* Owns the simulated time. */
#include "tests/unit/simulated.h"

int64_t simulated_us;

static int64_t
simulated_now(void *context)
{
    (void)context;
    return simulated_us;
}

static int
simulated_wait(void *context, int epoll_fd, struct epoll_event *events, int max, int64_t timeout_us)
{
    int ready = epoll_wait(epoll_fd, events, max, 0);

    (void)context;
    if (ready == 0 && timeout_us > 0)
        simulated_us += timeout_us;
    return ready;
}

const struct loop_clock simulated_clock = {simulated_now, simulated_wait, NULL};
