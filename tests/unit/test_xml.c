/* Reading of XML that may be hostile, and what it says about mistakes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/embedded.h"
#include "common/buf.h"
#include "common/xml.h"

static struct arena arena;

static bool
read_text(const char *text, size_t size, struct xml_document *document, struct err *err)
{
    const char *xsd = embedded_text("profiles/profile.xsd");

    assert_non_null(xsd);
    return xml_read(&arena, "p.xml", text, size, xsd, document, err);
}

static void
assert_refused(const char *text, const char *message)
{
    struct xml_document document;
    struct err err = {0};

    assert_false(read_text(text, strlen(text), &document, &err));
    assert_string_equal(err.message, message);
    assert_int_equal(err.code, ERR_PROFILE);
    assert_int_equal(document.count, 0);
}

#define PROFILE(inside) "<profile name=\"p\" version=\"1\">\n" inside "\n</profile>\n"

static void
elements_in_order(void **state)
{
    struct xml_document document;
    struct err err = {0};
    const char *text = PROFILE("<!-- c --><title> a &amp; b\n</title>\n"
                               "<scale warehouses=\"2\" seed=\"7\"/>");

    (void)state;
    assert_true(read_text(text, strlen(text), &document, &err));
    assert_int_equal(document.count, 3);
    assert_string_equal(document.elements[0].name, "profile");
    assert_int_equal(document.elements[0].parent, -1);
    assert_string_equal(document.elements[1].text, "a & b");
    assert_int_equal(document.elements[1].line, 2);
    const struct xml_element *scale = &document.elements[2];
    assert_string_equal(scale->name, "scale");
    assert_int_equal(scale->line, 4);
    assert_int_equal(scale->depth, 1);
    assert_int_equal(scale->parent, 0);
    assert_int_equal(scale->attributes_count, 2);
    assert_string_equal(scale->attributes[1].name, "seed");
    assert_string_equal(scale->attributes[1].value, "7");
}

static void
doctype_is_refused(void **state)
{
    (void)state;
    assert_refused("<!DOCTYPE profile [<!ENTITY x SYSTEM \"file:///etc/hostname\">]>\n"
                   "<profile name=\"p\" version=\"1\"><title>&x;</title></profile>",
                   "p.xml:1: a DOCTYPE is not allowed here");
    assert_refused("<?xml version=\"1.0\"?>\n<!DOCTYPE profile SYSTEM \"http://127.0.0.1:1/x\">\n"
                   "<profile name=\"p\" version=\"1\"/>",
                   "p.xml:2: a DOCTYPE is not allowed here");
    assert_refused("<!DOCTYPE l [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">\n"
                   "<!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;\"><!ENTITY d \"&c;&c;&c;&c;&c;\">]>\n"
                   "<profile name=\"p\" version=\"1\"><title>&d;</title></profile>",
                   "p.xml:1: a DOCTYPE is not allowed here");
    assert_refused("<!DOCTYPE profile>\n<profile name=\"p\" version=\"1\"/>",
                   "p.xml:1: a DOCTYPE is not allowed here");
}

static void
other_encodings_are_refused(void **state)
{
    static const char ascii[] = "<profile name=\"p\" version=\"1\"/>";
    char utf16[2 * sizeof ascii] = "\xff\xfe";
    struct xml_document document;
    struct err err = {0};

    (void)state;
    for (size_t i = 0; i < sizeof ascii - 1; i++)
        utf16[2 + 2 * i] = ascii[i];
    assert_false(read_text(utf16, sizeof utf16, &document, &err));
    assert_string_equal(err.message, "p.xml:1: the file is not UTF-8 text");
    assert_refused("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<profile name=\"p\" "
                   "version=\"1\"><title>M\xfcller</title></profile>",
                   "p.xml:1: the file is not UTF-8 text");
    assert_refused("<profile name=\"p\" version=\"1\"><title>\xc0\xbc</title></profile>",
                   "p.xml:1: not well-formed XML: input is not proper UTF-8, indicate encoding ! "
                   "Bytes: 0xC0 0xBC 0x3C 0x2F");
}

static void
byte_order_mark_is_read(void **state)
{
    const char *text = "\xef\xbb\xbf<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                       "<profile name=\"p\" version=\"1\"><title>M\xc3\xbcller</title></profile>";
    struct xml_document document;
    struct err err = {0};

    (void)state;
    assert_true(read_text(text, strlen(text), &document, &err));
    assert_string_equal(document.elements[1].text, "M\xc3\xbcller");
}

/* In UTF-7 this would hide a DOCTYPE; read as what it is, it is not well-formed. */
static void
declared_encoding_is_not_believed(void **state)
{
    const char *text = "<?xml version=\"1.0\" encoding=\"UTF-7\"?>\n"
                       "+ADwAIQ-DOCTYPE profile+AD4-<profile name=\"p\" version=\"1\"/>";
    struct xml_document document;
    struct err err = {0};

    (void)state;
    assert_false(read_text(text, strlen(text), &document, &err));
    assert_non_null(strstr(err.message, "not well-formed XML"));
}

