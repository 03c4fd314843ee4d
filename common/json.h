/* Writes one JSON document into a buf. Numbers are locale-independent; strings are escaped and
 * invalid UTF-8 replaced. Commas are placed by the writer. Depth at most JSON_DEPTH_MAX. */
#ifndef ORDERMILL_COMMON_JSON_H
#define ORDERMILL_COMMON_JSON_H

#include "common/buf.h"

#define JSON_DEPTH_MAX 32

struct json {
    struct buf *out;
    unsigned depth;
    bool has_item[JSON_DEPTH_MAX + 1];
    bool is_array[JSON_DEPTH_MAX + 1]; /* the level that holds the document counts as one */
};

void json_begin(struct json *json, struct buf *out);
void json_object(struct json *json, const char *key); /* key NULL inside an array or at the top */
void json_object_end(struct json *json);
void json_array(struct json *json, const char *key);
void json_array_end(struct json *json);
void json_string(struct json *json, const char *key, const char *value); /* NULL writes null */
void json_int(struct json *json, const char *key, int64_t value);
/* With the given number of decimals; a value that is not finite writes null. */
void json_real(struct json *json, const char *key, double value, int decimals);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);
void json_end(struct json *json); /* must be back at depth 0; adds a newline */

#endif
