/* Owns the reading of the operating system's clocks. Simulated time is not here: the event loop
 * has its own. */
#include "common/clock.h"

#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

#include "common/err.h"

static int64_t
read_us(clockid_t id)
{
    struct timespec now;

    must(clock_gettime(id, &now) == 0);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int64_t
clock_monotonic_us(void)
{
    return read_us(CLOCK_MONOTONIC);
}

int64_t
clock_wall_us(void)
{
    return read_us(CLOCK_REALTIME);
}

static int64_t
timeval_us(struct timeval value)
{
    return (int64_t)value.tv_sec * 1000000 + value.tv_usec;
}

void
clock_process_cpu_us(int64_t *user_us, int64_t *system_us)
{
    struct rusage usage;

    must(getrusage(RUSAGE_SELF, &usage) == 0);
    *user_us = timeval_us(usage.ru_utime);
    *system_us = timeval_us(usage.ru_stime);
}

void
clock_sleep_us(int64_t duration_us)
{
    if (duration_us <= 0)
        return;
    struct timespec wait = {.tv_sec = (time_t)(duration_us / 1000000),
                            .tv_nsec = (long)(duration_us % 1000000) * 1000};
    nanosleep(&wait, NULL);
}

char *
clock_iso(char text[CLOCK_TEXT_SIZE], int64_t wall_us)
{
    struct tm tm;
    int64_t seconds = wall_us / 1000000 - (wall_us % 1000000 < 0);
    time_t time = (time_t)seconds;

    must(gmtime_r(&time, &tm) != NULL);
    must(strftime(text, CLOCK_TEXT_SIZE, "%Y-%m-%dT%H:%M:%SZ", &tm) > 0);
    return text;
}
