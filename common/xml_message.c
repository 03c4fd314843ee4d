/* Recognises the few sentences of libxml2's validator that a hand-written file can provoke. An
 * unknown sentence is passed on without its prefix, so that a new wording costs only polish. */
#include "common/xml_message.h"

#include <ctype.h>
#include <string.h>

#define VALUE_LIMIT    80
#define SENTENCE_LIMIT 300

/* Copies what stands between `before` and the next apostrophe. */
static void
quoted_after(const char *sentence, const char *before, char *name, size_t size)
{
    const char *begin = strstr(sentence, before);

    name[0] = '\0';
    if (!begin)
        return;
    begin += strlen(before);
    size_t length = strcspn(begin, "'");
    if (length >= size)
        length = size - 1;
    memcpy(name, begin, length);
    name[length] = '\0';
}

void
xml_message_subject(const char *sentence, struct xml_subject *subject)
{
    char prefix[160] = "";
    const char *end = strstr(sentence, ": ");

    *subject =
        (struct xml_subject){.expected_value = "", .known_attributes = "", .known_elements = ""};
    if (!end || strncmp(sentence, "Element '", strlen("Element '")) != 0)
        return;
    size_t length = (size_t)(end - sentence);
    memcpy(prefix, sentence, length < sizeof prefix ? length : sizeof prefix - 1);
    quoted_after(prefix, "Element '", subject->element, sizeof subject->element);
    quoted_after(prefix, ", attribute '", subject->attribute, sizeof subject->attribute);
}

void
xml_message_value(struct buf *out, const char *text, size_t limit)
{
    size_t length = strlen(text);
    bool cut = length > limit;

    if (cut) {
        length = limit;
        while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
            length--;
    }
    for (size_t i = 0; i < length; i++)
        buf_putc(out, iscntrl((unsigned char)text[i]) ? ' ' : text[i]);
    if (cut)
        buf_puts(out, "...");
}

/* "Element 'a', attribute 'b': [facet 'c'] The rest." without its prefixes. */
static const char *
without_prefix(const char *sentence)
{
    const char *rest = sentence;

    if (strncmp(rest, "Element '", strlen("Element '")) == 0) {
        const char *colon = strstr(rest, ": ");
        rest = colon ? colon + 2 : rest;
    }
    if (strncmp(rest, "[facet '", strlen("[facet '")) == 0) {
        const char *bracket = strstr(rest, "] ");
        rest = bracket ? bracket + 2 : rest;
    }
    return rest;
}

/* The sentence with a small first letter and without newline and full stop at its end. */
static void
plain_sentence(struct buf *out, const char *sentence)
{
    struct buf text = {0};

    buf_puts(&text, sentence);
    while (text.length > 0 && strchr(" \n.", text.data[text.length - 1]))
        text.data[--text.length] = '\0';
    if (text.length > 1 && islower((unsigned char)text.data[1]))
        text.data[0] = (char)tolower((unsigned char)text.data[0]);
    xml_message_value(out, buf_text(&text), SENTENCE_LIMIT);
    buf_free(&text);
}

/* "Expected is one of ( a, b )." or "Expected is ( a )." of the sentence as "<a>, <b>". */
static bool
expected_elements(struct buf *out, const char *sentence)
{
    const char *p = strstr(sentence, "Expected is");

    p = p ? strchr(p, '(') : NULL;
    if (!p)
        return false;
    p++;
    for (const char *separator = ""; *(p += strspn(p, " ,")) && *p != ')'; separator = ", ") {
        size_t length = strcspn(p, " ,)");
        buf_printf(out, "%s<%.*s>", separator, (int)length, p);
        p += length;
    }
    return true;
}

/* The value at fault: the first text in apostrophes that is not the name of a type. */
static void
value_at_fault(const char *rest, struct buf *value)
{
    const char *begin = strchr(rest, '\'');
    /* The value itself may hold apostrophes: its end is known by the words that follow it. */
    static const char *const followers[] = {"' is not", "' is less", "' is greater",
                                            "' has a length", "' exceeds"};

    if (!begin)
        return;
    begin++;
    const char *end = NULL;
    for (size_t i = 0; i < sizeof followers / sizeof *followers; i++) {
        const char *found = strstr(begin, followers[i]);
        if (found && (!end || found < end))
            end = found;
    }
    if (!end)
        end = begin + strcspn(begin, "'");
    buf_append(value, begin, (size_t)(end - begin));
}

