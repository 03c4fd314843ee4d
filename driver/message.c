/* Owns the layout of the messages. Numbers come with the high byte first. */
#include "driver/message.h"

#include <string.h>

/* Longer ones than this are sound only of types that carry data or texts, as libpq has it. */
#define SHORT_MAX  30000
#define LONG_TYPES "TDdVENA"

/* --- to the server ---------------------------------------------------------------------------- */

static char *
put_text(char *to, const char *text)
{
    size_t size = strlen(text) + 1;

    memcpy(to, text, size);
    return to + size;
}

/* A message begins; its length is known when it ends. */
static char *
begin(char *to, char type)
{
    *to = type;
    return to + MESSAGE_HEAD;
}

static char *
end(char *begun, char *to)
{
    (void)wire_put_int4(begun + 1, (int)(to - begun) - 1);
    return to;
}

static char *
put_values(char *to, const struct pg_call *call)
{
    to = wire_put_int2(to, call->count);
    for (int i = 0; i < call->count; i++) {
        if (!call->values[i]) {
            to = wire_put_int4(to, -1);
            continue;
        }
        to = wire_put_int4(to, call->sizes[i]);
        memcpy(to, call->values[i], (size_t)call->sizes[i]);
        to += call->sizes[i];
    }
    return to;
}

char *
message_put_call(char *to, const struct pg_call *call)
{
    enum { BINARY = 1, ALL_ROWS = 0 };
    char *begun = to;

    must(call->statement && strlen(call->statement) < 64);
    to = begin(begun, 'B');
    to = put_text(to, ""); /* the portal */
    to = put_text(to, call->statement);
    to = wire_put_int2(to, 1); /* one format for all values that go, and one for all that come */
    to = wire_put_int2(to, BINARY);
    to = put_values(to, call);
    to = wire_put_int2(to, 1);
    to = end(begun, wire_put_int2(to, BINARY));
    begun = to;
    to = put_text(begin(begun, 'E'), "");
    to = end(begun, wire_put_int4(to, ALL_ROWS));
    begun = to;
    return end(begun, begin(begun, 'S'));
}

/* --- from the server -------------------------------------------------------------------------- */

static uint32_t
get_4(const char *from)
{
    const unsigned char *at = (const unsigned char *)from;

    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static int
get_2(const char *from)
{
    return (unsigned char)from[0] << 8 | (unsigned char)from[1];
}

size_t
message_size(const char *head)
{
    uint32_t length = get_4(head + 1);

    if (length < 4 || length > INT32_MAX)
        return 0;
    if (length > SHORT_MAX && (!head[0] || !strchr(LONG_TYPES, head[0])))
        return 0;
    return (size_t)length + 1;
}

const char *
message_field(const struct message *message, char letter)
{
    const char *at = message->body, *last = message->body + message->size;

    while (at < last && *at) {
        const char *text = at + 1;
        const char *stop = memchr(text, '\0', (size_t)(last - text));
        if (!stop)
            break;
        if (*at == letter)
            return text;
        at = stop + 1;
    }
    return "";
}

bool
message_row(const char *body, size_t size, struct wire_value *values, int max, int *columns)
{
    const char *at = body + 2, *last = body + size;

    if (size < 2)
        return false;
    *columns = get_2(body);
    for (int i = 0; i < *columns; i++) {
        if (last - at < 4)
            return false;
        int length = (int)get_4(at);
        at += 4;
        if (length < -1 || last - at < length)
            return false;
        if (i < max)
            values[i] = (struct wire_value){.data = length < 0 ? "" : at, .size = length};
        at += length > 0 ? length : 0;
    }
    return at == last;
}
