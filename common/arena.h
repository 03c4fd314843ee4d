/* Memory by lifetime: allocate at will, free all at once. Pointers stay valid until arena_free.
 * Allocation never returns NULL. Zero-initialised `struct arena a = {0};` is an empty arena.
 * Not for use by two threads at once. */
#ifndef ORDERMILL_COMMON_ARENA_H
#define ORDERMILL_COMMON_ARENA_H

#include "common/err.h"

struct arena_block;
struct arena {
    struct arena_block *blocks;
};

/* Zeroed memory, aligned for any type. */
void *arena_alloc(struct arena *arena, size_t size);
void *arena_array(struct arena *arena, size_t count, size_t size);
char *arena_strdup(struct arena *arena, const char *text); /* NULL gives NULL */
char *arena_printf(struct arena *arena, const char *format, ...) PRINTF_LIKE(2, 3);
void arena_free(struct arena *arena);

#endif
