/* Which server this is, and what of PostgreSQL it has: PostgreSQL itself, or an engine that speaks
 * its protocol. Nothing follows from the version alone; what counts is what was tried. */
#ifndef ORDERMILL_DRIVER_ENGINE_H
#define ORDERMILL_DRIVER_ENGINE_H

#include <stdbool.h>

enum engine_feature {
    ENGINE_PLPGSQL,    /* a block with an exception handler */
    ENGINE_PROCEDURES, /* CALL */
    ENGINE_STATISTICS, /* pg_stat_database, pg_stat_activity and pg_stat_user_tables */
    ENGINE_ADVISORY,   /* advisory locks */
    ENGINE_COPY,       /* COPY in binary format */
    ENGINE_FEATURES
};
extern const char *const engine_feature_names[ENGINE_FEATURES];

enum engine_has { ENGINE_NOT_TRIED, ENGINE_HAS, ENGINE_LACKS };
extern const char *const engine_has_names[]; /* "not tried", "yes", "no" */

struct engine {
    char product[32]; /* "PostgreSQL", or who else made it; "unknown" */
    char version[64]; /* as the server tells it, in short */
    int major;        /* of PostgreSQL, or that it claims to be compatible with; 0: not known */
    enum engine_has has[ENGINE_FEATURES];
};

/* From the answer of version() and the setting server_version, either of which may be empty, odd or
 * NULL. Leaves `has` alone. */
void engine_read_version(struct engine *engine, const char *version, const char *server_version);

#endif
