/* The tables that say why the figures can be believed. */
#include "reports/tables.h"

#include <string.h>

#include "reports/departures.h"

#define COLUMNS(array)  (array), sizeof(array) / sizeof(array)[0]
#define ERROR_SUMS_MAX  64
#define NOTHING_PRINTED "\xe2\x80\x93"

table_fn *const tables_all[] = {
    tables_verdicts,   tables_levels,   tables_latency,     tables_deferred,   tables_fits,
    tables_errors,     tables_messages, tables_outages,     tables_steps,      tables_steady,
    tables_conditions, tables_inputs,   tables_resources,   tables_waits,      tables_findings,
    tables_options,    tables_journal,  tables_environment, tables_departures, NULL,
};

struct table *
tables_verdicts(const struct run *run, const struct analysis *analysis, struct arena *arena)
{
    static const struct table_column columns[] = {
        {"name", "verdict", COLUMN_LEFT, 0, NULL},
        {"outcome", "outcome", COLUMN_LEFT, 0, NULL},
        {"figure", "what was measured", COLUMN_LEFT, 0, NULL},
        {"rule", "rule", COLUMN_LEFT, 0, NULL},
    };
    struct table *table = table_make(arena, "verdicts", "verdict", COLUMNS(columns), VERDICTS);
    (void)run;

    for (int i = 0; i < VERDICTS; i++) {
        const struct verdict *verdict = &analysis->verdicts[i];
        table_row(table, NULL);
        table_word(table, verdict_names[i]);
        table_outcome(table, verdict->outcome);
        table_text(table, verdict->figure);
        table_text(table, verdict->rule);
    }
    return table;
}

/* One SQLSTATE with one message, over all steps. */
struct error_sum {
    const struct error_count *error;
    uint64_t count;
    int steps, last_step; /* how many, and the latest of them, from 1 */
};

/* Messages for which there is no room are summed up in `others`. */
static int
sum_errors(const struct run *run, struct error_sum sums[ERROR_SUMS_MAX], struct error_sum *others)
{
    int count = 0;

    *others = (struct error_sum){.count = 0};
    for (int i = 0; i < run->steps_count; i++)
        for (int j = 0; j < run->steps[i].errors_count; j++) {
            const struct error_count *error = &run->steps[i].errors[j];
            int at = 0;
            while (at < count && (strcmp(sums[at].error->sqlstate, error->sqlstate) != 0 ||
                                  strcmp(sums[at].error->message, error->message) != 0))
                at++;
            struct error_sum *sum = at < ERROR_SUMS_MAX ? &sums[at] : others;
            if (at == count && at < ERROR_SUMS_MAX)
                sums[count++] = (struct error_sum){.error = error};
            sum->count += error->count;
            sum->steps += sum->last_step != i + 1;
            sum->last_step = i + 1;
        }
    return count;
}

struct table *
tables_messages(const struct run *run, const struct analysis *analysis, struct arena *arena)
{
    static const struct table_column columns[] = {
        {"sqlstate", "SQLSTATE", COLUMN_LEFT, 0, NULL},
        {"count", "count", 0, 0, NULL},
        {"steps", "steps", COLUMN_PLAIN, 0, NULL},
        {"message", "message", COLUMN_LEFT, 0, NULL},
    };
    struct error_sum sums[ERROR_SUMS_MAX];
    struct error_sum others;
    int count = sum_errors(run, sums, &others);
    struct table *table =
        table_make(arena, "messages", "message", COLUMNS(columns), (size_t)count + 1);
    (void)analysis;

    for (int i = 0; i < count; i++) {
        table_row(table, NULL);
        table_word(table, sums[i].error->sqlstate);
        table_count(table, (int64_t)sums[i].count);
        table_count(table, sums[i].steps);
        table_text(table, sums[i].error->message);
    }
    if (others.count > 0) {
        table_row(table, NULL);
        table_word(table, "other");
        table_count(table, (int64_t)others.count);
        table_count(table, others.steps);
        table_text(table, "other messages, all together");
    }
    return table;
}

