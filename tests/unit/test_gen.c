/* The rows of the population, decoded from their COPY bytes by a reader of this test's own, against
 * the rules of TPC-C 4.3.3.1. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "loader/gen.h"

#define LOADED_AT_US INT64_C(1767225600000000) /* 2026-01-01 00:00 UTC */
/* The same as the server counts: microseconds since 2000-01-01, 9,497 days before. */
#define LOADED_AT_SERVER (INT64_C(9497) * 86400 * 1000000)

static const struct gen_plan plan = {.seed = 42, .c_load = 157, .loaded_at_us = LOADED_AT_US};

enum { FIELDS_MAX = 21, PIECE = 100000 };

/* --- a reader of COPY tuples ------------------------------------------------------------------ */

struct field {
    int size; /* -1: null */
    const unsigned char *data;
};

struct reader {
    struct gen gen;
    struct buf piece;
    size_t at;
    int64_t rows;
    struct field fields[FIELDS_MAX];
};

static int64_t
big_endian(const unsigned char *data, int size)
{
    uint64_t value = data[0] & 0x80 ? UINT64_MAX : 0;

    for (int i = 0; i < size; i++)
        value = value << 8 | data[i];
    return (int64_t)value;
}

static void
open_table(struct reader *reader, enum gen_table table, int warehouse)
{
    memset(reader, 0, sizeof *reader);
    gen_start(&reader->gen, &plan, table, warehouse);
}

/* Reads the next row into fields; false at the end, where all memory is returned. */
static bool
next_row(struct reader *reader, int fields)
{
    if (reader->at == reader->piece.length) {
        buf_clear(&reader->piece);
        reader->at = 0;
        if (gen_rows(&reader->gen, &reader->piece, PIECE) == 0) {
            assert_int_equal(reader->piece.length, 0);
            buf_free(&reader->piece);
            return false;
        }
        assert_int_equal(reader->piece.data[reader->piece.length], 0);
    }
    const unsigned char *data = (const unsigned char *)reader->piece.data;
    assert_int_equal(big_endian(data + reader->at, 2), fields);
    reader->at += 2;
    for (int i = 0; i < fields; i++) {
        struct field *field = &reader->fields[i];

        field->size = (int)big_endian(data + reader->at, 4);
        reader->at += 4;
        field->data = data + reader->at;
        reader->at += field->size > 0 ? (size_t)field->size : 0;
        assert_true(reader->at <= reader->piece.length);
    }
    reader->rows++;
    return true;
}

static bool
is_null(const struct reader *reader, int i)
{
    return reader->fields[i].size == -1;
}

static int64_t
integer(const struct reader *reader, int i, int size)
{
    assert_int_equal(reader->fields[i].size, size);
    return big_endian(reader->fields[i].data, size);
}

/* A numeric in units of its last decimal, by the definition: sum of digit * 10000^(weight - i). */
static int64_t
numeric(const struct reader *reader, int i, int scale)
{
    const unsigned char *data = reader->fields[i].data;
    int count = (int)big_endian(data, 2), weight = (int)big_endian(data + 2, 2);
    int64_t sign = big_endian(data + 4, 2);
    double value = 0, unit = 1;

    assert_int_equal(reader->fields[i].size, 8 + 2 * count);
    assert_int_equal(big_endian(data + 6, 2), scale);
    assert_true(sign == 0 || sign == 0x4000);
    for (int k = 0; k < weight; k++)
        unit *= 10000;
    for (int k = 0; k > weight; k--)
        unit /= 10000;
    for (int k = 0; k < count; k++, unit /= 10000)
        value += (double)big_endian(data + 8 + 2 * k, 2) * unit;
    for (int k = 0; k < scale; k++)
        value *= 10;
    return (int64_t)(value + 0.5) * (sign ? -1 : 1);
}

static bool
text_is(const struct reader *reader, int i, const char *text)
{
    return reader->fields[i].size == (int)strlen(text) &&
           memcmp(reader->fields[i].data, text, strlen(text)) == 0;
}

