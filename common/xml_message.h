/* Turns the sentences of an XML validator into ours: short, lower case, with the value at fault and
 * what was expected in its place. Knows the wording of libxml2, not its interface. Pure. */
#ifndef ORDERMILL_COMMON_XML_MESSAGE_H
#define ORDERMILL_COMMON_XML_MESSAGE_H

#include "common/buf.h"

/* What the validator's sentence is about, and what the schema says of it. */
struct xml_subject {
    char element[64], attribute[64]; /* "" where the sentence names none */
    const char *expected_value;      /* the documentation of the attribute's type, or "" */
    const char *known_attributes;    /* of the element, "a, b, c", or "" */
    const char *known_elements;      /* inside its parent, "<a>, <b>", or "" */
    int before; /* so many of the same element stand before it, under the same parent */
};

/* Reads element and attribute out of "Element 'a', attribute 'b': ..."; the rest becomes "". */
void xml_message_subject(const char *sentence, struct xml_subject *subject);

/* Appends our message for a validation error. */
void xml_message_invalid(struct buf *out, const char *sentence, const struct xml_subject *subject);
/* Appends our message for text that is not XML at all. */
void xml_message_malformed(struct buf *out, const char *sentence);

/* Appends text on one line, at most `limit` bytes of it, cut at a character, "..." where cut. */
void xml_message_value(struct buf *out, const char *text, size_t limit);

#endif
