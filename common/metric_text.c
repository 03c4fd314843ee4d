/* Owns the choice of what is said in short, and its words. */
#include "common/metric_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"

const char *const metric_topic_names[METRIC_TOPICS] = {"waits", "server", "hosts", "sampler"};

static const struct metric *
find(const struct step *step, enum metric_source source, const char *name, const char *instance)
{
    return metric_find(step->metrics, step->metrics_count, source, name, instance);
}

static int
compare_means(const void *a, const void *b)
{
    const struct metric *x = *(const struct metric *const *)a;
    const struct metric *y = *(const struct metric *const *)b;

    if (x->mean != y->mean)
        return (x->mean < y->mean) - (x->mean > y->mean);
    return strcmp(x->instance, y->instance);
}

int
metric_top_waits(const struct step *step, const struct metric *top[METRIC_WAITS_TOP],
                 double *sessions)
{
    const struct metric *all[METRIC_WAITS_TOP + 1];
    int count = 0;

    *sessions = 0;
    for (int i = 0; i < step->metrics_count; i++) {
        const struct metric *metric = &step->metrics[i];
        if (metric->source != METRIC_SERVER || metric->samples == 0 || metric->mean <= 0 ||
            strcmp(metric->name, "wait") != 0)
            continue;
        *sessions += metric->mean;
        all[count++] = metric;
        qsort(all, (size_t)count, sizeof all[0], compare_means);
        count = count > METRIC_WAITS_TOP ? METRIC_WAITS_TOP : count;
    }
    memcpy(top, all, (size_t)count * sizeof all[0]);
    return count;
}

double
metric_checkpoints(const struct step *step)
{
    const struct metric *timed = find(step, METRIC_SERVER, "checkpoints_timed", "");
    const struct metric *requested = find(step, METRIC_SERVER, "checkpoints_requested", "");

    return timed && requested ? timed->total + requested->total : -1;
}

/* Each table counts its own. */
double
metric_autovacuums(const struct step *step)
{
    double sum = -1;

    for (int i = 0; i < step->metrics_count; i++) {
        const struct metric *metric = &step->metrics[i];
        if (metric->source == METRIC_SERVER && metric->samples > 0 &&
            strcmp(metric->name, "table_autovacuums") == 0)
            sum = fmax(sum, 0) + metric->total;
    }
    return sum;
}

double
metric_per_new_order(const struct step *step, const char *name)
{
    const struct metric *metric = find(step, METRIC_SERVER, name, "");
    uint64_t new_orders = step->transactions[TXN_NEW_ORDER].outcomes[OUTCOME_COMMITTED];

    return metric && new_orders > 0 ? metric->total / (double)new_orders : -1;
}

/* --- text ------------------------------------------------------------------------------------- */

static void __attribute__((format(printf, 2, 3))) clause(struct buf *out, const char *format, ...)
{
    va_list ap;

    if (out->length > 0)
        buf_puts(out, ", ");
    va_start(ap, format);
    buf_printfv(out, format, ap);
    va_end(ap);
}

static void
say_waits(struct buf *out, const struct step *step)
{
    const struct metric *top[METRIC_WAITS_TOP];
    double sessions;
    int count = metric_top_waits(step, top, &sessions);

    for (int i = 0; i < count; i++)
        clause(out, "%s %.1f %%", top[i]->instance, 100 * top[i]->mean / sessions);
    if (count > 0)
        buf_printf(out, " of the time of %.2f active sessions", sessions);
}

static void
say_work(struct buf *out, const struct step *step)
{
    const struct metric *hits = find(step, METRIC_SERVER, "hit_ratio", "");
    double wal = metric_per_new_order(step, "wal_bytes");
    double images = metric_per_new_order(step, "wal_full_page_images");
    double checkpoints = metric_checkpoints(step);
    char text[UNITS_TEXT_SIZE];

    if (wal >= 0)
        clause(out, "%s of WAL for each new-order", units_size(text, llround(wal)));
    if (images >= 0)
        clause(out, "%.2f full-page images", images);
    if (hits)
        clause(out, "%.2f %% of blocks found in shared buffers", hits->mean);
    if (checkpoints >= 0)
        clause(out, "%.0f checkpoint%s begun", checkpoints, checkpoints == 1 ? "" : "s");
}

static void
say_host(struct buf *out, const struct step *step, enum metric_source source, const char *whose)
{
    const struct metric *busy = find(step, source, "cpu_busy", "all");
    const struct metric *waiting = find(step, source, "cpu_iowait", "all");
    const struct metric *stolen = find(step, source, "cpu_steal", "all");

    if (!busy)
        return;
    clause(out, "%s processors %.1f %% busy", whose, busy->mean);
    if (waiting)
        buf_printf(out, ", %.1f %% waiting for disks", waiting->mean);
    if (stolen && stolen->mean > 0)
        buf_printf(out, ", %.1f %% stolen", stolen->mean);
}

