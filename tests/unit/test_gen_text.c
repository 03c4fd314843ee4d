/* Random strings: lengths, alphabets, and the choice of an exact tenth. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "loader/gen_text.h"

static struct rng rng;

static int
setup(void **state)
{
    (void)state;
    rng_seed(&rng, 42, RNG_ITEM, 99);
    return 0;
}

/* Fills every length; nothing past the slack is touched, and no length is a special case. */
static void
fill_stays_in_its_slack(void **state)
{
    (void)state;
    for (size_t length = 0; length <= 40; length++) {
        char text[64];

        memset(text, '#', sizeof text);
        gen_text_fill(&rng, text, length);
        for (size_t i = 0; i < length; i++)
            assert_non_null(strchr(
                "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", text[i]));
        for (size_t i = length + GEN_TEXT_SLACK; i < sizeof text; i++)
            assert_int_equal(text[i], '#');
    }
}

static void
fields_carry_their_length(void **state)
{
    struct buf out = {0};

    (void)state;
    gen_text(&rng, &out, 24, 24);
    assert_int_equal(out.length, 28);
    assert_memory_equal(out.data, "\0\0\0\30", 4);
    buf_clear(&out);
    gen_text_digits(&rng, &out, 16);
    assert_int_equal(out.length, 20);
    assert_memory_equal(out.data, "\0\0\0\20", 4);
    for (size_t i = 4; i < 20; i++)
        assert_in_range(out.data[i], '0', '9');
    buf_clear(&out);
    gen_text_zip(&rng, &out);
    assert_int_equal(out.length, 13);
    assert_memory_equal(out.data, "\0\0\0\11", 4);
    assert_memory_equal(out.data + 8, "11111", 5);
    buf_free(&out);
}

/* Only what the draw decides may differ: the mark, and where it stands. */
static void
original_at_either_end(void **state)
{
    bool first = false, last = false;

    (void)state;
    for (int i = 0; i < 2000; i++) {
        struct buf out = {0};

        gen_text_original(&rng, &out, 26, 26, true);
        assert_int_equal(out.length, 30);
        assert_non_null(memmem(out.data + 4, 26, "ORIGINAL", 8));
        first |= memcmp(out.data + 4, "ORIGINAL", 8) == 0;
        last |= memcmp(out.data + 4 + 18, "ORIGINAL", 8) == 0;
        buf_free(&out);
    }
    assert_true(first);
    assert_true(last);
}

static void
choice_is_exact(void **state)
{
    static int chosen_at[100];
    int lowest = 1000, highest = 0;

    (void)state;
    for (int trial = 0; trial < 5000; trial++) {
        struct gen_choice choice = {.wanted = 10, .total = 100};
        int chosen = 0;

        for (int i = 0; i < 100; i++) {
            bool this_one = gen_choose(&choice, &rng);

            chosen += this_one;
            chosen_at[i] += this_one;
        }
        assert_int_equal(chosen, 10);
    }
    for (int i = 0; i < 100; i++) {
        lowest = chosen_at[i] < lowest ? chosen_at[i] : lowest;
        highest = chosen_at[i] > highest ? chosen_at[i] : highest;
    }
    /* 500 expected at each place, standard deviation 21. */
    assert_in_range(lowest, 395, 500);
    assert_in_range(highest, 500, 605);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fill_stays_in_its_slack),
        cmocka_unit_test(fields_carry_their_length),
        cmocka_unit_test(original_at_either_end),
        cmocka_unit_test(choice_is_exact),
    };
    return cmocka_run_group_tests_name("gen_text", tests, setup, NULL);
}
