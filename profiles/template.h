/* A fresh copy of the database for each step: CREATE DATABASE ... TEMPLATE, the exact state of the
 * load whatever the step before has done. The kit makes the copy, marks it by a comment on it, and
 * drops only what bears that mark. The original is not written to, and must not be connected to
 * meanwhile. */
#ifndef ORDERMILL_PROFILES_TEMPLATE_H
#define ORDERMILL_PROFILES_TEMPLATE_H

#include "common/settings.h"
#include "loader/checksum.h"
#include "profiles/reset.h"

/* Of one schema of one database. Several schemas may lie in one database, and share its copy; each
 * has its own checksum. */
struct template
{
    const char *original, *copy; /* names of databases; NULL: not known yet */
    bool summed;
    struct checksum sums[GEN_TABLES]; /* of the original */
};

/* Finds the names, and whether this role may make the copy: ERR_SERVER where not, ERR_USAGE where
 * the settings name the database by a connection string. The copy is called NAME_ordermill_copy. */
MUST_CHECK bool template_open(struct template *template, struct arena *arena,
                              const struct settings *settings, struct err *err);
/* Drops the copy of before, if there is one, makes it anew, and holds its checksum against that of
 * the original. Adds what it did to `reset`. */
MUST_CHECK bool template_renew(struct template *template, struct arena *arena,
                               const struct settings *settings, int64_t patience_us,
                               struct reset *reset, struct err *err);
/* Whether the copy is there and ours. */
MUST_CHECK bool template_exists(const struct template *template, const struct settings *settings,
                                bool *exists, struct err *err);
/* Drops the copy, if there is one and it is ours. */
MUST_CHECK bool template_drop(const struct template *template, const struct settings *settings,
                              struct err *err);

/* Makes `settings` lead to the copy. */
MUST_CHECK bool template_lead(const struct template *template, struct settings *settings,
                              struct err *err);

#endif
