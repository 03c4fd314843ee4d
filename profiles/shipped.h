/* The profiles that come with the program, by name: "ramp". They are inside it. */
#ifndef ORDERMILL_PROFILES_SHIPPED_H
#define ORDERMILL_PROFILES_SHIPPED_H

#include "common/buf.h"
#include "profiles/profile.h"

const char *shipped_text(const char *name); /* its XML; NULL: there is none */
/* Appends a line for each: name, number of steps as shipped, title. */
void shipped_list(struct buf *out);
/* As profile_read; where there is no file `path`, the shipped profile of that name. */
MUST_CHECK bool shipped_read(struct profile *profile, const char *path, struct settings *settings,
                             struct err *err);

#endif
