/* Finds the PostgreSQL server programs on this machine. */
#ifndef ORDERMILL_SERVER_INSTALLATION_H
#define ORDERMILL_SERVER_INSTALLATION_H

#include "common/arena.h"

struct installation {
    const char *bindir;  /* holds initdb, postgres and pg_ctl */
    const char *version; /* as the server prints it: "15.20 (Debian 15.20-0+deb12u1)" */
    int version_major;
};

/* The one in bindir; with NULL the newest of Debian's, else the one on PATH, else pg_config's.
 * Strings live in the arena. ERR_LOCAL with a hint when there is none. */
MUST_CHECK bool installation_find(struct installation *installation, struct arena *arena,
                                  const char *bindir, struct err *err);

#endif
