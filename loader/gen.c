/* The rows of the population; see gen.h. Owns the rules of 4.3.3.1, table by table. Strings are
 * made in gen_text.c, the format of COPY in pgcopy.c.
 *
 * Most fields of the large tables do not change from row to row. They are encoded once per group,
 * as a head that is copied for each row; the few that change are patched into the copy. */
#include "loader/gen.h"

#include <endian.h>
#include <string.h>

#include "common/pgcopy.h"

/* Of one warehouse and district there are up to this many random streams of one purpose. */
enum { STREAM_FIRST, STREAM_PERMUTATION = STREAM_FIRST, STREAM_ORDERS, STREAM_LINES, STREAMS = 4 };
enum { DISTRICTS_SLOT = 16 }; /* room per warehouse in the numbering of streams */

enum { DIST_INFO_LENGTH = 24, NO_CARRIER = 0 };

static void
seed_stream(struct rng *rng, const struct gen *gen, enum rng_purpose purpose, int stream)
{
    uint64_t index = (uint64_t)gen->warehouse * DISTRICTS_SLOT + (uint64_t)gen->group;

    rng_seed(rng, gen->plan.seed, purpose, index * STREAMS + (uint64_t)stream);
}

/* --- heads ------------------------------------------------------------------------------------ */

static void
keep_head(struct gen *gen, struct buf *head)
{
    must(head->length <= sizeof gen->head);
    memcpy(gen->head, head->data, head->length);
    gen->head_length = head->length;
    buf_free(head);
}

/* An integer field whose value is patched into each row; the value follows four bytes of length. */
static void
patched_int4(struct gen *gen, struct buf *head, int which)
{
    pgcopy_int4(head, 0);
    gen->patch[which] = head->length - sizeof(int32_t);
}

static void
patched_int2(struct gen *gen, struct buf *head, int which)
{
    pgcopy_int2(head, 0);
    gen->patch[which] = head->length - sizeof(int16_t);
}

/* Starts a row with a copy of the head; valid until the next append. */
static char *
copy_head(const struct gen *gen, struct buf *out)
{
    char *row = buf_reserve(out, gen->head_length + GEN_TEXT_SLACK);

    memcpy(row, gen->head, gen->head_length);
    out->length += gen->head_length;
    return row;
}

static void
patch_int4(const struct gen *gen, char *row, int which, int32_t value)
{
    uint32_t bytes = htobe32((uint32_t)value);

    memcpy(row + gen->patch[which], &bytes, sizeof bytes);
}

static void
patch_int2(const struct gen *gen, char *row, int which, int value)
{
    uint16_t bytes = htobe16((uint16_t)value);

    memcpy(row + gen->patch[which], &bytes, sizeof bytes);
}

/* --- item ------------------------------------------------------------------------------------- */

static void
start_item(struct gen *gen)
{
    seed_stream(&gen->rng, gen, RNG_ITEM, STREAM_FIRST);
    gen->chosen = (struct gen_choice){.wanted = ITEMS / 10, .total = ITEMS};
}

static int
item_row(struct gen *gen, struct buf *out)
{
    pgcopy_tuple(out, 5);
    pgcopy_int4(out, gen->step + 1);
    pgcopy_int4(out, (int32_t)rng_range(&gen->rng, 1, 10000));
    pgcopy_numeric(out, rng_range(&gen->rng, 100, 10000), 2);
    gen_text(&gen->rng, out, 14, 24);
    gen_text_original(&gen->rng, out, 26, 50, gen_choose(&gen->chosen, &gen->rng));
    return 1;
}

/* --- warehouse, district ---------------------------------------------------------------------- */

/* street_1, street_2, city, state, zip: the same in three tables. */
static void
address(struct gen *gen, struct buf *out)
{
    gen_text(&gen->rng, out, 10, 20);
    gen_text(&gen->rng, out, 10, 20);
    gen_text(&gen->rng, out, 10, 20);
    gen_text_state(&gen->rng, out);
    gen_text_zip(&gen->rng, out);
}

