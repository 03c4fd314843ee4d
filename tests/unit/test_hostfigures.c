/* Files of Linux hosts, as they are and as they are not, and the figures worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/buf.h"
#include "driver/hostfigures.h"

#define S INT64_C(1000000)

/* What two looks, two seconds apart, make of two texts. */
struct looks {
    struct arena arena;
    struct metric *metrics;
    int count;
};

static struct looks
look_twice(enum host_file file, const char *before, const char *after)
{
    struct series_set *set = series_new(0);
    struct looks looks = {0};

    host_figures(set, METRIC_DRIVER_HOST, file, before, 10 * S);
    if (file == HOST_STAT)
        host_figures_cores(set, METRIC_DRIVER_HOST, before, 10 * S);
    series_window(set, true, 10 * S);
    host_figures(set, METRIC_DRIVER_HOST, file, after, 12 * S);
    if (file == HOST_STAT)
        host_figures_cores(set, METRIC_DRIVER_HOST, after, 12 * S);
    looks.metrics = series_take(set, &looks.arena, 0, &looks.count);
    series_free(set);
    return looks;
}

static void
assert_mean(const struct looks *looks, const char *name, const char *instance, double mean)
{
    const struct metric *metric =
        metric_find(looks->metrics, looks->count, METRIC_DRIVER_HOST, name, instance);

    if (!metric) {
        fail_msg("no %s of \"%s\"", name, instance);
        return;
    }
    if (metric->mean < mean - 1e-9 || metric->mean > mean + 1e-9)
        fail_msg("%s of \"%s\" is %.9g, not %.9g", name, instance, metric->mean, mean);
}

static void
assert_no(const struct looks *looks, const char *name, const char *instance)
{
    if (metric_find(looks->metrics, looks->count, METRIC_DRIVER_HOST, name, instance))
        fail_msg("there is %s of \"%s\"", name, instance);
}

static void
processors(void **state)
{
    struct looks looks = look_twice(HOST_STAT,
                                    "cpu  100 20 30 4000 500 6 7 80 9 1\n"
                                    "cpu0 100 20 30 4000 500 6 7 80 9 1\n"
                                    "cpu1 0 0 0 0 0 0 0 0 0 0\n"
                                    "intr 1 2 3\nctxt 1000\nbtime 3\nprocs_running 7\n"
                                    "procs_blocked 2\nsoftirq 1\n",
                                    "cpu  150 20 40 4120 510 6 7 90 9 1\n"
                                    "cpu0 100 20 30 4100 500 6 7 80 9 1\n"
                                    "cpu1 50 0 10 20 10 0 0 10 0 0\n"
                                    "intr 1 2 3\nctxt 1500\nbtime 3\nprocs_running 9\n"
                                    "procs_blocked 0\nsoftirq 1\n");

    /* All: 50 user, 10 system, 120 idle, 10 iowait, 10 steal; together 200. */
    (void)state;
    assert_mean(&looks, "cpu_user", "all", 25);
    assert_mean(&looks, "cpu_system", "all", 5);
    assert_mean(&looks, "cpu_iowait", "all", 5);
    assert_mean(&looks, "cpu_steal", "all", 5);
    assert_mean(&looks, "cpu_busy", "all", 35);
    assert_mean(&looks, "cpu_busy", "cpu0", 0);
    assert_mean(&looks, "cpu_user", "cpu1", 50);
    assert_mean(&looks, "cpu_steal", "cpu1", 10);
    assert_mean(&looks, "run_queue", "", 9);
    assert_mean(&looks, "blocked_tasks", "", 0);
    assert_mean(&looks, "context_switches", "", 250);
    arena_free(&looks.arena);
}

