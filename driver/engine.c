/* Owns the names of engines that claim to be PostgreSQL. */
#include "driver/engine.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const engine_feature_names[ENGINE_FEATURES] = {
    "PL/pgSQL with exceptions", "CALL of procedures", "statistics views", "advisory locks",
    "COPY in binary format"};
const char *const engine_has_names[] = {"not tried", "yes", "no"};

/* What stands in the version of one of them alone, the more special first. */
static const struct {
    const char *mark, *product;
} products[] = {
    {"-YB-", "YugabyteDB"},         {"CockroachDB", "CockroachDB"}, {"OrioleDB", "OrioleDB"},
    {"Greenplum", "Greenplum"},     {"EnterpriseDB", "EDB"},        {"Redshift", "Redshift"},
    {"Materialize", "Materialize"}, {"AlloyDB", "AlloyDB"},         {"Aurora", "Aurora"},
    {"openGauss", "openGauss"},     {"GaussDB", "GaussDB"},         {"PolarDB", "PolarDB"},
    {"PostgreSQL", "PostgreSQL"},
};

static const char *
product_of(const char *version, const char *server_version)
{
    for (size_t i = 0; i < sizeof products / sizeof *products; i++)
        if (strstr(version, products[i].mark) || strstr(server_version, products[i].mark))
            return products[i].product;
    return "unknown";
}

/* The first number of the text that is a word's beginning: 17 of "PostgreSQL 17beta1". */
static int
first_number(const char *text)
{
    for (bool at_word = true; *text; at_word = *text == ' ' || *text == '(', text++) {
        if (!at_word || !isdigit((unsigned char)*text))
            continue;
        long number = strtol(text, NULL, 10);
        return number > 0 && number < 1000 ? (int)number : 0;
    }
    return 0;
}

/* What stands before the first comma or " on ". */
static void
shorten(char *out, size_t size, const char *text)
{
    const char *end = strstr(text, " on ");
    size_t length = strcspn(text, ",\n");

    if (end && (size_t)(end - text) < length)
        length = (size_t)(end - text);
    snprintf(out, size, "%.*s", (int)(length < size ? length : size - 1), text);
}

void
engine_read_version(struct engine *engine, const char *version, const char *server_version)
{
    version = version ? version : "";
    server_version = server_version ? server_version : "";
    snprintf(engine->product, sizeof engine->product, "%s", product_of(version, server_version));
    shorten(engine->version, sizeof engine->version, *version ? version : server_version);
    engine->major = first_number(server_version);
    if (engine->major == 0 && strcmp(engine->product, "CockroachDB") != 0)
        engine->major = first_number(version);
}
