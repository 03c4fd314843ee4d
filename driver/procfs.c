/* Owns the files of /proc that concern the client. What follows from the figures is verdict.c's to
 * say. */
#include "driver/procfs.h"

#include <dirent.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/fs.h"

#define FILE_MAX ((size_t)1 << 20)
#define FIELDS   8 /* user nice system idle iowait irq softirq steal; guests are inside user */

bool
procfs_parse_cpu(const char *text, struct procfs_cpu *cpu)
{
    int64_t ticks[FIELDS] = {0};

    if (sscanf(text,
               "cpu %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64
               " %" SCNd64 " %" SCNd64,
               &ticks[0], &ticks[1], &ticks[2], &ticks[3], &ticks[4], &ticks[5], &ticks[6],
               &ticks[7]) != FIELDS)
        return false;
    *cpu = (struct procfs_cpu){.idle = ticks[3] + ticks[4], .steal = ticks[7]};
    for (int i = 0; i < FIELDS; i++)
        cpu->total += ticks[i];
    return true;
}

int64_t
procfs_parse_wait_us(const char *text)
{
    int64_t ran_ns, waited_ns;

    if (sscanf(text, "%" SCNd64 " %" SCNd64, &ran_ns, &waited_ns) != 2 || waited_ns < 0)
        return -1;
    return waited_ns / 1000;
}

bool
procfs_read_cpu(struct procfs_cpu *cpu)
{
    struct buf text = {0};
    struct err ignored;
    bool ok =
        fs_read("/proc/stat", FILE_MAX, &text, &ignored) && procfs_parse_cpu(buf_text(&text), cpu);

    buf_free(&text);
    return ok;
}

static int64_t
thread_wait_us(const char *thread)
{
    char path[64];
    struct buf text = {0};
    struct err ignored;
    int64_t wait_us = -1;

    snprintf(path, sizeof path, "/proc/self/task/%.20s/schedstat", thread);
    if (fs_read(path, FILE_MAX, &text, &ignored))
        wait_us = procfs_parse_wait_us(buf_text(&text));
    buf_free(&text);
    return wait_us;
}

int64_t
procfs_wait_us(void)
{
    DIR *threads = opendir("/proc/self/task");
    int64_t sum_us = -1;

    if (!threads)
        return -1;
    for (const struct dirent *entry = readdir(threads); entry; entry = readdir(threads)) {
        int64_t wait_us = entry->d_name[0] == '.' ? -1 : thread_wait_us(entry->d_name);
        if (wait_us >= 0)
            sum_us = (sum_us < 0 ? 0 : sum_us) + wait_us;
    }
    closedir(threads);
    return sum_us;
}

int
procfs_cores(void)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return CPU_COUNT(&set);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (int)cores : 1;
}

void
procfs_settle(int64_t *user_us, int64_t *system_us)
{
    int64_t sum_us = *user_us + *system_us > 0 ? *user_us + *system_us : 0;

    if (*user_us < 0 || *system_us < 0) {
        *user_us = *user_us < 0 ? 0 : sum_us;
        *system_us = sum_us - *user_us;
    }
}
