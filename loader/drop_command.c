/* The command "drop". */
#include "loader/commands.h"

#include <string.h>

#include "common/log.h"
#include "common/sql.h"
#include "loader/ddl.h"
#include "loader/team.h"

struct drop {
    const char *schema;
    bool schema_dropped;
};

static bool
drop(struct pg *pg, void *context, struct err *err)
{
    struct drop *what = context;
    struct build_info info;
    char text[512];

    if (!build_require(pg, what->schema, BUILD_FOR_DROP, &info, err))
        return false;
    build_describe(&info, what->schema, text, sizeof text);
    log_info("%s", text);
    return ddl_drop(pg, what->schema, &info, &what->schema_dropped, err);
}

static int
run(struct settings *settings, int operand_count, char **operands)
{
    struct drop what = {.schema = settings_text(settings, SET_SCHEMA)};
    struct pg_target *target = NULL;
    struct err err = {0};
    bool ok = sql_check_schema(what.schema, &err) && (target = pg_target_new(settings, &err)) &&
              team_run_one(target, "drop", drop, &what, &err);

    (void)operand_count;
    (void)operands;
    pg_target_free(target);
    if (!ok)
        return log_error(&err);
    log_info("dropped the kit's tables and procedures from schema \"%s\"%s", what.schema,
             what.schema_dropped ? ", and the schema" : "; the schema stays");
    return 0;
}

const struct command drop_command = {
    .name = "drop",
    .operands = "",
    .bit = CMD_DROP,
    .summary = "remove what load built, and nothing else",
    .description =
        "Removes the kit's tables, procedures and bookkeeping from the schema, object by "
        "object, and the schema itself if the kit made it and nothing else is in it. Refuses "
        "a schema that does not carry the kit's marker, and stops if anything else depends on "
        "the tables.",
    .examples = "ordermill drop\n"
                "ordermill drop --schema sales\n",
    .run = run,
};
