/* Owns the look into /proc. Elsewhere than on Linux there is none, and no child is found. */
#include "server/offspring.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"

#define PAUSE_US INT64_C(10000)

void
offspring_adopt(void)
{
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
}

/* "PID (name) STATE PARENT ...": a name may hold blanks and parentheses. A zombie has ended. */
static pid_t
parent_of(const char *pid)
{
    char path[64], text[512], state = 'Z';
    int parent = 0;

    snprintf(path, sizeof path, "/proc/%s/stat", pid);
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return 0;
    ssize_t length = read(descriptor, text, sizeof text - 1);
    close(descriptor);
    text[length > 0 ? length : 0] = '\0';
    const char *end = strrchr(text, ')');
    return end && sscanf(end + 1, " %c %d", &state, &parent) == 2 && state != 'Z' ? parent : 0;
}

int
offspring_signal(pid_t parent, int signal)
{
    DIR *proc = opendir("/proc");
    struct dirent *entry;
    int found = 0;

    while (proc && (entry = readdir(proc))) {
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (pid <= 0 || parent_of(entry->d_name) != parent)
            continue;
        found++;
        kill(pid, signal);
    }
    if (proc)
        closedir(proc);
    return found;
}

void
offspring_end(int64_t patience_us)
{
    int64_t end_us = clock_monotonic_us() + patience_us;

    for (;;) {
        int left = offspring_signal(getpid(), SIGKILL);
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
        if (left == 0 || clock_monotonic_us() > end_us)
            return;
        clock_sleep_us(PAUSE_US);
    }
}
