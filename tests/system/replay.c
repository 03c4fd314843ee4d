/* replay SCHEMA CALL PROTOCOL SEED COUNT: enters COUNT transactions of one terminal, one after the
 * other, through a session of the driver, and prints how each ended and what the terminal would
 * show, times left out. The inputs are a terminal's, folded into the small population of Small.pm:
 * two warehouses, ten customers in a district, twenty items. So two ways to call that print the
 * same gave the same, and what they left behind can be compared. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/log.h"
#include "driver/session.h"

enum { ITEMS_SMALL = 20, CUSTOMERS_SMALL = 10, WAREHOUSES_SMALL = 2 };

struct replay {
    struct loop *loop;
    struct session session;
    struct session_rules rules;
    struct terminal_rules rules_of_terminal;
    struct terminal terminal;
    struct txn_input input;
    long left;
    bool ended;
    struct err err;
};

/* --- inputs ----------------------------------------------------------------------------------- */

static void
fold_customer(struct customer_input *customer)
{
    static const char *const names[] = {"ONE", "TWO", "THREE", "FOUR"};

    if (customer->number != 0) {
        customer->number = customer->number % CUSTOMERS_SMALL + 1;
        return;
    }
    const char *name = names[customer->last_name[0] % 4];
    customer->last_name_length = (int)strlen(name);
    memcpy(customer->last_name, name, strlen(name) + 1);
}

/* In order again, as every terminal enters them; an item twice is common here. */
static void
fold_order(struct new_order_input *order)
{
    int count = order->lines_count - order->rolls_back;

    for (int i = 0; i < count; i++) {
        struct order_line_input line = order->lines[i];
        int at = i;
        line.item = line.item % ITEMS_SMALL + 1;
        for (; at > 0 && (order->lines[at - 1].supply_warehouse > line.supply_warehouse ||
                          (order->lines[at - 1].supply_warehouse == line.supply_warehouse &&
                           order->lines[at - 1].item > line.item));
             at--)
            order->lines[at] = order->lines[at - 1];
        order->lines[at] = line;
    }
    order->customer = order->customer % CUSTOMERS_SMALL + 1;
}

/* One line in four from the other warehouse and one order in eight to be rolled back, so that a
 * short replay meets all cases. */
static void
stir(struct rng *rng, struct new_order_input *order)
{
    order->remote_lines = 0;
    for (int i = 0; i < order->lines_count; i++) {
        struct order_line_input *line = &order->lines[i];
        line->supply_warehouse =
            rng_percent(rng, 25) ? WAREHOUSES_SMALL + 1 - order->warehouse : order->warehouse;
        order->remote_lines += line->supply_warehouse != order->warehouse;
    }
    order->rolls_back = rng_percent(rng, 12);
    if (order->rolls_back)
        order->lines[order->lines_count - 1].item = UNUSED_ITEM;
    else if (order->lines[order->lines_count - 1].item == UNUSED_ITEM)
        order->lines[order->lines_count - 1].item = 1;
}

static void
enter(struct replay *replay)
{
    struct txn_input *input = &replay->input;

    input->type = terminal_deal(&replay->terminal, &replay->rules_of_terminal);
    terminal_enter(&replay->terminal, &replay->rules_of_terminal, input);
    if (input->type == TXN_NEW_ORDER) {
        stir(&replay->terminal.rng, &input->of.new_order);
        fold_order(&input->of.new_order);
    } else if (input->type == TXN_PAYMENT) {
        fold_customer(&input->of.payment.customer);
    } else if (input->type == TXN_ORDER_STATUS) {
        fold_customer(&input->of.order_status);
    } else if (input->type == TXN_STOCK_LEVEL) {
        input->of.stock_level.threshold += 25;
    }
}

/* --- what is shown ---------------------------------------------------------------------------- */

/* Columns of the functions' results: t text, i integer, n numeric, d a time; capitals are arrays.
 */
static const char *const columns[TXN_TYPES] = {[TXN_NEW_ORDER] = "idttnnnnTItNN",
                                               [TXN_PAYMENT] = "itttttttttttttttttttdtnnntd",
                                               [TXN_ORDER_STATUS] = "itttnidiIIIND",
                                               [TXN_DELIVERY] = "Idi",
                                               [TXN_STOCK_LEVEL] = "i"};

static void
show_value(char kind, struct wire_value value)
{
    int64_t wide;
    int number;

    putchar(' ');
    if (value.size < 0)
        printf("null");
    else if (kind == 'i' && wire_get_int(value, &number))
        printf("%d", number);
    else if (kind == 'n' && wire_get_numeric(value, 10, &wide))
        printf("%" PRId64, wide);
    else if (kind == 't')
        printf("%.*s", value.size, value.data);
    else
        printf(kind == 'd' ? "time" : "malformed");
}

