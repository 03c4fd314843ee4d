/* Owns the files that tell how a host is set. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/clock.h"
#include "common/fs.h"
#include "driver/doctor_gather.h"
#include "driver/procfs.h"

#define FILE_MAX     ((size_t)4 << 20)
#define CORES_MAX    256
#define IDLE_US      300000
#define BIAS_NEUTRAL 6 /* energy_perf_bias: 0 performance, 6 normal, 15 powersave */

struct source {
    doctor_read_fn *read;
    void *context;
};

/* The first line of a file; empty where there is none. */
static bool
read_line(const struct source *source, const char *path, char text[DOCTOR_TEXT])
{
    struct buf content = {0};
    bool ok = source->read(source->context, path, &content);

    int length = (int)strcspn(buf_text(&content), "\n");
    while (length > 0 && buf_text(&content)[length - 1] == ' ')
        length--;
    snprintf(text, DOCTOR_TEXT, "%.*s", length, buf_text(&content));
    buf_free(&content);
    return ok && text[0];
}

int
doctor_parse_list(const char *text)
{
    int count = 0;

    while (isdigit((unsigned char)*text)) {
        char *end;
        long first = strtol(text, &end, 10), last = first;
        if (*end == '-' && isdigit((unsigned char)end[1]))
            last = strtol(end + 1, &end, 10);
        if (last < first || last > 1000000)
            return -1;
        count += (int)(last - first + 1);
        text = *end == ',' ? end + 1 : end;
    }
    return count > 0 && (*text == '\0' || *text == '\n') ? count : -1;
}

/* The word in brackets: "always [madvise] never". */
static void
chosen(char text[DOCTOR_TEXT])
{
    const char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;

    if (!close)
        return;
    size_t length = (size_t)(close - open - 1);
    memmove(text, open + 1, length);
    text[length] = '\0';
}

static void
read_processor(struct host_facts *host, const struct source *source, int cpu)
{
    static const char folder[] = "/sys/devices/system/cpu/cpu";
    char path[128], text[DOCTOR_TEXT];

    snprintf(path, sizeof path, "%s%d/cpufreq/scaling_governor", folder, cpu);
    if (read_line(source, path, text)) {
        host->governed++;
        if (strcmp(text, "performance") != 0 && host->slow_governed++ == 0)
            memcpy(host->governor, text, sizeof text);
        else if (host->slow_governed == 0)
            memcpy(host->governor, text, sizeof text);
    }
    snprintf(path, sizeof path, "%s%d/cpufreq/energy_performance_preference", folder, cpu);
    bool saving = read_line(source, path, text) && strstr(text, "power");
    if (!saving) {
        snprintf(path, sizeof path, "%s%d/power/energy_perf_bias", folder, cpu);
        saving = read_line(source, path, text) && strtol(text, NULL, 10) > BIAS_NEUTRAL;
    }
    if (saving && host->saving++ == 0)
        memcpy(host->preference, text, sizeof text);
}

/* Bytes of a line "NAME:   123 kB"; -1: there is none. */
static int64_t
meminfo(const char *text, const char *name, int64_t unit)
{
    const char *at = strstr(text, name);

    return at ? strtoll(at + strlen(name), NULL, 10) * unit : DOCTOR_UNKNOWN;
}

static void
read_memory(struct host_facts *host, const struct source *source)
{
    struct buf text = {0};

    if (source->read(source->context, "/proc/meminfo", &text)) {
        const char *all = buf_text(&text);
        int64_t page = meminfo(all, "Hugepagesize:", 1024);
        int64_t swap = meminfo(all, "SwapTotal:", 1024), unused = meminfo(all, "SwapFree:", 1024);
        host->memory_bytes = meminfo(all, "MemTotal:", 1024);
        if (swap >= 0 && unused >= 0)
            host->swap_used_bytes = swap - unused;
        if (page > 0) {
            host->huge_total_bytes = meminfo(all, "HugePages_Total:", page);
            host->huge_free_bytes = meminfo(all, "HugePages_Free:", page);
        }
    }
    buf_free(&text);
}

/* --- what this process may use ---------------------------------------------------------------- */

static int
read_allowed(const struct source *source)
{
    static const char name[] = "Cpus_allowed_list:";
    struct buf text = {0};
    int count = DOCTOR_UNKNOWN;

    if (source->read(source->context, "/proc/self/status", &text)) {
        const char *at = strstr(buf_text(&text), name);
        if (at)
            at += strlen(name);
        if (at)
            count = doctor_parse_list(at + strspn(at, " \t"));
    }
    buf_free(&text);
    return count;
}

/* "200000 100000": so many microseconds in every so many. */
static double
parse_quota(const char *text)
{
    double used_us, period_us;

    return sscanf(text, "%lf %lf", &used_us, &period_us) == 2 && used_us > 0 && period_us > 0
               ? used_us / period_us
               : DOCTOR_UNKNOWN;
}

/* The control group of this process, in a file of lines such as "0::/system.slice/x.service". */
static bool
read_group(const struct source *source, char *path, size_t size)
{
    struct buf text = {0};

    path[0] = '\0';
    if (source->read(source->context, "/proc/self/cgroup", &text)) {
        const char *at = strstr(buf_text(&text), "0::/");
        size_t length = at ? strcspn(at + 3, "\n") : 0;
        if (length > 0 && length < size)
            snprintf(path, size, "%.*s", (int)length, at + 3);
    }
    buf_free(&text);
    return path[0] != '\0';
}

