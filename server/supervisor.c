/* Makes, starts, watches, stops and removes the private server. No libpq here: readiness is the
 * status line of postmaster.pid, the same that `pg_ctl -w` reads. */
#include "server/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/fs.h"
#include "server/child.h"
#include "server/libpq_environment.h"
#include "server/offspring.h"
#include "server/server_log.h"

#define SECOND_US         INT64_C(1000000)
#define INITDB_TIMEOUT_US (180 * SECOND_US)
#define START_TIMEOUT_US  (60 * SECOND_US)
#define LOOK_US           (SECOND_US / 100)
#define FAST_TIMEOUT_US   (20 * SECOND_US) /* a fast shutdown writes all dirty pages */
#define QUIT_TIMEOUT_US   (10 * SECOND_US)
#define SOCKET            (STDERR_FILENO + 1)
#define PID_FILE_LIMIT    8192
#define STATUS_LINE       8

struct supervisor {
    const struct supervisor_plan *plan;
    struct arena arena;
    const char *folder; /* NULL until it is made */
    const char *data;
    const char *log;
    pid_t postmaster;
    bool removable; /* no server runs: the folder, if there is one, may go */
};

/* ---- the way to the ordinary account ---- */

/* Out of the terminal's reach, and without any descriptor of the kit's: a pipe that we held open
 * would keep its reader waiting, a lock would stay locked. */
static bool
detach(int socket)
{
    int null = open("/dev/null", O_RDWR);

    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    setsid();
    umask(077);
    if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0 ||
        dup2(null, STDERR_FILENO) < 0)
        return false;
    if (socket != SOCKET && dup2(socket, SOCKET) < 0)
        return false;
    return fcntl(SOCKET, F_SETFD, FD_CLOEXEC) == 0 && close_range(SOCKET + 1, ~0U, 0) == 0;
}

/* PGPORT, PGOPTIONS and their like would reach into the server; its messages must be English. */
static void
clean_environment(void)
{
    libpq_environment_forget();
    setenv("LC_ALL", "C", 1);
}

static bool
become_account(const struct supervisor_plan *plan, struct err *err)
{
    if (!plan->account)
        return true;
    if (initgroups(plan->account, plan->gid) != 0 || setgid(plan->gid) != 0 ||
        setuid(plan->uid) != 0)
        return err_set(err, ERR_LOCAL, "cannot become account %s: %s", plan->account,
                       strerror(errno));
    if (geteuid() == 0 || setuid(0) == 0)
        return err_set(err, ERR_LOCAL, "account %s has root's rights", plan->account);
    return true;
}

/* ---- making ---- */

static bool
make_folder(struct supervisor *s, struct err *err)
{
    char *folder = fs_join(&s->arena, s->plan->parent_folder, SUPERVISOR_FOLDER_TEMPLATE);

    if (!mkdtemp(folder)) {
        err_set(err, ERR_LOCAL, "cannot make a folder in %s%s%s: %s", s->plan->parent_folder,
                s->plan->account ? " as account " : "", s->plan->account ? s->plan->account : "",
                strerror(errno));
        err_hint(err, "set TMPDIR to a folder where it can");
        return false;
    }
    s->folder = folder;
    s->data = fs_join(&s->arena, folder, "data");
    s->log = fs_join(&s->arena, folder, "server.log");
    s->removable = true;
    return true;
}

static bool
kit_wants_end(struct err *err)
{
    return err_set(err, ERR_INTERRUPTED, "interrupted while the private server started");
}

static const char *
program(struct supervisor *s, const char *name)
{
    return fs_join(&s->arena, s->plan->bindir, name);
}

static bool
failed_with_log(struct supervisor *s, const char *what, struct err *err)
{
    char reason[512];

    server_log_reason(s->log, reason, sizeof reason);
    return err_set(err, ERR_LOCAL, "%s: %s", what, reason);
}

