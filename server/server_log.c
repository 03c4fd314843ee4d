/* Reads the end of a server log. The messages are English: the private server runs with LC_ALL=C.
 */
#include "server/server_log.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define TAIL_BYTES 16384

static size_t
read_tail(const char *path, char *text, size_t size)
{
    ssize_t length = -1;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd >= 0) {
        off_t end = lseek(fd, 0, SEEK_END);

        length = pread(fd, text, size, end > (off_t)size ? end - (off_t)size : 0);
        close(fd);
    }
    return length < 0 ? 0 : (size_t)length;
}

/* Where the telling part of a line begins, or NULL. */
static const char *
failure_in(const char *line)
{
    static const char *const marks[] = {"FATAL:", "PANIC:", "ERROR:", "error:", "could not "};

    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        const char *found = strstr(line, marks[i]);

        if (found)
            return found;
    }
    return NULL;
}

void
server_log_reason(const char *path, char *reason, size_t size)
{
    char text[TAIL_BYTES + 1], *rest = text, *line;
    const char *last = "its log is empty", *failure = NULL;

    text[read_tail(path, text, TAIL_BYTES)] = '\0';
    while ((line = strsep(&rest, "\n")) != NULL) {
        const char *found = failure_in(line);

        if (found)
            failure = found;
        if (*line)
            last = line;
    }
    snprintf(reason, size, "%s", failure ? failure : last);
}
