/* Owns the syntax of JSON output. A document that would be malformed (a key in an array, a missing
 * end) is an error of ours. Reads no JSON. */
#include "common/json.h"

#include <math.h>
#include <string.h>

void
json_begin(struct json *json, struct buf *out)
{
    *json = (struct json){.out = out};
    json->is_array[0] = true;
}

/* The length of the UTF-8 character at p, 0 when it is malformed (RFC 3629, section 4: no overlong
 * forms, no surrogates, nothing above U+10FFFF). A NUL ends every test. */
static size_t
utf8_length(const unsigned char *p)
{
    unsigned char low = 0x80, high = 0xBF;
    size_t length;

    if (p[0] < 0x80)
        return 1;
    if (p[0] < 0xC2 || p[0] > 0xF4)
        return 0;
    length = p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
    if (p[0] == 0xE0)
        low = 0xA0;
    else if (p[0] == 0xED)
        high = 0x9F;
    else if (p[0] == 0xF0)
        low = 0x90;
    else if (p[0] == 0xF4)
        high = 0x8F;
    if (p[1] < low || p[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++) {
        if ((p[i] & 0xC0) != 0x80)
            return 0;
    }
    return length;
}

static void
put_ascii(struct buf *out, unsigned char c)
{
    static const char plain[] = "\"\\\b\f\n\r\t";
    static const char letter[] = "\"\\bfnrt";
    const char *found = strchr(plain, c);

    if (found)
        buf_printf(out, "\\%c", letter[found - plain]);
    else if (c < 0x20 || c == 0x7F)
        buf_printf(out, "\\u%04x", c);
    else
        buf_putc(out, (char)c);
}

static void
put_string(struct buf *out, const char *text)
{
    const unsigned char *p = (const unsigned char *)text;

    buf_putc(out, '"');
    while (*p) {
        size_t length = utf8_length(p);
        if (length == 0) {
            buf_puts(out, "\xEF\xBF\xBD");
            p++;
        } else if (length == 1) {
            put_ascii(out, *p++);
        } else {
            buf_append(out, p, length);
            p += length;
        }
    }
    buf_putc(out, '"');
}

/* The comma before an item and the item's key. */
static void
item_begin(struct json *json, const char *key)
{
    must(json->is_array[json->depth] == !key);
    must(json->depth > 0 || !json->has_item[0]);
    if (json->has_item[json->depth])
        buf_puts(json->out, ", ");
    json->has_item[json->depth] = true;
    if (key) {
        put_string(json->out, key);
        buf_puts(json->out, ": ");
    }
}

static void
nest(struct json *json, const char *key, bool is_array)
{
    item_begin(json, key);
    must(json->depth < JSON_DEPTH_MAX);
    json->depth++;
    json->has_item[json->depth] = false;
    json->is_array[json->depth] = is_array;
    buf_putc(json->out, is_array ? '[' : '{');
}

static void
unnest(struct json *json, bool is_array)
{
    must(json->depth > 0 && json->is_array[json->depth] == is_array);
    json->depth--;
    buf_putc(json->out, is_array ? ']' : '}');
}

void
json_object(struct json *json, const char *key)
{
    nest(json, key, false);
}

void
json_object_end(struct json *json)
{
    unnest(json, false);
}

void
json_array(struct json *json, const char *key)
{
    nest(json, key, true);
}

void
json_array_end(struct json *json)
{
    unnest(json, true);
}

void
json_string(struct json *json, const char *key, const char *value)
{
    item_begin(json, key);
    if (value)
        put_string(json->out, value);
    else
        buf_puts(json->out, "null");
}

void
json_int(struct json *json, const char *key, int64_t value)
{
    item_begin(json, key);
    buf_printf(json->out, "%lld", (long long)value);
}

void
json_real(struct json *json, const char *key, double value, int decimals)
{
    item_begin(json, key);
    if (isfinite(value))
        buf_printf(json->out, "%.*f", decimals, value);
    else
        buf_puts(json->out, "null");
}

void
json_bool(struct json *json, const char *key, bool value)
{
    item_begin(json, key);
    buf_puts(json->out, value ? "true" : "false");
}

void
json_null(struct json *json, const char *key)
{
    json_string(json, key, NULL);
}

void
json_end(struct json *json)
{
    must(json->depth == 0 && json->has_item[0]);
    buf_putc(json->out, '\n');
}