static void
memory_and_paging(void **state)
{
    struct looks looks = look_twice(HOST_MEMINFO, "MemTotal: 1 kB\n",
                                    "MemTotal:       24683848 kB\nMemFree:        19335424 kB\n"
                                    "MemAvailable:   22588032 kB\nSwapCached:            0 kB\n"
                                    "SwapTotal:       1000 kB\nSwapFree:         400 kB\n"
                                    "Dirty:               372 kB\nWriteback:             8 kB\n"
                                    "WritebackTmp:          5 kB\n");

    (void)state;
    assert_mean(&looks, "memory_available", "", 22588032 * 1024.0);
    assert_mean(&looks, "memory_dirty", "", 372 * 1024);
    assert_mean(&looks, "memory_writeback", "", 8 * 1024);
    assert_mean(&looks, "swap_used", "", 600 * 1024);
    arena_free(&looks.arena);
    looks =
        look_twice(HOST_VMSTAT, "pgpgin 100\npgpgout 200\npswpin 0\npswpout 5\npgmajfault 1000\n",
                   "pgpgin 110\npgpgout 260\npswpin 8\npswpout 5\npgmajfault 1001\n");
    assert_mean(&looks, "page_in", "", 5 * 1024);
    assert_mean(&looks, "page_out", "", 30 * 1024);
    assert_mean(&looks, "swap_in", "", 4);
    assert_mean(&looks, "swap_out", "", 0);
    assert_mean(&looks, "major_faults", "", 0.5);
    arena_free(&looks.arena);
}

/* Whole devices alone. The first look is at an old kernel's eleven figures, the second at a newer
 * one's, which has more. */
static void
disks(void **state)
{
    struct looks looks =
        look_twice(HOST_DISKSTATS,
                   "   7       0 loop0 9 0 9 9 9 0 9 9 0 9 9\n"
                   "   8       0 sda 100 0 2000 400 50 0 800 1000 0 700 1400\n"
                   "   8       1 sda1 100 0 2000 400 50 0 800 1000 0 700 1400\n"
                   " 259       0 nvme0n1 1 0 1 1 1 0 1 1 0 1 1\n"
                   " 259       1 nvme0n1p1 1 0 1 1 1 0 1 1 0 1 1\n"
                   " 253       1 dm-1 1 0 1 1 1 0 1 1 0 1 1\n"
                   " 253      10 dm-10 1 0 1 1 1 0 1 1 0 1 1\n"
                   "   8      16 sdb 0 0 0 0 0 0 0 0 0 0 0\n",
                   "   8       0 sda 110 0 2200 450 250 0 4800 1500 3 1700 5400 1 2 3 4 5 6\n"
                   "   8       1 sda1 110 0 2200 450 250 0 4800 1500 3 1700 5400 1 2 3 4 5 6\n"
                   " 259       0 nvme0n1 1 0 1 1 1 0 1 1 0 1 1 0 0 0 0 0 0\n"
                   " 253       1 dm-1 1 0 1 1 1 0 1 1 0 1 1 0 0 0 0 0 0\n"
                   " 253      10 dm-10 1 0 1 1 1 0 1 1 0 1 1 0 0 0 0 0 0\n");

    (void)state;
    assert_mean(&looks, "disk_reads", "sda", 5);
    assert_mean(&looks, "disk_read", "sda", 100 * 512);
    assert_mean(&looks, "disk_writes", "sda", 100);
    assert_mean(&looks, "disk_written", "sda", 2000 * 512);
    assert_mean(&looks, "disk_read_latency", "sda", 5);    /* 50 ms of 10 */
    assert_mean(&looks, "disk_write_latency", "sda", 2.5); /* 500 ms of 200 */
    assert_mean(&looks, "disk_busy", "sda", 50);           /* 1000 ms of 2 s */
    assert_mean(&looks, "disk_queue", "sda", 2);           /* 4000 ms of 2 s */
    assert_mean(&looks, "disk_writes", "nvme0n1", 0);
    assert_mean(&looks, "disk_writes", "dm-10", 0);
    assert_no(&looks, "disk_writes", "sda1");
    assert_no(&looks, "disk_writes", "nvme0n1p1");
    assert_no(&looks, "disk_writes", "loop0");
    assert_no(&looks, "disk_writes", "sdb");
    assert_no(&looks, "disk_write_latency", "nvme0n1"); /* of no write */
    arena_free(&looks.arena);
}

