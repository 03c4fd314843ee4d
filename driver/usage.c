/* Owns when the figures are read, and what is taken off them. */
#include "driver/usage.h"

#include "common/clock.h"

static void
read_driver(const struct sampler *sampler, int64_t *user_us, int64_t *system_us, int64_t *wait_us)
{
    clock_process_cpu_us(user_us, system_us);
    *wait_us = procfs_wait_us();
    if (!sampler)
        return;
    struct sampler_cost cost = sampler_cost(sampler);
    *user_us -= cost.user_us;
    *system_us -= cost.system_us;
    if (*wait_us >= cost.wait_us && cost.wait_us > 0)
        *wait_us -= cost.wait_us;
}

void
usage_begin(struct usage *usage, const struct sampler *sampler)
{
    usage->host_known = procfs_read_cpu(&usage->host);
    read_driver(sampler, &usage->user_us, &usage->system_us, &usage->wait_us);
}

/* Shares of the host's time since the window began. */
static void
end_host(const struct usage *usage, struct step *step)
{
    struct procfs_cpu now;

    if (!usage->host_known || !procfs_read_cpu(&now) || now.total <= usage->host.total)
        return;
    double total = (double)(now.total - usage->host.total);
    step->client_busy_percent = 100 - 100 * (double)(now.idle - usage->host.idle) / total;
    step->client_steal_percent = 100 * (double)(now.steal - usage->host.steal) / total;
}

void
usage_end(const struct usage *usage, const struct sampler *sampler, struct step *step)
{
    int64_t user_us, system_us, wait_us;

    read_driver(sampler, &user_us, &system_us, &wait_us);
    step->client_user_us = user_us - usage->user_us;
    step->client_system_us = system_us - usage->system_us;
    procfs_settle(&step->client_user_us, &step->client_system_us);
    if (usage->wait_us >= 0 && wait_us >= usage->wait_us)
        step->client_wait_us = wait_us - usage->wait_us;
    end_host(usage, step);
}
