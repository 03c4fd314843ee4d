/* Adds up metrics over steps. How they were sampled is the driver's. */
#include "reports/level_metrics.h"

#include <math.h>
#include <string.h>

enum metric_source
level_metrics_server_host(const struct run *run)
{
    const char *local = environment_find(&run->environment, "server", "local");

    for (int i = 0; i < run->steps_count; i++)
        for (int k = 0; k < run->steps[i].metrics_count; k++)
            if (run->steps[i].metrics[k].source == METRIC_SERVER_HOST &&
                run->steps[i].metrics[k].samples > 0)
                return METRIC_SERVER_HOST;
    return local && strcmp(local, "yes") == 0 ? METRIC_DRIVER_HOST : METRIC_SERVER_HOST;
}

/* Volumes that stand on other disks, which are counted themselves. */
static bool
stands_on_others(const struct metric *metric)
{
    return strncmp(metric->name, "disk_", 5) == 0 &&
           (strncmp(metric->instance, "dm-", 3) == 0 || strncmp(metric->instance, "md", 2) == 0);
}

static bool
matches(const struct metric *metric, enum metric_source source, const char *name,
        const char *instance)
{
    return metric->source == source && metric->samples > 0 && strcmp(metric->name, name) == 0 &&
           (instance ? strcmp(metric->instance, instance) == 0 : !stands_on_others(metric));
}

/* Of one step; NAN where it has none. */
static double
step_sum(const struct step *step, enum metric_source source, const char *name, const char *instance,
         bool total)
{
    double sum = NAN;

    for (int i = 0; i < step->metrics_count; i++) {
        const struct metric *metric = &step->metrics[i];
        if (matches(metric, source, name, instance))
            sum = (isnan(sum) ? 0 : sum) + (total ? metric->total : metric->mean);
    }
    return sum;
}

double
level_metrics_mean(const struct analysis_level *level, enum metric_source source, const char *name,
                   const char *instance)
{
    double sum = 0;
    int known = 0;

    for (int i = 0; i < level->runs; i++) {
        double one = step_sum(level->steps[i], source, name, instance, false);
        sum += isnan(one) ? 0 : one;
        known += !isnan(one);
    }
    return known > 0 ? sum / known : NAN;
}

double
level_metrics_total(const struct analysis_level *level, enum metric_source source, const char *name)
{
    double sum = NAN;

    for (int i = 0; i < level->runs; i++) {
        double one = step_sum(level->steps[i], source, name, NULL, true);
        if (!isnan(one))
            sum = (isnan(sum) ? 0 : sum) + one;
    }
    return sum;
}

double
level_metrics_per_new_order(const struct analysis_level *level, enum metric_source source,
                            const char *name)
{
    double growth = 0, new_orders = 0;

    for (int i = 0; i < level->runs; i++) {
        const struct step *step = level->steps[i];
        double one = step_sum(step, source, name, NULL, true);
        if (isnan(one))
            continue;
        growth += one;
        new_orders += (double)step->transactions[TXN_NEW_ORDER].outcomes[OUTCOME_COMMITTED];
    }
    return new_orders > 0 ? growth / new_orders : NAN;
}

/* The sum over cores of the share of time that each was busy is cores at work. */
double
level_metrics_cpu_us(const struct analysis_level *level, enum metric_source host)
{
    double everything = level_metrics_mean(level, host, "cpu_busy", NULL);
    double mean = level_metrics_mean(level, host, "cpu_busy", "all");
    double cores = (everything - (isnan(mean) ? 0 : mean)) / 100;

    return level->nopm_mean > 0 && cores > 0 ? cores * 60e6 / level->nopm_mean : NAN;
}

const char *
level_metrics_missing(const struct analysis *analysis, enum metric_source source, const char *name)
{
    for (int i = 0; i < analysis->levels_count; i++)
        for (int j = 0; j < analysis->levels[i].runs; j++) {
            const struct step *step = analysis->levels[i].steps[j];
            for (int k = 0; k < step->metrics_count; k++) {
                const struct metric *metric = &step->metrics[k];
                if (metric->source == source && metric->samples == 0 && metric->missing[0] &&
                    strcmp(metric->name, name) == 0)
                    return metric->missing;
            }
        }
    return NULL;
}

#define INSTANCES_MAX 1024 /* more are not looked at */

static void
add_instance(const char **instances, double *sums, int *count, const struct metric *metric)
{
    int at = 0;

    while (at < *count && strcmp(instances[at], metric->instance) != 0)
        at++;
    if (at == INSTANCES_MAX)
        return;
    if (at == *count) {
        instances[at] = metric->instance;
        sums[at] = 0;
        ++*count;
    }
    sums[at] += metric->mean;
}

int
level_metrics_instances(const struct analysis *analysis, enum metric_source source,
                        const char *name, const char *except, const char **instances, int limit)
{
    const char *all[INSTANCES_MAX];
    double sums[INSTANCES_MAX];
    int count = 0, kept = 0;

    for (int i = 0; i < analysis->levels_count; i++)
        for (int j = 0; j < analysis->levels[i].runs; j++) {
            const struct step *step = analysis->levels[i].steps[j];
            for (int k = 0; k < step->metrics_count; k++)
                if (matches(&step->metrics[k], source, name, NULL) &&
                    (!except || strcmp(step->metrics[k].instance, except) != 0))
                    add_instance(all, sums, &count, &step->metrics[k]);
        }
    for (; kept < limit && kept < count; kept++) {
        int best = kept;
        for (int i = kept + 1; i < count; i++)
            if (sums[i] > sums[best])
                best = i;
        const char *swapped = all[kept];
        double sum = sums[kept];
        all[kept] = instances[kept] = all[best];
        sums[kept] = sums[best];
        all[best] = swapped;
        sums[best] = sum;
    }
    return kept;
}

int
level_metrics_waits(const struct analysis *analysis, const char **names, int limit)
{
    const char *every[INSTANCES_MAX];
    int all = level_metrics_instances(analysis, METRIC_SERVER, "wait", NULL, every, INSTANCES_MAX);
    int named = level_metrics_instances(analysis, METRIC_SERVER, "wait", WAITS_OTHER, names, limit);

    if (all > named)
        names[named < limit ? named++ : limit - 1] = WAITS_OTHER;
    return named;
}

double
level_metrics_in_waits(const struct analysis_level *level, const char *const *names, int count,
                       double *sessions)
{
    double all = level_metrics_mean(level, METRIC_SERVER, "wait", NULL), rest = all;
    int sampled = 0;

    for (int i = 0; i < level->runs; i++)
        sampled += !isnan(step_sum(level->steps[i], METRIC_SERVER, "wait", NULL, false));
    for (int k = 0; k < count; k++) {
        sessions[k] = 0;
        if (strcmp(names[k], WAITS_OTHER) == 0)
            continue;
        for (int i = 0; i < level->runs; i++) {
            double one = step_sum(level->steps[i], METRIC_SERVER, "wait", names[k], false);
            sessions[k] += isnan(one) ? 0 : one / sampled;
        }
        rest -= sessions[k];
    }
    if (count > 0 && strcmp(names[count - 1], WAITS_OTHER) == 0)
        sessions[count - 1] = fmax(rest, 0);
    return all;
}
