/* "Did you mean ...?": the known name nearest to one that is not known. Pure. */
#ifndef ORDERMILL_COMMON_NEAREST_H
#define ORDERMILL_COMMON_NEAREST_H

#include <stddef.h>

/* Keeps the better of two suggestions; a name is near when at most a third of it is wrong. Begin
 * with NULL and SIZE_MAX. */
void nearest_suggest(const char *given, const char *name, const char **nearest,
                     size_t *distance_min);

#endif
