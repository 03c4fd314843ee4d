/* Starts and waits for child processes. */
#include "server/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"

static bool
redirect(const char *path, int flags, int target)
{
    if (!path)
        return true;
    int fd = open(path, flags | O_CLOEXEC, 0600);

    return fd >= 0 && dup2(fd, target) >= 0;
}

/* Handlers fall back to the default at exec by themselves; what is ignored stays ignored, and a
 * blocked signal stays blocked. */
static void
reset_signals(void)
{
    sigset_t none;

    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGCHLD, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void
become(const char *const *argv, const struct child_options *options, pid_t parent)
{
    reset_signals();
    if (options->die_with_parent) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != parent)
            _exit(128 + SIGTERM);
    }
    for (const char *v = options->variables; v && *v; v += strlen(v) + 1)
        putenv((char *)v);
    if (redirect(options->input, O_RDONLY, STDIN_FILENO) &&
        redirect(options->output, O_WRONLY | O_CREAT | O_APPEND, STDOUT_FILENO) &&
        redirect(options->output, O_WRONLY | O_CREAT | O_APPEND, STDERR_FILENO))
        execvp(argv[0], (char *const *)argv);
}

pid_t
child_start(const char *const *argv, const struct child_options *options, struct err *err)
{
    int failure[2]; /* closed by a successful exec; else carries errno */
    int code = 0;
    pid_t parent = getpid();

    if (pipe2(failure, O_CLOEXEC) != 0) {
        err_set(err, ERR_LOCAL, "cannot make a pipe: %s", strerror(errno));
        return -1;
    }
    pid_t pid = fork();
    if (pid == 0) {
        become(argv, options, parent);
        code = errno;
        _exit(write(failure[1], &code, sizeof code) == sizeof code ? 127 : 126);
    }
    int fork_errno = errno;
    close(failure[1]);
    if (pid < 0) {
        err_set(err, ERR_LOCAL, "cannot start %s: %s", argv[0], strerror(fork_errno));
    } else if (TEMP_FAILURE_RETRY(read(failure[0], &code, sizeof code)) > 0) {
        err_set(err, ERR_LOCAL, "cannot run %s: %s", argv[0], strerror(code));
        waitpid(pid, NULL, 0);
        pid = -1;
    }
    close(failure[0]);
    return pid;
}

static void
wake_up(int signal_number)
{
    (void)signal_number; /* only there so that SIGCHLD interrupts ppoll */
}

static bool
ended(pid_t pid, int *status)
{
    pid_t got = TEMP_FAILURE_RETRY(waitpid(pid, status, WNOHANG));

    must(got >= 0);
    return got == pid;
}

/* SIGCHLD is blocked except inside ppoll, so that a child which ends between the look and the wait
 * is not missed. */
enum child_event
child_wait(pid_t pid, struct pollfd *fds, unsigned fd_count, int64_t timeout_us, int *status)
{
    int64_t end_us = clock_monotonic_us() + timeout_us;
    struct sigaction action = {.sa_handler = wake_up}, old_action;
    sigset_t block, old_mask, wait_mask;
    enum child_event event = CHILD_TIMEOUT;

    sigemptyset(&block);
    sigaddset(&block, SIGCHLD);
    sigprocmask(SIG_BLOCK, &block, &old_mask);
    wait_mask = old_mask;
    sigdelset(&wait_mask, SIGCHLD);
    sigaction(SIGCHLD, &action, &old_action);
    for (;;) {
        if (ended(pid, status)) {
            event = CHILD_ENDED;
            break;
        }
        int64_t left_us = timeout_us < 0 ? -1 : end_us - clock_monotonic_us();
        if (timeout_us >= 0 && left_us <= 0)
            break;
        struct timespec left = {left_us / 1000000, left_us % 1000000 * 1000};
        if (ppoll(fds, fd_count, timeout_us < 0 ? NULL : &left, &wait_mask) > 0) {
            event = CHILD_DESCRIPTOR;
            break;
        }
    }
    sigaction(SIGCHLD, &old_action, NULL);
    sigprocmask(SIG_SETMASK, &old_mask, NULL);
    return event;
}

int
child_exit_code(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