static bool
is_original(const struct reader *reader, int i)
{
    return memmem(reader->fields[i].data, (size_t)reader->fields[i].size, "ORIGINAL", 8) != NULL;
}

static void
date_is_that_of_the_load(const struct reader *reader, int i)
{
    assert_int_equal(integer(reader, i, 8), LOADED_AT_SERVER);
}

/* --- what was seen ---------------------------------------------------------------------------- */

/* Values of a range, counted, to be tested for uniformity. */
struct spread {
    int low, high;
    int64_t count, counts[601];
};

static void
see(struct spread *spread, int64_t value)
{
    assert_in_range(value, spread->low, spread->high);
    spread->counts[value - spread->low]++;
    spread->count++;
}

/* Both ends occur, and the chi-square statistic stays below its 99.99 % point, by the approximation
 * of Wilson and Hilferty: k (1 - 2/(9k) + z sqrt(2/(9k)))^3 with z = 3.719. */
static void
assert_uniform(const struct spread *spread)
{
    int values = spread->high - spread->low + 1;
    double expected = (double)spread->count / values, statistic = 0, k = values - 1;

    assert_true(expected >= 5);
    for (int i = 0; i < values; i++) {
        double difference = (double)spread->counts[i] - expected;
        statistic += difference * difference / expected;
    }
    double square = 2 / (9 * k);
    double term = 1 - square + 3.719 * sqrt(square);
    assert_true(statistic < k * term * term * term);
    assert_true(spread->counts[0] > 0 && spread->counts[values - 1] > 0);
}

static int64_t characters[256];

/* An a-string: its characters are counted, its length goes into the spread. */
static void
see_text(struct spread *lengths, const struct reader *reader, int i)
{
    see(lengths, reader->fields[i].size);
    for (int k = 0; k < reader->fields[i].size; k++)
        characters[reader->fields[i].data[k]]++;
}

/* The a-strings seen so far use 64 characters, the alphanumeric ones among them, evenly. */
static void
assert_alphabet(void)
{
    static const char alphabet[] =
        "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    struct spread spread = {.low = 0, .high = 63};
    int64_t all = 0;

    for (int c = 0; c < 256; c++)
        all += characters[c];
    for (int i = 0; i < 64; i++) {
        spread.counts[i] = characters[(unsigned char)alphabet[i]];
        spread.count += spread.counts[i];
    }
    assert_int_equal(spread.count, all);
    assert_uniform(&spread);
    memset(characters, 0, sizeof characters);
}

/* --- the small tables ------------------------------------------------------------------------- */

static void
assert_address(const struct reader *reader, int first)
{
    static struct spread lengths = {.low = 10, .high = 20};

    for (int i = first; i < first + 3; i++)
        see_text(&lengths, reader, i);
    assert_int_equal(reader->fields[first + 3].size, 2);
    assert_in_range(reader->fields[first + 3].data[0], 'A', 'Z');
    assert_in_range(reader->fields[first + 3].data[1], 'A', 'Z');
    assert_int_equal(reader->fields[first + 4].size, 9);
    for (int k = 0; k < 4; k++)
        assert_in_range(reader->fields[first + 4].data[k], '0', '9');
    assert_memory_equal(reader->fields[first + 4].data + 4, "11111", 5);
}

static void
warehouses(void **state)
{
    static struct spread names = {.low = 6, .high = 10};
    struct spread taxes = {.low = 0, .high = 20};
    static struct reader reader;

    (void)state;
    for (int w = 1; w <= 500; w++) {
        open_table(&reader, GEN_WAREHOUSE, w);
        while (next_row(&reader, 9)) {
            assert_int_equal(integer(&reader, 0, 4), w);
            assert_int_equal(numeric(&reader, 1, 2), 30000000); /* 300,000.00 */
            assert_in_range(numeric(&reader, 2, 4), 0, 2000);
            see(&taxes, numeric(&reader, 2, 4) / 100);
            see_text(&names, &reader, 3);
            assert_address(&reader, 4);
        }
        assert_int_equal(reader.rows, 1);
    }
    assert_uniform(&names);
    for (int i = 0; i < 20; i++)
        assert_true(taxes.counts[i] > 0);
    assert_alphabet();
}

