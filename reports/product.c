/* Cuts the compiler off the server's version. */
#include "reports/product.h"

#include <string.h>

const char *
product_of(const struct run *run, struct arena *arena)
{
    const char *version = environment_find(&run->environment, "server", "version");
    const char *on = version ? strstr(version, " on ") : NULL;

    if (!version)
        return NULL;
    return arena_printf(arena, "%.*s", on ? (int)(on - version) : (int)strlen(version), version);
}
