/* Owns which tables, functions and procedures a transaction needs of its caller: those of functions
 * are needed too, since they run with the rights of whoever calls them. */
#include "driver/rights.h"

#include <stdio.h>
#include <string.h>

#include "common/buf.h"

#define BIT(type) (1U << (type))

/* Which types need which right on which table. */
static const struct {
    const char *table, *right;
    unsigned types;
} table_rights[] = {
    {"warehouse", "SELECT", BIT(TXN_NEW_ORDER) | BIT(TXN_PAYMENT)},
    {"warehouse", "UPDATE", BIT(TXN_PAYMENT)},
    {"district", "SELECT", BIT(TXN_NEW_ORDER) | BIT(TXN_PAYMENT) | BIT(TXN_STOCK_LEVEL)},
    {"district", "UPDATE", BIT(TXN_NEW_ORDER) | BIT(TXN_PAYMENT)},
    {"customer", "SELECT",
     BIT(TXN_NEW_ORDER) | BIT(TXN_PAYMENT) | BIT(TXN_ORDER_STATUS) | BIT(TXN_DELIVERY) |
         BIT(TXN_LOOKUP)},
    {"customer", "UPDATE", BIT(TXN_PAYMENT) | BIT(TXN_DELIVERY)},
    {"history", "INSERT", BIT(TXN_PAYMENT) | BIT(TXN_INSERT)},
    {"orders", "SELECT", BIT(TXN_ORDER_STATUS) | BIT(TXN_DELIVERY)},
    {"orders", "INSERT", BIT(TXN_NEW_ORDER)},
    {"orders", "UPDATE", BIT(TXN_DELIVERY)},
    {"new_order", "SELECT", BIT(TXN_DELIVERY)},
    {"new_order", "INSERT", BIT(TXN_NEW_ORDER)},
    {"new_order", "UPDATE", BIT(TXN_DELIVERY)},
    {"new_order", "DELETE", BIT(TXN_DELIVERY)},
    {"order_line", "SELECT", BIT(TXN_ORDER_STATUS) | BIT(TXN_DELIVERY) | BIT(TXN_STOCK_LEVEL)},
    {"order_line", "INSERT", BIT(TXN_NEW_ORDER)},
    {"order_line", "UPDATE", BIT(TXN_DELIVERY)},
    {"item", "SELECT", BIT(TXN_NEW_ORDER)},
    {"stock", "SELECT", BIT(TXN_NEW_ORDER) | BIT(TXN_STOCK_LEVEL)},
    {"stock", "UPDATE", BIT(TXN_NEW_ORDER)},
};

static unsigned
types_of(const struct driver_options *options)
{
    unsigned types = 0;

    for (int type = 0; type < TXN_TYPES; type++)
        types |= options->mix[type] > 0 ? BIT(type) : 0;
    return types;
}

/* The first name that the query gives for this schema and this list, "" when none; false: an error.
 */
static bool
first_of(struct pg *pg, const char *sql, const struct driver_options *options, const char *list,
         char *name, size_t size, struct err *err)
{
    const char *const parameters[] = {options->schema, list};
    struct pg_rows *rows = pg_query(pg, sql, 2, parameters, err);

    if (!rows)
        return false;
    snprintf(name, size, "%s", pg_rows_count(rows) > 0 ? pg_value(rows, 0, 0) : "");
    pg_rows_free(rows);
    return true;
}

static bool
check_tables(struct pg *pg, const struct driver_options *options, struct err *err)
{
    static const char sql[] =
        "SELECT split_part(r, ' ', 1) || ' right on table \"' || split_part(r, ' ', 2) || '\"'"
        " FROM unnest(string_to_array($2, ',')) WITH ORDINALITY AS r (r, n)"
        " WHERE NOT has_table_privilege(format('%I.%I', $1::text, split_part(r, ' ', 2)),"
        " split_part(r, ' ', 1)) ORDER BY n LIMIT 1";
    unsigned types = types_of(options);
    struct buf list = {0};
    char missing[128];

    for (size_t i = 0; i < sizeof table_rights / sizeof *table_rights; i++)
        if (table_rights[i].types & types)
            buf_printf(&list, "%s%s %s", list.length ? "," : "", table_rights[i].right,
                       table_rights[i].table);
    bool ok = first_of(pg, sql, options, buf_text(&list), missing, sizeof missing, err);
    buf_free(&list);
    if (!ok || !*missing)
        return ok;
    (void)err_set(err, ERR_SERVER, "role \"%s\" has no %s of schema \"%s\"", pg_user(pg), missing,
                  options->schema);
    err_hint(err, "run as the role that loaded, or GRANT it SELECT, INSERT, UPDATE and DELETE on "
                  "all tables of the schema");
    return false;
}

static bool
check_routines(struct pg *pg, const struct driver_options *options, struct err *err)
{
    static const char sql[] =
        "SELECT p.proname FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace"
        " WHERE n.nspname = $1 AND p.proname = ANY (string_to_array($2, ','))"
        " AND NOT has_function_privilege(p.oid, 'EXECUTE') ORDER BY p.proname LIMIT 1";
    bool by_call = strcmp(options->call, "procedures") == 0;
    unsigned types = types_of(options);
    struct buf list = {0};
    char missing[128];

    for (int type = 0; type < TXN_TYPES; type++)
        if (types & BIT(type))
            buf_printf(&list, "%s%s%s", list.length ? "," : "", by_call ? "call_" : "",
                       txn_routines[type]);
    bool ok = first_of(pg, sql, options, buf_text(&list), missing, sizeof missing, err);
    buf_free(&list);
    if (!ok || !*missing)
        return ok;
    (void)err_set(err, ERR_SERVER, "role \"%s\" has no EXECUTE right on %s \"%s\" of schema \"%s\"",
                  pg_user(pg), by_call ? "procedure" : "function", missing, options->schema);
    err_hint(err, "run as the role that loaded, or GRANT it EXECUTE on all routines of the schema");
    return false;
}

bool
rights_check(struct pg *pg, const struct driver_options *options, struct err *err)
{
    bool calls = strcmp(options->call, "statements") != 0;

    return check_tables(pg, options, err) && (!calls || check_routines(pg, options, err));
}
