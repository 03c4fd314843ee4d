/* `ordermill server [-- COMMAND ARG...]`. */
#include "server/server_command.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/interrupt.h"
#include "common/log.h"
#include "server/child.h"
#include "server/libpq_environment.h"
#include "server/private_server.h"

#define COMMAND_END_TIMEOUT_US INT64_C(60000000)

/* What COMMAND's environment gets: libpq's variables, and the programs of the same version first
 * on PATH. */
static void
put_variables(const struct private_server *server, struct buf *out)
{
    const char *path = getenv("PATH");

    buf_printf(out, "PGHOST=%s%c", private_server_folder(server), 0);
    buf_printf(out, "PGPORT=%s%c", private_server_port(server), 0);
    buf_printf(out, "PGUSER=%s%c", private_server_user(server), 0);
    buf_printf(out, "PGDATABASE=%s%c", private_server_database(server), 0);
    buf_printf(out, "PATH=%s%s%s%c", private_server_bindir(server), path ? ":" : "",
               path ? path : "", 0);
}

/* A terminal's Ctrl-C reaches COMMAND too, and what it means is COMMAND's business: psql cancels a
 * query. Any other signal is for us alone, and is passed on. */
static bool
terminal_is_ours(void)
{
    return isatty(STDIN_FILENO) && tcgetpgrp(STDIN_FILENO) == getpgrp();
}

static void
wait_command(pid_t pid, const struct private_server *server, int *status)
{
    struct pollfd fds[] = {{.fd = interrupt_descriptor(), .events = POLLIN},
                           {.fd = private_server_descriptor(server), .events = POLLIN}};

    while (child_wait(pid, fds, 2, -1, status) == CHILD_DESCRIPTOR) {
        if (fds[1].revents) {
            log_warning("the private server has ended, waiting for the command to end");
            fds[1].fd = -1;
        }
        if (fds[0].revents) {
            kill(pid, interrupt_signal());
            if (child_wait(pid, NULL, 0, COMMAND_END_TIMEOUT_US, status) == CHILD_ENDED)
                return;
            log_warning("the command did not end in 60 s after the signal, killing it");
            kill(pid, SIGKILL);
            fds[0].fd = -1;
        }
    }
}

/* Returns COMMAND's exit code; 127 as a shell would when it cannot be run. */
static int
run_command(const struct private_server *server, char **operands)
{
    struct buf variables = {0};
    struct child_options options = {.die_with_parent = true};
    struct err err = {0};
    int status;

    put_variables(server, &variables);
    options.variables = buf_text(&variables);
    pid_t pid = child_start((const char *const *)operands, &options, &err);
    buf_free(&variables);
    if (pid < 0) {
        log_error(&err);
        return 127;
    }
    bool ignore = terminal_is_ours();
    struct sigaction nothing = {.sa_handler = SIG_IGN}, before;
    if (ignore)
        sigaction(SIGINT, &nothing, &before);
    wait_command(pid, server, &status);
    if (ignore)
        sigaction(SIGINT, &before, NULL);
    return child_exit_code(status);
}

static void
describe(const struct private_server *server)
{
    struct buf text = {0};

    private_server_describe(server, &text);
    fputs(buf_text(&text), stdout);
    fflush(stdout);
    buf_free(&text);
}

static void
log_start(const struct private_server *server)
{
    size_t count;
    const struct server_setting *settings = private_server_settings(server, &count);
    struct buf text = {0};

    log_info("private server: PostgreSQL %s in %s", private_server_version(server),
             private_server_folder(server));
    for (size_t i = 0; i < count; i++)
        buf_printf(&text, " %s=%s", settings[i].name, settings[i].value);
    log_info("settings:%s", buf_text(&text));
    buf_free(&text);
}

/* Until a signal, or until the server ends. */
static void
wait_signal(const struct private_server *server)
{
    struct pollfd fds[] = {{.fd = interrupt_descriptor(), .events = POLLIN},
                           {.fd = private_server_descriptor(server), .events = POLLIN}};

    log_info("running until Ctrl-C");
    (void)!TEMP_FAILURE_RETRY(poll(fds, 2, -1));
}

static int
run_server(struct settings *settings, int operand_count, char **operands)
{
    struct private_server_options options = {.bindir = settings_text(settings, SET_BINDIR)};
    struct err err = {0};
    bool keep = settings_flag(settings, SET_KEEP);
    int exit_code = 0;

    libpq_environment_forget();
    struct private_server *server = private_server_start(&options, &err);
    if (!server)
        return log_error(&err);
    log_start(server);
    if (operand_count > 0) {
        exit_code = run_command(server, operands);
        if (keep)
            describe(server);
    } else {
        describe(server);
        if (!keep)
            wait_signal(server);
    }
    if (!private_server_stop(server, keep, &err)) {
        int code = log_error(&err);
        return exit_code ? exit_code : code;
    }
    if (operand_count == 0 && !keep && !cli_finish_output(&err))
        return log_error(&err);
    return exit_code;
}

const struct command server_command = {
    .name = "server",
    .operands = "[-- COMMAND [ARG...]]",
    .operands_min = 0,
    .operands_max = INT_MAX,
    .stops_at_operand = true,
    .bit = CMD_SERVER,
    .summary = "run a command with a private, throw-away PostgreSQL",
    .description =
        "Starts a PostgreSQL server of the newest installed version in a fresh folder under "
        "TMPDIR or /tmp, runs COMMAND, then stops the server and removes the folder, whatever "
        "happens. COMMAND finds the server through PGHOST, PGPORT, PGUSER and PGDATABASE, and the "
        "programs of its version first on PATH; other PG* variables are not passed on. The exit "
        "status is COMMAND's, or 128 plus the signal that ended it. Without COMMAND the server "
        "runs until Ctrl-C.\n"
        "\n"
        "The server listens on a unix socket only. Its settings are sized to this machine and "
        "printed; fsync, synchronous_commit and full_page_writes are on. Started by "
        "root, it runs as account postgres, or nobody. With --keep it is left running, and how "
        "to connect to it and to stop it is printed.",
    .examples = "ordermill server -- psql -c 'select version()'\n"
                "ordermill server -- sh -c 'ordermill load -w 1 && ordermill check'\n"
                "ordermill server --keep",
    .run = run_server,
};
