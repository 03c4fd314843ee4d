/* Owns the three ways to call: which statements a run needs, what one transaction sends, and what
 * its answers make of it. */
#include "driver/call.h"

#include <stdio.h>
#include <string.h>

#include "common/sql.h"

/* A null where none may be: what an item that does not exist leaves in its order line. */
#define NOT_NULL_VIOLATION "23502"
#define UNUSED_ITEM_COLUMN "ol_amount"
/* A row that must exist is missing, as the procedures say it. */
#define ROW_MISSING "OM002"
#define NO_ANSWER   "no answer"
/* Until more is known. */
#define NOT_ENDED ((struct call_end){.outcome = OUTCOME_FAILED, .sqlstate = "", .message = ""})

_Static_assert(STATEMENTS_TRIP_MAX <= PG_TRIP_MAX, "a connection takes all statements of a trip");

/* --- rules ------------------------------------------------------------------------------------ */

static enum call_mode
mode_of(const char *choice)
{
    if (strcmp(choice, "statements") == 0)
        return CALL_STATEMENTS;
    return strcmp(choice, "procedures") == 0 ? CALL_PROCEDURES : CALL_FUNCTIONS;
}

static enum call_protocol
protocol_of(const char *choice)
{
    if (strcmp(choice, "simple") == 0)
        return CALL_SIMPLE;
    return strcmp(choice, "extended") == 0 ? CALL_EXTENDED : CALL_PREPARED;
}

void
call_rules_init(struct call_rules *rules, struct arena *arena, const struct driver_options *options)
{
    *rules = (struct call_rules){.mode = mode_of(options->call),
                                 .protocol = protocol_of(options->protocol)};
    rules->statements_count = rules->mode == CALL_STATEMENTS ? (int)STATEMENTS : (int)TXN_TYPES;
    for (int i = 0; i < rules->statements_count; i++) {
        struct txn_statement *statement = &rules->statements[i];
        if (rules->mode == CALL_STATEMENTS)
            *statement = statements_get(arena, (enum statement)i);
        else
            *statement = txn_statements[i];
        if (rules->mode == CALL_PROCEDURES)
            statement->sql = txn_call_sql(arena, (enum txn_type)i);
        statement->sql = sql_for_schema(arena, statement->sql, options->schema);
    }
}

/* --- sending ---------------------------------------------------------------------------------- */

static enum request_format
format_of(const struct call_rules *rules)
{
    switch (rules->protocol) {
    case CALL_PREPARED: return REQUEST_NAMED;
    case CALL_EXTENDED: return REQUEST_CARRIED;
    case CALL_SIMPLE: break;
    }
    return REQUEST_LITERALS;
}

void
call_begin(struct call *call, const struct call_rules *rules, const struct txn_input *input)
{
    call->rules = rules;
    call->input = input;
    call->cursor = (struct statements_cursor){0};
    call->rolls_back = false;
}

const struct pg_call *
call_encode(struct call *call)
{
    const struct call_rules *rules = call->rules;

    request_begin(&call->request, format_of(rules), &rules->statements[call->input->type]);
    txn_encode(&call->request, call->input);
    return &call->request.call;
}

static enum pg_state
send_procedure(struct call *call, struct pg *pg, struct err *err)
{
    const struct pg_call *encoded = call_encode(call);
    char sql[REQUEST_SQL_MAX];

    if (call->rules->protocol != CALL_SIMPLE)
        return pg_send_call(pg, encoded, err);
    request_write_sql(&call->request, sql);
    return pg_send_sql(pg, sql, err);
}

/* libpq takes each statement over at once, so that one request serves them all. */
static enum pg_state
send_trip(struct call *call, struct pg *pg, struct err *err)
{
    const struct txn_statement *statements = call->rules->statements;
    enum request_format format = format_of(call->rules);
    struct request *request = &call->request;

    pg_begin_trip(pg);
    if (call->rolls_back) {
        request_begin(request, format, &statements[STATEMENT_ROLLBACK]);
        if (!pg_put_call(pg, &request->call, err))
            return PG_FAILED;
        return pg_send_trip(pg, err);
    }
    while (statements_next(&call->cursor, call->input, statements, request, format) != STATEMENTS)
        if (!pg_put_call(pg, &request->call, err))
            return PG_FAILED;
    return pg_send_trip(pg, err);
}