static void
network(void **state)
{
    static const char head[] =
        "Inter-|   Receive                          |  Transmit\n"
        " face |bytes    packets errs drop fifo frame compressed multicast|bytes ...\n";
    char before[600], after[600];

    (void)state;
    snprintf(
        before, sizeof before,
        "%s    lo: 100 1 0 0 0 0 0 0 100 1 0 0 0 0 0 0\n"
        "eth0:1000 9 1 1 0 0 0 0 5000 9 1 1 0 0 0 0\n  ifb0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
        head);
    snprintf(after, sizeof after,
             "%s    lo: 300 1 0 0 0 0 0 0 300 1 0 0 0 0 0 0\n"
             "eth0:3000 9 2 3 0 0 0 0 9000 9 2 5 0 0 0 0\n",
             head);
    struct looks looks = look_twice(HOST_NET_DEV, before, after);
    assert_mean(&looks, "net_received", "lo", 100);
    assert_mean(&looks, "net_received", "eth0", 1000);
    assert_mean(&looks, "net_sent", "eth0", 2000);
    assert_mean(&looks, "net_errors", "eth0", 4);
    assert_no(&looks, "net_sent", "ifb0");
    arena_free(&looks.arena);
    looks = look_twice(HOST_NET_SNMP,
                       "Ip: A B\nIp: 1 2\nTcp: RtoAlgorithm RtoMin MaxConn RetransSegs InErrs\n"
                       "Tcp: 1 200 -1 40 7\n",
                       "Ip: A B\nIp: 1 2\nTcp: RtoAlgorithm RtoMin MaxConn RetransSegs InErrs\n"
                       "Tcp: 1 200 -1 50 7\n");
    assert_mean(&looks, "tcp_retransmits", "", 5);
    arena_free(&looks.arena);
}

static void
pressure_energy_and_frequency(void **state)
{
    struct looks looks = look_twice(HOST_PRESSURE_IO,
                                    "some avg10=1.00 avg60=0.00 avg300=0.00 total=1000000\n"
                                    "full avg10=0.00 avg60=0.00 avg300=0.00 total=500000\n",
                                    "some avg10=1.00 avg60=0.00 avg300=0.00 total=1500000\n"
                                    "full avg10=0.00 avg60=0.00 avg300=0.00 total=600000\n");

    (void)state;
    assert_mean(&looks, "pressure_io", "", 25);
    assert_mean(&looks, "pressure_io_full", "", 5);
    arena_free(&looks.arena);
    looks = look_twice(HOST_ENERGY_1, "5000000\n", "65000000\n");
    assert_mean(&looks, "energy", "package 1", 30);
    arena_free(&looks.arena);
    looks = look_twice(HOST_CPUINFO, "",
                       "processor\t: 0\nmodel name\t: X\ncpu MHz\t\t: 2400.500\n\n"
                       "processor\t: 1\ncpu MHz\t\t: 1200.500\n\n");
    assert_mean(&looks, "cpu_frequency", "mean", 1800.5);
    assert_mean(&looks, "cpu_frequency", "least", 1200.5);
    arena_free(&looks.arena);
    looks = look_twice(HOST_FREQUENCY, "1000000\n", "2400500\n");
    assert_mean(&looks, "cpu_frequency", "cpu0", 2400.5);
    arena_free(&looks.arena);
    looks = look_twice(HOST_GOVERNOR, "performance\n", "powersave\n");
    assert_mean(&looks, "cpu_governor", "powersave", 1);
    assert_no(&looks, "cpu_governor", "performance"); /* which was before the window */
    arena_free(&looks.arena);
    /* As on other processors than Intel's and AMD's. */
    looks = look_twice(HOST_CPUINFO, "processor\t: 0\nBogoMIPS\t: 50.00\n\n",
                       "processor\t: 0\nBogoMIPS\t: 50.00\n\n");
    assert_int_equal(looks.count, 1);
    assert_string_equal(looks.metrics[0].name, "cpu_frequency");
    assert_string_equal(looks.metrics[0].missing, "/proc/cpuinfo names none");
    arena_free(&looks.arena);
}

