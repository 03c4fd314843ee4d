/* The kit's side of the private server: prepares all that can be known before, forks the
 * supervisor and listens to it. */
#include "server/private_server.h"

#include <errno.h>
#include <poll.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/interrupt.h"
#include "common/units.h"
#include "server/installation.h"
#include "server/supervisor.h"

/* A fresh cluster takes 40 MB, its first WAL segments and a small load the rest. */
#define DISK_NEEDED_BYTES (INT64_C(512) << 20)

struct private_server {
    struct arena arena;
    struct installation installation;
    struct supervisor_plan plan;
    const char *folder;
    pid_t supervisor;
    int socket;
};

/* ---- preparing ---- */

/* postgres refuses to run as root. */
static bool
choose_account(struct private_server *server, struct err *err)
{
    static const char *const names[] = {"postgres", "nobody"};

    if (geteuid() != 0)
        return true;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct passwd *account = getpwnam(names[i]);

        if (account && account->pw_uid != 0) {
            server->plan.account = arena_strdup(&server->arena, account->pw_name);
            server->plan.uid = account->pw_uid;
            server->plan.gid = account->pw_gid;
            return true;
        }
    }
    return err_set(err, ERR_LOCAL,
                   "neither account postgres nor nobody exists, and the server cannot run as root");
}

static bool
choose_folder(struct private_server *server, struct err *err)
{
    const char *wanted = getenv("TMPDIR");

    if (!wanted || !*wanted)
        wanted = "/tmp";
    char *real = realpath(wanted, NULL);
    if (!real) {
        err_set(err, ERR_LOCAL, "cannot use folder %s: %s", wanted, strerror(errno));
        err_hint(err, "set TMPDIR to a folder that exists");
        return false;
    }
    server->plan.parent_folder = arena_strdup(&server->arena, real);
    free(real);
    size_t length = strlen(server->plan.parent_folder) + strlen("/" SUPERVISOR_FOLDER_TEMPLATE) +
                    strlen("/" SUPERVISOR_SOCKET_NAME);
    if (length > SUPERVISOR_SOCKET_PATH_MAX) {
        err_set(err, ERR_LOCAL,
                "%s is too long: the path of the server's socket would have %zu bytes, the limit "
                "is %d",
                server->plan.parent_folder, length, SUPERVISOR_SOCKET_PATH_MAX);
        err_hint(err, "set TMPDIR to a folder with a shorter path");
        return false;
    }
    /* unix_socket_directories cannot quote the one, PGHOST cannot quote the other. */
    if (strpbrk(server->plan.parent_folder, "\",\n")) {
        err_set(err, ERR_LOCAL, "%s has a comma, double quote or line feed in its name",
                server->plan.parent_folder);
        err_hint(err, "set TMPDIR to a folder without them");
        return false;
    }
    return true;
}

static bool
choose_settings(struct private_server *server, struct err *err)
{
    struct machine machine;
    char have[UNITS_TEXT_SIZE], need[UNITS_TEXT_SIZE];

    if (!sizing_machine(&machine, server->plan.parent_folder, err))
        return false;
    if (machine.disk_free_bytes < DISK_NEEDED_BYTES) {
        err_set(err, ERR_LOCAL, "%s has %s left, the private server needs %s",
                server->plan.parent_folder, units_size(have, machine.disk_free_bytes),
                units_size(need, DISK_NEEDED_BYTES));
        err_hint(err, "set TMPDIR to a folder on a larger disk");
        return false;
    }
    server->plan.settings = sizing_settings(&machine, &server->arena, &server->plan.settings_count);
    return true;
}

static bool
prepare(struct private_server *server, const struct private_server_options *options,
        struct err *err)
{
    if (!installation_find(&server->installation, &server->arena, options->bindir, err))
        return false;
    server->plan.bindir = server->installation.bindir;
    return choose_account(server, err) && choose_folder(server, err) &&
           choose_settings(server, err);
}

/* ---- the supervisor ---- */

static bool
fork_supervisor(struct private_server *server, struct err *err)
{
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return err_set(err, ERR_LOCAL, "cannot make a socket pair: %s", strerror(errno));
    server->supervisor = fork();
    if (server->supervisor == 0)
        supervisor_run(&server->plan, ends[1]);
    int fork_errno = errno;
    close(ends[1]);
    server->socket = ends[0];
    return server->supervisor > 0 ||
           err_set(err, ERR_LOCAL, "cannot start the supervisor: %s", strerror(fork_errno));
}