static void
start_warehouse(struct gen *gen)
{
    seed_stream(&gen->rng, gen, RNG_WAREHOUSE, STREAM_FIRST);
}

static int
warehouse_row(struct gen *gen, struct buf *out)
{
    pgcopy_tuple(out, 9);
    pgcopy_int4(out, gen->warehouse);
    pgcopy_numeric(out, 30000000, 2);
    pgcopy_numeric(out, rng_range(&gen->rng, 0, 2000), 4);
    gen_text(&gen->rng, out, 6, 10);
    address(gen, out);
    return 1;
}

static void
start_district(struct gen *gen)
{
    seed_stream(&gen->rng, gen, RNG_DISTRICT, STREAM_FIRST);
}

static int
district_row(struct gen *gen, struct buf *out)
{
    pgcopy_tuple(out, 11);
    pgcopy_int4(out, gen->warehouse);
    pgcopy_int4(out, ORDERS_PER_DISTRICT + 1);
    pgcopy_int2(out, (int16_t)(gen->step + 1));
    pgcopy_numeric(out, 3000000, 2);
    pgcopy_numeric(out, rng_range(&gen->rng, 0, 2000), 4);
    gen_text(&gen->rng, out, 6, 10);
    address(gen, out);
    return 1;
}

/* --- customer, history ------------------------------------------------------------------------ */

static void
start_customer(struct gen *gen)
{
    struct buf head = {0};

    seed_stream(&gen->rng, gen, RNG_CUSTOMER, STREAM_FIRST);
    gen->chosen =
        (struct gen_choice){.wanted = CUSTOMERS_PER_DISTRICT / 10, .total = CUSTOMERS_PER_DISTRICT};
    pgcopy_tuple(&head, 21);
    pgcopy_timestamptz(&head, gen->plan.loaded_at_us);
    pgcopy_int4(&head, gen->warehouse);
    patched_int4(gen, &head, 0);
    pgcopy_int4(&head, 1); /* c_payment_cnt */
    pgcopy_int4(&head, 0); /* c_delivery_cnt */
    pgcopy_int2(&head, (int16_t)gen->group);
    pgcopy_numeric(&head, -1000, 2);   /* c_balance */
    pgcopy_numeric(&head, 1000, 2);    /* c_ytd_payment */
    pgcopy_numeric(&head, 5000000, 2); /* c_credit_lim */
    keep_head(gen, &head);
}

/* Customers 1..1000 of a district have the last names 0..999 in order, so that each exists. */
static void
last_name(struct gen *gen, struct buf *out)
{
    char name[LAST_NAME_SIZE];
    int number = gen->step < LAST_NAMES
                     ? gen->step
                     : (int)workload_nurand(&gen->rng, 255, 0, LAST_NAMES - 1, gen->plan.c_load);
    int length = workload_last_name(number, name);

    pgcopy_text(out, name, (size_t)length);
}

static int
customer_row(struct gen *gen, struct buf *out)
{
    patch_int4(gen, copy_head(gen, out), 0, gen->step + 1);
    pgcopy_numeric(out, rng_range(&gen->rng, 0, 5000), 4);
    pgcopy_text(out, gen_choose(&gen->chosen, &gen->rng) ? "BC" : "GC", 2);
    gen_text(&gen->rng, out, 8, 16);
    pgcopy_text(out, "OE", 2);
    last_name(gen, out);
    address(gen, out);
    gen_text_digits(&gen->rng, out, 16);
    gen_text(&gen->rng, out, 300, 500);
    return 1;
}

static void
start_history(struct gen *gen)
{
    struct buf head = {0};

    seed_stream(&gen->rng, gen, RNG_HISTORY, STREAM_FIRST);
    pgcopy_tuple(&head, 8);
    pgcopy_timestamptz(&head, gen->plan.loaded_at_us);
    patched_int4(gen, &head, 0);
    pgcopy_int4(&head, gen->warehouse);
    pgcopy_int4(&head, gen->warehouse);
    pgcopy_int2(&head, (int16_t)gen->group);
    pgcopy_int2(&head, (int16_t)gen->group);
    pgcopy_numeric(&head, 1000, 2);
    keep_head(gen, &head);
}

