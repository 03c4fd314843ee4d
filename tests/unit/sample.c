/* A made-up system: throughput by the scalability law, response times by Little's law, and noise
 * from a generator of its own. Nothing here judges anything. */
#include "tests/unit/sample.h"

#include <math.h>
#include <string.h>

/* The curve of the made-up system. */
#define LAMBDA 2600.0
#define SIGMA  0.05
#define KAPPA  0.004

static uint64_t noise_state;

/* Uniform in [0, 1), by a plain linear congruential generator: nothing here needs more. */
static double
noise(void)
{
    noise_state = noise_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(noise_state >> 11) / 9007199254740992.0;
}

/* Mean 0, standard deviation 1, near enough. */
static double
bell(void)
{
    return (noise() + noise() + noise() + noise() - 2) * 1.7320508;
}

static double
curve(int virtual_users)
{
    double n = virtual_users;
    return LAMBDA * n / (1 + SIGMA * (n - 1) + KAPPA * n * (n - 1));
}

static void
fill_transactions(struct step *step, double new_orders)
{
    static const double cost[TXN_TYPES] = {1.2, 0.6, 0.4, 2.6, 1.0};
    double mean_us = step->virtual_users * (double)step->elapsed_us / (new_orders / 0.45);

    for (int type = 0; type < TXN_STANDARD; type++) {
        struct txn_stats *stats = &step->transactions[type];
        uint64_t ended = (uint64_t)(new_orders * mix_standard[type] / mix_standard[TXN_NEW_ORDER]);
        uint64_t intended = type == TXN_NEW_ORDER ? ended / 100 : 0;

        if (type == TXN_PAYMENT)
            ended += ended / 100;
        stats->outcomes[OUTCOME_COMMITTED] = ended - intended;
        stats->outcomes[OUTCOME_ROLLED_BACK] = intended;
        for (uint64_t i = 0; i < ended; i++) {
            double us = mean_us * cost[type] * exp(0.45 * bell() - 0.1);
            hist_record(&stats->service, (int64_t)us);
            hist_record(&stats->response, (int64_t)us + 30);
            hist_record(&step->lag, 20 + (int64_t)(60 * noise()));
        }
    }
    step->transactions[TXN_PAYMENT].retries = (uint64_t)step->virtual_users - 1;
    if (step->virtual_users > 1) {
        step->errors[0] = (struct error_count){.sqlstate = "40P01",
                                               .message = "deadlock detected",
                                               .count = (uint64_t)step->virtual_users - 1};
        step->errors_count = 1;
    }
}

static void
fill_inputs(struct step *step)
{
    struct input_stats *inputs = &step->inputs;
    const struct txn_stats *t = step->transactions;

    inputs->new_orders = t[TXN_NEW_ORDER].response.count;
    inputs->rollbacks_intended = t[TXN_NEW_ORDER].outcomes[OUTCOME_ROLLED_BACK];
    for (int lines = ORDER_LINES_MIN; lines <= ORDER_LINES_MAX; lines++) {
        inputs->lines_per_order[lines] = inputs->new_orders / 11;
        inputs->order_lines += inputs->lines_per_order[lines] * (uint64_t)lines;
    }
    inputs->lines_per_order[10] += inputs->new_orders % 11;
    inputs->order_lines += inputs->new_orders % 11 * 10;
    inputs->remote_lines = step->warehouses > 1 ? inputs->order_lines / 100 : 0;
    inputs->payments = t[TXN_PAYMENT].response.count;
    inputs->payments_remote = step->warehouses > 1 ? inputs->payments * 15 / 100 : 0;
    inputs->payments_by_name = inputs->payments * 60 / 100;
    inputs->order_status = t[TXN_ORDER_STATUS].response.count;
    inputs->order_status_by_name = inputs->order_status * 60 / 100;
    inputs->deliveries = t[TXN_DELIVERY].response.count;
}

