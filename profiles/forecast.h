/* What so many warehouses mean for a server: sizes against its memory and disk, the time of the
 * load, warnings and advice. Pure: plan_command.c finds the facts. */
#ifndef ORDERMILL_PROFILES_FORECAST_H
#define ORDERMILL_PROFILES_FORECAST_H

#include "common/buf.h"
#include "common/json.h"
#include "loader/probe.h"

/* A fact that could not be found out is 0. */
struct forecast {
    int64_t warehouses;
    int virtual_users; /* of the highest level; 0: not said */
    struct size size;
    bool of_profile;         /* which builds only what is not there */
    bool copied;             /* steps run in a copy of the database: it has to fit too */
    const char *server;      /* "PostgreSQL 15.20 at HOST", or NULL */
    const char *unavailable; /* why there is no server; else "" */
    int64_t built_bytes;     /* of this schema, there already; 0: nothing is, or it is not known */
    int64_t shared_buffers_bytes, effective_cache_bytes;
    int64_t memory_bytes, disk_free_bytes; /* of the server, where it is this machine */
    int64_t checkpoint_cycle_us;           /* checkpoint_timeout */
    int64_t window_us;                     /* the longest of a step; 0: not said */
    struct probe probe;                    /* bytes 0: none */
    const char *no_probe;                  /* why */
};

enum { FORECAST_WARNINGS_MAX = 7 };
/* What has yet to be written for it: the data, unless they are there, and the copy. */
int64_t forecast_disk_bytes(const struct forecast *forecast);
/* What so many bytes mean for a disk with so much room; `what` they are for, or "". NULL: nothing.
 */
const char *forecast_disk_warning(struct arena *arena, int64_t bytes, int64_t free_bytes,
                                  const char *what);
/* Appends to an arena; returns how many. */
int forecast_warnings(const struct forecast *forecast, struct arena *arena,
                      const char *warnings[FORECAST_WARNINGS_MAX]);
void forecast_text(const struct forecast *forecast, struct buf *out);
void forecast_json(const struct forecast *forecast, struct buf *out);
/* The same as an object within another document. */
void forecast_put(const struct forecast *forecast, struct json *json);

#endif
