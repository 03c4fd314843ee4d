/* The command "drop". */
#include "loader/commands.h"

#include <string.h>

#include "common/log.h"
#include "common/sql.h"
#include "loader/ddl.h"
#include "loader/team.h"

static bool
drop(const struct settings *settings, struct pg *pg, struct err *err)
{
    const char *schema = settings_text(settings, SET_SCHEMA);
    struct build_info info;
    bool schema_dropped;

    if (!team_lift_limits(pg, err) || !build_require(pg, schema, BUILD_FOR_DROP, &info, err) ||
        !ddl_drop(pg, schema, &info, &schema_dropped, err))
        return false;
    log_info("dropped the kit's tables and procedures from schema \"%s\"%s", schema,
             schema_dropped ? ", and the schema" : "; the schema stays");
    return true;
}

static int
run(struct settings *settings, int operand_count, char **operands)
{
    struct err err = {0};
    struct pg_target *target = NULL;
    struct pg *pg = NULL;
    bool ok = sql_check_schema(settings_text(settings, SET_SCHEMA), &err) &&
              (target = pg_target_new(settings, &err)) && (pg = pg_connect(target, "drop", &err)) &&
              drop(settings, pg, &err);

    (void)operand_count;
    (void)operands;
    pg_close(pg);
    pg_target_free(target);
    return ok ? 0 : log_error(&err);
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
