/* The only file that includes libxml2. Owns the reading of untrusted XML: what is refused before
 * validation, and where messages get their line. The wording lies in xml_message.c; what the
 * elements mean, with the callers.
 *
 * libxml2 is safe only by what is not asked of it: no option but NONET is set, so entities stay
 * unexpanded, DTDs unread and its own limits on depth and size in force. Two doors remain and are
 * shut here: a DOCTYPE stops the parser at once, and namespaces are refused because the validator
 * loads, with entities expanded, whatever file an xsi:schemaLocation names. */
#include "common/xml.h"

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <libxml/xmlschemas.h>
#include <stdlib.h>
#include <string.h>

#include "common/xml_message.h"

#define SIZE_LIMIT  ((size_t)1 << 20)
#define DEPTH_LIMIT 32

#if LIBXML_VERSION >= 21200
typedef const xmlError *error_pointer;
#else
typedef xmlErrorPtr error_pointer;
#endif

/* One call of xml_read. */
struct reading {
    const char *path;
    struct err *err;
    bool failed; /* err is set; what follows is only a consequence */
    xmlDocPtr schema_text;
};

static void
fail(struct reading *reading, int line, const char *message)
{
    if (reading->failed)
        return;
    reading->failed = true;
    err_set(reading->err, ERR_PROFILE, "%s:%d: %s", reading->path, line > 0 ? line : 1, message);
}

static const char *
text_of(const xmlChar *text)
{
    return text ? (const char *)text : "";
}

static bool
is_named(const xmlNode *node, const char *name)
{
    return node->type == XML_ELEMENT_NODE && strcmp(text_of(node->name), name) == 0;
}

/* --- parsing ---------------------------------------------------------------------------------- */

static void
on_parse_error(void *data, error_pointer error)
{
    const xmlParserCtxt *parser = data;
    struct reading *reading = parser->_private;
    struct buf message = {0};

    if (error->level == XML_ERR_WARNING)
        return;
    xml_message_malformed(&message, error->message ? error->message : "unknown error");
    fail(reading, error->line, buf_text(&message));
    buf_free(&message);
}

static void
on_doctype(void *data, const xmlChar *name, const xmlChar *external, const xmlChar *system)
{
    xmlParserCtxtPtr parser = data;

    (void)name;
    (void)external;
    (void)system;
    fail(parser->_private, xmlSAX2GetLineNumber(parser), "a DOCTYPE is not allowed here");
    xmlStopParser(parser);
}

static xmlParserInputPtr
load_nothing(const char *url, const char *id, xmlParserCtxtPtr parser)
{
    (void)url;
    (void)id;
    (void)parser;
    return NULL;
}

static xmlDocPtr
parse(struct reading *reading, const char *text, size_t size)
{
    xmlParserCtxtPtr parser = xmlNewParserCtxt();

    must(parser);
    parser->_private = reading;
    parser->sax->serror = on_parse_error;
    parser->sax->internalSubset = on_doctype;
    xmlDocPtr document = xmlCtxtReadMemory(parser, text, (int)size, NULL, "UTF-8", XML_PARSE_NONET);
    if (!document || !parser->wellFormed)
        fail(reading, 1, "not well-formed XML");
    xmlFreeParserCtxt(parser);
    if (reading->failed) {
        xmlFreeDoc(document);
        document = NULL;
    }
    return document;
}

/* --- what is refused before validation -------------------------------------------------------- */

static bool
acceptable(struct reading *reading, xmlNodePtr node, int depth)
{
    if (depth > DEPTH_LIMIT)
        fail(reading, (int)xmlGetLineNo(node), "elements are nested too deeply");
    for (; node && !reading->failed; node = node->next) {
        if (node->type != XML_ELEMENT_NODE)
            continue;
        bool has_namespace = node->ns || node->nsDef;
        for (const xmlAttr *attribute = node->properties; attribute; attribute = attribute->next)
            has_namespace |= attribute->ns != NULL;
        if (has_namespace)
            fail(reading, (int)xmlGetLineNo(node), "namespaces are not allowed here");
        else if (!acceptable(reading, node->children, depth + 1))
            return false;
    }
    return !reading->failed;
}

/* --- what the schema expects, for messages ---------------------------------------------------- */

