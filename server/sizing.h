/* The settings of the private server, sized to the machine. sizing_settings is pure. */
#ifndef ORDERMILL_SERVER_SIZING_H
#define ORDERMILL_SERVER_SIZING_H

#include <stdint.h>

#include "common/arena.h"
#include "common/buf.h"

struct server_setting {
    const char *name;
    const char *value; /* as in postgresql.conf, without quotes */
};

struct machine {
    int64_t memory_bytes;    /* what we may use: the machine's, or less by a control group */
    int64_t disk_free_bytes; /* where the data will lie */
    int64_t shm_free_bytes;  /* /dev/shm, small or closed in many containers */
};

/* Looks at this machine; folder is where the data will lie. */
MUST_CHECK bool sizing_machine(struct machine *machine, const char *folder, struct err *err);

/* The settings that differ from the server's defaults or that matter for durability, which stays
 * on. Strings live in the arena. */
const struct server_setting *sizing_settings(const struct machine *machine, struct arena *arena,
                                             size_t *count);

/* Appends `name = 'value'` lines, quoted as postgresql.conf wants it. */
void sizing_write(const struct server_setting *settings, size_t count, struct buf *out);

#endif