/* Runs a program to its end, at most so long, unless the kit wants us to end. */
static bool
run_step(struct supervisor *s, const char *const *argv, const char *input, struct err *err)
{
    struct child_options options = {.input = input ? input : "/dev/null", .output = s->log};
    struct pollfd kit = {.fd = SOCKET, .events = POLLIN};
    int status;
    pid_t pid = child_start(argv, &options, err);

    if (pid < 0)
        return false;
    enum child_event event = child_wait(pid, &kit, 1, INITDB_TIMEOUT_US, &status);
    if (event == CHILD_ENDED)
        return status == 0 ? true : failed_with_log(s, argv[0], err);
    kill(pid, SIGTERM);
    if (child_wait(pid, NULL, 0, QUIT_TIMEOUT_US, &status) != CHILD_ENDED) {
        kill(pid, SIGKILL);
        child_wait(pid, NULL, 0, -1, &status);
    }
    return event == CHILD_DESCRIPTOR ? kit_wants_end(err)
                                     : err_set(err, ERR_LOCAL, "%s did not end in time", argv[0]);
}

/* Only initdb itself goes without sync: if the machine goes down now, nothing of value is lost. */
static bool
init_cluster(struct supervisor *s, struct err *err)
{
    const char *argv[] = {program(s, "initdb"),
                          "--pgdata",
                          s->data,
                          "--username=" SUPERVISOR_SUPERUSER,
                          "--auth=trust",
                          "--encoding=UTF8",
                          "--locale=C",
                          "--no-sync",
                          NULL};

    return run_step(s, argv, NULL, err);
}

static bool
create_database(struct supervisor *s, struct err *err)
{
    static const char sql[] = "CREATE DATABASE \"" SUPERVISOR_DATABASE "\"\n";
    const char *script = fs_join(&s->arena, s->folder, "create.sql");
    const char *argv[] = {program(s, "postgres"), "--single", "-D", s->data, "postgres", NULL};

    return fs_write(script, sql, sizeof sql - 1, err) && run_step(s, argv, script, err);
}

/* Settings go into a file of their own, so that what we changed can be read at a glance. */
static bool
write_settings(struct supervisor *s, struct err *err)
{
    /* The value is a list of folders: one in double quotes may contain commas and blanks. */
    struct server_setting where = {"unix_socket_directories",
                                   arena_printf(&s->arena, "\"%s\"", s->folder)};
    const char *file = fs_join(&s->arena, s->data, "ordermill.conf");
    const char *main_file = fs_join(&s->arena, s->data, "postgresql.conf");
    struct buf text = {0};

    sizing_write(s->plan->settings, s->plan->settings_count, &text);
    sizing_write(&where, 1, &text);
    bool ok = fs_write(file, buf_text(&text), text.length, err);
    buf_clear(&text);
    ok = ok && fs_read(main_file, 1 << 20, &text, err);
    if (ok) {
        buf_puts(&text, "\ninclude = 'ordermill.conf'\n");
        ok = fs_write(main_file, buf_text(&text), text.length, err);
    }
    buf_free(&text);
    return ok;
}

/* ---- starting ---- */

static bool
is_ready(struct supervisor *s)
{
    const char *path = fs_join(&s->arena, s->data, "postmaster.pid");
    struct buf text = {0};
    struct err ignored;
    bool ready = false;

    if (fs_exists(path) && fs_read(path, PID_FILE_LIMIT, &text, &ignored)) {
        const char *line = buf_text(&text);

        ready = strtol(line, NULL, 10) == s->postmaster;
        for (int i = 1; i < STATUS_LINE && line; i++)
            line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL;
        ready = ready && line && strncmp(line, "ready", 5) == 0;
    }
    buf_free(&text);
    return ready;
}

static bool
start_server(struct supervisor *s, struct err *err)
{
    const char *argv[] = {program(s, "postgres"), "-D", s->data, NULL};
    struct child_options options = {.input = "/dev/null", .output = s->log};
    struct pollfd kit = {.fd = SOCKET, .events = POLLIN};
    int64_t end_us = clock_monotonic_us() + START_TIMEOUT_US;
    int status;

    s->postmaster = child_start(argv, &options, err);
    if (s->postmaster < 0)
        return false;
    s->removable = false;
    while (clock_monotonic_us() < end_us) {
        switch (child_wait(s->postmaster, &kit, 1, LOOK_US, &status)) {
        case CHILD_ENDED: s->removable = true; return failed_with_log(s, argv[0], err);
        case CHILD_DESCRIPTOR: return kit_wants_end(err);
        case CHILD_TIMEOUT:
            if (is_ready(s))
                return true;
        }
    }
    return err_set(err, ERR_LOCAL, "%s was not ready after %d s", argv[0],
                   (int)(START_TIMEOUT_US / SECOND_US));
}

