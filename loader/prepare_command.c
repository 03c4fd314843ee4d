/* The command "prepare": what an administrator has to do before the kit can load. Prints
 * schemas/prepare.sql with the names of the settings; connects to nothing. */
#include "loader/commands.h"

#include <stdio.h>

#include "common/buf.h"
#include "common/log.h"
#include "common/pg.h"
#include "common/sql.h"

/* psql's own quoting: \set takes a text in single quotes, where backslash and quote are special. */
static void
put_variable(struct buf *out, const char *name, const char *value)
{
    buf_printf(out, "\\set %s '", name);
    for (; *value; value++)
        buf_printf(out, "%s%c", *value == '\'' || *value == '\\' ? "\\" : "", *value);
    buf_puts(out, "'\n");
}

static void
put_tablespace(struct buf *out, struct arena *arena, const char *name)
{
    if (name)
        buf_printf(out, "GRANT CREATE ON TABLESPACE %s TO :\"role\";\n",
                   pg_quote_identifier(arena, name));
}

static bool
is_one_line(const char *option, const char *name, struct err *err)
{
    for (const char *p = name; *p; p++) {
        if ((unsigned char)*p < ' ')
            return err_set(err, ERR_USAGE, "--%s: the name holds a control character", option);
    }
    return true;
}

static bool
prepare(const struct settings *settings, struct arena *arena, struct buf *out, struct err *err)
{
    const char *schema = settings_text(settings, SET_SCHEMA), *role, *database;
    const char *tablespace = settings_text(settings, SET_TABLESPACE);
    const char *index_tablespace = settings_text(settings, SET_INDEX_TABLESPACE);

    if (!sql_check_schema(schema, err) || !pg_named(settings, arena, &role, &database, err))
        return false;
    if (!role) {
        err_set(err, ERR_USAGE, "--username: the role that the kit shall connect as is not named");
        err_hint(err, "ordermill prepare --username bench --dbname bench");
        return false;
    }
    if (!database)
        database = role;
    if (!is_one_line("username", role, err) || !is_one_line("dbname", database, err))
        return false;
    buf_puts(out, "-- For psql, as a superuser, connected to any database of the server.\n"
                  "\\set ON_ERROR_STOP on\n");
    put_variable(out, "role", role);
    put_variable(out, "database", database);
    put_variable(out, "schema", schema);
    buf_printf(out, "\n%s", sql_source("schemas/prepare.sql"));
    if (tablespace || index_tablespace)
        buf_puts(out, "\n-- The tablespaces that the load shall use.\n");
    put_tablespace(out, arena, tablespace);
    put_tablespace(out, arena, index_tablespace);
    return true;
}

static int
run(struct settings *settings, int operand_count, char **operands)
{
    struct arena arena = {0};
    struct buf out = {0};
    struct err err = {0};
    bool ok = prepare(settings, &arena, &out, &err);

    (void)operand_count;
    (void)operands;
    fputs(buf_text(&out), stdout);
    buf_free(&out);
    arena_free(&arena);
    return ok && cli_finish_output(&err) ? 0 : log_error(&err);
}

const struct command prepare_command = {
    .name = "prepare",
    .operands = "",
    .bit = CMD_PREPARE,
    .summary = "print the SQL that an administrator has to run first",
    .description =
        "Prints what a plain role cannot do for itself: the role, its database and schema, and "
        "the rights that make reports complete, each with the reason. Connects to nothing and "
        "sets no password. Nothing that exists is altered, so it may be run again; what is marked "
        "as optional may be left out.",
    .examples = "ordermill prepare --username bench --dbname bench | psql -U postgres postgres\n",
    .run = run,
};
