/* What paced terminals cost on one core, without a server: sessions are scripted and answer after
 * a millisecond. For each number of terminals, at the standard's pace: how late they wake up, the
 * memory and the processor time that they take. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "driver/worker.h"
#include "tests/scripted/session.h"

enum { SESSIONS = 100 };

struct bench {
    struct terminal_rules terminals;
    struct desk_rules desk;
    struct session_rules sessions;
    struct worker_rules rules;
    struct meter_half *window;
};

static int64_t
resident_bytes(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    long long all = 0, resident = 0;

    if (!file || fscanf(file, "%lld %lld", &all, &resident) != 2)
        resident = 0;
    if (file)
        (void)fclose(file);
    return resident * sysconf(_SC_PAGESIZE);
}

static double
load_average(void)
{
    double average = 0;

    return getloadavg(&average, 1) == 1 ? average : -1;
}

static int64_t
cpu_us(void)
{
    int64_t user_us, system_us;

    clock_process_cpu_us(&user_us, &system_us);
    return user_us + system_us;
}

/* Closes the halves of so many seconds; keeps those after the first two. */
static void
watch(struct bench *bench, struct worker *worker, int seconds)
{
    int64_t next_us = clock_monotonic_us() + 1000000;

    for (int i = 0; i < seconds + 2; i++, next_us += 1000000) {
        clock_sleep_us(next_us - clock_monotonic_us() - 5000);
        worker_ask(worker, next_us, i == seconds + 1);
        while (!meter_answered(worker_meter(worker)))
            clock_sleep_us(2000);
        struct meter_half *half = meter_closed(worker_meter(worker));
        if (i >= 2)
            meter_half_merge(bench->window, half);
        meter_half_clear(half);
    }
}

static int
measure(int terminals, int seconds)
{
    struct bench bench = {0};
    struct err err;
    int64_t before_bytes = resident_bytes();

    bench.terminals = (struct terminal_rules){.warehouses = terminals / 10};
    memcpy(bench.terminals.mix, mix_standard, sizeof bench.terminals.mix);
    bench.desk = (struct desk_rules){
        .terminals = &bench.terminals, .count = terminals, .seed = 42, .pacing = 1};
    struct loop *wake = loop_new(NULL, &err);
    bench.rules = (struct worker_rules){
        .desk = &bench.desk, .sessions = &bench.sessions, .sessions_count = SESSIONS, .wake = wake};
    bench.window = must_calloc(1, sizeof *bench.window);
    struct worker *worker = wake ? worker_new(&bench.rules, 0, 1, &err) : NULL;
    if (!worker || !worker_start(worker, &err)) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    int64_t begin_us = clock_monotonic_us(), begin_cpu_us = cpu_us();
    watch(&bench, worker, seconds);
    double elapsed_us = (double)(clock_monotonic_us() - begin_us);
    double core = (double)(cpu_us() - begin_cpu_us) / elapsed_us;
    int64_t bytes = resident_bytes() - before_bytes;
    worker_join(worker);
    printf("%9d %11.0f %9" PRId64 " %9" PRId64 " %9" PRId64 " %9" PRId64 " %8.1f%% %12zu %12.0f"
           " %7.1f\n",
           terminals, (double)bench.window->lag.count / seconds,
           hist_percentile_us(&bench.window->lag, 0.5),
           hist_percentile_us(&bench.window->lag, 0.99),
           hist_percentile_us(&bench.window->lag, 0.999), bench.window->lag.max_us, 100 * core,
           sizeof(struct desk_terminal) + sizeof(struct heap_node *), (double)bytes / terminals,
           load_average());
    worker_free(worker);
    loop_free(wake);
    free(bench.window);
    return 0;
}

int
main(int argc, char **argv)
{
    int seconds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 20;
    int status = 0;

    printf("%9s %11s %9s %9s %9s %9s %9s %12s %12s %7s\n", "terminals", "wake-ups/s", "p50 us",
           "p99 us", "p99.9 us", "max us", "of a core", "record bytes", "bytes each", "load");
    for (int terminals = 1000; terminals <= 100000 && status == 0; terminals *= 10)
        status = measure(terminals, seconds);
    return status != 0 ? status : measure(50000, seconds);
}