static int
history_row(struct gen *gen, struct buf *out)
{
    patch_int4(gen, copy_head(gen, out), 0, gen->step + 1);
    gen_text(&gen->rng, out, 12, 24);
    return 1;
}

/* --- orders, new_order, order_line ------------------------------------------------------------ */

/* What orders and order_line must agree on; both draw it from the same stream. */
struct order {
    int line_count;
    int carrier; /* NO_CARRIER: not delivered */
};

static struct order
draw_order(struct gen *gen)
{
    struct order order = {.line_count = (int)rng_range(&gen->rng, ORDER_LINES_MIN, ORDER_LINES_MAX),
                          .carrier = NO_CARRIER};

    if (gen->step + 1 < FIRST_UNDELIVERED_ORDER)
        order.carrier = (int)rng_range(&gen->rng, 1, 10);
    return order;
}

/* Fisher and Yates. */
static void
permute_customers(struct gen *gen)
{
    struct rng rng;

    seed_stream(&rng, gen, RNG_ORDER, STREAM_PERMUTATION);
    for (int i = 0; i < CUSTOMERS_PER_DISTRICT; i++) {
        int other = (int)rng_range(&rng, 0, i);

        gen->customers[i] = gen->customers[other];
        gen->customers[other] = i + 1;
    }
}

static void
start_orders(struct gen *gen)
{
    struct buf head = {0};

    permute_customers(gen);
    seed_stream(&gen->rng, gen, RNG_ORDER, STREAM_ORDERS);
    pgcopy_tuple(&head, 8);
    pgcopy_timestamptz(&head, gen->plan.loaded_at_us);
    pgcopy_int4(&head, gen->warehouse);
    patched_int4(gen, &head, 0); /* o_id */
    patched_int4(gen, &head, 1); /* o_c_id */
    pgcopy_int2(&head, (int16_t)gen->group);
    patched_int2(gen, &head, 2); /* o_ol_cnt */
    pgcopy_int2(&head, 1);       /* o_all_local */
    keep_head(gen, &head);
}

static int
orders_row(struct gen *gen, struct buf *out)
{
    struct order order = draw_order(gen);
    char *row = copy_head(gen, out);

    patch_int4(gen, row, 0, gen->step + 1);
    patch_int4(gen, row, 1, gen->customers[gen->step]);
    patch_int2(gen, row, 2, order.line_count);
    if (order.carrier == NO_CARRIER)
        pgcopy_null(out);
    else
        pgcopy_int2(out, (int16_t)order.carrier);
    return 1;
}

static void
start_new_order(struct gen *gen)
{
    struct buf head = {0};

    pgcopy_tuple(&head, 3);
    pgcopy_int4(&head, gen->warehouse);
    patched_int4(gen, &head, 0);
    pgcopy_int2(&head, (int16_t)gen->group);
    keep_head(gen, &head);
}

static int
new_order_row(struct gen *gen, struct buf *out)
{
    patch_int4(gen, copy_head(gen, out), 0, FIRST_UNDELIVERED_ORDER + gen->step);
    return 1;
}

enum { LINE_ORDER, LINE_ITEM, LINE_NUMBER, LINE_DIST_INFO };

/* Two kinds of rows, delivered ones first: those are all head. Of the others the head ends before
 * ol_amount. */
static void
order_line_head(struct gen *gen, bool delivered)
{
    struct buf head = {0};

    pgcopy_tuple(&head, 10);
    pgcopy_int4(&head, gen->warehouse);
    patched_int4(gen, &head, LINE_ORDER);
    patched_int4(gen, &head, LINE_ITEM);
    pgcopy_int4(&head, gen->warehouse); /* ol_supply_w_id */
    pgcopy_int2(&head, (int16_t)gen->group);
    patched_int2(gen, &head, LINE_NUMBER);
    pgcopy_int2(&head, 5); /* ol_quantity */
    if (delivered) {
        static const char blank[DIST_INFO_LENGTH];

        pgcopy_numeric(&head, 0, 2);
        pgcopy_text(&head, blank, sizeof blank);
        gen->patch[LINE_DIST_INFO] = head.length - sizeof blank;
        pgcopy_timestamptz(&head, gen->plan.loaded_at_us);
    }
    keep_head(gen, &head);
}

