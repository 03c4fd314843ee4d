/* Reading XML through libxml2, with its dangers switched off: any DOCTYPE is refused, no entity
 * is expanded, nothing is fetched; namespaces, files over 1 MiB and all but UTF-8 are refused (a
 * byte order mark is fine; what the file itself says of its encoding is not believed). Messages are
 * "FILE:LINE: what", code ERR_PROFILE. */
#ifndef ORDERMILL_COMMON_XML_H
#define ORDERMILL_COMMON_XML_H

#include "common/arena.h"

struct xml_attribute {
    const char *name, *value;
};
/* An element in document order; texts live in the arena given to xml_read. */
struct xml_element {
    const char *name;
    const char *text; /* its own text, trimmed; "" when none */
    int line, depth;  /* depth 0: the root */
    int parent;       /* index, -1 for the root */
    struct xml_attribute *attributes;
    int attributes_count;
};
struct xml_document {
    struct xml_element *elements;
    int count;
};

/* Parses `text` (from the file called `path`, which only names it in messages), validates it
 * against the schema text `xsd`, and returns its elements. Only the first error is reported. */
MUST_CHECK bool xml_read(struct arena *arena, const char *path, const char *text, size_t size,
                         const char *xsd, struct xml_document *document, struct err *err);

#endif
