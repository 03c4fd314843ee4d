/* Owns memory that is freed all at once. A block is used from its front; a request that does not
 * fit opens a new block, so nothing moves. */
#include "common/arena.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_SIZE ((size_t)16 * 1024)

struct arena_block {
    struct arena_block *next;
    size_t size;
    size_t used;
    alignas(max_align_t) char bytes[];
};

static struct arena_block *
block_new(struct arena *arena, size_t needed)
{
    size_t size = needed > BLOCK_SIZE ? needed : BLOCK_SIZE;

    must(size <= SIZE_MAX - sizeof(struct arena_block));
    struct arena_block *block = must_calloc(1, sizeof *block + size);
    block->size = size;
    /* A block made for one large request goes behind the current one, which has room left. */
    if (needed > BLOCK_SIZE && arena->blocks) {
        block->next = arena->blocks->next;
        arena->blocks->next = block;
    } else {
        block->next = arena->blocks;
        arena->blocks = block;
    }
    return block;
}

void *
arena_alloc(struct arena *arena, size_t size)
{
    const size_t alignment = alignof(max_align_t);

    must(size <= SIZE_MAX - alignment);
    size = (size + alignment - 1) / alignment * alignment;
    struct arena_block *block = arena->blocks;
    if (!block || block->size - block->used < size)
        block = block_new(arena, size);
    void *pointer = block->bytes + block->used;
    block->used += size;
    return pointer;
}

void *
arena_array(struct arena *arena, size_t count, size_t size)
{
    size_t total;

    must(!__builtin_mul_overflow(count, size, &total));
    return arena_alloc(arena, total);
}

char *
arena_strdup(struct arena *arena, const char *text)
{
    if (!text)
        return NULL;
    size_t size = strlen(text) + 1;
    return memcpy(arena_alloc(arena, size), text, size);
}

char *
arena_printf(struct arena *arena, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    int length = vsnprintf(NULL, 0, format, ap);
    va_end(ap);
    must(length >= 0);
    size_t size = (size_t)length + 1;
    char *text = arena_alloc(arena, size);
    va_start(ap, format);
    must(vsnprintf(text, size, format, ap) == length);
    va_end(ap);
    return text;
}

void
arena_free(struct arena *arena)
{
    struct arena_block *block = arena->blocks;

    while (block) {
        struct arena_block *next = block->next;
        free(block);
        block = next;
    }
    arena->blocks = NULL;
}
