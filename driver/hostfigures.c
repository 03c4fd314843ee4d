/* Owns the formats of /proc and /sys. Reading them is hostfiles.c's. */
#include "driver/hostfigures.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEVICES_MAX    64
#define INTERFACES_MAX 64
#define SECTOR_BYTES   512 /* of diskstats, whatever the device's */
#define NAME_SIZE      64

const struct host_file_spec host_files[HOST_FILES] = {
    [HOST_STAT] = {"/proc/stat", false, false, "cpu_busy"},
    [HOST_MEMINFO] = {"/proc/meminfo", false, false, "memory_available"},
    [HOST_VMSTAT] = {"/proc/vmstat", false, false, "swap_in"},
    [HOST_DISKSTATS] = {"/proc/diskstats", false, false, "disk_written"},
    [HOST_NET_DEV] = {"/proc/net/dev", false, false, "net_sent"},
    [HOST_NET_SNMP] = {"/proc/net/snmp", false, false, "tcp_retransmits"},
    [HOST_PRESSURE_CPU] = {"/proc/pressure/cpu", false, false, "pressure_cpu"},
    [HOST_PRESSURE_IO] = {"/proc/pressure/io", false, false, "pressure_io"},
    [HOST_PRESSURE_MEMORY] = {"/proc/pressure/memory", false, false, "pressure_memory"},
    [HOST_ENERGY_0] = {"/sys/class/powercap/intel-rapl:0/energy_uj", false, false, "energy"},
    [HOST_ENERGY_1] = {"/sys/class/powercap/intel-rapl:1/energy_uj", false, true, "energy"},
    [HOST_ENERGY_2] = {"/sys/class/powercap/intel-rapl:2/energy_uj", false, true, "energy"},
    [HOST_ENERGY_3] = {"/sys/class/powercap/intel-rapl:3/energy_uj", false, true, "energy"},
    [HOST_CPUINFO] = {"/proc/cpuinfo", true, false, "cpu_frequency"},
    [HOST_FREQUENCY] = {"/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", true, true,
                        "cpu_frequency"},
    [HOST_GOVERNOR] = {"/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", true, false,
                       "cpu_governor"},
};

/* Where readings go, and what they have in common. */
struct sink {
    struct series_set *set;
    enum metric_source source;
    int64_t at_us;
};

static void
feed(const struct sink *sink, const struct series_key *key, double top, double bottom)
{
    struct series_key own = *key;

    own.source = sink->source;
    series_feed(sink->set, &own, sink->at_us,
                &(struct series_reading){.top = top, .bottom = bottom});
}

static void
level(const struct sink *sink, const char *name, const char *instance, const char *unit,
      double value)
{
    feed(sink,
         &(struct series_key){
             .name = name, .instance = instance, .unit = unit, .kind = METRIC_LEVEL, .scale = 1},
         value, 0);
}

static void
rate(const struct sink *sink, const char *name, const char *instance, const char *unit,
     double counter)
{
    feed(sink,
         &(struct series_key){
             .name = name, .instance = instance, .unit = unit, .kind = METRIC_RATE, .scale = 1},
         counter, 0);
}

static void
share(const struct sink *sink, const struct series_key *key, double top, double bottom)
{
    struct series_key own = *key;

    own.kind = METRIC_SHARE;
    feed(sink, &own, top, bottom);
}

/* Of microseconds that were counted, the part of all that passed. */
static void
share_of_time(const struct sink *sink, const char *name, double us)
{
    share(sink, &(struct series_key){.name = name, .instance = "", .unit = "percent", .scale = 100},
          us, (double)sink->at_us);
}

/* --- lines ------------------------------------------------------------------------------------ */

/* The start of the next line, or NULL after the last one. A line that nothing ends was cut short:
 * its last number may be half of one. */
static const char *
next_line(const char *line)
{
    const char *end = strchr(line, '\n');

    return end && strchr(end + 1, '\n') ? end + 1 : NULL;
}

static const char *
first_line(const char *text)
{
    return strchr(text, '\n') ? text : NULL;
}