/* The declaration <xs:KIND name="NAME"> anywhere below, or NULL. The schema is ours and shallow. */
static xmlNodePtr
declaration(xmlNodePtr below, const char *kind, const char *name)
{
    for (xmlNodePtr node = below->children; node; node = node->next) {
        if (node->type != XML_ELEMENT_NODE)
            continue;
        xmlChar *own = xmlGetProp(node, BAD_CAST "name");
        bool found = is_named(node, kind) && strcmp(text_of(own), name) == 0;
        xmlFree(own);
        xmlNodePtr inner = found ? node : declaration(node, kind, name);
        if (inner)
            return inner;
    }
    return NULL;
}

/* The declaration of an attribute of this element, not of one inside it. */
static xmlNodePtr
own_attribute(xmlNodePtr element, const char *name)
{
    xmlNodePtr found = NULL;

    for (xmlNodePtr node = element->children; node && !found; node = node->next) {
        if (node->type != XML_ELEMENT_NODE || is_named(node, "element"))
            continue;
        xmlChar *own = xmlGetProp(node, BAD_CAST "name");
        bool same = is_named(node, "attribute") && strcmp(text_of(own), name) == 0;
        xmlFree(own);
        found = same ? node : own_attribute(node, name);
    }
    return found;
}

/* Appends the names of the KIND declared in `node`, not those of elements inside it. */
static void
declared_names(struct buf *out, xmlNodePtr node, const char *kind, const char *format)
{
    for (xmlNodePtr child = node->children; child; child = child->next) {
        if (child->type != XML_ELEMENT_NODE)
            continue;
        if (is_named(child, kind)) {
            xmlChar *name = xmlGetProp(child, BAD_CAST "name");
            buf_puts(out, out->length ? ", " : "");
            buf_printf(out, strcmp(format, "<>") == 0 ? "<%s>" : "%s", text_of(name));
            xmlFree(name);
        } else if (!is_named(child, "element")) {
            declared_names(out, child, kind, format);
        }
    }
}

/* The documentation of the type of that attribute. */
static void
expected_value(struct buf *out, xmlNodePtr root, xmlNodePtr element, const char *attribute)
{
    xmlNodePtr declared = element ? own_attribute(element, attribute) : NULL;
    xmlChar *type = xmlGetProp(declared ? declared : element, BAD_CAST "type");
    xmlNodePtr type_node = type ? declaration(root, "simpleType", (const char *)type) : NULL;

    xmlFree(type);
    for (xmlNodePtr node = type_node ? type_node->children : NULL; node; node = node->next) {
        if (is_named(node, "annotation")) {
            xmlChar *text = xmlNodeGetContent(node);
            buf_puts(out, text_of(text) + strspn(text_of(text), " \n"));
            xmlFree(text);
        }
    }
}

static int
count_before(const xmlNode *node)
{
    int count = 0;

    for (const xmlNode *other = node ? node->prev : NULL; other; other = other->prev)
        count += is_named(other, text_of(node->name));
    return count;
}

static void
on_invalid(void *data, error_pointer error)
{
    struct reading *reading = data;
    xmlNodePtr root = xmlDocGetRootElement(reading->schema_text);
    const xmlNode *node = error->node;
    struct buf message = {0}, value = {0}, attributes = {0}, elements = {0};
    struct xml_subject subject;

    if (reading->failed || error->level == XML_ERR_WARNING)
        return;
    const char *sentence = error->message ? error->message : "unknown error";
    xml_message_subject(sentence, &subject);
    xmlNodePtr element = declaration(root, "element", subject.element);
    if (element) {
        expected_value(&value, root, element, subject.attribute);
        declared_names(&attributes, element, "attribute", "");
    }
    bool is_root = !node || !node->parent || node->parent->type != XML_ELEMENT_NODE;
    xmlNodePtr parent = is_root ? root : declaration(root, "element", text_of(node->parent->name));
    if (parent)
        declared_names(&elements, parent, "element", "<>");
    subject.expected_value = buf_text(&value);
    subject.known_attributes = buf_text(&attributes);
    subject.known_elements = buf_text(&elements);
    subject.before = count_before(node);
    xml_message_invalid(&message, sentence, &subject);
    fail(reading, error->line, buf_text(&message));
    buf_free(&message);
    buf_free(&value);
    buf_free(&attributes);
    buf_free(&elements);
}