/* The validator would load the file that is named here, with its entities expanded. */
static void
schema_location_is_refused(void **state)
{
    (void)state;
    assert_refused("<profile xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"\n"
                   " xsi:noNamespaceSchemaLocation=\"/etc/passwd\" name=\"p\" version=\"1\"/>",
                   "p.xml:2: namespaces are not allowed here");
    assert_refused(PROFILE("<scale xmlns=\"urn:x\"/>"), "p.xml:2: namespaces are not allowed here");
    assert_refused(PROFILE("<xi:include xmlns:xi=\"http://www.w3.org/2001/XInclude\"\n"
                           "href=\"/etc/passwd\"/>"),
                   "p.xml:3: namespaces are not allowed here");
}

static void
not_xml(void **state)
{
    char deep[4000] = "";

    (void)state;
    for (int i = 0; i < 400; i++)
        memcpy(deep + 3 * i, "<a>", 4);
    assert_refused("", "p.xml:1: the file is empty");
    assert_refused(" \n", "p.xml:2: not well-formed XML: start tag expected, '<' not found");
    assert_refused("virtual-users: 4\n",
                   "p.xml:1: not well-formed XML: start tag expected, '<' not found");
    assert_refused(
        "<profile name=\"p\"\nversion=\"1\"><title></profile>",
        "p.xml:2: not well-formed XML: opening and ending tag mismatch: title line 2 and "
        "profile");
    assert_refused("<profile name=\"p\" name=\"q\"/>",
                   "p.xml:1: not well-formed XML: attribute name redefined");
    assert_refused(PROFILE("<title>&secret;</title>"),
                   "p.xml:2: not well-formed XML: entity 'secret' not defined");
    assert_refused(deep, "p.xml:1: elements are nested too deeply");
}

static void
too_large(void **state)
{
    size_t size = ((size_t)1 << 20) + 1;
    char *text = malloc(size + 1);
    struct xml_document document;
    struct err err = {0};

    (void)state;
    memset(text, ' ', size);
    text[size] = '\0';
    assert_false(read_text(text, size, &document, &err));
    assert_string_equal(err.message,
                        "p.xml:1: the file has 1048577 bytes; at most 1048576 are read");
    free(text);
}

/* A message that goes on with all elements, which are more from time to time. */
static void
assert_refused_with(const char *text, const char *begin, const char *end)
{
    struct xml_document document;
    struct err err = {0};

    assert_false(read_text(text, strlen(text), &document, &err));
    assert_int_equal(strncmp(err.message, begin, strlen(begin)), 0);
    assert_string_equal(err.message + strlen(err.message) - strlen(end), end);
}

static void
wrong_structure(void **state)
{
    (void)state;
    assert_refused("<ramp name=\"p\"/>", "p.xml:1: the root element is <ramp>; expected <profile>");
    assert_refused("<scale warehouses=\"2\"/>",
                   "p.xml:1: the root element is <scale>; expected <profile>");
    /* All of them are named, the first and the last here stand for them. */
    assert_refused_with(PROFILE("<scael/>"),
                        "p.xml:2: unknown element <scael>; expected <title>, <connection>, ",
                        ", <timing>");
    struct buf many = {0};
    buf_puts(&many, "<profile name='p' version='1'><servers>");
    for (int n = 0; n < 17; n++)
        buf_printf(&many, "<server name='s%d'/>\n", n);
    buf_puts(&many, "</servers></profile>");
    assert_refused(buf_text(&many), "p.xml:17: there are more than 16 <server>");
    buf_free(&many);
    assert_refused(PROFILE("<scale/>\n<scale/>"), "p.xml:3: <scale> stands twice");
    assert_refused(
        PROFILE("<scale wharehouses=\"2\"/>"),
        "p.xml:2: unknown attribute \"wharehouses\" of <scale>; it has warehouses, jobs, seed, "
        "tablespace, index-tablespace, fillfactor, partitions, partition-by, foreign-keys, "
        "unlogged, maintenance-memory, index-workers");
    assert_refused(PROFILE("<connection password=\"x\"/>"),
                   "p.xml:2: unknown attribute \"password\" of <connection>; it has host, port, "
                   "username, dbname, schema");
    assert_refused(PROFILE("<title size=\"2\"/>"),
                   "p.xml:2: unknown attribute \"size\" of <title>; it has none");
    assert_refused(PROFILE("<scale>\n2</scale>"), "p.xml:2: <scale> takes no text");
    assert_refused(PROFILE("<scale><jobs/></scale>"), "p.xml:2: <scale> takes no element inside");
    assert_refused("<profile version=\"1\"/>", "p.xml:1: <profile> lacks the attribute \"name\"");
    assert_refused(PROFILE("hello"), "p.xml:1: <profile> takes no text");
}

