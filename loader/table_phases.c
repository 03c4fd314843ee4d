/* Indexes, foreign keys, vacuum; see table_phases.h. What the statements are stands in tasks.c,
 * what they weigh and how far they are in watch.c. */
#include "loader/table_phases.h"

#include <string.h>

#include "common/clock.h"
#include "common/log.h"
#include "common/sql.h"
#include "loader/tasks.h"
#include "loader/team.h"
#include "loader/watch.h"

/* Tasks of one kind. */
struct statements {
    struct load *load;
    const char *session; /* SET statements for each connection, or "" */
    const char *what;
    const char *doing; /* on the progress line */
    struct watch watch;
    bool (*run)(struct team *team, struct pg *pg, int task, void *context, struct err *err);
    void (*weigh)(struct watch *watch, struct arena *arena);
    const char *sql; /* asks how far the server is, or NULL */
    void (*note)(const struct watch *watch, const struct pg_rows *rows, struct schedule *schedule,
                 int64_t now_us);
};

static bool
run_task(struct team *team, struct pg *pg, int task, void *context, struct err *err)
{
    struct statements *statements = context;
    const struct table_task *todo = &statements->watch.tasks[task];

    (void)team;
    log_detail("%s of %s", statements->what, todo->relation);
    return pg_exec(pg, statements->session, err) &&
           ddl_run_task(pg, statements->load->schema, todo, err);
}

static bool
weigh(struct pg *pg, void *context, struct err *err)
{
    struct statements *statements = context;
    struct load *load = statements->load;

    statements->watch.schema = load->schema;
    statements->watch.warehouses = load->info.warehouses;
    statements->watch.options = &load->options;
    if (!watch_begin(&statements->watch, pg, load->arena, err))
        return false;
    statements->weigh(&statements->watch, load->arena);
    return true;
}

static void
note(void *context, const struct pg_rows *rows, struct schedule *schedule, int64_t now_us)
{
    struct statements *statements = context;

    statements->note(&statements->watch, rows, schedule, now_us);
}

static bool
run_all(struct statements *statements, struct err *err)
{
    const struct load *load = statements->load;

    if (statements->watch.count == 0)
        return true;
    return team_run_one(load->target, "load", weigh, statements, err) &&
           team_run(&(struct team_plan){.target = load->target,
                                        .purpose = "load",
                                        .jobs = load->jobs,
                                        .tasks = statements->watch.count,
                                        .task = statements->run,
                                        .context = statements,
                                        .doing = statements->doing,
                                        .work = statements->watch.work,
                                        .cores = statements->watch.cores,
                                        .watch = statements->sql,
                                        .note = note},
                    err);
}

/* --- indexes ---------------------------------------------------------------------------------- */

bool
table_phase_indexes(struct load *load, struct err *err)
{
    struct statements statements = {
        .load = load,
        .what = "indexes",
        .doing = "building the indexes",
        .session = options_index_session(load->arena, &load->options),
        .run = run_task,
        .weigh = watch_weigh_indexes,
        .sql = watch_indexes_sql(load->arena, load->schema),
        .note = watch_note_indexes,
    };
    struct statements wholes = statements;

    statements.watch.count =
        tasks_indexes(load->arena, load->schema, &load->options, &statements.watch.tasks);
    wholes.doing = "joining the indexes of partitions";
    wholes.sql = NULL;
    wholes.watch.count =
        tasks_whole_indexes(load->arena, load->schema, &load->options, &wholes.watch.tasks);
    return run_all(&statements, err) && run_all(&wholes, err);
}

/* --- foreign keys ----------------------------------------------------------------------------- */

/* They came by --only, to a build that was begun without. */
static bool
note_foreign_keys(struct pg *pg, void *context, struct err *err)
{
    const struct load *load = context;
    struct arena arena = {0};
    bool ok = pg_exec(pg, sql_for_schema(&arena, TASKS_FOREIGN_KEYS_NOTE, load->schema), err);

    arena_free(&arena);
    return ok;
}

bool
table_phase_foreign_keys(struct load *load, struct err *err)
{
    struct statements statements = {
        .load = load,
        .what = "foreign keys",
        .doing = "adding the foreign keys",
        .session = options_foreign_key_session(load->arena, &load->options),
        .run = run_task,
        .weigh = watch_weigh_foreign_keys,
        .sql = watch_foreign_keys_sql(load->arena, load->schema),
        .note = watch_note_foreign_keys,
    };

    statements.watch.count =
        tasks_foreign_keys(load->arena, load->schema, &load->options, &statements.watch.tasks);
    return run_all(&statements, err) &&
           (load->options.foreign_keys ||
            team_run_one(load->target, "load", note_foreign_keys, load, err));
}

/* --- vacuum ----------------------------------------------------------------------------------- */

static void
refuse(struct load *load, const char *table)
{
    for (int i = 0; i < OPTIONS_TABLES; i++) {
        if (strcmp(options_tables[i], table) == 0)
            load->refused[i] = options_tables[i];
    }
}

static bool
run_vacuum(struct team *team, struct pg *pg, int task, void *context, struct err *err)
{
    struct statements *statements = context;
    struct load *load = statements->load;
    const struct table_task *todo = &statements->watch.tasks[task];
    bool permitted = false;
    bool ok = ddl_may_vacuum(pg, load->schema, todo->relation, &permitted, err);

    if (ok && permitted)
        ok = run_task(team, pg, task, context, err);
    else if (ok)
        refuse(load, todo->table);
    if (!ok && err->code == ERR_SERVER && !team_stopping(team)) {
        log_warning("vacuum of %s: %s", todo->relation, err->message);
        ok = true;
    }
    return ok;
}

bool
table_phase_vacuum(struct load *load, struct err *err)
{
    struct statements statements = {
        .load = load,
        .what = "vacuum",
        .doing = "vacuuming and analyzing",
        .session = "",
        .run = run_vacuum,
        .weigh = watch_weigh_vacuum,
        .sql = watch_vacuum_sql(load->arena, load->schema),
        .note = watch_note_vacuum,
    };
    struct statements wholes = statements;

    statements.watch.count =
        tasks_vacuum(load->arena, load->schema, &load->options, &statements.watch.tasks);
    wholes.doing = "analyzing partitioned tables";
    wholes.sql = NULL;
    wholes.watch.count =
        tasks_analyze(load->arena, load->schema, &load->options, &wholes.watch.tasks);
    return run_all(&statements, err) && run_all(&wholes, err);
}
