/* Names, and finding one metric among many. The sampling is the driver's. */
#include "common/metric.h"

#include <stddef.h>
#include <string.h>

const char *const metric_source_names[METRIC_SOURCES] = {"driver_host", "server_host", "server",
                                                         "sampler"};
const char *const metric_kind_names[METRIC_KINDS] = {"level", "rate", "share"};

const struct metric *
metric_find(const struct metric *metrics, int count, enum metric_source source, const char *name,
            const char *instance)
{
    for (int i = 0; i < count; i++) {
        const struct metric *metric = &metrics[i];
        if (metric->source == source && metric->samples > 0 && strcmp(metric->name, name) == 0 &&
            strcmp(metric->instance, instance) == 0)
            return metric;
    }
    return NULL;
}
