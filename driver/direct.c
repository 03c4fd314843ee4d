/* Owns the order of messages: which may come when, what each does to the answer, and where bytes
 * wait that are not a whole message yet. Does what libpq does with the same bytes: a test holds the
 * two against each other. */
#include "driver/direct.h"

#include <stdio.h>
#include <string.h>

#include "common/log.h"
#include "common/pg_text.h"

void
direct_begin(struct direct *direct)
{
    direct->asked = false;
    direct->request_size = direct->sent = 0;
    direct->row_at = NULL;
    direct->kept = direct->skipped = 0;
    direct->answer.state = ANSWER_NONE;
}

/* --- there ------------------------------------------------------------------------------------ */

void
direct_ask(struct direct *direct, const struct pg_call *call)
{
    must(!direct->asked && direct->sent == direct->request_size);
    direct->request_size = (size_t)(message_put_call(direct->request, call) - direct->request);
    must(direct->request_size <= sizeof direct->request);
    direct->sent = 0;
    direct->asked = true;
    direct->row_at = NULL;
    direct->answer.state = ANSWER_NONE;
    direct->answer.reply.rows = direct->answer.reply.columns = 0;
    direct->answer.too_long = false;
}

size_t
direct_unsent(const struct direct *direct, const char **from)
{
    *from = direct->request + direct->sent;
    return direct->request_size - direct->sent;
}

void
direct_was_sent(struct direct *direct, size_t size)
{
    must(size <= direct->request_size - direct->sent);
    direct->sent += size;
}

/* --- what messages mean ----------------------------------------------------------------------- */

static void
copy_text(const struct message *message, char letter, char *text, size_t size)
{
    pg_one_line(message_field(message, letter), text, size);
    err_scrub(text, size);
}

static void
fill_error(const struct direct *direct, struct err *err)
{
    const struct answer *answer = &direct->answer;

    (void)err_set(err, ERR_CONNECTION, "%s (SQLSTATE %s)", answer->message, answer->sqlstate);
    memcpy(err->sqlstate, answer->sqlstate, sizeof err->sqlstate);
    if (*direct->hint)
        err_hint(err, "%s", direct->hint);
}

static enum direct_state
lose(struct err *err, const char *why)
{
    (void)err_set(err, ERR_CONNECTION, "%s", why);
    return DIRECT_BROKEN;
}

static enum direct_state
on_error(struct direct *direct, const struct message *message, struct err *err)
{
    struct answer *answer = &direct->answer;

    answer->state = ANSWER_FAILED;
    snprintf(answer->sqlstate, sizeof answer->sqlstate, "%s", message_field(message, 'C'));
    copy_text(message, 'M', answer->message, sizeof answer->message);
    copy_text(message, 'D', answer->detail, sizeof answer->detail);
    copy_text(message, 'H', direct->hint, sizeof direct->hint);
    if (!pg_code_ends_session(answer->sqlstate))
        return DIRECT_WAITS;
    if (!*answer->message)
        return lose(err, "the server ended the session with an error that it did not name");
    fill_error(direct, err);
    return DIRECT_BROKEN;
}

static void
on_notice(const struct message *message)
{
    log_detail("server: %s: %s", message_field(message, 'S'), message_field(message, 'M'));
}

static void
on_row(struct direct *direct, const struct message *message, bool whole)
{
    if (direct->answer.reply.rows++ > 0)
        return;
    direct->row_at = message->body;
    direct->row_size = message->size;
    direct->answer.too_long = !whole;
}

static enum direct_state
on_ready(struct direct *direct, struct err *err)
{
    struct reply *reply = &direct->answer.reply;
    const char *row = direct->row_at;

    direct->asked = false;
    direct->row_at = NULL;
    if (direct->answer.state != ANSWER_OK || !row || direct->answer.too_long)
        return DIRECT_ANSWERED;
    if (!message_row(row, direct->row_size, reply->values, REPLY_COLUMNS_MAX, &reply->columns))
        return lose(err, "a row from the server does not have the size that it says");
    return DIRECT_ANSWERED;
}

/* Between calls the server may say something of itself, and what ends it. */
static enum direct_state
on_unasked(const struct message *message)
{
    if (message->type == MESSAGE_NOTICE || message->type == MESSAGE_ERROR)
        on_notice(message);
    return DIRECT_WAITS;
}

/* Complete, but an error may still follow: of the COMMIT. */
static enum direct_state
on_complete(struct direct *direct)
{
    if (direct->answer.state == ANSWER_NONE)
        direct->answer.state = ANSWER_OK;
    return DIRECT_WAITS;
}