static void
fill_seconds(struct arena *arena, struct step *step, double new_orders_per_s)
{
    int ramp_up_s = (int)(step->ramp_up_us / 1000000);
    int measure_s = (int)(step->measure_us / 1000000);

    step->seconds_count = 1 + ramp_up_s + measure_s + 1;
    step->seconds = arena_array(arena, (size_t)step->seconds_count, sizeof *step->seconds);
    for (int i = 0; i < step->seconds_count; i++) {
        struct second *second = &step->seconds[i];
        int at_s = i - 1;
        double warm = fmin(1, 0.4 + 0.7 * (at_s + 1) / (ramp_up_s + 1));

        second->at_s = at_s;
        second->phase = at_s < 0                       ? PHASE_CONNECT
                        : at_s < ramp_up_s             ? PHASE_RAMP_UP
                        : at_s < ramp_up_s + measure_s ? PHASE_MEASURE
                                                       : PHASE_DRAIN;
        second->virtual_users = (uint32_t)step->virtual_users;
        if (second->phase == PHASE_CONNECT || second->phase == PHASE_DRAIN)
            continue;
        second->in_flight = (uint32_t)step->virtual_users;
        for (int type = 0; type < TXN_STANDARD; type++) {
            double rate = new_orders_per_s * mix_standard[type] / mix_standard[TXN_NEW_ORDER];
            second->outcomes[type][OUTCOME_COMMITTED] =
                (uint32_t)(rate * warm * (1 + 0.04 * bell()));
        }
        second->new_order_p95_us =
            (int64_t)((double)hist_percentile_us(&step->transactions[0].response, 0.95) *
                      (1 + 0.1 * bell()));
    }
}

/* One metric of a level: `mean` over the window, half of it while warming up. */
static struct metric
metric(struct arena *arena, const struct step *step, const struct metric *like, double mean)
{
    double seconds = (double)step->elapsed_us / 1e6;
    struct metric made = *like;

    made.missing = "";
    made.samples = (int)seconds;
    made.mean = mean;
    made.min = 0.9 * mean;
    made.max = 1.1 * mean;
    if (made.kind == METRIC_LEVEL)
        made.first = made.last = mean;
    else
        made.total = mean * seconds;
    made.points_count = step->seconds_count;
    made.points = arena_array(arena, (size_t)step->seconds_count, sizeof *made.points);
    for (int i = 0; i < step->seconds_count; i++) {
        const struct second *second = &step->seconds[i];
        bool measured = second->phase == PHASE_MEASURE;
        made.points[i] =
            (struct metric_point){(second->at_s + 1) * INT64_C(1000000),
                                  measured ? mean * (0.9 + 0.02 * (i % 11)) : mean / 2};
    }
    return made;
}

/* Of a server with two cores: what virtual users add beyond them waits for locks and for the log.
 */