static void
show_array(char kind, struct wire_value value)
{
    struct wire_array array;
    struct wire_value element;

    if (!wire_get_array(value, &array)) {
        printf(" malformed array");
        return;
    }
    printf(" {");
    while (wire_next(&array, &element))
        show_value(kind, element);
    printf(" }");
}

static void
show_row(const struct replay *replay, const struct pg_rows *answer)
{
    const char *kinds = columns[replay->input.type];
    bool text = replay->rules.protocol == SESSION_SIMPLE;

    for (int i = 0; kinds[i]; i++) {
        struct wire_value value = {.data = pg_value(answer, 0, i),
                                   .size =
                                       pg_is_null(answer, 0, i) ? -1 : pg_value_size(answer, 0, i),
                                   .text = text};
        if (strchr("TIND", kinds[i]))
            show_array((char)(kinds[i] | 0x20), value);
        else
            show_value(kinds[i], value);
    }
}

static void
show(const struct replay *replay, const struct session_result *result)
{
    const struct pg_rows *answer = pg_answer(replay->session.pg);
    char detail[200];

    printf("%s %s", txn_names[replay->input.type], outcome_names[result->outcome]);
    if (result->outcome == OUTCOME_COMMITTED)
        show_row(replay, answer);
    else if (result->outcome == OUTCOME_ROLLED_BACK)
        pg_rows_detail(answer, detail, sizeof detail), printf(" %s", detail);
    else
        printf(" %s %s", result->sqlstate, result->message);
    putchar('\n');
}

/* --- the session ------------------------------------------------------------------------------ */

static void
next(struct replay *replay)
{
    if (replay->left-- == 0) {
        session_close(&replay->session);
        replay->ended = true;
        return;
    }
    enter(replay);
    session_run(&replay->session, &replay->input);
}

static void
on_ready(struct session *session)
{
    next(session->owner);
}

static void
on_retry(struct session *session, const char *sqlstate, const char *message)
{
    (void)session;
    printf("retry %s %s\n", sqlstate, message);
}

static void
on_ended(struct session *session, const struct session_result *result)
{
    struct replay *replay = session->owner;

    show(replay, result);
    if (session->state == SESSION_IDLE)
        next(replay);
}

static void
on_broken(struct session *session, const struct err *err)
{
    struct replay *replay = session->owner;

    replay->err = *err;
    replay->ended = true;
}

static const struct session_events events = {.ready = on_ready,
                                             .retry = on_retry,
                                             .ended = on_ended,
                                             .lost = on_broken,
                                             .broken = on_broken};

static void
begin(struct replay *replay, uint64_t seed)
{
    struct rng back_off;

    memcpy(replay->rules_of_terminal.mix, (const int[TXN_TYPES]){40, 30, 10, 10, 10},
           sizeof replay->rules_of_terminal.mix);
    replay->rules_of_terminal.warehouses = WAREHOUSES_SMALL;
    replay->rules_of_terminal.home = HOME_ANY;
    terminal_init(&replay->terminal, &replay->rules_of_terminal, seed, 0);
    rng_seed(&back_off, seed, RNG_SCHEDULE, 0);
    session_init(&replay->session, &replay->rules, &events, replay, replay->loop, back_off);
    session_connect(&replay->session);
    while (!replay->ended)
        loop_turn(replay->loop);
}

int
main(int count, char **arguments)
{
    struct replay replay = {0};
    struct settings settings;
    struct arena arena = {0};
    struct driver_options options = {.settings = &settings};

    if (count != 6) {
        fputs("usage: replay SCHEMA CALL PROTOCOL SEED COUNT\n", stderr);
        return ERR_USAGE;
    }
    settings_init(&settings);
    options.schema = arguments[1];
    options.call = arguments[2];
    options.protocol = arguments[3];
    replay.left = strtol(arguments[5], NULL, 10);
    struct pg_target *target = pg_target_new(&settings, &replay.err);
    replay.loop = loop_new(NULL, &replay.err);
    if (target && replay.loop) {
        session_rules_init(&replay.rules, &arena, target, &options);
        begin(&replay, strtoull(arguments[4], NULL, 10));
    }
    loop_free(replay.loop);
    pg_target_free(target);
    arena_free(&arena);
    settings_free(&settings);
    return replay.err.code == ERR_NONE ? ERR_NONE : log_error(&replay.err);
}