enum pg_state
call_send(struct call *call, struct pg *pg, struct err *err)
{
    return call->rules->mode == CALL_STATEMENTS ? send_trip(call, pg, err)
                                                : send_procedure(call, pg, err);
}

bool
call_may_have_committed(const struct call *call)
{
    if (call->rules->mode != CALL_STATEMENTS)
        return true;
    return !call->rolls_back && statements_are_sent(&call->cursor, call->input);
}

/* --- how it ended ----------------------------------------------------------------------------- */

static void
fail(struct call *call, const char *sqlstate, const char *message)
{
    snprintf(call->sqlstate, sizeof call->sqlstate, "%s", sqlstate);
    if (message != call->message)
        snprintf(call->message, sizeof call->message, "%s", message);
    call->end.outcome = OUTCOME_FAILED;
    call->end.sqlstate = call->sqlstate;
    call->end.message = call->message;
}

/* The server's own words. 40003: it does not know whether it committed. */
static void
fail_with(struct call *call, const char *sqlstate, const char *message)
{
    fail(call, sqlstate, message);
    if (strcmp(call->sqlstate, "40003") == 0)
        call->end.outcome = OUTCOME_LOST;
}

static void
fail_with_rows(struct call *call, const struct pg_rows *answer)
{
    snprintf(call->message, sizeof call->message, "%s", NO_ANSWER);
    if (answer)
        pg_rows_message(answer, call->message, sizeof call->message);
    fail_with(call, answer ? pg_rows_sqlstate(answer) : "", call->message);
}

static void
end_committed(struct call *call, bool sound, const struct reply_facts *facts)
{
    call->end.committed = true;
    if (!sound) {
        fail(call, REPLY_WRONG, facts->problem);
        return;
    }
    call->end.outcome = OUTCOME_COMMITTED;
    call->end.districts_skipped = facts->districts_skipped;
    call->end.delivered = call->input->type == TXN_DELIVERY;
    if (call->end.delivered)
        memcpy(call->end.orders, facts->orders, sizeof call->end.orders);
}

/* What is still shown lies in call->message. */
static void
end_rolled_back(struct call *call, bool sound, const struct reply_facts *facts)
{
    if (!sound) {
        fail(call, REPLY_WRONG, facts->problem);
        return;
    }
    call->end.outcome = OUTCOME_ROLLED_BACK;
    call->end.message = call->message;
}

static bool
asks_for_rollback(const struct call *call)
{
    return call->input->type == TXN_NEW_ORDER && call->input->of.new_order.rolls_back;
}

static struct wire_value
value_of(const struct pg_rows *answer, int row, int column, bool text)
{
    return (struct wire_value){
        .data = pg_value(answer, row, column),
        .size = pg_is_null(answer, row, column) ? -1 : pg_value_size(answer, row, column),
        .text = text};
}

/* --- functions and procedures ----------------------------------------------------------------- */

static bool
check_answer(const struct call *call, const struct answer *answer, struct reply_facts *facts)
{
    if (answer->too_long)
        return reply_problem(facts, "an answer that is too long to be looked at");
    return reply_check(call->input, &answer->reply, facts);
}

static void
take_answer(struct call *call, const struct answer *answer)
{
    struct reply_facts facts;

    if (answer->state == ANSWER_OK) {
        bool sound = check_answer(call, answer, &facts);
        end_committed(call, sound, &facts);
    } else if (answer->state == ANSWER_FAILED && asks_for_rollback(call) &&
               strcmp(answer->sqlstate, REPLY_ROLLED_BACK) == 0) {
        snprintf(call->message, sizeof call->message, "%s", answer->detail);
        bool sound = reply_check_rollback(call->message, &facts);
        end_rolled_back(call, sound, &facts);
    } else if (answer->state == ANSWER_FAILED) {
        fail_with(call, answer->sqlstate, answer->message);
    } else {
        fail_with(call, "", NO_ANSWER);
    }
}

static void
fill_failed(struct answer *answer, const struct pg_rows *rows)
{
    answer->state = ANSWER_FAILED;
    snprintf(answer->sqlstate, sizeof answer->sqlstate, "%s", pg_rows_sqlstate(rows));
    pg_rows_message(rows, answer->message, sizeof answer->message);
    pg_rows_detail(rows, answer->detail, sizeof answer->detail);
}