static void
districts(void **state)
{
    static struct reader reader;

    (void)state;
    open_table(&reader, GEN_DISTRICT, 7);
    while (next_row(&reader, 11)) {
        assert_int_equal(integer(&reader, 0, 4), 7);
        assert_int_equal(integer(&reader, 1, 4), 3001);
        assert_int_equal(integer(&reader, 2, 2), reader.rows);
        assert_int_equal(numeric(&reader, 3, 2), 3000000); /* a tenth of w_ytd (condition 1) */
        assert_in_range(numeric(&reader, 4, 4), 0, 2000);
        assert_in_range(reader.fields[5].size, 6, 10);
        assert_address(&reader, 6);
    }
    assert_int_equal(reader.rows, 10);
    memset(characters, 0, sizeof characters);
}

/* --- item and stock --------------------------------------------------------------------------- */

static void
items(void **state)
{
    static struct spread images = {.low = 0, .high = 99}, prices = {.low = 1, .high = 99};
    static struct spread names = {.low = 14, .high = 24}, data = {.low = 26, .high = 50};
    static struct reader reader;
    int64_t originals = 0, price_min = INT64_MAX, price_max = 0;

    (void)state;
    open_table(&reader, GEN_ITEM, 0);
    while (next_row(&reader, 5)) {
        int64_t price = numeric(&reader, 2, 2);

        assert_int_equal(integer(&reader, 0, 4), reader.rows);
        see(&images, (integer(&reader, 1, 4) - 1) / 100);
        assert_in_range(price, 100, 10000);
        price_min = price < price_min ? price : price_min;
        price_max = price > price_max ? price : price_max;
        if (price < 10000)
            see(&prices, price / 100);
        see_text(&names, &reader, 3);
        see(&data, reader.fields[4].size);
        originals += is_original(&reader, 4);
    }
    assert_int_equal(reader.rows, 100000);
    assert_in_range(originals, 9500, 10500); /* 5 % of a tenth */
    assert_int_equal(price_min, 100);
    assert_int_equal(price_max, 10000);
    assert_uniform(&images);
    assert_uniform(&prices);
    assert_uniform(&names);
    assert_uniform(&data);
    assert_alphabet();
}

static void
stock(void **state)
{
    static struct spread quantities = {.low = 10, .high = 100}, data = {.low = 26, .high = 50};
    static struct spread places = {.low = 0, .high = 18}; /* of ORIGINAL in the shortest data */
    struct spread dist = {.low = 24, .high = 24};
    static struct reader reader;
    int64_t originals = 0;

    (void)state;
    open_table(&reader, GEN_STOCK, 3);
    while (next_row(&reader, 17)) {
        assert_int_equal(integer(&reader, 0, 8), 0);
        assert_int_equal(integer(&reader, 1, 4), 3);
        assert_int_equal(integer(&reader, 2, 4), reader.rows);
        assert_int_equal(integer(&reader, 3, 4), 0);
        assert_int_equal(integer(&reader, 4, 4), 0);
        see(&quantities, integer(&reader, 5, 2));
        for (int i = 6; i < 16; i++)
            see_text(&dist, &reader, i);
        see(&data, reader.fields[16].size);
        if (is_original(&reader, 16)) {
            const unsigned char *text = reader.fields[16].data;
            const unsigned char *place =
                memmem(text, (size_t)reader.fields[16].size, "ORIGINAL", 8);

            originals++;
            if (reader.fields[16].size == 26)
                see(&places, place - text);
        }
    }
    assert_int_equal(reader.rows, 100000);
    assert_in_range(originals, 9500, 10500);
    assert_uniform(&quantities);
    assert_uniform(&data);
    assert_uniform(&places);
    assert_alphabet();
}

/* --- customer and history --------------------------------------------------------------------- */

