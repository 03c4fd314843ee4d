/* Random strings; see gen_text.h. They are nine tenths of the population's bytes, so eight
 * characters are made of each 64-bit draw, without a table and without a branch. */
#include "loader/gen_text.h"

#include <endian.h>
#include <string.h>

#include "common/pgcopy.h"

#define EVERY_BYTE(value) (UINT64_C(0x0101010101010101) * (value))

/* Six bits of each byte become a character: 0..11 "./0123456789", 12..37 "A-Z", 38..63 "a-z".
 * A byte's top bit after adding 128 - limit tells whether it reaches the limit; the gaps in ASCII
 * before A (7 codes) and before a (6 codes) are added where it does. */
static uint64_t
eight_characters(uint64_t draw)
{
    uint64_t index = draw & EVERY_BYTE(0x3f);
    uint64_t upper = (index + EVERY_BYTE(128 - 12)) >> 7 & EVERY_BYTE(1);
    uint64_t lower = (index + EVERY_BYTE(128 - 38)) >> 7 & EVERY_BYTE(1);

    return index + EVERY_BYTE('.') + upper * 7 + lower * 6;
}

void
gen_text_fill(struct rng *rng, char *at, size_t length)
{
    for (size_t done = 0; done < length; done += 8) {
        uint64_t characters = htole64(eight_characters(rng_next(rng)));

        memcpy(at + done, &characters, 8);
    }
}

/* Reserves a text field of that length, writes its length, returns where the text goes. */
static char *
text_field(struct buf *out, size_t length)
{
    uint32_t prefix = htobe32((uint32_t)length);
    char *at = buf_reserve(out, sizeof prefix + length + GEN_TEXT_SLACK);

    memcpy(at, &prefix, sizeof prefix);
    out->length += sizeof prefix + length;
    return at + sizeof prefix;
}

void
gen_text(struct rng *rng, struct buf *out, int shortest, int longest)
{
    size_t length = (size_t)rng_range(rng, shortest, longest);

    gen_text_fill(rng, text_field(out, length), length);
}

void
gen_text_original(struct rng *rng, struct buf *out, int shortest, int longest, bool original)
{
    static const char mark[] = "ORIGINAL";
    const size_t mark_length = sizeof mark - 1;
    size_t length = (size_t)rng_range(rng, shortest, longest);
    char *at = text_field(out, length);

    gen_text_fill(rng, at, length);
    if (original)
        memcpy(at + rng_range(rng, 0, (int64_t)(length - mark_length)), mark, mark_length);
}

/* Writes the lowest `length` decimal digits of value. */
static void
write_digits(char *at, int length, uint64_t value)
{
    for (int i = length - 1; i >= 0; i--) {
        at[i] = (char)('0' + value % 10);
        value /= 10;
    }
}

static uint64_t
random_below_power_of_ten(struct rng *rng, int digits)
{
    int64_t limit = 1;

    must(digits >= 1 && digits <= 18);
    for (int i = 0; i < digits; i++)
        limit *= 10;
    return (uint64_t)rng_range(rng, 0, limit - 1);
}

void
gen_text_digits(struct rng *rng, struct buf *out, int length)
{
    uint64_t value = random_below_power_of_ten(rng, length);

    write_digits(text_field(out, (size_t)length), length, value);
}

void
gen_text_state(struct rng *rng, struct buf *out)
{
    char state[2];

    state[0] = (char)rng_range(rng, 'A', 'Z');
    state[1] = (char)rng_range(rng, 'A', 'Z');
    pgcopy_text(out, state, sizeof state);
}

void
gen_text_zip(struct rng *rng, struct buf *out)
{
    char zip[] = "000011111";

    write_digits(zip, 4, random_below_power_of_ten(rng, 4));
    pgcopy_text(out, zip, sizeof zip - 1);
}

bool
gen_choose(struct gen_choice *choice, struct rng *rng)
{
    bool chosen = rng_range(rng, 0, choice->total - 1) < choice->wanted;

    choice->total--;
    choice->wanted -= chosen;
    return chosen;
}
