/* A priority queue of nodes that live in their owners (a 4-ary heap): the smallest key first, equal
 * keys in the order in which they were added. Zero-initialised heaps and nodes are empty and
 * outside. The heap holds pointers: a node must be removed before its memory goes. */
#ifndef ORDERMILL_COMMON_HEAP_H
#define ORDERMILL_COMMON_HEAP_H

#include <stdint.h>

#include "common/err.h"

struct heap_node {
    int64_t key;
    uint64_t sequence; /* of its addition; decides between equal keys */
    size_t position;   /* 1 is the root; 0: in no heap */
};

struct heap {
    struct heap_node **nodes;
    size_t count, capacity;
    uint64_t sequence;
};

/* Makes room, so that the next additions up to `count` nodes in all do not allocate. */
void heap_reserve(struct heap *heap, size_t count);
void heap_add(struct heap *heap, struct heap_node *node, int64_t key); /* must not be in a heap */
void heap_remove(struct heap *heap, struct heap_node *node);           /* must be in this heap */
/* The node that comes first, left where it is; NULL when empty. */
struct heap_node *heap_first(const struct heap *heap);
bool heap_contains(const struct heap_node *node);
void heap_free(struct heap *heap); /* the array only, not the nodes */

#endif