/* Every name of 4.3.2.3 that customers may have, to look numbers up. */
static int
name_number(const struct reader *reader, int i)
{
    static const char *const syllables[10] = {"BAR", "OUGHT", "ABLE",  "PRI",   "PRES",
                                              "ESE", "ANTI",  "CALLY", "ATION", "EING"};
    static char names[1000][32];

    for (int number = 0; number < 1000 && !names[999][0]; number++)
        snprintf(names[number], sizeof names[number], "%s%s%s", syllables[number / 100],
                 syllables[number / 10 % 10], syllables[number % 10]);
    for (int number = 0; number < 1000; number++) {
        if (text_is(reader, i, names[number]))
            return number;
    }
    fail_msg("unknown last name %.*s", reader->fields[i].size, reader->fields[i].data);
    return -1;
}

static void
assert_customer_constants(const struct reader *reader, int warehouse, int64_t district)
{
    date_is_that_of_the_load(reader, 0);
    assert_int_equal(integer(reader, 1, 4), warehouse);
    assert_int_equal(integer(reader, 3, 4), 1);
    assert_int_equal(integer(reader, 4, 4), 0);
    assert_int_equal(integer(reader, 5, 2), district);
    assert_int_equal(numeric(reader, 6, 2), -1000);
    assert_int_equal(numeric(reader, 7, 2), 1000);
    assert_int_equal(numeric(reader, 8, 2), 5000000);
    assert_true(text_is(reader, 12, "OE"));
    assert_address(reader, 14);
    assert_int_equal(reader->fields[19].size, 16);
    for (int k = 0; k < 16; k++)
        assert_in_range(reader->fields[19].data[k], '0', '9');
}

static void
customers(void **state)
{
    static struct spread discounts = {.low = 0, .high = 50}, first = {.low = 8, .high = 16};
    static struct spread data = {.low = 300, .high = 500};
    static struct reader reader;
    int64_t bad_credit = 0;

    (void)state;
    open_table(&reader, GEN_CUSTOMER, 2);
    while (next_row(&reader, 21)) {
        int64_t district = (reader.rows - 1) / 3000 + 1, id = (reader.rows - 1) % 3000 + 1;
        int64_t discount = numeric(&reader, 9, 4);

        assert_int_equal(integer(&reader, 2, 4), id);
        assert_customer_constants(&reader, 2, district);
        assert_in_range(discount, 0, 5000);
        see(&discounts, discount / 100);
        assert_true(text_is(&reader, 10, "GC") || text_is(&reader, 10, "BC"));
        bad_credit += text_is(&reader, 10, "BC");
        see_text(&first, &reader, 11);
        if (id <= 1000)
            assert_int_equal(name_number(&reader, 13), id - 1);
        see_text(&data, &reader, 20);
    }
    assert_int_equal(reader.rows, 30000);
    assert_in_range(bad_credit, 2850, 3150);
    discounts.high = 49; /* 0.5000 itself is one value, not a hundred */
    discounts.count -= discounts.counts[50];
    assert_uniform(&discounts);
    assert_uniform(&first);
    assert_uniform(&data);
    assert_alphabet();
}

/* NURand(255, 0, 999): (random(0,255) | random(0,999)) + C, modulo 1000. Its exact distribution is
 * counted over all 256,000 pairs. */
static void
last_names(void **state)
{
    static int64_t pairs[1000];
    static int64_t seen[1000];
    static struct reader reader;
    int64_t drawn = 0;
    double statistic = 0;

    (void)state;
    for (int a = 0; a <= 255; a++) {
        for (int b = 0; b <= 999; b++)
            pairs[((a | b) + plan.c_load) % 1000]++;
    }
    for (int w = 1; w <= 3; w++) {
        open_table(&reader, GEN_CUSTOMER, w);
        while (next_row(&reader, 21)) {
            if ((reader.rows - 1) % 3000 < 1000)
                continue;
            seen[name_number(&reader, 13)]++;
            drawn++;
        }
    }
    assert_int_equal(drawn, 60000);
    int cells = 0; /* values expected less than five times are left out */
    for (int number = 0; number < 1000; number++) {
        double expected = (double)pairs[number] / 256000 * (double)drawn;
        double difference = (double)seen[number] - expected;

        if (pairs[number] == 0)
            assert_int_equal(seen[number], 0);
        if (expected < 5)
            continue;
        statistic += difference * difference / expected;
        cells++;
    }
    assert_true(cells > 200);
    /* Mean of chi-square: cells; standard deviation: sqrt(2 cells), under 45 for 1000 cells. */
    assert_true(statistic < cells + 4 * 45);
    memset(characters, 0, sizeof characters);
}