/* Whatever a file holds, nothing falls over, and what is not there gives no figure. */
static void
odd_files_give_nothing(void **state)
{
    static const char *const texts[] = {
        "",
        "\n",
        "\n\n\n",
        "cpu",
        "cpu \n",
        "cpu 1 2 3\n",
        "Tcp: RtoAlgorithm\n",
        "Tcp: RtoAlgorithm RetransSegs\nUdp: 1 2\n",
        "some total=\n",
        "some avg10=1 total=x\n",
        "   8       0 sda 1 2 3\n",
        "eth0: 1 2 3\n",
        ":\n",
        "MemAvailable: -5 kB\n",
        "cpu MHz : nonsense\n",
        "cpu MHz : 1e99\n",
        "no number\n",
        "\xff\xfe\x01\n",
    };

    (void)state;
    for (int file = 0; file < HOST_FILES; file++) {
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
            struct looks looks = look_twice((enum host_file)file, texts[i], texts[i]);
            for (int k = 0; k < looks.count; k++)
                assert_int_equal(looks.metrics[k].samples, 0);
            assert_in_range(looks.count, 0, file == HOST_CPUINFO);
            arena_free(&looks.arena);
        }
    }
}

/* A file that was cut off in the middle of a number must not turn 1234 into 12. */
static void
truncated_files_keep_their_whole_lines(void **state)
{
    static const char stat[] = "cpu  1000 0 0 1000 0 0 0 0 0 0\nctxt 123456\nprocs_running 12\n";

    (void)state;
    for (size_t length = 0; length < sizeof stat; length++) {
        char text[sizeof stat] = "";
        memcpy(text, stat, length);
        struct looks looks = look_twice(HOST_STAT, text, text);
        const struct metric *metric =
            metric_find(looks.metrics, looks.count, METRIC_DRIVER_HOST, "run_queue", "");
        assert_true((metric != NULL) == (length == sizeof stat - 1));
        assert_true(!metric || metric->mean == 12);
        arena_free(&looks.arena);
    }
}

static void
huge_hosts_are_bounded(void **state)
{
    struct buf text = {0};
    struct looks looks;
    int cores = 0;

    (void)state;
    buf_puts(&text, "cpu  10 0 0 10 0 0 0 0 0 0\n");
    for (int i = 0; i < 5000; i++)
        buf_printf(&text, "cpu%d %d 0 0 10 0 0 0 0 0 0\n", i, i);
    buf_puts(&text, "procs_running 99999999999999999999999\n");
    looks = look_twice(HOST_STAT, "cpu  1 0 0 1 0 0 0 0 0 0\ncpu0 0 0 0 1\ncpu255 0 0 0 1\n",
                       buf_text(&text));
    for (int i = 0; i < looks.count; i++)
        cores += strcmp(looks.metrics[i].name, "cpu_busy") == 0;
    assert_int_equal(cores, 1 + HOST_CORES_MAX);
    assert_mean(&looks, "cpu_busy", "all", 50);
    assert_no(&looks, "cpu_busy", "cpu256");
    arena_free(&looks.arena);
    buf_free(&text);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processors),
        cmocka_unit_test(memory_and_paging),
        cmocka_unit_test(disks),
        cmocka_unit_test(network),
        cmocka_unit_test(pressure_energy_and_frequency),
        cmocka_unit_test(odd_files_give_nothing),
        cmocka_unit_test(truncated_files_keep_their_whole_lines),
        cmocka_unit_test(huge_hosts_are_bounded),
    };
    return cmocka_run_group_tests_name("hostfigures", tests, NULL, NULL);
}