/* Up to `limit` whole numbers, separated by blanks, from here to the end of the line. */
static int
numbers(const char *text, double *values, int limit)
{
    int count = 0;

    while (count < limit) {
        text += strspn(text, " \t");
        if (!isdigit((unsigned char)*text))
            break;
        char *end;
        values[count++] = (double)strtoull(text, &end, 10);
        text = end;
    }
    return count;
}

/* Of a file that is one whole line with one number. */
static bool
only_number(const char *text, double *value)
{
    return numbers(text, value, 1) == 1 && text[strspn(text, "0123456789")] == '\n';
}

/* The number of a line that begins with the word. */
static bool
number_after(const char *line, const char *word, double *value)
{
    size_t length = strlen(word);

    return strncmp(line, word, length) == 0 && numbers(line + length, value, 1) == 1;
}

/* The number of the first line that begins with the word. */
static bool
find_number(const char *text, const char *word, double *value)
{
    for (const char *line = first_line(text); line; line = next_line(line))
        if (number_after(line, word, value))
            return true;
    return false;
}

static void
rate_of(const struct sink *sink, const char *text, const char *word, const char *name,
        const char *unit, double scale)
{
    double value;

    if (find_number(text, word, &value))
        rate(sink, name, "", unit, scale * value);
}

/* --- processors ------------------------------------------------------------------------------- */

/* user nice system idle iowait irq softirq steal; guests are inside user. Old kernels lack the
 * last ones. */