static void
start_order_line(struct gen *gen)
{
    seed_stream(&gen->rng, gen, RNG_ORDER, STREAM_ORDERS);
    seed_stream(&gen->lines, gen, RNG_ORDER, STREAM_LINES);
    order_line_head(gen, true);
}

static void
order_line_row(struct gen *gen, struct buf *out, int number, bool delivered)
{
    char *row = copy_head(gen, out);

    patch_int4(gen, row, LINE_ORDER, gen->step + 1);
    patch_int4(gen, row, LINE_ITEM, (int32_t)rng_range(&gen->lines, 1, ITEMS));
    patch_int2(gen, row, LINE_NUMBER, number);
    if (delivered) {
        gen_text_fill(&gen->lines, row + gen->patch[LINE_DIST_INFO], DIST_INFO_LENGTH);
        return;
    }
    pgcopy_numeric(out, rng_range(&gen->lines, 1, 999999), 2);
    gen_text(&gen->lines, out, DIST_INFO_LENGTH, DIST_INFO_LENGTH);
    pgcopy_null(out);
}

/* All lines of one order. */
static int
order_line_rows(struct gen *gen, struct buf *out)
{
    struct order order = draw_order(gen);
    bool delivered = order.carrier != NO_CARRIER;

    if (gen->step + 1 == FIRST_UNDELIVERED_ORDER)
        order_line_head(gen, false);
    for (int number = 1; number <= order.line_count; number++)
        order_line_row(gen, out, number, delivered);
    return order.line_count;
}

/* --- stock ------------------------------------------------------------------------------------ */

enum { STOCK_ITEM, STOCK_QUANTITY, STOCK_DIST };

static void
start_stock(struct gen *gen)
{
    static const char blank[DIST_INFO_LENGTH];
    struct buf head = {0};

    seed_stream(&gen->rng, gen, RNG_STOCK, STREAM_FIRST);
    gen->chosen = (struct gen_choice){.wanted = ITEMS / 10, .total = ITEMS};
    pgcopy_tuple(&head, 17);
    pgcopy_int8(&head, 0); /* s_ytd */
    pgcopy_int4(&head, gen->warehouse);
    patched_int4(gen, &head, STOCK_ITEM);
    pgcopy_int4(&head, 0); /* s_order_cnt */
    pgcopy_int4(&head, 0); /* s_remote_cnt */
    patched_int2(gen, &head, STOCK_QUANTITY);
    gen->patch[STOCK_DIST] = head.length + sizeof(int32_t);
    for (int i = 0; i < DISTRICTS_PER_WAREHOUSE; i++)
        pgcopy_text(&head, blank, sizeof blank);
    keep_head(gen, &head);
}

static int
stock_row(struct gen *gen, struct buf *out)
{
    char *row = copy_head(gen, out);
    char *dist = row + gen->patch[STOCK_DIST];

    patch_int4(gen, row, STOCK_ITEM, gen->step + 1);
    patch_int2(gen, row, STOCK_QUANTITY, (int)rng_range(&gen->rng, 10, 100));
    for (int i = 0; i < DISTRICTS_PER_WAREHOUSE; i++) {
        gen_text_fill(&gen->rng, dist, DIST_INFO_LENGTH);
        dist += DIST_INFO_LENGTH + sizeof(int32_t);
    }
    gen_text_original(&gen->rng, out, 26, 50, gen_choose(&gen->chosen, &gen->rng));
    return 1;
}

/* --- all tables ------------------------------------------------------------------------------- */