static void
history(void **state)
{
    static struct spread data = {.low = 12, .high = 24};
    static struct reader reader;
    int64_t amount = 0;

    (void)state;
    open_table(&reader, GEN_HISTORY, 5);
    while (next_row(&reader, 8)) {
        int64_t district = (reader.rows - 1) / 3000 + 1;

        date_is_that_of_the_load(&reader, 0);
        assert_int_equal(integer(&reader, 1, 4), (reader.rows - 1) % 3000 + 1);
        assert_int_equal(integer(&reader, 2, 4), 5);
        assert_int_equal(integer(&reader, 3, 4), 5);
        assert_int_equal(integer(&reader, 4, 2), district);
        assert_int_equal(integer(&reader, 5, 2), district);
        amount += numeric(&reader, 6, 2);
        see_text(&data, &reader, 7);
    }
    assert_int_equal(reader.rows, 30000);
    assert_int_equal(amount, 30000000); /* w_ytd (condition 8) */
    assert_uniform(&data);
    assert_alphabet();
}

/* --- orders ----------------------------------------------------------------------------------- */

struct order {
    int customer, line_count, carrier; /* 0: none */
};
static struct order orders_of[2][10][3000];

static void read_orders(struct order (*orders)[3000], int warehouse)
{
    static struct reader reader;

    open_table(&reader, GEN_ORDERS, warehouse);
    while (next_row(&reader, 8)) {
        int64_t district = (reader.rows - 1) / 3000, id = (reader.rows - 1) % 3000 + 1;
        struct order *order = &orders[district][id - 1];

        date_is_that_of_the_load(&reader, 0);
        assert_int_equal(integer(&reader, 1, 4), warehouse);
        assert_int_equal(integer(&reader, 2, 4), id);
        order->customer = (int)integer(&reader, 3, 4);
        assert_int_equal(integer(&reader, 4, 2), district + 1);
        order->line_count = (int)integer(&reader, 5, 2);
        assert_int_equal(integer(&reader, 6, 2), 1);
        order->carrier = is_null(&reader, 7) ? 0 : (int)integer(&reader, 7, 2);
    }
    assert_int_equal(reader.rows, 30000);
}

static void
orders(void **state)
{
    static struct spread lines = {.low = 5, .high = 15}, carriers = {.low = 1, .high = 10};

    (void)state;
    for (int w = 0; w < 2; w++) {
        read_orders(orders_of[w], w + 1);
        for (int d = 0; d < 10; d++) {
            bool seen[3001] = {false};

            for (int i = 0; i < 3000; i++) {
                const struct order *order = &orders_of[w][d][i];

                assert_in_range(order->customer, 1, 3000);
                assert_false(seen[order->customer]);
                seen[order->customer] = true;
                see(&lines, order->line_count);
                if (i + 1 < 2101)
                    see(&carriers, order->carrier);
                else
                    assert_int_equal(order->carrier, 0);
            }
        }
    }
    assert_uniform(&lines);
    assert_uniform(&carriers);
}

/* Two independent permutations of 3,000 agree in one place on average; more than ten times is out
 * of the question (Poisson with mean 1). So is a permutation near to the order itself. */