/* Ends a conversation: from now on the supervisor knows that we want nothing more. */
static void
end_supervisor(struct private_server *server)
{
    if (server->socket >= 0)
        close(server->socket);
    if (server->supervisor > 0)
        (void)!TEMP_FAILURE_RETRY(waitpid(server->supervisor, NULL, 0));
    arena_free(&server->arena);
    free(server);
}

static bool
receive(struct private_server *server, struct supervisor_report *report, struct err *err)
{
    ssize_t size = TEMP_FAILURE_RETRY(recv(server->socket, report, sizeof *report, 0));

    if (size == (ssize_t)sizeof *report)
        return true;
    return err_set(err, ERR_LOCAL, "the private server's supervisor ended unexpectedly");
}

static void
say(struct private_server *server, char command)
{
    /* When the supervisor is gone, the next receive tells. */
    (void)!send(server->socket, &command, 1, MSG_NOSIGNAL);
}

static bool
wait_ready(struct private_server *server, struct err *err)
{
    struct supervisor_report report;
    struct pollfd fds[] = {{.fd = server->socket, .events = POLLIN},
                           {.fd = interrupt_descriptor(), .events = POLLIN}};

    (void)!TEMP_FAILURE_RETRY(poll(fds, 2, -1));
    if (interrupt_check(err))
        return false;
    if (!receive(server, &report, err))
        return false;
    if (report.state != SUPERVISOR_READY) {
        *err = report.err;
        return err_prefix(err, "cannot start a private server");
    }
    server->folder = arena_strdup(&server->arena, report.folder);
    return true;
}

struct private_server *
private_server_start(const struct private_server_options *options, struct err *err)
{
    struct private_server *server = must_calloc(1, sizeof *server);

    server->socket = -1;
    if (prepare(server, options, err) && fork_supervisor(server, err) && wait_ready(server, err))
        return server;
    end_supervisor(server);
    return NULL;
}

bool
private_server_stop(struct private_server *server, bool keep, struct err *err)
{
    struct supervisor_report report;

    say(server, keep ? SUPERVISOR_KEEP : SUPERVISOR_STOP);
    bool ok = receive(server, &report, err);
    if (ok && report.err.code != ERR_NONE) {
        *err = report.err;
        ok = false;
    }
    end_supervisor(server);
    return ok;
}

/* ---- what it is ---- */

const char *
private_server_folder(const struct private_server *server)
{
    return server->folder;
}

const char *
private_server_port(const struct private_server *server)
{
    (void)server;
    return SUPERVISOR_PORT;
}

const char *
private_server_user(const struct private_server *server)
{
    (void)server;
    return SUPERVISOR_SUPERUSER;
}

const char *
private_server_database(const struct private_server *server)
{
    (void)server;
    return SUPERVISOR_DATABASE;
}

const char *
private_server_bindir(const struct private_server *server)
{
    return server->installation.bindir;
}

const char *
private_server_version(const struct private_server *server)
{
    return server->installation.version;
}

const struct server_setting *
private_server_settings(const struct private_server *server, size_t *count)
{
    *count = server->plan.settings_count;
    return server->plan.settings;
}

int
private_server_descriptor(const struct private_server *server)
{
    return server->socket;
}

/* In single quotes unless it is plain. */
static void
put_shell_word(struct buf *out, const char *word)
{
    if (word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-")] ==
        '\0') {
        buf_puts(out, word);
        return;
    }
    buf_putc(out, '\'');
    for (; *word; word++)
        buf_puts(out, *word == '\'' ? "'\\''" : (char[]){*word, '\0'});
    buf_putc(out, '\'');
}

void
private_server_describe(const struct private_server *server, struct buf *out)
{
    buf_puts(out, "connect:  psql -h ");
    put_shell_word(out, server->folder);
    buf_puts(out, " -U " SUPERVISOR_SUPERUSER " " SUPERVISOR_DATABASE "\nstop:     ");
    if (server->plan.account)
        buf_printf(out, "runuser -u %s -- ", server->plan.account);
    put_shell_word(out, server->installation.bindir);
    buf_puts(out, "/pg_ctl stop -m fast -D ");
    put_shell_word(out, server->folder);
    buf_puts(out, "/data && rm -r ");
    put_shell_word(out, server->folder);
    buf_putc(out, '\n');
}