/* The members of "{'a', 'b'}" as "a, b". */
static void
choices(struct buf *out, const char *rest)
{
    const char *p = strchr(rest, '{');

    for (; p && *p && *p != '}' && *p != '\n'; p++) {
        if (*p != '{' && *p != '\'')
            buf_putc(out, *p);
    }
}

static void
invalid_value(struct buf *out, const char *rest, const struct xml_subject *subject)
{
    struct buf value = {0};

    value_at_fault(rest, &value);
    buf_printf(out, "%s: \"", subject->attribute[0] ? subject->attribute : subject->element);
    xml_message_value(out, buf_text(&value), VALUE_LIMIT);
    buf_free(&value);
    if (strstr(rest, "is not an element of the set")) {
        buf_puts(out, "\" is none of ");
        choices(out, strstr(rest, "is not an element of the set"));
    } else if (subject->expected_value[0]) {
        buf_printf(out, "\" is not %s", subject->expected_value);
    } else {
        buf_puts(out, "\" is not valid here");
    }
}

static void
unexpected_element(struct buf *out, const char *rest, const struct xml_subject *subject)
{
    if (subject->before == 1)
        buf_printf(out, "<%s> stands twice", subject->element);
    else if (subject->before > 1)
        buf_printf(out, "there are more than %d <%s>", subject->before, subject->element);
    if (subject->before > 0)
        return;
    buf_printf(out, "unknown element <%s>", subject->element);
    if (subject->known_elements[0]) {
        buf_printf(out, "; expected %s", subject->known_elements);
        return;
    }
    struct buf expected = {0};
    if (expected_elements(&expected, rest))
        buf_printf(out, "; expected %s", buf_text(&expected));
    buf_free(&expected);
}

static void
unknown_attribute(struct buf *out, const struct xml_subject *subject)
{
    buf_printf(out, "unknown attribute \"%s\" of <%s>", subject->attribute, subject->element);
    if (subject->known_attributes[0])
        buf_printf(out, "; it has %s", subject->known_attributes);
    else
        buf_puts(out, "; it has none");
}

static bool
is_value_error(const char *sentence, const char *rest)
{
    return strstr(sentence, "[facet '") || strstr(rest, "is not a valid value of");
}

void
xml_message_invalid(struct buf *out, const char *sentence, const struct xml_subject *subject)
{
    const char *rest = without_prefix(sentence);

    if (strstr(rest, "This element is not expected")) {
        unexpected_element(out, rest, subject);
    } else if (strstr(rest, "No matching global declaration")) {
        buf_printf(out, "the root element is <%s>; expected %s", subject->element,
                   subject->known_elements);
    } else if (subject->attribute[0] && strstr(rest, "is not allowed")) {
        unknown_attribute(out, subject);
    } else if (strstr(rest, "is required but missing")) {
        char missing[64];
        quoted_after(rest, "The attribute '", missing, sizeof missing);
        buf_printf(out, "<%s> lacks the attribute \"%s\"", subject->element, missing);
    } else if (strstr(rest, "Missing child element")) {
        buf_printf(out, "<%s> lacks ", subject->element);
        if (!expected_elements(out, rest))
            buf_puts(out, "an element");
    } else if (strstr(rest, "haracter content")) {
        buf_printf(out, "<%s> takes no text", subject->element);
    } else if (strstr(rest, "Element content is not allowed")) {
        buf_printf(out, "<%s> takes no element inside", subject->element);
    } else if (is_value_error(sentence, rest)) {
        invalid_value(out, rest, subject);
    } else {
        if (subject->element[0])
            buf_printf(out, "<%s>: ", subject->element);
        plain_sentence(out, rest);
    }
}

void
xml_message_malformed(struct buf *out, const char *sentence)
{
    if (strstr(sentence, "Document is empty"))
        buf_puts(out, "not XML: no element found");
    else if (strstr(sentence, "Excessive depth"))
        buf_puts(out, "elements are nested too deeply");
    else {
        buf_puts(out, "not well-formed XML: ");
        plain_sentence(out, sentence);
    }
}