static void
permutations_differ(void **state)
{
    int in_order_anywhere = 0;

    (void)state;
    for (int w = 0; w < 2; w++) {
        for (int d = 0; d < 10; d++) {
            int in_order = 0, same_district = 0, same_warehouse = 0;

            for (int i = 0; i < 3000; i++) {
                int customer = orders_of[w][d][i].customer;

                in_order += customer == i + 1;
                same_district += customer == orders_of[w][(d + 1) % 10][i].customer;
                same_warehouse += customer == orders_of[1 - w][d][i].customer;
            }
            in_order_anywhere += in_order;
            assert_true(in_order <= 10);
            assert_true(same_district <= 10);
            assert_true(same_warehouse <= 10);
        }
    }
    assert_in_range(in_order_anywhere, 3, 50); /* Poisson with mean 20 */
}

static void
new_orders(void **state)
{
    static struct reader reader;

    (void)state;
    open_table(&reader, GEN_NEW_ORDER, 1);
    while (next_row(&reader, 3)) {
        assert_int_equal(integer(&reader, 0, 4), 1);
        assert_int_equal(integer(&reader, 1, 4), 2101 + (reader.rows - 1) % 900);
        assert_int_equal(integer(&reader, 2, 2), (reader.rows - 1) / 900 + 1);
    }
    assert_int_equal(reader.rows, 9000);
}

/* The lines follow their orders of the same district, one after the other, none missing. */
static void
order_lines(void **state)
{
    static struct spread item_hundreds = {.low = 0, .high = 499};
    static struct spread amounts = {.low = 0, .high = 99};
    struct spread dist = {.low = 24, .high = 24};
    static struct reader reader;
    int district = 0, order = 0, number = 0;
    int64_t expected = 0;

    (void)state;
    for (int d = 0; d < 10; d++) {
        for (int i = 0; i < 3000; i++)
            expected += orders_of[1][d][i].line_count;
    }
    open_table(&reader, GEN_ORDER_LINE, 2);
    while (next_row(&reader, 10)) {
        if (++number > orders_of[1][district][order].line_count) {
            number = 1;
            order++;
        }
        if (order == 3000) {
            order = 0;
            district++;
        }
        assert_int_equal(integer(&reader, 0, 4), 2);
        assert_int_equal(integer(&reader, 1, 4), order + 1);
        assert_in_range(integer(&reader, 2, 4), 1, 100000);
        see(&item_hundreds, (integer(&reader, 2, 4) - 1) / 200);
        assert_int_equal(integer(&reader, 3, 4), 2);
        assert_int_equal(integer(&reader, 4, 2), district + 1);
        assert_int_equal(integer(&reader, 5, 2), number);
        assert_int_equal(integer(&reader, 6, 2), 5);
        see_text(&dist, &reader, 8);
        int64_t amount = numeric(&reader, 7, 2);
        if (order + 1 < 2101) {
            assert_int_equal(amount, 0);
            date_is_that_of_the_load(&reader, 9);
        } else {
            assert_in_range(amount, 1, 999999);
            see(&amounts, amount / 10000);
            assert_true(is_null(&reader, 9));
        }
    }
    assert_int_equal(reader.rows, expected);
    assert_in_range(expected, 297000, 303000); /* 1 % of 300,000 (note 4 of 4.2.2) */
    assert_uniform(&item_hundreds);
    assert_uniform(&amounts);
    assert_alphabet();
}

/* --- the same whatever the way ---------------------------------------------------------------- */

static uint64_t
hash_of(enum gen_table table, int warehouse, const struct gen_plan *with, size_t piece,
        int64_t *rows)
{
    static struct gen gen;
    struct buf out = {0};
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    int64_t got;

    *rows = 0;
    gen_start(&gen, with, table, warehouse);
    while ((got = gen_rows(&gen, &out, piece)) > 0) {
        *rows += got;
        for (size_t i = 0; i < out.length; i++)
            hash = (hash ^ (unsigned char)out.data[i]) * UINT64_C(0x100000001b3);
        buf_clear(&out);
    }
    buf_free(&out);
    return hash;
}

