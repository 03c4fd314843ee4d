/* The timer heap against a plain sorted array, under random additions and removals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/heap.h"
#include "common/rng.h"

enum { NODES = 500, ROUNDS = 50000 };

/* The model: nodes in the order in which they must come out. */
static struct heap_node *model[NODES];
static size_t model_count;

/* Behind all with a key that is not greater: equal keys keep their order. */
static void
model_add(struct heap_node *node)
{
    size_t at = model_count;

    while (at > 0 && model[at - 1]->key > node->key)
        at--;
    memmove(model + at + 1, model + at, (model_count - at) * sizeof *model);
    model[at] = node;
    model_count++;
}

static void
model_remove(const struct heap_node *node)
{
    size_t at = 0;

    while (model[at] != node)
        at++;
    model_count--;
    memmove(model + at, model + at + 1, (model_count - at) * sizeof *model);
}

static void
behaves_as_a_sorted_array(void **state)
{
    static struct heap_node nodes[NODES];
    struct heap heap = {0};
    struct rng rng;

    (void)state;
    rng_seed(&rng, 1, RNG_SCHEDULE, 0);
    for (int round = 0; round < ROUNDS; round++) {
        struct heap_node *node = &nodes[rng_range(&rng, 0, NODES - 1)];
        if (heap_contains(node)) {
            model_remove(node);
            heap_remove(&heap, node);
        } else {
            /* Few keys, so that ties are common. */
            heap_add(&heap, node, rng_range(&rng, -20, 20));
            model_add(node);
        }
        assert_int_equal(heap.count, model_count);
        assert_ptr_equal(heap_first(&heap), model_count > 0 ? model[0] : NULL);
    }
    for (size_t i = 0; i < model_count; i++) {
        struct heap_node *first = heap_first(&heap);
        assert_ptr_equal(first, model[i]);
        heap_remove(&heap, first);
    }
    assert_null(heap_first(&heap));
    heap_free(&heap);
}

static void
equal_keys_come_out_as_they_went_in(void **state)
{
    struct heap_node nodes[9] = {0};
    struct heap heap = {0};

    (void)state;
    for (int i = 0; i < 9; i++)
        heap_add(&heap, &nodes[i], 7);
    for (int i = 0; i < 9; i++) {
        assert_ptr_equal(heap_first(&heap), &nodes[i]);
        heap_remove(&heap, &nodes[i]);
    }
    heap_free(&heap);
}

static void
reserved_room_is_not_moved(void **state)
{
    struct heap_node nodes[100] = {0};
    struct heap heap = {0};

    (void)state;
    heap_reserve(&heap, 100);
    struct heap_node **before = heap.nodes;
    for (int i = 0; i < 100; i++)
        heap_add(&heap, &nodes[i], -i);
    assert_ptr_equal(heap.nodes, before);
    assert_ptr_equal(heap_first(&heap), &nodes[99]);
    heap_free(&heap);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(behaves_as_a_sorted_array),
        cmocka_unit_test(equal_keys_come_out_as_they_went_in),
        cmocka_unit_test(reserved_room_is_not_moved),
    };

    return cmocka_run_group_tests_name("heap", tests, NULL, NULL);
}