/* `whole` false: of a message too long to be kept its beginning. */
static enum direct_state
on_message(struct direct *direct, const struct message *message, bool whole, struct err *err)
{
    if (!direct->asked)
        return on_unasked(message);
    switch (message->type) {
    case MESSAGE_ROW: on_row(direct, message, whole); return DIRECT_WAITS;
    case MESSAGE_COMPLETE:
    case MESSAGE_EMPTY: return on_complete(direct);
    case MESSAGE_READY: return on_ready(direct, err);
    case MESSAGE_ERROR: return on_error(direct, message, err);
    case MESSAGE_NOTICE: on_notice(message); return DIRECT_WAITS;
    case MESSAGE_PARSE_DONE:
    case MESSAGE_BIND_DONE:
    case MESSAGE_CLOSE_DONE:
    case MESSAGE_NOTIFICATION:
    case MESSAGE_PARAMETER:
    case MESSAGE_ROW_DESCRIPTION:
    case MESSAGE_NO_DATA: return DIRECT_WAITS;
    }
    return lose(err, "an answer from the server that no call asked for");
}

/* --- bytes become messages -------------------------------------------------------------------- */

static struct message
message_of(const char *bytes, size_t size)
{
    return (struct message){.type = (enum message_type)(unsigned char)bytes[0],
                            .body = bytes + MESSAGE_HEAD,
                            .size = size - MESSAGE_HEAD};
}

/* A row that lies in bytes which will not stay. */
static void
save_row(struct direct *direct)
{
    if (!direct->row_at || direct->row_at == direct->row)
        return;
    if (!direct->answer.too_long)
        memcpy(direct->row, direct->row_at, direct->row_size);
    direct->row_at = direct->row;
}

/* How many bytes the kept message must have before something can be done with it; 0: no message
 * begins like that. */
static size_t
wanted(const struct direct *direct)
{
    if (direct->kept < MESSAGE_HEAD)
        return MESSAGE_HEAD;
    size_t size = message_size(direct->keep);
    return size < sizeof direct->keep ? size : sizeof direct->keep;
}

/* Adds to the kept message; takes it when it is as whole as it will be. */
static enum direct_state
add_to_kept(struct direct *direct, const char **bytes, const char *end, struct err *err)
{
    size_t goal = wanted(direct), left = (size_t)(end - *bytes);
    size_t some = goal - direct->kept < left ? goal - direct->kept : left;

    memcpy(direct->keep + direct->kept, *bytes, some);
    direct->kept += some;
    *bytes += some;
    goal = wanted(direct);
    if (goal == 0)
        return lose(err, "lost synchronization with the server");
    if (direct->kept < goal)
        return DIRECT_WAITS;
    struct message message = message_of(direct->keep, direct->kept);
    direct->skipped = message_size(direct->keep) - direct->kept;
    direct->kept = 0;
    enum direct_state state = on_message(direct, &message, direct->skipped == 0, err);
    if (state == DIRECT_WAITS)
        save_row(direct);
    return state;
}

static void
skip(struct direct *direct, const char **bytes, const char *end)
{
    size_t left = (size_t)(end - *bytes);
    size_t some = direct->skipped < left ? direct->skipped : left;

    direct->skipped -= some;
    *bytes += some;
}

/* One message, or what there is of it. */
static enum direct_state
take_one(struct direct *direct, const char **bytes, const char *end, struct err *err)
{
    size_t left = (size_t)(end - *bytes), size = 0;

    if (left >= MESSAGE_HEAD) {
        size = message_size(*bytes);
        if (size == 0)
            return lose(err, "lost synchronization with the server");
    }
    if (size == 0 || size > left)
        return add_to_kept(direct, bytes, end, err);
    struct message message = message_of(*bytes, size);
    *bytes += size;
    return on_message(direct, &message, true, err);
}

enum direct_state
direct_take(struct direct *direct, const char *bytes, size_t size, struct err *err)
{
    const char *end = bytes + size;
    enum direct_state all = DIRECT_WAITS;

    while (bytes < end) {
        enum direct_state one = DIRECT_WAITS;
        if (direct->skipped > 0)
            skip(direct, &bytes, end);
        else if (direct->kept > 0)
            one = add_to_kept(direct, &bytes, end, err);
        else
            one = take_one(direct, &bytes, end, err);
        if (one == DIRECT_BROKEN)
            return one;
        all = one == DIRECT_ANSWERED ? one : all;
    }
    if (all == DIRECT_WAITS)
        save_row(direct);
    return all;
}

void
direct_last_word(const struct direct *direct, struct err *err)
{
    if (direct->asked && direct->answer.state == ANSWER_FAILED && *direct->answer.message)
        fill_error(direct, err);
}