static void
fill_metrics(struct arena *arena, struct step *step, double nopm)
{
    double busy = fmin(98, 30.0 * step->virtual_users), users = step->virtual_users;
    const struct {
        enum metric_source source;
        const char *name, *instance, *unit;
        enum metric_kind kind;
        double mean;
    } metrics[] = {
        {METRIC_DRIVER_HOST, "cpu_busy", "all", "percent", METRIC_SHARE, busy / 4},
        {METRIC_SERVER_HOST, "cpu_busy", "all", "percent", METRIC_SHARE, busy},
        {METRIC_SERVER_HOST, "cpu_busy", "cpu0", "percent", METRIC_SHARE, fmin(99, busy * 1.2)},
        {METRIC_SERVER_HOST, "cpu_busy", "cpu1", "percent", METRIC_SHARE, busy * 0.8},
        {METRIC_SERVER_HOST, "cpu_iowait", "all", "percent", METRIC_SHARE, (100 - busy) / 4},
        {METRIC_SERVER_HOST, "disk_written", "nvme0n1", "bytes", METRIC_RATE, nopm * 60},
        {METRIC_SERVER, "wait", "CPU", "sessions", METRIC_RATE, fmin(2, users * 0.7)},
        {METRIC_SERVER, "wait", "LWLock:WALWrite", "sessions", METRIC_RATE, users * 0.2},
        {METRIC_SERVER, "wait", "Lock:transactionid", "sessions", METRIC_RATE, users * 0.05},
        {METRIC_SERVER, "wal_bytes", "", "bytes", METRIC_RATE, nopm / 60 * 5000},
        {METRIC_SERVER, "hit_ratio", "", "percent", METRIC_SHARE, 99.5},
        {METRIC_SERVER, "checkpoints_timed", "", "checkpoints", METRIC_RATE, 1.0 / 300},
        {METRIC_SAMPLER, "cpu", "driver", "percent", METRIC_SHARE, 0.25},
    };
    int count = (int)(sizeof metrics / sizeof *metrics);

    step->metrics = arena_array(arena, (size_t)count + 1, sizeof *step->metrics);
    for (int i = 0; i < count; i++)
        step->metrics[i] = metric(arena, step,
                                  &(struct metric){.source = metrics[i].source,
                                                   .name = metrics[i].name,
                                                   .instance = metrics[i].instance,
                                                   .unit = metrics[i].unit,
                                                   .kind = metrics[i].kind},
                                  metrics[i].mean);
    step->metrics[count] = (struct metric){.source = METRIC_SERVER,
                                           .name = "io_reads",
                                           .instance = "",
                                           .unit = "operations",
                                           .kind = METRIC_RATE,
                                           .missing = "the server has no pg_stat_io"};
    step->metrics_count = count + 1;
}

static void
fill_step(struct arena *arena, struct step *step, double nopm)
{
    double minutes = (double)step->elapsed_us / 60e6;

    memcpy(step->mix, mix_standard, sizeof step->mix);
    step->configuration = step->curve_name = step->server = "";
    step->mix_name = "standard";
    step->procedures = "default";
    step->call = "functions";
    step->protocol = "prepared";
    step->isolation = "read committed";
    step->reason = "";
    step->seed = 42;
    step->threads = 2;
    step->sessions = step->virtual_users;
    fill_transactions(step, nopm * minutes / 0.99);
    fill_inputs(step);
    fill_seconds(arena, step, nopm / 60);
    fill_metrics(arena, step, nopm);
    step->counted[GROWTH_NEW_ORDERS] =
        step->transactions[TXN_NEW_ORDER].outcomes[OUTCOME_COMMITTED] * 6 / 5;
    step->grown[GROWTH_NEW_ORDERS] = (int64_t)step->counted[GROWTH_NEW_ORDERS];
    step->home_new_orders_least = step->counted[GROWTH_NEW_ORDERS] / 11;
    step->home_new_orders_median = step->counted[GROWTH_NEW_ORDERS] / 10;
    step->home_new_orders_most = step->counted[GROWTH_NEW_ORDERS] / 9;
    step->unfinished = (uint64_t)step->virtual_users;
    step->client_user_us = step->elapsed_us / 10;
    step->client_system_us = step->elapsed_us / 20;
}

void
sample_step(struct arena *arena, struct step *step, int virtual_users, int measure_s)
{
    *step = (struct step){.number = 1,
                          .virtual_users = virtual_users,
                          .warehouses = 10,
                          .repeat = 1,
                          .started_wall_us = INT64_C(1772366400000000),
                          .ramp_up_us = 10000000,
                          .measure_us = (int64_t)measure_s * 1000000,
                          .elapsed_us = (int64_t)measure_s * 1000000 + 412,
                          .failed_share_max = 0.01};
    noise_state = 1;
    fill_step(arena, step, curve(virtual_users));
}