static void
cpu_figures(const struct sink *sink, const char *fields, const char *instance)
{
    double ticks[8] = {0}, total = 0;

    if (numbers(fields, ticks, 8) < 4)
        return;
    for (int i = 0; i < 8; i++)
        total += ticks[i];
    const struct {
        const char *name;
        double ticks;
    } parts[] = {{"cpu_busy", total - ticks[3] - ticks[4]},
                 {"cpu_user", ticks[0] + ticks[1]},
                 {"cpu_system", ticks[2] + ticks[5] + ticks[6]},
                 {"cpu_iowait", ticks[4]},
                 {"cpu_steal", ticks[7]}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        share(sink,
              &(struct series_key){
                  .name = parts[i].name, .instance = instance, .unit = "percent", .scale = 100},
              parts[i].ticks, total);
}

static void
stat_figures(const struct sink *sink, const char *text)
{
    double value;

    if (strncmp(text, "cpu ", 4) == 0 && first_line(text))
        cpu_figures(sink, text + 4, "all");
    if (find_number(text, "procs_running ", &value))
        level(sink, "run_queue", "", "tasks", value);
    if (find_number(text, "procs_blocked ", &value))
        level(sink, "blocked_tasks", "", "tasks", value);
    rate_of(sink, text, "ctxt ", "context_switches", "switches", 1);
}

void
host_figures_cores(struct series_set *set, enum metric_source source, const char *stat_text,
                   int64_t at_us)
{
    const struct sink sink = {set, source, at_us};
    int cores = 0;

    for (const char *line = first_line(stat_text); line; line = next_line(line)) {
        char name[NAME_SIZE];
        size_t length = strcspn(line, " \n");
        if (strncmp(line, "cpu", 3) != 0 || length == 3 || length >= sizeof name)
            continue;
        if (cores++ == HOST_CORES_MAX)
            return;
        snprintf(name, sizeof name, "%.*s", (int)length, line);
        cpu_figures(&sink, line + length, name);
    }
}

static void
cpuinfo_figures(const struct sink *sink, const char *text)
{
    double sum = 0, least = 0;
    int count = 0;

    for (const char *line = first_line(text); line; line = next_line(line)) {
        double mhz;
        if (sscanf(line, "cpu MHz : %lf", &mhz) != 1 || !(mhz > 0 && mhz < 1e6))
            continue;
        least = count == 0 || mhz < least ? mhz : least;
        sum += mhz;
        count++;
    }
    if (count == 0) {
        struct series_key key = {sink->source, "cpu_frequency", "", "MHz", METRIC_LEVEL, 1};
        series_missing(sink->set, &key, "/proc/cpuinfo names none");
        return;
    }
    level(sink, "cpu_frequency", "mean", "MHz", sum / count);
    level(sink, "cpu_frequency", "least", "MHz", least);
}

static void
frequency_figures(const struct sink *sink, const char *text)
{
    double khz;

    if (only_number(text, &khz) && khz > 0)
        level(sink, "cpu_frequency", "cpu0", "MHz", khz / 1000);
}

/* A word: each governor that was seen is an instance, whose figure is 1 in each look at it. */
static void
governor_figures(const struct sink *sink, const char *text)
{
    char name[NAME_SIZE];
    size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz_");

    if (length == 0 || length >= sizeof name || strcmp(text + length, "\n") != 0)
        return;
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    level(sink, "cpu_governor", name, "looks", 1);
}

/* --- memory ----------------------------------------------------------------------------------- */

static void
memory_figures(const struct sink *sink, const char *text)
{
    double value, total;

    if (find_number(text, "MemAvailable:", &value))
        level(sink, "memory_available", "", "bytes", 1024 * value);
    if (find_number(text, "Dirty:", &value))
        level(sink, "memory_dirty", "", "bytes", 1024 * value);
    if (find_number(text, "Writeback:", &value))
        level(sink, "memory_writeback", "", "bytes", 1024 * value);
    if (find_number(text, "SwapTotal:", &total) && find_number(text, "SwapFree:", &value))
        level(sink, "swap_used", "", "bytes", 1024 * (total - value));
}

static void
vmstat_figures(const struct sink *sink, const char *text)
{
    rate_of(sink, text, "pswpin ", "swap_in", "pages", 1);
    rate_of(sink, text, "pswpout ", "swap_out", "pages", 1);
    rate_of(sink, text, "pgpgin ", "page_in", "bytes", 1024);
    rate_of(sink, text, "pgpgout ", "page_out", "bytes", 1024);
    rate_of(sink, text, "pgmajfault ", "major_faults", "faults", 1);
}

/* --- disks ------------------------------------------------------------------------------------ */

/* sda1 of sda, nvme0n1p1 of nvme0n1; but dm-10 is none of dm-1. */
static bool
is_partition(const char *name, const char *disk)
{
    size_t length = strlen(disk);

    if (length == 0 || strncmp(name, disk, length) != 0)
        return false;
    name += length;
    if (isdigit((unsigned char)disk[length - 1]) && *name++ != 'p')
        return false;
    return *name && strspn(name, "0123456789") == strlen(name);
}

static bool
is_no_disk(const char *name)
{
    static const char *const prefixes[] = {"loop", "ram", "zram", "sr", "fd"};

    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

/* reads merged sectors ms, writes merged sectors ms, under way, ms busy, ms weighted */
static void
disk_figures_of(const struct sink *sink, const char *disk, const double *n)
{
    double ms = (double)sink->at_us / 1000;

    rate(sink, "disk_read", disk, "bytes", SECTOR_BYTES * n[2]);
    rate(sink, "disk_written", disk, "bytes", SECTOR_BYTES * n[6]);
    rate(sink, "disk_reads", disk, "operations", n[0]);
    rate(sink, "disk_writes", disk, "operations", n[4]);
    share(sink,
          &(struct series_key){
              .name = "disk_read_latency", .instance = disk, .unit = "ms", .scale = 1},
          n[3], n[0]);
    share(sink,
          &(struct series_key){
              .name = "disk_write_latency", .instance = disk, .unit = "ms", .scale = 1},
          n[7], n[4]);
    share(sink,
          &(struct series_key){
              .name = "disk_busy", .instance = disk, .unit = "percent", .scale = 100},
          n[9], ms);
    share(sink,
          &(struct series_key){
              .name = "disk_queue", .instance = disk, .unit = "operations", .scale = 1},
          n[10], ms);
}

static void
disk_figures(const struct sink *sink, const char *text)
{
    char disk[NAME_SIZE] = "";
    int devices = 0;

    for (const char *line = first_line(text); line; line = next_line(line)) {
        char name[NAME_SIZE];
        double n[11];
        int at = 0;
        if (sscanf(line, "%*d %*d %63s%n", name, &at) != 1 || numbers(line + at, n, 11) < 11 ||
            is_no_disk(name) || is_partition(name, disk) || n[0] + n[4] == 0)
            continue;
        snprintf(disk, sizeof disk, "%s", name);
        if (devices++ == DEVICES_MAX)
            return;
        disk_figures_of(sink, name, n);
    }
}

/* --- network ---------------------------------------------------------------------------------- */

/* Received: bytes packets errors dropped and four more, then sent: the same. */
static void
interface_figures(const struct sink *sink, const char *text)
{
    int interfaces = 0;

    for (const char *line = first_line(text); line; line = next_line(line)) {
        char name[NAME_SIZE];
        double n[16];
        int at = 0;
        if (sscanf(line, " %63[^: \n]:%n", name, &at) != 1 || at == 0 ||
            numbers(line + at, n, 16) < 16 || n[0] + n[8] == 0)
            continue;
        if (interfaces++ == INTERFACES_MAX)
            return;
        rate(sink, "net_received", name, "bytes", n[0]);
        rate(sink, "net_sent", name, "bytes", n[8]);
        rate(sink, "net_errors", name, "packets", n[2] + n[3] + n[10] + n[11]);
    }
}

/* A line of names and a line of numbers; the columns are told by their names. */
static void
tcp_figures(const struct sink *sink, const char *text)
{
    const char *names = strstr(text, "Tcp: Rto"), *values = names ? next_line(names) : NULL;

    if (!values || strncmp(values, "Tcp: ", 5) != 0)
        return;
    for (;;) {
        size_t name_length = strcspn(names, " \n"), value_length = strcspn(values, " \n");
        double number;
        if (name_length == 11 && strncmp(names, "RetransSegs", 11) == 0 &&
            numbers(values, &number, 1) == 1) {
            rate(sink, "tcp_retransmits", "", "segments", number);
            return;
        }
        names += name_length;
        values += value_length;
        if (*names != ' ' || *values != ' ')
            return;
        names++;
        values++;
    }
}

/* --- pressure, energy ------------------------------------------------------------------------- */

static void
pressure_figures(const struct sink *sink, const char *text, const char *some, const char *full)
{
    for (const char *line = first_line(text); line; line = next_line(line)) {
        const char *name = strncmp(line, "some ", 5) == 0   ? some
                           : strncmp(line, "full ", 5) == 0 ? full
                                                            : NULL;
        size_t length = strcspn(line, "\n");
        const char *total = memmem(line, length, " total=", 7);
        double us;
        if (name && total && numbers(total + 7, &us, 1) == 1)
            share_of_time(sink, name, us);
    }
}

static void
energy_figures(const struct sink *sink, const char *text, int package)
{
    char instance[NAME_SIZE];
    double microjoules;

    if (!only_number(text, &microjoules))
        return;
    snprintf(instance, sizeof instance, "package %d", package);
    rate(sink, "energy", instance, "J", microjoules / 1e6);
}

/* --- the whole -------------------------------------------------------------------------------- */

void
host_figures(struct series_set *set, enum metric_source source, enum host_file file,
             const char *text, int64_t at_us)
{
    const struct sink sink = {set, source, at_us};

    switch (file) {
    case HOST_STAT: stat_figures(&sink, text); return;
    case HOST_MEMINFO: memory_figures(&sink, text); return;
    case HOST_VMSTAT: vmstat_figures(&sink, text); return;
    case HOST_DISKSTATS: disk_figures(&sink, text); return;
    case HOST_NET_DEV: interface_figures(&sink, text); return;
    case HOST_NET_SNMP: tcp_figures(&sink, text); return;
    case HOST_PRESSURE_CPU: pressure_figures(&sink, text, "pressure_cpu", NULL); return;
    case HOST_PRESSURE_IO: pressure_figures(&sink, text, "pressure_io", "pressure_io_full"); return;
    case HOST_PRESSURE_MEMORY: pressure_figures(&sink, text, "pressure_memory", NULL); return;
    case HOST_ENERGY_0:
    case HOST_ENERGY_1:
    case HOST_ENERGY_2:
    case HOST_ENERGY_3: energy_figures(&sink, text, (int)file - HOST_ENERGY_0); return;
    case HOST_CPUINFO: cpuinfo_figures(&sink, text); return;
    case HOST_FREQUENCY: frequency_figures(&sink, text); return;
    case HOST_GOVERNOR: governor_figures(&sink, text); return;
    case HOST_FILES: return;
    }
}