struct table {
    const char *name;
    int groups, steps; /* steps of each group */
    void (*start)(struct gen *gen);
    int (*step)(struct gen *gen, struct buf *out);
    const char *columns;
};

static const struct table tables[GEN_TABLES] = {
    [GEN_ITEM] = {"item", 1, ITEMS, start_item, item_row, "i_id, i_im_id, i_price, i_name, i_data"},
    [GEN_WAREHOUSE] = {"warehouse", 1, 1, start_warehouse, warehouse_row,
                       "w_id, w_ytd, w_tax, w_name, w_street_1, w_street_2, w_city, w_state, "
                       "w_zip"},
    [GEN_DISTRICT] = {"district", 1, DISTRICTS_PER_WAREHOUSE, start_district, district_row,
                      "d_w_id, d_next_o_id, d_id, d_ytd, d_tax, d_name, d_street_1, d_street_2, "
                      "d_city, d_state, d_zip"},
    [GEN_CUSTOMER] = {"customer", DISTRICTS_PER_WAREHOUSE, CUSTOMERS_PER_DISTRICT, start_customer,
                      customer_row,
                      "c_since, c_w_id, c_id, c_payment_cnt, c_delivery_cnt, c_d_id, c_balance, "
                      "c_ytd_payment, c_credit_lim, c_discount, c_credit, c_first, c_middle, "
                      "c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone, c_data"},
    [GEN_HISTORY] = {"history", DISTRICTS_PER_WAREHOUSE, CUSTOMERS_PER_DISTRICT, start_history,
                     history_row,
                     "h_date, h_c_id, h_c_w_id, h_w_id, h_c_d_id, h_d_id, h_amount, h_data"},
    [GEN_ORDERS] = {"orders", DISTRICTS_PER_WAREHOUSE, ORDERS_PER_DISTRICT, start_orders,
                    orders_row,
                    "o_entry_d, o_w_id, o_id, o_c_id, o_d_id, o_ol_cnt, o_all_local, "
                    "o_carrier_id"},
    [GEN_NEW_ORDER] = {"new_order", DISTRICTS_PER_WAREHOUSE, NEW_ORDERS_PER_DISTRICT,
                       start_new_order, new_order_row, "no_w_id, no_o_id, no_d_id"},
    [GEN_ORDER_LINE] = {"order_line", DISTRICTS_PER_WAREHOUSE, ORDERS_PER_DISTRICT,
                        start_order_line, order_line_rows,
                        "ol_w_id, ol_o_id, ol_i_id, ol_supply_w_id, ol_d_id, ol_number, "
                        "ol_quantity, ol_amount, ol_dist_info, ol_delivery_d"},
    [GEN_STOCK] = {"stock", 1, ITEMS, start_stock, stock_row,
                   "s_ytd, s_w_id, s_i_id, s_order_cnt, s_remote_cnt, s_quantity, s_dist_01, "
                   "s_dist_02, s_dist_03, s_dist_04, s_dist_05, s_dist_06, s_dist_07, s_dist_08, "
                   "s_dist_09, s_dist_10, s_data"},
};

const char *
gen_table_name(enum gen_table table)
{
    return tables[table].name;
}

const char *
gen_table_columns(enum gen_table table)
{
    return tables[table].columns;
}

void
gen_start(struct gen *gen, const struct gen_plan *plan, enum gen_table table, int warehouse)
{
    must((table == GEN_ITEM) == (warehouse == 0));
    *gen = (struct gen){.plan = *plan, .table = table, .warehouse = warehouse, .group = 1};
}

int64_t
gen_rows(struct gen *gen, struct buf *out, size_t enough)
{
    const struct table *table = &tables[gen->table];
    int64_t rows = 0;

    while (out->length < enough && gen->group <= table->groups) {
        if (gen->step == 0)
            table->start(gen);
        rows += table->step(gen, out);
        if (++gen->step == table->steps) {
            gen->group++;
            gen->step = 0;
        }
    }
    *buf_reserve(out, 1) = '\0'; /* a random string may have overrun it */
    return rows;
}