static void
wrong_values(void **state)
{
    (void)state;
    assert_refused(PROFILE("<scale warehouses=\"10abc\"/>"),
                   "p.xml:2: warehouses: \"10abc\" is not a whole number from 1 to 100000");
    assert_refused(PROFILE("<scale warehouses=\"-1\"/>"),
                   "p.xml:2: warehouses: \"-1\" is not a whole number from 1 to 100000");
    assert_refused(PROFILE("<scale warehouses=\"0\"/>"),
                   "p.xml:2: warehouses: \"0\" is not a whole number from 1 to 100000");
    assert_refused(PROFILE("<scale warehouses=\"1e99\"/>"),
                   "p.xml:2: warehouses: \"1e99\" is not a whole number from 1 to 100000");
    assert_refused(PROFILE("<scale warehouses=\"\"/>"),
                   "p.xml:2: warehouses: \"\" is not a whole number from 1 to 100000");
    assert_refused(PROFILE("<scale seed=\"9223372036854775808\"/>"),
                   "p.xml:2: seed: \"9223372036854775808\" is not a whole number from 0 to "
                   "9223372036854775807");
    assert_refused(
        PROFILE("<ladder virtual-users=\"1 NaN\"/>"),
        "p.xml:2: virtual-users: \"1 NaN\" is not a list of 1 to 64 whole numbers from 1 "
        "to 1000000, or of ranges such as 1..8, 8..64/8, 1..256 x2");
    assert_refused(PROFILE("<ladder virtual-users=\"\"/>"),
                   "p.xml:2: virtual-users: \"\" is not a list of 1 to 64 whole numbers from 1 to "
                   "1000000, or of ranges such as 1..8, 8..64/8, 1..256 x2");
    assert_refused(PROFILE("<timing measure=\"20\"/>"),
                   "p.xml:2: measure: \"20\" is not a duration such as 90s, 5m or 1h");
    assert_refused(PROFILE("<ladder order=\"up'down\"/>"),
                   "p.xml:2: order: \"up'down\" is none of ascending, random, interleaved");
    assert_refused("<profile name=\"../x\" version=\"1\"/>",
                   "p.xml:1: name: \"../x\" is not 1 to 64 letters, digits, \"_\", \"-\" or \".\", "
                   "beginning with a letter or digit");
    assert_refused("<profile name=\"p\" version=\"2\"/>", "p.xml:1: version: \"2\" is none of 1");
}

static void
long_values_are_cut(void **state)
{
    char text[2000], long_value[1001];
    struct xml_document document;
    struct err err = {0};

    (void)state;
    memset(long_value, 'x', 1000);
    long_value[1000] = '\0';
    snprintf(text, sizeof text, PROFILE("<scale jobs=\"%s\"/>"), long_value);
    assert_false(read_text(text, strlen(text), &document, &err));
    assert_non_null(strstr(err.message, "xxx...\" is not a whole number from 1 to 256"));
    assert_true(strlen(err.message) < 200);
}

static int
free_arena(void **state)
{
    (void)state;
    arena_free(&arena);
    return 0;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_in_order),
        cmocka_unit_test(doctype_is_refused),
        cmocka_unit_test(other_encodings_are_refused),
        cmocka_unit_test(byte_order_mark_is_read),
        cmocka_unit_test(declared_encoding_is_not_believed),
        cmocka_unit_test(schema_location_is_refused),
        cmocka_unit_test(not_xml),
        cmocka_unit_test(too_large),
        cmocka_unit_test(wrong_structure),
        cmocka_unit_test(wrong_values),
        cmocka_unit_test(long_values_are_cut),
    };
    return cmocka_run_group_tests_name("xml", tests, NULL, free_arena);
}