static void
put_outage(struct table *table, const struct step *step, const struct outage *outage)
{
    table_row(table, NULL);
    table_count(table, step->number);
    table_count(table, step->virtual_users);
    table_real(table, (double)outage->start_us / 1e6);
    if (outage->end_us == OUTAGE_OPEN)
        table_none(table, "not over");
    else
        table_real(table, (double)outage->end_us / 1e6);
    table_count(table, outage->losses);
    table_count(table, outage->zero_s);
    if (outage->recovery_us == OUTAGE_NOT_SEEN)
        table_none(table, "not seen");
    else
        table_real(table, (double)outage->recovery_us / 1e6);
}

struct table *
tables_outages(const struct run *run, const struct analysis *analysis, struct arena *arena)
{
    static const struct table_column columns[] = {
        {"step", "step", COLUMN_PLAIN, 0, NULL},
        {"virtual_users", "virtual users", COLUMN_PLAIN, 0, NULL},
        {"from_s", "from", 0, 1, "s"},
        {"to_s", "to", 0, 1, "s"},
        {"connections_lost", "connections lost", 0, 0, NULL},
        {"zero_s", "seconds without a new-order", 0, 0, NULL},
        {"recovery_s", "back at 95 % after", 0, 1, "s"},
    };
    size_t count = 0;
    (void)analysis;

    for (int i = 0; i < run->steps_count; i++)
        count += (size_t)run->steps[i].outages_count;
    struct table *table = table_make(arena, "outages", "outage", COLUMNS(columns), count);
    for (int i = 0; i < run->steps_count; i++)
        for (int k = 0; k < run->steps[i].outages_count; k++)
            put_outage(table, &run->steps[i], &run->steps[i].outages[k]);
    return table;
}

static const char *
examples(const struct check_condition *condition, struct arena *arena)
{
    struct buf out = {0};

    for (int i = 0; i < condition->examples_count; i++) {
        const struct check_example *example = &condition->examples[i];
        buf_puts(&out, i ? "; " : "");
        if (example->warehouse)
            buf_printf(&out, "warehouse %d ", example->warehouse);
        if (example->district)
            buf_printf(&out, "district %d ", example->district);
        buf_printf(&out, "%s: expected %s, found %s", example->detail ? example->detail : "",
                   example->expected ? example->expected : "nothing",
                   example->found ? example->found : "nothing");
    }
    const char *text = arena_strdup(arena, buf_text(&out));
    buf_free(&out);
    return text;
}

struct table *
tables_conditions(const struct run *run, const struct analysis *analysis, struct arena *arena)
{
    static const struct table_column columns[] = {
        {"number", "no.", COLUMN_PLAIN, 0, NULL},
        {"condition", "condition", COLUMN_LEFT, 0, NULL},
        {"verdict", "verdict", COLUMN_LEFT, 0, NULL},
        {"violations", "violations", 0, 0, NULL},
        {"examples", "examples", COLUMN_LEFT, 0, NULL},
    };
    int count = run->check.done ? CHECK_TESTS : 0;
    struct table *table =
        table_make(arena, "conditions", "condition", COLUMNS(columns), (size_t)count);
    (void)analysis;

    for (int i = 0; i < count; i++) {
        const struct check_condition *condition = &run->check.conditions[i];
        table_row(table, NULL);
        if (i < CHECK_CONDITIONS)
            table_count(table, i + 1);
        else
            table_none(table, NOTHING_PRINTED);
        table_text(table, condition->name);
        table_outcome(table, !condition->tested          ? VERDICT_NOT_TESTED
                             : condition->violations > 0 ? VERDICT_FAIL
                                                         : VERDICT_PASS);
        table_count(table, condition->violations);
        table_text(table, examples(condition, arena));
    }
    return table;
}