static void
say_hosts(struct buf *out, const struct step *step)
{
    say_host(out, step, METRIC_DRIVER_HOST, "the driver's");
    say_host(out, step, METRIC_SERVER_HOST, "the server's");
    for (int i = 0; i < step->metrics_count; i++) {
        const struct metric *metric = &step->metrics[i];
        if (metric->source == METRIC_SERVER_HOST && metric->samples == 0 &&
            strcmp(metric->name, "cpu_busy") == 0) {
            buf_printf(out, "%sserver's host not looked at: %s", out->length ? "; " : "",
                       metric->missing);
            return;
        }
    }
}

static void
say_cost(struct buf *out, const struct step *step)
{
    const struct metric *driver = find(step, METRIC_SAMPLER, "cpu", "driver");
    const struct metric *server = find(step, METRIC_SAMPLER, "cpu", "server");

    if (driver)
        clause(out, "looking took %.2f %% of a core of the driver's host", driver->mean);
    if (server)
        clause(out, "%.2f %% of one of the server's", server->mean);
}

void
metric_text(struct buf *out, const struct step *step, enum metric_topic topic)
{
    struct buf text = {0};

    switch (topic) {
    case METRIC_WAITS: say_waits(&text, step); break;
    case METRIC_WORK: say_work(&text, step); break;
    case METRIC_HOSTS: say_hosts(&text, step); break;
    case METRIC_COST: say_cost(&text, step); break;
    case METRIC_TOPICS: break;
    }
    buf_puts(out, buf_text(&text));
    buf_free(&text);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void
put_known(struct json *json, const char *key, bool known, double value, int decimals)
{
    if (known)
        json_real(json, key, value, decimals);
    else
        json_null(json, key);
}

static void
put_mean(struct json *json, const char *key, const struct metric *metric)
{
    put_known(json, key, metric != NULL, metric ? metric->mean : 0, 3);
}

static void
put_short(struct json *json, const struct step *step)
{
    const struct metric *top[METRIC_WAITS_TOP];
    double sessions, checkpoints = metric_checkpoints(step);
    double wal = metric_per_new_order(step, "wal_bytes");
    int count = metric_top_waits(step, top, &sessions);

    put_known(json, "active_sessions", count > 0, sessions, 3);
    json_array(json, "waits");
    for (int i = 0; i < count; i++) {
        json_object(json, NULL);
        json_string(json, "event", top[i]->instance);
        json_real(json, "share", top[i]->mean / sessions, 4);
        json_object_end(json);
    }
    json_array_end(json);
    put_mean(json, "driver_host_cpu_percent", find(step, METRIC_DRIVER_HOST, "cpu_busy", "all"));
    put_mean(json, "server_host_cpu_percent", find(step, METRIC_SERVER_HOST, "cpu_busy", "all"));
    put_mean(json, "hit_ratio_percent", find(step, METRIC_SERVER, "hit_ratio", ""));
    put_known(json, "wal_bytes_per_new_order", wal >= 0, wal, 1);
    put_known(json, "checkpoints", checkpoints >= 0, checkpoints, 0);
    put_mean(json, "sampler_driver_cpu_percent", find(step, METRIC_SAMPLER, "cpu", "driver"));
    put_mean(json, "sampler_server_cpu_percent", find(step, METRIC_SAMPLER, "cpu", "server"));
}

static void
put_figures(struct json *json, const struct metric *metric)
{
    json_object(json, NULL);
    json_string(json, "source", metric_source_names[metric->source]);
    json_string(json, "name", metric->name);
    json_string(json, "instance", metric->instance);
    if (metric->samples == 0) {
        json_string(json, "missing", metric->missing);
    } else {
        json_string(json, "unit", metric->unit);
        json_string(json, "kind", metric_kind_names[metric->kind]);
        json_real(json, "mean", metric->mean, 3);
        json_real(json, "min", metric->min, 3);
        json_real(json, "max", metric->max, 3);
        if (metric->kind != METRIC_LEVEL)
            json_real(json, "total", metric->total, 3);
        if (metric->resets > 0)
            json_int(json, "resets", metric->resets);
    }
    json_object_end(json);
}

void
metric_json(struct json *json, const struct step *step)
{
    json_object(json, "metrics");
    put_short(json, step);
    json_array(json, "all");
    for (int i = 0; i < step->metrics_count; i++)
        put_figures(json, &step->metrics[i]);
    json_array_end(json);
    json_object_end(json);
}
