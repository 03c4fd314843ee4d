/* The command "checksum". */
#include "loader/commands.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/build.h"
#include "common/json.h"
#include "common/log.h"
#include "common/sql.h"
#include "loader/checksum.h"
#include "loader/loader.h"

static void
print_json(const struct checksum *sums, struct buf *out)
{
    struct json json;
    char hex[17];

    json_begin(&json, out);
    json_object(&json, NULL);
    json_object(&json, "tables");
    for (int table = 0; table < GEN_TABLES; table++) {
        json_object(&json, gen_table_name((enum gen_table)table));
        json_int(&json, "rows", sums[table].rows);
        snprintf(hex, sizeof hex, "%016" PRIx64, sums[table].sum);
        json_string(&json, "checksum", hex);
        json_object_end(&json);
    }
    json_object_end(&json);
    json_object_end(&json);
    json_end(&json);
}

static void
print_text(const struct checksum *sums, struct buf *out)
{
    for (int table = 0; table < GEN_TABLES; table++)
        buf_printf(out, "%-10s  %12" PRId64 "  %016" PRIx64 "\n",
                   gen_table_name((enum gen_table)table), sums[table].rows, sums[table].sum);
}

static bool
sum_up(const struct settings *settings, struct checksum *sums, struct err *err)
{
    const char *schema = settings_text(settings, SET_SCHEMA);
    struct pg_target *target;
    struct build_info info;

    if (!sql_check_schema(schema, err) || !(target = pg_target_new(settings, err)))
        return false;
    struct pg *pg = pg_connect(target, "checksum", err);
    bool ok = pg && build_require(pg, schema, BUILD_FOR_CHECK, &info, err);
    pg_close(pg);
    if (ok)
        ok = checksum_run(target, schema, info.warehouses, loader_jobs(settings), sums, err);
    pg_target_free(target);
    return ok;
}

static int
run(struct settings *settings, int operand_count, char **operands)
{
    struct checksum sums[GEN_TABLES];
    struct err err = {0}, output_err = {0};
    struct buf out = {0};
    bool ok = sum_up(settings, sums, &err);

    (void)operand_count;
    (void)operands;
    if (ok) {
        if (settings_flag(settings, SET_JSON))
            print_json(sums, &out);
        else
            print_text(sums, &out);
        fputs(buf_text(&out), stdout);
    }
    buf_free(&out);
    int status = ok ? 0 : log_error(&err);
    if (!cli_finish_output(&output_err) && ok)
        status = log_error(&output_err);
    return status;
}

const struct command checksum_command = {
    .name = "checksum",
    .operands = "",
    .bit = CMD_CHECKSUM,
    .summary = "tell whether two databases hold the same rows",
    .description =
        "Prints for each of the nine tables the number of rows and a checksum over all of them. "
        "Both are the same wherever the rows are the same: their physical order, indexes, "
        "partitions and the way they were loaded do not matter. Dates count only as null or not "
        "null, since those of a fresh load are the load's own. So the output of two loads with "
        "the same seed and warehouses is equal, byte for byte. Only reads.",
    .examples = "ordermill checksum\n"
                "ordermill checksum --schema sales -j 8 --json\n",
    .run = run,
};
