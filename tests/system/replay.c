/* replay SCHEMA CALL PROTOCOL SEED COUNT (protocol "libpq": prepared, and through libpq): enters
 * COUNT transactions of one terminal, one after the other, through a session of the driver, and
 * prints how each ended and what the terminal would show, times left out. The inputs are a
 * terminal's, folded into the small population of Small.pm: two warehouses, ten customers in a
 * district, twenty items. So two ways to call that print the same gave the same, and what they left
 * behind can be compared. */
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

static struct wire_value
value_of(const struct replay *replay, const struct pg_rows *answer, int row, int column)
{
    return (struct wire_value){
        .data = pg_value(answer, row, column),
        .size = pg_is_null(answer, row, column) ? -1 : pg_value_size(answer, row, column),
        .text = replay->rules.calls.protocol == CALL_SIMPLE};
}

static void
show_column(char kind, struct wire_value value)
{
    if (strchr("TIND", kind))
        show_array((char)(kind | 0x20), value);
    else
        show_value(kind, value);
}

/* `kinds` of the columns from `first` on. */
static void
show_columns(const struct replay *replay, const struct pg_rows *answer, int first,
             const char *kinds)
{
    for (int i = 0; kinds[i]; i++)
        show_column(kinds[i], value_of(replay, answer, 0, first + i));
}

/* The answer of a function or procedure, whoever has read it. */
static void
show_answer(const struct replay *replay, const char *kinds)
{
    if (!replay->session.is_direct) {
        show_columns(replay, pg_answer(replay->session.pg), 0, kinds);
        return;
    }
    for (int i = 0; kinds[i]; i++)
        show_column(kinds[i], replay->session.direct.answer.reply.values[i]);
}

/* --- what plain statements show, put together as the functions do ------------------------------
 */

/* Where the lines of an order are: the answer and the row of each number. */
struct line_place {
    const struct pg_rows *answer;
    int row;
};

static void
show_line_column(const struct replay *replay, const struct line_place *places, int column,
                 char kind)
{
    printf(kind == 'b' ? " " : " {");
    for (int i = 0; i < replay->input.of.new_order.lines_count; i++) {
        struct wire_value value = value_of(replay, places[i].answer, places[i].row, column);
        if (kind == 'b')
            printf("%.*s", value.size, value.data);
        else
            show_value(kind, value);
    }
    printf(kind == 'b' ? "" : " }");
}

static void
show_total(const struct replay *replay, const struct pg_rows *head, const struct line_place *places)
{
    int64_t discount = 0, w_tax = 0, d_tax = 0, amount = 0, sum = 0;
    bool ok = wire_get_numeric(value_of(replay, head, 0, 4), 4, &discount) &&
              wire_get_numeric(value_of(replay, head, 0, 5), 4, &w_tax) &&
              wire_get_numeric(value_of(replay, head, 0, 6), 4, &d_tax);

    for (int i = 0; i < replay->input.of.new_order.lines_count; i++) {
        ok = ok &&
             wire_get_numeric(value_of(replay, places[i].answer, places[i].row, 5), 2, &amount);
        sum += amount;
    }
    if (ok)
        printf(" %" PRId64, sum * (10000 - discount) * (10000 + w_tax + d_tax));
    else
        printf(" malformed total");
}

static void
show_order(const struct replay *replay)
{
    const struct pg *pg = replay->session.pg;
    struct line_place places[ORDER_LINES_MAX] = {{NULL, 0}};
    int number;

    for (int i = 2; i < pg_answers_count(pg) - 1; i++) {
        const struct pg_rows *answer = pg_answer_at(pg, i);
        for (int row = 0; row < pg_rows_count(answer); row++)
            if (wire_get_int(value_of(replay, answer, row, 0), &number))
                places[number - 1] = (struct line_place){answer, row};
    }
    show_columns(replay, pg_answer_at(pg, 1), 0, "idttnnn");
    show_total(replay, pg_answer_at(pg, 1), places);
    show_line_column(replay, places, 1, 't');
    show_line_column(replay, places, 2, 'i');
    show_line_column(replay, places, 3, 'b');
    show_line_column(replay, places, 4, 'n');
    show_line_column(replay, places, 5, 'n');
}

static void
show_payment(const struct replay *replay)
{
    const struct pg *pg = replay->session.pg;
    bool home = pg_columns_count(pg_answer_at(pg, 0)) == 0;
    int first = home ? 1 : 0; /* behind BEGIN */

    show_columns(replay, pg_answer_at(pg, first + 2), 0, "i");
    show_columns(replay, pg_answer_at(pg, first), 0, "ttttt");
    show_columns(replay, pg_answer_at(pg, first + 1), 0, "ttttt");
    show_columns(replay, pg_answer_at(pg, first + 2), 1, "tttttttttdtnnnt");
    show_columns(replay, pg_answer_at(pg, first + 2), 16, "d");
}

static void
show_delivery(const struct replay *replay)
{
    const struct pg *pg = replay->session.pg;
    int skipped = 0;

    printf(" {");
    for (int i = 1; i < pg_answers_count(pg) - 1; i++) {
        if (pg_rows_count(pg_answer_at(pg, i)) == 0)
            printf(" null"), skipped++;
        else
            show_columns(replay, pg_answer_at(pg, i), 0, "i");
    }
    printf(" } time %d", skipped);
}

static void
show_committed(const struct replay *replay)
{
    bool parts = replay->rules.calls.mode == CALL_STATEMENTS;

    if (parts && replay->input.type == TXN_NEW_ORDER)
        show_order(replay);
    else if (parts && replay->input.type == TXN_PAYMENT)
        show_payment(replay);
    else if (parts && replay->input.type == TXN_DELIVERY)
        show_delivery(replay);
    else
        show_answer(replay, columns[replay->input.type]);
}

static void
show(const struct replay *replay, const struct session_result *result)
{
    printf("%s %s", txn_names[replay->input.type], outcome_names[result->outcome]);
    if (result->outcome == OUTCOME_COMMITTED)
        show_committed(replay);
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
    bool through_libpq = strcmp(arguments[3], "libpq") == 0;
    options.protocol = through_libpq ? "prepared" : arguments[3];
    replay.left = strtol(arguments[5], NULL, 10);
    struct pg_target *target = pg_target_new(&settings, &replay.err);
    replay.loop = loop_new(NULL, &replay.err);
    if (target && replay.loop) {
        session_rules_init(&replay.rules, &arena, target, &options);
        replay.rules.libpq_alone = through_libpq;
        begin(&replay, strtoull(arguments[4], NULL, 10));
    }
    loop_free(replay.loop);
    pg_target_free(target);
    arena_free(&arena);
    settings_free(&settings);
    return replay.err.code == ERR_NONE ? ERR_NONE : log_error(&replay.err);
}
