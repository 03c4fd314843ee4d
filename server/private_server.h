/* A throw-away PostgreSQL: a fresh cluster in a fresh folder, reachable through a unix socket in
 * that folder alone, run by an ordinary account, durability on. It is stopped and removed by
 * private_server_stop, and also when this process ends in any other way, kill -9 included: a
 * supervisor process sees to that (server/supervisor.h). Knows nothing of what is done with it.
 *
 * The role is "ordermill", a superuser without password; so is the database. initdb alone runs
 * without sync; see sizing.h for the settings. */
#ifndef ORDERMILL_SERVER_PRIVATE_SERVER_H
#define ORDERMILL_SERVER_PRIVATE_SERVER_H

#include "common/buf.h"
#include "server/sizing.h"

struct private_server;

struct private_server_options {
    const char *bindir; /* folder of initdb and postgres; NULL: the newest installed version */
};

/* Returns when the server accepts connections. Call before any thread is started, with
 * interrupt_install done if a signal is to end the waiting. NULL: nothing is left behind. The
 * folder is made in $TMPDIR, else in /tmp. Takes a second or two, at most five minutes. */
MUST_CHECK struct private_server *private_server_start(const struct private_server_options *options,
                                                       struct err *err);

/* For PGHOST, PGPORT, PGUSER and PGDATABASE. Valid until the stop. */
const char *private_server_folder(const struct private_server *server);
const char *private_server_port(const struct private_server *server);
const char *private_server_user(const struct private_server *server);
const char *private_server_database(const struct private_server *server);
const char *private_server_bindir(const struct private_server *server);
const char *private_server_version(const struct private_server *server);
/* What was set, to be disclosed; without unix_socket_directories. */
const struct server_setting *private_server_settings(const struct private_server *server,
                                                     size_t *count);

/* Readable when the server has ended by itself; then private_server_stop says why. */
int private_server_descriptor(const struct private_server *server);

/* Appends two lines for a person: how to connect with psql, and how to stop and remove the server
 * once it is kept. */
void private_server_describe(const struct private_server *server, struct buf *out);

/* Stops the server and removes its folder; with keep leaves both. Frees server in any case. False
 * when the server had ended by itself, or something is left that should not be. */
bool private_server_stop(struct private_server *server, bool keep, struct err *err);

#endif
