/* What the driver and its host used up while the window was measured: processor time, and time
 * spent waiting for a processor. Without what the sampler used: looking is not driving. */
#ifndef ORDERMILL_DRIVER_USAGE_H
#define ORDERMILL_DRIVER_USAGE_H

#include "driver/procfs.h"
#include "driver/sampler.h"

/* As it stood when the window began. */
struct usage {
    int64_t user_us, system_us;
    int64_t wait_us; /* able to run, but without a processor; -1: not known */
    struct procfs_cpu host;
    bool host_known;
};

/* sampler NULL: nobody looks, here and below. */
void usage_begin(struct usage *usage, const struct sampler *sampler);
/* Fills the client's figures of the step with the difference; what is not known stays as it is. */
void usage_end(const struct usage *usage, const struct sampler *sampler, struct step *step);

#endif