static void
fill_environment(struct arena *arena, struct environment *environment, const struct sample *sample)
{
    const struct {
        const char *group, *name, *value, *detail;
    } facts[] = {
        {"kit", "version", "0.1.0", ""},
        {"server", "version", "PostgreSQL 15.20 (Debian 15.20-1) on x86_64-pc-linux-gnu", ""},
        {"database", "name", sample->database, ""},
        {"database", "load seed", "42", ""},
        {"database", "size", "1.1 GB", ""},
        {"client", "cores", "2", ""},
        {"client", "memory", "8 GB", ""},
        {"client", "host", "bench<1>&\"quote'", ""},
        {"setting", "checkpoint_timeout", "5min", "default"},
        {"setting", "fsync", "on", "default"},
        {"setting", "full_page_writes", "on", "default"},
        {"setting", "synchronous_commit", "on", "default"},
        {"setting", "shared_buffers", "1GB", "configuration file"},
        {"setting", "max_wal_size", "4GB", "configuration file"},
    };

    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
        environment_add(environment, arena, facts[i].group, facts[i].name, facts[i].value,
                        facts[i].detail);
    environment->findings = arena_array(arena, 2, sizeof *environment->findings);
    environment->findings[0] = (struct finding){
        SEVERITY_SPOILS, "governor", "driver's host: cpu0 to cpu1 have governor powersave",
        "the clock follows the load late, and results change with what ran before",
        "cpupower frequency-set -g performance"};
    environment->findings[1] =
        (struct finding){SEVERITY_NOTE, "jit", "jit is on", "the first plans may be compiled", ""};
    environment->findings_count = 2;
}

static void
fill_check(struct check_result *check)
{
    static const char *const names[CHECK_CONDITIONS] = {
        "warehouse turnover is that of its districts",
        "next order number follows the newest order",
        "new orders are contiguous",
        "order lines as many as the orders say",
        "undelivered orders are the new orders",
        "every order has its lines",
        "lines are delivered with their order",
        "warehouse turnover is its history",
        "district turnover is its history",
        "balance is delivered less paid",
        "delivered orders are those with a carrier",
        "balance and payments are what was delivered"};

    check->done = true;
    check->moment = "after the last step";
    for (int i = 0; i < CHECK_CONDITIONS; i++)
        check->conditions[i] =
            (struct check_condition){.name = names[i], .tested = true, .elapsed_s = 0.25};
    check->conditions[CHECK_COUNTS - 1] =
        (struct check_condition){.name = "rows per warehouse", .tested = true, .elapsed_s = 0.01};
}

static struct sample
with_defaults(struct sample sample)
{
    if (sample.measure_s == 0) {
        sample.measure_s = 20;
        sample.ramp_up_s = 2;
    }
    if (sample.warehouses == 0)
        sample.warehouses = 4;
    if (!sample.database)
        sample.database = "bench";
    return sample;
}

void
sample_run(struct arena *arena, struct run *run, const struct sample *wanted)
{
    const struct sample filled = with_defaults(*wanted), *sample = &filled;
    int number = 0;

    *run = (struct run){.name = "sample",
                        .kit_version = "0.1.0",
                        .profile = "<profile/>",
                        .started_wall_us = INT64_C(1772366400000000),
                        .status = STEP_COMPLETE};
    noise_state = 7;
    fill_environment(arena, &run->environment, sample);
    fill_check(&run->check);
    run->steps_planned = run->steps_count = sample->levels * sample->repeats;
    run->steps = arena_array(arena, (size_t)run->steps_count, sizeof *run->steps);
    int64_t now = run->started_wall_us;
    for (int level = 0; level < sample->levels; level++)
        for (int repeat = 1; repeat <= sample->repeats; repeat++) {
            struct step *step = &run->steps[number++];
            step->number = number;
            step->virtual_users = sample->ladder[level];
            step->warehouses = sample->warehouses;
            step->repeat = repeat;
            step->started_wall_us = now;
            step->ramp_up_us = (int64_t)sample->ramp_up_s * 1000000;
            step->measure_us = (int64_t)sample->measure_s * 1000000;
            step->elapsed_us = step->measure_us + 100 + (int64_t)(900 * noise());
            fill_step(arena, step, curve(step->virtual_users) * (1 + 0.01 * bell()));
            now += step->ramp_up_us + step->measure_us + 3000000;
        }
    run->ended_wall_us = now;
}
