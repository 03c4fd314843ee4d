/* Owns the life of a program we start: its three pipes, its end, its time. No shell is involved.
 * Declared in fs.h. */
#include "common/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/interrupt.h"
#include "common/patience.h"
#include "common/units.h"

#define LOOK_MS      200 /* a signal may have come to another thread */
#define LOOK_FILE_MS 20  /* a program in a loop fills a disk soon */

enum { IN, OUT, ERROR, END, WATCHED };

struct program {
    const char *name;
    const struct buf *input;
    size_t input_sent;
    struct buf *output; /* of stdout, or */
    int file;           /* where that goes without us; -1: nowhere */
    off_t file_begin;   /* how long it was before */
    struct buf errors;
    size_t limit;
    size_t output_read;
    int ours[WATCHED]; /* our ends of the pipes, and the process descriptor; -1 when closed */
    int theirs[END];
    pid_t pid;
    bool overflow;
};

static void
close_one(int *descriptor)
{
    if (*descriptor >= 0)
        close(*descriptor);
    *descriptor = -1;
}

static void
close_all(struct program *program)
{
    for (int i = 0; i < WATCHED; i++)
        close_one(&program->ours[i]);
    for (int i = 0; i < END; i++)
        close_one(&program->theirs[i]);
}

static bool
open_pipes(struct program *program)
{
    for (int i = IN; i <= ERROR; i++) {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0)
            return false;
        program->ours[i] = ends[i == IN];
        program->theirs[i] = ends[i != IN];
        if (fcntl(program->ours[i], F_SETFL, O_NONBLOCK) != 0)
            return false;
    }
    return program->file < 0 || dup3(program->file, program->theirs[OUT], O_CLOEXEC) >= 0;
}

/* The program leads a process group of its own, so that its children can be killed with it, gets
 * no descriptor of ours, and finds signals as a program expects them. Returns an errno. */
static int
spawn(struct program *program, const char *const *argv)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t all, none;
    short flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;

    sigfillset(&all);
    sigemptyset(&none);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    for (int i = IN; i <= ERROR; i++)
        posix_spawn_file_actions_adddup2(&actions, program->theirs[i], i);
    posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    posix_spawnattr_setflags(&attributes, flags);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    /* posix_spawnp changes none of the strings; its type is older than const. */
    char *const *arguments = (char *const *)(uintptr_t)argv;
    int failure = posix_spawnp(&program->pid, argv[0], &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return failure;
}

static void
feed(struct program *program)
{
    size_t left = program->input ? program->input->length - program->input_sent : 0;
    ssize_t written = 0;

    if (left > 0)
        written = write(program->ours[IN], program->input->data + program->input_sent, left);
    if (written > 0)
        program->input_sent += (size_t)written;
    /* A program that closes its input early (EPIPE) has had enough of it; that is no error. */
    if ((size_t)(written > 0 ? written : 0) == left ||
        (written < 0 && errno != EAGAIN && errno != EINTR))
        close_one(&program->ours[IN]);
}

/* Reads once; returns false when nothing more can be read now. What stderr says past the limit is
 * dropped. */
static bool
collect(struct program *program, int which)
{
    char chunk[16384];
    ssize_t got = read(program->ours[which], chunk, sizeof chunk);
    struct buf *to = which == OUT ? program->output : &program->errors;
    size_t *length = which == OUT ? &program->output_read : &program->errors.length;

    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
        close_one(&program->ours[which]);
    if (got <= 0)
        return false;
    size_t room = program->limit - *length;
    size_t keep = (size_t)got < room ? (size_t)got : room;
    program->overflow |= which == OUT && (size_t)got > room;
    buf_append(to, chunk, keep);
    if (which == OUT)
        program->output_read += keep;
    return true;
}

/* Once the program has ended, its pipes may still be held open by a child that it left behind (a
 * server); only what is already there belongs to it. */
static void
collect_rest(struct program *program)
{
    for (int which = OUT; which <= ERROR; which++) {
        while (!program->overflow && program->ours[which] >= 0 && collect(program, which))
            continue;
    }
}

static void
look_at_file(struct program *program)
{
    struct stat info;
    off_t most = program->file_begin + (off_t)program->limit;

    if (program->file < 0 || fstat(program->file, &info) != 0 || info.st_size <= most)
        return;
    program->overflow = true;
}

