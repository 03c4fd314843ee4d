/* Zeroed, aligned, never moved, whatever the sizes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <stdalign.h>

#include "common/arena.h"

static void
memory_is_zeroed_and_aligned(void **state)
{
    struct arena arena = {0};

    (void)state;
    for (size_t size = 0; size < 40000; size = size * 3 + 1) {
        unsigned char *bytes = arena_alloc(&arena, size);
        assert_int_equal((uintptr_t)bytes % alignof(max_align_t), 0);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(bytes[i], 0);
        memset(bytes, 0xFF, size);
    }
    arena_free(&arena);
    assert_null(arena.blocks);
}

static void
pieces_do_not_overlap_or_move(void **state)
{
    struct arena arena = {0};
    int *numbers[5000];

    (void)state;
    for (int i = 0; i < 5000; i++) {
        /* Every 100th is larger than a block. */
        numbers[i] = arena_array(&arena, i % 100 == 0 ? 5000 : 1, sizeof(int));
        *numbers[i] = i;
    }
    for (int i = 0; i < 5000; i++)
        assert_int_equal(*numbers[i], i);
    arena_free(&arena);
}

static void
strings(void **state)
{
    struct arena arena = {0};

    (void)state;
    assert_null(arena_strdup(&arena, NULL));
    assert_string_equal(arena_strdup(&arena, ""), "");
    assert_string_equal(arena_strdup(&arena, "abc"), "abc");
    assert_string_equal(arena_printf(&arena, "%s-%03d", "x", 7), "x-007");
    char *wide = arena_printf(&arena, "%*s", 100000, "");
    assert_int_equal(strlen(wide), 100000);
    arena_free(&arena);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zeroed_and_aligned),
        cmocka_unit_test(pieces_do_not_overlap_or_move),
        cmocka_unit_test(strings),
    };
    return cmocka_run_group_tests_name("arena", tests, NULL, NULL);
}
