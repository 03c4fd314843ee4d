/* What can be asked of a query and its rows without knowing libpq; see pg.h. */
#include <stdlib.h>
#include <string.h>

#include "common/buf.h"
#include "common/pg.h"

bool
pg_execf(struct pg *pg, struct err *err, const char *format, ...)
{
    struct buf sql = {0};
    va_list ap;
    va_start(ap, format);
    buf_printfv(&sql, format, ap);
    va_end(ap);
    bool ok = pg_exec(pg, buf_text(&sql), err);
    buf_free(&sql);
    return ok;
}

bool
pg_query_int(struct pg *pg, const char *sql, int64_t *value, struct err *err)
{
    struct pg_rows *rows = pg_query(pg, sql, 0, NULL, err);
    if (!rows)
        return false;
    bool one = pg_rows_count(rows) == 1 && !pg_is_null(rows, 0, 0);
    if (one)
        *value = pg_value_int(rows, 0, 0);
    else
        err_set(err, ERR_SERVER, "a query for one number gave %d rows: %s", pg_rows_count(rows),
                sql);
    pg_rows_free(rows);
    return one;
}

int
pg_column_index(const struct pg_rows *rows, const char *name)
{
    for (int i = 0; i < pg_columns_count(rows); i++)
        if (strcmp(pg_column_name(rows, i), name) == 0)
            return i;
    return -1;
}