static void
put_input(struct table *table, const struct input_check *check, bool mix_is_standard)
{
    table_row(table, NULL);
    table_text(table, check->name);
    table_word(table, check->clause);
    table_word(table, check->unit);
    if (check->judged)
        table_real(table, check->measured);
    else
        table_none(table, NOTHING_PRINTED);
    if (check->judged && check->has_interval) {
        table_real(table, check->low);
        table_real(table, check->high);
    } else {
        table_none(table, NOTHING_PRINTED);
        table_none(table, "");
    }
    table_real(table, check->limit_low);
    table_real(table, check->limit_high);
    if (check->judged && mix_is_standard)
        table_outcome(table, check->within ? VERDICT_PASS : VERDICT_FAIL);
    else
        table_outcome(table, VERDICT_NOT_TESTED);
    table_text(table, !check->judged    ? check->reason
                      : mix_is_standard ? ""
                                        : "not the standard mix");
}

struct table *
tables_inputs(const struct run *run, const struct analysis *analysis, struct arena *arena)
{
    static const struct table_column columns[] = {
        {"input", "input", COLUMN_LEFT, 0, NULL},
        {"clause", "clause", COLUMN_LEFT, 0, NULL},
        {"unit", "unit", COLUMN_LEFT, 0, NULL},
        {"measured", "measured", 0, 3, NULL},
        {"low", "99.99 % limits", 0, 3, NULL},
        {"high", "99.99 % limits", COLUMN_UPPER, 3, NULL},
        {"allowed_low", "allowed", 0, 2, NULL},
        {"allowed_high", "allowed", COLUMN_UPPER, 2, NULL},
        {"verdict", "verdict", COLUMN_LEFT, 0, NULL},
        {"reason", "reason", COLUMN_LEFT, 0, NULL},
    };
    struct table *table = table_make(arena, "inputs", "input", COLUMNS(columns), INPUTS);
    (void)run;

    for (int i = 0; i < INPUTS; i++)
        put_input(table, &analysis->inputs[i], analysis->inputs_judged);
    return table;
}

static const struct table_column fact_columns[] = {
    {"group", "group", COLUMN_LEFT | COLUMN_RAW, 0, NULL},
    {"name", "name", COLUMN_LEFT, 0, NULL},
    {"value", "value", COLUMN_LEFT, 0, NULL},
    {"source", "source", COLUMN_LEFT, 0, NULL},
};

struct table *
tables_facts(const struct run *run, const char *group, struct arena *arena)
{
    bool is_setting = group && strcmp(group, "setting") == 0;
    /* Only settings have a source. */
    struct table *table = table_make(arena, "environment", "fact", fact_columns,
                                     !group || is_setting ? 4 : 3, (size_t)run->environment.count);

    for (int i = 0; i < run->environment.count; i++) {
        const struct fact *fact = &run->environment.facts[i];
        if (group && strcmp(fact->group, group) != 0)
            continue;
        table_row(table, NULL);
        table_word(table, fact->group);
        table_word(table, fact->name);
        table_text(table, fact->value);
        if (table->columns_count > 3)
            table_text(table, fact->detail);
    }
    return table;
}

struct table *
tables_environment(const struct run *run, const struct analysis *analysis, struct arena *arena)
{
    (void)analysis;
    return tables_facts(run, NULL, arena);
}

struct table *
tables_departures(const struct run *run, const struct analysis *analysis, struct arena *arena)
{
    static const struct table_column columns[] = {
        {"clauses", "clause", COLUMN_LEFT, 0, NULL},
        {"what", "what differs", COLUMN_LEFT, 0, NULL},
        {"effect", "effect", COLUMN_LEFT, 0, NULL},
    };
    struct table *table =
        table_make(arena, "departures", "departure", COLUMNS(columns), departures_count);
    (void)analysis;

    for (size_t i = 0; i < departures_count; i++) {
        if (!departure_holds(&departures[i], run))
            continue;
        table_row(table, NULL);
        table_word(table, departures[i].clauses);
        table_text(table, departures[i].what);
        table_text(table, departures[i].effect);
    }
    return table;
}
