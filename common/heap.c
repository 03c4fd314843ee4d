/* Owns the order of nodes. Four children per node: half the levels of a binary heap, and the four
 * pointers of one comparison lie in one cache line. */
#include "common/heap.h"

#include <stdlib.h>

#define CHILDREN       4
#define FIRST_CAPACITY 16

static bool
comes_before(const struct heap_node *a, const struct heap_node *b)
{
    return a->key != b->key ? a->key < b->key : a->sequence < b->sequence;
}

static void
place(struct heap *heap, size_t index, struct heap_node *node)
{
    heap->nodes[index] = node;
    node->position = index + 1;
}

static void
sift_up(struct heap *heap, size_t index, struct heap_node *node)
{
    while (index > 0) {
        size_t parent = (index - 1) / CHILDREN;
        if (!comes_before(node, heap->nodes[parent]))
            break;
        place(heap, index, heap->nodes[parent]);
        index = parent;
    }
    place(heap, index, node);
}

static size_t
first_child(const struct heap *heap, size_t index)
{
    size_t best = index * CHILDREN + 1;
    size_t end = best + CHILDREN < heap->count ? best + CHILDREN : heap->count;

    for (size_t i = best + 1; i < end; i++)
        if (comes_before(heap->nodes[i], heap->nodes[best]))
            best = i;
    return best;
}

static void
sift_down(struct heap *heap, size_t index, struct heap_node *node)
{
    while (index * CHILDREN + 1 < heap->count) {
        size_t child = first_child(heap, index);
        if (!comes_before(heap->nodes[child], node))
            break;
        place(heap, index, heap->nodes[child]);
        index = child;
    }
    place(heap, index, node);
}

void
heap_reserve(struct heap *heap, size_t count)
{
    if (count <= heap->capacity)
        return;
    heap->nodes = must_realloc(heap->nodes, count * sizeof *heap->nodes);
    heap->capacity = count;
}

void
heap_add(struct heap *heap, struct heap_node *node, int64_t key)
{
    must(node->position == 0);
    if (heap->count == heap->capacity)
        heap_reserve(heap, heap->capacity > 0 ? heap->capacity * 2 : FIRST_CAPACITY);
    node->key = key;
    node->sequence = heap->sequence++;
    sift_up(heap, heap->count++, node);
}

void
heap_remove(struct heap *heap, struct heap_node *node)
{
    must(node->position > 0 && node->position <= heap->count);
    size_t index = node->position - 1;
    must(heap->nodes[index] == node);
    struct heap_node *last = heap->nodes[--heap->count];
    node->position = 0;
    if (last == node)
        return;
    /* The last node fills the gap; it may belong above or below it. */
    if (index > 0 && comes_before(last, heap->nodes[(index - 1) / CHILDREN]))
        sift_up(heap, index, last);
    else
        sift_down(heap, index, last);
}

struct heap_node *
heap_first(const struct heap *heap)
{
    return heap->count > 0 ? heap->nodes[0] : NULL;
}

bool
heap_contains(const struct heap_node *node)
{
    return node->position > 0;
}

void
heap_free(struct heap *heap)
{
    free(heap->nodes);
    *heap = (struct heap){0};
}