/* ---- ending ---- */

static void
stop_server(struct supervisor *s)
{
    static const struct {
        int signal;
        int64_t timeout_us;
    } steps[] = {{SIGINT, FAST_TIMEOUT_US}, {SIGQUIT, QUIT_TIMEOUT_US}, {SIGKILL, QUIT_TIMEOUT_US}};
    int status;

    if (s->removable)
        return;
    /* What somebody has stopped cannot shut down. */
    kill(s->postmaster, SIGCONT);
    (void)offspring_signal(s->postmaster, SIGCONT);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0] && !s->removable; i++) {
        kill(s->postmaster, steps[i].signal);
        s->removable =
            child_wait(s->postmaster, NULL, 0, steps[i].timeout_us, &status) == CHILD_ENDED;
    }
}

/* Backends outlive a postmaster that was killed, for ever where they are stopped. They are ours
 * then. */
static void
end_server(struct supervisor *s)
{
    stop_server(s);
    if (s->removable)
        offspring_end(QUIT_TIMEOUT_US);
}

/* After a crash of the server its last processes may still be writing for a moment. */
static bool
remove_folder(struct supervisor *s, struct err *err)
{
    if (!s->folder)
        return true;
    if (!s->removable)
        return err_set(err, ERR_LOCAL, "process %d of the private server in %s does not end",
                       (int)s->postmaster, s->folder);
    for (int tries = 0; tries < 20; tries++) {
        if (fs_remove_tree(s->folder, err))
            return true;
        clock_sleep_us(SECOND_US / 10);
    }
    return false;
}

static void
report(struct supervisor *s, enum supervisor_state state, const struct err *err)
{
    struct supervisor_report message = {.state = state};

    if (err)
        message.err = *err;
    if (s->folder)
        snprintf(message.folder, sizeof message.folder, "%s", s->folder);
    /* The kit may be gone, and then nobody needs to know. */
    (void)!send(SOCKET, &message, sizeof message, MSG_NOSIGNAL);
}

/* Until the server dies or the kit says what to do; a kit that is gone says stop. */
static enum supervisor_state
watch(struct supervisor *s, struct err *err)
{
    struct pollfd kit = {.fd = SOCKET, .events = POLLIN};
    char command = SUPERVISOR_STOP;
    int status;

    if (child_wait(s->postmaster, &kit, 1, -1, &status) == CHILD_ENDED) {
        s->removable = true;
        if (WIFSIGNALED(status))
            err_set(err, ERR_LOCAL, "the private server was ended by signal %d", WTERMSIG(status));
        else
            failed_with_log(s, "the private server ended by itself", err);
        return SUPERVISOR_DIED;
    }
    if (recv(SOCKET, &command, 1, 0) == 1 && command == SUPERVISOR_KEEP)
        return SUPERVISOR_KEPT;
    return SUPERVISOR_STOPPED;
}

_Noreturn void
supervisor_run(const struct supervisor_plan *plan, int socket)
{
    struct supervisor s = {.plan = plan, .removable = true};
    struct err err = {0}, removal = {0};

    if (!detach(socket))
        _exit(1); /* the kit sees the end of the connection */
    clean_environment();
    offspring_adopt();
    if (chdir("/") != 0 || !become_account(plan, &err) || !make_folder(&s, &err) ||
        !init_cluster(&s, &err) || !create_database(&s, &err) || !write_settings(&s, &err) ||
        !start_server(&s, &err)) {
        end_server(&s);
        if (!remove_folder(&s, &removal))
            err_prefix(&err, "%s", removal.message);
        report(&s, SUPERVISOR_FAILED, &err);
        _exit(1);
    }
    report(&s, SUPERVISOR_READY, NULL);
    enum supervisor_state state = watch(&s, &err);
    if (state != SUPERVISOR_KEPT) {
        end_server(&s);
        if (!remove_folder(&s, &removal) && state != SUPERVISOR_DIED)
            err = removal;
    }
    report(&s, state, &err);
    _exit(0);
}