static void
validate(struct reading *reading, xmlDocPtr document, const char *xsd)
{
    int xsd_size = (int)strlen(xsd);
    reading->schema_text = xmlReadMemory(xsd, xsd_size, NULL, NULL, XML_PARSE_NONET);
    xmlSchemaParserCtxtPtr parser = xmlSchemaNewMemParserCtxt(xsd, xsd_size);
    xmlSchemaPtr schema = parser ? xmlSchemaParse(parser) : NULL;
    xmlSchemaValidCtxtPtr validator = schema ? xmlSchemaNewValidCtxt(schema) : NULL;

    must(reading->schema_text && validator); /* the schema is our own */
    xmlSchemaSetValidStructuredErrors(validator, on_invalid, reading);
    if (xmlSchemaValidateDoc(validator, document) != 0)
        fail(reading, 1, "does not follow the profile language");
    xmlSchemaFreeValidCtxt(validator);
    xmlSchemaFree(schema);
    xmlSchemaFreeParserCtxt(parser);
    xmlFreeDoc(reading->schema_text);
}

/* --- the result ------------------------------------------------------------------------------- */

static int
count_elements(const xmlNode *node)
{
    int count = 0;

    for (; node; node = node->next) {
        if (node->type == XML_ELEMENT_NODE)
            count += 1 + count_elements(node->children);
    }
    return count;
}

static char *
trimmed(struct arena *arena, const struct buf *text)
{
    const char *begin = buf_text(text) + strspn(buf_text(text), " \t\r\n");
    size_t length = strlen(begin);

    while (length > 0 && strchr(" \t\r\n", begin[length - 1]))
        length--;
    return arena_printf(arena, "%.*s", (int)length, begin);
}

static void
copy_attributes(struct arena *arena, const xmlNode *node, struct xml_element *element)
{
    int count = 0;

    for (const xmlAttr *attribute = node->properties; attribute; attribute = attribute->next)
        count++;
    element->attributes = arena_array(arena, (size_t)count, sizeof *element->attributes);
    for (const xmlAttr *attribute = node->properties; attribute; attribute = attribute->next) {
        xmlChar *value = xmlNodeListGetString(node->doc, attribute->children, 1);
        element->attributes[element->attributes_count++] =
            (struct xml_attribute){.name = arena_strdup(arena, text_of(attribute->name)),
                                   .value = arena_strdup(arena, text_of(value))};
        xmlFree(value);
    }
}

static void
copy_elements(struct arena *arena, struct xml_document *to, const xmlNode *node, int parent,
              int depth)
{
    for (; node; node = node->next) {
        if (node->type != XML_ELEMENT_NODE)
            continue;
        int index = to->count++;
        struct xml_element *element = &to->elements[index];
        struct buf text = {0};

        for (const xmlNode *child = node->children; child; child = child->next) {
            if (child->type == XML_TEXT_NODE || child->type == XML_CDATA_SECTION_NODE)
                buf_puts(&text, text_of(child->content));
        }
        *element = (struct xml_element){.name = arena_strdup(arena, text_of(node->name)),
                                        .text = trimmed(arena, &text),
                                        .line = (int)xmlGetLineNo(node),
                                        .depth = depth,
                                        .parent = parent};
        buf_free(&text);
        copy_attributes(arena, node, element);
        copy_elements(arena, to, node->children, index, depth + 1);
    }
}

/* No other encoding is read: whoever shows the file later takes it for UTF-8 as well. */
static bool
is_utf8(const char *text, size_t size)
{
    char *copy = must_malloc(size + 1);

    memcpy(copy, text, size);
    copy[size] = '\0';
    bool ok = !memchr(text, '\0', size) && xmlCheckUTF8((const unsigned char *)copy);
    free(copy);
    return ok;
}

bool
xml_read(struct arena *arena, const char *path, const char *text, size_t size, const char *xsd,
         struct xml_document *document, struct err *err)
{
    struct reading reading = {.path = path, .err = err};

    *document = (struct xml_document){0};
    if (size == 0)
        return err_set(err, ERR_PROFILE, "%s:1: the file is empty", path);
    if (size > SIZE_LIMIT)
        return err_set(err, ERR_PROFILE, "%s:1: the file has %zu bytes; at most %zu are read", path,
                       size, SIZE_LIMIT);
    if (!is_utf8(text, size))
        return err_set(err, ERR_PROFILE, "%s:1: the file is not UTF-8 text", path);
    xmlSetExternalEntityLoader(load_nothing);
    xmlDocPtr parsed = parse(&reading, text, size);
    if (!parsed)
        return false;
    xmlNodePtr root = xmlDocGetRootElement(parsed);
    if (acceptable(&reading, root, 0))
        validate(&reading, parsed, xsd);
    if (!reading.failed) {
        document->elements =
            arena_array(arena, (size_t)count_elements(root), sizeof(struct xml_element));
        copy_elements(arena, document, root, -1, 0);
    }
    xmlFreeDoc(parsed);
    return !reading.failed;
}
