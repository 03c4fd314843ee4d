/* The process that owns the private server: it makes, starts, watches, stops and removes it, and
 * outlives the kit just long enough to do so, however the kit ends. It talks to the kit over one
 * SOCK_SEQPACKET socket; the end of that connection means that the kit is gone. */
#ifndef ORDERMILL_SERVER_SUPERVISOR_H
#define ORDERMILL_SERVER_SUPERVISOR_H

#include <sys/types.h>

#include "server/sizing.h"

#define SUPERVISOR_SUPERUSER "ordermill"
#define SUPERVISOR_DATABASE  "ordermill"
#define SUPERVISOR_PORT      "5432"
/* A socket's path has at most 107 bytes: sun_path less its NUL. */
#define SUPERVISOR_SOCKET_PATH_MAX 107
#define SUPERVISOR_FOLDER_TEMPLATE "ordermill-XXXXXX"
#define SUPERVISOR_SOCKET_NAME     ".s.PGSQL." SUPERVISOR_PORT

struct supervisor_plan {
    const char *bindir;
    const char *parent_folder; /* where the server's folder is made */
    const struct server_setting *settings;
    size_t settings_count;
    const char *account; /* become this account first; NULL when we are an ordinary one */
    uid_t uid;           /* of the account */
    gid_t gid;
};

/* What the kit says: one byte. */
#define SUPERVISOR_STOP 'S'
#define SUPERVISOR_KEEP 'K' /* leave the server running, and its folder */

enum supervisor_state {
    SUPERVISOR_READY,   /* first: the server accepts connections */
    SUPERVISOR_FAILED,  /* first and last: it could not be started; nothing is left behind */
    SUPERVISOR_STOPPED, /* last: stopped and removed; err says if something is left */
    SUPERVISOR_KEPT,    /* last */
    SUPERVISOR_DIED,    /* last: the server ended by itself; its folder is removed */
};

/* What the supervisor says: one packet. */
struct supervisor_report {
    enum supervisor_state state;
    struct err err;
    char folder[SUPERVISOR_SOCKET_PATH_MAX + 1];
};

/* To be called in a fresh child, before any thread; socket is its end of the connection. */
_Noreturn void supervisor_run(const struct supervisor_plan *plan, int socket);

#endif
