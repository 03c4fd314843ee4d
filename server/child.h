/* Child processes: starting one without a shell, and waiting for one while watching descriptors.
 * Knows nothing about what the child does. Not for use by two threads at once. */
#ifndef ORDERMILL_SERVER_CHILD_H
#define ORDERMILL_SERVER_CHILD_H

#include <poll.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/err.h"

struct child_options {
    const char *input;     /* file for its stdin; NULL: inherited */
    const char *output;    /* file its stdout and stderr are appended to; NULL: inherited */
    const char *variables; /* "NAME=VALUE\0NAME=VALUE\0\0" added to its environment, or NULL */
    bool die_with_parent;  /* it gets SIGTERM when we end, however we end */
};

/* Starts argv[0], looked up on PATH, with every signal at its default. Returns its pid, or -1 with
 * ERR_LOCAL when it cannot be executed. */
MUST_CHECK pid_t child_start(const char *const *argv, const struct child_options *options,
                             struct err *err);

enum child_event { CHILD_ENDED, CHILD_DESCRIPTOR, CHILD_TIMEOUT };

/* Waits until the child ends (then *status is set, as by waitpid), a descriptor has an event, or
 * the time is over; timeout_us below 0 waits without limit. */
enum child_event child_wait(pid_t pid, struct pollfd *fds, unsigned fd_count, int64_t timeout_us,
                            int *status);

/* As a shell would say it: the exit code, or 128 + the signal. */
int child_exit_code(int status);

#endif