/* The least quota of the group and those above it. */
static double
read_quota(const struct source *source)
{
    char group[256], path[320], text[DOCTOR_TEXT];
    double least = DOCTOR_UNKNOWN;

    if (!read_group(source, group, sizeof group))
        return least;
    for (char *end = strrchr(group, '/'); end; end = strrchr(group, '/')) {
        snprintf(path, sizeof path, "/sys/fs/cgroup%s/cpu.max", group[1] ? group : "");
        double quota = read_line(source, path, text) ? parse_quota(text) : DOCTOR_UNKNOWN;
        if (quota > 0 && (least < 0 || quota < least))
            least = quota;
        if (!group[1])
            break;
        end[end == group] = '\0'; /* the last one above all is "/" */
    }
    return least;
}

static bool
read_virtual(const struct source *source)
{
    struct buf text = {0};
    bool virtual = source->read(source->context, "/proc/cpuinfo", &text) &&
                   strstr(buf_text(&text), " hypervisor");

    buf_free(&text);
    return virtual;
}

void
doctor_filesystem_of(const char *mounts, const char *path, char text[DOCTOR_TEXT])
{
    char folder[512], type[DOCTOR_TEXT];
    size_t longest = 0;

    text[0] = '\0';
    for (const char *line = mounts; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        if (sscanf(line, "%*s %511s %63s", folder, type) != 2)
            continue;
        size_t length = strlen(folder);
        if (length == 1) /* "/", above all */
            length = 0;
        bool above =
            strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == '\0');
        if (above && length >= longest) { /* of two in one place the later one hides the other */
            longest = length;
            snprintf(text, DOCTOR_TEXT, "%s", type);
        }
    }
}

void
doctor_read_host(struct host_facts *host, doctor_read_fn *read, void *context, int cores_max)
{
    const struct source source = {read, context};
    char text[DOCTOR_TEXT];

    if (read_line(&source, "/sys/devices/system/cpu/present", text))
        host->present = doctor_parse_list(text);
    if (read_line(&source, "/sys/devices/system/cpu/online", text))
        host->online = doctor_parse_list(text);
    for (int cpu = 0; cpu < host->present && cpu < cores_max; cpu++)
        read_processor(host, &source, cpu);
    if (read_line(&source, "/sys/devices/system/cpu/smt/active", text))
        host->smt = text[0] == '1';
    if (read_line(&source, "/sys/kernel/mm/transparent_hugepage/enabled", host->huge_pages))
        chosen(host->huge_pages);
    read_line(&source, "/sys/devices/system/clocksource/clocksource0/current_clocksource",
              host->clock_source);
    read_line(&source, "/sys/devices/system/clocksource/clocksource0/available_clocksource",
              host->clock_sources);
    host->allowed = read_allowed(&source);
    host->quota = read_quota(&source);
    host->virtual = read_virtual(&source);
    read_memory(host, &source);
    host->known = host->present > 0 || host->memory_bytes > 0;
}

/* --- this machine ----------------------------------------------------------------------------- */

bool
doctor_read_local(void *root, const char *path, struct buf *text)
{
    struct arena arena = {0};
    struct err ignored;
    bool ok =
        fs_read(arena_printf(&arena, "%s%s", (const char *)root, path), FILE_MAX, text, &ignored);

    arena_free(&arena);
    return ok;
}

static int64_t
thread_cpu_ns(void)
{
    struct timespec now;

    return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0
               ? (int64_t)now.tv_sec * 1000000000 + now.tv_nsec
               : 0;
}

#define SPEED_STEPS  10000000
#define SPEED_ROUNDS 9

/* Steps that depend on each other, so that only the clock of one core counts. The result leaves by
 * a volatile, or the compiler would leave the loop out. */
static double
million_steps_per_s(void)
{
    volatile uint64_t sink;
    uint64_t state = UINT64_C(88172645463325252);
    int64_t begun_ns = thread_cpu_ns();

    for (int i = 0; i < SPEED_STEPS; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
    }
    sink = state;
    (void)sink;
    int64_t ns = thread_cpu_ns() - begun_ns;
    return ns > 0 ? SPEED_STEPS * 1e3 / (double)ns : 0;
}

static int
compare_speeds(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x < *y) - (*x > *y);
}

void
doctor_judge_speed(struct host_facts *host, double *speeds, int count)
{
    qsort(speeds, (size_t)count, sizeof *speeds, compare_speeds);
    host->speed = speeds[0];
    host->speed_spread_percent = speeds[0] > 0 ? 100 * (1 - speeds[count / 2] / speeds[0]) : 0;
}

static void
measure_speed(struct host_facts *host)
{
    double speeds[SPEED_ROUNDS];

    for (int i = 0; i < SPEED_ROUNDS; i++)
        speeds[i] = million_steps_per_s();
    doctor_judge_speed(host, speeds, SPEED_ROUNDS);
}

static void
measure_idleness(struct host_facts *host)
{
    struct procfs_cpu before, after;

    if (!procfs_read_cpu(&before))
        return;
    clock_sleep_us(IDLE_US);
    if (!procfs_read_cpu(&after) || after.total <= before.total)
        return;
    double total = (double)(after.total - before.total);
    host->busy_percent = 100 - 100 * (double)(after.idle - before.idle) / total;
    host->steal_percent = 100 * (double)(after.steal - before.steal) / total;
}

void
doctor_look_here(struct doctor_facts *facts)
{
    char root[] = "";

    doctor_read_host(&facts->driver_host, doctor_read_local, root, CORES_MAX);
    measure_idleness(&facts->driver_host);
    measure_speed(&facts->driver_host);
#ifdef __OPTIMIZE__
    facts->optimised = true;
#else
    facts->optimised = false;
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    facts->sanitized = true;
#endif
}