static void
pieces_and_order_do_not_matter(void **state)
{
    uint64_t hashes[GEN_TABLES][2];
    int64_t rows[GEN_TABLES][2];

    (void)state;
    for (int table = 0; table < GEN_TABLES; table++) {
        for (int w = 0; w < 2; w++)
            hashes[table][w] = hash_of((enum gen_table)table, table == GEN_ITEM ? 0 : w + 1, &plan,
                                       1, &rows[table][w]);
    }
    for (int table = GEN_TABLES - 1; table >= 0; table--) {
        for (int w = 1; w >= 0; w--) {
            int64_t again;
            int warehouse = table == GEN_ITEM ? 0 : w + 1;

            assert_true(hash_of((enum gen_table)table, warehouse, &plan, 1 << 20, &again) ==
                        hashes[table][w]);
            assert_int_equal(again, rows[table][w]);
        }
        if (table != GEN_ITEM)
            assert_true(hashes[table][0] != hashes[table][1]);
    }
}

static void
seed_and_c_load_matter(void **state)
{
    struct gen_plan other_seed = plan, other_c = plan;
    int64_t rows;

    (void)state;
    other_seed.seed++;
    other_c.c_load++;
    for (int table = 0; table < GEN_TABLES; table++) {
        int warehouse = table == GEN_ITEM ? 0 : 1;
        uint64_t hash = hash_of((enum gen_table)table, warehouse, &plan, 1 << 16, &rows);

        if (table != GEN_NEW_ORDER) /* nothing in it is random */
            assert_true(hash_of((enum gen_table)table, warehouse, &other_seed, 1 << 16, &rows) !=
                        hash);
        assert_true((hash_of((enum gen_table)table, warehouse, &other_c, 1 << 16, &rows) == hash) ==
                    (table != GEN_CUSTOMER));
    }
}

static void
pieces_are_bounded(void **state)
{
    static struct gen gen;
    struct buf out = {0};
    size_t longest = 0;

    (void)state;
    gen_start(&gen, &plan, GEN_ORDER_LINE, 1);
    while (gen_rows(&gen, &out, 4096) > 0) {
        longest = out.length > longest ? out.length : longest;
        buf_clear(&out);
    }
    buf_free(&out);
    assert_true(longest >= 4096);
    assert_true(longest < 4096 + 15 * 128); /* at most one order more */
}

static int64_t
bytes_of(enum gen_table table, int warehouse)
{
    struct gen gen;
    struct buf piece = {0};
    int64_t bytes = 0;

    gen_start(&gen, &plan, table, warehouse);
    while (gen_rows(&gen, &piece, PIECE) > 0) {
        bytes += (int64_t)piece.length;
        buf_clear(&piece);
    }
    buf_free(&piece);
    return bytes;
}

static void
the_bytes_of_a_warehouse_are_known_beforehand(void **state)
{
    int64_t bytes = 0;

    (void)state;
    for (int table = GEN_WAREHOUSE; table < GEN_TABLES; table++)
        bytes += bytes_of((enum gen_table)table, 3);
    assert_in_range(bytes, GEN_WAREHOUSE_BYTES / 100 * 99, GEN_WAREHOUSE_BYTES / 100 * 101);
    assert_in_range(bytes_of(GEN_ITEM, 0), GEN_ITEM_BYTES / 100 * 99, GEN_ITEM_BYTES / 100 * 101);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warehouses),
        cmocka_unit_test(districts),
        cmocka_unit_test(items),
        cmocka_unit_test(stock),
        cmocka_unit_test(customers),
        cmocka_unit_test(last_names),
        cmocka_unit_test(history),
        cmocka_unit_test(orders),
        cmocka_unit_test(permutations_differ),
        cmocka_unit_test(new_orders),
        cmocka_unit_test(order_lines),
        cmocka_unit_test(pieces_and_order_do_not_matter),
        cmocka_unit_test(seed_and_c_load_matter),
        cmocka_unit_test(pieces_are_bounded),
        cmocka_unit_test(the_bytes_of_a_warehouse_are_known_beforehand),
    };
    return cmocka_run_group_tests_name("gen", tests, NULL, NULL);
}