/* What libpq has read. */
static void
take_rows(struct call *call, const struct pg_rows *rows)
{
    struct answer answer;
    bool text = call->rules->protocol == CALL_SIMPLE;

    answer.state = ANSWER_NONE;
    answer.too_long = false;
    if (rows && !pg_rows_ok(rows)) {
        fill_failed(&answer, rows);
    } else if (rows) {
        struct reply *reply = &answer.reply;
        answer.state = ANSWER_OK;
        reply->rows = pg_rows_count(rows);
        reply->columns = pg_columns_count(rows);
        for (int i = 0; reply->rows == 1 && i < reply->columns && i < REPLY_COLUMNS_MAX; i++)
            reply->values[i] = value_of(rows, 0, i, text);
    }
    take_answer(call, &answer);
}

/* --- plain statements ------------------------------------------------------------------------- */

/* Of what has columns: BEGIN and COMMIT have none. */
static void
add_part(struct reply_parts *parts, const struct pg_rows *answer)
{
    int rows = pg_rows_count(answer), columns = pg_columns_count(answer);
    struct wire_value *values = reply_parts_add(parts, rows, columns);

    for (int row = 0; values && row < rows; row++)
        for (int column = 0; column < columns; column++)
            *values++ = value_of(answer, row, column, false);
}

/* Collects the parts; returns the first answer that is an error, or NULL. */
static const struct pg_rows *
collect(const struct pg *pg, struct reply_parts *parts)
{
    parts->count = parts->used = 0;
    for (int i = 0; i < pg_answers_count(pg); i++) {
        const struct pg_rows *answer = pg_answer_at(pg, i);
        if (!pg_rows_ok(answer))
            return answer;
        if (pg_columns_count(answer) > 0)
            add_part(parts, answer);
    }
    return NULL;
}

/* Of a transaction that has BEGIN and COMMIT: the server's COMMIT may yet be a ROLLBACK. */
static bool
is_committed(const struct pg *pg)
{
    const struct pg_rows *last = pg_answer(pg);

    return last && (pg_columns_count(last) > 0 || strcmp(pg_rows_tag(last), "COMMIT") == 0);
}

static void
take_error(struct call *call, const struct pg_rows *error, const struct reply_parts *parts)
{
    struct reply_facts facts;

    if (asks_for_rollback(call) && strcmp(pg_rows_sqlstate(error), NOT_NULL_VIOLATION) == 0 &&
        strcmp(pg_rows_column(error), UNUSED_ITEM_COLUMN) == 0) {
        bool sound = reply_check_parts_rollback(parts, call->message, sizeof call->message, &facts);
        end_rolled_back(call, sound, &facts);
    } else {
        fail_with_rows(call, error);
    }
}

/* The first trip of a remote payment. */
static bool
take_customer(struct call *call, const struct reply_parts *parts)
{
    const struct customer_input *customer = &call->input->of.payment.customer;

    call->cursor.customer = reply_customer_found(parts);
    if (call->cursor.customer > 0)
        return true;
    snprintf(call->message, sizeof call->message, "no such customer in district %d of warehouse %d",
             customer->district, customer->warehouse);
    fail(call, ROW_MISSING, call->message);
    return false;
}

static bool
take_trip(struct call *call, struct pg *pg)
{
    struct reply_parts parts;
    struct reply_facts facts;

    if (call->rolls_back)
        return true;
    const struct pg_rows *error = collect(pg, &parts);
    if (error) {
        take_error(call, error, &parts);
    } else if (!statements_are_sent(&call->cursor, call->input)) {
        if (take_customer(call, &parts))
            return false;
    } else if (!is_committed(pg)) {
        fail_with_rows(call, NULL);
    } else {
        bool sound = reply_check_parts(call->input, &parts, &facts);
        end_committed(call, sound, &facts);
    }
    call->rolls_back = pg_in_transaction(pg);
    return !call->rolls_back;
}

bool
call_take(struct call *call, struct pg *pg)
{
    if (!call->rolls_back)
        call->end = NOT_ENDED;
    if (call->rules->mode == CALL_STATEMENTS)
        return take_trip(call, pg);
    take_rows(call, pg_answer(pg));
    return true;
}

void
call_take_answer(struct call *call, const struct answer *answer)
{
    call->end = NOT_ENDED;
    take_answer(call, answer);
}
