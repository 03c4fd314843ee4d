/* The check of a schema as the settings name it; see loader.h. */
#include "common/build.h"
#include "common/sql.h"
#include "loader/check.h"
#include "loader/loader.h"

bool
loader_check(const struct settings *settings, const char *moment, struct arena *arena,
             struct check_result *result, struct err *err)
{
    const char *schema = settings_text(settings, SET_SCHEMA);
    struct pg_target *target;
    struct build_info info;
    bool ok = false;

    *result = (struct check_result){.done = false};
    if (!sql_check_schema(schema, err) || !(target = pg_target_new(settings, err)))
        return false;
    struct pg *pg = pg_connect(target, "check", err);
    if (pg && build_require(pg, schema, BUILD_FOR_CHECK, &info, err))
        ok = check_run(&(struct check_request){.target = target,
                                               .schema = schema,
                                               .warehouses = info.warehouses,
                                               .jobs = loader_jobs(settings),
                                               .fast = settings_flag(settings, SET_FAST),
                                               .moment = moment},
                       arena, result, err);
    pg_close(pg);
    pg_target_free(target);
    return ok;
}