/* Moves data until the program has ended; false when it had to be stopped. */
static bool
attend(struct program *program, int64_t timeout_us)
{
    int64_t begun_us = clock_monotonic_us(), deadline_us = begun_us + timeout_us;

    for (;;) {
        struct pollfd watched[WATCHED];
        for (int i = 0; i < WATCHED; i++)
            watched[i] = (struct pollfd){program->ours[i], i == IN ? POLLOUT : POLLIN, 0};
        int64_t now_us = clock_monotonic_us(), until_us = patience_until_us(begun_us);
        int64_t left_us = (until_us < deadline_us ? until_us : deadline_us) - now_us;
        int64_t wait_ms = left_us / 1000 + 1, look_ms = program->file < 0 ? LOOK_MS : LOOK_FILE_MS;
        look_at_file(program);
        if (left_us <= 0 || program->overflow)
            return false;
        if (poll(watched, WATCHED, (int)(wait_ms > look_ms ? look_ms : wait_ms)) < 0) {
            must(errno == EINTR);
            continue;
        }
        if (watched[IN].revents)
            feed(program);
        for (int which = OUT; which <= ERROR; which++) {
            if (watched[which].revents)
                collect(program, which);
        }
        if (watched[END].revents) {
            collect_rest(program);
            look_at_file(program);
            return !program->overflow;
        }
    }
}

static bool
judge(struct program *program, bool ended, int status, int64_t timeout_us, struct err *err)
{
    char text[UNITS_TEXT_SIZE];
    const char *says = buf_text(&program->errors);
    int says_length = (int)strcspn(says, "\n");
    const char *colon = says_length > 0 ? ": " : "";

    if (program->overflow)
        return err_set(err, ERR_LOCAL, "%s: printed more than %zu bytes", program->name,
                       program->limit);
    if (!ended && interrupt_check(err))
        return err_prefix(err, "%s", program->name);
    if (!ended)
        return err_set(err, ERR_LOCAL, "%s: did not end within %s%s%.*s", program->name,
                       units_duration(text, timeout_us), colon, says_length, says);
    if (WIFSIGNALED(status))
        return err_set(err, ERR_LOCAL, "%s: ended by signal %d%s%.*s", program->name,
                       WTERMSIG(status), colon, says_length, says);
    if (WEXITSTATUS(status) != 0)
        return err_set(err, ERR_LOCAL, "%s: exit status %d%s%.*s", program->name,
                       WEXITSTATUS(status), colon, says_length, says);
    return true;
}

static bool
run(struct program *program, const char *const *argv, int64_t timeout_us, struct err *err)
{
    int status = 0;
    int failure = open_pipes(program) ? spawn(program, argv) : errno;

    if (failure != 0)
        return err_set(err, ERR_LOCAL, "cannot run %s: %s", program->name, strerror(failure));
    for (int i = 0; i < END; i++)
        close_one(&program->theirs[i]);
    /* By number: the C library has a name for it only since glibc 2.36. */
    program->ours[END] = (int)syscall(SYS_pidfd_open, program->pid, 0);
    bool watched = program->ours[END] >= 0;
    int saved = errno;
    bool ended = watched && attend(program, timeout_us);
    if (!ended)
        kill(-program->pid, SIGKILL);
    while (waitpid(program->pid, &status, 0) < 0)
        must(errno == EINTR);
    if (!watched)
        return err_set(err, ERR_LOCAL, "cannot watch %s: %s", program->name, strerror(saved));
    return judge(program, ended, status, timeout_us, err);
}

bool
fs_run_program(const char *const *argv, const struct buf *input, size_t limit, int64_t timeout_us,
               struct buf *output, struct err *err)
{
    struct program program = {
        .name = argv[0],
        .input = input,
        .output = output,
        .file = -1,
        .limit = limit,
        .ours = {-1, -1, -1, -1},
        .theirs = {-1, -1, -1},
    };
    bool ok = run(&program, argv, timeout_us, err);

    close_all(&program);
    buf_free(&program.errors);
    return ok;
}

static bool
open_file(struct program *program, const char *path, struct err *err)
{
    struct stat info;

    program->file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
    if (program->file < 0 || fstat(program->file, &info) != 0)
        return err_set(err, ERR_LOCAL, "cannot create \"%s\": %s", path, strerror(errno));
    program->file_begin = info.st_size;
    return true;
}

/* How much it printed. What is over the limit is cut off; the rest is on disk before anybody goes
 * on. */
static size_t
finish_file(const struct program *program)
{
    struct stat info = {.st_size = program->file_begin};
    off_t most = program->file_begin + (off_t)program->limit;

    if (program->overflow)
        (void)ftruncate(program->file, most);
    (void)fsync(program->file);
    (void)fstat(program->file, &info);
    return info.st_size > program->file_begin ? (size_t)(info.st_size - program->file_begin) : 0;
}

bool
fs_run_program_into(const char *const *argv, const char *path, size_t limit, int64_t timeout_us,
                    size_t *printed, struct err *err)
{
    struct program program = {
        .name = argv[0],
        .limit = limit,
        .ours = {-1, -1, -1, -1},
        .theirs = {-1, -1, -1},
    };
    bool ok = open_file(&program, path, err) && run(&program, argv, timeout_us, err);

    *printed = program.file >= 0 ? finish_file(&program) : 0;
    close_one(&program.file);
    close_all(&program);
    buf_free(&program.errors);
    return ok;
}
